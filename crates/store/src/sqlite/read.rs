//! Questions the derived tables answer.

use model::{EventId, Millis, SessionId, WorkspaceKey};
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};

use super::batch::number;
use super::{EventFilter, EventRow, Order, PromptRow, SessionFilter, SessionRow, Tables, WorkspaceRow, sort};
use crate::{Location, StoreError};

pub(super) const SESSION_COLUMNS: &str = "id, agent, workspace, project, branch, cwd, source, model, started_at, \
    last_seen_at, ended_at, end_reason, prompts, events, tools, attended, pid, transcript, pid_began, project_key";
pub(super) const EVENT_COLUMNS: &str =
    "seq, id, at, agent, session, kind, tool, subagent, bytes, segment, \"offset\"";

impl Tables {
    /// Last seen first.
    pub fn sessions(&self, filter: &SessionFilter) -> Result<Vec<SessionRow>, StoreError> {
        let mut query = Query::new(format!("SELECT {SESSION_COLUMNS} FROM sessions"));
        if let Some(workspace) = &filter.workspace {
            query.and("workspace = ?", workspace.as_str().to_owned());
        }
        if let Some(project) = &filter.project {
            query.and("project = ?", project.clone());
        }
        if let Some(agent) = &filter.agent {
            query.and("agent = ?", agent.clone());
        }
        if let Some(since) = filter.since {
            query.and("last_seen_at >= ?", number(since));
        }
        if filter.live {
            query.and("ended_at IS NULL AND ?", 1);
        }
        query.tail("ORDER BY last_seen_at DESC, id", filter.limit);
        self.rows(query, read_session)
    }

    /// By its id, or by the beginning of it when that fits only one.
    pub fn session(&self, id: &str) -> Result<Option<SessionRow>, StoreError> {
        let mut exact = Query::new(format!("SELECT {SESSION_COLUMNS} FROM sessions"));
        exact.and("id = ?", id.to_owned());
        if let Some(found) = self.rows(exact, read_session)?.pop() {
            return Ok(Some(found));
        }
        if id.is_empty() {
            return Ok(None);
        }
        // A range and not LIKE: ids are strangers' text, with wildcards and NUL bytes.
        let mut prefix = Query::new(format!("SELECT {SESSION_COLUMNS} FROM sessions"));
        prefix.and("id >= ?", id.to_owned());
        prefix.and("id < ?", format!("{id}\u{10ffff}"));
        prefix.tail("ORDER BY id", 2);
        let mut found = self.rows(prefix, read_session)?;
        match found.len() {
            0 | 1 => Ok(found.pop()),
            _ => Err(StoreError::Ambiguous(id.chars().take(SessionId::MAX_CHARS).collect())),
        }
    }

    pub fn events(&self, filter: &EventFilter) -> Result<Vec<EventRow>, StoreError> {
        let mut query = Query::new(format!("SELECT {EVENT_COLUMNS} FROM events"));
        if let Some(session) = &filter.session {
            query.and("session = ?", session.as_str().to_owned());
        }
        if let Some(kind) = &filter.kind {
            query.and("kind = ?", kind.clone());
        }
        if let Some(tool) = &filter.tool {
            query.and("tool = ?", tool.clone());
        }
        if let Some(after) = filter.after {
            query.and("seq > ?", number(after));
        }
        let order = match filter.order {
            Order::NewestFirst => "ORDER BY seq DESC",
            Order::OldestFirst => "ORDER BY seq",
        };
        query.tail(order, filter.limit);
        self.rows(query, read_event)
    }

    pub fn event(&self, id: EventId) -> Result<Option<EventRow>, StoreError> {
        let mut query = Query::new(format!("SELECT {EVENT_COLUMNS} FROM events"));
        query.and("id = ?", id.as_bytes().to_vec());
        Ok(self.rows(query, read_event)?.pop())
    }

    /// What was asked last.
    pub fn last_prompt(&self, session: &SessionId) -> Result<Option<PromptRow>, StoreError> {
        let mut query = Query::new("SELECT id, session, number, at, text FROM prompts".to_owned());
        query.and("session = ?", session.as_str().to_owned());
        query.tail("ORDER BY number DESC", 1);
        Ok(self.rows(query, read_prompt)?.pop())
    }

    /// Which turn of a session this moment lies in: the number of its prompt. `None`: nobody had asked for anything yet.
    pub fn turn_at(&self, session: &str, at: Millis) -> Result<Option<u64>, StoreError> {
        self.connection
            .prepare_cached("SELECT MAX(number) FROM prompts WHERE session = ?1 AND at <= ?2")
            .and_then(|mut statement| {
                statement.query_row(params![session, number(at)], |row| row.get::<_, Option<i64>>(0))
            })
            .map(|number| number.map(i64::unsigned_abs))
            .map_err(|e| sort(&self.path, e))
    }

