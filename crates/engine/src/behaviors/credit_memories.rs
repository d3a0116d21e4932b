//! Counts which memories an agent named in its own words after it was shown them.

use model::EventKind;

use crate::behavior::Behavior;

#[derive(Debug)]
pub(crate) struct CreditMemories;

impl Behavior for CreditMemories {
    fn name(&self) -> &'static str {
        "credit-memories"
    }

    fn manual(&self) -> &'static str {
        "Counts which memories an agent named in its own words after it was shown them. Says nothing rather than noise, stays within its budget of tokens, and never says the same twice in a session."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::Stop]
    }
}
