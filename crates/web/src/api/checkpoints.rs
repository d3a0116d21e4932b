//! Places to come back to, as they were recorded. Coming back is done on the command line, where the files are.

use model::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::CheckpointPage;

use super::endpoint::{Asked, Endpoint, Given, Nothing, get};
use super::page::{Cursor, Limit, Page};
use super::reading::read;
use crate::House;
use crate::problem::Problem;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/checkpoints", "Places to come back to, newest first", list),
        get("/api/v1/checkpoints/{id}", "One of them, with its files by name", one),
    ]
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Listing {
    /// Of this folder.
    root: Option<String>,
    limit: Limit,
    /// Where to go on: `next` of the page before.
    cursor: Option<String>,
    /// Whether to say how many there are in all.
    count: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct CheckpointPath {
    /// Its id, or a beginning of it that fits only one.
    id: String,
}

/// A place to come back to.
#[derive(Debug, Serialize, JsonSchema)]
struct Checkpoint {
    id: String,
    at: Millis,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// The folder it was taken of.
    root: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// The commit it stands on.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    /// The ref that holds the files; none where there is no repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    /// How many files were not as the commit has them.
    files: usize,
    /// How many of them were too large to keep.
    left_out: usize,
}

/// A place to come back to, with all that is recorded of it.
#[derive(Debug, Serialize, JsonSchema)]
struct CheckpointWhole {
    #[serde(flatten)]
    checkpoint: Checkpoint,
    dirty: Vec<String>,
    skipped: Vec<String>,
    /// The session's hand-off at that moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    hand_off: Option<String>,
}

fn list(house: &dyn House, asked: Asked<Nothing, Listing>) -> Result<Given<Page<Checkpoint>>, Problem> {
    let listing = asked.query;
    let after = listing.cursor.as_deref().map(Cursor::read).transpose()?;
    let page = CheckpointPage {
        root: listing.root,
        after: after.map(|cursor| (cursor.number, cursor.name)),
        limit: listing.limit.rows(),
    };
    let (found, total) = read(house, |tables| {
        let total = if listing.count { Some(tables.count_checkpoint_page(&page)?) } else { None };
        Ok((tables.checkpoint_page(&page)?, total))
    })?;
    let next = found.next.map(|(at, id)| Cursor::new(at, id).to_string());
    Ok(Page { items: found.rows.into_iter().map(Into::into).collect(), next, total }.into())
}

fn one(house: &dyn House, asked: Asked<CheckpointPath>) -> Result<Given<CheckpointWhole>, Problem> {
    let found = read(house, |tables| tables.checkpoint(&asked.path.id))?;
    let mut record = found.ok_or(Problem::not_found(
        "no checkpoint is called this",
        "GET /api/v1/checkpoints lists them; `throughline checkpoint list` also those that only git knows",
    ))?;
    let hand_off = record.hand_off.take();
    let (dirty, skipped) = (record.dirty.clone(), record.skipped.clone());
    Ok(CheckpointWhole { checkpoint: record.into(), dirty, skipped, hand_off }.into())
}

impl From<model::Checkpoint> for Checkpoint {
    fn from(record: model::Checkpoint) -> Self {
        Self {
            id: record.id,
            at: record.at,
            session: record.session.map(|session| session.as_str().to_owned()),
            workspace: record.workspace.map(|workspace| workspace.as_str().to_owned()),
            project: record.project,
            root: record.root,
            message: record.message,
            branch: record.branch,
            head: record.head,
            reference: record.reference,
            files: record.dirty.len(),
            left_out: record.skipped.len(),
        }
    }
}
