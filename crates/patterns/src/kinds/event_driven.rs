//! Publishers say events, subscribers of their type take them, once; subscribers may publish, too.

use std::collections::BTreeSet;

use crate::answer::Answer;
use crate::kind::{Kind, Role};
use crate::options::Takes;
use crate::pattern::{Part, Slot};
use crate::spec::{MAX_AGENTS, MAX_ROUNDS, Spec};
use crate::step::{Line, Outcome, Standing};
use crate::view::{Seat, View};

/// Events of one answer, and of all.
const MAX_PUBLISHED: usize = 32;
const MAX_EVENTS: usize = 200;
const MAX_TYPE_CHARS: usize = 40;

pub(crate) struct EventDriven;

/// One event. Its id is who published it and the how manieth it was.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Published {
    id: String,
    kind: String,
    data: String,
}

impl Kind for EventDriven {
    fn name(&self) -> &'static str {
        "event-driven"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["events", "pub-sub", "event-bus"]
    }

    fn manual(&self) -> &'static str {
        "Publishers (`of`, 1) publish events with a type; for each type with events that nobody has taken a subscriber is due \
         (`types=build,test` says which there are and in which order) and is given them, once. Subscribers may publish, too. It \
         is over when every event is taken."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("of", Takes::Agents), ("types", Takes::Types)]
    }

    fn roles(&self) -> &'static [Role] {
        &[
            Role {
                name: "subscriber",
                aliases: &["listener", "consumer", "handler"],
                rules: "Deal with the events you are given, each of them; nobody else gets them. Publish an event where \
                        somebody else has to go on, and none otherwise.",
                answer: r#"{"publish":[{"type":"a word","data":"what it is about"}],"done":"what you did"}"#,
                key: "publish",
                reads: are_events,
            },
            Role {
                name: "publisher",
                aliases: &["producer", "source"],
                rules: "Do your task and publish an event for each thing that somebody else has to deal with.",
                answer: r#"{"publish":[{"type":"a word","data":"what it is about"}]}"#,
                key: "publish",
                reads: are_events,
            },
        ]
    }

    fn plan(&self, spec: &Spec) -> Vec<Slot> {
        let mut slots = publishers(spec);
        slots.extend((1..=spec.names().len() as u32).map(|n| Slot::new("subscriber", n)));
        slots
    }

    fn places(&self, view: &View<'_>) -> Vec<Slot> {
        let mut slots = publishers(view.spec());
        slots.extend((1..=types(view).len() as u32).map(|n| Slot::new("subscriber", n)));
        slots
    }

    fn name_of(&self, view: &View<'_>, slot: &Slot) -> Option<String> {
        if slot.role != "subscriber" {
            return None;
        }
        types(view).into_iter().nth(slot.n as usize - 1)
    }

    fn feeds(&self, view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        if slot.role == "publisher" {
            return Vec::new();
        }
        let took = taken_by(view, slot);
        view.pattern
            .parts
            .iter()
            .filter(|part| took.iter().any(|id| *id == event_id(part, id)))
            .map(|part| part.slot.clone())
            .collect()
    }

    fn needs(&self, _view: &View<'_>, _slot: &Slot) -> Vec<Slot> {
        // A subscriber takes what is there when it is called; what comes later is the next one's.
        Vec::new()
    }

    fn inputs(&self, view: &View<'_>, slot: &Slot) -> Vec<crate::Input> {
        let took = taken_by(view, slot);
        let given = events(view).into_iter().filter(|event| took.contains(&event.id));
        given.map(|event| Line::new(format!("Event {} from {}", event.kind, event.id), event.data)).collect()
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        let published = view.gather(publishers(view.spec()));
        if !published.is_complete() {
            return Standing::due(published.due);
        }
        let waiting = untaken(view);
        let runs = view.pattern.parts.iter().filter(|part| part.slot.role == "subscriber").count();
        let types = types(view);
        let mut due = Vec::new();
        for event in &waiting {
            let Some(at) = types.iter().position(|kind| *kind == event.kind) else { continue };
            let slots = (1..=MAX_ROUNDS).map(|round| Slot::at("subscriber", at as u32 + 1, round));
            let Some(slot) = slots.into_iter().find(|slot| view.seat(slot).is_free()) else { continue };
            if !due.contains(&slot) && !running(view, slot.n) {
                due.push(slot);
            }
        }
        if !due.is_empty() {
            return Standing::due(due);
        }
        if view.any_out() {
            return Standing::wait();
        }
        let all = events(view).len();
        let headline = format!(
            "The {} is quiet: {all} events, {} untaken, {runs} runs of subscribers.",
            view.pattern.title(),
            waiting.len()
        );
        let done =
            view.pattern.parts.iter().filter(|part| part.slot.role == "subscriber" && part.answer.is_some());
        Standing::over(Outcome::new("done", waiting.is_empty(), headline).with(view.lines_of(done, "done")))
    }
}

