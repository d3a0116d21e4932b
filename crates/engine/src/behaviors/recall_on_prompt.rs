//! Puts the memories that a prompt needs in front of the agent.

use model::EventKind;

use crate::behavior::Behavior;

#[derive(Debug)]
pub(crate) struct RecallOnPrompt;

impl Behavior for RecallOnPrompt {
    fn name(&self) -> &'static str {
        "recall-on-prompt"
    }

    fn manual(&self) -> &'static str {
        "Puts the memories that a prompt needs in front of the agent. Says nothing rather than noise, stays within its budget of tokens, and never says the same twice in a session."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::UserPromptSubmit]
    }
}
