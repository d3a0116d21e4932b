//! Who works on which file: leases of sessions on paths, renewed by use.

use model::{Millis, SessionId};
use rusqlite::{Row, params};
use serde::Serialize;

use super::batch::number;
use super::read::{Query, unsigned};
use super::{Batch, Tables};
use crate::StoreError;

/// A file a session works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimRow {
    /// Absolute.
    pub path: String,
    pub session: SessionId,
    pub agent: String,
    pub project: Option<String>,
    pub branch: Option<String>,
    /// The session's process, where its agent says it.
    #[serde(skip)]
    pub pid: Option<u32>,
    pub since_at: Millis,
    pub last_at: Millis,
    /// When the session was last heard of.
    pub seen_at: Millis,
    /// What the session says it is doing with it, or else the last thing it was asked.
    pub goal: Option<String>,
}

/// Which claims are wanted.
#[derive(Debug, Clone, Default)]
pub struct ClaimFilter<'a> {
    pub path: Option<&'a str>,
    pub session: Option<&'a SessionId>,
    /// Of everybody but this one.
    pub not: Option<&'a SessionId>,
    /// In this folder or below it.
    pub below: Option<&'a str>,
    /// Used at this moment or later.
    pub since: Millis,
    /// 0 for all.
    pub limit: usize,
}

const CLAIMS: &str = "
    SELECT claims.path, claims.session, sessions.agent, sessions.project, sessions.branch, sessions.pid,
        claims.since_at, claims.last_at, sessions.last_seen_at,
        COALESCE(claims.note,
            (SELECT text FROM prompts WHERE prompts.session = claims.session ORDER BY number DESC LIMIT 1))
    FROM claims JOIN sessions ON sessions.id = claims.session AND sessions.ended_at IS NULL";

impl Tables {
    /// The claims of sessions that have not ended, last used first.
    pub fn claims(&self, filter: &ClaimFilter<'_>) -> Result<Vec<ClaimRow>, StoreError> {
        let mut query = Query::new(CLAIMS.to_owned());
        query.and("claims.last_at >= ?", number(filter.since));
        if let Some(path) = filter.path {
            query.and("claims.path = ?", path.to_owned());
        }
        if let Some(session) = filter.session {
            query.and("claims.session = ?", session.as_str().to_owned());
        }
        if let Some(not) = filter.not {
            query.and("claims.session <> ?", not.as_str().to_owned());
        }
        if let Some(folder) = filter.below {
            // '0' is the character behind '/'.
            let folder = folder.trim_end_matches('/');
            query.and("claims.path > ?", format!("{folder}/"));
            query.and("claims.path < ?", format!("{folder}0"));
        }
        query.tail("ORDER BY claims.last_at DESC, claims.path", filter.limit);
        self.rows(query, read)
    }
}

impl Batch<'_> {
    /// A session works on a file. An older sign than one we have changes nothing; a note stays until a newer one.
    pub fn claim(
        &mut self,
        path: &str,
        session: &SessionId,
        at: Millis,
        note: Option<&str>,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO claims (path, session, since_at, last_at, note) VALUES (?1, ?2, ?3, ?3, ?4)
             ON CONFLICT DO UPDATE SET last_at = MAX(last_at, excluded.last_at), note = COALESCE(excluded.note, note)",
            params![path, session.as_str(), number(at), note],
        )?;
        Ok(())
    }

    /// Gives claims back: of one session or of all, on one path or on all.
    pub fn release(&mut self, session: Option<&SessionId>, path: Option<&str>) -> Result<(), StoreError> {
        self.run(
            "DELETE FROM claims WHERE (?1 IS NULL OR session = ?1) AND (?2 IS NULL OR path = ?2)",
            params![session.map(SessionId::as_str), path],
        )?;
        Ok(())
    }

    /// Takes leases away that nobody has renewed since.
    pub fn expire_claims(&mut self, before: Millis) -> Result<(), StoreError> {
        self.run("DELETE FROM claims WHERE last_at < ?1", [number(before)])?;
        Ok(())
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<ClaimRow> {
    Ok(ClaimRow {
        path: row.get(0)?,
        session: SessionId::new(&row.get::<_, String>(1)?),
        agent: row.get(2)?,
        project: row.get(3)?,
        branch: row.get(4)?,
        pid: row.get(5)?,
        since_at: unsigned(row, 6)?,
        last_at: unsigned(row, 7)?,
        seen_at: unsigned(row, 8)?,
        goal: row.get(9)?,
    })
}
