//! Which agent has which part: calls of the tool that starts agents, the agents themselves, and the patterns they make
//! up, all derived from the journal. What a pattern does with an answer is decided in `patterns`; here its news are put
//! together from events that do not name each other.
//!
//! A call says the task and the part; the start of an agent says the agent and not the call. Which belongs to which is
//! guessed from their kind and order, and known when the call answers with the agent's name. What was guessed wrong is
//! then put right.

use std::collections::{BTreeMap, BTreeSet};

use model::{Detail, Event, EventKind, Millis, Outcome, SessionId, ToolCall};
use patterns::{Answer, Line, Pattern, RESULT_CHARS, Slot, Spec, State, Tag, by_name, cut};
use serde::Serialize;
use serde_json::Value;
use store::shared::SharedPattern;
use store::{Batch, CallRow, PatternRow, StoreError, SubagentRow};

use crate::Result;
use crate::page::one_line;

/// The tools that start agents, by their present and former names.
const STARTERS: &[&str] = &["Agent", "Task"];
/// What a call says it is about.
const ABOUT_CHARS: usize = 120;
/// The kind of an agent where none is asked for.
const USUAL_KIND: &str = "general-purpose";
const MAX_ID_CHARS: usize = 128;

/// The call of an event that starts an agent.
pub(crate) fn starter(event: &Event) -> Option<(&ToolCall, &str)> {
    let Detail::Tool(call) = &event.detail else { return None };
    let id = call.use_id.as_deref().filter(|id| !id.is_empty() && id.len() <= MAX_ID_CHARS)?;
    STARTERS.contains(&call.name.as_str()).then_some((call, id))
}

/// A pattern as its row keeps it. What cannot be read any more is none.
pub fn pattern_of(row: &PatternRow) -> Option<Pattern> {
    serde_json::from_str(&row.state).ok()
}

/// As it stands at a moment: that nobody answers in time decides it, too, and no event tells of that.
fn pattern_at(row: &PatternRow, now: Millis) -> Option<Pattern> {
    let mut pattern = pattern_of(row)?;
    pattern.settle(now);
    Some(pattern)
}

/// Time has passed: what is decided by it is noted.
pub(crate) fn settled(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    for row in batch.open_patterns(&event.session)? {
        if let Some(mut pattern) = pattern_at(&row, event.at)
            && pattern.outcome.is_some()
        {
            save(batch, row, &mut pattern, event.at)?;
        }
    }
    Ok(())
}

/// A task is called, with or without a part.
pub(crate) fn called(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    let Some((call, id)) = starter(event) else { return Ok(()) };
    if batch.call_row(&event.session, id)?.is_some() {
        return Ok(());
    }
    let text = |key: &str| call.input.get(key).and_then(Value::as_str);
    let caller = event.subagent.as_ref().map(|agent| agent.id.clone());
    let mut row = CallRow {
        session: event.session.clone(),
        call: id.to_owned(),
        at: event.at,
        caller: caller.clone(),
        agent_kind: text("subagent_type").filter(|kind| !kind.is_empty()).unwrap_or(USUAL_KIND).to_owned(),
        about: text("description").map(|about| about.chars().take(ABOUT_CHARS).collect()),
        pattern: None,
        agent: None,
        certain: false,
        over: false,
    };
    if let Some(tag) = text("prompt").and_then(Tag::find) {
        row.pattern = join(batch, event, &tag, id, caller)?;
    }
    batch.put_call(&row)?;
    Ok(())
}

