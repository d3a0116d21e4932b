//! What waits to be told to a team. Triggers fill it with names of rows, in the transaction that changes them; a name
//! becomes what the row says now in `tidings`. What of it may leave the machine is decided elsewhere.

use model::{MemoryId, Millis, SessionId};
use rusqlite::{OptionalExtension, params};

use super::batch::number;
use super::memory_rows::MemoryRow;
use super::read::unsigned;
use super::{Batch, Tables, sort};
use crate::StoreError;
use crate::shared::{SharedClaim, SharedMessage, SharedPattern, SharedProject, SharedSession};

/// Names that may wait while nobody is reached. A memory waits as one name however often it changes; beyond this the
/// oldest names of sessions, claims and patterns go, which are over by then. Memories and messages never go.
pub const OUTBOX_CAP: u64 = 200_000;
/// Names that are kept of what is not taken. More are no accident of a few rows, and somebody was told.
const ASIDE_CAP: u64 = 10_000;
/// Projects on one machine that are looked at for their first commit: folders without git never have one.
const MAX_NAMELESS: usize = 256;

/// One thing that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    pub position: u64,
    pub project: SharedProject,
    /// When it changed last.
    pub at: Millis,
    pub what: Tidings,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Tidings {
    Memory(Box<OwnMemory>),
    Forgotten(MemoryId),
    Session(SharedSession),
    Claim(SharedClaim),
    Released {
        session: SessionId,
        path: String,
    },
    Message(SharedMessage),
    Pattern(SharedPattern),
    /// Nothing is left of it that anybody has to know.
    Nothing,
}

/// Something that the team's database does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aside {
    pub kind: String,
    pub at: Millis,
    /// What it said.
    pub why: String,
}

/// A memory with what decides how it leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnMemory {
    pub row: MemoryRow,
    /// The folder its paths are to be relative to.
    pub root: Option<String>,
    /// What a person had asked for, of the events that show it.
    pub prompts: Vec<String>,
    /// The model's identity and the parts as the scan takes them.
    pub vectors: Option<(String, Vec<Vec<u8>>)>,
}

/// A project that cannot be shared yet: nobody knows which one it is elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nameless {
    pub key: String,
    pub name: String,
    /// A folder of it.
    pub root: String,
}

impl Tables {
    /// The name of this outbox: another one after every rebuild.
    pub fn outbox_name(&self) -> Result<String, StoreError> {
        Ok(self.meta("outbox")?.unwrap_or_default())
    }

    /// The first that wait, as they are now.
    pub fn outbox(&self, limit: usize, now: Millis) -> Result<Vec<Waiting>, StoreError> {
        let names: Vec<(u64, String, String, String, u64)> = self
            .connection
            .prepare_cached("SELECT position, kind, key, project, at FROM outbox ORDER BY position LIMIT ?1")
            .and_then(|mut statement| {
                statement
                    .query_map([limit as i64], |row| {
                        Ok((unsigned(row, 0)?, row.get(1)?, row.get(2)?, row.get(3)?, unsigned(row, 4)?))
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))?;
        names
            .into_iter()
            .map(|(position, kind, key, project, at)| {
                let project = SharedProject(project);
                let what = self.tidings(&kind, &key, &project, now).map_err(|e| sort(&self.path, e))?;
                Ok(Waiting { position, project, at, what })
            })
            .collect()
    }

    pub fn count_outbox(&self) -> Result<u64, StoreError> {
        self.connection
            .prepare_cached("SELECT count(*) FROM outbox")
            .and_then(|mut statement| statement.query_row([], |row| unsigned(row, 0)))
            .map_err(|e| sort(&self.path, e))
    }

    /// How many things the team's database does not take, and the one that was refused last.
    pub fn outbox_aside(&self) -> Result<(u64, Option<Aside>), StoreError> {
        let count = self
            .connection
            .prepare_cached("SELECT count(*) FROM outbox_aside")
            .and_then(|mut statement| statement.query_row([], |row| unsigned(row, 0)))
            .map_err(|e| sort(&self.path, e))?;
        let last = self
            .connection
            .prepare_cached(
                "SELECT kind, aside_at, why FROM outbox_aside ORDER BY aside_at DESC, kind, key LIMIT 1",
            )
            .and_then(|mut statement| {
                statement
                    .query_row([], |row| {
                        Ok(Aside { kind: row.get(0)?, at: unsigned(row, 1)?, why: row.get(2)? })
                    })
                    .optional()
            })
            .map_err(|e| sort(&self.path, e))?;
        Ok((count, last))
    }

    /// The projects that are told to others.
    pub fn shared_projects(&self) -> Result<Vec<SharedProject>, StoreError> {
        self.connection
            .prepare_cached("SELECT first_commit FROM shared_projects ORDER BY first_commit")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0).map(SharedProject))?.collect())
            .map_err(|e| sort(&self.path, e))
    }

    /// The project of a key, if it is shared.
    pub fn shared_project_of(&self, project_key: &str) -> Result<Option<SharedProject>, StoreError> {
        self.connection
            .prepare_cached("SELECT shared_as FROM shared_keys WHERE key = ?1")
            .and_then(|mut statement| {
                statement.query_row([project_key], |row| row.get(0).map(SharedProject)).optional()
            })
            .map_err(|e| sort(&self.path, e))
    }

    /// Projects of which no first commit is known, each with the folder of theirs that was seen last; those first that
    /// were seen last.
    pub fn nameless_projects(&self) -> Result<Vec<Nameless>, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT projects.key, name, root, MAX(last_seen_at) FROM projects
                    JOIN workspaces ON workspaces.project_key = projects.key
                 WHERE first_commit IS NULL GROUP BY projects.key ORDER BY 4 DESC LIMIT ?1",
            )
            .and_then(|mut statement| {
                statement
                    .query_map([MAX_NAMELESS as i64], |row| {
                        Ok(Nameless { key: row.get(0)?, name: row.get(1)?, root: row.get(2)? })
                    })?
                    .collect()
            })
            .map_err(|e| sort(&self.path, e))
    }
}

