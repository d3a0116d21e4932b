//! One request of theirs, read as leniently as they read it, and what it is answered.

use std::sync::Arc;

use http::StatusCode;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use mcp::End;
use serde_json::Value;
use store::{StoreError, Tables};

use super::deliver::Sessions;
use crate::House;
use crate::problem::{self, Problem};
use crate::routes::Rooms;

/// Rows of a page, as theirs bounds them.
const MAX_LIMIT: usize = 100;
/// Rows that may be skipped: skipping costs as much as there are, and nobody scrolls further.
const MAX_OFFSET: usize = 100_000;
/// Characters of a question: what search reads of one.
const MAX_QUESTION: usize = 10_000;

pub(super) enum Said {
    Json(Value),
    Text(String),
}

/// What went wrong, in their shape.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) status: StatusCode,
    pub(super) error: String,
}

impl Trouble {
    pub(super) fn bad(error: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, error: error.into() }
    }

    pub(super) fn not_found(error: impl Into<String>) -> Self {
        Self { status: StatusCode::NOT_FOUND, error: error.into() }
    }

    pub(super) fn out_of_order() -> Self {
        Self::from(problem::OUT_OF_ORDER)
    }
}

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Self {
        Self { status: problem.status, error: format!("{}; {}", problem.title, problem.detail) }
    }
}

pub(super) struct Called<'a> {
    pub(super) house: &'a Arc<dyn House>,
    pub(super) sessions: &'a Sessions,
    pub(super) port: u16,
    id: Option<String>,
    query: Vec<(String, String)>,
    pub(super) body: Value,
}

impl<'a> Called<'a> {
    pub(super) fn read(
        rooms: &'a Rooms,
        sessions: &'a Sessions,
        id: Option<String>,
        parts: &Parts,
        body: &[u8],
    ) -> Result<Self, Trouble> {
        let query = serde_html_form::from_str(parts.uri.query().unwrap_or_default())
            .map_err(|error| Trouble::bad(error.to_string()))?;
        let body = if body.is_empty() {
            Value::Null
        } else {
            // No page can send this without asking first.
            let kind =
                parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
            if !kind
                .split(';')
                .next()
                .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
            {
                return Err(problem::NOT_JSON.into());
            }
            serde_json::from_slice(body)
                .map_err(|error| Trouble::bad(format!("the body is no JSON: {error}")))?
        };
        Ok(Self { house: &rooms.house, sessions, port: rooms.port, id, query, body })
    }

    pub(super) fn tables<T>(&self, ask: impl FnOnce(&Tables) -> Result<T, StoreError>) -> Result<T, Trouble> {
        tables(&**self.house, ask)
    }

    /// The number in the path.
    pub(super) fn id(&self) -> Result<u64, Trouble> {
        self.id.as_deref().unwrap_or_default().parse().map_err(|_| Trouble::bad("Invalid id"))
    }

    /// A field of the query that says something.
    pub(super) fn asked(&self, name: &str) -> Option<&str> {
        self.all_asked(name).next()
    }

    pub(super) fn all_asked(&self, name: &str) -> impl Iterator<Item = &str> {
        self.query
            .iter()
            .filter(move |(key, value)| key == name && !value.is_empty())
            .map(|(_, value)| &**value)
    }

    /// What is looked for, under any of the names it has had.
    pub(super) fn question(&self) -> Option<String> {
        let said = self.asked("query").or_else(|| self.asked("q"))?;
        Some(said.chars().take(MAX_QUESTION).collect())
    }

    /// The first of these fields of the body that is a text and says something.
    pub(super) fn text(&self, names: &[&str]) -> Option<&str> {
        names.iter().filter_map(|name| self.body[*name].as_str()).find(|text| !text.is_empty())
    }

    pub(super) fn number(&self, name: &str, usual: usize, most: usize) -> usize {
        // As theirs: what is no number is not there.
        self.asked(name).and_then(|said| said.parse().ok()).unwrap_or(usual).min(most)
    }

    pub(super) fn limit(&self, usual: usize) -> usize {
        self.number("limit", usual, MAX_LIMIT).max(1)
    }

    pub(super) fn offset(&self) -> usize {
        self.number("offset", 0, MAX_OFFSET)
    }

    /// A day, an ISO time or milliseconds.
    pub(super) fn moment(&self, name: &str, end: End) -> Result<Option<u64>, Trouble> {
        let Some(said) = self.asked(name) else { return Ok(None) };
        if said.len() > 8
            && let Ok(at) = said.parse()
        {
            return Ok(Some(at));
        }
        let moment = self.house.keeper(None).moment(said, end);
        moment.map(Some).map_err(|refusal| Trouble::bad(refusal.what))
    }
}

/// Asks the tables with a reader that is open already.
pub(super) fn tables<T>(
    house: &dyn House,
    ask: impl FnOnce(&Tables) -> Result<T, StoreError>,
) -> Result<T, Trouble> {
    let (mut ask, mut found) = (Some(ask), None);
    let read = house.read(&mut |tables| {
        if let Some(ask) = ask.take() {
            found = Some(ask(tables)?);
        }
        Ok(())
    });
    read.ok().and(found).ok_or_else(Trouble::out_of_order)
}
