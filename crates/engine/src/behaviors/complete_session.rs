//! Marks a session as over and says how it ended, as far as its events show it. Its memories outlive it; what a
//! person says of it stands.

use distill::{BrokeOff, Ending, State};
use model::{Detail, Event, EventKind, SessionId};
use store::Batch;

use super::distill::STATE;
use crate::Result;
use crate::behavior::Behavior;

/// Who said it, where a person did not.
const INFERRED: &str = "inferred";

#[derive(Debug)]
pub(crate) struct CompleteSession;

impl Behavior for CompleteSession {
    fn name(&self) -> &'static str {
        "complete-session"
    }

    fn manual(&self) -> &'static str {
        "Marks a session complete with the reason its agent gives (exit, clear, logout, …), and infers how it ended \
         (succeeded, partial+, partial-, failed) from checks, commits, failures left open, a turn that broke off and \
         the person's last words. Where nothing shows it, nothing is said. `throughline outcome` confirms or corrects \
         it; a person's word stands. A session that is resumed later is live again under the same id and judged anew \
         at its next end. Needs `distill` for the outcome."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::SessionEnd]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        end(batch, event)?;
        judge(batch, event)
    }
}

/// Marks a session as over, which is a fact: `register-session` keeps it whether this behavior is on or off.
pub(super) fn end(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    let reason = match &event.detail {
        Detail::End { reason } => reason.as_str(),
        _ => "other",
    };
    batch.end_session(&event.session, event.at, reason)?;
    Ok(())
}

fn judge(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    let session = &event.session;
    let states = batch.states_of_all(session, STATE)?;
    // One that another version wrote, and that cannot be read any more, shows nothing.
    let states: Vec<State> = states.iter().filter_map(|json| serde_json::from_str(json).ok()).collect();
    let prompts = batch.last_prompts(session, 1)?;
    let summaries = batch.last_summaries(session, 1)?;
    let ending = Ending {
        last_prompt: prompts.first().map_or("", |prompt| prompt.text.as_str()),
        next_steps: summaries.first().map_or(&[], |(summary, _)| summary.next_steps.as_slice()),
        broke_off: broke_off(batch, session)?,
    };
    if let Some((outcome, why)) = distill::outcome(&states, &ending) {
        batch.put_outcome(session, outcome, INFERRED, &why, event.at)?;
    }
    Ok(())
}

/// Whether the last prompt was answered to the end.
fn broke_off(batch: &Batch<'_>, session: &SessionId) -> Result<BrokeOff> {
    let last = batch.last_of_each_kind(session)?;
    let seq = |kind: EventKind| last.get(kind.name()).copied().unwrap_or(0);
    let (asked, answered) = (seq(EventKind::UserPromptSubmit), seq(EventKind::Stop));
    let failed = seq(EventKind::StopFailure);
    Ok(if failed > asked.max(answered) {
        BrokeOff::Error
    } else if asked > answered {
        BrokeOff::Interrupted
    } else {
        BrokeOff::No
    })
}

#[cfg(test)]
mod tests {
    use model::{Author, Outcome, SessionOutcome, ToolCall};
    use serde_json::json;
    use store::{EventRow, Location, Tables};

    use super::*;
    use crate::behaviors::tests::event;
    use crate::behaviors::{Distill, RecordPrompt, RegisterSession, Summarize};

    const SESSION: &str = "session-1";

    fn ask(text: &str) -> Event {
        event(EventKind::UserPromptSubmit, Detail::Prompt { text: text.into(), author: Author::Person })
    }

    fn call(name: &str, input: serde_json::Value, outcome: Outcome) -> Event {
        let failed = matches!(outcome, Outcome::Failed { .. });
        let kind = if failed { EventKind::PostToolUseFailure } else { EventKind::PostToolUse };
        event(kind, Detail::Tool(ToolCall { name: name.into(), use_id: None, input, outcome }))
    }

