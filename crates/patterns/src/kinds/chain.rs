//! Handlers one after the other; the first that can does it, the others pass it on.

use super::seats;
use crate::kind::{Kind, Role, yes_or_no};
use crate::options::Takes;
use crate::pattern::Slot;
use crate::spec::Spec;
use crate::step::{Outcome, Standing};
use crate::view::{Seat, View};

const USUALLY: u32 = 3;

pub(crate) struct Chain;

impl Kind for Chain {
    fn name(&self) -> &'static str {
        "chain-of-responsibility"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["chain", "cor", "escalation"]
    }

    fn manual(&self) -> &'static str {
        "Handlers (`of`, or `handlers=cheap,thorough,expert`) are asked one after the other. One that handles it ends the \
         chain; one that escalates, or dies, hands it to the next with its reason. When nobody handled it, the coordinator is \
         told all reasons."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("of", Takes::Agents), ("handlers", Takes::Names)]
    }

    fn roles(&self) -> &'static [Role] {
        &[Role {
            name: "handler",
            aliases: &["link", "tier"],
            rules: "Handle it if it is yours and you can do it whole; otherwise change nothing and pass it on with the reason and \
                    what you learned.",
            answer: r#"{"handled":true or false,"why":"what you did, or why you pass it on"}"#,
            key: "handled",
            reads: yes_or_no,
        }]
    }

    fn plan(&self, spec: &Spec) -> Vec<Slot> {
        seats("handler", spec.agents(USUALLY))
    }

    fn retries(&self) -> u32 {
        0
    }

    fn feeds(&self, _view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        seats("handler", slot.n.saturating_sub(1))
    }

    fn inputs(&self, view: &View<'_>, slot: &Slot) -> Vec<crate::Input> {
        let before = view.gather(self.feeds(view, slot));
        view.lines_of(before.answered.into_iter().chain(before.lost), "why")
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        let handlers = self.plan(view.spec());
        for slot in &handlers {
            match view.seat(slot) {
                Seat::Free | Seat::Again(_) => return Standing::due(vec![slot.clone()]),
                Seat::Out(_) => return Standing::wait(),
                Seat::In(part)
                    if part.answer.as_ref().and_then(|answer| answer.yes("handled")) == Some(true) =>
                {
                    let headline =
                        format!("The {} is done: handled by {}.", view.pattern.title(), view.label(slot));
                    return Standing::over(
                        Outcome::new("handled", true, headline).with(view.lines_of([part], "why")),
                    );
                }
                Seat::In(_) | Seat::Lost(_) => {}
            }
        }
        let all = view.gather(handlers);
        let headline = format!("Nobody in the {} handled it.", view.pattern.title());
        Standing::over(
            Outcome::new("unhandled", false, headline)
                .with(view.lines_of(all.answered.into_iter().chain(all.lost), "why")),
        )
    }
}
