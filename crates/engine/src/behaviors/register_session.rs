//! Knows which sessions there are and says who else is at work here. Holds nobody up.

use std::path::Path;

use model::{Advice, Detail, Event, EventKind, Item, Millis, Note, WorkspaceKey};
use store::{Batch, ClaimFilter, ClaimRow, PeerRow, SessionTouch};

use super::claim_files::{LEASE, line_words};
use crate::Result;
use crate::behavior::{Behavior, Context, Learned, Workspace};
use crate::page::one_line;
use crate::presence::{LONGEST, Process, QUIET, is_at_work, latest_of_each};

/// More peers than this are a crowd: the count says enough.
const MAX_NAMED: usize = 5;
/// Files of one peer that are named.
const MAX_FILES: usize = 3;
const GOAL_CHARS: usize = 120;
/// One that lives and was silent for longer is not named: nobody is at its keyboard.
const NAMED: Millis = 6 * QUIET;

#[derive(Debug)]
pub(crate) struct RegisterSession;

impl Behavior for RegisterSession {
    fn name(&self) -> &'static str {
        "register-session"
    }

    fn manual(&self) -> &'static str {
        "Keeps each session under the agent's own id with its project, workspace, branch, model, process, last sign of \
         life and end; also while it is off, because others rest on it. A session is at work while its process lives or, where that is not known, while its hooks were heard within a \
         quarter of an hour. When a session starts, says which others are at work in the same repository, on which branch \
         and in which worktree, what they were asked and which files they hold; says nothing when there are none."
    }

    fn on(&self) -> &'static [EventKind] {
        ALL_KINDS
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        kind == EventKind::SessionStart
    }

    fn waits_for(&self, _event: &Event) -> Learned {
        // A session that has ended a moment ago is not at work.
        Learned::Before
    }

    fn learns_always(&self) -> bool {
        // Which sessions there are, and which of them are over, everybody asks.
        true
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Some(workspace) = &cx.workspace else { return Ok(Advice::silent()) };
        let peers = peers(cx, event, workspace)?;
        let here = (!peers.is_empty()).then(|| introduce(cx.now, workspace, &peers));
        let said: Vec<String> = here.into_iter().chain(super::elsewhere::sessions(cx)?).collect();
        if said.is_empty() {
            return Ok(Advice::silent());
        }
        let items =
            peers.iter().map(|peer| Item::of_session(&peer.row.session.id, "it is at work here")).collect();
        let note = Note { from: self.name(), text: said.join("\n"), items };
        Ok(Advice { notes: vec![note], ..Advice::silent() })
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        // Commands of an agent's program, such as one that installs a plugin, end a session that never was.
        if event.kind == EventKind::SessionEnd && !batch.knows_session(&event.session)? {
            return Ok(());
        }
        let said = |key: &str| event.context.get(key).cloned();
        let workspace = said("workspace").map(WorkspaceKey::from_hex);
        if let (Some(key), Some(root)) = (&workspace, said("root")) {
            batch.upsert_workspace(key, &root, said("project").as_deref(), event.at)?;
        }
        if let (Some(key), Some(name)) = (said("project-key"), said("project")) {
            batch.upsert_project(&key, &name, said("first-commit").as_deref())?;
            if let Some(workspace) = &workspace {
                batch.place_workspace(workspace, &key)?;
            }
        }
        let (source, model) = match &event.detail {
            Detail::Start { source, model } => (Some(source.name().to_owned()), model.clone()),
            _ => (None, None),
        };
        batch.touch_session(&SessionTouch {
            workspace,
            project: said("project"),
            branch: said("branch"),
            cwd: event.cwd.clone(),
            source,
            model,
            attended: said("CLAUDE_CODE_SESSION_ATTENDED").map(|flag| flag == "1"),
            pid: said("CLAUDE_PID").and_then(|pid| pid.parse().ok()),
            pid_began: said("pid-began"),
            project_key: said("project-key"),
            transcript: event.transcript.clone(),
            heard: said("past").is_none(),
            ..SessionTouch::new(event.session.clone(), event.agent, event.at)
        })?;
        if event.kind == EventKind::SessionEnd {
            super::complete_session::end(batch, event)?;
        }
        Ok(())
    }
}

const ALL_KINDS: &[EventKind] = EventKind::ALL;

/// Somebody else at work in the same repository, and what it holds.
struct Peer {
    row: PeerRow,
    claims: Vec<ClaimRow>,
}

