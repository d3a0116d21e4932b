//! Patterns of agents, the calls that start agents, and the agents: rows that others make sense of.

use model::{Millis, SessionId};
use rusqlite::{Row, params};
use serde::Serialize;

use super::batch::number;
use super::read::{Query, session_id, unsigned};
use super::{Batch, Tables};
use crate::StoreError;

/// A pattern; `state` is JSON of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatternRow {
    pub id: String,
    pub session: SessionId,
    pub kind: String,
    pub name: String,
    pub at: Millis,
    pub ended_at: Option<Millis>,
    #[serde(skip)]
    pub state: String,
}

/// Which patterns are wanted.
#[derive(Debug, Clone, Default)]
pub struct PatternFilter<'a> {
    pub session: Option<&'a SessionId>,
    /// Of one kind.
    pub kind: Option<&'a str>,
    pub name: Option<&'a str>,
    /// Not ended, or ended at this moment or later.
    pub since: Option<Millis>,
    /// 0 for all.
    pub limit: usize,
}

/// A call of the tool that starts agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRow {
    pub session: SessionId,
    pub call: String,
    pub at: Millis,
    pub caller: Option<String>,
    pub agent_kind: String,
    /// What the caller says it is about.
    pub about: Option<String>,
    pub pattern: Option<String>,
    pub agent: Option<String>,
    /// Whether that is known, not guessed.
    pub certain: bool,
    pub over: bool,
}

/// An agent that another one started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubagentRow {
    pub session: SessionId,
    pub id: String,
    pub kind: String,
    pub started_at: Millis,
    pub ended_at: Option<Millis>,
    pub state: String,
    pub result: Option<String>,
    #[serde(skip)]
    pub is_final: bool,
}

const PATTERNS: &str = "SELECT id, session, kind, name, at, ended_at, state FROM patterns";
const CALLS: &str =
    "SELECT session, call, at, caller, agent_kind, about, pattern, agent, certain, over FROM agent_calls";
const SUBAGENTS: &str = "SELECT session, id, kind, started_at, ended_at, state, result, final FROM subagents";

impl Tables {
    /// Newest first.
    pub fn patterns(&self, filter: &PatternFilter<'_>) -> Result<Vec<PatternRow>, StoreError> {
        let mut query = Query::new(PATTERNS.to_owned());
        if let Some(session) = filter.session {
            query.and("session = ?", session.as_str().to_owned());
        }
        if let Some(kind) = filter.kind {
            query.and("kind = ?", kind.to_owned());
        }
        if let Some(name) = filter.name {
            query.and("name = ?", name.to_owned());
        }
        if let Some(since) = filter.since {
            query.and("COALESCE(ended_at, 9223372036854775807) >= ?", number(since));
        }
        query.tail("ORDER BY at DESC, id DESC", filter.limit);
        self.rows(query, read_pattern)
    }

    pub fn pattern(&self, id: &str) -> Result<Option<PatternRow>, StoreError> {
        let mut query = Query::new(PATTERNS.to_owned());
        query.and("id = ?", id.to_owned());
        Ok(self.rows(query, read_pattern)?.pop())
    }

    pub fn call_of_agent(&self, session: &SessionId, agent: &str) -> Result<Option<CallRow>, StoreError> {
        let mut query = Query::new(CALLS.to_owned());
        query.and("session = ?", session.as_str().to_owned());
        query.and("agent = ?", agent.to_owned());
        Ok(self.rows(query, read_call)?.pop())
    }

    /// The calls of a session that nobody knows to be over, oldest first.
    pub fn open_calls(&self, session: &SessionId) -> Result<Vec<CallRow>, StoreError> {
        let mut query = Query::new(CALLS.to_owned());
        query.and("over = 0 AND session = ?", session.as_str().to_owned());
        query.tail("ORDER BY at, call", 0);
        self.rows(query, read_call)
    }

    pub fn calls(&self, session: Option<&SessionId>, limit: usize) -> Result<Vec<CallRow>, StoreError> {
        let mut query = Query::new(CALLS.to_owned());
        if let Some(session) = session {
            query.and("session = ?", session.as_str().to_owned());
        }
        query.tail("ORDER BY at DESC, call", limit);
        self.rows(query, read_call)
    }

