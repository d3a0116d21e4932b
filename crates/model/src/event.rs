//! What an agent did, in our words. Unknown is a value, not an error.

use serde_json::Value;

use crate::{Context, EventId, Millis, SessionId};

#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub id: EventId,
    pub at: Millis,
    /// The adapter's name, for example `claude-code`.
    pub agent: &'static str,
    pub session: SessionId,
    pub kind: EventKind,
    /// The event's name as the agent sent it.
    pub name: String,
    pub cwd: Option<String>,
    pub transcript: Option<String>,
    /// Groups the events of one prompt, where the agent says so.
    pub prompt_id: Option<String>,
    pub permission_mode: Option<String>,
    /// The subagent it happened in; `None` on the main thread.
    pub subagent: Option<Subagent>,
    pub context: Context,
    pub detail: Detail,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    pub id: String,
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Detail {
    /// Nothing beyond the common fields, or nothing we understand.
    Plain,
    Start {
        source: StartSource,
        model: Option<String>,
    },
    Prompt {
        text: String,
        author: Author,
    },
    Tool(ToolCall),
    /// The calls of a batch that failed. Of a call that was never begun, as an edit whose text is not in the file, no
    /// other event tells.
    Batch {
        failed: Vec<ToolCall>,
    },
    /// Stop and SubagentStop. `again` is the agent's own guard against endless holding.
    Stop {
        again: bool,
        last_message: Option<String>,
    },
    /// The turn ended by an error instead of a Stop.
    StopFailure {
        error: String,
    },
    Notification {
        kind: String,
        title: Option<String>,
        message: String,
    },
    /// Before: the person's instructions. After: the summary.
    Compaction {
        trigger: String,
        text: Option<String>,
    },
    End {
        reason: String,
    },
    /// A file or folder the event is about (InstructionsLoaded, FileChanged, CwdChanged, worktrees, …).
    Path {
        path: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartSource {
    Startup,
    Resume,
    Clear,
    Compact,
    Fork,
    Other,
}

impl StartSource {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Fork => "fork",
            Self::Other => "other",
        }
    }
}

/// Who wrote a prompt. A finished background task arrives as a prompt, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    Person,
    Machine,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    pub name: String,
    pub use_id: Option<String>,
    pub input: Value,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Before the call, or while permission is asked.
    Pending,
    Succeeded {
        response: Value,
        duration_ms: Option<u64>,
    },
    Failed {
        error: String,
        interrupted: bool,
        duration_ms: Option<u64>,
    },
    /// Refused by the agent's own policy.
    Denied {
        reason: String,
    },
}

macro_rules! event_kinds {
    ($($kind:ident),+ $(,)?) => {
        /// The events of the agents we know, named as Claude Code names them; other dialects are mapped onto these.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EventKind {
            $($kind,)+
            /// Recorded and answered with silence.
            Other,
        }

        impl EventKind {
            pub const ALL: &[EventKind] = &[$(EventKind::$kind),+];

            pub fn from_name(name: &str) -> Self {
                match name {
                    $(stringify!($kind) => Self::$kind,)+
                    _ => Self::Other,
                }
            }

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($kind),)+
                    Self::Other => "Other",
                }
            }
        }
    };
}

event_kinds! {
    SessionStart, Setup, InstructionsLoaded, UserPromptSubmit, UserPromptExpansion, PreToolUse,
    PermissionRequest, PermissionDenied, PostToolUse, PostToolUseFailure, PostToolBatch, MessageDisplay,
    Notification, SubagentStart, SubagentStop, TaskCreated, TaskCompleted, Stop, StopFailure, TeammateIdle,
    PreCompact, PostCompact, PreModelSwitch, PostModelSwitch, ConfigChange, CwdChanged, FileChanged,
    DirectoryAdded, WorktreeCreate, WorktreeRemove, Elicitation, ElicitationResult, SessionEnd,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_back_from_its_name() {
        assert_eq!(EventKind::ALL.len(), 33);
        for kind in EventKind::ALL {
            assert_eq!(EventKind::from_name(kind.name()), *kind);
        }
        assert_eq!(EventKind::from_name("SomethingNew"), EventKind::Other);
    }
}
