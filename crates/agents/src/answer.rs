//! The answer that Claude Code made and others took over: JSON on stdout and exit 0, always. Exit 2 would show our
//! command line to the model, and an answer of the wrong shape would be dropped whole, so every shape is a type here.
//! What may be answered at all, and how long a value may be, is each agent's own.

use model::{Advice, Event, EventKind, Reply, Verdict};
use serde::Serialize;

use crate::Powers;

/// Texts of one value, joined and kept under the agent's limit.
pub(crate) type Join = fn(&[&str]) -> String;

pub(crate) fn answer(event: &Event, advice: &Advice, powers: Powers, join: Join) -> Reply {
    let text = |parts: &[&str]| text(parts, join);
    let notes: Vec<&str> = advice.notes.iter().map(|note| note.text.as_str()).collect();
    let hold = advice.hold.as_deref().filter(|_| powers.hold).and_then(|reason| text(&[reason]));
    let answer = Answer {
        decision: hold.is_some().then_some("block"),
        reason: hold,
        system_message: powers.tell.then(|| text(&[&advice.tells.join("\n")])).flatten(),
        hook_specific_output: Specific {
            hook_event_name: event.kind.name(),
            verdict: advice.verdict.as_ref().and_then(|verdict| powers.verdict.weaken(verdict)).map(
                |verdict| match event.kind {
                    EventKind::PermissionRequest => {
                        Decided::Request { decision: Behavior::of(verdict, join) }
                    }
                    _ => Decided::Permission(Permission::of(verdict, join)),
                },
            ),
            additional_context: powers.say.then(|| text(&notes)).flatten(),
        }
        .if_any(),
    };
    if answer == Answer::default() {
        return Reply::silent();
    }
    let stdout = serde_json::to_vec(&answer).expect("strings and string keys always serialize");
    Reply { stdout, ..Reply::silent() }
}

/// One value of an answer. Blank: not worth sending.
pub(crate) fn text(parts: &[&str], join: Join) -> Option<String> {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.trim().is_empty()).collect();
    (!parts.is_empty()).then(|| join(&parts))
}

#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific {
    /// Must be the firing event's name, or the agent drops the answer.
    hook_event_name: &'static str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    verdict: Option<Decided>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
}

impl Specific {
    fn if_any(self) -> Option<Self> {
        (self.verdict.is_some() || self.additional_context.is_some()).then_some(self)
    }
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Decided {
    Permission(Permission),
    Request { decision: Behavior },
}

/// The answer to `PreToolUse` and `PreModelSwitch`.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Permission {
    permission_decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
}

impl Permission {
    fn of(verdict: Verdict, join: Join) -> Self {
        let (permission_decision, reason) = match verdict {
            Verdict::Allow { reason } => ("allow", reason),
            Verdict::Ask { reason } => ("ask", reason),
            Verdict::Deny { reason } => ("deny", reason),
        };
        Self { permission_decision, permission_decision_reason: text(&[&reason], join) }
    }
}

/// The answer to `PermissionRequest`. An allowed call takes no message.
#[derive(Debug, PartialEq, Serialize)]
struct Behavior {
    behavior: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl Behavior {
    fn of(verdict: Verdict, join: Join) -> Self {
        match verdict {
            Verdict::Allow { .. } => Self { behavior: "allow", message: None },
            Verdict::Ask { reason } | Verdict::Deny { reason } => {
                Self { behavior: "deny", message: text(&[&reason], join) }
            }
        }
    }
}
