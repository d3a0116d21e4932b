//! One file per pattern.

mod adversarial;
mod blackboard;
mod chain;
mod circuit_breaker;
mod event_driven;
mod generator_critic;
mod hierarchical;
mod jury;
mod map_reduce;
mod pipeline;
mod swarm;

pub(crate) use adversarial::Adversarial;
pub(crate) use blackboard::Blackboard;
pub(crate) use chain::Chain;
pub(crate) use circuit_breaker::CircuitBreaker;
pub(crate) use event_driven::{EventDriven, pending};
pub(crate) use generator_critic::GeneratorCritic;
pub(crate) use hierarchical::Hierarchical;
pub(crate) use jury::{Jury, USUALLY as JURORS};
pub(crate) use map_reduce::MapReduce;
pub(crate) use pipeline::Pipeline;
pub(crate) use swarm::Swarm;

use crate::pattern::{Part, Slot};
use crate::step::{Line, Outcome};
use crate::view::View;

/// Places of one role from 1 on.
fn seats(role: &str, count: u32) -> Vec<Slot> {
    (1..=count).map(|n| Slot::new(role, n)).collect()
}

/// A part that was needed and failed for good.
fn failed(view: &View<'_>, part: &Part) -> Outcome {
    let label = view.label(&part.slot);
    Outcome::new("failed", false, format!("The {} has failed at {label}.", view.pattern.title()))
        .with(vec![Line::new(label, view.why(part))])
}
