//! Counts which memories an agent put to use after it was shown them. Reads only what the agent itself wrote: the last
//! message of a turn and its calls here, the rest of its words as the transcript is archived.

use model::{Detail, Event, EventKind, Millis, SessionId};
use serde_json::Value;
use store::Batch;

use crate::Result;
use crate::behavior::Behavior;
use crate::citing::{self, Citation, Shown};

/// Notes whose lines are known again when an agent repeats them; a session with more has been compacted since.
const MAX_NOTES: usize = 200;

#[derive(Debug)]
pub(crate) struct CreditMemories;

impl Behavior for CreditMemories {
    fn name(&self) -> &'static str {
        "credit-memories"
    }

    fn manual(&self) -> &'static str {
        "Counts which memories an agent put to use after it was shown them: named by id or title in its own words, or \
         fetched by a call of its own. Each counts once per session, and as a mistake prevented where the agent says \
         so. What throughline itself put there, and what merely repeats or lists it, never counts. Reads the last \
         message of a turn, and the rest of the agent's words when `archive-transcript` is on."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::Stop, EventKind::SubagentStop, EventKind::PostToolUse]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        let wrote = match &event.detail {
            Detail::Stop { last_message: Some(text), .. } => Wrote::Text(text),
            Detail::Tool(call) => Wrote::Call { tool: &call.name, input: &call.input },
            _ => return Ok(()),
        };
        credit(batch, &event.session, &[(event.at, wrote)])?;
        Ok(())
    }
}

/// Something an agent itself wrote.
#[derive(Debug, Clone, Copy)]
pub enum Wrote<'a> {
    Text(&'a str),
    /// A call of a tool, with what it was given.
    Call {
        tool: &'a str,
        input: &'a Value,
    },
}

impl Wrote<'_> {
    /// What it shows a use of, each memory once.
    fn uses(&self, shown: &Shown) -> Vec<Citation> {
        match self {
            Self::Text(text) => citing::cited(shown, text),
            Self::Call { tool, input } => {
                let fetched = citing::fetched(shown, tool, input);
                fetched.into_iter().map(|memory| Citation { memory, prevented: false }).collect()
            }
        }
    }

    /// Most calls have nothing to do with us; nothing is looked up for them.
    fn may_use(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Call { tool, input } => citing::may_fetch(tool, input),
        }
    }
}

