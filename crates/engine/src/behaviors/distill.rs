//! Turns what happened into observations, a turn at a time, with no model and no network. Decides nothing about
//! who will read them.

use model::{Author, Detail, Event, EventKind, Memory, MemoryId, MemoryKind, SessionId};
use store::{Batch, TurnRow};

use crate::behavior::Behavior;
use crate::{Result, coordination, deeds, memory};

/// A turn that never ends is distilled in pieces of this many steps.
const MAX_STEPS: u64 = 400;
/// Names of what is carried from event to event of a session.
pub(super) const STATE: &str = "distill";
const TURN: &str = "turn";
/// The position up to which the session's turns are distilled.
const DONE: &str = "distilled-to";
/// Where the summary of the last turn waits for whoever keeps summaries.
pub(super) const DRAFT: &str = "summary-draft";
/// Where words of the last turn's summary come from that are somebody else's, as a list of marks.
pub(super) const HEARD: &str = "turn-heard";
/// Subagents that have worked and heard nothing from outside: what they report is of the workspace.
const UNTOUCHED: &str = "untouched-agents";
/// Reports come soon after the work; of a session with more subagents the oldest are forgotten.
const MAX_UNTOUCHED: usize = 64;
/// Agents whose turns wait until what they answered may be seen.
const SEALED: &str = "sealed-turns";
/// The prompt is kept with the turn for a distiller that comes later.
const MAX_PROMPT: usize = 4000;

#[derive(Debug)]
pub(crate) struct Distill;

impl Behavior for Distill {
    fn name(&self) -> &'static str {
        "distill"
    }

    fn manual(&self) -> &'static str {
        "When a turn ends, turns its tool calls and words into a few observations: what was fixed, built, changed, \
         found out, decided, and what failed, each with its files, facts and the events that show it. Needs no \
         model; where one is configured (`distill.provider`), it improves on them later, in the background."
    }

    fn on(&self) -> &'static [EventKind] {
        use EventKind::{
            PostToolUse, PostToolUseFailure, PreCompact, SessionEnd, SessionStart, Stop, StopFailure,
            SubagentStop, UserPromptSubmit,
        };
        &[
            SessionStart,
            UserPromptSubmit,
            PostToolUse,
            PostToolUseFailure,
            Stop,
            StopFailure,
            PreCompact,
            SubagentStop,
            SessionEnd,
        ]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        // Turns change what is carried to the next one: learning one twice would not give the same again.
        let done = batch.state(&event.session, DONE)?.and_then(|seq| seq.parse::<u64>().ok());
        if done.is_some_and(|done| batch.position() <= done) {
            return Ok(());
        }
        unseal(batch, event)?;
        let bare = coordination::without_line(batch, event)?;
        let event = bare.as_ref().unwrap_or(event);
        let subagent = event.subagent.as_ref().map(|agent| agent.id.as_str());
        match (&event.kind, &event.detail) {
            (EventKind::UserPromptSubmit, Detail::Prompt { text, author: Author::Person }) => {
                // A turn the person interrupted has no Stop.
                end_turn(batch, event, None, None)?;
                let turn = Begun { first: batch.position(), prompt: memory::cut(text, MAX_PROMPT) };
                batch.set_state(&event.session, TURN, &turn.to_json(), event.at)?;
                push_step(batch, event, None)?;
            }
            (EventKind::PostToolUse, Detail::Tool(_)) if coordination::hands_over_sealed(batch, event)? => {}
            (EventKind::PostToolUse | EventKind::PostToolUseFailure, Detail::Tool(_)) => {
                push_step(batch, event, subagent)?;
                if batch.count_steps(&event.session, subagent)? >= MAX_STEPS {
                    end_turn(batch, event, subagent, None)?;
                }
            }
            (EventKind::Stop | EventKind::SubagentStop, Detail::Stop { last_message, .. }) => {
                push_step(batch, event, subagent)?;
                if let Some(agent) = subagent
                    && coordination::is_sealed(batch, &event.session, agent)?
                {
                    return seal(batch, event, agent);
                }
                end_turn(batch, event, subagent, last_message.as_deref())?;
            }
            (EventKind::StopFailure | EventKind::PreCompact | EventKind::SessionEnd, _) => {
                end_turn(batch, event, None, None)?;
            }
            _ => {}
        }
        Ok(())
    }
}

