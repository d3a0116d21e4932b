//! Who works on the same project on other machines, as a team has told. Their files are other files of the same name: a
//! merge that is to come, and nothing to wait for.

use model::{Event, Millis};
use store::shared::{Author, SharedClaim, SharedSession};

use super::claim_files::LEASE;
use crate::Result;
use crate::behavior::Context;
use crate::page::one_line;

/// Without a sign for this long a session elsewhere is not counted: nobody here can ask its process.
const RECENT: Millis = 30 * 60 * 1000;
/// More are a crowd: the count says enough.
const MAX_NAMED: usize = 5;
/// Enough of a session's id to name it.
const ID_CHARS: usize = 8;

/// What to say of holders of this file elsewhere, and the marks that it is said once.
pub(super) fn holders(cx: &Context, event: &Event, path: &str) -> Result<Option<(String, Vec<String>)>> {
    let Some(here) = &cx.workspace else { return Ok(None) };
    let Some(within) = path.strip_prefix(&here.root).and_then(|path| path.strip_prefix('/')) else {
        return Ok(None);
    };
    let mark = |claim: &SharedClaim| {
        format!("team-claim:{}:{}:{}", event.session.as_str(), claim.session.as_str(), claim.path)
    };
    let holders = cx.read(|tables| {
        let Some(project) = tables.shared_project_of(&here.project_key)? else { return Ok(Vec::new()) };
        let mut holders = tables.team_claims(&project, Some(within), cx.now.saturating_sub(LEASE))?;
        holders.retain(|(_, claim)| !tables.is_marked(&mark(claim)).unwrap_or(true));
        Ok(holders)
    })?;
    if holders.is_empty() {
        return Ok(None);
    }
    let marks = holders.iter().map(|(_, claim)| mark(claim)).collect();
    Ok(Some((said_of_claims(cx.now, &holders), marks)))
}

/// What to say of sessions elsewhere when one starts here.
pub(super) fn sessions(cx: &Context) -> Result<Option<String>> {
    let Some(here) = &cx.workspace else { return Ok(None) };
    let sessions = cx.read(|tables| {
        let Some(project) = tables.shared_project_of(&here.project_key)? else { return Ok(Vec::new()) };
        Ok(tables.team_sessions(&project, cx.now.saturating_sub(RECENT))?)
    })?;
    Ok((!sessions.is_empty()).then(|| said_of_sessions(cx.now, &sessions)))
}

fn said_of_claims(now: Millis, holders: &[(Author, SharedClaim)]) -> String {
    let mut text = String::new();
    for (by, claim) in holders.iter().take(MAX_NAMED) {
        let branch = one_line(claim.branch.as_deref().unwrap_or("no branch"), 80);
        let lines = claim.lines.map_or(String::new(), |(first, last)| format!(", lines {first} to {last}"));
        text.push_str(&format!(
            "{}, on another machine, edits {} on {branch}{lines} (last {}): a merge to come.",
            one_line(&by.user, 40),
            one_line(&claim.path, 300),
            ago(now, claim.last_at)
        ));
        if let Some(goal) = &claim.goal {
            text.push_str(&format!(" Their goal: \"{}\".", one_line(goal, 160)));
        }
        text.push('\n');
    }
    if holders.len() > MAX_NAMED {
        text.push_str(&format!("And {} more.\n", holders.len() - MAX_NAMED));
    }
    text.push_str("Nothing has to wait; keep the change small, and tell the user if the two of you want different things.");
    text
}

fn said_of_sessions(now: Millis, sessions: &[(Author, SharedSession)]) -> String {
    let mut text = "At work on this project on other machines:".to_owned();
    for (by, session) in sessions.iter().take(MAX_NAMED) {
        let branch = one_line(session.branch.as_deref().unwrap_or("no branch"), 80);
        text.push_str(&format!(
            "\n- {}: session {} ({}) on {branch}, last seen {}",
            one_line(&by.user, 40),
            one_line(&session.id.as_str().chars().take(ID_CHARS).collect::<String>(), ID_CHARS),
            one_line(&session.agent, 40),
            ago(now, session.seen_at)
        ));
        if let Some(goal) = &session.goal {
            text.push_str(&format!("; works on: \"{}\"", one_line(goal, 160)));
        }
    }
    if sessions.len() > MAX_NAMED {
        text.push_str(&format!("\n- and {} more", sessions.len() - MAX_NAMED));
    }
    text.push_str("\n`throughline message SESSION \"…\"` says something to one of them.");
    text
}

fn ago(now: Millis, at: Millis) -> String {
    match now.saturating_sub(at) / 60_000 {
        0 => "just now".to_owned(),
        minutes => format!("{minutes} min ago"),
    }
}

#[cfg(test)]
mod tests {
    use model::SessionId;
    use store::shared::SharedProject;

    use super::*;

    #[test]
    fn a_teammate_is_named_with_the_file_the_branch_and_what_it_means() {
        let by = Author { user: "Ana\n".into(), machine: "m".into() };
        let claim = SharedClaim {
            project: SharedProject("c".into()),
            session: SessionId::new("s"),
            path: "src/a.rs".into(),
            branch: Some("x".into()),
            since_at: 0,
            last_at: 60_000,
            lines: Some((3, 9)),
            goal: Some("expire\ncarts".into()),
        };
        let text = said_of_claims(120_000, &[(by, claim)]);
        assert!(
            text.starts_with(
                "Ana, on another machine, edits src/a.rs on x, lines 3 to 9 (last 1 min ago): a merge to come. \
                 Their goal: \"expire carts\"."
            ),
            "{text}"
        );
    }
}
