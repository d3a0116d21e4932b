//! Says when the window is nearly full, so that the hand-off is written in time.

use model::EventKind;

use crate::behavior::Behavior;

#[derive(Debug)]
pub(crate) struct WarnContextLimit;

impl Behavior for WarnContextLimit {
    fn name(&self) -> &'static str {
        "warn-context-limit"
    }

    fn manual(&self) -> &'static str {
        "Says when the window is nearly full, so that the hand-off is written in time. Says nothing rather than noise, stays within its budget of tokens, and never says the same twice in a session."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::UserPromptSubmit]
    }
}
