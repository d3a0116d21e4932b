//! What is to be forgotten, until it is gone from every file: the rows, the terms, the log of the database. The
//! journal's part is told here as numbers and done where the journal is.

use std::time::{Duration, Instant};

use model::{MemoryId, SessionId};
use rusqlite::{OptionalExtension, params};

use super::batch::number;
use super::read::unsigned;
use super::{Batch, Tables, sort};
use crate::StoreError;

/// Pages of full text that are merged with one statement: a few hundred milliseconds on a slow disk, after which
/// whoever else wants to write may.
const MERGE_PAGES: i64 = 2000;
/// Between two tries to empty the write-ahead log while somebody reads.
const PAUSE: Duration = Duration::from_millis(10);

/// Set from the moment something is forgotten until nothing in the files says it any more: how many memories.
const PURGE_DUE: &str = "purge-due";

/// A session as something that can be forgotten: what is brought in later under this mark stays out.
pub fn session_mark(session: &SessionId) -> MemoryId {
    MemoryId::of(&["session", session.as_str()])
}

impl Batch<'_> {
    /// A deed at this position carries the text of this memory.
    pub fn note_deed(&mut self, id: MemoryId, seq: u64) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO deed_places (id, seq) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            [number(id.as_u64()), number(seq)],
        )?;
        Ok(())
    }

    pub(super) fn note_merged(&mut self, id: MemoryId, n: i64) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO merged (id, n) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET n = excluded.n",
            [number(id.as_u64()), n],
        )?;
        Ok(())
    }

    /// Before memories go for good: notes which entries of the journal say them and which neighbors' terms quote
    /// them. The same text under other ids goes with them.
    pub fn prepare_to_forget(&mut self, ids: &[MemoryId]) -> Result<(), StoreError> {
        for id in ids {
            let id = number(id.as_u64());
            let one_with_it = "SELECT merged.id FROM merged JOIN memories USING (n) WHERE memories.id = ?1";
            self.run(&format!("INSERT OR IGNORE INTO forgotten (id) {one_with_it}"), [id])?;
            self.drop_injections_of(id)?;
            self.run(
                &format!(
                    "INSERT OR IGNORE INTO erasures_due (seq)
                     SELECT seq FROM deed_places WHERE id = ?1 OR id IN ({one_with_it})"
                ),
                [id],
            )?;
            self.run(&format!("DELETE FROM deed_places WHERE id = ?1 OR id IN ({one_with_it})"), [id])?;
            self.drop_prompt_of(id)?;
            self.drop_fixes_shown_by(id)?;
            for (compare, order) in [("<", "DESC"), (">", "ASC")] {
                self.run(
                    &format!(
                        "INSERT OR IGNORE INTO terms_due (n)
                         SELECT other.n FROM memories AS mine JOIN memories AS other
                             ON other.session = mine.session AND other.kind = mine.kind
                             AND (other.at, other.n) {compare} (mine.at, mine.n)
                         WHERE mine.id = ?1 ORDER BY other.at {order}, other.n {order} LIMIT 1"
                    ),
                    [id],
                )?;
            }
        }
        let due = self.one("SELECT CAST(value AS INTEGER) FROM meta WHERE key = ?1", [PURGE_DUE])?;
        let due = due.unwrap_or(0).max(0) as u64;
        self.set_meta(PURGE_DUE, &due.saturating_add(ids.len() as u64).to_string())
    }

    /// A prompt is kept word for word in several places: as an event, as a row, with its turn.
    fn drop_prompt_of(&mut self, id: i64) -> Result<(), StoreError> {
        let events = self.rows(
            "SELECT events.seq FROM memories, json_each(evidence) AS shown
                 JOIN events ON events.id = unhex(replace(shown.value, '-', ''))
             WHERE memories.id = ?1 AND memories.kind = 'prompt'",
            [id],
            |row| row.get::<_, i64>(0),
        )?;
        for seq in events {
            self.run("INSERT OR IGNORE INTO erasures_due (seq) VALUES (?1)", [seq])?;
            self.run("DELETE FROM prompts WHERE id = (SELECT id FROM events WHERE seq = ?1)", [seq])?;
            self.run("DELETE FROM events WHERE seq = ?1", [seq])?;
            self.run("DELETE FROM steps WHERE seq = ?1", [seq])?;
            self.run("UPDATE turns SET prompt = NULL WHERE first_seq = ?1", [seq])?;
            self.run(
                "DELETE FROM session_states WHERE name = 'turn' AND json_extract(state, '$.first') = ?1",
                [seq],
            )?;
        }
        Ok(())
    }

    /// Everything that is kept of a session beside its memories. Its entries in the journal are due to be erased.
    pub fn drop_session(&mut self, session: &SessionId) -> Result<(), StoreError> {
        self.drop_recall_of(session)?;
        self.drop_patterns_of(session)?;
        self.drop_fixes_of_session(session)?;
        let session = [session.as_str()];
        self.run(
            "INSERT OR IGNORE INTO erasures_due (seq) SELECT seq FROM events WHERE session = ?1",
            session,
        )?;
        self.run("DELETE FROM events WHERE session = ?1", session)?;
        self.run("DELETE FROM prompts WHERE session = ?1", session)?;
        self.run("DELETE FROM steps WHERE session = ?1", session)?;
        self.run("DELETE FROM session_states WHERE session = ?1", session)?;
        self.run("DELETE FROM turns WHERE session = ?1", session)?;
        self.run("DELETE FROM summaries WHERE session = ?1", session)?;
        self.run("DELETE FROM sessions WHERE id = ?1", session)?;
        Ok(())
    }

    /// Bytes of a memory's title and text.
    pub fn text_bytes(&self, id: MemoryId) -> Result<u64, StoreError> {
        let bytes = self.one(
            "SELECT length(CAST(title AS BLOB)) + length(CAST(text AS BLOB)) FROM memories WHERE id = ?1",
            [number(id.as_u64())],
        )?;
        Ok(bytes.unwrap_or(0).max(0) as u64)
    }

    pub fn erasures_done(&mut self, seqs: &[u64]) -> Result<(), StoreError> {
        for seq in seqs {
            self.run("DELETE FROM erasures_due WHERE seq = ?1", [number(*seq)])?;
        }
        Ok(())
    }

    /// Notes about entries that retention has dropped.
    pub fn prune_deeds_below(&mut self, seq: u64) -> Result<(), StoreError> {
        self.run("DELETE FROM deed_places WHERE seq < ?1", [number(seq)])?;
        self.run("DELETE FROM erasures_due WHERE seq < ?1", [number(seq)])?;
        Ok(())
    }
}

