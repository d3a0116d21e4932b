//! The journal and the only SQL. Nothing here knows what an event means: it keeps entries in the
//! order they were acknowledged and rows derived from them. HTTP, prompts and ranking live elsewhere.

pub mod archive;
mod error;
pub mod journal;
mod sqlite;

pub use error::StoreError;
pub use journal::{Journal, Location, Receipt, Stored};
pub use sqlite::{
    ARCHIVE_DUE, Batch, Card, Carried, CheckpointPage, ClaimFilter, ClaimRow, ClaudeMem, ClaudeMemError,
    ClaudeMemRow, ClaudeMemTable, Count, DayCount, EventCount, EventFilter, EventPage, EventPlace, EventRow,
    Filing, Found, HandOffPage, HandOffRow, HeardAgent, InjectionPage, InjectionRow, InjectionStats,
    KeptMemory, LatencyRow, MemoryFilter, MemoryOrder, MemoryPage, MemoryPlace, MemoryRow, MemoryUse, Moment,
    MomentCounts, MomentKey, Moments, Neighbor, Order, OutcomeRow, PlacedInjection, ProjectCard, PromptPage,
    PromptRow, Put, Scored, Series, SeriesPoint, SessionCard, SessionFilter, SessionPage, SessionRow,
    SessionTouch, ShownRow, Span, StandingRow, Stats, StepRow, SummaryCard, SummaryPage, SummaryRow, Tables,
    Terms, Totals, Touch, TurnRow, Unembedded, UsePage, VerdictPage, VerdictRow, WorkerCounts, WorkspaceCard,
    WorkspaceRow, any_of, move_aside, session_mark,
};