    /// Last started first.
    pub fn subagents(
        &self,
        session: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<SubagentRow>, StoreError> {
        let mut query = Query::new(SUBAGENTS.to_owned());
        if let Some(session) = session {
            query.and("session = ?", session.as_str().to_owned());
        }
        query.tail("ORDER BY started_at DESC, id", limit);
        self.rows(query, read_subagent)
    }
}

impl Batch<'_> {
    pub fn put_pattern(&mut self, row: &PatternRow) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO patterns (id, session, kind, name, at, ended_at, state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, state = excluded.state",
            params![
                row.id,
                row.session.as_str(),
                row.kind,
                row.name,
                number(row.at),
                row.ended_at.map(number),
                row.state
            ],
        )?;
        Ok(())
    }

    pub fn pattern_row(&self, id: &str) -> Result<Option<PatternRow>, StoreError> {
        Ok(self.rows(&format!("{PATTERNS} WHERE id = ?1"), [id], read_pattern)?.pop())
    }

    /// Of one kind and name in a session, newest first.
    pub fn patterns_named(
        &self,
        session: &SessionId,
        kind: &str,
        name: &str,
    ) -> Result<Vec<PatternRow>, StoreError> {
        let sql = format!(
            "{PATTERNS} WHERE session = ?1 AND kind = ?2 AND name = ?3 ORDER BY at DESC, length(id) DESC, id DESC"
        );
        self.rows(&sql, [session.as_str(), kind, name], read_pattern)
    }

    /// Of a session, those that have not ended.
    pub fn open_patterns(&self, session: &SessionId) -> Result<Vec<PatternRow>, StoreError> {
        let sql = format!("{PATTERNS} WHERE session = ?1 AND ended_at IS NULL ORDER BY at, id");
        self.rows(&sql, [session.as_str()], read_pattern)
    }

    pub fn put_call(&mut self, row: &CallRow) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO agent_calls (session, call, at, caller, agent_kind, about, pattern, agent, certain, over)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (session, call) DO UPDATE SET pattern = excluded.pattern, agent = excluded.agent,
                 certain = excluded.certain, over = excluded.over",
            params![
                row.session.as_str(),
                row.call,
                number(row.at),
                row.caller,
                row.agent_kind,
                row.about,
                row.pattern,
                row.agent,
                row.certain,
                row.over
            ],
        )?;
        Ok(())
    }

    pub fn call_row(&self, session: &SessionId, call: &str) -> Result<Option<CallRow>, StoreError> {
        let sql = format!("{CALLS} WHERE session = ?1 AND call = ?2");
        Ok(self.rows(&sql, [session.as_str(), call], read_call)?.pop())
    }

    pub fn call_row_of_agent(&self, session: &SessionId, agent: &str) -> Result<Option<CallRow>, StoreError> {
        let sql = format!("{CALLS} WHERE session = ?1 AND agent = ?2");
        Ok(self.rows(&sql, [session.as_str(), agent], read_call)?.pop())
    }

    /// The calls of agents of this kind behind which nobody is known, oldest first.
    pub fn calls_without_agent(&self, session: &SessionId, kind: &str) -> Result<Vec<CallRow>, StoreError> {
        let sql = format!(
            "{CALLS} WHERE session = ?1 AND agent_kind = ?2 AND agent IS NULL AND over = 0 ORDER BY at, call"
        );
        self.rows(&sql, [session.as_str(), kind], read_call)
    }

    pub fn calls_begun_by_nobody(&self, session: &SessionId) -> Result<Vec<CallRow>, StoreError> {
        let sql = format!("{CALLS} WHERE session = ?1 AND agent IS NULL AND over = 0 ORDER BY at, call");
        self.rows(&sql, [session.as_str()], read_call)
    }

    pub fn put_subagent(&mut self, row: &SubagentRow) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO subagents (session, id, kind, started_at, ended_at, state, result, final)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (session, id) DO UPDATE SET ended_at = excluded.ended_at, state = excluded.state,
                 result = excluded.result, final = excluded.final",
            params![
                row.session.as_str(),
                row.id,
                row.kind,
                number(row.started_at),
                row.ended_at.map(number),
                row.state,
                row.result,
                row.is_final
            ],
        )?;
        Ok(())
    }

    pub fn subagent_row(&self, session: &SessionId, id: &str) -> Result<Option<SubagentRow>, StoreError> {
        let sql = format!("{SUBAGENTS} WHERE session = ?1 AND id = ?2");
        Ok(self.rows(&sql, [session.as_str(), id], read_subagent)?.pop())
    }

    /// The session's agents that are still out.
    pub fn end_subagents(&mut self, session: &SessionId, at: Millis, why: &str) -> Result<(), StoreError> {
        self.run(
            "UPDATE subagents SET state = 'failed', ended_at = ?2, result = ?3, final = 1
             WHERE session = ?1 AND state = 'out'",
            params![session.as_str(), number(at), why],
        )?;
        self.run("UPDATE agent_calls SET over = 1 WHERE session = ?1 AND over = 0", [session.as_str()])?;
        Ok(())
    }

    /// With the session they were in.
    pub(super) fn drop_patterns_of(&mut self, session: &SessionId) -> Result<(), StoreError> {
        for table in ["patterns", "agent_calls", "subagents"] {
            self.run(&format!("DELETE FROM {table} WHERE session = ?1"), [session.as_str()])?;
        }
        Ok(())
    }
}

fn read_pattern(row: &Row<'_>) -> rusqlite::Result<PatternRow> {
    Ok(PatternRow {
        id: row.get(0)?,
        session: session_id(row, 1)?,
        kind: row.get(2)?,
        name: row.get(3)?,
        at: unsigned(row, 4)?,
        ended_at: row.get::<_, Option<i64>>(5)?.map(|at| at.max(0) as u64),
        state: row.get(6)?,
    })
}

fn read_call(row: &Row<'_>) -> rusqlite::Result<CallRow> {
    Ok(CallRow {
        session: session_id(row, 0)?,
        call: row.get(1)?,
        at: unsigned(row, 2)?,
        caller: row.get(3)?,
        agent_kind: row.get(4)?,
        about: row.get(5)?,
        pattern: row.get(6)?,
        agent: row.get(7)?,
        certain: row.get(8)?,
        over: row.get(9)?,
    })
}

fn read_subagent(row: &Row<'_>) -> rusqlite::Result<SubagentRow> {
    Ok(SubagentRow {
        session: session_id(row, 0)?,
        id: row.get(1)?,
        kind: row.get(2)?,
        started_at: unsigned(row, 3)?,
        ended_at: row.get::<_, Option<i64>>(4)?.map(|at| at.max(0) as u64),
        state: row.get(5)?,
        result: row.get(6)?,
        is_final: row.get(7)?,
    })
}