    fn edit() -> Event {
        let input = json!({ "file_path": "/w/src/a.rs", "old_string": "a", "new_string": "b" });
        let patch =
            json!([{ "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"] }]);
        let response = json!({ "filePath": "/w/src/a.rs", "structuredPatch": patch });
        call("Edit", input, Outcome::Succeeded { response, duration_ms: None })
    }

    fn test_run(passes: bool) -> Event {
        let input = json!({ "command": "cargo test" });
        let outcome = if passes {
            let response = json!({ "stdout": "test result: ok. 3 passed; 0 failed", "stderr": "" });
            Outcome::Succeeded { response, duration_ms: None }
        } else {
            let error =
                "Exit code 101\ntest a::b ... FAILED\ntest result: FAILED. 2 passed; 1 failed".to_owned();
            Outcome::Failed { error, interrupted: false, duration_ms: None }
        };
        call("Bash", input, outcome)
    }

    fn stop() -> Event {
        event(EventKind::Stop, Detail::Stop { again: false, last_message: Some("That is it.".into()) })
    }

    fn end() -> Event {
        event(EventKind::SessionEnd, Detail::End { reason: "exit".into() })
    }

    fn learn(tables: &mut Tables, from: u64, events: &[Event]) -> u64 {
        let all: [&dyn Behavior; 5] =
            [&RegisterSession, &RecordPrompt, &Distill, &Summarize, &CompleteSession];
        for (seq, event) in (from + 1..).zip(events) {
            tables
                .write(|batch| {
                    batch.set_position(seq);
                    for behavior in all.into_iter().filter(|one| one.on().contains(&event.kind)) {
                        behavior
                            .learn(batch, event)
                            .map_err(|error| error.into_store().expect("the store"))?;
                    }
                    batch.insert_event(&EventRow {
                        seq,
                        id: event.id,
                        at: event.at,
                        agent: event.agent.to_owned(),
                        session: event.session.clone(),
                        kind: event.kind.name().to_owned(),
                        tool: None,
                        subagent: None,
                        bytes: 1,
                        location: Location { segment: 1, offset: seq },
                    })?;
                    Ok(())
                })
                .unwrap();
        }
        from + events.len() as u64
    }

    fn said(tables: &Tables) -> Option<(SessionOutcome, String, String)> {
        let row = tables.outcome(&SessionId::new(SESSION)).unwrap()?;
        Some((row.outcome, row.said_by, row.why))
    }

    #[test]
    fn an_ended_session_says_how_it_went_and_a_resumed_one_is_judged_anew() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let first = [ask("make it pass"), edit(), test_run(false), stop(), end()];
        let at = learn(&mut tables, 0, &first);
        let (outcome, by, why) = said(&tables).expect("it failed");
        assert_eq!((outcome, by.as_str()), (SessionOutcome::Failed, "inferred"), "{why}");
        assert!(why.contains("`cargo test` still fails"), "{why}");

        let second = [ask("try again"), edit(), test_run(true), stop(), end()];
        learn(&mut tables, at, &second);
        let (outcome, _, why) = said(&tables).unwrap();
        assert_eq!(outcome, SessionOutcome::Succeeded, "{why}");
        learn(&mut tables, at, &second);
        assert_eq!(said(&tables).unwrap().0, SessionOutcome::Succeeded, "learned twice, said once");
    }

    #[test]
    fn what_a_person_says_stands_until_a_person_says_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let at = learn(&mut tables, 0, &[ask("make it pass"), edit(), test_run(true), stop(), end()]);
        let session = SessionId::new(SESSION);
        tables
            .write(|batch| batch.put_outcome(&session, SessionOutcome::Failed, "person", "the wrong file", 9))
            .unwrap();
        learn(&mut tables, at, &[ask("go on"), edit(), test_run(true), stop(), end()]);
        assert_eq!(said(&tables), Some((SessionOutcome::Failed, "person".into(), "the wrong file".into())));
    }

    #[test]
    fn a_session_in_which_nothing_was_done_has_no_outcome() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        learn(&mut tables, 0, &[ask("what is this project about"), stop(), end()]);
        assert_eq!(said(&tables), None);
    }

    #[test]
    fn a_prompt_without_an_answer_is_a_turn_that_broke_off() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let failure = event(EventKind::StopFailure, Detail::StopFailure { error: "overloaded".into() });
        let at = learn(&mut tables, 0, &[ask("make it pass"), edit(), end()]);
        let (outcome, _, why) = said(&tables).unwrap();
        assert_eq!(outcome, SessionOutcome::PartialMinus);
        assert!(why.contains("interrupted"), "{why}");
        learn(&mut tables, at, &[ask("go on"), failure, end()]);
        assert!(said(&tables).unwrap().2.contains("ended with an error"));
    }
}