fn push_step(batch: &mut Batch<'_>, event: &Event, subagent: Option<&str>) -> Result<()> {
    if let Some(step) = distill::step(event) {
        let json = serde_json::to_string(&step).expect("a step is plain data");
        batch.push_step(batch.position(), &event.session, subagent, event.at, &json)?;
    }
    Ok(())
}

/// An agent whose answer nobody may see yet: nothing is made of its turn before what came of its pattern is known.
fn seal(batch: &mut Batch<'_>, event: &Event, agent: &str) -> Result<()> {
    let mut waiting = agents(batch, &event.session, SEALED)?;
    if !waiting.iter().any(|other| other == agent) {
        waiting.push(agent.to_owned());
        let json = serde_json::to_string(&waiting).expect("a list is plain data");
        batch.set_state(&event.session, SEALED, &json, event.at)?;
    }
    Ok(())
}

/// A list of subagents that is carried from event to event.
fn agents(batch: &Batch<'_>, session: &SessionId, name: &str) -> Result<Vec<String>> {
    let json = batch.state(session, name)?;
    Ok(json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default())
}

/// Distills the turns that waited for what is known now.
fn unseal(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    let waiting = agents(batch, &event.session, SEALED)?;
    let mut left = Vec::new();
    for agent in &waiting {
        if coordination::is_sealed(batch, &event.session, agent)? {
            left.push(agent);
        } else {
            end_turn(batch, event, Some(agent), None)?;
        }
    }
    if left.len() < waiting.len() {
        let json = serde_json::to_string(&left).expect("a list is plain data");
        batch.set_state(&event.session, SEALED, &json, event.at)?;
    }
    Ok(())
}

/// Distills what waits of a session whose agent will not end the turn any more.
pub fn end_stale_turn(batch: &mut Batch<'_>, session: &SessionId, subagent: Option<&str>) -> Result<()> {
    let Some(last) = batch.steps(session, subagent)?.pop() else { return Ok(()) };
    let Some(known) = batch.event_place(last.seq)? else {
        batch.drop_steps(session, subagent)?;
        return Ok(());
    };
    let event = Event {
        id: known.id,
        at: last.at,
        agent: "",
        session: session.clone(),
        kind: EventKind::Stop,
        name: String::new(),
        cwd: None,
        transcript: None,
        prompt_id: None,
        permission_mode: None,
        subagent: None,
        context: known.context,
        detail: Detail::Plain,
    };
    batch.set_position(last.seq);
    end_turn(batch, &event, subagent, None)
}

fn end_turn(
    batch: &mut Batch<'_>,
    event: &Event,
    subagent: Option<&str>,
    last_message: Option<&str>,
) -> Result<()> {
    let session = &event.session;
    let rows = batch.steps(session, subagent)?;
    if rows.is_empty() && last_message.is_none() {
        return Ok(());
    }
    let begun = batch.state(session, TURN)?.and_then(|json| Begun::from_json(&json));
    // A step of an older version that cannot be read any more is one step less.
    let mut steps: Vec<distill::Step> =
        rows.iter().filter_map(|row| serde_json::from_str(&row.step).ok()).collect();
    let mut untouched = agents(batch, session, UNTOUCHED)?;
    for step in &mut steps {
        if step.reporter().is_some_and(|agent| untouched.iter().any(|known| known == agent)) {
            step.vouch();
        }
    }
    let name = subagent.map_or_else(|| STATE.to_owned(), |agent| format!("{STATE}:{agent}"));
    let mut state: distill::State =
        batch.state(session, &name)?.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    if subagent.is_some() {
        let sender = batch.state(session, STATE)?.and_then(|json| serde_json::from_str(&json).ok());
        let heard: Vec<distill::Step> = batch
            .steps(session, None)?
            .iter()
            .filter_map(|row| serde_json::from_str(&row.step).ok())
            .collect();
        state.is_sent_by(&sender.unwrap_or_default(), &heard);
    }
    let prompt = begun.as_ref().filter(|_| subagent.is_none()).map(|turn| turn.prompt.as_str());
    let said = if subagent.is_none() { model::Said::in_turn(&event.context) } else { Vec::new() };
    let turn = distill::Turn {
        prompt,
        steps: &steps,
        last_message,
        said: &said,
        ended_by: Some(event.id),
        ended_at: event.at,
    };
    let distilled = distill::turn(&mut state, &turn);

    let pattern =
        memory::of_event(event, MemoryKind::Change, MemoryId::from_u64(0), String::new(), String::new());
    let memories: Vec<Memory> = distilled.observations.iter().map(|seen| as_memory(&pattern, seen)).collect();
    for memory in &memories {
        memory::keep(batch, memory)?;
        crate::life::retire(batch, memory)?;
        crate::life::resolve(batch, memory)?;
    }
    for older in &distilled.overtaken {
        if let Some(newer) = memories.get(older.by) {
            crate::life::overtake(batch, older, newer)?;
        }
    }
    crate::life::settle(batch, session, &distilled.over)?;
    if let Some(agent) = subagent {
        let worked = steps.iter().any(|step| step.reporter().is_none());
        untouched.retain(|known| known != agent);
        if worked && !state.has_heard_outside() {
            untouched.push(agent.to_owned());
        }
        let surplus = untouched.len().saturating_sub(MAX_UNTOUCHED);
        let json = serde_json::to_string(&untouched[surplus..]).expect("a list is plain data");
        batch.set_state(session, UNTOUCHED, &json, event.at)?;
    } else {
        let heard = serde_json::to_string(&distilled.outside).expect("a list is plain data");
        batch.set_state(session, HEARD, &heard, event.at)?;
    }
    if let Some(summary) = distilled.summary.filter(|_| subagent.is_none()) {
        let json = serde_json::to_string(&summary).expect("a summary is plain data");
        batch.set_state(session, DRAFT, &json, event.at)?;
    }
    let json = serde_json::to_string(&state).expect("a state is plain data");
    batch.set_state(session, &name, &json, event.at)?;
    batch.drop_steps(session, subagent)?;
    batch.set_state(session, DONE, &batch.position().to_string(), event.at)?;
    batch.put_turn(&TurnRow {
        first_seq: begun.as_ref().map_or(0, |turn| turn.first).max(rows.first().map_or(0, |row| row.seq)),
        last_seq: batch.position(),
        session: session.clone(),
        at: event.at,
        prompt: prompt.map(str::to_owned),
        calls: rows.len() as u64,
        attempts: 0,
    })?;
    Ok(())
}

