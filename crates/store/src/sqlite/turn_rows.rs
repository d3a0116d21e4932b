//! What is left of a turn's events until it is distilled, and what is carried to the next one.

use model::{Context, EventId, Millis, SessionId};
use rusqlite::{OptionalExtension, params};

use super::batch::{Batch, number};
use super::read::unsigned;
use super::{Tables, sort};
use crate::StoreError;

/// The name of the state that asks for a session's transcript to be kept.
pub const ARCHIVE_DUE: &str = "archive-due";

/// One step as its distiller wrote it. The store does not look inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepRow {
    pub seq: u64,
    pub at: Millis,
    pub step: String,
}

/// A stretch of the journal that was one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRow {
    pub first_seq: u64,
    pub last_seq: u64,
    pub session: SessionId,
    pub at: Millis,
    pub prompt: Option<String>,
    pub calls: u64,
    pub attempts: u32,
}

/// Which event stands at a position, and where its session is at work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPlace {
    pub id: EventId,
    pub context: Context,
}

impl Batch<'_> {
    pub fn push_step(
        &mut self,
        seq: u64,
        session: &SessionId,
        subagent: Option<&str>,
        at: Millis,
        step: &str,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO steps (seq, session, subagent, at, step) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
            params![number(seq), session.as_str(), subagent, number(at), step],
        )?;
        Ok(())
    }

    /// The steps that wait, oldest first: of the main thread, or of one subagent.
    pub fn steps(&self, session: &SessionId, subagent: Option<&str>) -> Result<Vec<StepRow>, StoreError> {
        self.rows(
            "SELECT seq, at, step FROM steps WHERE session = ?1 AND subagent IS ?2 ORDER BY seq",
            params![session.as_str(), subagent],
            |row| Ok(StepRow { seq: unsigned(row, 0)?, at: unsigned(row, 1)?, step: row.get(2)? }),
        )
    }

    pub fn count_steps(&self, session: &SessionId, subagent: Option<&str>) -> Result<u64, StoreError> {
        let count = self.one(
            "SELECT COUNT(*) FROM steps WHERE session = ?1 AND subagent IS ?2",
            params![session.as_str(), subagent],
        )?;
        Ok(count.unwrap_or(0) as u64)
    }

    pub fn drop_steps(&mut self, session: &SessionId, subagent: Option<&str>) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM steps WHERE session = ?1 AND subagent IS ?2",
            params![session.as_str(), subagent],
        )?;
        Ok(())
    }

    pub fn state(&self, session: &SessionId, name: &str) -> Result<Option<String>, StoreError> {
        Ok(self
            .rows(
                "SELECT state FROM session_states WHERE session = ?1 AND name = ?2",
                params![session.as_str(), name],
                |row| row.get(0),
            )?
            .pop())
    }

    pub fn set_state(
        &mut self,
        session: &SessionId,
        name: &str,
        state: &str,
        at: Millis,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO session_states (session, name, state, at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (session, name) DO UPDATE SET state = excluded.state, at = excluded.at",
            params![session.as_str(), name, state, number(at)],
        )?;
        Ok(())
    }

    /// When it was set last.
    pub fn state_at(&self, session: &SessionId, name: &str) -> Result<Option<Millis>, StoreError> {
        let at = self.one(
            "SELECT at FROM session_states WHERE session = ?1 AND name = ?2",
            params![session.as_str(), name],
        )?;
        Ok(at.map(|at| at.max(0) as u64))
    }

    pub fn drop_state(&mut self, session: &SessionId, name: &str) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM session_states WHERE session = ?1 AND name = ?2",
            params![session.as_str(), name],
        )?;
        Ok(())
    }

    pub fn event_place(&self, seq: u64) -> Result<Option<EventPlace>, StoreError> {
        let found = self.rows(
            "SELECT events.id, workspace, project, branch FROM events JOIN sessions ON sessions.id = session
             WHERE seq = ?1",
            [number(seq)],
            |row| {
                let mut context = Context::new();
                for (column, key) in ["workspace", "project", "branch"].into_iter().enumerate() {
                    if let Some(value) = row.get(column + 1)? {
                        context.insert(key.to_owned(), value);
                    }
                }
                Ok(EventPlace { id: EventId::from_bytes(row.get(0)?), context })
            },
        );
        Ok(found?.pop())
    }

    pub fn put_turn(&mut self, turn: &TurnRow) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO turns (last_seq, first_seq, session, at, prompt, calls) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO NOTHING",
            params![
                number(turn.last_seq),
                number(turn.first_seq),
                turn.session.as_str(),
                number(turn.at),
                turn.prompt,
                number(turn.calls),
            ],
        )?;
        Ok(())
    }

    /// `done`, or why it was given up.
    pub fn end_turn(&mut self, last_seq: u64, outcome: &str) -> Result<(), StoreError> {
        self.run("UPDATE turns SET model = ?2 WHERE last_seq = ?1", params![number(last_seq), outcome])?;
        Ok(())
    }

    pub fn count_attempt(&mut self, last_seq: u64) -> Result<(), StoreError> {
        self.run("UPDATE turns SET attempts = attempts + 1 WHERE last_seq = ?1", [number(last_seq)])?;
        Ok(())
    }

    /// States and turns nobody will ask for again.
    pub fn prune_turns(&mut self, before: Millis) -> Result<(), StoreError> {
        self.run("DELETE FROM session_states WHERE at < ?1", [number(before)])?;
        self.run("DELETE FROM turns WHERE at < ?1", [number(before)])?;
        self.run("DELETE FROM steps WHERE at < ?1", [number(before)])?;
        Ok(())
    }
}

