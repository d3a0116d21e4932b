//! What agents did, as the journal has it: rows in pages, and one entry whole.

use std::collections::BTreeMap;

use model::{EventId, Millis, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use store::{EventPage, EventRow, Order};

use super::endpoint::{Asked, Endpoint, Given, Nothing, get};
use super::page::{Cursor, Limit, Page};
use super::reading::read;
use super::words::{Id, Name};
use crate::House;
use crate::problem::Problem;

/// An envelope larger than this is left in the journal: a page that shows it would hang.
const MAX_ENVELOPE: u64 = 8 << 20;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/events", "Events, newest first", list),
        get("/api/v1/events/{id}", "One event, with what its agent sent", one),
    ]
}

/// Something an agent did.
#[derive(Debug, Serialize, JsonSchema)]
struct Event {
    /// The journal's position.
    seq: u64,
    id: String,
    at: Millis,
    agent: String,
    session: String,
    /// As its agent names it.
    kind: String,
    tool: Option<String>,
    subagent: Option<String>,
    /// Of the envelope.
    bytes: u64,
}

/// An event with its envelope.
#[derive(Debug, Serialize, JsonSchema)]
struct EventWhole {
    #[serde(flatten)]
    event: Event,
    /// One line.
    title: String,
    /// What the agent sent, redacted; null where it is gone or too large.
    #[schemars(with = "Value")]
    envelope: Option<Box<RawValue>>,
    /// What was known beside it: workspace, branch, process.
    context: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "EventOrder")]
enum Direction {
    #[default]
    Newest,
    Oldest,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    session: Option<Id>,
    /// The event's name, as its agent says it. A page may come back short and still have a next one.
    kind: Option<Name>,
    tool: Option<Name>,
    agent: Option<Name>,
    /// Only events behind this position.
    after: Option<u64>,
    #[serde(default)]
    order: Direction,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Id>,
    /// So many rows are passed over. Not together with `kind`, `tool` or `agent`, unless of one session.
    #[serde(default)]
    offset: u32,
    /// Say how many there are, where that needs no look at all of them.
    #[serde(default)]
    count: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    id: Id,
}

fn list(house: &dyn House, asked: Asked<Nothing, Wanted>) -> Result<Given<Page<Event>>, Problem> {
    let Wanted { session, kind, tool, agent, after, order, limit, cursor, offset, count } = asked.query;
    let is_sought = session.is_none() && (kind.is_some() || tool.is_some() || agent.is_some());
    if is_sought && offset > 0 {
        return Err(Problem::refused(
            "rows that were not looked at cannot be passed over",
            "send offset without kind, tool and agent, or name a session",
        ));
    }
    let page = EventPage {
        session: session.map(|id| SessionId::new(id.as_str())),
        kind: kind.map(Name::into_text),
        tool: tool.map(Name::into_text),
        agent: agent.map(Name::into_text),
        after,
        order: match order {
            Direction::Newest => Order::NewestFirst,
            Direction::Oldest => Order::OldestFirst,
        },
        behind: cursor.map(|cursor| Cursor::read(cursor.as_str())).transpose()?.map(|cursor| cursor.number),
        offset: offset as usize,
        limit: limit.rows(),
    };
    let (found, total) = read(house, |tables| {
        let total = if count { tables.total_events(&page)? } else { None };
        Ok((tables.event_page(&page)?, total))
    })?;
    let next = found.next.map(|seq| Cursor::new(seq, "").to_string());
    Ok(Page { items: found.rows.into_iter().map(Event::from).collect(), next, total }.into())
}

fn one(house: &dyn House, asked: Asked<Which>) -> Result<Given<EventWhole>, Problem> {
    let id: Option<EventId> = asked.path.id.as_str().parse().ok();
    let found = id.map(|id| read(house, |tables| tables.event(id))).transpose()?.flatten();
    let row = found.ok_or(Problem::not_found("no event has this id", "GET /api/v1/events lists them"))?;
    let stored = (row.bytes <= MAX_ENVELOPE).then(|| house.entry(row.location).ok()).flatten();
    // Another entry stands there if retention was quicker than we.
    let entry = stored.map(|stored| stored.entry).filter(|entry| entry.id == row.id);
    let title = entry.as_ref().map_or_else(|| row.kind.clone(), |entry| house.glimpse(entry).title);
    let context = entry.as_ref().map(|entry| entry.context.clone().into_iter().collect()).unwrap_or_default();
    let text = entry.map(|entry| String::from_utf8_lossy(&entry.envelope).into_owned());
    let envelope = text.and_then(|text| RawValue::from_string(text).ok());
    Ok(EventWhole { event: Event::from(row), title, envelope, context }.into())
}

impl From<EventRow> for Event {
    fn from(row: EventRow) -> Self {
        Self {
            seq: row.seq,
            id: row.id.to_string(),
            at: row.at,
            agent: row.agent,
            session: row.session.as_str().to_owned(),
            kind: row.kind,
            tool: row.tool,
            subagent: row.subagent,
            bytes: row.bytes,
        }
    }
}
