//! Which answers Codex takes on which event, and which events are worth asking for. A table, not a policy.

#[allow(clippy::enum_glob_use, reason = "a table of every kind")]
use model::EventKind::{self, *};

use crate::{Powers, Verdicts};

/// All that Codex has but two: `PreModelRequest` starts a process for every request to the model and says nothing
/// that the others do not, and `Interrupt` has no counterpart in the house.
pub(super) const REGISTERED: &[EventKind] = &[
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PermissionRequest,
    PostToolUse,
    SubagentStart,
    SubagentStop,
    Stop,
    PreCompact,
    PostCompact,
    SessionEnd,
];

pub(super) fn powers(kind: EventKind) -> Powers {
    let told = Powers { tell: true, ..Powers::default() };
    match kind {
        SessionStart | UserPromptSubmit | PostToolUse | SubagentStart => Powers { say: true, ..told },
        // `allow` and `ask` are refused there, and what stands beside them in the answer is lost.
        PreToolUse => Powers { say: true, verdict: Verdicts { deny: true, ..Verdicts::NONE }, ..told },
        // The question is already being asked: asking is silence.
        PermissionRequest => Powers { verdict: Verdicts { ask: false, ..Verdicts::ALL }, ..told },
        Stop | SubagentStop => Powers { hold: true, ..told },
        // No instructions for the summary are taken. The session starts once more behind it, and is told then.
        PreCompact | PostCompact => told,
        _ => Powers::default(),
    }
}
