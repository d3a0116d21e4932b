//! Counts over time, for charts, and the totals they add up to. Every series is one walk over an index of times, as
//! long as what lies in the span; what is counted by the day has no hours.

use std::collections::BTreeMap;

use model::Millis;
use rusqlite::{Connection, params};

use super::batch::number;
use super::read::unsigned;
use super::rows::DAY_MS;
use super::{Batch, Count, Tables, sort};
use crate::StoreError;

/// Rows of one series: as many points of as many names as a chart can show.
const MAX_POINTS: usize = 50_000;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    Events,
    Prompts,
    /// By when they began.
    Sessions,
    /// By kind.
    Memories,
    TokensInjected,
    /// What the work behind memories that were shown had cost. A memory counts once a session, when it was shown last.
    TokensRecalled,
    TokensDistilled,
    /// By kind, and by the day alone.
    Redactions,
}

/// From when, until when (not included), in steps of this length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub since: Millis,
    pub until: Millis,
    pub step: Millis,
}

/// Steps without anything have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeriesPoint {
    /// What it is a count of, where there are several kinds; otherwise empty.
    pub name: String,
    /// When its step begins. Steps are counted from the beginning of the span.
    pub at: Millis,
    pub value: u64,
}

/// Everything at once. `Tables::stats` says more and looks at every row for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Totals {
    pub workspaces: u64,
    pub sessions: u64,
    pub prompts: u64,
    pub events: u64,
    pub memories: u64,
    pub memories_by_kind: Vec<Count>,
    /// What the memories cost to read, and what the work they stand for cost.
    pub memory_tokens: u64,
    pub raw_tokens: u64,
    pub injections: u64,
    pub injected_tokens: u64,
    pub recalled_tokens: u64,
    pub distilled_tokens: u64,
    pub verdicts: Vec<Count>,
    pub redactions: Vec<Count>,
}

impl Tables {
    /// Oldest first. One walk over an index, without sorting: a step is a range of it.
    pub fn series(&self, series: Series, span: Span) -> Result<Vec<SeriesPoint>, StoreError> {
        let gathered = match series.sql() {
            Counted::ByStep(sql) => by_step(&self.connection, sql, span),
            Counted::ByKind(sql) => by_kind(&self.connection, sql, span),
        };
        gathered.map_err(|e| sort(&self.path, e))
    }

    pub fn totals(&self) -> Result<Totals, StoreError> {
        totals(&self.connection).map_err(|e| sort(&self.path, e))
    }
}

impl Batch<'_> {
    /// What a model was paid. Repeating it changes nothing.
    pub fn put_distillation(&mut self, seq: u64, at: Millis, tokens: u64) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO distillations (seq, at, tokens) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            [number(seq), number(at), number(tokens)],
        )?;
        Ok(())
    }
}

