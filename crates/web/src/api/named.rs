//! Finding what an id names, for whoever has it in a path: the whole of it, or a beginning that fits only one.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use store::{MemoryRow, SessionRow, StoreError, Tables};

use super::reading::read;
use crate::House;
use crate::problem::Problem;

/// Learning is milliseconds behind; a long backlog is not waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// A memory in a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct MemoryPath {
    /// The memory's id, a beginning of it that fits only one, or the id it had where it was brought in from.
    pub(crate) id: String,
}

/// A session in a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SessionPath {
    /// The session's id, or a beginning of it that fits only one.
    pub(crate) session: String,
}

pub(crate) fn memory(house: &dyn House, id: &str) -> Result<MemoryRow, Problem> {
    find(house, |tables| tables.memory(id))?.ok_or(Problem::not_found(
        "no memory is called this",
        "GET /api/v1/search finds memories and says their ids",
    ))
}

pub(crate) fn session(house: &dyn House, id: &str) -> Result<SessionRow, Problem> {
    find(house, |tables| tables.session(id))?
        .ok_or(Problem::not_found("no session is called this", "GET /api/v1/sessions lists them"))
}

/// What was acknowledged a moment ago may not be in the tables yet: who does not find it looks once more when it is.
fn find<T>(
    house: &dyn House,
    look: impl Fn(&Tables) -> Result<Option<T>, StoreError>,
) -> Result<Option<T>, Problem> {
    let head = house.head();
    let found = read(house, &look)?;
    if found.is_some() || read(house, Tables::cursor)? >= head {
        return Ok(found);
    }
    house.wait_learned(head.saturating_sub(1), PATIENCE);
    read(house, look)
}
