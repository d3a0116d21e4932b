//! What is asked while a session is credited and judged: what it was shown, and how its end looks from here.

use std::collections::BTreeMap;

use model::{MemoryId, SessionId};
use rusqlite::params;

use super::Batch;
use super::batch::number;
use super::read::unsigned;
use crate::StoreError;

/// A memory a session was shown, and what else it may be called by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownRow {
    pub id: MemoryId,
    pub title: String,
    /// The id or name it had where it was brought in from.
    pub external_id: Option<String>,
    /// The file it stands in, where a person keeps it in one.
    pub place: Option<String>,
}

impl Batch<'_> {
    /// Every memory a session was ever shown and that is still here.
    pub fn shown(&self, session: &SessionId) -> Result<Vec<ShownRow>, StoreError> {
        self.rows(
            "SELECT id, title, external_id, place FROM memories
             WHERE id IN (SELECT memory FROM injected WHERE session = ?1) ORDER BY n",
            [session.as_str()],
            |row| {
                Ok(ShownRow {
                    id: MemoryId::from_u64(unsigned(row, 0)?),
                    title: row.get(1)?,
                    external_id: row.get(2)?,
                    place: row.get(3)?,
                })
            },
        )
    }

    /// The notes a session was given, the newest first.
    pub fn told(&self, session: &SessionId, limit: usize) -> Result<Vec<String>, StoreError> {
        self.rows(
            "SELECT text FROM injections WHERE session = ?1 AND items IS NOT NULL
             ORDER BY at DESC, seq DESC, number DESC LIMIT ?2",
            params![session.as_str(), number(limit as u64)],
            |row| row.get(0),
        )
    }

    /// Where in the journal each kind of event of a session's main thread was last.
    pub fn last_of_each_kind(&self, session: &SessionId) -> Result<BTreeMap<String, u64>, StoreError> {
        let last = self.rows(
            "SELECT kind, MAX(seq) FROM events WHERE session = ?1 AND subagent IS NULL GROUP BY kind",
            [session.as_str()],
            |row| Ok((row.get(0)?, unsigned(row, 1)?)),
        )?;
        Ok(last.into_iter().collect())
    }

    /// The states of a session under a name, and under the same name for each of its subagents.
    pub fn states_of_all(&self, session: &SessionId, name: &str) -> Result<Vec<String>, StoreError> {
        self.rows(
            "SELECT state FROM session_states WHERE session = ?1 AND (name = ?2 OR substr(name, 1, ?3) = ?2 || ':')
             ORDER BY name",
            params![session.as_str(), name, number(name.chars().count() as u64 + 1)],
            |row| row.get(0),
        )
    }
}