fn peers(cx: &Context, event: &Event, workspace: &Workspace) -> Result<Vec<Peer>> {
    let since = cx.now.saturating_sub(LONGEST);
    let mut rows = cx.read(|tables| Ok(tables.live_sessions(Some(&workspace.project_key), since)?))?;
    let own = Process::of(event);
    let is_running = |pid: u32, began: Option<&str>| cx.around.is_running(pid, began);
    rows.retain(|row| {
        let process = Process::of_session(&row.session);
        // The conversation this very program had before has no end of its own in every agent.
        let is_own = own.zip(process).is_some_and(|(own, other)| own.is(other));
        row.session.id != event.session
            && !is_own
            && cx.now.saturating_sub(row.session.last_seen_at) < NAMED
            && is_at_work(cx.now, process, row.session.last_seen_at, &is_running)
    });
    latest_of_each(&mut rows, |row| &row.session);
    cx.read(|tables| {
        let mut peers = Vec::new();
        for (at, row) in rows.into_iter().enumerate() {
            let filter = ClaimFilter {
                session: Some(&row.session.id),
                since: cx.now.saturating_sub(LEASE),
                until: cx.now.saturating_add(LEASE),
                ..ClaimFilter::default()
            };
            let claims = if at < MAX_NAMED { tables.claims(&filter)? } else { Vec::new() };
            peers.push(Peer { row, claims });
        }
        Ok(peers)
    })
}

fn introduce(now: Millis, here: &Workspace, peers: &[Peer]) -> String {
    let is_here = |peer: &Peer| peer.row.session.workspace.as_ref() == Some(&here.key);
    let place = if peers.iter().all(is_here) { "workspace" } else { "repository" };
    let mut text = match peers.len() {
        1 => format!("One other agent session is at work in this {place}."),
        count => format!("{count} other agent sessions are at work in this {place}."),
    };
    for peer in peers.iter().take(MAX_NAMED) {
        // Strangers' words: one that breaks the line would begin one of ours.
        let session = &peer.row.session;
        let id = one_line(&session.id.as_str().chars().take(8).collect::<String>(), 8);
        let agent = one_line(&session.agent, 40);
        let branch = one_line(session.branch.as_deref().unwrap_or("no branch"), 80);
        text.push_str(&format!("\n- session {id} ({agent}) on {branch}"));
        if !is_here(peer) {
            let root = peer.row.root.as_deref().unwrap_or("an unknown folder");
            text.push_str(&format!(" in the worktree {}", one_line(root, 200)));
        }
        text.push_str(&format!(", last seen {}", ago(now, session.last_seen_at)));
        if let Some(goal) = &peer.row.goal {
            text.push_str(&format!("; it works on: \"{}\"", one_line(goal, GOAL_CHARS)));
        }
        text.push_str(&holds(&peer.claims));
    }
    if peers.len() > MAX_NAMED {
        text.push_str(&format!("\n- and {} more", peers.len() - MAX_NAMED));
    }
    text.push_str(
        "\n`throughline message SESSION \"…\"` reaches one; `throughline claims list` shows what they hold.",
    );
    text
}

/// A few files, by their names in the repository.
fn holds(claims: &[ClaimRow]) -> String {
    if claims.is_empty() {
        return String::new();
    }
    let name = |claim: &ClaimRow| {
        let name = claim.relative.as_deref().unwrap_or_else(|| {
            Path::new(&claim.path).file_name().and_then(|name| name.to_str()).unwrap_or(&claim.path)
        });
        let lines = line_words(&claim.lines).map(|lines| format!(" ({lines})")).unwrap_or_default();
        format!("{}{lines}", one_line(name, 120))
    };
    let named: Vec<String> = claims.iter().take(MAX_FILES).map(name).collect();
    let mut text = format!("; it holds {}", named.join(", "));
    if claims.len() > MAX_FILES {
        text.push_str(&format!(" and {} more", claims.len() - MAX_FILES));
    }
    text
}

fn ago(now: Millis, at: Millis) -> String {
    match now.saturating_sub(at) / 60_000 {
        0 => "just now".to_owned(),
        minutes @ 1..120 => format!("{minutes} min ago"),
        minutes => format!("{} h ago", minutes / 60),
    }
}

#[cfg(test)]
mod tests {
    use model::{Outcome, StartSource, ToolCall};
    use serde_json::json;
    use store::Tables;

