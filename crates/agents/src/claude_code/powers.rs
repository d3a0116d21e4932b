//! Which answers the client takes on which event, and which events are worth asking for.
//! A table, not a policy: what is worth saying is decided elsewhere.

#[allow(clippy::enum_glob_use, reason = "a table of every kind")]
use model::EventKind::{self, *};

use crate::{Powers, Verdicts};

/// Every event but four, whose mere registration changes what the client does or costs:
/// `WorktreeCreate` and `WorktreeRemove` replace the client's own git worktree code, so a silent hook there
/// breaks worktrees; `MessageDisplay` starts a process for every text the assistant shows; `FileChanged`
/// takes its matcher as the list of files the client is to watch, and we have none to name.
pub(super) const REGISTERED: &[EventKind] = &[
    SessionStart,
    Setup,
    InstructionsLoaded,
    UserPromptSubmit,
    UserPromptExpansion,
    PreToolUse,
    PermissionRequest,
    PermissionDenied,
    PostToolUse,
    PostToolUseFailure,
    PostToolBatch,
    Notification,
    SubagentStart,
    SubagentStop,
    TaskCreated,
    TaskCompleted,
    Stop,
    StopFailure,
    TeammateIdle,
    PreCompact,
    PostCompact,
    PreModelSwitch,
    PostModelSwitch,
    ConfigChange,
    CwdChanged,
    DirectoryAdded,
    Elicitation,
    ElicitationResult,
    SessionEnd,
];

pub(super) fn powers(kind: EventKind) -> Powers {
    // `systemMessage` is common to all events whose output is read as JSON.
    let told = Powers { tell: true, ..Powers::default() };
    match kind {
        // Of a prompt that is held the model hears nothing; the person reads why.
        UserPromptSubmit => Powers { say: true, hold: true, ..told },
        SessionStart | Setup | UserPromptExpansion | PostToolUse | PostToolUseFailure | PostToolBatch
        | SubagentStart | PostModelSwitch => Powers { say: true, ..told },
        PreToolUse => Powers { say: true, verdict: Verdicts::ALL, ..told },
        // The question is already being asked: asking is silence.
        PermissionRequest => Powers { verdict: Verdicts { ask: false, ..Verdicts::ALL }, ..told },
        PreModelSwitch => Powers { verdict: Verdicts::ALL, ..told },
        // The client takes context here, too, but makes the turn go on for it, again and again up to its
        // cap. Going on is a hold and has to be asked for as one.
        Stop | SubagentStop => Powers { hold: true, ..told },
        PreCompact => Powers { instruct: true, ..told },
        InstructionsLoaded | PermissionDenied | Notification | TaskCreated | TaskCompleted | TeammateIdle
        | ConfigChange | CwdChanged | FileChanged | DirectoryAdded | Elicitation | ElicitationResult => told,
        // Output is ignored (StopFailure, PostCompact, SessionEnd after the screen is gone), is a path
        // (worktrees) or replaces what the person reads (MessageDisplay); unknown events get silence.
        StopFailure | PostCompact | SessionEnd | MessageDisplay | WorktreeCreate | WorktreeRemove | Other => {
            Powers::default()
        }
    }
}
