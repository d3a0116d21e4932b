//! What got past a failure, and which files were seen. Knows neither what a failure is nor what a key is made of.

use model::{EventId, Millis, SessionId};
use rusqlite::{params, params_from_iter};

use super::batch::number;
use super::read::unsigned;
use super::{Batch, Tables, sort};
use crate::StoreError;

/// Fixes of one project that are kept, the newest.
const MAX_FIXES: u64 = 20_000;
/// Files of one project that are remembered, those seen last.
const MAX_FILES: u64 = 50_000;
/// Between two looks whether there are too many.
const PRUNE_EVERY: u64 = 256;

/// A failure that was resolved, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct FixRow {
    pub id: u64,
    pub session: SessionId,
    pub home: String,
    pub at: Millis,
    /// What failed and what then worked, as JSON.
    pub fix: String,
}

impl Batch<'_> {
    /// Keeps what got past a failure under every key by which that failure is known again. The same failure is kept once.
    pub fn put_fix(
        &mut self,
        row: &FixRow,
        failed: EventId,
        resolved: EventId,
        keys: &[u64],
    ) -> Result<(), StoreError> {
        let id = number(row.id);
        self.run(
            "INSERT INTO fixes (id, session, home, at, failed, resolved, fix) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE SET at = excluded.at, resolved = excluded.resolved, fix = excluded.fix",
            params![
                id,
                row.session.as_str(),
                row.home,
                number(row.at),
                failed.as_bytes(),
                resolved.as_bytes(),
                row.fix
            ],
        )?;
        for key in keys {
            self.run("INSERT OR IGNORE INTO fix_keys (key, fix) VALUES (?1, ?2)", [number(*key), id])?;
        }
        if row.id.is_multiple_of(PRUNE_EVERY) {
            self.drop_fixes(
                "id IN (SELECT id FROM fixes WHERE home = ?1 ORDER BY at DESC LIMIT -1 OFFSET ?2)",
                params![row.home, number(MAX_FIXES)],
            )?;
        }
        Ok(())
    }

    fn drop_fixes(&mut self, which: &str, of: impl rusqlite::Params + Clone) -> Result<(), StoreError> {
        self.run(
            &format!("DELETE FROM fix_keys WHERE fix IN (SELECT id FROM fixes WHERE {which})"),
            of.clone(),
        )?;
        self.run(&format!("DELETE FROM fixes WHERE {which}"), of)?;
        Ok(())
    }

    pub(super) fn drop_fixes_of_session(&mut self, session: &SessionId) -> Result<(), StoreError> {
        self.drop_fixes("session = ?1", [session.as_str()])
    }

    /// What the events of a memory show that is to be forgotten.
    pub(super) fn drop_fixes_shown_by(&mut self, memory: i64) -> Result<(), StoreError> {
        let shown = "SELECT unhex(replace(shown.value, '-', '')) FROM memories, json_each(evidence) AS shown
                     WHERE memories.id = ?1";
        self.drop_fixes(
            &format!(
                "session IN (SELECT session FROM memories WHERE id = ?1) AND (failed IN ({shown}) OR resolved IN ({shown}))"
            ),
            [memory],
        )
    }

    /// A file was read or written. `path` is the one from the workspace's root.
    pub fn see_file(&mut self, home: &str, path: &str, at: Millis) -> Result<(), StoreError> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase();
        self.run(
            "INSERT INTO seen_files (home, name, path, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (home, name, path) DO UPDATE SET at = max(at, excluded.at)",
            params![home, name, path, number(at)],
        )?;
        if at.is_multiple_of(PRUNE_EVERY) {
            self.run(
                "DELETE FROM seen_files WHERE home = ?1 AND (name, path) IN (
                     SELECT name, path FROM seen_files WHERE home = ?1 ORDER BY at DESC LIMIT -1 OFFSET ?2)",
                params![home, number(MAX_FILES)],
            )?;
        }
        Ok(())
    }
}

impl Tables {
    /// Fixes of these projects under any of the keys, the newest first.
    pub fn fixes(&self, homes: &[String], keys: &[u64], limit: usize) -> Result<Vec<FixRow>, StoreError> {
        if homes.is_empty() || keys.is_empty() {
            return Ok(Vec::new());
        }
        let marks = |count: usize, from: usize| {
            (from..from + count).map(|at| format!("?{at}")).collect::<Vec<_>>().join(", ")
        };
        let sql = format!(
            "SELECT DISTINCT fixes.id, session, home, at, fixes.fix FROM fix_keys JOIN fixes ON fixes.id = fix_keys.fix
             WHERE fix_keys.key IN ({}) AND home IN ({}) ORDER BY at DESC LIMIT {limit}",
            marks(keys.len(), 1),
            marks(homes.len(), keys.len() + 1),
        );
        let values = keys
            .iter()
            .map(|key| rusqlite::types::Value::from(number(*key)))
            .chain(homes.iter().map(|home| rusqlite::types::Value::from(home.clone())));
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                statement
                    .query_map(params_from_iter(values), |row| {
                        Ok(FixRow {
                            id: unsigned(row, 0)?,
                            session: SessionId::new(&row.get::<_, String>(1)?),
                            home: row.get(2)?,
                            at: unsigned(row, 3)?,
                            fix: row.get(4)?,
                        })
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// Files of this last name, those seen last first. In lower case.
    pub fn seen_files(&self, home: &str, name: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT path FROM seen_files WHERE home = ?1 AND name = ?2 ORDER BY at DESC LIMIT ?3",
            )
            .and_then(|mut statement| {
                statement.query_map(params![home, name, limit as i64], |row| row.get(0))?.collect()
            })
            .map_err(|e| sort(&self.path, e))
    }
}