impl Tables {
    /// Whether a person wanted this memory, or the session of this mark, gone.
    pub fn is_forgotten(&self, id: MemoryId) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached("SELECT 1 FROM forgotten WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([number(id.as_u64())], |_| Ok(())).optional())
            .map(|found| found.is_some())
            .map_err(|e| sort(&self.path, e))
    }

    /// Ids under which the same was said and that are one with this memory.
    pub fn merged_with(&self, id: MemoryId) -> Result<Vec<MemoryId>, StoreError> {
        self.connection
            .prepare_cached("SELECT merged.id FROM merged JOIN memories USING (n) WHERE memories.id = ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([number(id.as_u64())], |row| Ok(MemoryId::from_u64(unsigned(row, 0)?)))?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// Every memory of a session, by id alone.
    pub fn ids_of_session(&self, session: &SessionId) -> Result<Vec<MemoryId>, StoreError> {
        self.connection
            .prepare_cached("SELECT id FROM memories WHERE session = ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([session.as_str()], |row| Ok(MemoryId::from_u64(unsigned(row, 0)?)))?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    pub fn erasures_due(&self, limit: usize) -> Result<Vec<u64>, StoreError> {
        self.connection
            .prepare_cached("SELECT seq FROM erasures_due ORDER BY seq LIMIT ?1")
            .and_then(|mut statement| statement.query_map([limit as i64], |row| unsigned(row, 0))?.collect())
            .map_err(|e| sort(&self.path, e))
    }

    /// Whether words of what was forgotten may still be in the files of this database.
    pub fn is_purge_due(&self) -> Result<bool, StoreError> {
        self.meta(PURGE_DUE).map(|due| due.is_some())
    }

    /// Takes the words of what was forgotten out of the database's files: out of full text, whose pages keep
    /// deleted terms until they are merged, and out of the write-ahead log. False: the time was over first, or
    /// somebody reads, or terms wait to be made again; what is left is due.
    pub fn purge(&mut self, until: Instant) -> Result<bool, StoreError> {
        let Some(due) = self.meta(PURGE_DUE)? else { return Ok(true) };
        let forgotten: u64 = due.parse().unwrap_or(0);
        self.write(|batch| {
            for table in ["terms", "vectors"] {
                let key = if table == "terms" { "rowid" } else { "n" };
                batch.run(
                    &format!(
                        "DELETE FROM {table} WHERE {key} IN (
                            SELECT n FROM {table}_due WHERE n NOT IN (SELECT n FROM memories))"
                    ),
                    [],
                )?;
                batch.run(&format!("DELETE FROM {table}_due WHERE n NOT IN (SELECT n FROM memories)"), [])?;
            }
            // Counts of terms this rare decide nothing; they are made again from what is filed next.
            batch.run("DELETE FROM term_samples WHERE docs <= ?1", [number(forgotten.saturating_add(1))])?;
            Ok(())
        })?;
        let filed = self.count_terms_due()? == 0;
        if !self.merge_terms(until)? || !filed {
            return Ok(false);
        }
        // Before the log is emptied, so that the note itself is no reason to fill it again.
        self.write(|batch| batch.run("DELETE FROM meta WHERE key = ?1", [PURGE_DUE]).map(drop))?;
        if self.empty_log(until)? {
            return Ok(true);
        }
        self.write(|batch| batch.set_meta(PURGE_DUE, &due))?;
        Ok(false)
    }

    /// Merges full text into one tree, in pieces. FTS5 says that nothing is left to do by changing nothing.
    fn merge_terms(&mut self, until: Instant) -> Result<bool, StoreError> {
        let mut pages = -MERGE_PAGES;
        loop {
            let before = self.total_changes()?;
            self.write(|batch| {
                batch.run("INSERT INTO terms (terms, rank) VALUES ('merge', ?1)", [pages]).map(drop)
            })?;
            if pages > 0 && self.total_changes()? - before < 2 {
                return Ok(true);
            }
            if Instant::now() >= until {
                return Ok(false);
            }
            pages = MERGE_PAGES;
        }
    }

    fn total_changes(&self) -> Result<i64, StoreError> {
        self.connection
            .query_row("SELECT total_changes()", [], |row| row.get(0))
            .map_err(|e| sort(&self.path, e))
    }

    /// Writes the log back into the database and cuts it to nothing. False: somebody read all the time.
    pub fn empty_log(&self, until: Instant) -> Result<bool, StoreError> {
        loop {
            let busy: i64 = self
                .connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
                .map_err(|e| sort(&self.path, e))?;
            if busy == 0 {
                return Ok(true);
            }
            if Instant::now() >= until {
                return Ok(false);
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// What goes last when there is no room: what a person wrote or brought in, what is critical, what is pinned,
    /// in this order, oldest first.
    pub fn expendable_at_last(&self, limit: usize) -> Result<Vec<MemoryId>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT id FROM memories ORDER BY pinned, critical, kind = 'note', hits > 0, at LIMIT ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([limit as i64], |row| Ok(MemoryId::from_u64(unsigned(row, 0)?)))?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// How many would go for their age, and how many bytes of text all memories have.
    pub fn weigh_memories(&self, expendable_before: u64) -> Result<(u64, u64), StoreError> {
        self.connection
            .query_row(
                "SELECT COALESCE(SUM(pinned = 0 AND critical = 0 AND kind NOT IN ('note', 'document') AND at < ?1), 0),
                    COALESCE(SUM(length(CAST(title AS BLOB)) + length(CAST(text AS BLOB))), 0) FROM memories",
                params![number(expendable_before)],
                |row| Ok((unsigned(row, 0)?, unsigned(row, 1)?)),
            )
            .map_err(|e| sort(&self.path, e))
    }
}
