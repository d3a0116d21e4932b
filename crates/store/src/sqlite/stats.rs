//! Counts over everything, for `stats` and `doctor`.

use rusqlite::Connection;

use super::read::{optional, unsigned};
use super::{Count, DayCount, Stats, Tables, sort};
use crate::StoreError;

/// More names than this is noise on a terminal; the rest is in the tables.
const MAX_NAMES: usize = 100;
/// A year and a leap day.
const MAX_DAYS: usize = 366;

const REDACTIONS: &str = "SELECT kind, SUM(count) AS n FROM redactions GROUP BY kind";

impl Tables {
    pub fn stats(&self) -> Result<Stats, StoreError> {
        gather(&self.connection).map_err(|e| sort(&self.path, e))
    }

    /// How many secrets of each kind were taken out, most first. The table has a row a day and kind.
    pub fn redactions(&self) -> Result<Vec<Count>, StoreError> {
        names(&self.connection, REDACTIONS).map_err(|e| sort(&self.path, e))
    }
}

fn gather(connection: &Connection) -> rusqlite::Result<Stats> {
    let count = |table: &str| -> rusqlite::Result<u64> {
        connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| unsigned(row, 0))
    };
    let (bytes, first_at, last_at) =
        connection.query_row("SELECT COALESCE(SUM(bytes), 0), MIN(at), MAX(at) FROM events", [], |row| {
            Ok((unsigned(row, 0)?, optional(row, 1)?, optional(row, 2)?))
        })?;
    let (memory_tokens, raw_tokens) = connection.query_row(
        "SELECT COALESCE(SUM(tokens), 0), COALESCE(SUM(raw_tokens), 0) FROM memories",
        [],
        |row| Ok((unsigned(row, 0)?, unsigned(row, 1)?)),
    )?;
    Ok(Stats {
        workspaces: count("workspaces")?,
        sessions: count("sessions")?,
        prompts: count("prompts")?,
        events: count("events")?,
        memories: count("memories")?,
        bytes,
        first_at,
        last_at,
        by_kind: names(connection, "SELECT kind, COUNT(*) AS n FROM events GROUP BY kind")?,
        by_tool: names(
            connection,
            "SELECT tool, COUNT(*) AS n FROM events WHERE tool IS NOT NULL GROUP BY tool",
        )?,
        by_day: days(connection, "events")?,
        redactions: names(connection, REDACTIONS)?,
        memories_by_kind: names(connection, "SELECT kind, COUNT(*) AS n FROM memories GROUP BY kind")?,
        memories_by_day: days(connection, "memories")?,
        memory_tokens,
        raw_tokens,
    })
}

fn names(connection: &Connection, grouped: &str) -> rusqlite::Result<Vec<Count>> {
    let mut statement = connection.prepare(&format!("{grouped} ORDER BY n DESC, 1 LIMIT {MAX_NAMES}"))?;
    statement.query_map([], |row| Ok(Count { name: row.get(0)?, count: unsigned(row, 1)? }))?.collect()
}

fn days(connection: &Connection, table: &str) -> rusqlite::Result<Vec<DayCount>> {
    let day = super::rows::DAY_MS;
    let mut statement = connection.prepare(&format!(
        "SELECT at / {day} AS day, COUNT(*) FROM {table} GROUP BY day ORDER BY day DESC LIMIT {MAX_DAYS}"
    ))?;
    statement
        .query_map([], |row| Ok(DayCount { day: unsigned(row, 0)?, count: unsigned(row, 1)? }))?
        .collect()
}
