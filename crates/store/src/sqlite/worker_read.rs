//! What clients of the worker API ask that nobody else does: things by number, and the names of projects. Their ids are
//! integers that JavaScript can hold; ours are made from what they name, so that a number stays the same when the tables
//! are derived anew.

use model::{EventId, MemoryId, SessionId};
use rusqlite::{OptionalExtension, params};

use super::batch::number;
use super::memory_read::{SummaryRow, read_summary};
use super::read::{read_prompt, session_id, unsigned};
use super::{PromptRow, Tables, sort};
use crate::StoreError;

/// How many of each there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerCounts {
    pub memories: u64,
    pub sessions: u64,
    pub summaries: u64,
    /// When the first of the memories happened; 0 where there is none.
    pub first_at: u64,
}

impl Tables {
    /// The session whose id fits, looking at those last seen first. Reads one index, so a session of today costs little
    /// and one that is not there as much as there are sessions.
    pub fn session_that(&self, fits: impl Fn(&str) -> bool) -> Result<Option<SessionId>, StoreError> {
        self.connection
            .prepare_cached("SELECT id FROM sessions ORDER BY last_seen_at DESC")
            .and_then(|mut statement| {
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    if fits(row.get_ref(0)?.as_str()?) {
                        return session_id(row, 0).map(Some);
                    }
                }
                Ok(None)
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// The first prompt with an id from here to there.
    pub fn prompt_between(&self, first: EventId, last: EventId) -> Result<Option<PromptRow>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT id, session, number, at, text FROM prompts WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1",
            )
            .and_then(|mut statement| {
                let bounds = params![first.as_bytes(), last.as_bytes()];
                statement.query_row(bounds, read_prompt).optional()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// The five answers beside a memory that is a summary.
    pub fn summary_of(&self, id: MemoryId) -> Result<Option<SummaryRow>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT id, session, at, request, investigated, learned, completed, next_steps FROM summaries
                 WHERE id = ?1",
            )
            .and_then(|mut statement| statement.query_row([number(id.as_u64())], read_summary).optional())
            .map_err(|e| sort(&self.path, e))
    }

    /// The projects of sessions, last seen first. Grows with the number of sessions.
    pub fn project_names(&self, limit: usize) -> Result<Vec<String>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT project FROM sessions WHERE project IS NOT NULL GROUP BY project
                 ORDER BY MAX(last_seen_at) DESC LIMIT ?1",
            )
            .and_then(|mut statement| {
                statement.query_map([number(limit as u64)], |row| row.get(0))?.collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// Counted over the smallest index of each table: it grows with them.
    pub fn worker_counts(&self) -> Result<WorkerCounts, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT (SELECT COUNT(*) FROM memories), (SELECT COUNT(*) FROM sessions),
                    (SELECT COUNT(*) FROM summaries), (SELECT COALESCE(MIN(at), 0) FROM memories)",
            )
            .and_then(|mut statement| {
                statement.query_row([], |row| {
                    Ok(WorkerCounts {
                        memories: unsigned(row, 0)?,
                        sessions: unsigned(row, 1)?,
                        summaries: unsigned(row, 2)?,
                        first_at: unsigned(row, 3)?,
                    })
                })
            })
            .map_err(|e| sort(&self.path, e))
    }
}
