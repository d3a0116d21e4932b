//! Memories: listed, read, written, changed, forgotten. What a change means is the engine's; here it is checked, done,
//! and shown as it is from then on.

mod change;
mod history;
mod list;

use model::MemoryId;
use schemars::JsonSchema;
use serde::Serialize;
use store::MemoryRow;

use super::endpoint::{Asked, Endpoint, Given, core_of, delete, get, patch, post};
use super::memory::Memory;
use super::named::{self, MemoryPath};
use super::reading::read;
use crate::House;
use crate::problem::Problem;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/memories", "Memories, newest first", list::memories),
        get("/api/v1/observations", "Memories that were made of work, newest first", list::observations),
        post("/api/v1/memories", "Keep something; the same words are kept once", change::create)
            .creates_unless_known(),
        post("/api/v1/memories/forget", "Forget several for good; all or none", change::forget_all),
        get("/api/v1/memories/{id}", "One memory, whole", whole),
        patch("/api/v1/memories/{id}", "Change what it says, or how much it matters", change::edit)
            .gives_version(),
        delete("/api/v1/memories/{id}", "Forget it for good, with what was derived from it", change::forget)
            .takes_version(),
        post("/api/v1/memories/{id}/pin", "Keep it even when room is made, or no longer", change::pin),
        post("/api/v1/memories/{id}/supersede", "Another memory holds instead of it", change::supersede),
        get(
            "/api/v1/memories/{id}/history",
            "Who was shown it, when and why, newest first",
            history::history,
        ),
    ]
}

/// A memory, and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MemoryWhole {
    #[serde(flatten)]
    memory: Memory,
    /// In how many conversations it was shown.
    injected: u64,
    /// In how many of them the agent named it.
    cited: u64,
}

impl MemoryWhole {
    fn of(house: &dyn House, row: MemoryRow) -> Result<Self, Problem> {
        let (injected, cited) = read(house, |tables| tables.count_uses(row.memory.id))?;
        Ok(Self { memory: row.into(), injected, cited })
    }

    /// As it is by now.
    fn again(house: &dyn House, id: MemoryId) -> Result<Given<Self>, Problem> {
        Self::of(house, named::memory(house, &id.to_string())?)?.given()
    }

    /// That it was shown meanwhile must not undo the work of somebody who edits it.
    fn given(self) -> Result<Given<Self>, Problem> {
        let core = core_of(&self.memory.words())?;
        Ok(Given::from(self).with_core(core))
    }
}

fn whole(house: &dyn House, asked: Asked<MemoryPath>) -> Result<Given<MemoryWhole>, Problem> {
    MemoryWhole::of(house, named::memory(house, &asked.path.id)?)?.given()
}
