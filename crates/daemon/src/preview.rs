//! What would be said to an agent at such an event, and why: the same behaviors, the same surroundings, the same
//! bytes. Nothing is journaled and nothing counts as said.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Context, fence, merge};
use model::{Advice, Envelope, Event, Note, estimate_tokens};
use serde_json::{Value, json};

use crate::intake::{Intake, now};
use crate::lender::Preview;

/// Nobody's agent waits, but a person does.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

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
        around: Arc::new(Preview::new(lender)),
    };
    let mut parts = ask_each(&cx, &seen.event, None);
    parts.retain(|part| part.speaks);
    let behaviors: Vec<Value> = parts
        .iter()
        .map(|part| {
            json!({
                "name": part.name,
                "tokens": part.advice.notes.iter().map(|note| estimate_tokens(&note.text)).sum::<u32>(),
                "silent": part.advice.is_silent(),
                "micros": part.took.as_micros() as u64,
                "trouble": part.trouble,
            })
        })
        .collect();
    let mut advice = merge(parts.into_iter().map(|part| part.advice));
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

/// What one behavior made of an event.
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// Whether it may speak on such an event; else it was not asked.
    pub(crate) speaks: bool,
    pub(crate) advice: Advice,
    pub(crate) trouble: Option<String>,
    pub(crate) took: Duration,
}

/// Asks everybody who hears the event, or the one that is named, one after the other: each has its own time.
pub(crate) fn ask_each(cx: &Context, event: &Event, only: Option<&str>) -> Vec<Part> {
    let hearers = engine::hearers(&cx.config, event.kind);
    let asked = hearers.filter(|behavior| only.is_none_or(|only| only == behavior.name()));
    let ask = |behavior: &dyn engine::Behavior| {
        let (speaks, began) = (behavior.speaks_on(event.kind), Instant::now());
        let answer = speaks.then(|| catch_unwind(AssertUnwindSafe(|| engine::advise(behavior, cx, event))));
        let (advice, trouble) = match answer {
            None => (Advice::silent(), None),
            Some(Ok(Ok(advice))) => (advice, None),
            Some(Ok(Err(error))) => (Advice::silent(), Some(error.to_string())),
            Some(Err(_)) => (Advice::silent(), Some("it panicked".to_owned())),
        };
        Part { name: behavior.name(), speaks, advice, trouble, took: began.elapsed() }
    };
    asked.map(ask).collect()
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
