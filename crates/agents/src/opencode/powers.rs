//! Which events the shim sends, and what it can do with an answer.
//! A table, not a policy: what is worth saying is decided elsewhere.

#[allow(clippy::enum_glob_use, reason = "a table of every kind")]
use model::EventKind::{self, *};

use crate::{Powers, Verdicts};

/// What the shim sends, in the order it happens.
pub(super) const REGISTERED: &[EventKind] = &[
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    SubagentStart,
    SubagentStop,
    Stop,
    StopFailure,
    PreCompact,
    SessionEnd,
];

/// A plugin can refuse a call by throwing; it cannot ask the person, and hears of the end of a turn when it is over. What
/// is said before a call is seen with its result, and what is said of a failed one with what the model reads next.
pub(super) fn powers(kind: EventKind) -> Powers {
    match kind {
        SessionStart | SubagentStart | UserPromptSubmit | PostToolUse | PostToolUseFailure => {
            Powers { say: true, ..Powers::default() }
        }
        PreToolUse => {
            Powers { say: true, verdict: Verdicts { deny: true, ..Verdicts::NONE }, ..Powers::default() }
        }
        PreCompact => Powers { instruct: true, ..Powers::default() },
        _ => Powers::default(),
    }
}
