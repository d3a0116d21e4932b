//! Brings over what only the old database knows when the tables are made anew: memories whose entries retention has
//! dropped from the journal, ids that are to stay forgotten, the use memories had. Everything else is derived again,
//! and must be: that is what making anew is for.

use std::path::Path;

use super::batch::number;
use super::memory_rows::MEMORY_COLUMNS;
use super::{Tables, sort};
use crate::StoreError;

/// Memories brought over with one statement. What lies on a damaged page costs its block and no more.
const BLOCK: u64 = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Carried {
    pub memories: u64,
    pub forgotten: u64,
    pub sessions: u64,
    /// Blocks of memories and tables that could not be read.
    pub unreadable: u64,
}

impl Tables {
    /// Takes over from the database at `from`, before anything is learned. `retained` is the first sequence number
    /// the journal still has. An error means that nothing could be read at all.
    pub fn carry_over(&mut self, from: &Path, retained: u64) -> Result<Carried, StoreError> {
        // Of an older release: made like ours first.
        drop(Self::open(from)?);
        let name = from.to_str().ok_or_else(|| StoreError::Damaged(from.to_owned()))?;
        self.connection.execute("ATTACH DATABASE ?1 AS before", [name]).map_err(|e| sort(from, e))?;
        let carried = self.carry_all(from, retained);
        self.connection.execute("DETACH DATABASE before", []).map_err(|e| sort(from, e))?;
        carried
    }

