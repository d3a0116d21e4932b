//! Puts what a new session should know in front of the agent.

use model::EventKind;

use crate::behavior::Behavior;

#[derive(Debug)]
pub(crate) struct RecallOnStart;

impl Behavior for RecallOnStart {
    fn name(&self) -> &'static str {
        "recall-on-start"
    }

    fn manual(&self) -> &'static str {
        "Puts what a new session should know in front of the agent. Says nothing rather than noise, stays within its budget of tokens, and never says the same twice in a session."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::SessionStart, EventKind::SubagentStart]
    }
}