/// The pattern a tag means: the one of its name that goes on, else a new one.
fn join(
    batch: &mut Batch<'_>,
    event: &Event,
    tag: &Tag,
    call: &str,
    caller: Option<String>,
) -> Result<Option<String>> {
    let mut named = batch.patterns_named(&event.session, tag.kind, &tag.id)?;
    if named.is_empty() && tag.id == tag.kind {
        // Without a name the only one of its kind is meant.
        let mut open = batch.open_patterns(&event.session)?;
        open.retain(|row| row.kind == tag.kind);
        if open.len() == 1 {
            named = open;
        }
    }
    let newest = named.first().and_then(|row| Some((row.clone(), pattern_at(row, event.at)?)));
    let (row, mut pattern) = match newest {
        Some((row, pattern)) if pattern.takes_calls() => (row, pattern),
        _ => {
            let Some(pattern) = Pattern::of_tag(tag, event.at) else { return Ok(None) };
            (new_row(&event.session, &pattern, named.len()), pattern)
        }
    };
    if pattern.parts.is_empty() {
        pattern.coordinator = caller;
    }
    if pattern.call(tag, call, event.at).is_none() {
        return Ok(None);
    }
    let id = row.id.clone();
    save(batch, row, &mut pattern, event.at)?;
    Ok(Some(id))
}

fn new_row(session: &SessionId, pattern: &Pattern, before: usize) -> PatternRow {
    let Spec { kind, id: name, .. } = &pattern.spec;
    let mut id = format!("{}/{kind}/{name}", session.as_str());
    if before > 0 {
        id.push_str(&format!("#{}", before + 1));
    }
    PatternRow {
        id,
        session: session.clone(),
        kind: kind.clone(),
        name: name.clone(),
        at: pattern.at,
        ended_at: None,
        state: String::new(),
    }
}

fn save(
    batch: &mut Batch<'_>,
    mut row: PatternRow,
    pattern: &mut Pattern,
    now: Millis,
) -> std::result::Result<(), StoreError> {
    pattern.settle(now);
    row.ended_at = pattern.ended_at;
    row.state = serde_json::to_string(pattern).expect("a pattern is plain data");
    batch.put_pattern(&row)
}

/// A person or an agent declares a pattern. One of the same name that goes on stays as it is.
pub(crate) fn declare(
    batch: &mut Batch<'_>,
    session: &SessionId,
    kind: &str,
    id: &str,
    options: &BTreeMap<String, String>,
    now: Millis,
) -> Result<()> {
    let Some(mut spec) = Spec::new(kind, id) else { return Ok(()) };
    for (key, value) in options {
        spec.declare(key, value);
    }
    let named = batch.patterns_named(session, &spec.kind, &spec.id)?;
    let newest = named.first().and_then(|row| pattern_at(row, now));
    if newest.is_some_and(|pattern| pattern.outcome.is_none()) {
        return Ok(());
    }
    let mut pattern = Pattern::new(spec, now);
    pattern.announced = true;
    let row = new_row(session, &pattern, named.len());
    save(batch, row, &mut pattern, now)?;
    Ok(())
}

pub(crate) fn stop(
    batch: &mut Batch<'_>,
    session: &SessionId,
    id: &str,
    why: Option<&str>,
    now: Millis,
) -> Result<()> {
    let Some(row) = batch.pattern_row(id)?.filter(|row| row.session == *session) else { return Ok(()) };
    if let Some(mut pattern) = pattern_of(&row) {
        pattern.stop(why.unwrap_or("somebody asked for it"), now);
        save(batch, row, &mut pattern, now)?;
    }
    Ok(())
}

/// An agent begins. Its call is the oldest of its kind behind which nobody is known.
pub(crate) fn started(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    let Some(agent) = event.subagent.as_ref().filter(|agent| agent.id.len() <= MAX_ID_CHARS) else {
        return Ok(());
    };
    if batch.subagent_row(&event.session, &agent.id)?.is_none() {
        batch.put_subagent(&new_agent(&event.session, &agent.id, &agent.kind, event.at))?;
    }
    let call = if let Some(call) = batch.call_row_of_agent(&event.session, &agent.id)? {
        call
    } else {
        let calls = batch.calls_without_agent(&event.session, &agent.kind)?;
        let Some(call) = calls.into_iter().next() else { return Ok(()) };
        let call = CallRow { agent: Some(agent.id.clone()), ..call };
        batch.put_call(&call)?;
        call
    };
    sync(batch, &call, event.at)
}