    use super::*;
    use crate::behaviors::tests::{context, event, learn_in};
    use crate::behaviors::{ClaimFiles, RecordPrompt};

    fn start(session: &str, at: Millis, pid: u32) -> Event {
        let mut event =
            event(EventKind::SessionStart, Detail::Start { source: StartSource::Startup, model: None });
        event.session = model::SessionId::new(session);
        event.at = at;
        for (key, value) in
            [("workspace", "k1"), ("root", "/w"), ("project", "w"), ("branch", "main"), ("project-key", "p1")]
        {
            event.context.insert(key.into(), value.into());
        }
        event.context.insert("CLAUDE_PID".into(), pid.to_string());
        event
    }

    fn said(path: &Path, is_alive: fn(u32) -> bool, newcomer: &Event) -> Option<String> {
        let cx = Context { now: 1_090_000, ..context(path, is_alive) };
        let advice = RegisterSession.advise(&cx, newcomer).unwrap();
        advice.notes.first().map(|note| note.text.clone())
    }

    #[test]
    fn the_end_of_a_session_that_never_was_makes_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let end = event(EventKind::SessionEnd, Detail::End { reason: "other".into() });
        learn_in(&mut tables, &RegisterSession, &end);
        assert!(tables.sessions(&store::SessionFilter::default()).unwrap().is_empty());
        learn_in(&mut tables, &RegisterSession, &start(end.session.as_str(), 1_000_000, 1));
        learn_in(&mut tables, &RegisterSession, &end);
        assert_eq!(tables.sessions(&store::SessionFilter::default()).unwrap().len(), 1);
    }

    #[test]
    fn a_newcomer_hears_of_living_peers_and_of_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let mut tables = Tables::open(&path).unwrap();
        for (session, pid) in [("alive-1", 1), ("dead-22", 2)] {
            learn_in(&mut tables, &RegisterSession, &start(session, 1_000_000, pid));
        }
        let text = said(&path, |pid| pid == 1, &start("newcomer", 1_090_000, 3)).unwrap();
        assert!(text.contains("session alive-1 (claude-code) on main, last seen 1 min ago"), "{text}");
        assert!(!text.contains("dead-22"));
        assert_eq!(said(&path, |_| false, &start("newcomer", 1_090_000, 3)), None);
        let same = said(&path, |pid| pid == 1, &start("newcomer", 1_090_000, 1));
        assert_eq!(same, None, "the program that cleared its conversation is not its own peer");
    }

    #[test]
    fn a_peer_is_introduced_with_its_goal_its_files_and_its_worktree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let mut tables = Tables::open(&path).unwrap();
        let mut peer = start("peer-one", 1_000_000, 1);
        for (key, value) in [("workspace", "k2"), ("root", "/w-feature"), ("branch", "feature")] {
            peer.context.insert(key.into(), value.into());
        }
        learn_in(&mut tables, &RegisterSession, &peer);
        let text = "Port the parser\nto the new grammar".into();
        let prompt = Detail::Prompt { text, author: model::Author::Person };
        let prompt = Event { detail: prompt, kind: EventKind::UserPromptSubmit, ..peer.clone() };
        learn_in(&mut tables, &RecordPrompt, &prompt);
        let patch = json!([{ "oldStart": 7, "newStart": 7, "lines": ["-a", "+b"] }]);
        for file in ["a.rs", "b.rs", "src/c.rs", "d.rs"] {
            let outcome =
                Outcome::Succeeded { response: json!({ "structuredPatch": patch }), duration_ms: None };
            let input = json!({ "file_path": format!("/w-feature/{file}") });
            let call = ToolCall { name: "Edit".into(), use_id: None, input, outcome };
            let edit = Event { detail: Detail::Tool(call), kind: EventKind::PostToolUse, ..peer.clone() };
            learn_in(&mut tables, &ClaimFiles, &edit);
        }
        let text = said(&path, |_| true, &start("newcomer", 1_090_000, 3)).unwrap();
        assert!(text.starts_with("One other agent session is at work in this repository."), "{text}");
        assert!(text.contains("on feature in the worktree /w-feature, last seen 1 min ago"), "{text}");
        assert!(text.contains("it works on: \"Port the parser to the new grammar\""), "{text}");
        assert!(text.contains("it holds a.rs (line 7), b.rs (line 7), d.rs (line 7) and 1 more"), "{text}");
    }
}
