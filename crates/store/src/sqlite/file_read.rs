//! What keeping memories as files needs to ask and to note. Knows no files.

use model::{Memory, MemoryId, WorkspaceKey};
use rusqlite::params;

use super::batch::number;
use super::memory_rows::{MEMORY_COLUMNS, MemoryRow, read_memory};
use super::read::unsigned;
use super::{Batch, Tables, sort};
use crate::StoreError;

impl Tables {
    /// Memories that changed, came or went since somebody last compared them with their files.
    pub fn files_due(&self, limit: usize) -> Result<Vec<MemoryId>, StoreError> {
        self.connection
            .prepare_cached("SELECT id FROM files_due ORDER BY id LIMIT ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([limit as i64], |row| Ok(MemoryId::from_u64(unsigned(row, 0)?)))?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// Memories that are a person's own and hold, newest first. Reads all memories: for a start.
    pub fn memories_of_people(&self, limit: usize) -> Result<Vec<MemoryId>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT id FROM memories WHERE superseded_by IS NULL AND author IS NULL AND (kind = 'note' OR pinned OR critical
                     OR written_by = 'person' AND kind NOT IN ('prompt', 'chunk'))
                 ORDER BY at DESC LIMIT ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([limit as i64], |row| Ok(MemoryId::from_u64(unsigned(row, 0)?)))?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// The memory with exactly this id.
    pub fn memory_of(&self, id: MemoryId) -> Result<Option<MemoryRow>, StoreError> {
        self.connection
            .prepare_cached(&format!("SELECT {MEMORY_COLUMNS} FROM memories WHERE id = ?1"))
            .and_then(|mut statement| {
                statement.query_map([number(id.as_u64())], read_memory)?.next().transpose()
            })
            .map_err(|e| sort(&self.path, e))
    }
}

impl Batch<'_> {
    pub fn files_done(&mut self, ids: &[MemoryId]) -> Result<(), StoreError> {
        for id in ids {
            self.run("DELETE FROM files_due WHERE id = ?1", [number(id.as_u64())])?;
        }
        Ok(())
    }

    /// Nobody keeps memories as files: nothing is due.
    pub fn no_files_due(&mut self) -> Result<(), StoreError> {
        self.run("DELETE FROM files_due", [])?;
        Ok(())
    }

    /// Where a memory that was brought in again belongs and lies now. What it says is kept elsewhere.
    pub fn move_memory(&mut self, memory: &Memory) -> Result<(), StoreError> {
        self.run(
            "UPDATE memories SET project = ?2, project_key = ?3, workspace = ?4, branch = ?5, place = ?6,
                external_id = ?7
             WHERE id = ?1 AND (project, project_key, workspace, branch, place, external_id)
                IS NOT (?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                number(memory.id.as_u64()),
                memory.project,
                memory.project_key,
                memory.workspace.as_ref().map(WorkspaceKey::as_str),
                memory.branch,
                memory.provenance.place,
                memory.external_id,
            ],
        )?;
        Ok(())
    }
}
