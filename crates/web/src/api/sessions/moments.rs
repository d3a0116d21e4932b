//! A session as one list: what was asked, done, kept, said by us and by guards. The two halves of a call, before and
//! after it, are one item that stands where the call ended; what says so is inside the envelopes, so those of a page
//! are opened, and a few around it.

mod calls;

use model::{EventKind, Millis, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{EventRow, Moment, MomentKey, Moments, Order};

use super::super::endpoint::{Asked, Given};
use super::super::page::{Cursor, Limit};
use super::super::reading::read;
use super::super::words::Id;
use super::{NO_SESSION, Which};
use crate::House;
use crate::house::Glimpse;
use crate::problem::Problem;

/// Times a page goes on to look for items of the wanted types before it comes back short.
const MAX_LOOKS: usize = 4;
/// An envelope larger than this is shown by its name alone: opening a page of them would take seconds.
const MAX_OPENED: u64 = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Type {
    Prompt,
    Tool,
    Memory,
    Injection,
    Verdict,
    Subagent,
    Event,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "TimelineOrder")]
pub(super) enum Direction {
    #[default]
    Oldest,
    Newest,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// Begin at this moment, in Unix milliseconds.
    at: Option<Millis>,
    /// Nothing before this moment.
    after: Option<Millis>,
    /// Nothing at or after this moment.
    before: Option<Millis>,
    /// Only these types; may be repeated.
    #[serde(default)]
    kinds: Vec<Type>,
    /// Which comes first; with `newest` a page goes back in time.
    #[serde(default)]
    order: Direction,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Id>,
    /// Say how many items there are, and from when to when.
    #[serde(default)]
    count: bool,
}

/// One thing that happened in a session.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TimelineItem {
    r#type: Type,
    at: Millis,
    /// The journal's position.
    seq: u64,
    /// Of the event or memory: what to ask for the whole of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// One line.
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// Of a call that is over: whether it worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subagent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// Of an event its name, of a memory its kind, of an injection the behavior, of a verdict what it was.
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
}

/// Some items of a session, and how to go on in both directions.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TimelinePage {
    items: Vec<TimelineItem>,
    /// What to send as `cursor` to go on in the same order.
    next: Option<String>,
    /// What to send as `cursor` with the other `order` to go back from the first of these.
    previous: Option<String>,
    total: Option<u64>,
    first_at: Option<Millis>,
    last_at: Option<Millis>,
}

/// An event with what its envelope says.
pub(super) struct Opened {
    pub(super) row: EventRow,
    pub(super) glimpse: Glimpse,
}

