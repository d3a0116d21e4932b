//! Counts over time, for charts, and the totals they add up to. Every series is one walk over an index of times, as
//! long as what lies in the span; what was not counted by the hour is not told by the hour.

use model::Millis;
use rusqlite::{Connection, params};

use super::batch::number;
use super::read::unsigned;
use super::rows::DAY_MS;
use super::{Batch, Count, Tables, sort};
use crate::StoreError;

/// Rows of one series: as many points of as many names as a chart can show.
const MAX_POINTS: i64 = 50_000;

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
    /// When its step begins, in UTC.
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
    /// Oldest first.
    pub fn series(&self, series: Series, span: Span) -> Result<Vec<SeriesPoint>, StoreError> {
        let step = number(span.step.max(1));
        self.connection
            .prepare_cached(series.sql())
            .and_then(|mut statement| {
                let values = params![number(span.since), number(span.until), step, MAX_POINTS];
                statement
                    .query_map(values, |row| {
                        Ok(SeriesPoint {
                            name: row.get(0)?,
                            at: unsigned(row, 1)?.saturating_mul(span.step.max(1)),
                            value: unsigned(row, 2)?,
                        })
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
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

impl Series {
    const fn sql(self) -> &'static str {
        match self {
            Self::Events => {
                "SELECT '', at / ?3, COUNT(*) FROM events WHERE at >= ?1 AND at < ?2 GROUP BY 2 ORDER BY 2 LIMIT ?4"
            }
            Self::Prompts => {
                "SELECT '', at / ?3, COUNT(*) FROM prompts WHERE at >= ?1 AND at < ?2 GROUP BY 2 ORDER BY 2 LIMIT ?4"
            }
            Self::Sessions => {
                "SELECT '', started_at / ?3, COUNT(*) FROM sessions WHERE started_at >= ?1 AND started_at < ?2
                 GROUP BY 2 ORDER BY 2 LIMIT ?4"
            }
            Self::Memories => {
                "SELECT kind, at / ?3, COUNT(*) FROM memories INDEXED BY memories_by_time
                 WHERE at >= ?1 AND at < ?2 GROUP BY 2, 1 ORDER BY 2 LIMIT ?4"
            }
            Self::TokensInjected => {
                "SELECT '', at / ?3, SUM(tokens) FROM injections WHERE at >= ?1 AND at < ?2
                 GROUP BY 2 ORDER BY 2 LIMIT ?4"
            }
            Self::TokensRecalled => {
                "SELECT '', injected.at / ?3, SUM(memories.raw_tokens) FROM injected
                     CROSS JOIN memories ON memories.id = injected.memory
                 WHERE injected.at >= ?1 AND injected.at < ?2 GROUP BY 2 ORDER BY 2 LIMIT ?4"
            }
            Self::TokensDistilled => {
                "SELECT '', at / ?3, SUM(tokens) FROM distillations WHERE at >= ?1 AND at < ?2
                 GROUP BY 2 ORDER BY 2 LIMIT ?4"
            }
            // Days are all that is known.
            Self::Redactions => {
                "SELECT kind, day * 86400000 / ?3, SUM(count) FROM redactions
                 WHERE day >= ?1 / 86400000 AND day * 86400000 < ?2 GROUP BY 2, 1 ORDER BY 2 LIMIT ?4"
            }
        }
    }
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
        "SELECT kind, COUNT(*), SUM(tokens), SUM(raw_tokens) FROM memories INDEXED BY memories_by_time
         GROUP BY kind ORDER BY 2 DESC, 1",
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
                 CROSS JOIN memories ON memories.id = injected.memory")?,
        distilled_tokens: one("SELECT COALESCE(SUM(tokens), 0) FROM distillations")?,
        verdicts: names("SELECT verdict, COUNT(*) FROM verdicts GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10")?,
        redactions: names("SELECT kind, SUM(count) FROM redactions GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 100")?,
    })
}
