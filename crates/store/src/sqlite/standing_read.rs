//! What is there to be said before anybody asks: small sets of candidates, each found by an index, never a look at
//! all memories. What they are worth is decided elsewhere.

use std::collections::BTreeMap;

use model::{MemoryId, MemoryKind, Millis, SessionId, WorkspaceKey};
use rusqlite::{OptionalExtension, Params, Row, params};

use super::batch::number;
use super::memory_rows::{MEMORY_COLUMNS, MemoryRow, read_memory};
use super::read::{optional, unsigned};
use super::{Tables, sort};
use crate::StoreError;

/// A memory without its long texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingRow {
    pub n: u64,
    pub id: MemoryId,
    pub kind: MemoryKind,
    pub at: Millis,
    pub title: String,
    /// The project's key, else its name; none for what holds everywhere.
    pub home: Option<String>,
    pub session: Option<SessionId>,
    pub branch: Option<String>,
    pub urgent: bool,
    pub critical: bool,
    pub pinned: bool,
    /// What reading the whole of it costs a model.
    pub tokens: u32,
    /// The journal's entry it was last said in.
    pub seq: u64,
    pub hits: u64,
    pub prevented: u64,
    pub last_applied_at: Option<Millis>,
}

const HOME: &str = "COALESCE(project_key, project)";
const COLUMNS: &str = "n, id, kind, at, title, COALESCE(project_key, project), session, branch, urgency, critical, \
    pinned, tokens, seq, hits, prevented, last_applied_at";
/// Of one session, the memories whose files count as touched.
const PER_SESSION: usize = 60;
/// Of one file, the youngest memories that may be candidates for it.
const PER_FILE: usize = 40;

impl Tables {
    /// The youngest of one kind that hold, at one home; without one, of those that hold everywhere.
    pub fn newest_at(
        &self,
        home: Option<&str>,
        kind: MemoryKind,
        limit: usize,
    ) -> Result<Vec<StandingRow>, StoreError> {
        self.standing(
            &format!("{HOME} IS ?1 AND kind = ?2 AND superseded_by IS NULL ORDER BY at DESC LIMIT ?3"),
            params![home, kind.name(), limit as i64],
        )
    }

    /// What is critical or pinned, youngest first.
    pub fn always_said(&self, home: Option<&str>, limit: usize) -> Result<Vec<StandingRow>, StoreError> {
        self.standing(
            &format!(
                "{HOME} IS ?1 AND superseded_by IS NULL AND critical + pinned > 0 ORDER BY at DESC LIMIT ?2"
            ),
            params![home, limit as i64],
        )
    }

    /// What was of use, last used first.
    pub fn of_use(&self, home: Option<&str>, limit: usize) -> Result<Vec<StandingRow>, StoreError> {
        self.standing(
            &format!(
                "{HOME} IS ?1 AND superseded_by IS NULL AND hits + prevented > 0
                 ORDER BY last_applied_at DESC LIMIT ?2"
            ),
            params![home, limit as i64],
        )
    }

    /// The files the last sessions of a workspace have changed, the last ones first.
    pub fn touched_files(
        &self,
        workspace: &WorkspaceKey,
        sessions: usize,
        limit: usize,
    ) -> Result<Vec<String>, StoreError> {
        let ids: Vec<String> = self.asked(
            "SELECT id FROM sessions WHERE workspace = ?1 ORDER BY last_seen_at DESC LIMIT ?2",
            params![workspace.as_str(), sessions as i64],
            |row| row.get(0),
        )?;
        let mut files: Vec<String> = Vec::new();
        for id in ids {
            let touched: Vec<String> = self.asked(
                "SELECT path FROM (SELECT n, at FROM memories WHERE session = ?1 ORDER BY at DESC LIMIT ?2) AS m
                 JOIN memory_files AS f ON f.n = m.n WHERE f.modified = 1 ORDER BY m.at DESC, path",
                params![id, PER_SESSION as i64],
                |row| row.get(0),
            )?;
            for path in touched {
                if files.len() == limit {
                    return Ok(files);
                }
                if !files.contains(&path) {
                    files.push(path);
                }
            }
        }
        Ok(files)
    }

    /// The memories that speak of these files and of how many of them, most first.
    pub fn about_files(
        &self,
        files: &[String],
        limit: usize,
    ) -> Result<Vec<(StandingRow, usize)>, StoreError> {
        let mut common: BTreeMap<u64, usize> = BTreeMap::new();
        for path in files {
            let found = self.asked(
                "SELECT n FROM memory_files WHERE path = ?1 ORDER BY n DESC LIMIT ?2",
                params![path, PER_FILE as i64],
                |row| unsigned(row, 0),
            )?;
            for n in found {
                *common.entry(n).or_default() += 1;
            }
        }
        let mut most: Vec<(u64, usize)> = common.into_iter().collect();
        most.sort_by_key(|(n, count)| std::cmp::Reverse((*count, *n)));
        most.truncate(limit);
        let mut rows = Vec::with_capacity(most.len());
        for (n, count) in most {
            let found = self.standing("n = ?1 AND superseded_by IS NULL", [number(n)])?;
            rows.extend(found.into_iter().map(|row| (row, count)));
        }
        Ok(rows)
    }

