//! A board of keys that specialists read and write, and a controller that says when it is enough.

use std::collections::BTreeMap;

use super::failed;
use crate::answer::Answer;
use crate::kind::{Kind, Role, yes_or_no};
use crate::options::Takes;
use crate::pattern::{Part, Slot};
use crate::spec::{MAX_AGENTS, Spec};
use crate::step::{Line, Outcome, Standing};
use crate::view::{Seat, View};

const USUALLY: u32 = 3;
const ROUNDS: u32 = 3;
/// Keys on a board. What needs more needs a file.
const MAX_KEYS: usize = 64;
const MAX_KEY_CHARS: usize = 60;

pub(crate) struct Blackboard;

impl Kind for Blackboard {
    fn name(&self) -> &'static str {
        "blackboard"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["board"]
    }

    fn manual(&self) -> &'static str {
        "Specialists (`of`, 3) share a board of keys. A tag may say `reads=schema,limits` and `writes=api`: an agent is shown \
         the keys it reads (all, where none are named) as they stand when it begins, and writes only its own. When all of a \
         round are back, a controller is due, is shown the board, and approves or asks for another of `rounds` (3)."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("of", Takes::Agents), ("names", Takes::Names), ("rounds", Takes::Rounds)]
    }

    fn roles(&self) -> &'static [Role] {
        &[
            Role {
                name: "specialist",
                aliases: &["expert", "worker", "contributor"],
                rules: "Read what is on the board, add what you know, correct what is wrong. You write by the keys of your last \
                        line; a key you write again replaces what it said.",
                answer: r#"{"writes":{"key":"what the board shall say under it"}}"#,
                key: "writes",
                reads: are_writes,
            },
            Role {
                name: "controller",
                aliases: &["moderator", "judge"],
                rules: "Look at the whole board: is the task answered, does it contradict itself? Write nothing on it.",
                answer: r#"{"approved":true or false,"missing":"what the board still lacks"}"#,
                key: "approved",
                reads: yes_or_no,
            },
        ]
    }

    fn plan(&self, spec: &Spec) -> Vec<Slot> {
        let mut slots = round(spec, 1);
        slots.push(Slot::new("controller", 1));
        slots
    }

    fn feeds(&self, view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        match slot.role.as_str() {
            "controller" => round(view.spec(), slot.round),
            _ if slot.round > 1 => vec![Slot::at("controller", 1, slot.round - 1)],
            _ => Vec::new(),
        }
    }

    fn inputs(&self, view: &View<'_>, slot: &Slot) -> Vec<crate::Input> {
        let writes = view.pattern.part(slot).map(|part| keys(part, "writes")).unwrap_or_default();
        let reads = view.pattern.part(slot).map(|part| keys(part, "reads")).unwrap_or_default();
        let shown = |key: &String| slot.role == "controller" || reads.is_empty() || reads.contains(key);
        let board = board(view);
        let mut inputs: Vec<Line> = board
            .iter()
            .filter(|(key, _)| shown(key))
            .map(|(key, value)| Line::new(format!("Board: {key}"), value.clone()))
            .collect();
        inputs.extend(
            reads
                .iter()
                .filter(|key| !board.contains_key(*key))
                .map(|key| Line::new(format!("Board: {key}"), "(nothing yet)")),
        );
        if slot.role == "specialist" && !writes.is_empty() {
            inputs.insert(0, Line::new("You write these keys and no others", writes.join(", ")));
        }
        if slot.role == "specialist" && slot.round > 1 {
            let controller = view.gather([Slot::at("controller", 1, slot.round - 1)]);
            inputs.extend(
                view.lines_of(controller.answered, "missing")
                    .into_iter()
                    .map(|line| Line::new("The controller misses", line.text)),
            );
        }
        inputs
    }

    fn remarks(&self, view: &View<'_>) -> Vec<Line> {
        let mut remarks = Vec::new();
        for part in specialists(view) {
            let dropped: Vec<String> =
                said(part).filter(|(key, _)| !may_write(part, key)).map(|(key, _)| key).collect();
            if !dropped.is_empty() {
                let title = format!("Not on the board, {} may not write it", view.label(&part.slot));
                remarks.push(Line::new(title, dropped.join(", ")));
            }
        }
        remarks
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        let rounds = view.spec().rounds(ROUNDS);
        for number in 1..=rounds {
            let all = view.gather(round(view.spec(), number));
            if !all.is_complete() {
                return Standing::due(all.due);
            }
            if all.answered.is_empty() {
                return Standing::over(Outcome::new(
                    "failed",
                    false,
                    format!("No specialist of the {} came back.", view.pattern.title()),
                ));
            }
            let controller = Slot::at("controller", 1, number);
            let part = match view.seat(&controller) {
                Seat::Free | Seat::Again(_) => return Standing::due(vec![controller]),
                Seat::Out(_) => return Standing::wait(),
                Seat::Lost(part) => return Standing::over(failed(view, part)),
                Seat::In(part) => part,
            };
            let approved = part.answer.as_ref().and_then(|answer| answer.yes("approved")) == Some(true);
            if !approved && number < rounds {
                continue;
            }
            let headline = if approved {
                format!(
                    "The {} is complete: the controller approved the board in round {number}.",
                    view.pattern.title()
                )
            } else {
                format!(
                    "The {} is over: {rounds} rounds, and the controller has not approved.",
                    view.pattern.title()
                )
            };
            let lines = board(view).into_iter().map(|(key, value)| Line::new(key, value)).collect();
            return Standing::over(
                Outcome::new(if approved { "approved" } else { "not approved" }, approved, headline)
                    .with(lines),
            );
        }
        Standing::wait()
    }
}

