//! Says what is known of a file before it is read.

use model::EventKind;

use crate::behavior::Behavior;

#[derive(Debug)]
pub(crate) struct RecallOnRead;

impl Behavior for RecallOnRead {
    fn name(&self) -> &'static str {
        "recall-on-read"
    }

    fn manual(&self) -> &'static str {
        "Says what is known of a file before it is read. Says nothing rather than noise, stays within its budget of tokens, and never says the same twice in a session."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PreToolUse]
    }
}
