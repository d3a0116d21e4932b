//! Knows which session works on which file, and says so to the second one that wants to edit it. Forbids nothing: a
//! claim is a courtesy, and a lease that runs out by itself.

use std::path::{Path, PathBuf};

use model::{Advice, Detail, Event, EventKind, Millis};
use store::{Batch, ClaimFilter, ClaimRow};

use super::register_session::is_at_work;
use crate::Result;
use crate::behavior::{Behavior, Context};
use crate::page::one_line;
use crate::paths::without_detours;

/// The tools that change one file.
const EDITORS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];
/// How long a file stays claimed after its last edit. Who comes back to it later claims it again.
pub const LEASE: Millis = 30 * 60 * 1000;
/// Rows are kept for a while longer, so that clocks that differ a little agree on what is over.
const KEPT: Millis = 24 * 60 * 60 * 1000;
/// More holders of one file are a crowd: the count says enough.
const MAX_NAMED: usize = 3;
const GOAL_CHARS: usize = 160;

#[derive(Debug)]
pub(crate) struct ClaimFiles;

impl Behavior for ClaimFiles {
    fn name(&self) -> &'static str {
        "claim-files"
    }

    fn manual(&self) -> &'static str {
        "A session that edits a file holds it until its end, until it gives it back, or for half an hour after its last \
         edit. The second session that wants to edit the file is told, once, who holds it, since when, on which branch \
         and for what; the edit goes on. `throughline claims` lists and releases them; the MCP tool `claims` does the \
         same for agents. Worktrees of one repository are different files."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PreToolUse, EventKind::PostToolUse, EventKind::SessionEnd]
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        kind == EventKind::PreToolUse
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Some(path) = edited(event) else { return Ok(Advice::silent()) };
        let filter = ClaimFilter {
            path: Some(&path),
            not: Some(&event.session),
            since: cx.now.saturating_sub(LEASE),
            ..ClaimFilter::default()
        };
        let told = |holder: &ClaimRow| mark(event, holder);
        let mut holders = cx.read(|tables| {
            let mut holders = tables.claims(&filter)?;
            holders.retain(|holder| !tables.is_marked(&told(holder)).unwrap_or(true));
            Ok(holders)
        })?;
        holders.retain(|holder| is_at_work(cx, holder.pid, holder.seen_at));
        if holders.is_empty() {
            return Ok(Advice::silent());
        }
        let marks = holders.iter().map(told).collect();
        Ok(Advice { marks, ..Advice::say(self.name(), warning(cx.now, &path, &holders)) })
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        if event.kind == EventKind::SessionEnd {
            batch.release(Some(&event.session), None)?;
        } else if let Some(path) = edited(event) {
            batch.expire_claims(event.at.saturating_sub(KEPT))?;
            batch.claim(&path, &event.session, event.at, None)?;
        }
        Ok(())
    }
}

/// The file an event's tool changes, as an absolute path without detours.
fn edited(event: &Event) -> Option<String> {
    let Detail::Tool(call) = &event.detail else { return None };
    if !EDITORS.contains(&call.name.as_str()) {
        return None;
    }
    let path = ["file_path", "notebook_path"].iter().find_map(|key| call.input.get(*key)?.as_str())?;
    claimed_path(event.cwd.as_deref().map(Path::new), path)
}

/// A path as claims know it: absolute, `.` and `..` resolved by name. Links are not followed: a claim is learned
/// again from the journal, when the disk may say something else.
pub fn claimed_path(cwd: Option<&Path>, path: &str) -> Option<String> {
    let whole = cwd.map_or_else(|| PathBuf::from(path), |cwd| cwd.join(path));
    if path.is_empty() || !whole.is_absolute() {
        return None;
    }
    without_detours(&whole).into_os_string().into_string().ok()
}

/// One holder of one file is named once to one session.
fn mark(event: &Event, holder: &ClaimRow) -> String {
    format!("claim:{}:{}:{}", event.session.as_str(), holder.session.as_str(), holder.path)
}

