//! Advice to what the shim understands: `context` for the model, `deny` with a reason. Exit 0, always.

use model::{Advice, Event, Reply, Verdict};
use serde::Serialize;

use super::powers::powers;
use crate::answer;
use crate::clip;

/// OpenCode has no limit of its own; this is the one of the agents that have. In characters.
const MAX_VALUE: usize = 10_000;

pub(super) fn write(event: &Event, advice: &Advice) -> Reply {
    let powers = powers(event.kind);
    let notes: Vec<&str> = advice.notes.iter().map(|note| note.text.as_str()).collect();
    let instructions = advice.instructions.as_deref().unwrap_or_default();
    let deny = match advice.verdict.as_ref().and_then(|verdict| powers.verdict.weaken(verdict)) {
        // An empty one would be no refusal to the shim.
        Some(Verdict::Deny { reason }) => text(&[&reason]).or_else(|| Some("refused".to_owned())),
        _ => None,
    };
    let answer = Answer {
        deny,
        context: if powers.say {
            text(&notes)
        } else if powers.instruct {
            text(&[instructions])
        } else {
            None
        },
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
    deny: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
}

fn text(parts: &[&str]) -> Option<String> {
    answer::text(parts, |parts| clip::join(parts, MAX_VALUE))
}
