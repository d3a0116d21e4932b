//! What others have told, as rows beside our own: their memories among the memories, said as theirs; their sessions and
//! claims in tables of their own. Applying a change twice leaves the same behind.

use model::{Memory, MemoryId, Millis, SessionId};
use rusqlite::{Row, params};

use super::batch::number;
use super::memory_rows::{Filing, Put};
use super::read::{optional, unsigned};
use super::{Batch, Tables, sort};
use crate::StoreError;
use crate::shared::{
    Author, Change, SharedClaim, SharedMemory, SharedMessage, SharedPattern, SharedProject, SharedSession,
};

const NEWS_CURSOR: &str = "news-cursor";

impl Batch<'_> {
    /// Where to go on with the news. With what was told, in one transaction.
    pub fn set_news_cursor(&mut self, cursor: &str) -> Result<(), StoreError> {
        self.set_meta(NEWS_CURSOR, cursor)
    }

    /// One change that somebody else has told. `filing` for a memory as it is to be kept here.
    pub fn take_in(&mut self, by: &Author, change: &Change, filing: Filing) -> Result<(), StoreError> {
        match change {
            Change::Memory(told) => self.take_memory(by, told, filing).map(drop),
            Change::Forgotten { id, .. } => self.take_forgotten(by, *id),
            Change::Session(session) => self.take_session(by, session),
            Change::Claim(claim) => self.take_claim(by, claim),
            Change::Released { session, path, .. } => {
                self.run(
                    "DELETE FROM team_claims WHERE session = ?1 AND machine = ?2 AND (?3 IS NULL OR path = ?3)",
                    params![session.as_str(), by.machine, path],
                )?;
                Ok(())
            }
            Change::Message(message) => self.take_message(by, message),
            Change::Pattern(pattern) => self.take_words(
                "pattern",
                &pattern.id,
                by,
                &pattern.project,
                pattern.at,
                &serde_json::to_string(pattern).unwrap_or_default(),
            ),
        }
    }

    /// Somebody else's memory, under their name. What is our own under the same id stays our own.
    fn take_memory(&mut self, by: &Author, told: &SharedMemory, filing: Filing) -> Result<bool, StoreError> {
        let id = number(told.memory.id.as_u64());
        if self.one("SELECT 1 FROM memories WHERE id = ?1 AND author IS NULL", [id])?.is_some() {
            return Ok(false);
        }
        // Of two tellings the later counts, in whatever order they come; counters keep the greater.
        let is_later = self
            .one(
                "SELECT (?2, ?3) >= (COALESCE(changed_at, 0), COALESCE(machine, '')) FROM memories WHERE id = ?1",
                params![id, number(told.changed_at), by.machine],
            )?
            .is_none_or(|later| later != 0);
        if !is_later {
            self.set_life(told.memory.id, told.hits, told.prevented, told.last_applied_at)?;
            return Ok(true);
        }
        let (key, name) = self.home_of(&told.project, told.memory.project.as_deref())?;
        let me =
            self.rows("SELECT value FROM meta WHERE key = 'author'", [], |row| row.get::<_, String>(0))?;
        let title = match me.first() {
            Some(me) if *me == by.user => told.memory.title.clone(),
            _ => format!("{}{}", byline(&by.user), told.memory.title),
        };
        let root = self
            .rows(
                "SELECT root FROM workspaces JOIN projects ON projects.key = workspaces.project_key
                 WHERE first_commit = ?1 ORDER BY last_seen_at DESC LIMIT 1",
                [&told.project.0],
                |row| row.get::<_, String>(0),
            )?
            .pop();
        let here = |files: &[String]| -> Vec<String> {
            let place = |file: &String| match &root {
                Some(root) if !file.starts_with('/') => format!("{root}/{file}"),
                _ => file.clone(),
            };
            files.iter().map(place).collect()
        };
        let memory = Memory {
            title,
            project: Some(name),
            project_key: Some(key),
            workspace: None,
            files_read: here(&told.memory.files_read),
            files_modified: here(&told.memory.files_modified),
            ..told.memory.clone()
        };
        let put = self.put_memory_of(&memory, Filing { fingerprint: 0, seq: 0, ..filing }, Some(by))?;
        if put == Put::Forgotten {
            return Ok(false);
        }
        self.run(
            "UPDATE memories SET author = ?2, machine = ?3, critical = ?4, pinned = ?5, urgency = ?6, at = ?7,
                hits = MAX(hits, ?8), prevented = MAX(prevented, ?9),
                last_applied_at = COALESCE(MAX(last_applied_at, ?10), last_applied_at, ?10), superseded_by = ?11,
                changed_at = ?12
             WHERE id = ?1",
            params![
                id,
                by.user,
                by.machine,
                memory.critical,
                memory.pinned,
                i64::from(memory.urgency == model::Urgency::High),
                number(memory.at),
                number(told.hits),
                number(told.prevented),
                told.last_applied_at.map(number),
                told.superseded_by.map(|id| number(id.as_u64())),
                number(told.changed_at),
            ],
        )?;
        Ok(true)
    }

    /// The key and the name under which a project's memories are filed here.
    fn home_of(
        &mut self,
        project: &SharedProject,
        named: Option<&str>,
    ) -> Result<(String, String), StoreError> {
        let known = self
            .rows(
                "SELECT key, name FROM projects WHERE first_commit = ?1 ORDER BY key = first_commit, key LIMIT 1",
                [&project.0],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?
            .pop();
        if let Some(known) = known {
            return Ok(known);
        }
        let name = named.unwrap_or("team").to_owned();
        self.upsert_project(&project.0, &name, Some(&project.0))?;
        Ok((project.0.clone(), name))
    }

    /// Gone for good, and not to come back. Our own goes only when we have said so ourselves, on another machine.
    fn take_forgotten(&mut self, by: &Author, id: MemoryId) -> Result<(), StoreError> {
        let id_number = number(id.as_u64());
        let mine = self.one(
            "SELECT 1 FROM memories WHERE id = ?1 AND author IS NULL
                AND ?2 IS NOT (SELECT value FROM meta WHERE key = 'author')",
            params![id_number, by.user],
        )?;
        if mine.is_some() {
            return Ok(());
        }
        let known = self.one("SELECT 1 FROM memories WHERE id = ?1", [id_number])?.is_some();
        if known {
            self.prepare_to_forget(&[id])?;
            // The row first: what is told to us is not told on.
            self.drop_memory(id)?;
        }
        self.run("INSERT INTO forgotten (id) VALUES (?1) ON CONFLICT DO NOTHING", [id_number])?;
        Ok(())
    }

    fn take_session(&mut self, by: &Author, session: &SharedSession) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO team_sessions
                (id, author, machine, project, agent, branch, goal, started_at, seen_at, ended_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (id) DO UPDATE SET author = excluded.author, machine = excluded.machine,
                project = excluded.project, agent = excluded.agent, branch = excluded.branch,
                goal = excluded.goal, started_at = excluded.started_at, seen_at = excluded.seen_at,
                ended_at = excluded.ended_at",
            params![
                session.id.as_str(),
                by.user,
                by.machine,
                session.project.0,
                session.agent,
                session.branch,
                session.goal,
                number(session.started_at),
                number(session.seen_at),
                session.ended_at.map(number),
            ],
        )?;
        Ok(())
    }

    fn take_claim(&mut self, by: &Author, claim: &SharedClaim) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO team_claims (session, path, author, machine, project, branch, since_at, last_at,
                first_line, last_line, goal)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (session, path) DO UPDATE SET author = excluded.author, machine = excluded.machine,
                project = excluded.project, branch = excluded.branch, since_at = excluded.since_at,
                last_at = excluded.last_at, first_line = excluded.first_line, last_line = excluded.last_line,
                goal = excluded.goal",
            params![
                claim.session.as_str(),
                claim.path,
                by.user,
                by.machine,
                claim.project.0,
                claim.branch,
                number(claim.since_at),
                number(claim.last_at),
                claim.lines.map(|(first, _)| first),
                claim.lines.map(|(_, last)| last),
                claim.goal,
            ],
        )?;
        Ok(())
    }

    /// A message that was delivered stays delivered, in whatever order the two are told.
    fn take_message(&mut self, by: &Author, message: &SharedMessage) -> Result<(), StoreError> {
        let before = self
            .rows("SELECT told FROM team_words WHERE kind = 'message' AND id = ?1", [&message.id], |row| {
                row.get::<_, String>(0)
            })?
            .pop()
            .and_then(|told| serde_json::from_str::<SharedMessage>(&told).ok());
        let delivered_at = message.delivered_at.or(before.and_then(|before| before.delivered_at));
        let told = SharedMessage { delivered_at, ..message.clone() };
        self.take_words_for_us(by, &told)?;
        self.take_words(
            "message",
            &message.id,
            by,
            &message.project,
            message.at,
            &serde_json::to_string(&told).unwrap_or_default(),
        )
    }

    /// Words for a session of this machine wait beside those from here; of words from here it is noted that they were said.
    fn take_words_for_us(&mut self, by: &Author, message: &SharedMessage) -> Result<(), StoreError> {
        if let Some(at) = message.delivered_at {
            return self.deliver_message(&message.id, at);
        }
        // A session's name is believed where it is its author's; in the queries that show it.
        let from = if message.from.is_empty() { &by.user } else { &message.from };
        self.run(
            "INSERT INTO messages (id, recipient, sender, at, text, author, project)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE EXISTS (SELECT 1 FROM sessions WHERE id = ?2)
             ON CONFLICT DO NOTHING",
            params![
                message.id,
                message.to.as_str(),
                from,
                number(message.at),
                message.text,
                by.user,
                message.project.0
            ],
        )?;
        Ok(())
    }

    /// Whether a message is one from here, or one for a session here that does not have as many waiting as it may.
    pub fn is_for_us(&self, message: &SharedMessage, most: usize) -> Result<bool, StoreError> {
        let known = self.one("SELECT 1 FROM messages WHERE id = ?1", [&message.id])?;
        let waiting = self.one(
            "SELECT (SELECT count(*) FROM messages WHERE recipient = sessions.id AND delivered_at IS NULL)
             FROM sessions WHERE id = ?1",
            [message.to.as_str()],
        )?;
        Ok(known.is_some() || waiting.is_some_and(|waiting| waiting.unsigned_abs() < most as u64))
    }

    fn take_words(
        &mut self,
        kind: &str,
        id: &str,
        by: &Author,
        project: &SharedProject,
        at: Millis,
        told: &str,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO team_words (kind, id, author, machine, project, at, told)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (kind, id) DO UPDATE SET told = excluded.told
             WHERE kind = 'message' OR machine = excluded.machine",
            params![kind, id, by.user, by.machine, project.0, number(at), told],
        )?;
        Ok(())
    }

    /// Everything others have told of a project.
    pub(super) fn drop_told(&mut self, first_commit: &str) -> Result<(), StoreError> {
        let ids = self.rows(
            "SELECT id FROM memories WHERE author IS NOT NULL
                AND project_key IN (SELECT key FROM projects WHERE first_commit = ?1)",
            [first_commit],
            |row| Ok(MemoryId::from_u64(unsigned(row, 0)?)),
        )?;
        for id in ids {
            self.drop_memory(id)?;
        }
        for table in ["team_sessions", "team_claims", "team_words"] {
            self.run(&format!("DELETE FROM {table} WHERE project = ?1"), [first_commit])?;
        }
        Ok(())
    }

    /// Leases of others that nobody has renewed since, and sessions nobody has heard of.
    pub fn expire_told(&mut self, before: Millis) -> Result<(), StoreError> {
        self.run("DELETE FROM team_claims WHERE last_at < ?1", [number(before)])?;
        self.run("DELETE FROM team_sessions WHERE seen_at < ?1", [number(before)])?;
        self.run("DELETE FROM team_words WHERE at < ?1", [number(before)])?;
        self.expire_messages(before)
    }
}

