//! Events and injections in pages. What is narrowed by something without an index is looked for in a bounded stretch
//! of the journal's order; a page that comes back short says where to go on.

use model::{MemoryId, Millis, SessionId};
use rusqlite::Row;
use rusqlite::types::Value;

use super::batch::number;
use super::read::{EVENT_COLUMNS, Query, read_event, session_id, unsigned};
use super::session_pages::{Found, skip};
use super::{EventRow, InjectionRow, Order, Tables};
use crate::StoreError;

/// Positions one page looks at for events of a kind, a tool or an agent: ten milliseconds. Positions without an event
/// are deeds and gaps, and few.
const STRETCH: u64 = 30_000;
/// Injections one page looks at for those of a behavior.
const MAX_LOOKED_AT: usize = 2000;

/// Which events, and from where on.
#[derive(Debug, Clone, Default)]
pub struct EventPage {
    pub session: Option<SessionId>,
    pub kind: Option<String>,
    pub tool: Option<String>,
    pub agent: Option<String>,
    /// Only events with a larger sequence number.
    pub after: Option<u64>,
    pub order: Order,
    /// Behind the one at this position, in the order of the list.
    pub behind: Option<u64>,
    pub offset: usize,
    pub limit: usize,
}

/// Which injections, and from where on.
#[derive(Debug, Clone, Default)]
pub struct InjectionPage {
    pub session: Option<SessionId>,
    pub behavior: Option<String>,
    /// That showed this memory.
    pub memory: Option<MemoryId>,
    pub since: Option<Millis>,
    /// Older than this one: its position, and its number there.
    pub before: Option<(u64, u64)>,
    pub limit: usize,
}

/// A note as it was delivered, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedInjection {
    pub seq: u64,
    pub number: u64,
    pub row: InjectionRow,
}

impl Tables {
    pub fn event_page(&self, page: &EventPage) -> Result<Found<EventRow, u64>, StoreError> {
        let newest = page.order == Order::NewestFirst;
        let mut query = Query::new(format!("SELECT {EVENT_COLUMNS} FROM events"));
        page.narrow(&mut query);
        if let Some(behind) = page.behind {
            query.and(if newest { "seq < ?" } else { "seq > ?" }, number(behind));
        }
        let end = if page.is_sought() { self.end_of_stretch(page)? } else { None };
        if let Some(end) = end {
            query.and(if newest { "seq >= ?" } else { "seq <= ?" }, number(end));
        }
        query.tail(if newest { "ORDER BY seq DESC" } else { "ORDER BY seq" }, page.limit + 1);
        skip(&mut query, page.offset);
        let found = self.found(&query, (page.limit, page.limit + 1), read_event, |_| true, |row| row.seq)?;
        Ok(Found { next: found.next.or(end), ..found })
    }

    /// `None` where counting them would mean to look at every event.
    pub fn total_events(&self, page: &EventPage) -> Result<Option<u64>, StoreError> {
        if page.is_sought() {
            return Ok(None);
        }
        let mut query = Query::new("SELECT COUNT(*) FROM events".to_owned());
        page.narrow(&mut query);
        Ok(self.rows(query, |row| unsigned(row, 0))?.pop())
    }

    /// The last position of the stretch a page looks at; none if it ends where the events end.
    fn end_of_stretch(&self, page: &EventPage) -> Result<Option<u64>, StoreError> {
        let ends = Query::new("SELECT MIN(seq), MAX(seq) FROM events".to_owned());
        let ends = self.rows(ends, |row| {
            Ok((row.get::<_, Option<i64>>(0)?.unwrap_or(0), row.get::<_, Option<i64>>(1)?.unwrap_or(0)))
        })?;
        let (first, last) = ends.first().map_or((0, 0), |(first, last)| (*first as u64, *last as u64));
        Ok(match page.order {
            Order::NewestFirst => {
                let end = page.behind.unwrap_or(last + 1).min(last + 1).saturating_sub(STRETCH);
                (end > first.max(page.after.unwrap_or(0))).then_some(end)
            }
            Order::OldestFirst => {
                let begin = page.behind.or(page.after).unwrap_or(0).max(first);
                let end = begin.saturating_add(STRETCH);
                (end < last).then_some(end)
            }
        })
    }

    /// Newest first.
    pub fn injection_page(
        &self,
        page: &InjectionPage,
    ) -> Result<Found<PlacedInjection, (u64, u64)>, StoreError> {
        let mut query = Query::new(format!("SELECT {INJECTION_COLUMNS} FROM injections"));
        page.narrow(&mut query);
        if let Some((seq, at)) = page.before {
            query
                .and_all("(seq, number) < (?, ?)", [Value::Integer(number(seq)), Value::Integer(number(at))]);
        }
        let bound = match &page.behavior {
            Some(_) => MAX_LOOKED_AT.max(page.limit),
            None => page.limit + 1,
        };
        query.tail("ORDER BY seq DESC, number DESC", bound);
        let holds = |injection: &PlacedInjection| {
            page.behavior.as_ref().is_none_or(|behavior| *behavior == injection.row.behavior)
        };
        let place = |injection: &PlacedInjection| (injection.seq, injection.number);
        self.found(&query, (page.limit, bound), read_injection, holds, place)
    }

    pub fn total_injections(&self, page: &InjectionPage) -> Result<u64, StoreError> {
        let mut query = Query::new("SELECT COUNT(*) FROM injections".to_owned());
        page.narrow(&mut query);
        if let Some(behavior) = &page.behavior {
            query.and("behavior = ?", behavior.clone());
        }
        Ok(self.rows(query, |row| unsigned(row, 0))?.pop().unwrap_or(0))
    }
}

impl EventPage {
    /// Whether something without an index is asked for.
    fn is_sought(&self) -> bool {
        self.session.is_none() && (self.kind.is_some() || self.tool.is_some() || self.agent.is_some())
    }

    fn narrow(&self, query: &mut Query) {
        if let Some(session) = &self.session {
            query.and("session = ?", session.as_str().to_owned());
        }
        for (condition, wanted) in
            [("kind = ?", &self.kind), ("tool = ?", &self.tool), ("agent = ?", &self.agent)]
        {
            if let Some(wanted) = wanted {
                query.and(condition, wanted.clone());
            }
        }
        if let Some(after) = self.after {
            query.and("seq > ?", number(after));
        }
    }
}

impl InjectionPage {
    fn narrow(&self, query: &mut Query) {
        if let Some(session) = &self.session {
            query.and("session = ?", session.as_str().to_owned());
        }
        if let Some(memory) = self.memory {
            query.and("seq IN (SELECT seq FROM deed_places WHERE id = ?)", number(memory.as_u64()));
        }
        if let Some(since) = self.since {
            query.and("at >= ?", number(since));
        }
    }
}

pub(super) const INJECTION_COLUMNS: &str =
    "seq, number, at, session, subagent, event, behavior, tokens, text, items";

pub(super) fn read_injection(row: &Row<'_>) -> rusqlite::Result<PlacedInjection> {
    let items: Option<String> = row.get(9)?;
    Ok(PlacedInjection {
        seq: unsigned(row, 0)?,
        number: unsigned(row, 1)?,
        row: InjectionRow {
            at: unsigned(row, 2)?,
            session: session_id(row, 3)?,
            subagent: row.get(4)?,
            event: row.get(5)?,
            behavior: row.get(6)?,
            tokens: row.get(7)?,
            text: row.get(8)?,
            items: items.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
        },
    })
}
