//! Greets the person once per workspace and tells each fault once.

use model::EventKind;

use crate::behavior::Behavior;

#[derive(Debug)]
pub(crate) struct Welcome;

impl Behavior for Welcome {
    fn name(&self) -> &'static str {
        "welcome"
    }

    fn manual(&self) -> &'static str {
        "Greets the person once per workspace and tells each fault once. Says nothing rather than noise, stays within its budget of tokens, and never says the same twice in a session."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::SessionStart]
    }
}
