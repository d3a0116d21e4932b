//! Two sides argue in rounds, each knowing what the other said last; then a third one judges.

use super::failed;
use crate::answer::Answer;
use crate::kind::{Kind, Role, words};
use crate::options::Takes;
use crate::pattern::Slot;
use crate::spec::Spec;
use crate::step::{Outcome, Standing};
use crate::view::{Seat, View};

const USUALLY: u32 = 2;
const SIDES: [&str; 2] = ["advocate", "adversary"];
const NEITHER: &str = "neither";

pub(crate) struct Adversarial;

impl Kind for Adversarial {
    fn name(&self) -> &'static str {
        "adversarial"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["debate", "red-team"]
    }

    fn manual(&self) -> &'static str {
        "An advocate and an adversary argue in `rounds` (2); both speak at once, and from the second round on each is given \
         what the other said before. Then a judge is due, is given everything, and decides."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("rounds", Takes::Rounds)]
    }

    fn roles(&self) -> &'static [Role] {
        &[
            Role {
                name: "advocate",
                aliases: &["pro", "for", "proponent"],
                rules: "Make the strongest honest case for it. Answer what the other side said; give up what cannot be held.",
                answer: r#"{"argument":"your case in a few sentences"}"#,
                key: "argument",
                reads: words,
            },
            Role {
                name: "adversary",
                aliases: &["con", "against", "opponent", "attacker"],
                rules: "Make the strongest honest case against it: where it breaks, what it costs, what was overlooked. Answer \
                        what the other side said.",
                answer: r#"{"argument":"your case in a few sentences"}"#,
                key: "argument",
                reads: words,
            },
            Role {
                name: "judge",
                aliases: &["arbiter", "referee"],
                rules: "Weigh the arguments, not who says them or how long. Check the claims that decide it. Name a winner, or \
                        neither.",
                answer: r#"{"winner":"advocate" or "adversary" or "neither","why":"what decided it"}"#,
                key: "winner",
                reads: is_verdict,
            },
        ]
    }

    fn plan(&self, spec: &Spec) -> Vec<Slot> {
        let mut slots: Vec<Slot> =
            (1..=spec.rounds(USUALLY)).flat_map(|round| SIDES.map(|side| Slot::at(side, 1, round))).collect();
        slots.push(Slot::new("judge", 1));
        slots
    }

    fn feeds(&self, view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        match slot.role.as_str() {
            "judge" => self.plan(view.spec()).into_iter().filter(|other| other.role != "judge").collect(),
            _ if slot.round == 1 => Vec::new(),
            side => SIDES
                .iter()
                .filter(|other| **other != side)
                .map(|other| Slot::at(other, 1, slot.round - 1))
                .collect(),
        }
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        for round in 1..=view.spec().rounds(USUALLY) {
            let both = view.gather(SIDES.map(|side| Slot::at(side, 1, round)));
            if !both.is_complete() {
                return Standing::due(both.due);
            }
            if let Some(part) = both.lost.first() {
                return Standing::over(failed(view, part));
            }
        }
        let judge = Slot::new("judge", 1);
        match view.seat(&judge) {
            Seat::Free | Seat::Again(_) => Standing::due(vec![judge]),
            Seat::Out(_) => Standing::wait(),
            Seat::Lost(part) => Standing::over(failed(view, part)),
            Seat::In(part) => {
                let winner = part.answer.as_ref().and_then(winner).unwrap_or(NEITHER);
                let headline = format!("The {} is decided: {winner}.", view.pattern.title());
                Standing::over(
                    Outcome::new(winner, winner == "advocate", headline).with(view.lines_of([part], "why")),
                )
            }
        }
    }
}

/// By its name or another word for that side.
fn winner(answer: &Answer) -> Option<&'static str> {
    let word = answer.word("winner")?;
    if matches!(word.as_str(), NEITHER | "none" | "nobody" | "tie" | "draw") {
        return Some(NEITHER);
    }
    let kind: &dyn Kind = &Adversarial;
    let side = kind.role(Some(&word))?.name;
    SIDES.into_iter().find(|one| *one == side)
}

fn is_verdict(answer: &Answer, _key: &str) -> bool {
    winner(answer).is_some()
}
