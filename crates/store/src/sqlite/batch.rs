//! Writes of one transaction. Each can be repeated without changing the result: after a crash the
//! learner reads the journal again from its cursor, and a rebuild reads all of it.

use std::path::Path;

use model::{EventId, Millis, SessionId, WorkspaceKey};
use rusqlite::{OptionalExtension, Params, Row, Transaction, params};

use super::{EventRow, SessionTouch, sort};
use crate::StoreError;

#[derive(Debug)]
pub struct Batch<'a> {
    transaction: &'a Transaction<'a>,
    path: &'a Path,
    position: u64,
}

impl<'a> Batch<'a> {
    pub(super) fn new(transaction: &'a Transaction<'a>, path: &'a Path) -> Self {
        Self { transaction, path, position: 0 }
    }

    /// The journal's entry that is being learned from; 0 outside of learning.
    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn set_position(&mut self, seq: u64) {
        self.position = seq;
    }

    pub fn upsert_workspace(
        &mut self,
        key: &WorkspaceKey,
        root: &str,
        project: Option<&str>,
        at: Millis,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO workspaces (key, root, project, first_seen_at, last_seen_at)
             VALUES (?1, ?2, ?3, ?4, ?4)
             ON CONFLICT (key) DO UPDATE SET
                 root = excluded.root,
                 project = COALESCE(excluded.project, project),
                 first_seen_at = MIN(first_seen_at, excluded.first_seen_at),
                 last_seen_at = MAX(last_seen_at, excluded.last_seen_at)",
            params![key.as_str(), root, project, number(at)],
        )?;
        Ok(())
    }

    pub fn upsert_project(
        &mut self,
        key: &str,
        name: &str,
        first_commit: Option<&str>,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO projects (key, name, first_commit) VALUES (?1, ?2, ?3)
             ON CONFLICT (key) DO UPDATE SET name = excluded.name,
                 first_commit = COALESCE(excluded.first_commit, first_commit)",
            params![key, name, first_commit],
        )?;
        Ok(())
    }

    /// Makes the session known or adds to what is known. A start (`source`) after an end makes it live again
    /// (a resume keeps the id); a straggler after the end does not.
    pub fn touch_session(&mut self, touch: &SessionTouch) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO sessions (id, agent, workspace, project, branch, cwd, source, model,
                                   started_at, last_seen_at, attended, pid, transcript, heard_at,
                                   pid_began, project_key)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
             ON CONFLICT (id) DO UPDATE SET
                 workspace = COALESCE(excluded.workspace, workspace),
                 project = COALESCE(excluded.project, project),
                 branch = COALESCE(excluded.branch, branch),
                 cwd = COALESCE(excluded.cwd, cwd),
                 source = COALESCE(excluded.source, source),
                 model = COALESCE(excluded.model, model),
                 started_at = MIN(started_at, excluded.started_at),
                 last_seen_at = MAX(last_seen_at, excluded.last_seen_at),
                 end_reason = CASE WHEN excluded.source IS NULL THEN end_reason END,
                 ended_at = CASE WHEN excluded.source IS NULL THEN ended_at END,
                 attended = COALESCE(excluded.attended, attended),
                 pid_began = CASE WHEN excluded.pid IS NULL OR (excluded.pid = pid AND excluded.pid_began IS NULL)
                     THEN pid_began ELSE excluded.pid_began END,
                 pid = COALESCE(excluded.pid, pid),
                 project_key = COALESCE(excluded.project_key, project_key),
                 transcript = COALESCE(excluded.transcript, transcript),
                 heard_at = COALESCE(MIN(heard_at, excluded.heard_at), heard_at, excluded.heard_at)",
            params![
                touch.id.as_str(),
                touch.agent,
                touch.workspace.as_ref().map(WorkspaceKey::as_str),
                touch.project,
                touch.branch,
                touch.cwd,
                touch.source,
                touch.model,
                number(touch.at),
                touch.attended,
                touch.pid,
                touch.transcript,
                touch.heard.then_some(number(touch.at)),
                touch.pid_began,
                touch.project_key,
            ],
        )?;
        Ok(())
    }

    pub fn knows_session(&self, id: &SessionId) -> Result<bool, StoreError> {
        let known = self.rows("SELECT 1 FROM sessions WHERE id = ?1", [id.as_str()], |_| Ok(()))?;
        Ok(!known.is_empty())
    }

    /// Whether the session was known. Its last sign of life is its end.
    pub fn end_session(&mut self, id: &SessionId, at: Millis, reason: &str) -> Result<bool, StoreError> {
        let changed = self.run(
            "UPDATE sessions SET ended_at = ?2, end_reason = ?3, last_seen_at = MAX(last_seen_at, ?2)
             WHERE id = ?1",
            params![id.as_str(), number(at), reason],
        )?;
        Ok(changed > 0)
    }

    /// Numbers the prompts of a session from 1 and counts them there. The same id again answers the
    /// number it has.
    pub fn insert_prompt(
        &mut self,
        id: EventId,
        session: &SessionId,
        at: Millis,
        text: &str,
    ) -> Result<u64, StoreError> {
        let known: Option<i64> = self.one("SELECT number FROM prompts WHERE id = ?1", [id.as_bytes()])?;
        if let Some(known) = known {
            return Ok(known as u64);
        }
        let next: i64 = self
            .one("SELECT COALESCE(MAX(number), 0) + 1 FROM prompts WHERE session = ?1", [session.as_str()])?
            .unwrap_or(1);
        self.run(
            "INSERT INTO prompts (id, session, number, at, text) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![id.as_bytes(), session.as_str(), next, number(at), text],
        )?;
        self.run("UPDATE sessions SET prompts = prompts + 1 WHERE id = ?1", [session.as_str()])?;
        Ok(next as u64)
    }

    /// Counts the event in its session, and its tool call when that is over. False when its id (or sequence number) is already here.
    pub fn insert_event(&mut self, row: &EventRow) -> Result<bool, StoreError> {
        let changed = self.run(
            "INSERT INTO events (seq, id, at, agent, session, kind, tool, subagent, bytes, segment, \"offset\")
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT DO NOTHING",
            params![
                number(row.seq),
                row.id.as_bytes(),
                number(row.at),
                row.agent,
                row.session.as_str(),
                row.kind,
                row.tool,
                row.subagent,
                number(row.bytes),
                number(row.location.segment),
                number(row.location.offset),
            ],
        )?;
        if changed == 0 {
            return Ok(false);
        }
        self.run(
            "UPDATE sessions SET events = events + 1, tools = tools + ?2 WHERE id = ?1",
            params![
                row.session.as_str(),
                i64::from(row.kind.starts_with("PostToolUse") && row.tool.is_some())
            ],
        )?;
        Ok(true)
    }

    /// Adds to the count of a day. Not repeatable by itself: call it only for an event that
    /// `insert_event` took in, in the same transaction.
    pub fn count_redactions(&mut self, at: Millis, kind: &str, count: u64) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO redactions (day, kind, count) VALUES (?1, ?2, ?3)
             ON CONFLICT (day, kind) DO UPDATE SET count = count + excluded.count",
            params![number(at / super::rows::DAY_MS), kind, number(count)],
        )?;
        Ok(())
    }

    pub fn set_cursor(&mut self, seq: u64) -> Result<(), StoreError> {
        self.set_meta("cursor", &seq.to_string())
    }

    pub fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO meta (key, value) VALUES (?1, ?2)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            params![key, value],
        )?;
        Ok(())
    }

    /// Forgets events whose envelopes retention has dropped. Sessions and prompts stay.
    pub fn prune_events_below(&mut self, seq: u64) -> Result<u64, StoreError> {
        self.run("DELETE FROM events WHERE seq < ?1", [number(seq)]).map(|changed| changed as u64)
    }

    pub(super) fn run(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        self.transaction
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params))
            .map_err(|e| sort(self.path, e))
    }

    pub(super) fn one(&self, sql: &str, params: impl Params) -> Result<Option<i64>, StoreError> {
        self.transaction
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row(params, |row| row.get(0)).optional())
            .map_err(|e| sort(self.path, e))
    }

    pub(super) fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.transaction
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement.query_map(params, read)?.collect::<rusqlite::Result<Vec<T>>>()
            })
            .map_err(|e| sort(self.path, e))
    }

    pub(super) fn last_row(&self) -> i64 {
        self.transaction.last_insert_rowid()
    }
}

/// SQLite's integers are signed. A time or size beyond that is a lie; it is kept as the largest.
pub(super) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
