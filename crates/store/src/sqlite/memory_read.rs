//! Questions about memories that need no ranking: by id, around one, by filter.

use std::collections::{HashMap, HashSet};

use model::{MemoryId, MemoryKind, Millis, SessionId, Summary};
use rusqlite::{params, params_from_iter};
use serde::Serialize;

use super::batch::number;
use super::memory_pages::{HOME, of_file};
use super::memory_rows::{MEMORY_COLUMNS, MemoryRow, read_list, read_memory};
use super::read::{Query, unsigned};
use super::{MemoryFilter, Tables, sort};
use crate::StoreError;

/// A shorter beginning of an id is somebody else's word more often than an id.
const LEAST_PREFIX: usize = 4;
/// Read for each row that is wanted around another: a turn has a request, a summary, some talk and what came of it.
const ROWS_OF_TURN: usize = 6;

/// A turn in five answers, as it was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SummaryRow {
    pub id: MemoryId,
    pub session: SessionId,
    pub at: Millis,
    #[serde(flatten)]
    pub summary: Summary,
}

impl Tables {
    /// By its whole id, by the id it had elsewhere or its file (of several the newest), or by the beginning of its id when that
    /// fits only one.
    pub fn memory(&self, id: &str) -> Result<Option<MemoryRow>, StoreError> {
        if let Ok(whole) = id.parse::<MemoryId>()
            && let Some(found) = self.select("WHERE id = ?1", [number(whole.as_u64())])?.pop()
        {
            return Ok(Some(found));
        }
        for known_as in ["external_id = ?1", "place = ?1 AND place IS NOT NULL AND kind <> 'chunk'"] {
            let found = self.select(&format!("WHERE {known_as} ORDER BY n DESC LIMIT 1"), [id])?.pop();
            if found.is_some() {
                return Ok(found);
            }
        }
        let Some((first, last)) = MemoryId::range(id).filter(|_| id.len() >= LEAST_PREFIX) else {
            return Ok(None);
        };
        let mut found = self.select(
            "WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 2",
            params![number(first.as_u64()), number(last.as_u64())],
        )?;
        match found.len() {
            0 | 1 => Ok(found.pop()),
            _ => Err(StoreError::Ambiguous(id.to_owned())),
        }
    }

    pub fn memory_at(&self, n: u64) -> Result<Option<MemoryRow>, StoreError> {
        Ok(self.select("WHERE n = ?1", [number(n)])?.pop())
    }

    /// Newest first.
    pub fn memories(&self, filter: &MemoryFilter) -> Result<Vec<MemoryRow>, StoreError> {
        let mut query = self.filtered(format!("SELECT {MEMORY_COLUMNS} FROM memories"), filter)?;
        query.tail("ORDER BY at DESC, n DESC", filter.limit);
        self.rows(query, read_memory)
    }

    /// What was kept just before and just after a moment, oldest first: in the same session, else in the same
    /// project. A turn's request, talk and summary stand behind what came of it.
    pub fn around(
        &self,
        center: &MemoryRow,
        before: usize,
        after: usize,
    ) -> Result<Vec<MemoryRow>, StoreError> {
        let (column, value) = match (&center.memory.session, &center.memory.project) {
            (Some(session), _) => ("session", Some(session.as_str().to_owned())),
            (None, project) => ("project", project.clone()),
        };
        let (at, n) = (number(center.memory.at), number(center.n));
        let rows = |most: usize| most.saturating_mul(ROWS_OF_TURN) as i64;
        let earlier = self.select(
            &format!("WHERE {column} IS ?1 AND (at, n) < (?2, ?3) ORDER BY at DESC, n DESC LIMIT ?4"),
            params![value, at, n, rows(before)],
        )?;
        let later = self.select(
            &format!("WHERE {column} IS ?1 AND (at, n) > (?2, ?3) ORDER BY at, n LIMIT ?4"),
            params![value, at, n, rows(after)],
        )?;
        let mut told = self.turns_told(earlier.iter().chain(&later))?;
        told.extend(self.turn_of(center)?);
        let mut rows = self.one_of_each_turn(earlier, &told, before)?;
        rows.reverse();
        rows.push(center.clone());
        rows.extend(self.one_of_each_turn(later, &told, after)?);
        Ok(rows)
    }

