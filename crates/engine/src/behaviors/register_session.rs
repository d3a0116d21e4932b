//! Knows which sessions there are and says who else is at work here. Holds nobody up.

use model::{Advice, Detail, Event, EventKind, Millis, WorkspaceKey};
use store::{Batch, SessionRow, SessionTouch};

use crate::Result;
use crate::behavior::{Behavior, Context};
use crate::page::one_line;

/// A session that has been silent this long is not counted as at work, whatever its process does.
const QUIET: Millis = 4 * 60 * 60 * 1000;
/// Without a process to ask, only a recent sign of life counts.
const RECENT: Millis = 15 * 60 * 1000;
/// More peers than this are a crowd: the count says enough.
const MAX_NAMED: usize = 5;

#[derive(Debug)]
pub(crate) struct RegisterSession;

impl Behavior for RegisterSession {
    fn name(&self) -> &'static str {
        "register-session"
    }

    fn manual(&self) -> &'static str {
        "Keeps each session under the agent's own id with its project, workspace, branch, model and last sign of \
         life. When a session starts, says which other sessions are at work in the same workspace; says nothing \
         when there are none."
    }

    fn on(&self) -> &'static [EventKind] {
        ALL_KINDS
    }

    fn speaks_on(&self, kind: EventKind) -> bool {
        kind == EventKind::SessionStart
    }

    fn advise(&self, cx: &Context, event: &Event) -> Result<Advice> {
        let Some(workspace) = &cx.workspace else { return Ok(Advice::silent()) };
        let since = cx.now.saturating_sub(QUIET);
        let peers = cx.read(|tables| Ok(tables.peers(&workspace.key, &event.session, since)?))?;
        let peers: Vec<_> =
            peers.into_iter().filter(|peer| is_at_work(cx, peer.pid, peer.last_seen_at)).collect();
        if peers.is_empty() {
            return Ok(Advice::silent());
        }
        Ok(Advice::say(self.name(), introduce(cx.now, &peers)))
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
            transcript: event.transcript.clone(),
            heard: said("past").is_none(),
            ..SessionTouch::new(event.session.clone(), event.agent, event.at)
        })?;
        Ok(())
    }
}

const ALL_KINDS: &[EventKind] = EventKind::ALL;

/// Whether a session that has not ended lives: its process does, or it was heard of a moment ago.
pub(super) fn is_at_work(cx: &Context, pid: Option<u32>, last_seen_at: Millis) -> bool {
    match pid {
        Some(pid) => cx.around.is_alive(pid),
        None => cx.now.saturating_sub(last_seen_at) < RECENT,
    }
}

fn introduce(now: Millis, peers: &[SessionRow]) -> String {
    let mut text = match peers.len() {
        1 => "One other agent session is at work in this workspace.".to_owned(),
        count => format!("{count} other agent sessions are at work in this workspace."),
    };
    for peer in peers.iter().take(MAX_NAMED) {
        // Strangers' words: one that breaks the line would begin one of ours.
        let id = one_line(&peer.id.as_str().chars().take(8).collect::<String>(), 8);
        let agent = one_line(&peer.agent, 40);
        let branch = one_line(peer.branch.as_deref().unwrap_or("no branch"), 80);
        let ago = now.saturating_sub(peer.last_seen_at) / 60_000;
        text.push_str(&format!("\n- session {id} ({agent}) on {branch}, last seen "));
        text.push_str(&if ago == 0 { "just now".to_owned() } else { format!("{ago} min ago") });
    }
    if peers.len() > MAX_NAMED {
        text.push_str(&format!("\n- and {} more", peers.len() - MAX_NAMED));
    }
    text
}

#[cfg(test)]
mod tests {
    use model::StartSource;
    use store::Tables;

    use super::*;
    use crate::behaviors::tests::{event, learn_in};

    fn start(session: &str, at: Millis, pid: u32) -> Event {
        let mut event =
            event(EventKind::SessionStart, Detail::Start { source: StartSource::Startup, model: None });
        event.session = model::SessionId::new(session);
        event.at = at;
        for (key, value) in [("workspace", "k1"), ("root", "/w"), ("project", "w"), ("branch", "main")] {
            event.context.insert(key.into(), value.into());
        }
        event.context.insert("CLAUDE_PID".into(), pid.to_string());
        event
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
        let cx = crate::behaviors::tests::context(&path, |pid| pid == 1);
        let cx = Context { now: 1_090_000, ..cx };
        let advice = RegisterSession.advise(&cx, &start("newcomer", 1_090_000, 3)).unwrap();
        let text = &advice.notes[0].text;
        assert!(text.contains("session alive-1 (claude-code) on main, last seen 1 min ago"), "{text}");
        assert!(!text.contains("dead-22"));
        let alone = Context { now: 1_090_000, ..crate::behaviors::tests::context(&path, |_| false) };
        assert!(RegisterSession.advise(&alone, &start("newcomer", 1_090_000, 3)).unwrap().is_silent());
    }
}
