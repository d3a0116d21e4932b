//! The nouns of throughline. Nothing here touches a file, a clock, the environment or a runtime;
//! if you need one of those you are in the wrong room.

mod advice;
mod costs;
mod deed;
mod entry;
mod envelope;
mod event;
mod ids;
mod memory;
mod recall;
mod reply;

pub use advice::{Advice, Note, Verdict};
pub use costs::{BehaviorCost, Costs, HookCost, SPREAD, Spread, Windows, place_of, quantile};
pub use deed::{Deed, OURSELVES, Ruling};
pub use entry::Entry;
pub use envelope::{Context, Envelope};
pub use event::{Author, Detail, Event, EventKind, Outcome, StartSource, Subagent, ToolCall};
pub use ids::{EventId, NotAnId, SessionId, WorkspaceKey};
pub use memory::{
    Learning, LearningKind, Memory, MemoryId, MemoryKind, Observation, Provenance, Summary, Urgency,
    estimate_tokens,
};
pub use recall::{Checkpoint, Fill, HandOff, Injection, Item, Said, SessionOutcome, Speaker, Tail, Told};
pub use reply::Reply;

/// Unix time in milliseconds. Never negative: a clock before 1970 reads as 0.
pub type Millis = u64;
