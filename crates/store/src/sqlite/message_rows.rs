//! Words for a session: kept until they are said, and a while longer so that whoever sent them can see it.

use model::{Millis, SessionId};
use rusqlite::{Row, params};
use serde::Serialize;

use super::batch::number;
use super::claim_rows::asked;
use super::read::{Query, optional, read_session, unsigned};
use super::{Batch, SessionRow, Tables};
use crate::StoreError;

/// Words for one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageRow {
    pub id: String,
    pub to: SessionId,
    /// A session's id, or a person's name.
    pub from: String,
    pub at: Millis,
    pub text: String,
    /// When it was said to the session; until then it waits.
    pub delivered_at: Option<Millis>,
    /// The agent and the branch of the session it is from, if it is from one we know.
    pub sender: Option<Sender>,
    /// Whose it is, if it came from another machine.
    pub author: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sender {
    pub agent: String,
    pub branch: Option<String>,
}

/// Which messages are wanted.
#[derive(Debug, Clone, Default)]
pub struct MessageFilter<'a> {
    pub to: Option<&'a SessionId>,
    /// Not said yet.
    pub waiting: bool,
    /// The one that waits longest first; else the last one first.
    pub oldest_first: bool,
    /// 0 for all.
    pub limit: usize,
}

/// A session that has not ended, with what it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PeerRow {
    #[serde(flatten)]
    pub session: SessionRow,
    /// The folder of its work tree.
    pub root: Option<String>,
    /// What it was asked, or else what its hand-off says.
    pub goal: Option<String>,
}

const MESSAGES: &str = "
    SELECT messages.id, recipient, sender, messages.at, text, delivered_at, COALESCE(sessions.agent, team_sessions.agent),
        COALESCE(sessions.branch, team_sessions.branch), messages.author
    FROM messages LEFT JOIN sessions ON sessions.id = messages.sender AND messages.author IS NULL
        LEFT JOIN team_sessions ON team_sessions.id = messages.sender AND team_sessions.author = messages.author";

const PEERS: &str = concat!(
    "SELECT id, agent, workspace, sessions.project, branch, cwd, source, model, started_at, sessions.last_seen_at,
        ended_at, end_reason, prompts, events, tools, attended, pid, transcript, pid_began, sessions.project_key,
        workspaces.root,
        COALESCE(",
    asked!("sessions.id"),
    ", (SELECT json_extract(hand_off, '$.goal') FROM hand_offs WHERE hand_offs.session = sessions.id))
    FROM sessions LEFT JOIN workspaces ON workspaces.key = sessions.workspace"
);

impl Tables {
    pub fn messages(&self, filter: &MessageFilter<'_>) -> Result<Vec<MessageRow>, StoreError> {
        let mut query = Query::new(MESSAGES.to_owned());
        if let Some(to) = filter.to {
            query.and("recipient = ?", to.as_str().to_owned());
        }
        if filter.waiting {
            query.and("delivered_at IS NULL AND ?", 1);
        }
        let order = if filter.oldest_first {
            "ORDER BY messages.at, messages.id"
        } else {
            "ORDER BY messages.at DESC, messages.id"
        };
        query.tail(order, filter.limit);
        self.rows(query, read)
    }

    /// The sessions that have not ended, seen since then, last seen first: of one project in all its worktrees, or all.
    pub fn live_sessions(
        &self,
        project_key: Option<&str>,
        seen_since: Millis,
    ) -> Result<Vec<PeerRow>, StoreError> {
        let mut query = Query::new(PEERS.to_owned());
        if let Some(project) = project_key {
            query.and("sessions.project_key = ?", project.to_owned());
        }
        query.and("ended_at IS NULL AND sessions.last_seen_at >= ?", number(seen_since));
        query.tail("ORDER BY sessions.last_seen_at DESC, id", 0);
        self.rows(query, |row| {
            Ok(PeerRow { session: read_session(row)?, root: row.get(20)?, goal: row.get(21)? })
        })
    }
}

impl Batch<'_> {
    /// Keeps a message until it is said. The same again changes nothing.
    pub fn put_message(
        &mut self,
        id: &str,
        to: &SessionId,
        from: &str,
        at: Millis,
        text: &str,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO messages (id, recipient, sender, at, text) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO NOTHING",
            params![id, to.as_str(), from, number(at), text],
        )?;
        Ok(())
    }

    /// It was said. The first time counts.
    pub fn deliver_message(&mut self, id: &str, at: Millis) -> Result<(), StoreError> {
        self.run(
            "UPDATE messages SET delivered_at = COALESCE(delivered_at, ?2) WHERE id = ?1",
            params![id, number(at)],
        )?;
        Ok(())
    }

    pub fn expire_messages(&mut self, before: Millis) -> Result<(), StoreError> {
        self.run("DELETE FROM messages WHERE at < ?1", [number(before)])?;
        Ok(())
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    let agent: Option<String> = row.get(6)?;
    let branch = row.get(7)?;
    Ok(MessageRow {
        id: row.get(0)?,
        to: SessionId::new(&row.get::<_, String>(1)?),
        from: row.get(2)?,
        at: unsigned(row, 3)?,
        text: row.get(4)?,
        delivered_at: optional(row, 5)?,
        sender: agent.map(|agent| Sender { agent, branch }),
        author: row.get(8)?,
    })
}
