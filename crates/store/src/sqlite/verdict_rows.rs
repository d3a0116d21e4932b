//! What guards said to agents: written once, from the journal's entry that says it, and gone with that entry.

use model::{Millis, Ruling, SessionId};
use rusqlite::types::Value;
use rusqlite::{Row, params};

use super::batch::number;
use super::read::{Query, session_id, unsigned};
use super::session_pages::{Found, skip};
use super::{Batch, Tables};
use crate::StoreError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictRow {
    pub seq: u64,
    pub at: Millis,
    pub session: SessionId,
    pub subagent: Option<String>,
    pub event: String,
    pub tool: Option<String>,
    pub behavior: String,
    pub verdict: Ruling,
    pub reason: String,
}

/// Which verdicts, and from where on.
#[derive(Debug, Clone, Default)]
pub struct VerdictPage {
    pub session: Option<SessionId>,
    pub since: Option<Millis>,
    /// Older than the one at this position.
    pub before: Option<u64>,
    pub offset: usize,
    pub limit: usize,
}

impl Tables {
    /// Newest first. There are as many as guards speak: a few a day.
    pub fn verdict_page(&self, page: &VerdictPage) -> Result<Found<VerdictRow, u64>, StoreError> {
        let mut query = Query::new(format!("SELECT {COLUMNS} FROM verdicts"));
        page.narrow(&mut query);
        if let Some(before) = page.before {
            query.and_all("seq < ?", [Value::Integer(number(before))]);
        }
        query.tail("ORDER BY seq DESC", page.limit + 1);
        skip(&mut query, page.offset);
        self.found(&query, (page.limit, page.limit + 1), read, |_| true, |row| row.seq)
    }

    pub fn total_verdicts(&self, page: &VerdictPage) -> Result<u64, StoreError> {
        let mut query = Query::new("SELECT COUNT(*) FROM verdicts".to_owned());
        page.narrow(&mut query);
        Ok(self.rows(query, |row| unsigned(row, 0))?.pop().unwrap_or(0))
    }
}

impl VerdictPage {
    fn narrow(&self, query: &mut Query) {
        if let Some(session) = &self.session {
            query.and("session = ?", session.as_str().to_owned());
        }
        if let Some(since) = self.since {
            query.and("at >= ?", number(since));
        }
    }
}

impl Batch<'_> {
    /// Repeating it changes nothing.
    pub fn put_verdict(&mut self, row: &VerdictRow) -> Result<(), StoreError> {
        let VerdictRow { seq, at, session, subagent, event, tool, behavior, verdict, reason } = row;
        self.run(
            "INSERT INTO verdicts (seq, session, subagent, at, event, tool, behavior, verdict, reason)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING",
            params![
                number(*seq),
                session.as_str(),
                subagent,
                number(*at),
                event,
                tool,
                behavior,
                verdict.name(),
                reason
            ],
        )?;
        Ok(())
    }
}

pub(super) const COLUMNS: &str = "seq, at, session, subagent, event, tool, behavior, verdict, reason";

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<VerdictRow> {
    Ok(VerdictRow {
        seq: unsigned(row, 0)?,
        at: unsigned(row, 1)?,
        session: session_id(row, 2)?,
        subagent: row.get(3)?,
        event: row.get(4)?,
        tool: row.get(5)?,
        behavior: row.get(6)?,
        // A word of a newer version is the mildest we know.
        verdict: Ruling::from_name(&row.get::<_, String>(7)?).unwrap_or(Ruling::Ask),
        reason: row.get(8)?,
    })
}
