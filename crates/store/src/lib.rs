//! The journal and the only SQL. Nothing here knows what an event means: it keeps entries in the
//! order they were acknowledged and rows derived from them. HTTP, prompts and ranking live elsewhere.

pub mod archive;
mod error;
pub mod journal;
mod sqlite;

pub use error::StoreError;
pub use journal::{Journal, Location, Receipt, Stored};
pub use sqlite::{
    ARCHIVE_DUE, Batch, Card, Carried, ClaimFilter, ClaimRow, ClaudeMem, ClaudeMemError, ClaudeMemRow,
    ClaudeMemTable, Count, DayCount, EventFilter, EventPlace, EventRow, Filing, Found, HandOffRow,
    InjectionRow, InjectionStats, LatencyRow, MemoryFilter, MemoryRow, Neighbor, Order, OutcomeRow,
    PromptPage, PromptRow, Put, Scored, SessionCard, SessionFilter, SessionPage, SessionRow, SessionTouch,
    ShownRow, StandingRow, Stats, StepRow, SummaryRow, Tables, Terms, TurnRow, Unembedded, VerdictPage,
    VerdictRow, WorkspaceRow, any_of, move_aside, session_mark,
};
