//! One makes, another finds fault, round by round, until it is good or the rounds are over.

use super::failed;
use crate::kind::{Kind, Role, words, yes_or_no};
use crate::options::Takes;
use crate::pattern::Slot;
use crate::spec::Spec;
use crate::step::{Line, Outcome, Standing};
use crate::view::{Seat, View};

const USUALLY: u32 = 3;

pub(crate) struct GeneratorCritic;

impl Kind for GeneratorCritic {
    fn name(&self) -> &'static str {
        "generator-critic"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["gen-critic", "gc", "reflection"]
    }

    fn manual(&self) -> &'static str {
        "A generator makes something, a critic judges it; what the critic misses is given to the next round's generator with \
         its own last attempt, until the critic approves or `rounds` (3) are over. Then the last attempt and the last criticism \
         are put before the coordinator."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("rounds", Takes::Rounds)]
    }

    fn roles(&self) -> &'static [Role] {
        &[
            Role {
                name: "generator",
                aliases: &["maker", "author", "writer"],
                rules: "Make it whole. Where you are given criticism, answer each point of it: change it, or say why not.",
                answer: r#"{"output":"what you made and where it is, in a sentence"}"#,
                key: "output",
                reads: words,
            },
            Role {
                name: "critic",
                aliases: &["reviewer"],
                rules: "Judge the attempt against the task; check what can be checked yourself. Approve only what you would \
                        answer for. Name what is wrong so that it can be mended, the worst first.",
                answer: r#"{"approved":true or false,"feedback":"what must change; empty if approved"}"#,
                key: "approved",
                reads: yes_or_no,
            },
        ]
    }

    fn plan(&self, spec: &Spec) -> Vec<Slot> {
        let _ = spec;
        vec![Slot::new("generator", 1), Slot::new("critic", 1)]
    }

    fn feeds(&self, _view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        match (slot.role.as_str(), slot.round) {
            ("critic", round) => vec![Slot::at("generator", 1, round)],
            (_, 1) => Vec::new(),
            (_, round) => vec![Slot::at("generator", 1, round - 1), Slot::at("critic", 1, round - 1)],
        }
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        let rounds = view.spec().rounds(USUALLY);
        for round in 1..=rounds {
            let made = Slot::at("generator", 1, round);
            let made = match view.seat(&made) {
                Seat::Free | Seat::Again(_) => return Standing::due(vec![made]),
                Seat::Out(_) => return Standing::wait(),
                Seat::Lost(part) => return Standing::over(failed(view, part)),
                Seat::In(part) => part,
            };
            let judged = Slot::at("critic", 1, round);
            let judged = match view.seat(&judged) {
                Seat::Free | Seat::Again(_) => return Standing::due(vec![judged]),
                Seat::Out(_) => return Standing::wait(),
                Seat::Lost(part) => return Standing::over(failed(view, part)),
                Seat::In(part) => part,
            };
            let approved = judged.answer.as_ref().and_then(|answer| answer.yes("approved")) == Some(true);
            if !approved && round < rounds {
                continue;
            }
            let mut lines = view.lines_of([made], "output");
            lines.extend(
                view.lines_of([judged], "feedback").into_iter().filter(|line: &Line| !line.text.is_empty()),
            );
            let (verdict, headline) = if approved {
                ("approved", format!("The {} is complete: approved in round {round}.", view.pattern.title()))
            } else {
                (
                    "not approved",
                    format!(
                        "The {} is over: {rounds} rounds and not approved. Decide yourself.",
                        view.pattern.title()
                    ),
                )
            };
            return Standing::over(Outcome::new(verdict, approved, headline).with(lines));
        }
        Standing::wait()
    }
}
