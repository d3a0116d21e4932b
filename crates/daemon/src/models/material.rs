//! What a model is asked about: the steps of waiting turns as they were recorded, and back: its observations with
//! the events that show them. Asks nobody and writes nothing.

use model::{Detail, EventId, Millis, Observation, Outcome, SessionId};
use providers::distill::{Batch, LEAST_RAW_TOKENS, Parsed, RawStep};
use providers::tokens;
use store::{EventFilter, EventRow, Journal, Order, StoreError, Tables, TurnRow};

/// Turns looked at to find work: more wait behind them.
const MAX_WAITING: usize = 256;
/// Events of one turn that are looked at; its steps are at most 400.
const MAX_EVENTS: usize = 4000;
/// A session that was quiet for so long brings no more steps to ask about together.
const QUIET_MS: Millis = 30 * 60 * 1000;
/// Bytes of an envelope per token of what is asked about: names and ids around it count for nothing. Only to
/// decide whether reading is worth it.
const BYTES_PER_TOKEN: u64 = 5;

/// Turns of one session that are asked about together.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) turns: Vec<TurnRow>,
    pub(super) session: SessionId,
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    /// Which of the turns it belongs to.
    turn: usize,
    event: EventId,
    raw: RawStep,
    /// Marks of where its words come from, if not from the workspace.
    heard: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Next {
    Nothing,
    /// There are turns, and more of their sessions is likely to come.
    Held,
    /// A turn without a single call.
    Empty(u64),
    Ask(Work),
}

/// What to ask about now: turns of one session, oldest first, with about `calls` calls together.
pub(super) fn next(
    tables: &Tables,
    journal: &Journal,
    calls: usize,
    now: Millis,
) -> Result<Next, StoreError> {
    let waiting = tables.waiting_turns(MAX_WAITING)?;
    let mut seen: Vec<&SessionId> = Vec::new();
    for turn in &waiting {
        if seen.contains(&&turn.session) {
            continue;
        }
        seen.push(&turn.session);
        let of_session = waiting.iter().filter(|other| other.session == turn.session);
        let (mut turns, mut events, mut full) = (Vec::new(), Vec::new(), false);
        for turn in of_session {
            let of_turn = calls_of(tables, turn)?;
            if of_turn.is_empty() {
                return Ok(Next::Empty(turn.last_seq));
            }
            if !turns.is_empty() && events.len() + of_turn.len() > calls {
                full = true;
                break;
            }
            events.extend(of_turn.into_iter().map(|event| (turns.len(), event)));
            turns.push(turn.clone());
        }
        let raw: u64 = events.iter().map(|(_, event)| event.bytes).sum();
        let enough = full || events.len() >= calls || raw / BYTES_PER_TOKEN >= LEAST_RAW_TOKENS;
        if enough || is_over(tables, &turn.session, now)? {
            return read(journal, turns, &events);
        }
    }
    Ok(if seen.is_empty() { Next::Nothing } else { Next::Held })
}

fn is_over(tables: &Tables, session: &SessionId, now: Millis) -> Result<bool, StoreError> {
    let row = tables.session(session.as_str())?;
    Ok(row.is_none_or(|row| row.ended_at.is_some() || row.last_seen_at.saturating_add(QUIET_MS) < now))
}

/// The calls of a turn: those of its thread, since a subagent's turn lies within another's.
fn calls_of(tables: &Tables, turn: &TurnRow) -> Result<Vec<EventRow>, StoreError> {
    let filter = EventFilter {
        session: Some(turn.session.clone()),
        after: Some(turn.first_seq.saturating_sub(1)),
        order: Order::OldestFirst,
        limit: MAX_EVENTS.min((turn.last_seq + 1).saturating_sub(turn.first_seq) as usize),
        ..EventFilter::default()
    };
    let mut events = tables.events(&filter)?;
    events.retain(|event| event.seq <= turn.last_seq);
    let thread =
        events.iter().find(|event| event.seq == turn.last_seq).and_then(|last| last.subagent.clone());
    events.retain(|event| event.kind.starts_with("PostToolUse") && event.subagent == thread);
    Ok(events)
}