impl Batch<'_> {
    /// What waits up to here is told. What changed meanwhile waits behind it.
    pub fn outbox_done(&mut self, position: u64) -> Result<(), StoreError> {
        let told = [number(position)];
        // It is taken by now: it has changed, or the other side has.
        self.run(
            "DELETE FROM outbox_aside WHERE EXISTS (SELECT 1 FROM outbox WHERE position <= ?1
                AND outbox.kind = outbox_aside.kind AND outbox.key = outbox_aside.key)",
            told,
        )?;
        self.run("DELETE FROM outbox WHERE position <= ?1", told)?;
        Ok(())
    }

    /// The other side does not take this one. It is kept, and what waits behind it is told.
    pub fn set_aside(&mut self, position: u64, why: &str, now: Millis) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO outbox_aside (kind, key, project, at, aside_at, why)
             SELECT kind, key, project, at, ?2, ?3 FROM outbox WHERE position = ?1
             ON CONFLICT (kind, key) DO UPDATE SET at = excluded.at, aside_at = excluded.aside_at, why = excluded.why",
            params![number(position), number(now), why],
        )?;
        self.run("DELETE FROM outbox WHERE position = ?1", [number(position)])?;
        self.run(
            "DELETE FROM outbox_aside WHERE (kind, key) IN (
                SELECT kind, key FROM outbox_aside ORDER BY aside_at DESC LIMIT -1 OFFSET ?1)",
            [number(ASIDE_CAP)],
        )?;
        Ok(())
    }

    /// The first of what was set aside wait once more, behind everything else.
    pub fn retry_aside(&mut self, limit: usize) -> Result<(), StoreError> {
        self.run(
            "INSERT OR IGNORE INTO outbox (kind, key, project, at)
             SELECT kind, key, project, at FROM outbox_aside ORDER BY aside_at, kind, key LIMIT ?1",
            [limit as i64],
        )?;
        Ok(())
    }

    /// Keeps the outbox within its cap. How many names went.
    pub fn trim_outbox(&mut self, cap: u64) -> Result<u64, StoreError> {
        let waiting = self.one("SELECT count(*) FROM outbox", [])?.unwrap_or(0).unsigned_abs();
        let excess = waiting.saturating_sub(cap);
        if excess == 0 {
            return Ok(0);
        }
        let gone = self.run(
            "DELETE FROM outbox WHERE position IN (
                SELECT position FROM outbox WHERE kind IN ('claim', 'session', 'pattern') ORDER BY position LIMIT ?1)",
            [number(excess)],
        )?;
        Ok(gone as u64)
    }

    /// Which projects are told from now on, and to whom this machine belongs. What others have told of one that is no
    /// longer shared goes; of a new one everything is asked for.
    pub fn share_projects(&mut self, author: &str, projects: &[SharedProject]) -> Result<bool, StoreError> {
        let before: Vec<String> =
            self.rows("SELECT first_commit FROM shared_projects", [], |row| row.get(0))?;
        let known =
            self.rows("SELECT value FROM meta WHERE key = 'author'", [], |row| row.get::<_, String>(0))?;
        if known.first().map(String::as_str) != Some(author) {
            self.set_meta("author", author)?;
        }
        let mut changed = false;
        for gone in before.iter().filter(|commit| !projects.iter().any(|project| project.0 == **commit)) {
            self.run("DELETE FROM shared_projects WHERE first_commit = ?1", [gone])?;
            self.drop_told(gone)?;
            changed = true;
        }
        for new in projects.iter().filter(|project| !before.contains(&project.0)) {
            self.run("INSERT INTO shared_projects (first_commit) VALUES (?1)", [&new.0])?;
            self.set_news_cursor("")?;
            changed = true;
        }
        Ok(changed)
    }

    /// A work tree belongs to a project.
    pub fn place_workspace(
        &mut self,
        workspace: &model::WorkspaceKey,
        project_key: &str,
    ) -> Result<(), StoreError> {
        self.run(
            "UPDATE workspaces SET project_key = ?2 WHERE key = ?1 AND project_key IS NOT ?2",
            params![workspace.as_str(), project_key],
        )?;
        Ok(())
    }
}
