//! What a session leaves for the next one: listed, read, written, taken back.

use model::{Deed, Millis, Speaker, WorkspaceKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{HandOffPage, HandOffRow};

use super::doing::{done, one_at_a_time};
use super::endpoint::{Asked, Endpoint, Given, Nothing, delete, get, put};
use super::named::{self, SessionPath};
use super::page::{Cursor, Limit, Page};
use super::reading::read;
use crate::House;
use crate::problem::Problem;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/hand-offs", "What sessions left for the next ones, newest first", list),
        get("/api/v1/hand-offs/{session}", "What one session leaves", one),
        put("/api/v1/hand-offs/{session}", "Write what the next one must know", write).gives_version(),
        delete(
            "/api/v1/hand-offs/{session}",
            "Take back what was written; what was kept up from events stays",
            clear,
        )
        .takes_version()
        .says_nothing(),
    ]
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Listing {
    /// Of this project: its name or its key.
    project: Option<String>,
    /// Of the workspace with this key.
    workspace: Option<String>,
    limit: Limit,
    /// Where to go on: `next` of the page before.
    cursor: Option<String>,
    /// Whether to say how many there are in all.
    count: bool,
}

/// What the next one who sits down here must know.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HandOff {
    session: String,
    /// Up to when it was kept up.
    at: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// In the words of whoever wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written_at: Option<Millis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<String>,
    done: Vec<String>,
    next: Vec<String>,
    open_files: Vec<String>,
    decisions: Vec<String>,
    /// The last things said, oldest first.
    tail: Vec<Said>,
    /// All of it, as it is said again.
    text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Said {
    by: By,
    text: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum By {
    Person,
    Agent,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Written {
    /// What to hand over. Secrets in it are masked before it is kept.
    #[schemars(length(min = 1, max = 16_384), regex(pattern = r"\S"))]
    text: String,
}

fn list(house: &dyn House, asked: Asked<Nothing, Listing>) -> Result<Given<Page<HandOff>>, Problem> {
    let listing = asked.query;
    let after = listing.cursor.as_deref().map(Cursor::read).transpose()?;
    let page = HandOffPage {
        workspace: listing.workspace.map(WorkspaceKey::from_hex),
        project: listing.project,
        after: after.map(|cursor| (cursor.number, cursor.name)),
        limit: listing.limit.rows(),
    };
    let (found, total) = read(house, |tables| {
        let total = if listing.count { Some(tables.count_hand_off_page(&page)?) } else { None };
        Ok((tables.hand_off_page(&page)?, total))
    })?;
    let next = found.next.map(|(at, session)| Cursor::new(at, session).to_string());
    Ok(Page { items: found.rows.into_iter().map(Into::into).collect(), next, total }.into())
}

fn one(house: &dyn House, asked: Asked<SessionPath>) -> Result<Given<HandOff>, Problem> {
    let session = named::session(house, &asked.path.session)?.id;
    of(house, &session).map(Into::into)
}

fn write(house: &dyn House, asked: Asked<SessionPath, Nothing, Written>) -> Result<Given<HandOff>, Problem> {
    let _alone = one_at_a_time();
    let session = named::session(house, &asked.path.session)?.id;
    if asked.if_match.is_some() {
        asked.must_match(&of(house, &session)?)?;
    }
    house
        .keeper(None)
        .hand_over(Some(session.as_str()), &asked.body.text)
        .map_err(|refusal| Problem::refusal("it is not handed over", &refusal))?;
    of(house, &session).map(Into::into)
}

fn clear(house: &dyn House, asked: Asked<SessionPath>) -> Result<Given<()>, Problem> {
    let _alone = one_at_a_time();
    let session = named::session(house, &asked.path.session)?.id;
    let before = of(house, &session)?;
    asked.must_match(&before)?;
    if before.written.is_some() {
        done(house, &[Deed::HandOff { session, text: String::new() }])?;
    }
    Ok(().into())
}

fn of(house: &dyn House, session: &model::SessionId) -> Result<HandOff, Problem> {
    let row = read(house, |tables| tables.hand_off(session))?;
    let row = row.filter(|row| row.hand_off != model::HandOff::default());
    row.map(Into::into).ok_or(Problem::not_found(
        "this session has handed nothing over",
        "GET /api/v1/hand-offs lists those that have; PUT writes one",
    ))
}

impl From<HandOffRow> for HandOff {
    fn from(row: HandOffRow) -> Self {
        let text = engine::hand_off_text(&row);
        let said = |said: model::Said| Said {
            by: match said.by {
                Speaker::Person => By::Person,
                Speaker::Agent => By::Agent,
            },
            text: said.text,
        };
        let HandOffRow { session, at, workspace, project, branch, hand_off, .. } = row;
        Self {
            session: session.as_str().to_owned(),
            at,
            workspace: workspace.map(|workspace| workspace.as_str().to_owned()),
            project,
            branch,
            written: hand_off.written,
            written_at: hand_off.written_at,
            goal: hand_off.goal,
            done: hand_off.done,
            next: hand_off.next,
            open_files: hand_off.open_files,
            decisions: hand_off.decisions,
            tail: hand_off.tail.into_iter().map(said).collect(),
            text,
        }
    }
}
