//! What distilling a session again by newer rules needs to ask and to note. Knows no rules.

use model::{MemoryId, SessionId};
use rusqlite::params;

use super::batch::number;
use super::read::unsigned;
use super::{Batch, Tables, sort};
use crate::StoreError;

/// Distillers that need no model name themselves so, with the number of their rules behind it.
const EXTRACTIVE: &str = "extractive/%";

impl Tables {
    /// Sessions with memories of another distiller than this one, those with the newest memory first. Reads all memories: for a
    /// start after an upgrade.
    pub fn sessions_distilled_by_others(&self, than: &str) -> Result<Vec<SessionId>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT session FROM memories
                 WHERE written_by LIKE ?1 AND written_by <> ?2 AND session IS NOT NULL AND author IS NULL
                 GROUP BY session ORDER BY MAX(at) DESC",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([EXTRACTIVE, than], |row| Ok(SessionId::new(&row.get::<_, String>(0)?)))?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// Whether a person ever wanted a memory gone.
    pub fn has_forgotten(&self) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM forgotten)")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(|e| sort(&self.path, e))
    }

    /// The positions of deeds in the journal that carry words of this memory.
    pub fn deeds_of(&self, id: MemoryId) -> Result<Vec<u64>, StoreError> {
        self.connection
            .prepare_cached("SELECT seq FROM deed_places WHERE id = ?1 ORDER BY seq")
            .and_then(|mut statement| {
                statement.query_map([number(id.as_u64())], |row| unsigned(row, 0))?.collect()
            })
            .map_err(|e| sort(&self.path, e))
    }
}

impl Batch<'_> {
    /// What is derived under one id from now on is kept under another.
    pub fn keep_under(&mut self, derived: MemoryId, kept: MemoryId) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO kept_ids (derived, kept) VALUES (?1, ?2) ON CONFLICT (derived) DO UPDATE SET kept = excluded.kept",
            params![number(derived.as_u64()), number(kept.as_u64())],
        )?;
        Ok(())
    }

    /// The id that what is derived under this one is kept under.
    pub(super) fn kept_id(&self, derived: MemoryId) -> Result<MemoryId, StoreError> {
        let kept = self.one("SELECT kept FROM kept_ids WHERE derived = ?1", [number(derived.as_u64())])?;
        Ok(kept.map_or(derived, |id| MemoryId::from_u64(id.unsigned_abs())))
    }
}
