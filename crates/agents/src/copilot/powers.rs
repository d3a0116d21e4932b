//! Which answers the client takes on which event, and which events are worth asking for.
//! A table, not a policy: what is worth saying is decided elsewhere.

#[allow(clippy::enum_glob_use, reason = "a table of every kind")]
use model::EventKind::{self, *};

use crate::{Powers, Verdicts};

/// All that it fires but three. `PermissionRequest` repeats what `PreToolUse` said, also where nobody is asked,
/// `ErrorOccurred` tells of attempts that are going to be made again, and `Notification` of what others tell.
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

/// Nothing that a hook says reaches the person, and a compaction is announced only.
pub(super) fn powers(kind: EventKind) -> Powers {
    match kind {
        SessionStart | UserPromptSubmit | PostToolUse | PostToolUseFailure | SubagentStart => {
            Powers { say: true, ..Powers::default() }
        }
        PreToolUse => Powers { say: true, verdict: Verdicts::ALL, ..Powers::default() },
        Stop | SubagentStop => Powers { hold: true, ..Powers::default() },
        _ => Powers::default(),
    }
}
