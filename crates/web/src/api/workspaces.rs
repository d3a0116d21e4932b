//! Folders people work in, the projects they belong to, and a picture of who touched what there.

mod map;

use model::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::endpoint::{Asked, Endpoint, Given, Nothing, get};
use super::page::{Cursor, Limit, Page};
use super::reading::read;
use super::session::{at_work_since, now};
use super::words::Id;
use crate::House;
use crate::problem::Problem;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/workspaces", "Workspaces, last seen first", list),
        get("/api/v1/workspaces/{key}/map", "Which files were touched, by whom and when", map::map),
        get("/api/v1/projects", "Projects, last seen first", projects),
    ]
}

/// A folder agents work in.
#[derive(Debug, Serialize, JsonSchema)]
struct Workspace {
    key: String,
    root: String,
    project: Option<String>,
    first_seen_at: Millis,
    last_seen_at: Millis,
    sessions: u64,
    /// Sessions at work now.
    live: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    limit: Limit,
    cursor: Option<Id>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Projects {
    items: Vec<Project>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Project {
    name: String,
    memories: u64,
    sessions: u64,
    last_seen_at: Option<Millis>,
}

fn list(house: &dyn House, asked: Asked<Nothing, Wanted>) -> Result<Given<Page<Workspace>>, Problem> {
    let Wanted { limit, cursor } = asked.query;
    let after = cursor.map(|cursor| Cursor::read(cursor.as_str())).transpose()?;
    let after = after.map(|cursor| (cursor.number, cursor.name));
    let found = read(house, |tables| tables.workspace_page(after, at_work_since(now()), limit.rows()))?;
    let next = found.next.map(|(seen, key)| Cursor::new(seen, key).to_string());
    let items = found.rows.into_iter().map(|card| Workspace {
        key: card.row.key.as_str().to_owned(),
        root: card.row.root,
        project: card.row.project,
        first_seen_at: card.row.first_seen_at,
        last_seen_at: card.row.last_seen_at,
        sessions: card.sessions,
        live: card.live,
    });
    Ok(Page { items: items.collect(), next, total: None }.into())
}

fn projects(house: &dyn House, _: Asked) -> Result<Given<Projects>, Problem> {
    let cards = read(house, store::Tables::project_cards)?;
    let items = cards.into_iter().map(|card| Project {
        name: card.name,
        memories: card.memories,
        sessions: card.sessions,
        last_seen_at: card.last_seen_at,
    });
    Ok(Projects { items: items.collect() }.into())
}
