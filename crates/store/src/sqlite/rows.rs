//! The rows as readers see them: plain values that serialize, so that `--json` prints what is stored.

use model::{EventId, MemoryKind, Millis, SessionId, WorkspaceKey};
use serde::{Serialize, Serializer};

use crate::Location;

pub(super) const DAY_MS: u64 = 24 * 60 * 60 * 1000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkspaceRow {
    pub key: WorkspaceKey,
    pub root: String,
    pub project: Option<String>,
    pub first_seen_at: Millis,
    pub last_seen_at: Millis,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionRow {
    pub id: SessionId,
    pub agent: String,
    pub workspace: Option<WorkspaceKey>,
    pub project: Option<String>,
    pub branch: Option<String>,
    pub cwd: Option<String>,
    pub source: Option<String>,
    pub model: Option<String>,
    pub started_at: Millis,
    pub last_seen_at: Millis,
    pub ended_at: Option<Millis>,
    pub end_reason: Option<String>,
    pub prompts: u64,
    pub events: u64,
    pub tools: u64,
    /// Whether a person was at the terminal, where the agent says so.
    pub attended: Option<bool>,
    pub pid: Option<u32>,
    pub transcript: Option<String>,
    /// The beginning of the process of this id, where the system tells it: ids are used again.
    #[serde(skip)]
    pub pid_began: Option<String>,
    /// The same for all worktrees of one repository.
    #[serde(skip)]
    pub project_key: Option<String>,
}

/// What one event told about its session. `None` is "not said" and never erases what is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionTouch {
    pub id: SessionId,
    pub agent: String,
    pub at: Millis,
    pub workspace: Option<WorkspaceKey>,
    pub project: Option<String>,
    pub branch: Option<String>,
    pub cwd: Option<String>,
    pub source: Option<String>,
    pub model: Option<String>,
    pub attended: Option<bool>,
    /// The process, and its beginning where the system tells it.
    pub pid: Option<u32>,
    pub pid_began: Option<String>,
    pub project_key: Option<String>,
    pub transcript: Option<String>,
    /// From the session's own hooks, not from its transcript afterwards.
    pub heard: bool,
}

impl SessionTouch {
    pub fn new(id: SessionId, agent: &str, at: Millis) -> Self {
        Self {
            id,
            agent: agent.to_owned(),
            at,
            workspace: None,
            project: None,
            branch: None,
            cwd: None,
            source: None,
            model: None,
            attended: None,
            pid: None,
            pid_began: None,
            project_key: None,
            transcript: None,
            heard: true,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptRow {
    #[serde(serialize_with = "as_text")]
    pub id: EventId,
    pub session: SessionId,
    /// Counts from 1 within the session.
    pub number: u64,
    pub at: Millis,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EventRow {
    pub seq: u64,
    #[serde(serialize_with = "as_text")]
    pub id: EventId,
    pub at: Millis,
    pub agent: String,
    pub session: SessionId,
    pub kind: String,
    pub tool: Option<String>,
    pub subagent: Option<String>,
    /// Size of the envelope.
    pub bytes: u64,
    #[serde(flatten)]
    pub location: Location,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFilter {
    pub workspace: Option<WorkspaceKey>,
    pub project: Option<String>,
    pub agent: Option<String>,
    /// Seen at or after this time.
    pub since: Option<Millis>,
    /// Only those that have not ended.
    pub live: bool,
    /// 0 is no limit.
    pub limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    #[default]
    NewestFirst,
    OldestFirst,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventFilter {
    pub session: Option<SessionId>,
    pub kind: Option<String>,
    pub tool: Option<String>,
    /// Only events with a larger sequence number.
    pub after: Option<u64>,
    pub order: Order,
    /// 0 is no limit.
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryFilter {
    /// The project's name, or its key.
    pub project: Option<String>,
    /// Empty is every kind.
    pub kinds: Vec<MemoryKind>,
    /// Read or modified; the whole path or the end of it.
    pub file: Option<String>,
    pub tool: Option<String>,
    pub session: Option<SessionId>,
    pub branch: Option<String>,
    pub since: Option<Millis>,
    pub until: Option<Millis>,
    /// 0 is no limit.
    pub limit: usize,
}

/// A name and how often it was seen, most frequent first (days: newest first).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    pub name: String,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DayCount {
    /// Days since 1970-01-01, in UTC.
    pub day: u64,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Stats {
    pub workspaces: u64,
    pub sessions: u64,
    pub prompts: u64,
    pub events: u64,
    pub memories: u64,
    /// Sum of the envelopes' sizes.
    pub bytes: u64,
    pub first_at: Option<Millis>,
    pub last_at: Option<Millis>,
    pub by_kind: Vec<Count>,
    pub by_tool: Vec<Count>,
    pub by_day: Vec<DayCount>,
    pub redactions: Vec<Count>,
    pub memories_by_kind: Vec<Count>,
    pub memories_by_day: Vec<DayCount>,
    /// What the memories cost to read, and what the work they stand for cost.
    pub memory_tokens: u64,
    pub raw_tokens: u64,
}

/// An id is bytes inside and text outside.
fn as_text<S: Serializer>(id: &EventId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}
