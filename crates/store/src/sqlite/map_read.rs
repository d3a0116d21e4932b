//! Where work happens: workspaces, projects, agents, and which files of a workspace were touched, by whom and when.
//! Files are told by memories, of which the newest are looked at; what is older than these is not on the map.

use model::{Millis, SessionId, WorkspaceKey};
use rusqlite::types::Value;

use super::batch::number;
use super::read::{Query, read_workspace, session_id, unsigned};
use super::session_pages::Found;
use super::{Tables, WorkspaceRow};
use crate::StoreError;

/// Memories a map is made of: ten milliseconds.
const MAX_MEMORIES: usize = 2000;
/// Files of these: a memory names a handful.
const MAX_TOUCHES: usize = 20_000;
/// Projects of one list; a person has some.
const MAX_PROJECTS: usize = 1000;

/// A workspace and who was there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceCard {
    pub row: WorkspaceRow,
    pub sessions: u64,
    /// Not ended, and seen lately.
    pub live: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectCard {
    pub name: String,
    pub memories: u64,
    pub sessions: u64,
    pub last_seen_at: Option<Millis>,
}

/// What was heard of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeardAgent {
    pub name: String,
    pub sessions: u64,
    pub live: u64,
    pub events: u64,
    pub last_seen_at: Millis,
}

/// A memory speaks of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// As the agent named it: from the workspace's root, or absolute.
    pub path: String,
    pub modified: bool,
    pub session: Option<SessionId>,
    pub at: Millis,
}

impl Tables {
    pub fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        let mut query =
            Query::new("SELECT key, root, project, first_seen_at, last_seen_at FROM workspaces".to_owned());
        query.and("key = ?", key.as_str().to_owned());
        Ok(self.rows(query, read_workspace)?.pop())
    }

    /// Last seen first, behind this one. Workspaces are as many as a person has folders.
    pub fn workspace_page(
        &self,
        after: Option<(Millis, String)>,
        live_since: Millis,
        limit: usize,
    ) -> Result<Found<WorkspaceCard, (Millis, String)>, StoreError> {
        let mut query = Query::new(format!(
            "SELECT key, root, project, first_seen_at, last_seen_at,
                (SELECT COUNT(*) FROM sessions WHERE workspace = key),
                (SELECT COUNT(*) FROM sessions WHERE workspace = key AND ended_at IS NULL
                    AND sessions.last_seen_at >= {})
             FROM workspaces",
            number(live_since)
        ));
        if let Some((seen, key)) = after {
            query.and_all("(last_seen_at, key) < (?, ?)", [Value::Integer(number(seen)), Value::Text(key)]);
        }
        query.tail("ORDER BY last_seen_at DESC, key DESC", limit + 1);
        let read = |row: &rusqlite::Row<'_>| {
            Ok(WorkspaceCard {
                row: read_workspace(row)?,
                sessions: unsigned(row, 5)?,
                live: unsigned(row, 6)?,
            })
        };
        let place = |card: &WorkspaceCard| (card.row.last_seen_at, card.row.key.as_str().to_owned());
        self.found(&query, (limit, limit + 1), read, |_| true, place)
    }

    /// Last seen first, those that are only remembered at the end.
    pub fn project_cards(&self) -> Result<Vec<ProjectCard>, StoreError> {
        let mut query = Query::new(
            "SELECT name, SUM(memories), SUM(sessions), MAX(seen) FROM (
                 SELECT project AS name, SUM(memories) AS memories, 0 AS sessions, NULL AS seen
                     FROM tallies WHERE project <> '' GROUP BY project
                 UNION ALL
                 SELECT project, 0, COUNT(*), MAX(last_seen_at)
                     FROM sessions WHERE project IS NOT NULL GROUP BY project)
             GROUP BY name HAVING SUM(memories) + SUM(sessions) > 0"
                .to_owned(),
        );
        query.tail("ORDER BY 4 DESC NULLS LAST, 1", MAX_PROJECTS);
        self.rows(query, |row| {
            Ok(ProjectCard {
                name: row.get(0)?,
                memories: unsigned(row, 1)?,
                sessions: unsigned(row, 2)?,
                last_seen_at: super::read::optional(row, 3)?,
            })
        })
    }

    pub fn heard_agents(&self, live_since: Millis) -> Result<Vec<HeardAgent>, StoreError> {
        let query = Query::new(format!(
            "SELECT agent, COUNT(*), SUM(ended_at IS NULL AND last_seen_at >= {}), SUM(events), MAX(last_seen_at)
             FROM sessions NOT INDEXED GROUP BY agent ORDER BY 5 DESC LIMIT 100",
            number(live_since)
        ));
        self.rows(query, |row| {
            Ok(HeardAgent {
                name: row.get(0)?,
                sessions: unsigned(row, 1)?,
                live: unsigned(row, 2)?,
                events: unsigned(row, 3)?,
                last_seen_at: unsigned(row, 4)?,
            })
        })
    }

    /// Of the newest memories, in no order.
    pub fn touches(&self, workspace: &WorkspaceKey, since: Millis) -> Result<Vec<Touch>, StoreError> {
        let mut query = Query::new(format!(
            "SELECT files.path, files.modified, newest.session, newest.at
             FROM (SELECT n, session, at FROM memories WHERE workspace = ? AND at >= ?
                 ORDER BY at DESC LIMIT {MAX_MEMORIES}) AS newest
             CROSS JOIN memory_files AS files ON files.n = newest.n"
        ));
        query.values = vec![Value::Text(workspace.as_str().to_owned()), Value::Integer(number(since))];
        query.tail("", MAX_TOUCHES);
        self.rows(query, |row| {
            let session = match row.get_ref(2)? {
                rusqlite::types::ValueRef::Null => None,
                _ => Some(session_id(row, 2)?),
            };
            Ok(Touch { path: row.get(0)?, modified: row.get(1)?, session, at: unsigned(row, 3)? })
        })
    }
}
