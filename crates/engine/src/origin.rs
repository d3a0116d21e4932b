//! Whose words a memory holds. Only what a person said, what the workspace's own files say and what an agent did
//! itself is put in front of an agent unasked; what came from the web, from another program's tool, from a
//! dependency or from another agent is found by asking, as quoted data.

use model::{Memory, MemoryKind};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A person said it, wrote it or brought it in.
    Person,
    /// An agent's own work in the workspace.
    Work,
    /// Somebody else's words.
    Outside,
}

impl Origin {
    /// Whether it may be said unasked.
    pub const fn is_trusted(self) -> bool {
        !matches!(self, Self::Outside)
    }
}

pub fn origin(memory: &Memory) -> Origin {
    use MemoryKind::{Document, Note, Prompt};
    if matches!(memory.kind, Note | Prompt | Document) || memory.provenance.by == "person" {
        return Origin::Person;
    }
    Origin::Work
}
