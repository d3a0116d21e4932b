//! These tables as the engine that a team tells: the same stories as PostgreSQL's, where everybody sits at one machine.
//! Words are found as they stand in titles and texts; what search here knows beside them it knows for its own machine.

use model::{MemoryId, Millis, SessionId, estimate_tokens};
use rusqlite::{OptionalExtension, params};

use super::batch::number;
use super::memory_rows::{Filing, MEMORY_COLUMNS, read_memory};
use super::read::{optional, unsigned};
use super::team_rows::byline;
use super::{Batch, Tables, sort};
use crate::StoreError;
use crate::shared::{
    Author, Change, News, Shared, SharedAsk, SharedClaim, SharedError, SharedHit, SharedMemory,
    SharedMessage, SharedPattern, SharedProject, SharedSession,
};

/// Of one question, the memories that are compared: everybody at one machine is not a crowd.
const MAX_COMPARED: usize = 2000;

impl Shared for Tables {
    fn applied(&mut self, by: &Author, outbox: &str) -> Result<u64, SharedError> {
        Ok(self.write(|batch| batch.told_until(by, outbox))?)
    }

    fn apply(&mut self, by: &Author, outbox: &str, changes: &[(u64, Change)]) -> Result<usize, SharedError> {
        Ok(self.write(|batch| {
            let mut told = batch.told_until(by, outbox)?;
            let mut new = 0;
            for (position, change) in changes {
                if *position <= told {
                    continue;
                }
                batch.take_in(by, change, filing(change))?;
                batch.note_telling(by, change)?;
                (told, new) = (*position, new + 1);
            }
            batch.run(
                "INSERT INTO tellers (machine, outbox, position) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET position = MAX(position, excluded.position)",
                params![by.machine, outbox, number(told)],
            )?;
            Ok(new)
        })?)
    }

