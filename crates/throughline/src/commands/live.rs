//! The sessions that are at work now: not ended, and their process lives. What a table says of them and what a tool does
//! is the same.

use engine::presence::{LONGEST, Process, is_at_work, latest_of_each};
use serde_json::{Value, json};
use store::{ClaimFilter, ClaimRow, PeerRow, SessionRow, Tables};

use crate::report::person;
use crate::when;

/// Files of one session that a list shows.
const MAX_FILES: usize = 50;

/// Last seen first.
pub(crate) fn sessions(tables: &Tables) -> anyhow::Result<Vec<PeerRow>> {
    let now = when::now();
    let mut rows = tables.live_sessions(None, now.saturating_sub(LONGEST)).map_err(person)?;
    rows.retain(|row| is_live(&row.session, now));
    latest_of_each(&mut rows, |row| &row.session);
    Ok(rows)
}

pub(crate) fn is_live(row: &SessionRow, now: u64) -> bool {
    let is_running = |pid: u32, began: Option<&str>| daemon::is_running(pid, began);
    row.ended_at.is_none() && is_at_work(now, Process::of_session(row), row.last_seen_at, &is_running)
}

/// Whether whoever holds a file is at work.
pub(crate) fn holds(row: &ClaimRow, now: u64) -> bool {
    let is_running = |pid: u32, began: Option<&str>| daemon::is_running(pid, began);
    is_at_work(now, Process::of_claim(row), row.seen_at, &is_running)
}

/// What a session holds, last used first.
pub(crate) fn files(tables: &Tables, session: &SessionRow) -> anyhow::Result<Vec<ClaimRow>> {
    let now = when::now();
    let filter = ClaimFilter {
        session: Some(&session.id),
        since: now.saturating_sub(engine::CLAIM_LEASE),
        until: now.saturating_add(engine::CLAIM_LEASE),
        limit: MAX_FILES,
        ..ClaimFilter::default()
    };
    tables.claims(&filter).map_err(person)
}

pub(crate) fn to_json(tables: &Tables, row: &PeerRow) -> anyhow::Result<Value> {
    let mut value = json!(row);
    let file = |claim: &ClaimRow| json!({ "path": claim.path, "lines": claim.lines, "since_at": claim.since_at, "last_at": claim.last_at });
    value["files"] = files(tables, &row.session)?.iter().map(file).collect();
    value["outcome"] = json!(tables.outcome(&row.session.id).map_err(person)?.map(|row| row.outcome));
    Ok(value)
}
