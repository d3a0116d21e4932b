//! Which answers Gemini CLI takes on which event, and which events are worth asking for. A table, not a policy.

#[allow(clippy::enum_glob_use, reason = "a table of every kind")]
use model::EventKind::{self, *};

use crate::{Powers, Verdicts};

/// Of the eleven events that there are, four are left out. `BeforeModel`, `AfterModel` and `BeforeToolSelection`
/// start a process for every request or piece of an answer and carry the whole conversation. `PreCompress` fires
/// before every request, too, long before anything is compressed: it would be a compaction that never happens.
pub(super) const REGISTERED: &[EventKind] =
    &[SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop, Notification, SessionEnd];

/// What Gemini CLI calls an event that we are registered for.
pub(super) fn own_name(kind: EventKind) -> &'static str {
    match kind {
        UserPromptSubmit => "BeforeAgent",
        PreToolUse => "BeforeTool",
        PostToolUse => "AfterTool",
        Stop => "AfterAgent",
        PreCompact => "PreCompress",
        other => other.name(),
    }
}

pub(super) fn kind(name: &str) -> EventKind {
    let own = [UserPromptSubmit, PreToolUse, PostToolUse, Stop, PreCompact];
    own.into_iter().find(|kind| own_name(*kind) == name).unwrap_or_else(|| EventKind::from_name(name))
}

pub(super) fn powers(kind: EventKind) -> Powers {
    let told = Powers { tell: true, ..Powers::default() };
    match kind {
        SessionStart | UserPromptSubmit | PostToolUse | PostToolUseFailure => Powers { say: true, ..told },
        // `allow` is no permission there, only the absence of a refusal.
        PreToolUse => Powers { verdict: Verdicts { allow: false, ..Verdicts::ALL }, ..told },
        Stop => Powers { hold: true, ..told },
        Notification | PreCompact => told,
        // Nobody waits for an answer to SessionEnd.
        _ => Powers::default(),
    }
}