fn new_agent(session: &SessionId, id: &str, kind: &str, at: Millis) -> SubagentRow {
    SubagentRow {
        session: session.clone(),
        id: id.to_owned(),
        kind: kind.to_owned(),
        started_at: at,
        ended_at: None,
        state: "out".to_owned(),
        result: None,
        is_final: false,
    }
}

/// An agent has answered. One that we never heard begin is none of ours; a compaction ends like one.
pub(crate) fn stopped(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    let (Some(agent), Detail::Stop { again, last_message }) = (&event.subagent, &event.detail) else {
        return Ok(());
    };
    let Some(mut row) = batch.subagent_row(&event.session, &agent.id)? else { return Ok(()) };
    let said = last_message.as_deref().unwrap_or_default();
    // Asked for its line once more it says the line alone: what it said before belongs to it.
    let whole = match row.result.take() {
        Some(before) if *again && before.ends_with(said.trim()) => before,
        Some(before) if *again && !row.is_final => format!("{before}\n\n{said}"),
        _ => said.to_owned(),
    };
    row.result = Some(cut(&whole, RESULT_CHARS));
    "done".clone_into(&mut row.state);
    row.ended_at = Some(event.at);
    row.is_final = *again;
    batch.put_subagent(&row)?;
    match batch.call_row_of_agent(&event.session, &agent.id)? {
        Some(call) => sync(batch, &call, event.at),
        None => Ok(()),
    }
}

/// A call that starts an agent is over, or goes on behind the caller's back; it says which agent that is.
pub(crate) fn answered(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    let Some((tool, id)) = starter(event) else { return Ok(()) };
    let Some(mut call) = batch.call_row(&event.session, id)? else { return Ok(()) };
    let mut failure = None;
    match &tool.outcome {
        Outcome::Succeeded { response, .. } => {
            if let Some(agent) = response.get("agentId").and_then(Value::as_str) {
                bind(batch, &mut call, agent, event.at)?;
            }
            let goes_on = response.get("isAsync").and_then(Value::as_bool).unwrap_or(false);
            if !goes_on {
                call.over = true;
                finish(batch, &call, &text_of(response), event.at)?;
            }
        }
        Outcome::Failed { error, .. } => failure = Some(error.clone()),
        Outcome::Denied { reason } => failure = Some(format!("refused: {reason}")),
        Outcome::Pending => return Ok(()),
    }
    call.over |= failure.is_some();
    // Where the answer does not name its agent, nothing better than the guess will come.
    call.certain = true;
    batch.put_call(&call)?;
    sync(batch, &call, event.at)?;
    if let Some(why) = failure {
        fail(batch, &call, &why, event.at)?;
    }
    Ok(())
}

/// This agent was started by this call and by no other. Whoever was guessed to be behind it belongs to the other one.
fn bind(batch: &mut Batch<'_>, call: &mut CallRow, agent: &str, now: Millis) -> Result<()> {
    if agent.len() > MAX_ID_CHARS {
        return Ok(());
    }
    if batch.subagent_row(&call.session, agent)?.is_none() {
        batch.put_subagent(&new_agent(&call.session, agent, &call.agent_kind, call.at))?;
    }
    call.certain = true;
    if call.agent.as_deref() == Some(agent) {
        return Ok(());
    }
    let other = batch.call_row_of_agent(&call.session, agent)?.filter(|other| other.call != call.call);
    let guessed = call.agent.replace(agent.to_owned());
    batch.put_call(call)?;
    if let Some(mut other) = other {
        other.agent = guessed;
        batch.put_call(&other)?;
        sync(batch, &other, now)?;
    }
    Ok(())
}