fn warning(now: Millis, path: &str, holders: &[ClaimRow]) -> String {
    let mut text = format!("Somebody else is working on {}:", one_line(path, 300));
    for holder in holders.iter().take(MAX_NAMED) {
        // Strangers' words: one that breaks the line would begin one of ours.
        let id = one_line(&holder.session.as_str().chars().take(8).collect::<String>(), 8);
        let agent = one_line(&holder.agent, 40);
        let branch = one_line(holder.branch.as_deref().unwrap_or("no branch"), 80);
        text.push_str(&format!(
            "\n- session {id} ({agent}) on {branch}, since {}, last edit {}",
            ago(now, holder.since_at),
            ago(now, holder.last_at)
        ));
        if let Some(goal) = &holder.goal {
            text.push_str(&format!("; it works on: \"{}\"", one_line(goal, GOAL_CHARS)));
        }
    }
    if holders.len() > MAX_NAMED {
        text.push_str(&format!("\n- and {} more", holders.len() - MAX_NAMED));
    }
    text.push_str(
        "\nRead the file again before you edit it, keep to your own lines, and tell the user if the two of you want \
         different things. The claim ends with that session, or 30 minutes after its last edit.",
    );
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
    use model::{Outcome, SessionId, StartSource, ToolCall};
    use serde_json::json;
    use store::Tables;

    use super::*;
    use crate::behaviors::tests::{context, event, learn_in};
    use crate::behaviors::{RecordPrompt, RegisterSession};

    fn edit(session: &str, at: Millis, file: &str) -> Event {
        let call = ToolCall {
            name: "Edit".into(),
            use_id: None,
            input: json!({ "file_path": file }),
            outcome: Outcome::Pending,
        };
        Event {
            session: SessionId::new(session),
            at,
            cwd: Some("/w/src".into()),
            ..event(EventKind::PreToolUse, Detail::Tool(call))
        }
    }

    fn start(session: &str, at: Millis) -> Event {
        let detail = Detail::Start { source: StartSource::Startup, model: None };
        let mut start =
            Event { session: SessionId::new(session), at, ..event(EventKind::SessionStart, detail) };
        start.context.insert("branch".into(), "main".into());
        start.context.insert("CLAUDE_PID".into(), "7".into());
        start
    }

    fn house() -> (tempfile::TempDir, PathBuf, Tables) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let mut tables = Tables::open(&path).unwrap();
        learn_in(&mut tables, &RegisterSession, &start("first-session", 1_000_000));
        let text = "Port the parser\nto the new grammar".into();
        let prompt =
            event(EventKind::UserPromptSubmit, Detail::Prompt { text, author: model::Author::Person });
        let prompt = Event { session: SessionId::new("first-session"), at: 1_000_001, ..prompt };
        learn_in(&mut tables, &RecordPrompt, &prompt);
        learn_in(&mut tables, &ClaimFiles, &edit("first-session", 1_000_002, "./../src/parser.rs"));
        (folder, path, tables)
    }

    #[test]
    fn the_second_editor_hears_who_holds_the_file_and_for_what() {
        let (_folder, path, _tables) = house();
        let cx = Context { now: 1_120_000, ..context(&path, |_| true) };
        let advice = ClaimFiles.advise(&cx, &edit("second", 1_120_000, "/w/src/parser.rs")).unwrap();
        let text = &advice.notes[0].text;
        assert!(text.contains("working on /w/src/parser.rs"), "{text}");
        assert!(
            text.contains("session first-se (claude-code) on main, since 1 min ago, last edit 1 min ago"),
            "{text}"
        );
        assert!(text.contains("it works on: \"Port the parser to the new grammar\""), "{text}");
        assert_eq!(advice.verdict, None, "a courtesy forbids nothing");
        let own = ClaimFiles.advise(&cx, &edit("first-session", 1_120_000, "/w/src/parser.rs")).unwrap();
        assert!(own.is_silent());
        let other = ClaimFiles.advise(&cx, &edit("second", 1_120_000, "/w/src/lexer.rs")).unwrap();
        assert!(other.is_silent());
    }

    #[test]
    fn a_claim_ends_with_its_lease_its_session_and_its_release() {
        let (_folder, path, mut tables) = house();
        let silent_at = |now: Millis| {
            let cx = Context { now, ..context(&path, |_| true) };
            ClaimFiles.advise(&cx, &edit("second", now, "/w/src/parser.rs")).unwrap().is_silent()
        };
        assert!(!silent_at(1_000_002 + LEASE));
        assert!(silent_at(1_000_003 + LEASE), "the lease ran out");
        let dead = Context { now: 1_010_000, ..context(&path, |_| false) };
        let advice = ClaimFiles.advise(&dead, &edit("second", 1_010_000, "/w/src/parser.rs")).unwrap();
        assert!(advice.is_silent(), "its process is gone");
        let end = event(EventKind::SessionEnd, Detail::End { reason: "other".into() });
        let end = Event { session: SessionId::new("first-session"), at: 1_060_000, ..end };
        learn_in(&mut tables, &ClaimFiles, &end);
        assert!(silent_at(1_070_000), "its session is over");
    }

    #[test]
    fn paths_are_the_same_however_they_are_written() {
        let cwd = Some(Path::new("/w/a"));
        for (written, path) in [
            ("x.rs", "/w/a/x.rs"),
            ("./x.rs", "/w/a/x.rs"),
            ("../b//x.rs", "/w/b/x.rs"),
            ("/w/./b/../x.rs", "/w/x.rs"),
            ("/../x.rs", "/x.rs"),
        ] {
            assert_eq!(claimed_path(cwd, written).as_deref(), Some(path), "{written}");
        }
        assert_eq!(claimed_path(None, "x.rs"), None);
        assert_eq!(claimed_path(cwd, ""), None);
    }
}
