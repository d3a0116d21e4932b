//! What is new since somebody looked: memories by the number they were filed under, which grows and is never used
//! twice. Each question costs as much as it gives back.

use super::batch::number;
use super::memory_rows::{MEMORY_COLUMNS, MemoryRow, read_memory};
use super::read::unsigned;
use super::{Tables, sort};
use crate::StoreError;

impl Tables {
    /// The number of the newest memory; 0 where there is none.
    pub fn newest_number(&self) -> Result<u64, StoreError> {
        self.connection
            .prepare_cached("SELECT COALESCE(MAX(n), 0) FROM memories")
            .and_then(|mut statement| statement.query_row([], |row| unsigned(row, 0)))
            .map_err(|e| sort(&self.path, e))
    }

    /// Those with a larger number, smallest first.
    pub fn memories_beyond(&self, n: u64, limit: usize) -> Result<Vec<MemoryRow>, StoreError> {
        self.connection
            .prepare_cached(&format!(
                "SELECT {MEMORY_COLUMNS} FROM memories WHERE n > ?1 ORDER BY n LIMIT ?2"
            ))
            .and_then(|mut statement| {
                statement.query_map([number(n), number(limit as u64)], read_memory)?.collect()
            })
            .map_err(|e| sort(&self.path, e))
    }
}
