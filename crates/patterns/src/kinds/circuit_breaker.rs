//! A way that may fail and another that is simpler: after some failures in a row the first is left alone for a while, then
//! tried once.

use model::Millis;

use crate::kind::{Kind, Role, yes_or_no};
use crate::options::Takes;
use crate::pattern::{MAX_PARTS, Part, Slot};
use crate::spec::{MAX_ROUNDS, Spec};
use crate::step::{Line, Outcome, Standing};
use crate::view::{Seat, View};

const FAILURES: u32 = 3;
const COOLDOWN: Millis = 5 * 60 * 1000;

pub(crate) struct CircuitBreaker;

/// What the attempts so far say.
#[derive(Debug, Default)]
struct Circuit<'a> {
    last_failure: Option<&'a Part>,
    /// When it opened.
    open_since: Option<Millis>,
}

impl Kind for CircuitBreaker {
    fn name(&self) -> &'static str {
        "circuit-breaker"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["breaker", "cb"]
    }

    fn manual(&self) -> &'static str {
        "A primary agent tries; after `failures` (3) in a row the circuit is open and a fallback with a simpler way is due \
         instead. `cooldown` (5m) after the last failure it is half-open: one attempt of the primary closes it or opens it \
         again. The same id goes on from where it stands, also for the next task."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("failures", Takes::Rounds), ("cooldown", Takes::Time)]
    }

    fn roles(&self) -> &'static [Role] {
        &[
            Role {
                name: "primary",
                aliases: &["main"],
                rules: "Try it. Say plainly whether it worked; a half result is a failure.",
                answer: r#"{"ok":true or false,"why":"what you did, or what failed"}"#,
                key: "ok",
                reads: yes_or_no,
            },
            Role {
                name: "fallback",
                aliases: &["backup"],
                rules: "The usual way has failed several times: go the simpler, safer way, with less, and say what is missing.",
                answer: r#"{"ok":true or false,"why":"what you did, and what is missing"}"#,
                key: "ok",
                reads: yes_or_no,
            },
        ]
    }

    fn plan(&self, _spec: &Spec) -> Vec<Slot> {
        vec![Slot::new("primary", 1), Slot::new("fallback", 1)]
    }

    fn retries(&self) -> u32 {
        0
    }

    fn goes_on(&self) -> bool {
        true
    }

    fn feeds(&self, view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        let begun = view.pattern.part(slot).map_or(Millis::MAX, |part| part.called_at);
        let before = attempts(view, "primary").into_iter().filter(|part| part.called_at <= begun);
        before.map(|part| part.slot.clone()).filter(|other| other != slot).collect()
    }

    fn needs(&self, _view: &View<'_>, _slot: &Slot) -> Vec<Slot> {
        // Which attempts there were before is known, not what will become of them.
        Vec::new()
    }

    fn inputs(&self, view: &View<'_>, slot: &Slot) -> Vec<crate::Input> {
        let circuit = circuit(view);
        let mut inputs = Vec::new();
        if slot.role == "primary" && circuit.open_since.is_some() {
            inputs.push(Line::new("The circuit", "half-open: this one attempt decides whether it is closed"));
        }
        if let Some(part) = circuit.last_failure {
            inputs.extend(
                view.lines_of([part], "why").into_iter().map(|line| Line::new("What failed last", line.text)),
            );
        }
        inputs
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        if view.any_out() {
            return Standing::wait();
        }
        let circuit = circuit(view);
        let title = view.pattern.title();
        // A task ends with a primary that worked or with a fallback; what was begun after that is the next task.
        let last =
            view.pattern.parts.iter().max_by(|a, b| (a.called_at, &a.slot).cmp(&(b.called_at, &b.slot)));
        match last.map(|part| (part, view.seat(&part.slot))) {
            Some((part, Seat::Lost(_))) if part.slot.role == "fallback" => {
                return Standing::over(super::failed(view, part));
            }
            Some((part, _)) if part.slot.role == "fallback" => {
                let worked = worked(part);
                let headline = format!(
                    "The {title} is open: the fallback {}. Do not try the primary again before its cooldown is over.",
                    if worked { "answered instead" } else { "failed, too" }
                );
                let verdict = if worked { "fallback" } else { "failed" };
                return Standing::over(
                    Outcome::new(verdict, worked, headline).with(view.lines_of([part], "why")),
                );
            }
            Some((part, _)) if worked(part) => {
                let headline = format!("The {title} is closed: the primary succeeded.");
                return Standing::over(
                    Outcome::new("closed", true, headline).with(view.lines_of([part], "why")),
                );
            }
            _ => {}
        }
        if view.pattern.parts.len() >= MAX_PARTS {
            let headline = format!("The {title} has tried often enough.");
            return Standing::over(Outcome::new("failed", false, headline));
        }
        let cooldown = view.spec().duration("cooldown", COOLDOWN);
        let rests = circuit.open_since.is_some_and(|since| view.now < since.saturating_add(cooldown));
        let role = if rests { "fallback" } else { "primary" };
        let next = (1..=MAX_PARTS as u32)
            .map(|round| Slot::at(role, 1, round))
            .find(|slot| view.seat(slot).is_free());
        Standing::due(next.into_iter().collect())
    }
}

/// Those of one role, in the order they were begun in.
fn attempts<'a>(view: &View<'a>, role: &str) -> Vec<&'a Part> {
    let mut attempts: Vec<&Part> = view.pattern.parts.iter().filter(|part| part.slot.role == role).collect();
    attempts.sort_by_key(|part| (part.called_at, part.slot.round));
    attempts
}

fn worked(part: &Part) -> bool {
    part.answer.as_ref().and_then(|answer| answer.yes("ok")) == Some(true)
}

fn circuit<'a>(view: &View<'a>) -> Circuit<'a> {
    let failures = view.spec().count("failures", MAX_ROUNDS).unwrap_or(FAILURES);
    let mut circuit = Circuit::default();
    let mut in_a_row = 0;
    for part in attempts(view, "primary") {
        if view.seat(&part.slot).is_out() {
            continue;
        }
        if worked(part) {
            (in_a_row, circuit) = (0, Circuit::default());
            continue;
        }
        in_a_row += 1;
        circuit.last_failure = Some(part);
        if in_a_row >= failures {
            circuit.open_since = Some(part.ended_at.unwrap_or(part.called_at));
        }
    }
    circuit
}