    fn carry_all(&mut self, from: &Path, retained: u64) -> Result<Carried, StoreError> {
        let mut carried = Carried::default();
        // Without a journal there is nothing to derive anything from.
        let retained = if retained == 0 { i64::MAX } else { number(retained) };
        let forgotten =
            self.carry("INSERT OR IGNORE INTO main.forgotten SELECT id FROM before.forgotten", &[]);
        carried.forgotten = note(forgotten, &mut carried.unreadable);
        let last: i64 = self
            .connection
            .query_row("SELECT COALESCE(MAX(n), 0) FROM before.memories", [], |row| row.get(0))
            .map_err(|e| sort(from, e))?;
        let memories = format!(
            "INSERT OR IGNORE INTO main.memories ({MEMORY_COLUMNS}, fingerprint, changed_at)
             SELECT {MEMORY_COLUMNS}, fingerprint, changed_at FROM before.memories
             WHERE n BETWEEN ?1 AND ?2 AND seq < ?3 AND id NOT IN (SELECT id FROM main.forgotten)"
        );
        for first in (0..=last.unsigned_abs()).step_by(BLOCK as usize) {
            let block = [number(first), number(first + BLOCK - 1), retained];
            let done = self.carry(&memories, &block);
            carried.memories += note(done, &mut carried.unreadable);
        }
        carried.sessions = note(
            self.carry(
                "INSERT OR IGNORE INTO main.sessions SELECT * FROM before.sessions
                 WHERE id NOT IN (SELECT session FROM before.events WHERE seq >= ?1)",
                &[retained],
            ),
            &mut carried.unreadable,
        );
        for (sql, values) in [
            (
                "INSERT OR IGNORE INTO main.memory_files SELECT path, n, modified FROM before.memory_files
                 WHERE n IN (SELECT n FROM main.memories)",
                &[][..],
            ),
            (
                "INSERT OR IGNORE INTO main.summaries SELECT * FROM before.summaries
                 WHERE id IN (SELECT id FROM main.memories)",
                &[],
            ),
            (
                "INSERT OR IGNORE INTO main.merged SELECT id, n FROM before.merged
                 WHERE n IN (SELECT n FROM main.memories)",
                &[],
            ),
            (
                "INSERT OR IGNORE INTO main.lives SELECT id, hits, prevented, last_applied_at FROM before.memories
                 WHERE (hits > 0 OR prevented > 0 OR last_applied_at IS NOT NULL)
                    AND id NOT IN (SELECT id FROM main.memories)",
                &[],
            ),
            (
                "INSERT OR IGNORE INTO main.prompts SELECT * FROM before.prompts
                 WHERE session NOT IN (SELECT session FROM before.events WHERE seq >= ?1)",
                &[retained],
            ),
            // What agents named was read from transcripts, which nobody reads twice.
            ("INSERT OR IGNORE INTO main.citations SELECT * FROM before.citations", &[]),
            // What else was shown beside a memory that is forgotten: its entry in the journal is erased with it.
            (
                "INSERT OR IGNORE INTO main.injected SELECT * FROM before.injected
                 WHERE seq NOT IN (SELECT seq FROM before.injections)
                    AND memory NOT IN (SELECT id FROM main.forgotten)",
                &[],
            ),
            ("INSERT OR IGNORE INTO main.marks SELECT * FROM before.marks", &[]),
            ("INSERT OR IGNORE INTO main.checkpoints SELECT * FROM before.checkpoints", &[]),
            (
                "INSERT OR IGNORE INTO main.hand_offs SELECT * FROM before.hand_offs
                 WHERE session NOT IN (SELECT session FROM before.events WHERE seq >= ?1)",
                &[retained],
            ),
            (
                "INSERT OR IGNORE INTO main.outcomes SELECT * FROM before.outcomes
                 WHERE session NOT IN (SELECT session FROM before.events WHERE seq >= ?1)",
                &[retained],
            ),
            ("INSERT OR IGNORE INTO main.projects SELECT * FROM before.projects", &[]),
            ("INSERT OR IGNORE INTO main.kept_ids SELECT derived, kept FROM before.kept_ids", &[]),
            ("INSERT OR IGNORE INTO main.erasures_due SELECT seq FROM before.erasures_due", &[]),
            // Nothing else remembers what hooks cost.
            ("INSERT OR IGNORE INTO main.latencies SELECT * FROM before.latencies", &[]),
            // What was to be forgotten by everybody and is told to nobody yet: nothing else says of which project it was.
            (
                "INSERT INTO main.outbox (kind, key, project, at) SELECT kind, key, project, at FROM before.outbox
                 WHERE kind = 'memory' AND CAST(key AS INTEGER) IN (SELECT id FROM main.forgotten)
                 ORDER BY position",
                &[],
            ),
            ("INSERT OR IGNORE INTO main.shared_projects SELECT * FROM before.shared_projects", &[]),
            ("INSERT OR IGNORE INTO main.team_sessions SELECT * FROM before.team_sessions", &[]),
            ("INSERT OR IGNORE INTO main.team_claims SELECT * FROM before.team_claims", &[]),
            ("INSERT OR IGNORE INTO main.team_words SELECT * FROM before.team_words", &[]),
            // What came from another machine, and that something from here was said there.
            (
                "INSERT OR IGNORE INTO main.messages SELECT * FROM before.messages
                 WHERE author IS NOT NULL OR delivered_at IS NOT NULL",
                &[],
            ),
            // What a model has cost is not in the journal either, nor is what still has to be purged.
            ("INSERT OR IGNORE INTO main.meta SELECT * FROM before.meta WHERE key <> 'cursor'", &[]),
        ] {
            let done = self.carry(sql, values);
            note(done, &mut carried.unreadable);
        }
        if carried.unreadable > 0 {
            // What others have told and is lost here is told again.
            note(self.carry("DELETE FROM main.meta WHERE key = 'news-cursor'", &[]), &mut carried.unreadable);
        }
        Ok(carried)
    }

    fn carry(&mut self, sql: &str, values: &[i64]) -> rusqlite::Result<u64> {
        let changed = self.connection.execute(sql, rusqlite::params_from_iter(values))?;
        Ok(changed as u64)
    }
}

fn note(done: rusqlite::Result<u64>, unreadable: &mut u64) -> u64 {
    done.unwrap_or_else(|_| {
        *unreadable += 1;
        0
    })
}
