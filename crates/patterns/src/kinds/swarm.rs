//! Several agents on one task at once; whoever comes later sees what the others have found.

use super::seats;
use crate::kind::{Kind, Role, words};
use crate::options::Takes;
use crate::pattern::Slot;
use crate::spec::Spec;
use crate::step::{Outcome, Standing};
use crate::view::View;

const USUALLY: u32 = 3;

pub(crate) struct Swarm;

impl Kind for Swarm {
    fn name(&self) -> &'static str {
        "swarm"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["parallel", "broadcast"]
    }

    fn manual(&self) -> &'static str {
        "Several agents (`of`, 3) work on one task from different sides. Each is shown what the others have found by the \
         time it begins. When all are back, their findings are put before the coordinator, who draws them together."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("of", Takes::Agents), ("names", Takes::Names)]
    }

    fn roles(&self) -> &'static [Role] {
        &[Role {
            name: "member",
            aliases: &["agent", "worker", "searcher", "scout"],
            rules: "Work on the task from your own side; do not repeat what others have found. What you find is shown to the \
                    other members and to the coordinator, so say it in full and with its place.",
            answer: r#"{"found":"what you found, in a sentence or two","open":"what is still open"}"#,
            key: "found",
            reads: words,
        }]
    }

    fn plan(&self, spec: &Spec) -> Vec<Slot> {
        seats("member", spec.agents(USUALLY))
    }

    fn feeds(&self, view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        self.plan(view.spec()).into_iter().filter(|other| other != slot).collect()
    }

    fn needs(&self, _view: &View<'_>, _slot: &Slot) -> Vec<Slot> {
        // Whoever begins first sees nothing, and that is meant.
        Vec::new()
    }

    fn inputs(&self, view: &View<'_>, slot: &Slot) -> Vec<crate::Input> {
        let all = view.gather(self.feeds(view, slot));
        let mut found = view.lines_of(all.answered, "found");
        for line in &mut found {
            line.title = format!("Found by {}", line.title);
        }
        found
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        let all = view.gather(self.plan(view.spec()));
        if !all.is_complete() {
            return Standing::due(all.due);
        }
        if all.answered.is_empty() {
            return Standing::over(Outcome::new(
                "failed",
                false,
                format!("No member of the {} came back with an answer.", view.pattern.title()),
            ));
        }
        let headline = format!(
            "The {} is complete: {} of {} members found something. Draw it together now: what they agree on, where they \
             differ, what is still open.",
            view.pattern.title(),
            all.answered.len(),
            all.answered.len() + all.lost.len()
        );
        let lines = view.lines_of(all.answered.into_iter().chain(all.lost), "found");
        Standing::over(Outcome::new("done", true, headline).with(lines))
    }
}