    /// In the order they were asked.
    pub fn prompts(&self, session: &SessionId) -> Result<Vec<PromptRow>, StoreError> {
        let mut query = Query::new("SELECT id, session, number, at, text FROM prompts".to_owned());
        query.and("session = ?", session.as_str().to_owned());
        query.tail("ORDER BY number", 0);
        self.rows(query, read_prompt)
    }

    /// Last seen first.
    pub fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        let mut query =
            Query::new("SELECT key, root, project, first_seen_at, last_seen_at FROM workspaces".to_owned());
        query.tail("ORDER BY last_seen_at DESC, key", 0);
        self.rows(query, read_workspace)
    }

    pub(super) fn rows<T>(
        &self,
        query: Query,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.connection
            .prepare_cached(&query.sql)
            .and_then(|mut statement| {
                statement
                    .query_map(params_from_iter(query.values), read)?
                    .collect::<rusqlite::Result<Vec<T>>>()
            })
            .map_err(|e| sort(&self.path, e))
    }
}

/// A statement that grows with its filter. Every value is bound, never pasted.
pub(super) struct Query {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

impl Query {
    pub(super) fn new(sql: String) -> Self {
        Self { sql, values: Vec::new() }
    }

    pub(super) fn and(&mut self, condition: &str, value: impl Into<Value>) {
        self.sql.push_str(if self.values.is_empty() { " WHERE " } else { " AND " });
        self.sql.push_str(condition);
        self.values.push(value.into());
    }

    /// A condition with more than one place for a value.
    pub(super) fn and_all(&mut self, condition: &str, values: impl IntoIterator<Item = Value>) {
        self.sql.push_str(if self.values.is_empty() { " WHERE " } else { " AND " });
        self.sql.push_str(condition);
        self.values.extend(values);
    }

    pub(super) fn tail(&mut self, order: &str, limit: usize) {
        self.sql.push(' ');
        self.sql.push_str(order);
        if limit > 0 {
            self.sql.push_str(" LIMIT ?");
            self.values.push(Value::Integer(number(limit as u64)));
        }
    }
}

pub(super) fn read_session(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        id: session_id(row, 0)?,
        agent: row.get(1)?,
        workspace: row.get::<_, Option<String>>(2)?.map(WorkspaceKey::from_hex),
        project: row.get(3)?,
        branch: row.get(4)?,
        cwd: row.get(5)?,
        source: row.get(6)?,
        model: row.get(7)?,
        started_at: unsigned(row, 8)?,
        last_seen_at: unsigned(row, 9)?,
        ended_at: optional(row, 10)?,
        end_reason: row.get(11)?,
        prompts: unsigned(row, 12)?,
        events: unsigned(row, 13)?,
        tools: unsigned(row, 14)?,
        attended: row.get(15)?,
        pid: row.get(16)?,
        transcript: row.get(17)?,
        pid_began: row.get(18)?,
        project_key: row.get(19)?,
    })
}

/// Of the columns id, session, number, at, text.
pub(super) fn read_prompt(row: &Row<'_>) -> rusqlite::Result<PromptRow> {
    Ok(PromptRow {
        id: event_id(row, 0)?,
        session: session_id(row, 1)?,
        number: unsigned(row, 2)?,
        at: unsigned(row, 3)?,
        text: row.get(4)?,
    })
}

/// Of the columns key, root, project, first_seen_at, last_seen_at.
pub(super) fn read_workspace(row: &Row<'_>) -> rusqlite::Result<WorkspaceRow> {
    Ok(WorkspaceRow {
        key: WorkspaceKey::from_hex(row.get(0)?),
        root: row.get(1)?,
        project: row.get(2)?,
        first_seen_at: unsigned(row, 3)?,
        last_seen_at: unsigned(row, 4)?,
    })
}

pub(super) fn read_event(row: &Row<'_>) -> rusqlite::Result<EventRow> {
    Ok(EventRow {
        seq: unsigned(row, 0)?,
        id: event_id(row, 1)?,
        at: unsigned(row, 2)?,
        agent: row.get(3)?,
        session: session_id(row, 4)?,
        kind: row.get(5)?,
        tool: row.get(6)?,
        subagent: row.get(7)?,
        bytes: unsigned(row, 8)?,
        location: Location { segment: unsigned(row, 9)?, offset: unsigned(row, 10)? },
    })
}

pub(super) fn session_id(row: &Row<'_>, column: usize) -> rusqlite::Result<SessionId> {
    Ok(SessionId::new(row.get_ref(column)?.as_str()?))
}

pub(super) fn event_id(row: &Row<'_>, column: usize) -> rusqlite::Result<EventId> {
    row.get::<_, [u8; 16]>(column).map(EventId::from_bytes)
}

pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(|value| value.max(0) as u64)
}

pub(super) fn optional(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u64>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(|value| value.max(0) as u64))
}