/// Events, one event, or none.
fn are_events(answer: &Answer, key: &str) -> bool {
    answer.0.get(key).is_some_and(|said| said.is_array() || said.is_object())
}

fn publishers(spec: &Spec) -> Vec<Slot> {
    let count = spec.count("of", MAX_AGENTS).unwrap_or(1);
    (1..=count).map(|n| Slot::new("publisher", n)).collect()
}

fn running(view: &View<'_>, n: u32) -> bool {
    (1..=MAX_ROUNDS).any(|round| view.seat(&Slot::at("subscriber", n, round)).is_out())
}

/// The types there are: as declared, then as they were published.
fn types(view: &View<'_>) -> Vec<String> {
    let mut types: Vec<String> = view.spec().names().iter().map(|name| name.to_ascii_lowercase()).collect();
    for event in events(view) {
        if !types.contains(&event.kind) && types.len() < MAX_AGENTS as usize {
            types.push(event.kind);
        }
    }
    types
}

/// In the order of their publishers' places, so that it does not matter who was back first.
fn events(view: &View<'_>) -> Vec<Published> {
    let mut events = Vec::new();
    let mut parts: Vec<&Part> = view.pattern.parts.iter().collect();
    parts.sort_by_key(|part| (part.slot.role != "publisher", part.slot.round, part.slot.n));
    for part in parts {
        let Some(answer) = &part.answer else { continue };
        for (at, value) in answer.list("publish").into_iter().take(MAX_PUBLISHED).enumerate() {
            let word = value.get("type").and_then(serde_json::Value::as_str).unwrap_or("event");
            let kind: String = word
                .trim()
                .to_ascii_lowercase()
                .chars()
                .filter(|c| !c.is_control())
                .take(MAX_TYPE_CHARS)
                .collect();
            let data = value.get("data").unwrap_or(value);
            let data = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
            events.push(Published { id: format!("{}#{}", part.slot.key(), at + 1), kind, data });
        }
    }
    events.truncate(MAX_EVENTS);
    events
}

fn event_id(part: &Part, id: &str) -> String {
    id.split_once('#').map(|(_, at)| format!("{}#{at}", part.slot.key())).unwrap_or_default()
}

/// Events that no subscriber has taken, or only one that failed.
fn untaken(view: &View<'_>) -> Vec<Published> {
    let taken: BTreeSet<&String> = view
        .pattern
        .parts
        .iter()
        .filter(|part| matches!(view.seat(&part.slot), Seat::Out(_) | Seat::In(_) | Seat::Lost(_)))
        .flat_map(|part| &part.took)
        .collect();
    events(view).into_iter().filter(|event| !taken.contains(&event.id)).collect()
}

fn taken_by(view: &View<'_>, slot: &Slot) -> Vec<String> {
    view.pattern.part(slot).map_or_else(|| pending(view, slot), |part| part.took.clone())
}

/// What a subscriber that begins now takes from the queue: all that waits for its type. Of other kinds: nothing.
pub(crate) fn pending(view: &View<'_>, slot: &Slot) -> Vec<String> {
    if view.spec().kind != "event-driven" || slot.role != "subscriber" {
        return Vec::new();
    }
    let types = types(view);
    let Some(kind) = types.get(slot.n as usize - 1) else { return Vec::new() };
    untaken(view).into_iter().filter(|event| event.kind == *kind).map(|event| event.id).collect()
}
