//! What would be said to an agent at such an event, and why: the same behaviors, the same surroundings, the same
//! bytes. Nothing is journaled and nothing counts as said.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{fence, merge};
use model::{Advice, Envelope, Note, estimate_tokens};
use serde_json::{Value, json};

use crate::intake::{Intake, now};
use crate::lender::Preview;

/// Nobody's agent waits, but a person does.
const PATIENCE: Duration = Duration::from_secs(10);

/// `question` has the fields of an envelope (`hook_event_name`, `prompt`, `cwd`, …) under `envelope`.
pub(crate) fn context(intake: &Intake, question: &Value) -> Value {
    let Some(lender) = intake.lender() else { return json!({ "error": "the daemon is still starting" }) };
    let envelope = Envelope {
        id: client::mint(),
        at: now(),
        agent: agents::ALL[0].name().to_owned(),
        hint: None,
        context: model::Context::new(),
        body: question["envelope"].to_string().into_bytes(),
    };
    let nonce = crate::intake::nonce(envelope.id.as_bytes());
    let seen = intake.see_only(envelope);
    let cx = engine::Context {
        config: Arc::clone(&seen.config),
        now: seen.entry.at,
        until: Instant::now() + PATIENCE,
        workspace: seen.workspace.clone(),
        around: Arc::new(Preview(Arc::clone(lender))),
    };
    let mut parts = Vec::new();
    let mut behaviors = Vec::new();
    for behavior in engine::hearers(&cx.config, seen.event.kind) {
        if !behavior.speaks_on(seen.event.kind) {
            continue;
        }
        let began = Instant::now();
        let (advice, trouble) = match catch_unwind(AssertUnwindSafe(|| behavior.advise(&cx, &seen.event))) {
            Ok(Ok(advice)) => (advice, None),
            Ok(Err(error)) => (Advice::silent(), Some(error.to_string())),
            Err(_) => (Advice::silent(), Some("it panicked".to_owned())),
        };
        let said = advice.notes.iter().map(|note| estimate_tokens(&note.text)).sum::<u32>();
        behaviors.push(json!({
            "name": behavior.name(),
            "tokens": said,
            "silent": advice.is_silent(),
            "micros": began.elapsed().as_micros() as u64,
            "trouble": trouble,
        }));
        parts.push(advice);
    }
    let mut advice = merge(parts);
    let notes: Vec<Value> = advice.notes.iter().map(note).collect();
    let items: Vec<Value> = advice.notes.iter().flat_map(items).collect();
    for note in &mut advice.notes {
        note.text = fence(note.from, nonce, &note.text);
    }
    let delivered = seen.adapter.write(&seen.event, &advice);
    json!({
        "event": seen.event.name,
        "project": seen.workspace.as_ref().map(|at| &at.project),
        "tokens": notes.iter().filter_map(|note| note["tokens"].as_u64()).sum::<u64>(),
        "items": items,
        "notes": notes,
        "tells": advice.tells,
        "instructions": advice.instructions,
        "text": advice.notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>().join("\n\n"),
        "delivered": String::from_utf8_lossy(&delivered.stdout),
        "behaviors": behaviors,
    })
}

fn note(note: &Note) -> Value {
    json!({ "from": note.from, "tokens": estimate_tokens(&note.text), "text": note.text, "items": note.items })
}

fn items(note: &Note) -> impl Iterator<Item = Value> + '_ {
    note.items.iter().map(|item| {
        json!({
            "id": item.memory,
            "from": note.from,
            "part": item.part,
            "title": item.title,
            "tokens": item.tokens,
            "why": item.why,
        })
    })
}
