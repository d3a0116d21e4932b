//! Who works on which file: listed, taken, given back. A claim is a lease and forbids nothing.

use std::path::Path;
use std::time::Duration;

use model::{Deed, Millis, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{ClaimFilter, ClaimRow};

use super::endpoint::{Asked, Endpoint, Given, Nothing, delete, get, post};
use super::page::{Limit, MAX_LIMIT, Page};
use super::reading::read;
use super::session::{at_work_since, now};
use super::words::{Id, Words};
use crate::House;
use crate::problem::Problem;

/// Deeds are learned within milliseconds.
const LEARN: Duration = Duration::from_secs(5);

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/claims", "Files that sessions hold, last used first", list),
        post("/api/v1/claims", "Hold files for a session", take),
        delete("/api/v1/claims", "Give files back", release),
        post(
            "/api/v1/claims/release",
            "Give files back, for clients that cannot send a body with DELETE",
            release,
        ),
    ]
}

/// A file a session works on.
#[derive(Debug, Serialize, JsonSchema)]
struct Claim {
    path: String,
    session: String,
    agent: String,
    project: Option<String>,
    branch: Option<String>,
    since_at: Millis,
    last_at: Millis,
    /// When the session was last heard of.
    seen_at: Millis,
    /// What it says it does with it, else the last thing it was asked.
    goal: Option<String>,
    /// First and last lines of where it was edited; none where that is not known.
    lines: Vec<[u32; 2]>,
    /// Within its lease, by a session that is at work.
    live: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// In this folder or below it.
    below: Option<Words<4096>>,
    session: Option<Id>,
    /// Only within their lease.
    #[serde(default)]
    live: bool,
    #[serde(default)]
    limit: Limit,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Take {
    session: Id,
    /// Absolute paths.
    #[schemars(length(min = 1, max = 200))]
    files: Vec<Words<4096>>,
    /// What it does with them.
    note: Option<Words<300>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Release {
    /// Only what this session holds.
    session: Option<Id>,
    /// Absolute paths; none gives back all that the session holds.
    #[serde(default)]
    #[schemars(length(max = 200))]
    files: Vec<Words<4096>>,
}

/// What is held now.
#[derive(Debug, Serialize, JsonSchema)]
struct Held {
    items: Vec<Claim>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Released {
    /// How many claims there were.
    released: u64,
}

fn list(house: &dyn House, asked: Asked<Nothing, Wanted>) -> Result<Given<Page<Claim>>, Problem> {
    let Wanted { below, session, live, limit } = asked.query;
    let session = session.map(|id| SessionId::new(id.as_str()));
    let now = now();
    let filter = ClaimFilter {
        below: below.as_ref().map(Words::as_str),
        session: session.as_ref(),
        since: if live { now.saturating_sub(engine::CLAIM_LEASE) } else { 0 },
        limit: limit.rows(),
        ..ClaimFilter::default()
    };
    let rows = read(house, |tables| tables.claims(&filter))?;
    let items = rows.into_iter().map(|row| Claim::of(row, now)).collect();
    Ok(Page { items, next: None, total: None }.into())
}

fn take(house: &dyn House, asked: Asked<Nothing, Nothing, Take>) -> Result<Given<Held>, Problem> {
    let Take { session, files, note } = asked.body;
    let session = SessionId::new(session.as_str());
    let files = paths(files)?;
    if files.is_empty() {
        return Err(Problem::refused("no file is named", "name at least one in files"));
    }
    let card = read(house, |tables| tables.session_card(&session))?;
    let card = card.ok_or(Problem::not_found("no session has this id", "GET /api/v1/sessions lists them"))?;
    if card.row.ended_at.is_some() {
        let next = "claim for a session that goes on; GET /api/v1/sessions?live=true lists those";
        return Err(Problem::conflict("this session has ended and holds nothing", next));
    }
    let note = note.map(Words::into_text).filter(|note| !note.trim().is_empty());
    send(house, &Deed::Claim { session: session.clone(), files, note })?;
    let filter =
        ClaimFilter { session: Some(&session), limit: usize::from(MAX_LIMIT), ..ClaimFilter::default() };
    let (rows, now) = (read(house, |tables| tables.claims(&filter))?, now());
    Ok(Held { items: rows.into_iter().map(|row| Claim::of(row, now)).collect() }.into())
}

fn release(house: &dyn House, asked: Asked<Nothing, Nothing, Release>) -> Result<Given<Released>, Problem> {
    let Release { session, files } = asked.body;
    let session = session.map(|id| SessionId::new(id.as_str()));
    let files = paths(files)?;
    if session.is_none() && files.is_empty() {
        return Err(Problem::refused(
            "neither a session nor a file is named",
            "name whose claims, or on which files",
        ));
    }
    let filter = ClaimFilter { session: session.as_ref(), ..ClaimFilter::default() };
    let held = read(house, |tables| tables.claims(&filter))?;
    let released = held.iter().filter(|row| files.is_empty() || files.contains(&row.path)).count() as u64;
    if released > 0 {
        send(house, &Deed::Release { session, files })?;
    }
    Ok(Released { released }.into())
}

/// Claims know absolute paths, and a page has no folder to be relative to.
fn paths(files: Vec<Words<4096>>) -> Result<Vec<String>, Problem> {
    if files.len() > 200 {
        return Err(Problem::refused("too many files at once", "name at most 200"));
    }
    let path = |file: Words<4096>| {
        let text = file.into_text();
        let claimed = Path::new(&text).is_absolute().then(|| engine::claimed_path(None, &text)).flatten();
        claimed.ok_or_else(|| Problem::refused("a file is no absolute path", "name files from the root on"))
    };
    files.into_iter().map(path).collect()
}

fn send(house: &dyn House, deed: &Deed) -> Result<(), Problem> {
    let said = house.ask(&json!({ "ask": "deeds", "deeds": [deed] }), LEARN);
    match said["error"].as_str() {
        Some(error) => Err(Problem::conflict("it could not be kept", error.to_owned())),
        None => Ok(()),
    }
}

impl Claim {
    fn of(row: ClaimRow, now: Millis) -> Self {
        let live =
            row.last_at >= now.saturating_sub(engine::CLAIM_LEASE) && row.seen_at >= at_work_since(now);
        let ClaimRow { path, session, agent, project, branch, since_at, last_at, seen_at, goal, .. } = row;
        let session = session.as_str().to_owned();
        let lines = row.lines.into_iter().map(|(from, to)| [from, to]).collect();
        Self { path, session, agent, project, branch, since_at, last_at, seen_at, goal, lines, live }
    }
}