impl Tables {
    /// Empty is the beginning.
    pub fn news_cursor(&self) -> Result<String, StoreError> {
        Ok(self.meta(NEWS_CURSOR)?.unwrap_or_default())
    }

    /// Sessions of others that have not ended and were heard of since, last heard first.
    pub fn team_sessions(
        &self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedSession)>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT author, machine, project, id, agent, branch, goal, started_at, seen_at, ended_at
                 FROM team_sessions WHERE project = ?1 AND seen_at >= ?2 AND ended_at IS NULL
                 ORDER BY seen_at DESC, id",
            )
            .and_then(|mut statement| {
                statement.query_map(params![project.0, number(since)], read_session)?.collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// A session of somebody else's, by its id or the beginning of it, where that fits only one.
    pub fn team_session(&self, id: &str) -> Result<Option<(Author, SharedSession)>, StoreError> {
        let mut found: Vec<(Author, SharedSession)> = self
            .connection
            .prepare_cached(
                "SELECT author, machine, project, id, agent, branch, goal, started_at, seen_at, ended_at
                 FROM team_sessions WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id <> ?1 LIMIT 2",
            )
            .and_then(|mut statement| statement.query_map([id], read_session)?.collect())
            .map_err(|e| sort(&self.path, e))?;
        match found.len() {
            2 if found[0].1.id.as_str() != id => Err(StoreError::Ambiguous(id.to_owned())),
            0 => Ok(None),
            _ => Ok(Some(found.swap_remove(0))),
        }
    }

    /// Claims of others whose sessions have not ended, used since; on one file or on all; last used first.
    pub fn team_claims(
        &self,
        project: &SharedProject,
        path: Option<&str>,
        since: Millis,
    ) -> Result<Vec<(Author, SharedClaim)>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT c.author, c.machine, c.project, c.session, c.path, c.branch, c.since_at, c.last_at,
                    c.first_line, c.last_line, c.goal
                 FROM team_claims AS c LEFT JOIN team_sessions AS s ON s.id = c.session
                 WHERE c.project = ?1 AND (?2 IS NULL OR c.path = ?2) AND c.last_at >= ?3 AND s.ended_at IS NULL
                 ORDER BY c.last_at DESC, c.path",
            )
            .and_then(|mut statement| {
                statement.query_map(params![project.0, path, number(since)], read_claim)?.collect()
            })
            .map_err(|e| sort(&self.path, e))
    }

    pub(super) fn team_words<T: serde::de::DeserializeOwned>(
        &self,
        kind: &str,
        project: Option<&SharedProject>,
        limit: usize,
    ) -> Result<Vec<T>, StoreError> {
        let told: Vec<String> = self
            .connection
            .prepare_cached(
                "SELECT told FROM team_words WHERE kind = ?1 AND (?2 IS NULL OR project = ?2)
                 ORDER BY at DESC, id LIMIT ?3",
            )
            .and_then(|mut statement| {
                statement
                    .query_map(params![kind, project.map(|project| &project.0), limit as i64], |row| {
                        row.get(0)
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))?;
        Ok(told.iter().filter_map(|told| serde_json::from_str(told).ok()).collect())
    }

    /// Patterns others have told, newest first.
    pub fn team_patterns(
        &self,
        project: &SharedProject,
        limit: usize,
    ) -> Result<Vec<SharedPattern>, StoreError> {
        self.team_words("pattern", Some(project), limit)
    }

    /// Patterns of every shared project that others have told, with who told them; newest first.
    pub fn patterns_elsewhere(&self, limit: usize) -> Result<Vec<(Author, SharedPattern)>, StoreError> {
        let told: Vec<(Author, String)> = self
            .connection
            .prepare_cached(
                "SELECT author, machine, told FROM team_words WHERE kind = 'pattern' ORDER BY at DESC, id LIMIT ?1",
            )
            .and_then(|mut statement| {
                statement.query_map([limit as i64], |row| Ok((read_author(row)?, row.get(2)?)))?.collect()
            })
            .map_err(|e| sort(&self.path, e))?;
        Ok(told.into_iter().filter_map(|(by, told)| Some((by, serde_json::from_str(&told).ok()?))).collect())
    }
}

/// How somebody else's memory begins wherever it is said.
pub(super) fn byline(user: &str) -> String {
    format!("{user}: ")
}

fn read_author(row: &Row<'_>) -> rusqlite::Result<Author> {
    Ok(Author { user: row.get(0)?, machine: row.get(1)? })
}

fn read_session(row: &Row<'_>) -> rusqlite::Result<(Author, SharedSession)> {
    let session = SharedSession {
        project: SharedProject(row.get(2)?),
        id: SessionId::new(&row.get::<_, String>(3)?),
        agent: row.get(4)?,
        branch: row.get(5)?,
        goal: row.get(6)?,
        started_at: unsigned(row, 7)?,
        seen_at: unsigned(row, 8)?,
        ended_at: optional(row, 9)?,
    };
    Ok((read_author(row)?, session))
}

fn read_claim(row: &Row<'_>) -> rusqlite::Result<(Author, SharedClaim)> {
    let lines: (Option<u32>, Option<u32>) = (row.get(8)?, row.get(9)?);
    let claim = SharedClaim {
        project: SharedProject(row.get(2)?),
        session: SessionId::new(&row.get::<_, String>(3)?),
        path: row.get(4)?,
        branch: row.get(5)?,
        since_at: unsigned(row, 6)?,
        last_at: unsigned(row, 7)?,
        lines: lines.0.zip(lines.1),
        goal: row.get(10)?,
    };
    Ok((read_author(row)?, claim))
}
