//! What a name in the outbox means now: the row as it stands, with what decides how it leaves.

use model::{EventId, Memory, MemoryId, Millis, SessionId};
use rusqlite::{OptionalExtension, Row, params};

use super::batch::number;
use super::memory_rows::{MEMORY_COLUMNS, read_memory};
use super::outbox::{OwnMemory, Tidings};
use super::read::{optional, unsigned};
use super::{Tables, claim_rows};
use crate::shared::{SharedClaim, SharedMessage, SharedPattern, SharedProject, SharedSession};

/// A session or claim nobody has heard of for this long says nothing to anybody any more.
const STALE: Millis = 24 * 60 * 60 * 1000;
/// Words nobody came for, and patterns that began before, are not listed here for longer either.
const STALE_WORDS: Millis = 7 * STALE;

impl Tables {
    pub(super) fn tidings(
        &self,
        kind: &str,
        key: &str,
        project: &SharedProject,
        now: Millis,
    ) -> rusqlite::Result<Tidings> {
        Ok(match kind {
            "memory" => self.memory_tidings(key)?,
            "session" => self
                .connection
                .prepare_cached(
                    // What it is about is what its person asked for, and is not told.
                    "SELECT id, agent, branch, NULL, started_at, last_seen_at, ended_at
                     FROM sessions WHERE id = ?1 AND last_seen_at >= ?2",
                )?
                .query_row(params![key, number(now.saturating_sub(STALE))], |row| session(row, project))
                .optional()?
                .map_or(Tidings::Nothing, Tidings::Session),
            "claim" => self.claim_tidings(key, project, now)?,
            "message" => self.message_tidings(key, project, now)?,
            "pattern" => self.pattern_tidings(key, project, now)?,
            _ => Tidings::Nothing,
        })
    }

    fn memory_tidings(&self, key: &str) -> rusqlite::Result<Tidings> {
        let Ok(id) = key.parse::<i64>() else { return Ok(Tidings::Nothing) };
        let row = self
            .connection
            .prepare_cached(&format!(
                "SELECT {MEMORY_COLUMNS} FROM memories WHERE id = ?1 AND author IS NULL"
            ))?
            .query_map([id], read_memory)?
            .next()
            .transpose()?;
        if let Some(row) = row {
            let root = self
                .connection
                .prepare_cached(
                    "SELECT root FROM workspaces WHERE key = ?1 OR ?1 IS NULL AND project_key = ?2
                     ORDER BY last_seen_at DESC LIMIT 1",
                )?
                .query_row(
                    params![
                        row.memory.workspace.as_ref().map(model::WorkspaceKey::as_str),
                        row.memory.project_key
                    ],
                    |row| row.get(0),
                )
                .optional()?;
            let prompts = self.prompts_of(&row.memory)?;
            let vectors = self.vectors_of(row.n)?;
            return Ok(Tidings::Memory(Box::new(OwnMemory { row, root, prompts, vectors })));
        }
        let forgotten = self
            .connection
            .prepare_cached("SELECT 1 FROM forgotten WHERE id = ?1")?
            .query_row([id], |_| Ok(()))
            .optional()?;
        // Dropped to make room is not forgotten: others may have room.
        Ok(forgotten
            .map_or(Tidings::Nothing, |()| Tidings::Forgotten(MemoryId::from_u64(id.cast_unsigned()))))
    }

    fn prompts_of(&self, memory: &Memory) -> rusqlite::Result<Vec<String>> {
        let mut asked = self.connection.prepare_cached("SELECT text FROM prompts WHERE id = ?1")?;
        let text = |event: &EventId| asked.query_row([event.as_bytes()], |row| row.get(0)).optional();
        memory.provenance.events.iter().map(text).filter_map(Result::transpose).collect()
    }