pub(super) fn timeline(
    house: &dyn House,
    asked: Asked<Which, Wanted>,
) -> Result<Given<TimelinePage>, Problem> {
    let session = SessionId::new(asked.path.id.as_str());
    let query = asked.query;
    let cursor = query.cursor.as_ref().map(|cursor| key(cursor.as_str())).transpose()?;
    let order = match query.order {
        Direction::Oldest => Order::OldestFirst,
        Direction::Newest => Order::NewestFirst,
    };
    let (card, from_seq, until_seq, start) = read(house, |tables| {
        let position = |at: Option<Millis>| at.map(|at| tables.position_at(&session, at)).transpose();
        Ok((
            tables.session_card(&session)?,
            position(query.after)?,
            position(query.before)?,
            position(query.at)?,
        ))
    })?;
    let card = card.ok_or(NO_SESSION)?;
    let start = start.map(|seq| match order {
        // Behind everything that came before it.
        Order::OldestFirst => MomentKey { seq: seq.saturating_sub(1), rank: u8::MAX, number: u64::MAX },
        Order::NewestFirst => MomentKey { seq, rank: 0, number: 0 },
    });
    let wants = |r#type: Type| query.kinds.is_empty() || query.kinds.contains(&r#type);
    let mut ask = Moments {
        session: &session,
        order,
        behind: cursor.or(start),
        from_seq,
        until_seq,
        events: [Type::Prompt, Type::Tool, Type::Subagent, Type::Event].into_iter().any(wants),
        injections: wants(Type::Injection),
        verdicts: wants(Type::Verdict),
        memories: wants(Type::Memory),
        limit: query.limit.rows() + 1,
    };
    let (mut items, mut next) = (Vec::new(), None);
    for _ in 0..MAX_LOOKS {
        let mut found = read(house, |tables| tables.moments(&ask))?;
        let is_more = found.len() == ask.limit;
        found.truncate(query.limit.rows());
        next = found.last().map(Moment::key).filter(|_| is_more);
        let shown = calls::joined(house, found, order)?;
        for (key, item) in shown.into_iter().filter(|(_, item)| wants(item.r#type)) {
            if items.len() == query.limit.rows() {
                next = items.last().map(|(key, _)| *key);
                break;
            }
            items.push((key, item));
        }
        ask.behind = next;
        if next.is_none() || items.len() == query.limit.rows() {
            break;
        }
    }
    let total = if query.count { Some(calls::total(house, &session)?) } else { None };
    let ends = if query.count { read(house, |tables| tables.ends_of(&session))? } else { None };
    let ends = ends.or_else(|| query.count.then_some((card.row.started_at, card.row.last_seen_at)));
    Ok(TimelinePage {
        next: next.map(written),
        previous: items.first().map(|(key, _)| written(*key)),
        items: items.into_iter().map(|(_, item)| item).collect(),
        total,
        first_at: ends.map(|(first, _)| first),
        last_at: ends.map(|(_, last)| last),
    }
    .into())
}

/// What the envelope says, as far as it can be read; otherwise what the row does.
fn open(house: &dyn House, row: EventRow) -> Opened {
    let stored = (row.bytes <= MAX_OPENED).then(|| house.entry(row.location).ok()).flatten();
    // Another entry stands there if retention was quicker than we.
    let stored = stored.filter(|stored| stored.seq == row.seq);
    let glimpse = stored.map_or_else(|| closed(&row), |stored| house.glimpse(&stored.entry));
    Opened { row, glimpse }
}

fn closed(row: &EventRow) -> Glimpse {
    Glimpse {
        title: row.tool.clone().unwrap_or_else(|| row.kind.clone()),
        kind: EventKind::from_name(&row.kind),
        cwd: None,
        project: None,
        subagent: row.subagent.clone(),
        call: None,
        ok: None,
        duration_ms: None,
        detail: None,
    }
}

fn item(moment: Moment) -> TimelineItem {
    match moment {
        Moment::Injection(injection) => TimelineItem {
            r#type: Type::Injection,
            at: injection.row.at,
            seq: injection.seq,
            id: None,
            title: injected_title(&injection.row),
            detail: Some(injection.row.event),
            tool: None,
            ok: None,
            subagent: injection.row.subagent,
            tokens: Some(injection.row.tokens.into()),
            kind: injection.row.behavior,
            duration_ms: None,
        },
        Moment::Verdict(row) => TimelineItem {
            r#type: Type::Verdict,
            at: row.at,
            seq: row.seq,
            id: None,
            title: row.reason,
            detail: Some(row.behavior),
            tool: row.tool,
            ok: None,
            subagent: row.subagent,
            tokens: None,
            kind: row.verdict.name().to_owned(),
            duration_ms: None,
        },
        Moment::Memory(row) => TimelineItem {
            r#type: Type::Memory,
            at: row.at,
            seq: row.seq,
            id: Some(row.id),
            title: row.title,
            detail: None,
            tool: None,
            ok: None,
            subagent: None,
            tokens: Some(row.tokens),
            kind: row.kind.name().to_owned(),
            duration_ms: None,
        },
        Moment::Event(row) => {
            let glimpse = closed(&row);
            event_item(Opened { row, glimpse })
        }
    }
}

fn event_item(opened: Opened) -> TimelineItem {
    let Opened { row, glimpse } = opened;
    let r#type = match glimpse.kind {
        EventKind::UserPromptSubmit => Type::Prompt,
        EventKind::SubagentStart | EventKind::SubagentStop => Type::Subagent,
        _ if is_call(glimpse.kind) => Type::Tool,
        _ => Type::Event,
    };
    TimelineItem {
        r#type,
        at: row.at,
        seq: row.seq,
        id: Some(row.id.to_string()),
        title: glimpse.title,
        detail: glimpse.detail,
        tool: row.tool,
        ok: glimpse.ok,
        subagent: row.subagent,
        tokens: None,
        kind: row.kind,
        duration_ms: glimpse.duration_ms,
    }
}

/// Before a call, or after it.
fn is_call(kind: EventKind) -> bool {
    kind == EventKind::PreToolUse || is_over(kind)
}

fn is_over(kind: EventKind) -> bool {
    matches!(kind, EventKind::PostToolUse | EventKind::PostToolUseFailure | EventKind::PermissionDenied)
}

fn injected_title(row: &store::InjectionRow) -> String {
    match row.items.as_slice() {
        [] => row.behavior.clone(),
        [only] => only.title.clone(),
        [first, more @ ..] => format!("{} and {} more", first.title, more.len()),
    }
}

/// `SEQ-RANK.NUMBER`.
fn written(key: MomentKey) -> String {
    Cursor::new(key.seq, format!("{}.{}", key.rank, key.number)).to_string()
}

fn key(text: &str) -> Result<MomentKey, Problem> {
    let cursor = Cursor::read(text)?;
    let parts = cursor.name.split_once('.');
    let read = parts.and_then(|(rank, number)| Some((rank.parse().ok()?, number.parse().ok()?)));
    let (rank, number) = read.ok_or_else(|| {
        Problem::refused("this is no cursor of this list", "send what `next` said, or none to begin")
    })?;
    Ok(MomentKey { seq: cursor.number, rank, number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_back_and_nonsense_does_not() {
        let place = MomentKey { seq: 42, rank: 3, number: 17 };
        assert_eq!(key(&written(place)), Ok(place));
        for text in ["", "42", "42-3", "42-3.x", "42-300.1", "x-1.1"] {
            assert!(key(text).is_err(), "{text}");
        }
    }
}
