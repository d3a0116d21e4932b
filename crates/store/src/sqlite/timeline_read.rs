//! One session from its beginning to its end: events, what was put in front of the agent, what guards said, what was
//! kept of it, in the order of the journal. Every step is a step in an index by session and position, so a page costs
//! the same at the beginning and at the end of a long session.

use model::{MemoryKind, Millis, SessionId};
use rusqlite::Row;
use rusqlite::types::Value;

use super::batch::number;
use super::event_pages::{INJECTION_COLUMNS, PlacedInjection, read_injection};
use super::read::{EVENT_COLUMNS, Query, read_event, unsigned};
use super::verdict_rows::{self, VerdictRow};
use super::{EventRow, Order, Tables};
use crate::StoreError;

/// What a session was asked and what is a piece of its transcript are told by events.
/// What was said better since is behind what says it.
const SHOWN: &str = "kind NOT IN ('prompt', 'chunk') AND superseded_by IS NULL";

/// Where something stands: the journal's position, which of those that share it, and which of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MomentKey {
    pub seq: u64,
    pub rank: u8,
    pub number: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    Event(EventRow),
    Injection(PlacedInjection),
    Verdict(VerdictRow),
    Memory(KeptMemory),
}

/// A memory as a line of a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptMemory {
    pub n: u64,
    pub seq: u64,
    pub id: String,
    pub kind: MemoryKind,
    pub at: Millis,
    pub title: String,
    pub tokens: u64,
}

/// Which moments of a session, and from where on.
#[expect(clippy::struct_excessive_bools, reason = "each source is asked or not, independently of the others")]
#[derive(Debug, Clone)]
pub struct Moments<'a> {
    pub session: &'a SessionId,
    pub order: Order,
    /// Behind this one, in the order of the list.
    pub behind: Option<MomentKey>,
    /// Not beyond these positions.
    pub from_seq: Option<u64>,
    pub until_seq: Option<u64>,
    pub events: bool,
    pub injections: bool,
    pub verdicts: bool,
    pub memories: bool,
    pub limit: usize,
}

/// How many moments a session has, by what they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MomentCounts {
    pub events: Vec<EventCount>,
    pub injections: u64,
    pub verdicts: u64,
    pub memories: u64,
}

/// Events of one name, tool and subagent, and one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCount {
    pub sample: EventRow,
    pub count: u64,
}

impl Moment {
    pub fn key(&self) -> MomentKey {
        match self {
            Self::Event(row) => MomentKey { seq: row.seq, rank: 0, number: 0 },
            Self::Injection(row) => MomentKey { seq: row.seq, rank: 1, number: row.number },
            Self::Verdict(row) => MomentKey { seq: row.seq, rank: 2, number: 0 },
            Self::Memory(row) => MomentKey { seq: row.seq, rank: 3, number: row.n },
        }
    }
}

impl Tables {
    /// At most as many as asked for; fewer are all there are.
    pub fn moments(&self, ask: &Moments<'_>) -> Result<Vec<Moment>, StoreError> {
        let mut found: Vec<Moment> = Vec::new();
        if ask.events {
            let query = ask.query(EVENT_COLUMNS, "events", 0, None);
            found.extend(self.rows(query, |row| read_event(row).map(Moment::Event))?);
        }
        if ask.injections {
            let query = ask.query(INJECTION_COLUMNS, "injections", 1, Some("number"));
            found.extend(self.rows(query, |row| read_injection(row).map(Moment::Injection))?);
        }
        if ask.verdicts {
            let query = ask.query(verdict_rows::COLUMNS, "verdicts", 2, None);
            found.extend(self.rows(query, |row| verdict_rows::read(row).map(Moment::Verdict))?);
        }
        if ask.memories {
            let query = ask.query("n, seq, id, kind, at, title, tokens", "memories", 3, Some("n"));
            found.extend(self.rows(query, |row| read_kept(row).map(Moment::Memory))?);
        }
        found.sort_unstable_by_key(Moment::key);
        if ask.order == Order::NewestFirst {
            found.reverse();
        }
        found.truncate(ask.limit);
        Ok(found)
    }

    /// Looks at every event of the session.
    pub fn moment_counts(&self, session: &SessionId) -> Result<MomentCounts, StoreError> {
        let mut events = Query::new(format!("SELECT {EVENT_COLUMNS}, COUNT(*) FROM events"));
        events.and("session = ?", session.as_str().to_owned());
        events.tail("GROUP BY kind, tool, subagent", 0);
        let events =
            self.rows(events, |row| Ok(EventCount { sample: read_event(row)?, count: unsigned(row, 11)? }))?;
        Ok(MomentCounts { events, ..self.moment_totals(session)? })
    }

    /// Without events, which are counted in the session's row.
    pub fn moment_totals(&self, session: &SessionId) -> Result<MomentCounts, StoreError> {
        let one = |sql: &str| -> Result<u64, StoreError> {
            let mut query = Query::new(sql.to_owned());
            query.and("session = ?", session.as_str().to_owned());
            Ok(self.rows(query, |row| unsigned(row, 0))?.pop().unwrap_or(0))
        };
        let mut memories = Query::new("SELECT COUNT(*) FROM memories".to_owned());
        memories.and(&format!("{SHOWN} AND session = ?"), session.as_str().to_owned());
        Ok(MomentCounts {
            events: Vec::new(),
            injections: one("SELECT COUNT(*) FROM injections")?,
            verdicts: one("SELECT COUNT(*) FROM verdicts")?,
            memories: self.rows(memories, |row| unsigned(row, 0))?.pop().unwrap_or(0),
        })
    }

