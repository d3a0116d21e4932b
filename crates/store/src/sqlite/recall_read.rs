//! Questions about what agents were shown and what was left for the next one.

use model::{Checkpoint, HandOff, Item, MemoryId, Millis, SessionId, SessionOutcome, WorkspaceKey};
use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use super::batch::number;
use super::read::{Query, unsigned};
use super::{Tables, sort};
use crate::StoreError;

/// A note as it was delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InjectionRow {
    pub at: Millis,
    pub session: SessionId,
    pub subagent: Option<String>,
    pub event: String,
    pub behavior: String,
    pub tokens: u32,
    pub text: String,
    pub items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HandOffRow {
    pub session: SessionId,
    pub at: Millis,
    pub workspace: Option<WorkspaceKey>,
    pub project: Option<String>,
    pub project_key: Option<String>,
    pub branch: Option<String>,
    #[serde(flatten)]
    pub hand_off: HandOff,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutcomeRow {
    pub session: SessionId,
    pub outcome: SessionOutcome,
    pub said_by: String,
    pub why: String,
    pub at: Millis,
}

/// What was injected, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct InjectionStats {
    pub notes: u64,
    pub tokens: u64,
    /// Memories shown, counted once per session.
    pub memories: u64,
    /// Those the agent named in its own words afterwards.
    pub cited: u64,
    pub prevented: u64,
}

pub(super) const HAND_OFF_COLUMNS: &str = "session, at, workspace, project, project_key, branch, hand_off";

impl Tables {
    /// The memories that a session, or one of its subagents, has in front of it.
    pub fn injected(&self, session: &SessionId, subagent: Option<&str>) -> Result<Vec<MemoryId>, StoreError> {
        let mut query = Query::new("SELECT memory FROM injected".to_owned());
        query.and("session = ?", session.as_str().to_owned());
        query.and("subagent = ?", subagent.unwrap_or_default().to_owned());
        query.and("gone = ?", 0);
        self.rows(query, |row| Ok(MemoryId::from_u64(unsigned(row, 0)?)))
    }

    /// Every memory a session was ever shown, also before a compaction.
    pub fn ever_injected(&self, session: &SessionId) -> Result<Vec<MemoryId>, StoreError> {
        let mut query = Query::new("SELECT DISTINCT memory FROM injected".to_owned());
        query.and("session = ?", session.as_str().to_owned());
        self.rows(query, |row| Ok(MemoryId::from_u64(unsigned(row, 0)?)))
    }

    /// Newest first; of all sessions, or of one. A limit of 0 is none.
    pub fn injections(
        &self,
        session: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<InjectionRow>, StoreError> {
        let mut query = Query::new(
            "SELECT at, session, subagent, event, behavior, tokens, text, items FROM injections".to_owned(),
        );
        if let Some(session) = session {
            query.and("session = ?", session.as_str().to_owned());
        }
        query.tail("ORDER BY at DESC, seq DESC, number DESC", limit);
        self.rows(query, |row| {
            let items: Option<String> = row.get(7)?;
            Ok(InjectionRow {
                at: unsigned(row, 0)?,
                session: SessionId::new(&row.get::<_, String>(1)?),
                subagent: row.get(2)?,
                event: row.get(3)?,
                behavior: row.get(4)?,
                tokens: row.get(5)?,
                text: row.get(6)?,
                items: items.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
            })
        })
    }

    pub fn injection_stats(&self) -> Result<InjectionStats, StoreError> {
        self.connection
            .query_row(
                // Citations outlive the entries of the journal that say what was shown: a share is of the same time.
                "WITH cited AS (SELECT prevented FROM citations WHERE (session, memory) IN
                     (SELECT session, memory FROM injected))
                 SELECT (SELECT COUNT(*) FROM injections), (SELECT COALESCE(SUM(tokens), 0) FROM injections),
                        (SELECT COUNT(*) FROM (SELECT DISTINCT session, memory FROM injected)),
                        (SELECT COUNT(*) FROM cited), (SELECT COALESCE(SUM(prevented), 0) FROM cited)",
                [],
                |row| {
                    Ok(InjectionStats {
                        notes: unsigned(row, 0)?,
                        tokens: unsigned(row, 1)?,
                        memories: unsigned(row, 2)?,
                        cited: unsigned(row, 3)?,
                        prevented: unsigned(row, 4)?,
                    })
                },
            )
            .map_err(|e| sort(&self.path, e))
    }

