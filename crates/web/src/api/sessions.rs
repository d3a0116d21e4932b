//! Sessions: in pages, one by itself, forgotten.

mod moments;

use std::time::Duration;

use model::{Millis, SessionId, WorkspaceKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::SessionPage;

use super::endpoint::{Asked, Endpoint, Given, Nothing, delete, get};
use super::page::{Cursor, Limit, Page};
use super::reading::read;
use super::session::{Session, at_work_since, now};
use super::words::{Id, Name};
use crate::House;
use crate::problem::{self, Problem};

/// Erasing the entries of a long session from the journal takes seconds.
const FORGET: Duration = Duration::from_secs(30);

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/sessions", "Sessions, last seen first", list),
        get("/api/v1/sessions/{id}", "One session", one),
        delete("/api/v1/sessions/{id}", "Forget a session and all that is kept of it", forget),
        get("/api/v1/sessions/{id}/timeline", "A session from its beginning to its end", moments::timeline),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    project: Option<Name>,
    agent: Option<Name>,
    /// The key of a workspace.
    workspace: Option<Name>,
    /// Only those at work now.
    #[serde(default)]
    live: bool,
    /// Seen at or after this time, in Unix milliseconds.
    since: Option<Millis>,
    /// In its first prompt, summary, project, branch or id. A page may come back short and still have a next one.
    q: Option<Name>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Id>,
    /// So many rows are passed over. Not together with `q`.
    #[serde(default)]
    offset: u32,
    /// Say how many there are. `q` is not counted.
    #[serde(default)]
    count: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    id: Id,
}

/// A session by itself.
#[derive(Debug, Serialize, JsonSchema)]
struct SessionWhole {
    #[serde(flatten)]
    session: Session,
    /// Whether it left something for the next one: `/api/v1/hand-offs/{session}`.
    has_hand_off: bool,
    counts: Counts,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Counts {
    memories: u64,
    injections: u64,
    verdicts: u64,
    /// Files it holds now.
    claims: u64,
}

/// What was forgotten.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SessionForgotten")]
struct Forgotten {
    session: String,
    memories: u64,
    events: u64,
    prompts: u64,
    /// Nothing in our files says it any more; otherwise that is being done.
    gone: bool,
}

fn list(house: &dyn House, asked: Asked<Nothing, Wanted>) -> Result<Given<Page<Session>>, Problem> {
    let Wanted { project, agent, workspace, live, since, q, limit, cursor, offset, count } = asked.query;
    if q.is_some() && offset > 0 {
        return Err(Problem::refused(
            "rows that were not looked at cannot be passed over",
            "send q without offset",
        ));
    }
    let now = now();
    let after = cursor.map(|cursor| Cursor::read(cursor.as_str())).transpose()?;
    let page = SessionPage {
        project: project.map(Name::into_text),
        agent: agent.map(Name::into_text),
        workspace: workspace.map(|key| WorkspaceKey::from_hex(key.into_text())),
        live_since: live.then(|| at_work_since(now)),
        since,
        words: q.map(Name::into_text).filter(|words| !words.is_empty()),
        after: after.map(|cursor| (cursor.number, cursor.name)),
        offset: offset as usize,
        limit: limit.rows(),
    };
    let (found, total) = read(house, |tables| {
        let total = if count && page.words.is_none() { Some(tables.total_sessions(&page)?) } else { None };
        Ok((tables.session_page(&page)?, total))
    })?;
    let next = found.next.map(|(seen, id)| Cursor::new(seen, id).to_string());
    let items = found.rows.into_iter().map(|card| Session::of(card, now)).collect();
    Ok(Page { items, next, total }.into())
}

fn one(house: &dyn House, asked: Asked<Which>) -> Result<Given<SessionWhole>, Problem> {
    let id = SessionId::new(asked.path.id.as_str());
    let found = read(house, |tables| {
        let Some(card) = tables.session_card(&id)? else { return Ok(None) };
        let has_hand_off = tables.hand_off(&id)?.is_some();
        let moments = tables.moment_totals(&id)?;
        let held = store::ClaimFilter { session: Some(&id), limit: 1000, ..store::ClaimFilter::default() };
        let claims = tables.claims(&held)?.len() as u64;
        Ok(Some((card, has_hand_off, moments, claims)))
    })?;
    let (card, has_hand_off, moments, claims) = found.ok_or(NO_SESSION)?;
    let counts = Counts {
        memories: moments.memories,
        injections: moments.injections,
        verdicts: moments.verdicts,
        claims,
    };
    Ok(SessionWhole { session: Session::of(card, now()), has_hand_off, counts }.into())
}

fn forget(house: &dyn House, asked: Asked<Which>) -> Result<Given<Forgotten>, Problem> {
    let id = SessionId::new(asked.path.id.as_str());
    // Exactly this one: the daemon would take a beginning for the whole, too.
    if read(house, |tables| tables.session_card(&id))?.is_none() {
        return Err(NO_SESSION);
    }
    let said = house.ask(&json!({ "ask": "forget-session", "session": id }), FORGET);
    if let Some(error) = said["error"].as_str() {
        return Err(Problem::conflict("it could not be forgotten now", error.to_owned()));
    }
    let number = |name: &str| said[name].as_u64().unwrap_or(0);
    let session = said["session"].as_str().ok_or(problem::OUT_OF_ORDER)?.to_owned();
    Ok(Forgotten {
        session,
        memories: number("memories"),
        events: number("events"),
        prompts: number("prompts"),
        gone: said["gone"] == true,
    }
    .into())
}

const NO_SESSION: Problem = Problem {
    status: http::StatusCode::NOT_FOUND,
    title: "no session has this id",
    detail: std::borrow::Cow::Borrowed("GET /api/v1/sessions lists them"),
};