    fn vectors_of(&self, n: u64) -> rusqlite::Result<Option<(String, Vec<Vec<u8>>)>> {
        let parts: Vec<(String, Vec<u8>)> = self
            .connection
            .prepare_cached(
                "SELECT identity, vector FROM vectors JOIN vector_models ON number = model
                 WHERE n = ?1 AND n NOT IN (SELECT n FROM vectors_due) ORDER BY part",
            )?
            .query_map([number(n)], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let Some(identity) = parts.first().map(|(identity, _)| identity.clone()) else { return Ok(None) };
        Ok(Some((identity, parts.into_iter().map(|(_, vector)| vector).collect())))
    }

    fn claim_tidings(&self, key: &str, project: &SharedProject, now: Millis) -> rusqlite::Result<Tidings> {
        let Ok((id, path)) = serde_json::from_str::<(String, String)>(key) else {
            return Ok(Tidings::Nothing);
        };
        let claim = self
            .connection
            .prepare_cached(
                "SELECT sessions.branch, since_at, last_at, note, claims.lines
                 FROM claims JOIN sessions ON sessions.id = claims.session
                    JOIN workspaces ON workspaces.key = sessions.workspace
                 WHERE claims.session = ?1 AND path = root || '/' || ?2 AND last_at >= ?3",
            )?
            .query_row(params![id, path, number(now.saturating_sub(STALE))], |row| {
                Ok(SharedClaim {
                    project: project.clone(),
                    session: SessionId::new(&id),
                    path: path.clone(),
                    branch: row.get(0)?,
                    since_at: unsigned(row, 1)?,
                    last_at: unsigned(row, 2)?,
                    lines: claim_rows::span(&claim_rows::spans(row, 4)?),
                    goal: row.get(3)?,
                })
            })
            .optional()?;
        Ok(claim.map_or_else(|| Tidings::Released { session: SessionId::new(&id), path }, Tidings::Claim))
    }

    /// Who sent it is a session of ours, or nobody: what a person is called on this machine stays here.
    fn message_tidings(&self, key: &str, project: &SharedProject, now: Millis) -> rusqlite::Result<Tidings> {
        let message = self
            .connection
            .prepare_cached(
                "SELECT recipient, at, text, delivered_at,
                    CASE WHEN author IS NOT NULL OR sender IN (SELECT id FROM sessions) THEN sender ELSE '' END
                 FROM messages WHERE id = ?1 AND at >= ?2",
            )?
            .query_row(params![key, number(now.saturating_sub(STALE_WORDS))], |row| {
                Ok(SharedMessage {
                    id: key.to_owned(),
                    project: project.clone(),
                    to: SessionId::new(&row.get::<_, String>(0)?),
                    from: row.get(4)?,
                    at: unsigned(row, 1)?,
                    text: row.get(2)?,
                    delivered_at: optional(row, 3)?,
                })
            })
            .optional()?;
        Ok(message.map_or(Tidings::Nothing, Tidings::Message))
    }

    fn pattern_tidings(&self, key: &str, project: &SharedProject, now: Millis) -> rusqlite::Result<Tidings> {
        let pattern = self
            .connection
            .prepare_cached(
                "SELECT session, kind, at, ended_at, state FROM patterns WHERE id = ?1 AND at >= ?2",
            )?
            .query_row(params![key, number(now.saturating_sub(STALE_WORDS))], |row| {
                Ok(SharedPattern {
                    id: key.to_owned(),
                    project: project.clone(),
                    session: SessionId::new(&row.get::<_, String>(0)?),
                    kind: row.get(1)?,
                    at: unsigned(row, 2)?,
                    ended_at: optional(row, 3)?,
                    state: serde_json::from_str(&row.get::<_, String>(4)?).unwrap_or_default(),
                })
            })
            .optional()?;
        Ok(pattern.map_or(Tidings::Nothing, Tidings::Pattern))
    }
}

fn session(row: &Row<'_>, project: &SharedProject) -> rusqlite::Result<SharedSession> {
    Ok(SharedSession {
        project: project.clone(),
        id: SessionId::new(&row.get::<_, String>(0)?),
        agent: row.get(1)?,
        branch: row.get(2)?,
        goal: row.get(3)?,
        started_at: unsigned(row, 4)?,
        seen_at: unsigned(row, 5)?,
        ended_at: optional(row, 6)?,
    })
}