    /// The whole of a few, in the order they are named.
    pub fn memories_at(&self, numbers: &[u64]) -> Result<Vec<MemoryRow>, StoreError> {
        let sql = format!("SELECT {MEMORY_COLUMNS} FROM memories WHERE n = ?1");
        let mut rows = Vec::with_capacity(numbers.len());
        for n in numbers {
            rows.extend(self.asked(&sql, [number(*n)], read_memory)?);
        }
        Ok(rows)
    }

    /// How many memories hold at these homes, without raw pieces of conversations.
    pub fn count_at(&self, homes: &[String]) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT COUNT(*) FROM memories WHERE {HOME} IS ?1 AND superseded_by IS NULL
                AND kind NOT IN ('chunk', 'prompt')"
        );
        homes.iter().try_fold(0, |sum, home| {
            let counted = self.asked(&sql, [home], |row| unsigned(row, 0))?;
            Ok(sum + counted.first().copied().unwrap_or(0))
        })
    }

    /// The sessions that ran in a workspace.
    pub fn count_sessions(&self, workspace: &WorkspaceKey) -> Result<u64, StoreError> {
        let sql = "SELECT COUNT(*) FROM sessions WHERE workspace = ?1";
        let counted = self.asked(sql, [workspace.as_str()], |row| unsigned(row, 0))?;
        Ok(counted.first().copied().unwrap_or(0))
    }

    /// Whether a session of exactly this name is known.
    pub fn has_session(&self, id: &str) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached("SELECT 1 FROM sessions WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([id], |_| Ok(())).optional())
            .map(|found| found.is_some())
            .map_err(|e| sort(&self.path, e))
    }

    /// Where in the journal a session was last told something by a behavior, and the texts it has been told since
    /// its beginning, last first.
    pub fn told_by(
        &self,
        behavior: &str,
        session: &SessionId,
        limit: usize,
    ) -> Result<Vec<(u64, String)>, StoreError> {
        self.asked(
            "SELECT seq, text FROM injections WHERE session = ?1 AND behavior = ?2 AND subagent IS NULL
             ORDER BY at DESC, seq DESC LIMIT ?3",
            params![session.as_str(), behavior, limit as i64],
            |row| Ok((unsigned(row, 0)?, row.get(1)?)),
        )
    }

    fn standing(&self, condition: &str, params: impl Params) -> Result<Vec<StandingRow>, StoreError> {
        self.asked(&format!("SELECT {COLUMNS} FROM memories WHERE {condition}"), params, read_standing)
    }

    fn asked<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(params, read)?.collect())
            .map_err(|e| sort(&self.path, e))
    }
}

fn read_standing(row: &Row<'_>) -> rusqlite::Result<StandingRow> {
    Ok(StandingRow {
        n: unsigned(row, 0)?,
        id: MemoryId::from_u64(unsigned(row, 1)?),
        // A kind of a later version is still a text that was kept.
        kind: MemoryKind::from_name(&row.get::<_, String>(2)?).unwrap_or(MemoryKind::Document),
        at: unsigned(row, 3)?,
        title: row.get(4)?,
        home: row.get(5)?,
        session: row.get::<_, Option<String>>(6)?.map(|id| SessionId::new(&id)),
        branch: row.get(7)?,
        urgent: unsigned(row, 8)? > 0,
        critical: row.get(9)?,
        pinned: row.get(10)?,
        tokens: row.get(11)?,
        seq: unsigned(row, 12)?,
        hits: unsigned(row, 13)?,
        prevented: unsigned(row, 14)?,
        last_applied_at: optional(row, 15)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Candidates of a hundred thousand memories must cost what those of a hundred cost.
    #[test]
    fn every_question_of_a_start_is_answered_by_an_index_in_its_order() {
        let folder = tempfile::tempdir().unwrap();
        let tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let questions = [
            (
                "memories_by_home",
                format!(
                    "SELECT n FROM memories WHERE {HOME} IS ?1 AND kind = ?2 AND superseded_by IS NULL ORDER BY at DESC LIMIT 9"
                ),
            ),
            (
                "memories_always_said",
                format!(
                    "SELECT n FROM memories WHERE {HOME} IS ?1 AND superseded_by IS NULL AND critical + pinned > 0 ORDER BY at DESC LIMIT 9"
                ),
            ),
            (
                "memories_of_use",
                format!(
                    "SELECT n FROM memories WHERE {HOME} IS ?1 AND superseded_by IS NULL AND hits + prevented > 0 ORDER BY last_applied_at DESC LIMIT 9"
                ),
            ),
        ];
        for (index, sql) in questions {
            let mut statement = tables.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let count = statement.parameter_count();
            let nulls = vec![rusqlite::types::Null; count];
            let plan: Vec<String> = statement
                .query_map(rusqlite::params_from_iter(nulls), |row| row.get(3))
                .unwrap()
                .collect::<Result<_, _>>()
                .unwrap();
            let plan = plan.join("; ");
            assert!(plan.contains(index) && plan.contains("SEARCH"), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
    }
}