fn as_memory(pattern: &Memory, seen: &model::Observation) -> Memory {
    let first = seen.events.first().map(ToString::to_string).unwrap_or_default();
    let id = MemoryId::of(&["observation", &first, seen.kind.name(), &seen.title]);
    deeds::observed(pattern, id, distill::NAME, seen)
}

/// A turn as far as its prompt.
struct Begun {
    first: u64,
    prompt: String,
}

impl Begun {
    fn to_json(&self) -> String {
        serde_json::json!({ "first": self.first, "prompt": self.prompt }).to_string()
    }

    fn from_json(json: &str) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_str(json).ok()?;
        Some(Self { first: value["first"].as_u64()?, prompt: value["prompt"].as_str()?.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use model::{MemoryKind, Outcome, ToolCall};
    use serde_json::json;
    use store::{MemoryFilter, Tables};

    use super::*;
    use crate::behaviors::tests::event;
    use crate::behaviors::{ExtractLearnings, RegisterSession, Summarize};

    fn call(name: &str, input: serde_json::Value, outcome: Outcome) -> Event {
        let kind = match outcome {
            Outcome::Failed { .. } => EventKind::PostToolUseFailure,
            _ => EventKind::PostToolUse,
        };
        event(kind, Detail::Tool(ToolCall { name: name.into(), use_id: None, input, outcome }))
    }

    fn passed(response: serde_json::Value) -> Outcome {
        Outcome::Succeeded { response, duration_ms: None }
    }

    /// A failing test, an edit, the same test passing.
    fn story() -> Vec<Event> {
        let test = json!({ "command": "cargo test -p shop token_is_refreshed" });
        let error = "Exit code 101\ntest token_is_refreshed ... FAILED\nthread 'token_is_refreshed' panicked at \
             src/token.rs:41:9:\nassertion `left == right` failed\n  left: Expired\n right: Fresh\n\ntest result: \
             FAILED. 0 passed; 1 failed";
        let patch = json!([{ "oldStart": 40, "oldLines": 1, "newStart": 40, "newLines": 1,
            "lines": ["-    if now > expires {", "+    if now + SKEW >= expires {"] }]);
        let ended = "The refresh failed because the clock skew was not subtracted from the expiry. I fixed \
             refresh_token in src/token.rs; the test passes now.";
        vec![
            event(
                EventKind::UserPromptSubmit,
                Detail::Prompt { text: "why does the token refresh fail?".into(), author: Author::Person },
            ),
            call(
                "Bash",
                test.clone(),
                Outcome::Failed { error: error.into(), interrupted: false, duration_ms: None },
            ),
            call("Read", json!({ "file_path": "/w/src/token.rs" }), passed(json!({ "type": "text" }))),
            call(
                "Edit",
                json!({ "file_path": "/w/src/token.rs", "old_string": "    if now > expires {",
                        "new_string": "    if now + SKEW >= expires {" }),
                passed(json!({ "filePath": "/w/src/token.rs", "structuredPatch": patch })),
            ),
            call(
                "Bash",
                test,
                passed(
                    json!({ "stdout": "test token_is_refreshed ... ok\n\ntest result: ok. 1 passed; 0 failed",
                               "stderr": "", "interrupted": false }),
                ),
            ),
            event(EventKind::Stop, Detail::Stop { again: false, last_message: Some(ended.into()) }),
            event(EventKind::SessionEnd, Detail::End { reason: "exit".into() }),
        ]
    }

    fn learn(tables: &mut Tables, events: &[Event], from: usize) {
        for (at, event) in events.iter().enumerate() {
            let behaviors: [&dyn Behavior; 4] = [&RegisterSession, &Distill, &Summarize, &ExtractLearnings];
            tables
                .write(|batch| {
                    batch.set_position((from + at) as u64 + 1);
                    for behavior in behaviors.into_iter().filter(|one| one.on().contains(&event.kind)) {
                        behavior
                            .learn(batch, event)
                            .map_err(|error| error.into_store().expect("only the store fails"))?;
                    }
                    Ok(())
                })
                .unwrap();
        }
    }

    #[test]
    fn a_turn_becomes_an_observation_and_a_summary_with_their_evidence_and_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let events = story();
        learn(&mut tables, &events, 0);
        let kept = tables.memories(&MemoryFilter::default()).unwrap();
        let fix = kept.iter().find(|row| row.memory.kind == MemoryKind::Bugfix).expect("a fix was observed");
        assert!(fix.memory.files_modified.iter().any(|file| file.ends_with("src/token.rs")), "{fix:?}");
        assert!(fix.memory.provenance.events.iter().all(|id| events.iter().any(|event| event.id == *id)));
        assert!(!fix.memory.provenance.events.is_empty());
        let summary = &tables.summaries(None, 0).unwrap()[0].summary;
        assert!(summary.request.contains("token refresh fail"), "{summary:?}");
        assert!(kept.iter().all(|row| row.tokens > 0));
        let turns = tables.waiting_turns(10).unwrap();
        assert_eq!(turns.len(), 1, "one turn waits for a model");

        let before: Vec<_> = kept.iter().map(|row| row.memory.id).collect();
        learn(&mut tables, &events, 0);
        let after: Vec<_> =
            tables.memories(&MemoryFilter::default()).unwrap().iter().map(|row| row.memory.id).collect();
        assert_eq!(before, after);
    }

    #[test]
    fn a_fix_in_a_later_turn_stands_before_the_failure_it_resolved() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let mut events = story();
        let stop = Detail::Stop { again: false, last_message: Some("It fails; I have no idea why.".into()) };
        events.insert(2, event(EventKind::Stop, stop));
        let go_on = Detail::Prompt { text: "then find the reason and fix it".into(), author: Author::Person };
        events.insert(3, event(EventKind::UserPromptSubmit, go_on));
        learn(&mut tables, &events, 0);
        let kept = tables.memories(&MemoryFilter::default()).unwrap();
        let of = |kind| kept.iter().find(|row| row.memory.kind == kind).expect("it was observed");
        assert_eq!(of(MemoryKind::Failure).superseded_by, Some(of(MemoryKind::Bugfix).memory.id));
    }

