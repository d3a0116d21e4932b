//! What a model is asked about: the steps of waiting turns as they were recorded, with the words around them where the person has
//! agreed to that, and back: its observations with the events that show them. Asks nobody and writes nothing.

use model::{Author, Detail, Event, EventId, Millis, Observation, Outcome, Said, SessionId, Speaker};
use providers::distill::{AGENT_SAID, Batch, LEAST_RAW_TOKENS, PERSON_SAID, Parsed, RawStep};
use providers::tokens;
use store::{EventFilter, EventRow, Journal, Order, StoreError, Tables, TurnRow};

use super::settings::Settings;

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

/// What to ask about now: turns of one session, oldest first, with about as many calls together as the settings say. With
/// words a session is asked about as a whole, once it is over: what was said last may take back what was said first.
pub(super) fn next(
    tables: &Tables,
    journal: &Journal,
    settings: &Settings,
    now: Millis,
) -> Result<Next, StoreError> {
    let words = settings.sends_words;
    let calls = if words { MAX_EVENTS } else { settings.batch_calls };
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
            let of_turn = events_of(tables, turn, words)?;
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
        if enough && !words || is_over(tables, &turn.session, now)? {
            return read(journal, turns, &events);
        }
    }
    Ok(if seen.is_empty() { Next::Nothing } else { Next::Held })
}

fn is_over(tables: &Tables, session: &SessionId, now: Millis) -> Result<bool, StoreError> {
    let row = tables.session(session.as_str())?;
    Ok(row.is_none_or(|row| row.ended_at.is_some() || row.last_seen_at.saturating_add(QUIET_MS) < now))
}

/// The calls of a turn, and with `words` what begins and ends it: those of its thread, since a subagent's turn lies within
/// another's.
fn events_of(tables: &Tables, turn: &TurnRow, words: bool) -> Result<Vec<EventRow>, StoreError> {
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
    let is_said = |kind: &str| words && matches!(kind, "UserPromptSubmit" | "Stop");
    events.retain(|event| {
        (event.kind.starts_with("PostToolUse") || is_said(&event.kind)) && event.subagent == thread
    });
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
        let event = agents::event_of(&stored.entry);
        let heard = engine::heard(&event);
        let of_event = if matches!(event.detail, Detail::Tool(_)) { call(&event) } else { said(&event) };
        for raw in of_event {
            steps.push(Step { turn: *turn, event: event.id, raw, heard: heard.clone() });
        }
    }
    if steps.iter().any(Step::is_said) {
        steps.retain(|step| !step.raw.only_looks());
    }
    let Some(first) = turns.first() else { return Ok(Next::Nothing) };
    if steps.is_empty() {
        return Ok(Next::Empty(first.last_seq));
    }
    Ok(Next::Ask(Work { session: first.session.clone(), turns, steps }))
}

fn call(event: &Event) -> Vec<RawStep> {
    let Detail::Tool(call) = &event.detail else { return Vec::new() };
    let (output, ok) = match &call.outcome {
        Outcome::Succeeded { response, .. } => (response.to_string(), true),
        Outcome::Failed { error, .. } => (error.clone(), false),
        Outcome::Denied { reason } => (reason.clone(), false),
        Outcome::Pending => return Vec::new(),
    };
    vec![RawStep { tool: call.name.clone(), at: event.at, input: call.input.to_string(), output, ok }]
}

/// What was said in a turn up to the event that ends it, and what that event says itself.
fn said(event: &Event) -> Vec<RawStep> {
    let mut said = Said::in_turn(&event.context);
    match &event.detail {
        Detail::Prompt { text, author: Author::Person } => {
            said.push(Said { by: Speaker::Person, text: text.clone() });
        }
        Detail::Stop { last_message: Some(text), .. } => {
            said.push(Said { by: Speaker::Agent, text: text.clone() });
        }
        _ => {}
    }
    let name = |by: Speaker| if by == Speaker::Person { PERSON_SAID } else { AGENT_SAID };
    said.into_iter()
        .map(|said| RawStep {
            tool: name(said.by).to_owned(),
            at: event.at,
            input: String::new(),
            output: said.text,
            ok: true,
        })
        .collect()
}

impl Step {
    fn is_said(&self) -> bool {
        matches!(self.raw.tool.as_str(), PERSON_SAID | AGENT_SAID)
    }
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
        // Among words, what was asked for stands where it was said.
        if steps.iter().any(Step::is_said) {
            asked.clear();
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
        let called = cited.iter().filter(|step| !step.is_said()).map(|step| &step.raw.tool);
        for tool in called.chain(heard) {
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