    fn news(
        &mut self,
        machine: &str,
        projects: &[SharedProject],
        cursor: &str,
        limit: usize,
    ) -> Result<News, SharedError> {
        let after: i64 = cursor.parse().unwrap_or(0);
        let wanted = serde_json::json!(projects).to_string();
        let mut rows: Vec<(i64, Author, String)> = self
            .connection
            .prepare_cached(
                "SELECT n, author, machine, change FROM tellings WHERE n > ?1 AND machine <> ?2
                    AND project IN (SELECT value FROM json_each(?3)) ORDER BY n LIMIT ?4",
            )
            .and_then(|mut statement| {
                statement
                    .query_map(params![after, machine, wanted, limit as i64 + 1], |row| {
                        Ok((row.get(0)?, Author { user: row.get(1)?, machine: row.get(2)? }, row.get(3)?))
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let cursor = rows.last().map_or(cursor.to_owned(), |(n, ..)| n.to_string());
        let changes = rows
            .into_iter()
            .filter_map(|(_, by, change)| Some((by, serde_json::from_str(&change).ok()?)))
            .collect();
        Ok(News { changes, cursor, more })
    }

    fn search(&mut self, ask: &SharedAsk) -> Result<Vec<SharedHit>, SharedError> {
        let rows: Vec<(Author, MemoryId, String)> = self
            .connection
            .prepare_cached(
                "SELECT author, machine, id, lower(title || ' ' || text || ' ' || COALESCE(facts, '') || ' '
                    || COALESCE(concepts, ''))
                 FROM memories WHERE author IS NOT NULL AND superseded_by IS NULL ORDER BY at DESC LIMIT ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([MAX_COMPARED as i64], |row| {
                        let by = Author { user: row.get(0)?, machine: row.get(1)? };
                        Ok((by, MemoryId::from_u64(unsigned(row, 2)?), row.get(3)?))
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))?;
        let mut hits = Vec::new();
        for (by, id, text) in rows {
            let found = ask.words.iter().filter(|word| text.contains(&word.to_lowercase())).count();
            if found == 0 {
                continue;
            }
            let Some(memory) = self.told_memory(id)? else { continue };
            if ask.projects.as_ref().is_none_or(|projects| projects.contains(&memory.project)) {
                hits.push(SharedHit { memory, by, score: found as f64 / ask.words.len().max(1) as f64 });
            }
        }
        hits.sort_by(|one, other| other.score.total_cmp(&one.score));
        hits.truncate(ask.limit);
        Ok(hits)
    }

    fn memory(&mut self, id: MemoryId) -> Result<Option<SharedMemory>, SharedError> {
        Ok(self.told_memory(id)?)
    }

    fn sessions(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedSession)>, SharedError> {
        Ok(self.team_sessions(project, since)?)
    }

    fn claims(
        &mut self,
        project: &SharedProject,
        since: Millis,
    ) -> Result<Vec<(Author, SharedClaim)>, SharedError> {
        Ok(self.team_claims(project, None, since)?)
    }

    fn messages(&mut self, to: &SessionId) -> Result<Vec<SharedMessage>, SharedError> {
        let mut messages: Vec<SharedMessage> = self.team_words("message", None, MAX_COMPARED)?;
        messages.retain(|message| message.to == *to && message.delivered_at.is_none());
        messages.reverse();
        Ok(messages)
    }

    fn prune(&mut self, before: Millis) -> Result<u64, SharedError> {
        Ok(self.write(|batch| {
            batch.expire_told(before)?;
            let moment = "CASE json_extract(change, '$.is') WHEN 'session' THEN json_extract(change, '$.seen_at')
                WHEN 'claim' THEN json_extract(change, '$.last_at') WHEN 'message' THEN json_extract(change, '$.at')
                WHEN 'pattern' THEN json_extract(change, '$.at') END";
            let gone = batch.run(&format!("DELETE FROM tellings WHERE {moment} < ?1"), [number(before)])?;
            // What was given back says no time of its own; it is over with its session.
            let given = batch.run(
                "DELETE FROM tellings WHERE json_extract(change, '$.is') = 'released'
                    AND json_extract(change, '$.session') NOT IN (SELECT id FROM team_sessions)",
                [],
            )?;
            Ok((gone + given) as u64)
        })?)
    }

    fn patterns(&mut self, project: &SharedProject, limit: usize) -> Result<Vec<SharedPattern>, SharedError> {
        Ok(self.team_patterns(project, limit)?)
    }
}

impl Tables {
    /// As it was told: without our way of saying whose it is, and with the paths of the repository.
    fn told_memory(&self, id: MemoryId) -> Result<Option<SharedMemory>, StoreError> {
        let sql = format!(
            "SELECT {MEMORY_COLUMNS}, (SELECT first_commit FROM projects WHERE key = project_key), changed_at,
                (SELECT change FROM tellings WHERE key = 'memory:' || CAST(memories.id AS TEXT))
             FROM memories WHERE id = ?1 AND author IS NOT NULL"
        );
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                statement
                    .query_row([number(id.as_u64())], |row| {
                        let found = read_memory(row)?;
                        let mut memory = found.memory;
                        let by = found.author.map(|author| byline(&author.user)).unwrap_or_default();
                        if memory.title.starts_with(&by) {
                            memory.title.drain(..by.len());
                        }
                        let told: Option<String> = row.get(36)?;
                        let told = told.and_then(|told| serde_json::from_str::<Change>(&told).ok());
                        let mut vectors = None;
                        if let Some(Change::Memory(told)) = told {
                            (vectors, memory.project) = (told.vectors, told.memory.project);
                            memory.project_key = told.memory.project_key;
                            memory.workspace = told.memory.workspace;
                            memory.files_read = told.memory.files_read;
                            memory.files_modified = told.memory.files_modified;
                        }
                        Ok(SharedMemory {
                            project: SharedProject(row.get::<_, Option<String>>(34)?.unwrap_or_default()),
                            memory,
                            changed_at: optional(row, 35)?.unwrap_or(0),
                            hits: found.hits,
                            prevented: found.prevented,
                            last_applied_at: found.last_applied_at,
                            superseded_by: found.superseded_by,
                            vectors,
                        })
                    })
                    .optional()
            })
            .map_err(|e| sort(&self.path, e))
    }
}

impl Batch<'_> {
    fn told_until(&self, by: &Author, outbox: &str) -> Result<u64, StoreError> {
        let position = self.one(
            "SELECT position FROM tellers WHERE machine = ?1 AND outbox = ?2",
            params![by.machine, outbox],
        )?;
        Ok(position.unwrap_or(0).unsigned_abs())
    }

    /// One row a thing: whoever asks for news hears the last of it.
    fn note_telling(&mut self, by: &Author, change: &Change) -> Result<(), StoreError> {
        let (key, project) = name(change);
        let known = self.rows("SELECT machine, change FROM tellings WHERE key = ?1", [&key], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?;
        if let Some((machine, known)) = known.first()
            && let Ok(known) = serde_json::from_str::<Change>(known)
            && stands((machine, &known), (&by.machine, change))
        {
            return Ok(());
        }
        if let Change::Released { session, path: None, .. } = change {
            let held = format!("claim:{}:", session.as_str());
            self.run("DELETE FROM tellings WHERE substr(key, 1, length(?1)) = ?1", [held])?;
        }
        let change = serde_json::to_string(change).unwrap_or_default();
        self.run("DELETE FROM tellings WHERE key = ?1", [&key])?;
        self.run(
            "INSERT INTO tellings (author, machine, project, key, change) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![by.user, by.machine, project.0, key, change],
        )?;
        Ok(())
    }
}

/// Whether what was told before stays the news: it is later, it was forgotten, or it was delivered meanwhile.
fn stands((machine, known): (&str, &Change), (by, change): (&str, &Change)) -> bool {
    match (known, change) {
        (Change::Forgotten { .. }, Change::Memory(_) | Change::Forgotten { .. }) => true,
        (Change::Memory(known), Change::Memory(told)) => (known.changed_at, machine) > (told.changed_at, by),
        (Change::Message(known), Change::Message(told)) => {
            known.delivered_at.is_some() && told.delivered_at.is_none()
        }
        _ => false,
    }
}

/// What a change is about.
fn name(change: &Change) -> (String, &SharedProject) {
    match change {
        Change::Memory(told) => (format!("memory:{}", number(told.memory.id.as_u64())), &told.project),
        Change::Forgotten { project, id } => (format!("memory:{}", number(id.as_u64())), project),
        Change::Session(session) => (format!("session:{}", session.id.as_str()), &session.project),
        Change::Claim(claim) => (format!("claim:{}:{}", claim.session.as_str(), claim.path), &claim.project),
        Change::Released { project, session, path } => {
            (format!("claim:{}:{}", session.as_str(), path.as_deref().unwrap_or_default()), project)
        }
        Change::Message(message) => (format!("message:{}", message.id), &message.project),
        Change::Pattern(pattern) => (format!("pattern:{}", pattern.id), &pattern.project),
    }
}

fn filing(change: &Change) -> Filing {
    let tokens = match change {
        Change::Memory(told) => estimate_tokens(&told.memory.title) + estimate_tokens(&told.memory.text),
        _ => 0,
    };
    Filing { seq: 0, tokens, fingerprint: 0 }
}