    fn prompt(text: &str) -> Event {
        event(EventKind::UserPromptSubmit, Detail::Prompt { text: text.into(), author: Author::Person })
    }

    fn stop(text: &str) -> Event {
        event(EventKind::Stop, Detail::Stop { again: false, last_message: Some(text.into()) })
    }

    fn edit(old: &str, new: &str) -> Event {
        let file = "/w/src/token.rs";
        let patch = json!([{ "oldStart": 40, "oldLines": 1, "newStart": 40, "newLines": 1,
            "lines": [format!("-{old}"), format!("+{new}")] }]);
        let input = json!({ "file_path": file, "old_string": old, "new_string": new });
        call("Edit", input, passed(json!({ "filePath": file, "structuredPatch": patch })))
    }

    fn bash(command: &str, said: &str) -> Event {
        let response = json!({ "stdout": said, "stderr": "", "interrupted": false });
        call("Bash", json!({ "command": command }), passed(response))
    }

    #[test]
    fn work_that_was_taken_back_stands_behind_what_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let (old, new) = ("    if now > expires {", "    if now >= expires {");
        let events = [
            prompt("fix the token refresh"),
            edit(old, new),
            stop("Fixed refresh_token in src/token.rs."),
            prompt("that was not it"),
            edit(new, old),
            stop("I put src/token.rs back as it was."),
        ];
        learn(&mut tables, &events, 0);
        let kept = tables.memories(&MemoryFilter::default()).unwrap();
        let given_up = kept.iter().find(|row| row.memory.title.starts_with(distill::GIVEN_UP)).unwrap();
        let work = kept.iter().find(|row| row.memory.kind == MemoryKind::Bugfix).unwrap();
        assert_eq!(work.superseded_by, Some(given_up.memory.id), "{kept:#?}");
    }

    #[test]
    fn work_whose_lines_a_later_turn_replaced_stands_behind_that_turn() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let events = [
            prompt("make the token live longer"),
            edit("    let life = minutes(5);", "    let life = minutes(60).with_jitter();"),
            stop("Changed refresh_token in src/token.rs: a token lives for an hour."),
            prompt("no, a day"),
            edit("    let life = minutes(60).with_jitter();", "    let life = hours_of(24).rounded();"),
            stop("Changed refresh_token in src/token.rs: a token lives for a day."),
        ];
        learn(&mut tables, &events, 0);
        let kept = tables.memories(&MemoryFilter::default()).unwrap();
        let is_work = |row: &&store::MemoryRow| row.memory.kind.is_observation();
        let tells = |row: &&store::MemoryRow, word: &str| {
            row.memory.title.contains(word) || row.memory.text.contains(word)
        };
        let find = |word: &str| kept.iter().filter(is_work).find(|row| tells(row, word)).unwrap();
        let (hour, day) = (find("for an hour"), find("for a day"));
        assert_eq!(hour.superseded_by, Some(day.memory.id), "{kept:#?}");
        assert_eq!(day.superseded_by, None);
        let summaries = kept.iter().filter(|row| row.memory.kind == MemoryKind::Summary);
        let standing: Vec<_> = summaries.filter(|row| row.superseded_by.is_none()).collect();
        assert!(standing.iter().all(|row| !row.memory.text.contains("for an hour")), "{standing:#?}");
    }

    #[test]
    fn a_changed_line_of_a_plan_leaves_the_memory_that_told_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let file = "/w/docs/plans/lease.md";
        let (old, new) = (
            "- The timer of the lease lives in each worker.",
            "- The timer of the lease lives in the daemon.",
        );
        let made = format!("# Leases\n\n## Decisions\n{old}\n- A lease holds for ninety seconds at most.\n");
        let input = json!({ "file_path": file, "content": made });
        let patch = json!([{ "oldStart": 3, "oldLines": 2, "newStart": 3, "newLines": 2,
            "lines": [" ## Decisions".to_owned(), format!("-{old}"), format!("+{new}")] }]);
        let change = json!({ "file_path": file, "old_string": old, "new_string": new });
        let events = [
            prompt("write a plan for leases"),
            call("Write", input, passed(json!({ "type": "create", "filePath": file }))),
            stop("The plan is in docs/plans/lease.md."),
            prompt("the timer belongs into the daemon"),
            call("Edit", change, passed(json!({ "filePath": file, "structuredPatch": patch }))),
            stop("I changed it in docs/plans/lease.md."),
        ];
        learn(&mut tables, &events, 0);
        let kept = tables.memories(&MemoryFilter::default()).unwrap();
        let tells = |words: &str| {
            let told = kept.iter().filter(|row| row.superseded_by.is_none());
            told.flat_map(|row| &row.memory.facts).filter(|fact| fact.starts_with(words)).count()
        };
        assert_eq!(tells("The timer of the lease lives in each worker"), 0, "{kept:#?}");
        assert_eq!(tells("The timer of the lease lives in the daemon"), 1, "{kept:#?}");
    }

    #[test]
    fn a_reverted_commit_stands_behind_the_one_that_reverts_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let subject = "token: compare with the skew";
        let mut events = vec![
            prompt("fix the token refresh"),
            edit("    if now > expires {", "    if now + SKEW > expires {"),
            bash(&format!("git commit -am '{subject}'"), &format!("[main 1a2b3c4] {subject}")),
            stop("Done."),
        ];
        let mut later = vec![
            prompt("revert the commit about the skew"),
            bash("git revert --no-edit 1a2b3c4", &format!("[main 9f8e7d6] Revert \"{subject}\"")),
            stop("Reverted."),
        ];
        for event in &mut later {
            event.session = SessionId::new("session-2");
        }
        events.append(&mut later);
        learn(&mut tables, &events, 0);
        let kept = tables.memories(&MemoryFilter::default()).unwrap();
        let work = kept.iter().find(|row| row.memory.title.to_lowercase() == subject).unwrap();
        assert!(work.superseded_by.is_some(), "{kept:#?}");
    }

    #[test]
    fn a_failure_that_went_away_quietly_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let mut events = story();
        let green = events.remove(4);
        events.truncate(2);
        events.extend([stop("It fails."), prompt("and now?"), green, stop("It passes.")]);
        learn(&mut tables, &events[..3], 0);
        let failures = |tables: &Tables| {
            let kept = tables.memories(&MemoryFilter::default()).unwrap();
            kept.iter().filter(|row| row.memory.kind == MemoryKind::Failure).count()
        };
        assert_eq!(failures(&tables), 1);
        learn(&mut tables, &events[3..], 3);
        assert_eq!(failures(&tables), 0);
    }

    #[test]
    fn a_project_has_one_how_to_that_sessions_renew() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let mut from = 0;
        for (session, command) in [("one", "just test"), ("two", "just lint"), ("two", "just lint")] {
            let end = event(EventKind::SessionEnd, Detail::End { reason: "exit".into() });
            let mut events = [prompt("check it"), bash(command, "ok"), stop("It is fine."), end];
            for event in &mut events {
                event.session = SessionId::new(session);
                event.context.insert("project".into(), "shop".into());
            }
            learn(&mut tables, &events, from);
            from += events.len();
        }
        let kept = tables.memories(&MemoryFilter::default()).unwrap();
        let how_to: Vec<_> = kept.iter().filter(|row| row.memory.title == distill::HOW_TO).collect();
        assert_eq!(how_to.len(), 1, "{how_to:#?}");
        let text = &how_to[0].memory.text;
        assert!(text.contains("test: `just test`") && text.contains("lint: `just lint`"), "{text}");
    }

    #[test]
    fn of_a_sealed_vote_nothing_is_kept_before_the_verdict_and_never_its_line() {
        use crate::behaviors::brief_subagent::tests::Story;
        let mut story = Story::new();
        let mut position = 0;
        let mut hear = |story: &mut Story, event: &Event| {
            story.learn(event);
            position += 1;
            learn(&mut story.tables, std::slice::from_ref(event), position);
        };
        let kept = |story: &Story| format!("{:?}", story.tables.memories(&MemoryFilter::default()).unwrap());
        let prompt = |n: u32| format!("[pattern:jury id=review n={n} of=2] Is it right?");
        for n in 1..=2 {
            story.call(&format!("c{n}"), &prompt(n));
            story.start(&format!("a{n}"));
            let said = format!(
                "The parser in src/parser.rs drops FROBNICATE{n} because the table is read twice.\n\
                 {{\"vote\":\"reject\",\"why\":\"WHY{n} is lost when the table is read twice\"}}"
            );
            let detail = Detail::Stop { again: false, last_message: Some(said.clone()) };
            let stopped = story.event(EventKind::SubagentStop, Some(&format!("a{n}")), detail);
            hear(&mut story, &stopped);
            assert!(!kept(&story).contains("FROBNICATE"), "{}", kept(&story));
            let response = json!({ "status": "completed", "agentId": format!("a{n}"),
                "content": [{ "type": "text", "text": said }] });
            let answered = story.tool(EventKind::PostToolUse, &format!("c{n}"), &prompt(n), passed(response));
            hear(&mut story, &answered);
            if n == 1 {
                let stop = Detail::Stop { again: false, last_message: Some("Waiting.".into()) };
                let stop = story.event(EventKind::Stop, None, stop);
                hear(&mut story, &stop);
                assert!(!kept(&story).contains("FROBNICATE"), "{}", kept(&story));
            }
        }
        let stop = Detail::Stop { again: false, last_message: Some("Rejected.".into()) };
        let stop = story.event(EventKind::Stop, None, stop);
        hear(&mut story, &stop);
        let kept = kept(&story);
        assert!(kept.contains("FROBNICATE1") && kept.contains("FROBNICATE2"), "{kept}");
        assert!(!kept.contains("WHY1") && !kept.contains("vote"), "{kept}");
    }
}
