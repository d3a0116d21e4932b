//! Which events Cursor fires under which name, which answers it takes, and which events are worth asking for.
//! A table, not a policy: what is worth saying is decided elsewhere.

#[allow(clippy::enum_glob_use, reason = "a table of every kind")]
use model::EventKind::{self, *};

use crate::{Powers, Verdicts};

/// What happens to a tool is told by the generic events: those of shells, files and servers would tell it again.
/// Each piece of an answer and each thought would start a process for nothing that we use.
pub(super) const REGISTERED: &[EventKind] = &[
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    SubagentStart,
    SubagentStop,
    Stop,
    PreCompact,
    SessionEnd,
];

/// Cursor's own name of an event.
pub(super) const fn name(kind: EventKind) -> &'static str {
    match kind {
        SessionStart => "sessionStart",
        UserPromptSubmit => "beforeSubmitPrompt",
        PreToolUse => "preToolUse",
        PostToolUse => "postToolUse",
        PostToolUseFailure => "postToolUseFailure",
        SubagentStart => "subagentStart",
        SubagentStop => "subagentStop",
        Stop => "stop",
        PreCompact => "preCompact",
        SessionEnd => "sessionEnd",
        other => other.name(),
    }
}

/// Both its own names and those of the house.
pub(super) fn kind(said: &str) -> EventKind {
    REGISTERED.iter().copied().find(|kind| name(*kind) == said).unwrap_or_else(|| EventKind::from_name(said))
}

pub(super) fn powers(kind: EventKind) -> Powers {
    match kind {
        SessionStart | UserPromptSubmit | PostToolUse | PostToolUseFailure => {
            Powers { say: true, ..Powers::default() }
        }
        PreToolUse => Powers { say: true, verdict: Verdicts::ALL, ..Powers::default() },
        Stop | SubagentStop => Powers { hold: true, ..Powers::default() },
        // A compaction shows a message and takes no instructions.
        PreCompact => Powers { tell: true, ..Powers::default() },
        _ => Powers::default(),
    }
}