impl Tables {
    /// The oldest turn that waits for a model, with at least one call in it.
    pub fn waiting_turns(&self, limit: usize) -> Result<Vec<TurnRow>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT first_seq, last_seq, session, at, prompt, calls, attempts FROM turns
                 WHERE model = 'waiting' AND calls > 0 ORDER BY last_seq LIMIT ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([limit as i64], |row| {
                        Ok(TurnRow {
                            first_seq: unsigned(row, 0)?,
                            last_seq: unsigned(row, 1)?,
                            session: SessionId::new(&row.get::<_, String>(2)?),
                            at: unsigned(row, 3)?,
                            prompt: row.get(4)?,
                            calls: unsigned(row, 5)?,
                            attempts: row.get(6)?,
                        })
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// Sessions whose last step is older than this: their turn will not be ended by their agent any more.
    pub fn stale_turns(&self, before: Millis) -> Result<Vec<(SessionId, Option<String>)>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT session, subagent FROM steps GROUP BY session, subagent HAVING MAX(at) < ?1 LIMIT 100",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([number(before)], |row| {
                        Ok((SessionId::new(&row.get::<_, String>(0)?), row.get(1)?))
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    pub fn state(&self, session: &SessionId, name: &str) -> Result<Option<String>, StoreError> {
        self.connection
            .prepare_cached("SELECT state FROM session_states WHERE session = ?1 AND name = ?2")
            .and_then(|mut statement| {
                statement.query_row(params![session.as_str(), name], |row| row.get(0)).optional()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// What waits under a name: the session, what was written, and when. Oldest first.
    pub fn states(&self, name: &str, limit: usize) -> Result<Vec<(SessionId, String, Millis)>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT session, state, at FROM session_states WHERE name = ?1 ORDER BY at LIMIT ?2",
            )
            .and_then(|mut statement| {
                statement
                    .query_map(params![name, limit as i64], |row| {
                        Ok((SessionId::new(&row.get::<_, String>(0)?), row.get(1)?, unsigned(row, 2)?))
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    pub fn count_waiting(&self) -> Result<u64, StoreError> {
        let count: Option<i64> = self
            .connection
            .prepare_cached("SELECT COUNT(*) FROM turns WHERE model = 'waiting' AND calls > 0")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)).optional())
            .map_err(|e| sort(&self.path, e))?;
        Ok(count.unwrap_or(0).max(0) as u64)
    }
}
