//! What is said of claims. Strangers' words are one line each: one that breaks the line would begin one of ours.

use model::Millis;
use store::{ChangeRow, ClaimRow};

use super::LEASE;
use super::lines::words as lines;
use crate::page::one_line;

/// More holders of one file are a crowd: the count says enough.
const MAX_NAMED: usize = 3;
const GOAL_CHARS: usize = 160;
const PATH_CHARS: usize = 300;
/// Enough of a session's id to name it.
const ID_CHARS: usize = 8;

pub(super) fn warning(now: Millis, path: &str, holders: &[&ClaimRow], same_lines: Option<bool>) -> String {
    let mut text = format!("Somebody else is working on {}:", one_line(path, PATH_CHARS));
    for holder in holders.iter().take(MAX_NAMED) {
        text.push_str(&format!("\n- {}{}", who(now, holder), goal(holder)));
    }
    if holders.len() > MAX_NAMED {
        text.push_str(&format!("\n- and {} more", holders.len() - MAX_NAMED));
    }
    match same_lines {
        Some(true) => text.push_str("\nYour edit is on the same lines."),
        Some(false) => text.push_str("\nYour edit is on other lines."),
        None => {}
    }
    text.push_str(
        "\nRead the file again before you edit it, keep to your own lines, and tell the user if the two of you want \
         different things. The claim ends with that session, or 30 minutes after its last edit.",
    );
    if let [one] = holders {
        text.push_str(&format!(" `throughline message {} \"…\"` reaches it.", id(one.session.as_str())));
    }
    text
}

/// The same file elsewhere disturbs nobody now.
pub(super) fn merge_to_come(now: Millis, path: &str, holders: &[&ClaimRow]) -> String {
    let mut text = format!(
        "For information: {} is being edited in another worktree of this repository, too; that is a merge to come.",
        one_line(path, PATH_CHARS)
    );
    for holder in holders.iter().take(MAX_NAMED) {
        let root = holder.root.as_deref().unwrap_or(&holder.path);
        text.push_str(&format!(
            "\n- in {}: {}{}",
            one_line(root, PATH_CHARS),
            who(now, holder),
            goal(holder)
        ));
    }
    text
}

pub(super) fn changed(now: Millis, path: &str, changes: &[ChangeRow]) -> String {
    let mut text = format!("{} changed under you since you last read it:", one_line(path, PATH_CHARS));
    for change in changes.iter().take(MAX_NAMED) {
        let counts = match change.counts {
            Some((added, removed)) => format!("+{added}/-{removed}"),
            None => "by a command".to_owned(),
        };
        text.push_str(&format!(
            "\n- by session {}, {counts}, {}",
            id(change.session.as_str()),
            ago(now, change.at)
        ));
    }
    text.push_str("\nRead it again before you rely on what you know of it.");
    text
}

/// Who holds it and until when, in words of ours alone.
pub(super) fn refusal(now: Millis, path: &str, holders: &[ClaimRow]) -> String {
    let mut text = format!("{} is held by another session", one_line(path, PATH_CHARS));
    for holder in holders.iter().take(MAX_NAMED) {
        let left = holder.last_at.saturating_add(LEASE).saturating_sub(now) / 60_000;
        text.push_str(&format!(": {}; its lease ends in {} min", who(now, holder), left.max(1)));
    }
    text
}

/// What to do instead of an edit that is not made now.
pub(super) fn instead(refused: &[String]) -> String {
    format!(
        "{}. Do something else first and come back: the lease's end, the session's end or its release lets the edit \
         through. `throughline message SESSION \"…\"` asks it to hurry; a person who knows better runs \
         `throughline claims release FILE`.",
        refused.join("; ")
    )
}

/// The same for the person who is asked.
pub(super) fn question(refused: &[String]) -> String {
    format!(
        "{}. Allow this edit only if the two do not disturb each other. If you decline, it can be made when the other \
         session has ended or given the file back; `throughline claims release FILE` gives it back now.",
        refused.join("; ")
    )
}

/// What the holders are after: not in words that decide.
pub(super) fn goals(path: &str, holders: &[ClaimRow]) -> String {
    let named = holders.iter().take(MAX_NAMED).filter(|holder| holder.goal.is_some());
    let goals: Vec<String> =
        named.map(|holder| format!("\n- session {}{}", id(holder.session.as_str()), goal(holder))).collect();
    if goals.is_empty() {
        return String::new();
    }
    format!("{} is held:{}", one_line(path, PATH_CHARS), goals.concat())
}

fn who(now: Millis, holder: &ClaimRow) -> String {
    let id = id(holder.session.as_str());
    let agent = one_line(&holder.agent, 40);
    let branch = one_line(holder.branch.as_deref().unwrap_or("no branch"), 80);
    let mut text = format!("session {id} ({agent}) on {branch}, since {}", ago(now, holder.since_at));
    if holder.edits == 0 {
        text.push_str(", not edited yet");
    } else {
        text.push_str(&format!(", last edit {}", ago(now, holder.last_at)));
    }
    if let Some(lines) = lines(&holder.lines) {
        text.push_str(&format!(" on {lines}"));
    }
    text
}

fn goal(holder: &ClaimRow) -> String {
    let goal = holder.goal.as_deref();
    goal.map(|goal| format!("; it works on: \"{}\"", one_line(goal, GOAL_CHARS))).unwrap_or_default()
}

fn id(session: &str) -> String {
    one_line(&session.chars().take(ID_CHARS).collect::<String>(), ID_CHARS)
}

fn ago(now: Millis, at: Millis) -> String {
    match now.saturating_sub(at) / 60_000 {
        0 => "just now".to_owned(),
        minutes @ 1..120 => format!("{minutes} min ago"),
        minutes => format!("{} h ago", minutes / 60),
    }
}
