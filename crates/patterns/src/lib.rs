//! Patterns of agents: which parts there are, what an agent with a part is given, and what follows from what they
//! answered. What stands is a function of what is in and of the time: it does not matter in which order answers came.
//! Knows no event, no table and no clock; whoever calls says what happened and when.

mod answer;
mod kind;
mod kinds;
mod options;
mod pattern;
mod spec;
mod step;
mod tag;
mod view;

#[cfg(test)]
mod laws;

pub use answer::Answer;
pub use kind::{ALL, Kind, Role, by_name};
pub use options::{Takes, Trouble};
pub use pattern::{MAX_PARTS, Part, Pattern, RESULT_CHARS, Slot, State, TIMEOUT, cut};
pub use spec::{MAX_AGENTS, MAX_OPTIONS, Spec};
pub use step::{Brief, Input, Line, Outcome, Standing, Step};
pub use tag::{Tag, name_of};
pub use view::{Gathered, Seat, View};
