//! What a session comes down to, read within the transaction that learns: its first and last prompts, its last
//! summaries and observations, the place it is at. Bounded by whoever asks.

use model::{Context, MemoryKind, Millis, SessionId, Summary};
use rusqlite::params;

use super::Batch;
use super::memory_rows::{MEMORY_COLUMNS, MemoryRow, read_list, read_memory};
use super::read::read_prompt;
use super::rows::PromptRow;
use crate::StoreError;

impl Batch<'_> {
    /// Oldest first.
    pub fn first_prompts(&self, session: &SessionId, limit: usize) -> Result<Vec<PromptRow>, StoreError> {
        self.rows(
            "SELECT id, session, number, at, text FROM prompts WHERE session = ?1 ORDER BY number LIMIT ?2",
            params![session.as_str(), limit as i64],
            read_prompt,
        )
    }

    /// Oldest of them first.
    pub fn last_prompts(&self, session: &SessionId, limit: usize) -> Result<Vec<PromptRow>, StoreError> {
        let mut last = self.rows(
            "SELECT id, session, number, at, text FROM prompts WHERE session = ?1 ORDER BY number DESC LIMIT ?2",
            params![session.as_str(), limit as i64],
            read_prompt,
        )?;
        last.reverse();
        Ok(last)
    }

    /// Oldest of them first, each with the tools of its memory.
    pub fn last_summaries(
        &self,
        session: &SessionId,
        limit: usize,
    ) -> Result<Vec<(Summary, Vec<String>)>, StoreError> {
        let mut last = self.rows(
            "SELECT request, investigated, learned, completed, next_steps,
                 (SELECT tools FROM memories WHERE memories.id = summaries.id)
             FROM summaries WHERE session = ?1 ORDER BY at DESC, id LIMIT ?2",
            params![session.as_str(), limit as i64],
            |row| {
                let summary = Summary {
                    request: row.get(0)?,
                    investigated: read_list(row, 1)?,
                    learned: read_list(row, 2)?,
                    completed: read_list(row, 3)?,
                    next_steps: read_list(row, 4)?,
                };
                Ok((summary, read_list(row, 5)?))
            },
        )?;
        last.reverse();
        Ok(last)
    }

    /// Those that still hold, oldest of them first.
    pub fn last_observations(&self, session: &SessionId, limit: usize) -> Result<Vec<MemoryRow>, StoreError> {
        let kinds: Vec<String> =
            MemoryKind::OBSERVATIONS.iter().map(|kind| format!("'{}'", kind.name())).collect();
        let sql = format!(
            "SELECT {MEMORY_COLUMNS} FROM memories WHERE session = ?1 AND superseded_by IS NULL AND kind IN ({})
             ORDER BY at DESC, n DESC LIMIT ?2",
            kinds.join(", ")
        );
        let mut last = self.rows(&sql, params![session.as_str(), limit as i64], read_memory)?;
        last.reverse();
        Ok(last)
    }

    /// Where a session is at work, in the words of an event's context.
    pub fn session_place(&self, session: &SessionId) -> Result<Context, StoreError> {
        let found = self.rows(
            "SELECT workspace, project, branch FROM sessions WHERE id = ?1",
            [session.as_str()],
            |row| {
                let mut context = Context::new();
                for (column, key) in ["workspace", "project", "branch"].into_iter().enumerate() {
                    if let Some(value) = row.get(column)? {
                        context.insert(key.to_owned(), value);
                    }
                }
                Ok(context)
            },
        )?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    /// When a session's hand-off was kept up last.
    pub fn hand_off_at(&self, session: &SessionId) -> Result<Option<Millis>, StoreError> {
        let at = self.one("SELECT at FROM hand_offs WHERE session = ?1", [session.as_str()])?;
        Ok(at.map(|at| at.max(0) as u64))
    }
}
