//! What people asked, in pages and one by one.

use model::{EventId, Millis, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{PromptPage, PromptRow};

use super::endpoint::{Asked, Endpoint, Given, Nothing, get};
use super::page::{Cursor, Limit, Page};
use super::reading::read;
use super::words::{Id, Name};
use crate::House;
use crate::problem::Problem;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/prompts", "Prompts, newest first", list),
        get("/api/v1/prompts/{id}", "One prompt", one),
    ]
}

/// Something an agent was asked.
#[derive(Debug, Serialize, JsonSchema)]
struct Prompt {
    /// The id of the event that brought it.
    id: String,
    session: String,
    /// Counts from 1 within the session.
    number: u64,
    at: Millis,
    text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    session: Option<Id>,
    project: Option<Name>,
    /// At or after this time, in Unix milliseconds.
    since: Option<Millis>,
    /// In its text. A page may come back short and still have a next one.
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

fn list(house: &dyn House, asked: Asked<Nothing, Wanted>) -> Result<Given<Page<Prompt>>, Problem> {
    let Wanted { session, project, since, q, limit, cursor, offset, count } = asked.query;
    if q.is_some() && offset > 0 {
        return Err(Problem::refused(
            "rows that were not looked at cannot be passed over",
            "send q without offset",
        ));
    }
    let after = cursor.map(|cursor| Cursor::read(cursor.as_str())).transpose()?;
    let after = after.map(|cursor| Ok((cursor.number, cursor.second()?))).transpose()?;
    let page = PromptPage {
        session: session.map(|id| SessionId::new(id.as_str())),
        project: project.map(Name::into_text),
        since,
        words: q.map(Name::into_text).filter(|words| !words.is_empty()),
        after: after.map(|(at, row)| (at, i64::try_from(row).unwrap_or(i64::MAX))),
        offset: offset as usize,
        limit: limit.rows(),
    };
    let (found, total) = read(house, |tables| {
        let total = if count && page.words.is_none() { Some(tables.total_prompts(&page)?) } else { None };
        Ok((tables.prompt_page(&page)?, total))
    })?;
    let next = found.next.map(|(at, row)| Cursor::new(at, row).to_string());
    Ok(Page { items: found.rows.into_iter().map(Prompt::from).collect(), next, total }.into())
}

fn one(house: &dyn House, asked: Asked<Which>) -> Result<Given<Prompt>, Problem> {
    let id: Option<EventId> = asked.path.id.as_str().parse().ok();
    let found = id.map(|id| read(house, |tables| tables.prompt(id))).transpose()?.flatten();
    let row = found.ok_or(Problem::not_found("no prompt has this id", "GET /api/v1/prompts lists them"))?;
    Ok(Prompt::from(row).into())
}

impl From<PromptRow> for Prompt {
    fn from(row: PromptRow) -> Self {
        let PromptRow { id, session, number, at, text } = row;
        Self { id: id.to_string(), session: session.as_str().to_owned(), number, at, text }
    }
}
