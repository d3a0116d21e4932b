//! Advice to Gemini CLI's answer: the decision at the top level, notes below `hookSpecificOutput`.

use model::{Advice, Detail, Event, EventKind, Outcome, Reply, Verdict};
use serde::Serialize;

use super::powers::{own_name, powers};
use super::read::HELD;
use crate::answer::text;
use crate::clip;

/// Gemini CLI has no limit of its own. What one answer may cost of a model's window is the same as elsewhere.
const MAX_VALUE: usize = 10_000;

pub(super) fn write(event: &Event, advice: &Advice) -> Reply {
    let powers = powers(event.kind);
    let join = |parts: &[&str]| clip::join(parts, MAX_VALUE);
    let notes: Vec<&str> = advice.notes.iter().map(|note| note.text.as_str()).collect();
    let held = matches!(event.detail, Detail::Stop { again: true, .. });
    let hold = advice.hold.as_deref().filter(|_| powers.hold && !held);
    let (decision, reason) = match (advice.verdict.as_ref().and_then(|it| powers.verdict.weaken(it)), hold) {
        (Some(Verdict::Deny { reason }), _) => (Some("deny"), Some(reason)),
        (Some(Verdict::Ask { reason }), _) => (Some("ask"), Some(reason)),
        (_, Some(reason)) if !reason.trim().is_empty() => (Some("block"), Some(format!("{HELD}{reason}"))),
        _ => (None, None),
    };
    let mut tells = advice.tells.clone();
    // A question shows the person what they are told, not its reason.
    if decision == Some("ask") {
        tells.extend(reason.clone());
    }
    let answer = Answer {
        decision,
        reason: reason.and_then(|reason| text(&[&reason], join)),
        system_message: powers.tell.then(|| text(&[&tells.join("\n")], join)).flatten(),
        hook_specific_output: text(&notes, join)
            .filter(|_| powers.say && is_heard(event))
            .map(|additional_context| Specific { hook_event_name: own_name(event.kind), additional_context }),
    };
    if answer == Answer::default() {
        return Reply::silent();
    }
    let stdout = serde_json::to_vec(&answer).expect("strings and string keys always serialize");
    Reply { stdout, ..Reply::silent() }
}

/// A command that failed is a result like others; of another tool's failure only the error is passed on.
fn is_heard(event: &Event) -> bool {
    match &event.detail {
        Detail::Tool(call) if event.kind == EventKind::PostToolUseFailure => {
            call.name == "Bash" && matches!(call.outcome, Outcome::Failed { .. })
        }
        _ => true,
    }
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
    hook_event_name: &'static str,
    additional_context: String,
}