    /// Events of one tool and subagent on one side of a position, the nearest first: where the other half of a call
    /// is looked for.
    pub fn calls_near(
        &self,
        of: &EventRow,
        beyond: u64,
        order: Order,
        limit: usize,
    ) -> Result<Vec<EventRow>, StoreError> {
        let later = order == Order::OldestFirst;
        let mut query = Query::new(format!("SELECT {EVENT_COLUMNS} FROM events"));
        query.and("session = ?", of.session.as_str().to_owned());
        query.and(if later { "seq > ?" } else { "seq < ?" }, number(beyond));
        // Calls that belong together are near each other; further away the look is not worth its time.
        let reach = number(CALL_REACH);
        query.and(
            if later { "seq <= ?" } else { "seq >= ?" },
            if later { number(beyond).saturating_add(reach) } else { number(beyond).saturating_sub(reach) },
        );
        query.and("tool IS ?", of.tool.clone().map_or(Value::Null, Value::Text));
        query.and("subagent IS ?", of.subagent.clone().map_or(Value::Null, Value::Text));
        query.tail(if later { "ORDER BY seq" } else { "ORDER BY seq DESC" }, limit);
        self.rows(query, read_event)
    }

    /// The position of a session's first event at or after a moment; one beyond its last if there is none. Times grow
    /// with positions but for what came late, so this halves instead of looking at all.
    pub fn position_at(&self, session: &SessionId, at: Millis) -> Result<u64, StoreError> {
        let (mut low, mut high) =
            match (self.edge(session, "ORDER BY seq")?, self.edge(session, "ORDER BY seq DESC")?) {
                (Some((first, _)), Some((last, _))) => (first, last + 1),
                _ => return Ok(0),
            };
        while low < high {
            let middle = low + (high - low) / 2;
            let mut query = Query::new("SELECT seq, at FROM events".to_owned());
            query.and("session = ?", session.as_str().to_owned());
            query.and("seq >= ?", number(middle));
            query.tail("ORDER BY seq", 1);
            match self.rows(query, |row| Ok((unsigned(row, 0)?, unsigned(row, 1)?)))?.pop() {
                Some((seq, seen)) if seen < at => low = seq + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// When a session's first and last event happened.
    pub fn ends_of(&self, session: &SessionId) -> Result<Option<(Millis, Millis)>, StoreError> {
        let first = self.edge(session, "ORDER BY seq")?;
        let last = self.edge(session, "ORDER BY seq DESC")?;
        Ok(first.zip(last).map(|((_, first), (_, last))| (first, last)))
    }

    fn edge(&self, session: &SessionId, order: &str) -> Result<Option<(u64, Millis)>, StoreError> {
        let mut query = Query::new("SELECT seq, at FROM events".to_owned());
        query.and("session = ?", session.as_str().to_owned());
        query.tail(order, 1);
        Ok(self.rows(query, |row| Ok((unsigned(row, 0)?, unsigned(row, 1)?)))?.pop())
    }
}

/// Positions between the two halves of a call that are found again.
const CALL_REACH: u64 = 2000;

impl Moments<'_> {
    /// One source, in the order of the list, behind what was seen.
    fn query(&self, columns: &str, table: &str, rank: u8, within: Option<&str>) -> Query {
        let mut query = Query::new(format!("SELECT {columns} FROM {table}"));
        query.and("session = ?", self.session.as_str().to_owned());
        if table == "memories" {
            query.and_all(SHOWN, []);
        }
        let newest = self.order == Order::NewestFirst;
        if let Some(behind) = self.behind {
            let (strictly, also) = if newest { ("<", "<=") } else { (">", ">=") };
            // Of those that share a position the lower ranks come first.
            let is_next = if newest { rank < behind.rank } else { rank > behind.rank };
            match within {
                Some(within) if rank == behind.rank => query.and_all(
                    &format!("(seq, {within}) {strictly} (?, ?)"),
                    [Value::Integer(number(behind.seq)), Value::Integer(number(behind.number))],
                ),
                _ => {
                    query
                        .and(&format!("seq {} ?", if is_next { also } else { strictly }), number(behind.seq));
                }
            }
        }
        if let Some(from) = self.from_seq {
            query.and("seq >= ?", number(from));
        }
        if let Some(until) = self.until_seq {
            query.and("seq < ?", number(until));
        }
        let direction = if newest { "DESC" } else { "ASC" };
        let order = match within {
            Some(within) => format!("ORDER BY seq {direction}, {within} {direction}"),
            None => format!("ORDER BY seq {direction}"),
        };
        query.tail(&order, self.limit);
        query
    }
}

fn read_kept(row: &Row<'_>) -> rusqlite::Result<KeptMemory> {
    Ok(KeptMemory {
        n: unsigned(row, 0)?,
        seq: unsigned(row, 1)?,
        id: model::MemoryId::from_u64(unsigned(row, 2)?).to_string(),
        kind: MemoryKind::from_name(&row.get::<_, String>(3)?).unwrap_or(MemoryKind::Note),
        at: unsigned(row, 4)?,
        title: row.get(5)?,
        tokens: unsigned(row, 6)?,
    })
}