/// How a series is asked for: the sum of one step, or every time with its kind and count.
enum Counted {
    ByStep(&'static str),
    ByKind(&'static str),
}

impl Series {
    const fn sql(self) -> Counted {
        match self {
            Self::Events => Counted::ByStep("SELECT COUNT(*) FROM events WHERE at >= ?1 AND at < ?2"),
            Self::Prompts => Counted::ByStep("SELECT COUNT(*) FROM prompts WHERE at >= ?1 AND at < ?2"),
            // No index: there are thousands where there are millions of events.
            Self::Sessions => Counted::ByKind(
                "SELECT '', started_at, 1 FROM sessions WHERE started_at >= ?1 AND started_at < ?2",
            ),
            Self::Memories => Counted::ByKind(
                "SELECT kind, at, 1 FROM memories INDEXED BY memories_by_time WHERE at >= ?1 AND at < ?2",
            ),
            Self::TokensInjected => {
                Counted::ByStep("SELECT COALESCE(SUM(tokens), 0) FROM injections WHERE at >= ?1 AND at < ?2")
            }
            Self::TokensRecalled => Counted::ByStep(
                "SELECT COALESCE(SUM(memories.raw_tokens), 0) FROM injected
                     CROSS JOIN memories INDEXED BY memories_by_cost ON memories.id = injected.memory
                 WHERE injected.at >= ?1 AND injected.at < ?2",
            ),
            Self::TokensDistilled => {
                Counted::ByKind("SELECT '', at, tokens FROM distillations WHERE at >= ?1 AND at < ?2")
            }
            Self::Redactions => Counted::ByKind(
                "SELECT kind, day * 86400000, count FROM redactions
                 WHERE day >= ?1 / 86400000 AND day * 86400000 < ?2",
            ),
        }
    }
}

fn by_step(connection: &Connection, sql: &str, span: Span) -> rusqlite::Result<Vec<SeriesPoint>> {
    let mut statement = connection.prepare_cached(sql)?;
    let step = span.step.max(1);
    let mut points = Vec::new();
    let mut at = span.since;
    while at < span.until && points.len() < MAX_POINTS {
        let end = at.saturating_add(step).min(span.until);
        let value = statement.query_row(params![number(at), number(end)], |row| unsigned(row, 0))?;
        if value > 0 {
            points.push(SeriesPoint { name: String::new(), at, value });
        }
        at = at.saturating_add(step);
    }
    Ok(points)
}

fn by_kind(connection: &Connection, sql: &str, span: Span) -> rusqlite::Result<Vec<SeriesPoint>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![number(span.since), number(span.until)])?;
    let step = span.step.max(1);
    let mut sums: BTreeMap<Millis, Vec<(String, u64)>> = BTreeMap::new();
    let mut points = 0;
    while let Some(row) = rows.next()? {
        let name = row.get_ref(0)?.as_str()?;
        let at = span.since + unsigned(row, 1)?.saturating_sub(span.since) / step * step;
        let kinds = sums.entry(at).or_default();
        let value = unsigned(row, 2)?;
        match kinds.iter_mut().find(|(kind, _)| kind == name) {
            Some((_, sum)) => *sum = sum.saturating_add(value),
            None if points < MAX_POINTS => {
                points += 1;
                kinds.push((name.to_owned(), value));
            }
            None => {}
        }
    }
    let flat = sums
        .into_iter()
        .flat_map(|(at, kinds)| kinds.into_iter().map(move |(name, value)| SeriesPoint { name, at, value }));
    Ok(flat.collect())
}

/// The days of `redactions` are as long as ours.
const _: () = assert!(DAY_MS == 86_400_000);

fn totals(connection: &Connection) -> rusqlite::Result<Totals> {
    let one = |sql: &str| -> rusqlite::Result<u64> {
        connection.prepare_cached(sql)?.query_row([], |row| unsigned(row, 0))
    };
    let names = |sql: &str| -> rusqlite::Result<Vec<Count>> {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_map([], |row| Ok(Count { name: row.get(0)?, count: unsigned(row, 1)? }))?.collect()
    };
    let (mut memories_by_kind, mut memory_tokens, mut raw_tokens) = (Vec::new(), 0, 0);
    let mut kinds = connection.prepare_cached(
        "SELECT kind, SUM(memories), SUM(tokens), SUM(raw_tokens) FROM tallies
         GROUP BY kind HAVING SUM(memories) > 0 ORDER BY 2 DESC, 1",
    )?;
    let mut rows = kinds.query([])?;
    while let Some(row) = rows.next()? {
        memories_by_kind.push(Count { name: row.get(0)?, count: unsigned(row, 1)? });
        memory_tokens += unsigned(row, 2)?;
        raw_tokens += unsigned(row, 3)?;
    }
    Ok(Totals {
        workspaces: one("SELECT COUNT(*) FROM workspaces")?,
        sessions: one("SELECT COUNT(*) FROM sessions")?,
        prompts: one("SELECT COUNT(*) FROM prompts")?,
        events: one("SELECT COUNT(*) FROM events")?,
        memories: memories_by_kind.iter().map(|kind| kind.count).sum(),
        memories_by_kind,
        memory_tokens,
        raw_tokens,
        injections: one("SELECT COUNT(*) FROM injections")?,
        injected_tokens: one("SELECT COALESCE(SUM(tokens), 0) FROM injections")?,
        recalled_tokens: one("SELECT COALESCE(SUM(memories.raw_tokens), 0) FROM injected
                 CROSS JOIN memories INDEXED BY memories_by_cost ON memories.id = injected.memory")?,
        distilled_tokens: one("SELECT COALESCE(SUM(tokens), 0) FROM distillations")?,
        verdicts: names("SELECT verdict, COUNT(*) FROM verdicts GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10")?,
        redactions: names("SELECT kind, SUM(count) FROM redactions GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 100")?,
    })
}