fn round(spec: &Spec, number: u32) -> Vec<Slot> {
    (1..=spec.agents(USUALLY).min(MAX_AGENTS)).map(|n| Slot::at("specialist", n, number)).collect()
}

fn are_writes(answer: &Answer, key: &str) -> bool {
    answer.0.get(key).is_some_and(serde_json::Value::is_object)
}

fn keys(part: &Part, option: &str) -> Vec<String> {
    let text = part.options.get(option).map(String::as_str).unwrap_or_default();
    text.split([',', '|']).map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()).collect()
}

/// Whose words are on the board, in the order in which they hold.
fn specialists<'a>(view: &View<'a>) -> Vec<&'a Part> {
    let is_in =
        |part: &&Part| part.slot.role == "specialist" && part.answer.is_some() && !view.is_early(part);
    let mut parts: Vec<&Part> = view.pattern.parts.iter().filter(is_in).collect();
    parts.sort_by_key(|part| (part.slot.round, part.slot.n));
    parts
}

/// What it wanted the board to say.
fn said(part: &Part) -> impl Iterator<Item = (String, &serde_json::Value)> {
    let writes = part.answer.as_ref().and_then(|answer| answer.0.get("writes")?.as_object());
    let bounded = |key: &String| key.chars().filter(|c| !c.is_control()).take(MAX_KEY_CHARS).collect();
    writes.into_iter().flatten().map(move |(key, value)| (bounded(key), value))
}

fn may_write(part: &Part, key: &str) -> bool {
    let writes = keys(part, "writes");
    writes.is_empty() || writes.iter().any(|may| may == key)
}

/// What stands on the board: a later round holds, and in one round the higher number; whoever may not write a key has not.
fn board(view: &View<'_>) -> BTreeMap<String, String> {
    let mut board = BTreeMap::new();
    for part in specialists(view) {
        for (key, value) in said(part).filter(|(key, _)| may_write(part, key)) {
            if board.len() < MAX_KEYS || board.contains_key(&key) {
                board.insert(key, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            }
        }
    }
    board
}
