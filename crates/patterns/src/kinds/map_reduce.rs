//! A task in shards, one agent for each; then one that puts their results together.

use super::{failed, seats};
use crate::kind::{Kind, Role, words};
use crate::options::Takes;
use crate::pattern::Slot;
use crate::spec::Spec;
use crate::step::{Line, Outcome, Standing};
use crate::view::{Seat, View};

const USUALLY: u32 = 3;

pub(crate) struct MapReduce;

impl Kind for MapReduce {
    fn name(&self) -> &'static str {
        "map-reduce"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["mr", "fan-out"]
    }

    fn manual(&self) -> &'static str {
        "Mappers (`of`, or `shards=src,tests,docs`) each do one shard; when all are back, one reducer is due and is given \
         their answers. A mapper that dies is begun once more; what is lost then is said to the reducer, who goes on without it."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("of", Takes::Agents), ("shards", Takes::Names)]
    }

    fn roles(&self) -> &'static [Role] {
        &[
            Role {
                name: "mapper",
                aliases: &["map", "worker"],
                rules: "Do your own shard, all of it and nothing else. Somebody else puts the results together, from your answer \
                        alone.",
                answer: r#"{"result":"the result of your shard","count":how many things you looked at}"#,
                key: "result",
                reads: words,
            },
            Role {
                name: "reducer",
                aliases: &["reduce"],
                rules: "Put the results of the shards together: merge what is the same, keep what differs, say which shards are \
                        missing.",
                answer: r#"{"result":"the whole, in a few sentences"}"#,
                key: "result",
                reads: words,
            },
        ]
    }

    fn plan(&self, spec: &Spec) -> Vec<Slot> {
        let mut slots = seats("mapper", spec.agents(USUALLY));
        slots.push(Slot::new("reducer", 1));
        slots
    }

    fn feeds(&self, view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        if slot.role == "reducer" { seats("mapper", view.spec().agents(USUALLY)) } else { Vec::new() }
    }

    fn inputs(&self, view: &View<'_>, slot: &Slot) -> Vec<crate::Input> {
        if slot.role == "mapper" {
            return view.name_of(slot).map(|shard| Line::new("Your shard", shard)).into_iter().collect();
        }
        let mappers = self.feeds(view, slot);
        let mut inputs = view.answers_of(&mappers);
        inputs.extend(
            view.gather(mappers)
                .lost
                .iter()
                .map(|part| Line::new(format!("Missing: {}", view.label(&part.slot)), view.why(part))),
        );
        inputs
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        let mapped = view.gather(seats("mapper", view.spec().agents(USUALLY)));
        if !mapped.is_complete() {
            return Standing::due(mapped.due);
        }
        if mapped.answered.is_empty() {
            return Standing::over(Outcome::new(
                "failed",
                false,
                format!("No mapper of the {} came back with a result.", view.pattern.title()),
            ));
        }
        let reducer = Slot::new("reducer", 1);
        match view.seat(&reducer) {
            Seat::Free | Seat::Again(_) => Standing::due(vec![reducer]),
            Seat::Out(_) => Standing::wait(),
            Seat::Lost(part) => Standing::over(failed(view, part)),
            Seat::In(part) => {
                let headline = format!(
                    "The {} is complete: {} of {} shards are in the result.",
                    view.pattern.title(),
                    mapped.answered.len(),
                    mapped.answered.len() + mapped.lost.len()
                );
                let lines = view
                    .lines_of([part], "result")
                    .into_iter()
                    .chain(view.lines_of(mapped.lost, "result"))
                    .collect();
                Standing::over(Outcome::new("done", true, headline).with(lines))
            }
        }
    }
}
