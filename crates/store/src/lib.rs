//! The journal and the only SQL. Nothing here knows what an event means: it keeps entries in the
//! order they were acknowledged and rows derived from them. HTTP, prompts and ranking live elsewhere.

pub mod archive;
mod code;
mod error;
pub mod journal;
pub mod shared;
mod sqlite;

pub use code::{CodeFacts, CodeFile, CodeKey, CodeShelf, CodeWorkspace};
pub use error::StoreError;
pub use journal::{Journal, Location, Receipt, Stored};
pub use sqlite::{
    ARCHIVE_DUE, Aside, Batch, CallRow, Card, Carried, ChangeRow, CheckpointPage, ClaimFilter, ClaimPlace,
    ClaimRow, ClaimSign, ClaudeMem, ClaudeMemError, ClaudeMemRow, ClaudeMemTable, Count, DayCount,
    EventCount, EventFilter, EventPage, EventPlace, EventRow, Filing, FixRow, Found, HandOffPage, HandOffRow,
    HeardAgent, InjectionPage, InjectionRow, InjectionStats, KeptMemory, LatencyRow, LineSpan, MemoryFilter,
    MemoryOrder, MemoryPage, MemoryPlace, MemoryRow, MemoryUse, MessageFilter, MessageRow, Moment,
    MomentCounts, MomentKey, Moments, Nameless, Neighbor, OUTBOX_CAP, OpenCodeSession, Order, OutcomeRow,
    OwnMemory, PatternFilter, PatternRow, PeerRow, PlacedInjection, ProjectCard, PromptPage, PromptRow, Put,
    Scored, Sender, Series, SeriesPoint, SessionCard, SessionFilter, SessionPage, SessionRow, SessionTouch,
    ShownRow, Span, StandingRow, Stats, StepRow, SubagentRow, SummaryCard, SummaryPage, SummaryRow, Tables,
    Terms, Tidings, Totals, Touch, TurnRow, Unembedded, UsePage, VerdictPage, VerdictRow, Waiting,
    WorkerCounts, WorkspaceCard, WorkspaceRow, any_of, move_aside, opencode_document, opencode_sessions,
    session_mark,
};
