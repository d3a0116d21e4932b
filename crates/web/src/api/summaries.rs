//! Turns in five answers, newest first.

use model::{Millis, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{MemoryPlace, SummaryCard, SummaryPage};

use super::endpoint::{Asked, Endpoint, Given, Nothing, get};
use super::page::{Cursor, Limit, Page};
use super::reading::read;
use crate::House;
use crate::problem::Problem;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![get("/api/v1/summaries", "Turns in five answers, newest first", summaries)]
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Listing {
    /// Of the session with this id.
    session: Option<String>,
    /// Of this project: its name or its key.
    project: Option<String>,
    /// From this moment on.
    since: Option<Millis>,
    /// Before this moment.
    until: Option<Millis>,
    limit: Limit,
    /// Where to go on: `next` of the page before.
    cursor: Option<String>,
    /// Whether to say how many there are in all.
    count: bool,
}

/// A turn. What nothing answered is left out; several answers stand on a line each.
#[derive(Debug, Serialize, JsonSchema)]
struct Summary {
    /// Of the memory that holds the same as text.
    id: String,
    session: String,
    at: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    request: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    investigated: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    learned: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_steps: Option<String>,
}

fn summaries(house: &dyn House, asked: Asked<Nothing, Listing>) -> Result<Given<Page<Summary>>, Problem> {
    let listing = asked.query;
    let place = |cursor: &str| {
        let cursor = Cursor::read(cursor)?;
        Ok(MemoryPlace { key: cursor.number, n: cursor.second()? })
    };
    let page = SummaryPage {
        after: listing.cursor.as_deref().map(place).transpose()?,
        session: listing.session.as_deref().map(SessionId::new),
        project: listing.project,
        since: listing.since,
        until: listing.until,
        limit: listing.limit.rows(),
    };
    let (found, total) = read(house, |tables| {
        let total = if listing.count { Some(tables.count_summary_page(&page)?) } else { None };
        Ok((tables.summary_page(&page)?, total))
    })?;
    let next = found.next.map(|place| Cursor::new(place.key, place.n).to_string());
    Ok(Page { items: found.rows.into_iter().map(Into::into).collect(), next, total }.into())
}

impl From<SummaryCard> for Summary {
    fn from(card: SummaryCard) -> Self {
        let SummaryCard { row, project } = card;
        let lines = |answers: Vec<String>| (!answers.is_empty()).then(|| answers.join("\n"));
        Self {
            id: row.id.to_string(),
            session: row.session.as_str().to_owned(),
            at: row.at,
            project,
            request: row.summary.request,
            investigated: lines(row.summary.investigated),
            learned: lines(row.summary.learned),
            completed: lines(row.summary.completed),
            next_steps: lines(row.summary.next_steps),
        }
    }
}
