//! Advice to Cursor's answer: one flat JSON object on stdout and exit 0, always.

use model::{Advice, Event, Reply, Verdict};
use serde::Serialize;

use super::powers::powers;
use crate::answer;
use crate::clip;

/// Cursor drops the context of all hooks together where it is longer than 10,000 characters. We are not alone.
const MAX_VALUE: usize = 8_000;

/// The reason of a hold becomes the person's next message. This is how we know it again.
pub(super) const HELD: &str = "The turn goes on: ";

pub(super) fn write(event: &Event, advice: &Advice) -> Reply {
    let powers = powers(event.kind);
    let notes: Vec<&str> = advice.notes.iter().map(|note| note.text.as_str()).collect();
    let hold = advice.hold.as_deref().filter(|_| powers.hold).and_then(|reason| text(&[reason]));
    let verdict = advice.verdict.as_ref().and_then(|verdict| powers.verdict.weaken(verdict));
    let (permission, reason) = match verdict {
        Some(Verdict::Allow { .. }) => (Some("allow"), None),
        Some(Verdict::Ask { reason }) => (Some("ask"), text(&[&reason])),
        Some(Verdict::Deny { reason }) => (Some("deny"), text(&[&reason])),
        None => (None, None),
    };
    let told = powers.tell.then(|| text(&[&advice.tells.join("\n")])).flatten();
    let answer = Answer {
        permission,
        // One is for the person, the other for the model; a refusal is worth knowing for both.
        user_message: reason.clone().or(told),
        agent_message: reason,
        additional_context: powers.say.then(|| text(&notes)).flatten(),
        followup_message: hold.map(|reason| format!("{HELD}{reason}")),
    };
    if answer == Answer::default() {
        return Reply::silent();
    }
    let stdout = serde_json::to_vec(&answer).expect("strings and string keys always serialize");
    Reply { stdout, ..Reply::silent() }
}

#[derive(Debug, Default, PartialEq, Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followup_message: Option<String>,
}

fn text(parts: &[&str]) -> Option<String> {
    answer::text(parts, |parts| clip::join(parts, MAX_VALUE))
}
