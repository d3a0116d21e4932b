//! The journal and the only SQL. Nothing here knows what an event means: it keeps entries in the
//! order they were acknowledged and rows derived from them. HTTP, prompts and ranking live elsewhere.

pub mod archive;
mod error;
pub mod journal;
mod sqlite;

pub use error::StoreError;
pub use journal::{Journal, Location, Receipt, Stored};
pub use sqlite::{
    Card, Neighbor, Scored, Terms, Unembedded, any_of,
    ARCHIVE_DUE, Batch, Carried, ClaudeMem, ClaudeMemError, ClaudeMemRow, ClaudeMemTable, Count, DayCount,
    EventFilter, EventPlace, EventRow, Filing, MemoryFilter, MemoryRow, Order, PromptRow, Put, SessionFilter,
    SessionRow, SessionRows, SessionTouch, Stats, StepRow, SummaryRow, Tables, TurnRow, WorkspaceRow, move_aside, session_mark,
};