fn read(journal: &Journal, turns: Vec<TurnRow>, events: &[(usize, EventRow)]) -> Result<Next, StoreError> {
    let mut steps = Vec::new();
    for (turn, event) in events {
        let stored = match journal.read_at(event.location) {
            Ok(stored) if stored.seq == event.seq => stored,
            // Dropped, forgotten or damaged since: one step less.
            Ok(_) | Err(StoreError::Gone { .. } | StoreError::Unreadable { .. }) => continue,
            Err(error) => return Err(error),
        };
        let entry = &stored.entry;
        let read = agents::event_of(entry);
        let heard = engine::heard(&read);
        let Detail::Tool(call) = read.detail else { continue };
        let (output, ok) = match &call.outcome {
            Outcome::Succeeded { response, .. } => (response.to_string(), true),
            Outcome::Failed { error, .. } => (error.clone(), false),
            Outcome::Denied { reason } => (reason.clone(), false),
            Outcome::Pending => continue,
        };
        let raw = RawStep { tool: call.name, at: entry.at, input: call.input.to_string(), output, ok };
        steps.push(Step { turn: *turn, event: entry.id, raw, heard });
    }
    let Some(first) = turns.first() else { return Ok(Next::Nothing) };
    if steps.is_empty() {
        return Ok(Next::Empty(first.last_seq));
    }
    Ok(Next::Ask(Work { session: first.session.clone(), turns, steps }))
}

impl Work {
    /// Where the batches begin and end among the steps.
    pub(super) fn spans(&self, calls: usize) -> Vec<std::ops::Range<usize>> {
        let last = self.steps.len();
        (0..last).step_by(calls.max(1)).map(|first| first..(first + calls.max(1)).min(last)).collect()
    }

    pub(super) fn batch(&self, span: &std::ops::Range<usize>) -> Batch {
        let steps = &self.steps[span.clone()];
        let mut asked: Vec<&str> = Vec::new();
        for turn in steps.iter().map(|step| step.turn) {
            let prompt = self.turns[turn].prompt.as_deref();
            asked.extend(prompt.filter(|prompt| asked.last() != Some(prompt)));
        }
        Batch {
            request: (!asked.is_empty()).then(|| asked.join("\n")),
            steps: steps.iter().map(|step| step.raw.clone()).collect(),
        }
    }

    /// The observations of one batch, each with the turn that its first step belongs to.
    pub(super) fn observed(
        &self,
        span: &std::ops::Range<usize>,
        parsed: Vec<Parsed>,
    ) -> Vec<(usize, Observation)> {
        parsed.into_iter().filter_map(|parsed| self.observation(span, parsed)).collect()
    }

    fn observation(&self, span: &std::ops::Range<usize>, parsed: Parsed) -> Option<(usize, Observation)> {
        let cited: Vec<&Step> =
            parsed.steps.iter().filter_map(|at| self.steps.get(span.start + at)).collect();
        let turn = cited.first()?.turn;
        // A model has read the whole batch: what it says of one step may be another's words.
        let heard = self.steps[span.clone()].iter().flat_map(|step| &step.heard);
        let mut tools: Vec<String> = Vec::new();
        for tool in cited.iter().map(|step| &step.raw.tool).chain(heard) {
            if !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        let raw: u64 = cited
            .iter()
            .map(|step| tokens::estimate(&step.raw.input) + tokens::estimate(&step.raw.output))
            .sum();
        let seen = Observation {
            kind: parsed.kind,
            at: cited.iter().map(|step| step.raw.at).max().unwrap_or(0),
            title: parsed.title,
            subtitle: Some(parsed.subtitle).filter(|text| !text.is_empty()),
            narrative: parsed.narrative,
            facts: parsed.facts,
            concepts: parsed.concepts,
            files_read: parsed.files_read,
            files_modified: parsed.files_modified,
            tools,
            events: cited.iter().map(|step| step.event).collect(),
            tokens: u32::try_from(raw).unwrap_or(u32::MAX),
        };
        Some((turn, seen))
    }
}