/// Credits the memories that a session was shown and whose use this shows. How many were news; reading the same again
/// is none.
pub fn credit(batch: &mut Batch<'_>, session: &SessionId, wrote: &[(Millis, Wrote<'_>)]) -> Result<usize> {
    if !wrote.iter().any(|(_, wrote)| wrote.may_use()) {
        return Ok(0);
    }
    let mut shown = shown(batch, session)?;
    let names_any = |(_, wrote): &(Millis, Wrote<'_>)| !wrote.uses(&shown).is_empty();
    if !wrote.iter().any(names_any) {
        return Ok(0);
    }
    // Only now the notes: there are many more of them than of messages that name anything.
    for note in batch.told(session, MAX_NOTES)? {
        shown.note(&note);
    }
    let mut news = 0;
    for (at, wrote) in wrote {
        for Citation { memory, prevented } in wrote.uses(&shown) {
            news += usize::from(batch.cite(session, memory, *at, prevented)?);
        }
    }
    Ok(news)
}

/// The memories a session was shown, by all they may be called by.
fn shown(batch: &Batch<'_>, session: &SessionId) -> Result<Shown> {
    let mut shown = Shown::new();
    for row in batch.shown(session)? {
        let file = row.place.as_deref().and_then(|place| place.strip_suffix(".md"));
        let file = file.map(|file| file.rsplit('/').next().unwrap_or(file));
        let names = [Some(row.title.as_str()), row.external_id.as_deref(), file];
        shown.memory(row.id, &names.map(Option::unwrap_or_default));
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use model::{Deed, EventId, Injection, Item, Memory, MemoryId, MemoryKind, Outcome, Told, ToolCall};
    use serde_json::json;
    use store::Tables;

    use super::*;
    use crate::behaviors::tests::{event, learn_in};
    use crate::deeds::{self, Done};

    fn id(number: u64) -> MemoryId {
        MemoryId::of(&["test", &number.to_string()])
    }

    fn learn_deeds(tables: &mut Tables, deeds: &[Deed]) {
        tables
            .write(|batch| {
                for (at, deed) in deeds.iter().enumerate() {
                    batch.set_position(at as u64 + 1);
                    let done = Done { id: EventId::mint(at as u64, [1; 10]), at: at as u64 + 1 };
                    deeds::learn(batch, done, deed)
                        .map_err(|error| error.into_store().expect("the store"))?;
                }
                Ok(())
            })
            .unwrap();
    }

    /// Three memories, of which the first two are shown to `session-1`.
    fn deeds() -> Vec<Deed> {
        let text = |number: u64| format!("What the memory of number {number} says about the wombat.");
        let remember = |number: u64| Deed::Remember {
            memory: Box::new(Memory::new(id(number), MemoryKind::Note, number, text(number), text(number))),
        };
        let item = |number: u64| Item {
            memory: Some(id(number)),
            part: "hit".into(),
            title: text(number),
            tokens: 5,
            why: "it fits".into(),
        };
        let note = Told {
            from: "recall-on-prompt".into(),
            text: crate::fence(
                "recall-on-prompt",
                9,
                &format!("- {}: {}\n- {}: {}", id(1), text(1), id(2), text(2)),
            ),
            tokens: 30,
            items: vec![item(1), item(2)],
        };
        let injection = Injection {
            session: SessionId::new("session-1"),
            subagent: None,
            event: "UserPromptSubmit".into(),
            notes: vec![note],
            marks: Vec::new(),
        };
        vec![remember(1), remember(2), remember(3), Deed::Injected { injection: Box::new(injection) }]
    }

    fn stop(text: &str) -> Event {
        event(EventKind::Stop, Detail::Stop { again: false, last_message: Some(text.into()) })
    }

    fn lives(tables: &Tables) -> Vec<(u64, u64)> {
        [1, 2, 3]
            .map(|number| {
                let row = tables.memory(&id(number).to_string()).unwrap().expect("it is kept");
                (row.hits, row.prevented)
            })
            .to_vec()
    }

    #[test]
    fn a_memory_that_was_shown_and_is_named_is_credited_once_per_session() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        learn_deeds(&mut tables, &deeds());
        let named = stop(&format!("I followed {} here; {} was not needed by anyone.", id(1), id(3)));
        learn_in(&mut tables, &CreditMemories, &named);
        learn_in(&mut tables, &CreditMemories, &named);
        assert_eq!(lives(&tables), [(1, 0), (0, 0), (0, 0)], "what was not shown is not credited");
        learn_in(&mut tables, &CreditMemories, &stop(&format!("As {} warns, I waited.", id(1))));
        assert_eq!(lives(&tables), [(1, 1), (0, 0), (0, 0)], "that it prevented something may be said later");
        let row = tables.memory(&id(1).to_string()).unwrap().unwrap();
        assert!(row.last_applied_at.is_some_and(|at| at >= named.at));
        let stats = tables.injection_stats().unwrap();
        assert_eq!((stats.notes, stats.memories, stats.cited, stats.prevented), (1, 2, 1, 1));

        let mut elsewhere = stop(&format!("I followed {} here as well.", id(1)));
        elsewhere.session = SessionId::new("session-2");
        learn_in(&mut tables, &CreditMemories, &elsewhere);
        assert_eq!(lives(&tables)[0], (1, 1), "another session was not shown it");
    }

    #[test]
    fn a_subagent_is_heard_and_a_call_that_fetches_is_a_use() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        learn_deeds(&mut tables, &deeds());
        let mut stopped = stop(&format!("The rule of {} was followed.", id(2)));
        stopped.kind = EventKind::SubagentStop;
        learn_in(&mut tables, &CreditMemories, &stopped);
        assert_eq!(lives(&tables)[1], (1, 0));
        let input = json!({ "command": format!("throughline show {}", id(1)) });
        let outcome = Outcome::Succeeded { response: json!({}), duration_ms: None };
        let call = ToolCall { name: "Bash".into(), use_id: None, input: input.clone(), outcome };
        learn_in(&mut tables, &CreditMemories, &event(EventKind::PostToolUse, Detail::Tool(call)));
        assert_eq!(lives(&tables)[0], (1, 0));
        // The same call in the transcript.
        let wrote = [(5, Wrote::Call { tool: "Bash", input: &input }), (6, Wrote::Text("nothing here"))];
        let session = SessionId::new("session-1");
        let news = tables.write(|batch| Ok(credit(batch, &session, &wrote).expect("it is read"))).unwrap();
        assert_eq!((news, lives(&tables)[0]), (0, (1, 0)));
    }

    #[test]
    fn tables_made_anew_neither_lose_nor_double_what_was_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("derived.db");
        let mut tables = Tables::open(&path).unwrap();
        learn_deeds(&mut tables, &deeds());
        let stopped = stop(&format!("I avoided the trap that {} tells of.", id(1)));
        learn_in(&mut tables, &CreditMemories, &stopped);
        // Read from a transcript that nobody reads twice.
        let session = SessionId::new("session-1");
        let said = format!("By the way, {} was of use.", id(2));
        tables
            .write(|batch| Ok(credit(batch, &session, &[(7, Wrote::Text(&said))]).expect("it is read")))
            .unwrap();
        assert_eq!(lives(&tables), [(1, 1), (1, 0), (0, 0)]);
        drop(tables);

        for _ in 0..2 {
            let aside = store::move_aside(&path).unwrap();
            let mut anew = Tables::open(&path).unwrap();
            anew.carry_over(&aside, 1).unwrap();
            learn_deeds(&mut anew, &deeds());
            learn_in(&mut anew, &CreditMemories, &stopped);
            assert_eq!(lives(&anew), [(1, 1), (1, 0), (0, 0)]);
            assert_eq!(anew.injection_stats().unwrap().cited, 2);
        }
    }
}