/// What a call returned is its agent's answer, unless that has said it itself.
fn finish(batch: &mut Batch<'_>, call: &CallRow, text: &str, at: Millis) -> Result<()> {
    let Some(agent) = &call.agent else { return Ok(()) };
    let Some(mut row) = batch.subagent_row(&call.session, agent)? else { return Ok(()) };
    if row.result.as_deref().is_none_or(str::is_empty) {
        row.result = Some(cut(text, RESULT_CHARS));
    }
    "done".clone_into(&mut row.state);
    row.ended_at = row.ended_at.or(Some(at));
    row.is_final = true;
    batch.put_subagent(&row)?;
    Ok(())
}

/// The texts of a tool's answer; what the client says about tools in tags of its own is none.
fn text_of(response: &Value) -> String {
    let blocks = response.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts = blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str));
    texts.filter(|text| !text.starts_with("<tools-used")).collect::<Vec<_>>().join("\n")
}

fn fail(batch: &mut Batch<'_>, call: &CallRow, why: &str, at: Millis) -> Result<()> {
    if let Some(agent) = &call.agent
        && let Some(mut row) = batch.subagent_row(&call.session, agent)?
        && row.state == "out"
    {
        (row.state, row.ended_at, row.is_final) = ("failed".to_owned(), Some(at), true);
        row.result = Some(cut(why, RESULT_CHARS));
        batch.put_subagent(&row)?;
    }
    with_pattern(batch, call, at, |pattern| pattern.fail(&call.call, why, at))
}

/// A batch of calls is over: whichever of them began nobody was refused.
pub(crate) fn batch_over(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    let caller = event.subagent.as_ref().map(|agent| &agent.id);
    for row in batch.calls_begun_by_nobody(&event.session)? {
        if row.caller.as_ref() == caller && row.at < event.at {
            let call = CallRow { over: true, ..row };
            batch.put_call(&call)?;
            fail(batch, &call, "it was not started", event.at)?;
        }
    }
    Ok(())
}

/// The session is over, and with it whoever was out.
pub(crate) fn ended(batch: &mut Batch<'_>, event: &Event) -> Result<()> {
    for row in batch.open_patterns(&event.session)? {
        if let Some(mut pattern) = pattern_of(&row) {
            pattern.stop("its session ended", event.at);
            save(batch, row, &mut pattern, event.at)?;
        }
    }
    batch.end_subagents(&event.session, event.at, "its session ended")?;
    Ok(())
}

/// Whether what this agent answered is nobody's business yet: it has a part in a sealed pattern that goes on. Where it is
/// not certain which call is behind it, it may have.
pub(crate) fn is_sealed(batch: &Batch<'_>, session: &SessionId, agent: &str) -> Result<bool> {
    let Some(call) = batch.call_row_of_agent(session, agent)? else { return Ok(false) };
    if is_sealed_call(batch, &call)? {
        return Ok(true);
    }
    if call.certain {
        return Ok(false);
    }
    let open = batch.open_patterns(session)?;
    let mut sealed = open.iter().filter_map(pattern_of).filter(|pattern| pattern.spec.kind().is_sealed());
    Ok(sealed.any(|pattern| pattern.parts.iter().any(|part| part.guessed || part.agent.is_none())))
}

fn is_sealed_call(batch: &Batch<'_>, call: &CallRow) -> Result<bool> {
    let Some(id) = &call.pattern else { return Ok(false) };
    let pattern = batch.pattern_row(id)?.as_ref().and_then(pattern_of);
    Ok(pattern.is_some_and(|pattern| pattern.outcome.is_none() && pattern.spec.kind().is_sealed()))
}

/// Whether this event hands over an answer that is sealed.
pub(crate) fn hands_over_sealed(batch: &Batch<'_>, event: &Event) -> Result<bool> {
    let Some((_, id)) = starter(event) else { return Ok(false) };
    let call = batch.call_row(&event.session, id)?;
    call.map_or(Ok(false), |call| is_sealed_call(batch, &call))
}