    /// Whether this was said once already.
    pub fn is_marked(&self, name: &str) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached("SELECT 1 FROM marks WHERE name = ?1")
            .and_then(|mut statement| statement.query_row([name], |_| Ok(())).optional())
            .map(|found| found.is_some())
            .map_err(|e| sort(&self.path, e))
    }

    pub fn hand_off(&self, session: &SessionId) -> Result<Option<HandOffRow>, StoreError> {
        let mut query = Query::new(format!("SELECT {HAND_OFF_COLUMNS} FROM hand_offs"));
        query.and("session = ?", session.as_str().to_owned());
        Ok(self.rows(query, read_hand_off)?.pop())
    }

    /// Newest first: of one workspace, or of all.
    pub fn hand_offs(
        &self,
        workspace: Option<&WorkspaceKey>,
        limit: usize,
    ) -> Result<Vec<HandOffRow>, StoreError> {
        let mut query = Query::new(format!("SELECT {HAND_OFF_COLUMNS} FROM hand_offs"));
        if let Some(workspace) = workspace {
            query.and("workspace = ?", workspace.as_str().to_owned());
        }
        query.tail("ORDER BY at DESC", limit);
        self.rows(query, read_hand_off)
    }

    pub fn outcome(&self, session: &SessionId) -> Result<Option<OutcomeRow>, StoreError> {
        let mut query = Query::new("SELECT session, outcome, said_by, why, at FROM outcomes".to_owned());
        query.and("session = ?", session.as_str().to_owned());
        Ok(self.rows(query, read_outcome)?.pop().flatten())
    }

    /// Newest first.
    pub fn outcomes(&self, limit: usize) -> Result<Vec<OutcomeRow>, StoreError> {
        let mut query = Query::new("SELECT session, outcome, said_by, why, at FROM outcomes".to_owned());
        query.tail("ORDER BY at DESC", limit);
        Ok(self.rows(query, read_outcome)?.into_iter().flatten().collect())
    }

    /// Newest first: of one folder, or of all.
    pub fn checkpoints(&self, root: Option<&str>, limit: usize) -> Result<Vec<Checkpoint>, StoreError> {
        let mut query = Query::new("SELECT checkpoint FROM checkpoints".to_owned());
        if let Some(root) = root {
            query.and("root = ?", root.to_owned());
        }
        query.tail("ORDER BY at DESC, id", limit);
        let texts = self.rows(query, |row| row.get::<_, String>(0))?;
        Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
    }

    /// By its id, or a beginning of it that fits only one.
    pub fn checkpoint(&self, id: &str) -> Result<Option<Checkpoint>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT checkpoint FROM checkpoints WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT 2",
            )
            .map_err(|e| sort(&self.path, e))?;
        let found: Vec<String> = statement
            .query_map(params![id, format!("{id}\u{10ffff}")], |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(|e| sort(&self.path, e))?;
        let exact = |text: &String| serde_json::from_str::<Checkpoint>(text).ok();
        match found.as_slice() {
            [] => Ok(None),
            [one] => Ok(exact(one)),
            [first, ..] => match exact(first) {
                Some(checkpoint) if checkpoint.id == id => Ok(Some(checkpoint)),
                _ => Err(StoreError::Ambiguous(id.to_owned())),
            },
        }
    }

    /// Turns and steps that wait to be distilled, of one session.
    pub fn waiting_steps(&self, session: &SessionId) -> Result<u64, StoreError> {
        self.connection
            .query_row("SELECT COUNT(*) FROM steps WHERE session = ?1", [session.as_str()], |row| {
                unsigned(row, 0)
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// Memories about a file, newest first: by its path as it was recorded.
    pub fn memories_of_file(&self, path: &str, limit: usize) -> Result<Vec<super::MemoryRow>, StoreError> {
        let columns = super::memory_rows::MEMORY_COLUMNS;
        let sql = format!(
            "SELECT {columns} FROM memories WHERE n IN (SELECT n FROM memory_files WHERE path = ?1)
             ORDER BY at DESC, n DESC LIMIT ?2"
        );
        let mut statement = self.connection.prepare_cached(&sql).map_err(|e| sort(&self.path, e))?;
        statement
            .query_map(params![path, number(limit as u64)], super::memory_rows::read_memory)
            .and_then(Iterator::collect)
            .map_err(|e| sort(&self.path, e))
    }
}

pub(super) fn read_hand_off(row: &rusqlite::Row<'_>) -> rusqlite::Result<HandOffRow> {
    let text: String = row.get(6)?;
    Ok(HandOffRow {
        session: SessionId::new(&row.get::<_, String>(0)?),
        at: unsigned(row, 1)?,
        workspace: row.get::<_, Option<String>>(2)?.map(WorkspaceKey::from_hex),
        project: row.get(3)?,
        project_key: row.get(4)?,
        branch: row.get(5)?,
        hand_off: serde_json::from_str(&text).unwrap_or_default(),
    })
}

fn read_outcome(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<OutcomeRow>> {
    let Some(outcome) = SessionOutcome::from_name(&row.get::<_, String>(1)?) else { return Ok(None) };
    Ok(Some(OutcomeRow {
        session: SessionId::new(&row.get::<_, String>(0)?),
        outcome,
        said_by: row.get(2)?,
        why: row.get(3)?,
        at: unsigned(row, 4)?,
    }))
}
