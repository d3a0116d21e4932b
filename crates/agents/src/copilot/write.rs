//! Advice to the client's answer: one flat JSON object on stdout and exit 0, always.

use model::{Advice, Event, Reply, Verdict};
use serde::Serialize;

use super::powers::powers;
use crate::answer;
use crate::clip;

/// A tool's result is cut behind 10,000 characters, ours included; elsewhere far more passes. One limit for all.
const MAX_VALUE: usize = 9_000;

/// The client gives the reason of a hold back as a prompt. This is how we know it again.
pub(super) const HELD: &str = "The turn goes on: ";

pub(super) fn write(event: &Event, advice: &Advice) -> Reply {
    let powers = powers(event.kind);
    let notes: Vec<&str> = advice.notes.iter().map(|note| note.text.as_str()).collect();
    let hold = advice.hold.as_deref().filter(|_| powers.hold).and_then(|reason| text(&[reason]));
    let verdict = advice.verdict.as_ref().and_then(|verdict| powers.verdict.weaken(verdict));
    let (permission_decision, reason) = match verdict {
        Some(Verdict::Allow { reason }) => (Some("allow"), reason),
        Some(Verdict::Ask { reason }) => (Some("ask"), reason),
        Some(Verdict::Deny { reason }) => (Some("deny"), reason),
        None => (None, String::new()),
    };
    let answer = Answer {
        decision: hold.is_some().then_some("block"),
        reason: hold.map(|reason| format!("{HELD}{reason}")),
        permission_decision,
        permission_decision_reason: text(&[&reason]),
        additional_context: powers.say.then(|| text(&notes)).flatten(),
    };
    if answer == Answer::default() {
        return Reply::silent();
    }
    let stdout = serde_json::to_vec(&answer).expect("strings and string keys always serialize");
    Reply { stdout, ..Reply::silent() }
}

#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
}

fn text(parts: &[&str]) -> Option<String> {
    answer::text(parts, |parts| clip::join(parts, MAX_VALUE))
}
