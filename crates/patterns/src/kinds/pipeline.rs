//! Stages one after the other; each is given what the one before it answered.

use super::{failed, seats};
use crate::kind::{Kind, Role, yes_or_no};
use crate::options::Takes;
use crate::pattern::Slot;
use crate::spec::Spec;
use crate::step::{Outcome, Standing};
use crate::view::{Seat, View};

const USUALLY: u32 = 3;

pub(crate) struct Pipeline;

impl Kind for Pipeline {
    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["stages", "sequence"]
    }

    fn manual(&self) -> &'static str {
        "Stages (`stages=plan,build,check`, or `of`) run one after the other. A stage is given the whole answer of the one \
         before it; the coordinator is told which stage is due. A stage that says it failed ends the pipeline; one that dies \
         is begun once more."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("of", Takes::Agents), ("stages", Takes::Names)]
    }

    fn roles(&self) -> &'static [Role] {
        &[Role {
            name: "stage",
            aliases: &["step", "phase"],
            rules: "Do your stage and no other. The next stage has nothing but your answer: write down everything it needs, \
                    results before words.",
            answer: r#"{"status":"ok" or "failed","summary":"what you hand over, in a sentence"}"#,
            key: "status",
            reads: yes_or_no,
        }]
    }

    fn plan(&self, spec: &Spec) -> Vec<Slot> {
        seats("stage", spec.agents(USUALLY))
    }

    fn feeds(&self, _view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        if slot.n > 1 { vec![Slot::new("stage", slot.n - 1)] } else { Vec::new() }
    }

    fn inputs(&self, view: &View<'_>, slot: &Slot) -> Vec<crate::Input> {
        let before = view.gather(seats("stage", slot.n.saturating_sub(2)));
        let mut inputs = view.answers_of(&self.feeds(view, slot));
        inputs.extend(view.lines_of(before.answered, "summary"));
        inputs
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        let stages = self.plan(view.spec());
        let mut last = None;
        for slot in &stages {
            match view.seat(slot) {
                Seat::Free | Seat::Again(_) => return Standing::due(vec![slot.clone()]),
                Seat::Out(_) => return Standing::wait(),
                Seat::Lost(part) => return Standing::over(failed(view, part)),
                Seat::In(part)
                    if part.answer.as_ref().and_then(|answer| answer.yes("status")) == Some(false) =>
                {
                    let headline = format!(
                        "The {} ends at {}, which says that it failed.",
                        view.pattern.title(),
                        view.label(slot)
                    );
                    return Standing::over(
                        Outcome::new("failed", false, headline).with(view.lines_of([part], "summary")),
                    );
                }
                Seat::In(part) => last = Some(part),
            }
        }
        let headline = format!("The {} is complete: {} stages.", view.pattern.title(), stages.len());
        Standing::over(Outcome::new("done", true, headline).with(view.lines_of(last, "summary")))
    }
}