    /// The turns that have more than a request, talk and a summary.
    fn turns_told<'a>(
        &self,
        rows: impl Iterator<Item = &'a MemoryRow>,
    ) -> Result<HashSet<(SessionId, u64)>, StoreError> {
        let mut told = HashSet::new();
        for row in rows.filter(|row| !is_retelling(row.memory.kind)) {
            told.extend(self.turn_of(row)?);
        }
        Ok(told)
    }

    fn turn_of(&self, row: &MemoryRow) -> Result<Option<(SessionId, u64)>, StoreError> {
        let Some(session) = &row.memory.session else { return Ok(None) };
        Ok(self.turn_at(session.as_str(), row.memory.at)?.map(|turn| (session.clone(), turn)))
    }

    /// At most so many of these, without what says again what another row of its turn says.
    fn one_of_each_turn(
        &self,
        rows: Vec<MemoryRow>,
        told: &HashSet<(SessionId, u64)>,
        most: usize,
    ) -> Result<Vec<MemoryRow>, StoreError> {
        let mut found: Vec<MemoryRow> = Vec::new();
        let mut retold: HashMap<(SessionId, u64), usize> = HashMap::new();
        for row in rows {
            let turn = if is_retelling(row.memory.kind) { self.turn_of(&row)? } else { None };
            match turn {
                Some(turn) if told.contains(&turn) => continue,
                Some(turn) => match retold.get(&turn) {
                    // Of a turn that left nothing else its summary.
                    Some(at) => {
                        if row.memory.kind == MemoryKind::Summary {
                            found[*at] = row;
                        }
                        continue;
                    }
                    None => {
                        retold.insert(turn, found.len());
                    }
                },
                None => {}
            }
            if found.len() == most {
                break;
            }
            found.push(row);
        }
        Ok(found)
    }

    /// The memories an event is evidence of.
    pub fn memories_of_session(
        &self,
        session: &SessionId,
        limit: usize,
    ) -> Result<Vec<MemoryRow>, StoreError> {
        self.select("WHERE session = ?1 ORDER BY at, n LIMIT ?2", params![session.as_str(), limit as i64])
    }

    /// The candidates to make room: not pinned, not critical, never used, the least worth first (pieces of
    /// conversations, then prompts, then the rest), oldest first.
    pub fn expendable(&self, before: Millis, limit: usize) -> Result<Vec<MemoryId>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT id FROM memories WHERE pinned = 0 AND critical = 0 AND kind NOT IN ('note', 'document')
                    AND at < ?1
                 ORDER BY hits > 0, kind NOT IN ('chunk', 'prompt'), at LIMIT ?2",
            )
            .and_then(|mut statement| {
                statement
                    .query_map(params![number(before), limit as i64], |row| {
                        Ok(MemoryId::from_u64(unsigned(row, 0)?))
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// When a session's own hooks were first heard.
    pub fn heard_at(&self, session: &SessionId) -> Result<Option<Millis>, StoreError> {
        use rusqlite::OptionalExtension;
        let found: Option<Option<i64>> = self
            .connection
            .prepare_cached("SELECT heard_at FROM sessions WHERE id = ?1")
            .and_then(|mut statement| statement.query_row([session.as_str()], |row| row.get(0)).optional())
            .map_err(|e| sort(&self.path, e))?;
        Ok(found.flatten().map(|at| at.max(0) as u64))
    }

    pub fn count_memories(&self) -> Result<u64, StoreError> {
        self.connection
            .query_row("SELECT COUNT(*) FROM memories", [], |row| unsigned(row, 0))
            .map_err(|e| sort(&self.path, e))
    }

    /// Newest first; of one session or of all.
    pub fn summaries(
        &self,
        session: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SummaryRow>, StoreError> {
        let mut query = Query::new(
            "SELECT id, session, at, request, investigated, learned, completed, next_steps FROM summaries"
                .to_owned(),
        );
        if let Some(session) = session {
            query.and("session = ?", session.as_str().to_owned());
        }
        query.tail("ORDER BY at DESC, id", limit);
        self.rows(query, read_summary)
    }

    fn select(&self, tail: &str, params: impl rusqlite::Params) -> Result<Vec<MemoryRow>, StoreError> {
        self.connection
            .prepare_cached(&format!("SELECT {MEMORY_COLUMNS} FROM memories {tail}"))
            .and_then(|mut statement| statement.query_map(params, read_memory)?.collect())
            .map_err(|e| sort(&self.path, e))
    }

    /// The numbers of the memories a filter leaves, ascending. `None`: the filter leaves all of them.
    pub fn numbers(&self, filter: &MemoryFilter) -> Result<Option<Vec<u64>>, StoreError> {
        let query = self.filtered("SELECT n FROM memories".to_owned(), filter)?;
        if query.values.is_empty() {
            return Ok(None);
        }
        self.connection
            .prepare_cached(&format!("{} ORDER BY n", query.sql))
            .and_then(|mut statement| {
                statement.query_map(params_from_iter(query.values), |row| unsigned(row, 0))?.collect()
            })
            .map(Some)
            .map_err(|e| sort(&self.path, e))
    }

    /// The name or key itself, and the keys of the clones and worktrees of the same repository.
    pub fn project_family(&self, wanted: &str) -> Result<Vec<String>, StoreError> {
        let mut family = vec![wanted.to_owned()];
        let siblings: Vec<String> = self
            .connection
            .prepare_cached(
                "SELECT sibling.key FROM projects AS mine JOIN projects AS sibling
                     ON sibling.first_commit = mine.first_commit
                 WHERE ?1 IN (mine.key, mine.name)
                 UNION SELECT key FROM projects WHERE name = ?1",
            )
            .and_then(|mut statement| statement.query_map([wanted], |row| row.get(0))?.collect())
            .map_err(|e| sort(&self.path, e))?;
        family.extend(siblings.into_iter().filter(|key| key != wanted));
        Ok(family)
    }

    fn filtered(&self, select: String, filter: &MemoryFilter) -> Result<Query, StoreError> {
        let mut query = Query::new(select);
        if let Some(project) = &filter.project {
            let homes = serde_json::json!(self.homes(project)?).to_string();
            query.and(&format!("{HOME} IN (SELECT value FROM json_each(?))"), homes);
        }
        if !filter.kinds.is_empty() {
            let names: Vec<&str> = filter.kinds.iter().map(|kind| kind.name()).collect();
            query.and("kind IN (SELECT value FROM json_each(?))", serde_json::json!(names).to_string());
        }
        if let Some(file) = &filter.file {
            let (of_file, values) = of_file(file);
            query.and_all(&format!("n IN ({of_file})"), values);
        }
        if let Some(tool) = &filter.tool {
            query.and("n IN (SELECT n FROM memory_tools WHERE tool = ?)", tool.clone());
        }
        if let Some(session) = &filter.session {
            query.and("session = ?", session.as_str().to_owned());
        }
        if let Some(branch) = &filter.branch {
            query.and("branch = ?", branch.clone());
        }
        if let Some(since) = filter.since {
            query.and("at >= ?", number(since));
        }
        if let Some(until) = filter.until {
            query.and("at < ?", number(until));
        }
        Ok(query)
    }
}

/// Of the columns id, session, at, request, investigated, learned, completed, next_steps.
pub(super) fn read_summary(row: &rusqlite::Row<'_>) -> rusqlite::Result<SummaryRow> {
    Ok(SummaryRow {
        id: MemoryId::from_u64(unsigned(row, 0)?),
        session: SessionId::new(&row.get::<_, String>(1)?),
        at: unsigned(row, 2)?,
        summary: Summary {
            request: row.get(3)?,
            investigated: read_list(row, 4)?,
            learned: read_list(row, 5)?,
            completed: read_list(row, 6)?,
            next_steps: read_list(row, 7)?,
        },
    })
}

/// Says again what the observations of its turn say.
fn is_retelling(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::Prompt | MemoryKind::Chunk | MemoryKind::Summary)
}
