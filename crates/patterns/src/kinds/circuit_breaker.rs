//! A way that may fail and another that is simpler: after some failures in a row the first is left alone for a while, then
//! tried once.

use model::Millis;

use crate::kind::{Kind, Role};
use crate::pattern::{Part, Slot};
use crate::spec::{MAX_ROUNDS, Spec};
use crate::step::{Line, Outcome, Standing};
use crate::view::{Seat, View};

const FAILURES: u32 = 3;
const COOLDOWN: Millis = 5 * 60 * 1000;

pub(crate) struct CircuitBreaker;

/// What the attempts so far say.
#[derive(Debug)]
struct Circuit<'a> {
    /// The next attempt's round.
    next: u32,
    out: bool,
    last_success: Option<&'a Part>,
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

    fn roles(&self) -> &'static [Role] {
        &[
            Role {
                name: "primary",
                aliases: &["main"],
                rules: "Try it. Say plainly whether it worked; a half result is a failure.",
                answer: r#"{"ok":true or false,"why":"what you did, or what failed"}"#,
                key: "ok",
            },
            Role {
                name: "fallback",
                aliases: &["backup"],
                rules: "The usual way has failed several times: go the simpler, safer way, with less, and say what is missing.",
                answer: r#"{"ok":true or false,"why":"what you did, and what is missing"}"#,
                key: "ok",
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

    fn feeds(&self, _view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        match slot.role.as_str() {
            "primary" => (1..slot.round).map(|round| Slot::at("primary", 1, round)).collect(),
            _ => (1..=MAX_ROUNDS).map(|round| Slot::at("primary", 1, round)).collect(),
        }
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
        let circuit = circuit(view);
        let primary = Slot::at("primary", 1, circuit.next);
        if circuit.out || view.any_out() {
            return Standing::wait();
        }
        let title = view.pattern.title();
        if let Some(part) = circuit.last_success {
            let headline = format!("The {title} is closed: the primary succeeded.");
            return Standing::over(Outcome::new("closed", true, headline).with(view.lines_of([part], "why")));
        }
        let Some(since) = circuit.open_since else {
            return if circuit.next > MAX_ROUNDS {
                Standing::over(Outcome::new("failed", false, format!("The {title} has tried often enough.")))
            } else {
                Standing::due(vec![primary])
            };
        };
        let fallbacks = (1..=MAX_ROUNDS).map(|round| Slot::at("fallback", 1, round));
        let answered: Vec<&Part> = view
            .gather(fallbacks)
            .answered
            .into_iter()
            .filter(|part| part.ended_at.is_some_and(|at| at >= since))
            .collect();
        if let Some(part) = answered.last() {
            let worked = part.answer.as_ref().and_then(|answer| answer.yes("ok")) == Some(true);
            let headline = format!(
                "The {title} is open: the fallback {}. Do not try the primary again before its cooldown is over.",
                if worked { "answered instead" } else { "failed, too" }
            );
            let verdict = if worked { "fallback" } else { "failed" };
            return Standing::over(
                Outcome::new(verdict, worked, headline).with(view.lines_of([*part], "why")),
            );
        }
        let cooldown = view.spec().duration("cooldown", COOLDOWN);
        if view.now >= since.saturating_add(cooldown) && circuit.next <= MAX_ROUNDS {
            return Standing::due(vec![primary]);
        }
        let free = (1..=MAX_ROUNDS)
            .map(|round| Slot::at("fallback", 1, round))
            .find(|slot| view.seat(slot).is_free());
        let lost = view.gather((1..=MAX_ROUNDS).map(|round| Slot::at("fallback", 1, round))).lost;
        match (lost.iter().find(|part| part.ended_at.is_some_and(|at| at >= since)), free) {
            (Some(part), _) => Standing::over(super::failed(view, part)),
            (None, Some(slot)) => Standing::due(vec![slot]),
            (None, None) => {
                Standing::over(Outcome::new("failed", false, format!("The {title} has no fallback left.")))
            }
        }
    }
}

fn circuit<'a>(view: &View<'a>) -> Circuit<'a> {
    let failures = view.spec().number("failures").unwrap_or(FAILURES).clamp(1, MAX_ROUNDS);
    let mut circuit =
        Circuit { next: 1, out: false, last_success: None, last_failure: None, open_since: None };
    let mut in_a_row = 0;
    for round in 1..=MAX_ROUNDS {
        let part = match view.seat(&Slot::at("primary", 1, round)) {
            Seat::Free => break,
            Seat::Out(_) => {
                circuit.out = true;
                break;
            }
            Seat::In(part) | Seat::Again(part) | Seat::Lost(part) => part,
        };
        circuit.next = round + 1;
        let worked = part.answer.as_ref().and_then(|answer| answer.yes("ok")) == Some(true);
        if worked {
            in_a_row = 0;
            (circuit.last_success, circuit.open_since) = (Some(part), None);
        } else {
            in_a_row += 1;
            (circuit.last_success, circuit.last_failure) = (None, Some(part));
            if in_a_row >= failures || circuit.open_since.is_some() {
                circuit.open_since = Some(part.ended_at.unwrap_or(part.called_at));
            }
        }
    }
    circuit
}