/// An event that carries the answer of a part, without the line that was agreed on: that one is for the pattern. `None`: it
/// carries none.
pub(crate) fn without_line(batch: &Batch<'_>, event: &Event) -> Result<Option<Event>> {
    let call = match (&event.kind, &event.subagent) {
        (EventKind::SubagentStop, Some(agent)) => batch.call_row_of_agent(&event.session, &agent.id)?,
        _ => match starter(event) {
            Some((_, id)) => batch.call_row(&event.session, id)?,
            None => None,
        },
    };
    let Some((call, id)) = call.and_then(|call| call.pattern.clone().map(|id| (call, id))) else {
        return Ok(None);
    };
    let Some(pattern) = batch.pattern_row(&id)?.as_ref().and_then(pattern_of) else { return Ok(None) };
    let Some(role) = pattern.part_of(&call.call).and_then(|part| pattern.role(&part.slot)) else {
        return Ok(None);
    };
    let mut event = event.clone();
    match &mut event.detail {
        Detail::Stop { last_message: Some(text), .. } => *text = Answer::cut_from(text, role.key),
        Detail::Tool(ToolCall { outcome: Outcome::Succeeded { response, .. }, .. }) => {
            let blocks = response.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten();
            for text in blocks.filter_map(|block| block.get_mut("text")) {
                if let Some(said) = text.as_str() {
                    *text = Value::String(Answer::cut_from(said, role.key));
                }
            }
        }
        _ => {}
    }
    Ok(Some(event))
}

/// Puts what is known of a call's agent into the part that the call has.
fn sync(batch: &mut Batch<'_>, call: &CallRow, now: Millis) -> Result<()> {
    let agent = match &call.agent {
        Some(id) => batch.subagent_row(&call.session, id)?,
        None => None,
    };
    with_pattern(batch, call, now, |pattern| {
        pattern.detach(&call.call);
        let Some(agent) = &agent else { return };
        pattern.attach(&call.call, &agent.id, agent.started_at, call.certain);
        let at = agent.ended_at.unwrap_or(now);
        let text = agent.result.as_deref().unwrap_or_default();
        match agent.state.as_str() {
            "done" => pattern.answer(&call.call, text, at, agent.is_final),
            "failed" => pattern.fail(&call.call, text, at),
            _ => {}
        }
    })
}

fn with_pattern(
    batch: &mut Batch<'_>,
    call: &CallRow,
    now: Millis,
    change: impl FnOnce(&mut Pattern),
) -> Result<()> {
    let Some(id) = &call.pattern else { return Ok(()) };
    let Some(row) = batch.pattern_row(id)? else { return Ok(()) };
    let Some(mut pattern) = pattern_of(&row) else { return Ok(()) };
    change(&mut pattern);
    save(batch, row, &mut pattern, now)?;
    Ok(())
}

/// Whether there is a kind of this name.
pub fn is_kind(name: &str) -> bool {
    by_name(name).is_some()
}

/// A pattern as people look at it: agents, and who hands over to whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Picture {
    pub id: String,
    pub session: SessionId,
    pub kind: String,
    pub name: String,
    pub at: Millis,
    pub ended_at: Option<Millis>,
    /// `running`, or one word for what came of it.
    pub state: String,
    /// Whether that is what was hoped for.
    pub ok: Option<bool>,
    pub headline: String,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// What came of it, by whom.
    pub lines: Vec<Line>,
    /// Tags of the parts that may be started now.
    pub due: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    pub key: String,
    pub label: String,
    pub role: String,
    /// `planned`, `due`, `called`, `out`, `done`, `unreadable` or `failed`.
    pub state: &'static str,
    pub agent: Option<String>,
    pub started_at: Option<Millis>,
    pub ended_at: Option<Millis>,
    pub tries: u32,
    /// One line of what it answered; sealed votes are not shown.
    pub says: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    pub from: String,
    pub to: String,
}

/// Of an answer in a list.
const SAYS_CHARS: usize = 240;

