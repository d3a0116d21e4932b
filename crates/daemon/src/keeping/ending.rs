//! Ends sessions that will not say goodbye any more: agents crash, machines are switched off, and what was taken in from old files
//! may have no end. Their end is an event like any other, so that outcomes and learnings come of it, and come again when the
//! tables are made anew.

use model::{Context, Envelope, EventId, MemoryId, Millis};
use serde_json::json;
use store::{SessionFilter, SessionRow, StoreError};

use super::{Keeping, is_forgotten};
use crate::backfill::OVER;
use crate::intake::now;
use crate::process;

/// Sessions ended in one go; the next look ends more.
const MOST: usize = 200;

impl Keeping {
    pub(super) fn end_silent_sessions(&self) -> Result<(), StoreError> {
        if client::pause::is_paused(&self.intake.place) {
            return Ok(());
        }
        let long_ago = now().saturating_sub(OVER.as_millis() as u64);
        let tables = self.tables()?;
        let live = tables.sessions(&SessionFilter { live: true, ..SessionFilter::default() })?;
        let mut ends = Vec::new();
        for session in live.iter().filter(|session| is_silent(session, long_ago)).take(MOST) {
            if !is_forgotten(&tables, &session.id)? {
                ends.push(end_of(session));
            }
        }
        if !ends.is_empty() {
            self.intake.take_past(ends, &mut false)?;
        }
        Ok(())
    }
}

fn is_silent(session: &SessionRow, long_ago: Millis) -> bool {
    let runs = session.pid.is_some_and(|pid| process::is_running(pid, session.pid_began.as_deref()));
    session.last_seen_at < long_ago && !runs && agents::by_name(&session.agent).is_some()
}

/// The same for the same last sign of life, however often it is looked for.
fn end_of(session: &SessionRow) -> Envelope {
    let at = session.last_seen_at;
    let name = MemoryId::of(&["silent session", &session.agent, session.id.as_str(), &at.to_string()]);
    let mut random = [0; 10];
    random[2..].copy_from_slice(&name.as_u64().to_be_bytes());
    let mut body =
        json!({ "session_id": session.id.as_str(), "hook_event_name": "SessionEnd", "reason": "other" });
    if let Some(cwd) = &session.cwd {
        body["cwd"] = json!(cwd);
    }
    // What was written there after its last event is kept with its end.
    if let Some(transcript) = &session.transcript {
        body["transcript_path"] = json!(transcript);
    }
    Envelope {
        id: EventId::mint(at, random),
        at,
        agent: session.agent.clone(),
        hint: None,
        context: Context::default(),
        body: body.to_string().into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use model::SessionId;

    use super::*;

    fn session(last_seen_at: Millis) -> SessionRow {
        SessionRow {
            id: SessionId::new("s"),
            agent: "codex".to_owned(),
            workspace: None,
            project: None,
            branch: None,
            cwd: Some("/w".to_owned()),
            source: None,
            model: None,
            started_at: 1,
            last_seen_at,
            ended_at: None,
            end_reason: None,
            prompts: 1,
            events: 1,
            tools: 0,
            attended: None,
            pid: None,
            transcript: None,
            pid_began: None,
            project_key: None,
        }
    }

    #[test]
    fn a_silent_session_ends_with_its_last_sign_of_life_and_one_whose_process_runs_does_not() {
        assert!(is_silent(&session(5), 10));
        assert!(!is_silent(&session(10), 10));
        let own = SessionRow { pid: Some(std::process::id()), ..session(5) };
        assert!(!is_silent(&own, 10));
        let stranger = SessionRow { agent: "somebody-else".to_owned(), ..session(5) };
        assert!(!is_silent(&stranger, 10));
    }

    #[test]
    fn its_end_is_read_by_its_agent_and_always_the_same() {
        let end = end_of(&session(1_800_000_000_000));
        assert_eq!(end, end_of(&session(1_800_000_000_000)));
        assert_ne!(end.id, end_of(&session(1_800_000_000_001)).id);
        let adapter = agents::by_name(&end.agent).unwrap();
        let event = adapter.read(&agents::Incoming {
            id: end.id,
            at: end.at,
            hint: None,
            context: &end.context,
            json: &end.body,
        });
        assert_eq!(event.kind, model::EventKind::SessionEnd);
        assert_eq!((event.session.as_str(), event.cwd.as_deref()), ("s", Some("/w")));
    }
}
