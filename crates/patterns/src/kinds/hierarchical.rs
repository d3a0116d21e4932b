//! Somebody takes a task apart, specialists do the parts, somebody puts them together.

use super::{failed, seats};
use crate::answer::Answer;
use crate::kind::{Kind, Role, words};
use crate::options::Takes;
use crate::pattern::Slot;
use crate::spec::{MAX_AGENTS, Spec};
use crate::step::{Line, Outcome, Standing};
use crate::view::{Seat, View};

const USUALLY: u32 = 3;

pub(crate) struct Hierarchical;

impl Kind for Hierarchical {
    fn name(&self) -> &'static str {
        "hierarchical"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["hierarchy", "tree", "delegation"]
    }

    fn manual(&self) -> &'static str {
        "Specialists (`of`, or `names=api,storage,tests`) each do one part of a task. The coordinator takes it apart and puts \
         it together itself; with `lead=yes` a planner agent does the first (its `tasks` say how many specialists are due and \
         what each does) and a synthesizer agent the second."
    }

    fn options(&self) -> &'static [(&'static str, Takes)] {
        &[("of", Takes::Agents), ("names", Takes::Names), ("lead", Takes::Switch)]
    }

    fn roles(&self) -> &'static [Role] {
        &[
            Role {
                name: "specialist",
                aliases: &["worker", "expert"],
                rules: "Do your part and leave the others to theirs. Say what you changed and decided, what the others must know, \
                        and what you could not do.",
                answer: r#"{"result":"what came of your part","needs":"what others must know or do"}"#,
                key: "result",
                reads: words,
            },
            Role {
                name: "planner",
                aliases: &["coordinator", "lead", "manager"],
                rules: "Take the task apart into parts that can be done at the same time without touching the same files. Do none \
                        of them. A task for each specialist, with all it needs to know.",
                answer: r#"{"tasks":["the first specialist's task","the second's"]}"#,
                key: "tasks",
                reads: are_tasks,
            },
            Role {
                name: "synthesizer",
                aliases: &["synthesiser", "integrator"],
                rules: "Put the parts together. Check that they fit; say what is missing or contradicts itself.",
                answer: r#"{"result":"the whole, in a few sentences"}"#,
                key: "result",
                reads: words,
            },
        ]
    }

    fn plan(&self, spec: &Spec) -> Vec<Slot> {
        with_lead(spec, seats("specialist", spec.agents(USUALLY)))
    }

    fn places(&self, view: &View<'_>) -> Vec<Slot> {
        with_lead(view.spec(), specialists(view, &tasks(view)))
    }

    fn feeds(&self, view: &View<'_>, slot: &Slot) -> Vec<Slot> {
        match slot.role.as_str() {
            "specialist" if view.spec().is_set("lead") => vec![Slot::new("planner", 1)],
            "synthesizer" => specialists(view, &tasks(view)),
            _ => Vec::new(),
        }
    }

    fn inputs(&self, view: &View<'_>, slot: &Slot) -> Vec<crate::Input> {
        if slot.role != "specialist" {
            return view.answers_of(&self.feeds(view, slot));
        }
        let task = tasks(view).get(slot.n as usize - 1).cloned();
        let mut inputs: Vec<Line> =
            view.name_of(slot).map(|name| Line::new("Your field", name)).into_iter().collect();
        inputs.extend(task.map(|task| Line::new("Your task, as the planner says it", task)));
        inputs
    }

    fn standing(&self, view: &View<'_>) -> Standing {
        let lead = view.spec().is_set("lead");
        let planner = Slot::new("planner", 1);
        if lead {
            match view.seat(&planner) {
                Seat::Free | Seat::Again(_) => return Standing::due(vec![planner]),
                Seat::Out(_) => return Standing::wait(),
                Seat::Lost(part) => return Standing::over(failed(view, part)),
                Seat::In(_) => {}
            }
        }
        let done = view.gather(specialists(view, &tasks(view)));
        if !done.is_complete() {
            return Standing::due(done.due);
        }
        let title = view.pattern.title();
        if done.answered.is_empty() {
            return Standing::over(Outcome::new(
                "failed",
                false,
                format!("No specialist of the {title} came back with a result."),
            ));
        }
        let (came, all) = (done.answered.len(), done.answered.len() + done.lost.len());
        if !lead {
            let headline = format!(
                "The {title} is complete: {came} of {all} specialists are back. Put their parts together and check that they fit."
            );
            let lines = view.lines_of(done.answered.into_iter().chain(done.lost), "result");
            return Standing::over(Outcome::new("done", true, headline).with(lines));
        }
        let synthesizer = Slot::new("synthesizer", 1);
        match view.seat(&synthesizer) {
            Seat::Free | Seat::Again(_) => Standing::due(vec![synthesizer]),
            Seat::Out(_) => Standing::wait(),
            Seat::Lost(part) => Standing::over(failed(view, part)),
            Seat::In(part) => {
                let headline = format!("The {title} is complete: {came} of {all} parts are in the result.");
                Standing::over(Outcome::new("done", true, headline).with(view.lines_of([part], "result")))
            }
        }
    }
}

fn with_lead(spec: &Spec, mut specialists: Vec<Slot>) -> Vec<Slot> {
    if spec.is_set("lead") {
        specialists.insert(0, Slot::new("planner", 1));
        specialists.push(Slot::new("synthesizer", 1));
    }
    specialists
}

fn are_tasks(answer: &Answer, key: &str) -> bool {
    match answer.0.get(key) {
        Some(serde_json::Value::Array(tasks)) => !tasks.is_empty(),
        Some(serde_json::Value::String(task)) => !task.trim().is_empty(),
        _ => false,
    }
}

/// What the planner has said, if there is one.
fn tasks(view: &View<'_>) -> Vec<String> {
    if !view.spec().is_set("lead") {
        return Vec::new();
    }
    let Seat::In(part) = view.seat(&Slot::new("planner", 1)) else { return Vec::new() };
    let Some(answer) = &part.answer else { return Vec::new() };
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    answer.list("tasks").into_iter().take(MAX_AGENTS as usize).map(text).collect()
}

fn specialists(view: &View<'_>, tasks: &[String]) -> Vec<Slot> {
    let count = u32::try_from(tasks.len())
        .ok()
        .filter(|count| *count > 0)
        .unwrap_or_else(|| view.spec().agents(USUALLY));
    seats("specialist", count)
}