/// A pattern of somebody else's, told by a team, as a row. What cannot be read is none.
pub fn row_elsewhere(told: &SharedPattern) -> Option<PatternRow> {
    let pattern: Pattern = serde_json::from_value(told.state.clone()).ok()?;
    Some(PatternRow {
        id: told.id.clone(),
        session: told.session.clone(),
        kind: pattern.spec.kind.clone(),
        name: pattern.spec.id.clone(),
        at: told.at,
        ended_at: told.ended_at,
        state: told.state.to_string(),
    })
}

/// How a row looks to people at this moment.
pub fn picture(row: &PatternRow, now: Millis) -> Option<Picture> {
    let pattern = pattern_at(row, now)?;
    let (kind, view) = (pattern.spec.kind(), pattern.view(now));
    let standing = pattern.standing(now);
    let is_open = pattern.outcome.is_none();
    let due = if is_open { standing.due } else { Vec::new() };
    let mut slots = kind.places(&view);
    slots.extend(pattern.parts.iter().map(|part| part.slot.clone()).chain(due.iter().cloned()));
    let mut seen = BTreeSet::new();
    slots.retain(|slot| seen.insert(slot.clone()));
    let node = |slot: &Slot| {
        let part = pattern.part(slot);
        let state = match part {
            Some(_) if due.contains(slot) => "failed",
            Some(part) => view.state(part).name(),
            None if due.contains(slot) => "due",
            None => "planned",
        };
        let sealed = is_open && kind.is_sealed();
        let says = part.filter(|_| !sealed).and_then(|part| {
            let key = pattern.role(slot).map_or("", |role| role.key);
            let said = part.answer.as_ref().and_then(|answer| {
                let more = ["why", "summary", "feedback", "done"].iter().find_map(|more| answer.text(more));
                let first = answer.text(key)?;
                Some(more.map_or_else(|| first.clone(), |more| format!("{first}: {more}")))
            });
            let failed = matches!(view.state(part), State::Failed | State::Unreadable);
            said.or_else(|| failed.then(|| view.why(part))).or_else(|| part.result.clone())
        });
        Node {
            key: slot.key(),
            label: view.label(slot),
            role: slot.role.clone(),
            state,
            agent: part.and_then(|part| part.agent.clone()),
            started_at: part.and_then(|part| part.started_at),
            ended_at: part.and_then(|part| part.ended_at),
            tries: part.map_or(0, |part| part.tries),
            says: says.map(|says| one_line(&says, SAYS_CHARS)),
        }
    };
    let nodes: Vec<Node> = slots.iter().map(node).collect();
    let at = |slot: &Slot| slots.iter().position(|other| other == slot);
    let mut edges = Vec::new();
    for (index, slot) in slots.iter().enumerate() {
        for from in kind.feeds(&view, slot) {
            let Some(before) = at(&from).filter(|before| *before != index) else { continue };
            // Of a swarm everybody may hear everybody: only what was heard is a line.
            let heard =
                nodes[before].ended_at.zip(nodes[index].started_at).is_some_and(|(end, start)| end <= start);
            if heard || pattern.spec.kind != "swarm" {
                edges.push(Edge { from: from.key(), to: slot.key() });
            }
        }
    }
    let (state, ok, headline, lines) = match &pattern.outcome {
        Some(outcome) => {
            (outcome.verdict.clone(), Some(outcome.ok), outcome.headline.clone(), outcome.lines.clone())
        }
        None => ("running".to_owned(), None, view.progress(), Vec::new()),
    };
    Some(Picture {
        id: row.id.clone(),
        session: row.session.clone(),
        kind: row.kind.clone(),
        name: row.name.clone(),
        at: row.at,
        ended_at: row.ended_at.or(pattern.ended_at),
        state,
        ok,
        headline,
        nodes,
        edges,
        lines,
        due: due.iter().map(|slot| pattern.tag(slot)).collect(),
    })
}
