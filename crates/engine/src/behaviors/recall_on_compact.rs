//! Tells the summary of a compaction what must survive it.

use model::EventKind;

use crate::behavior::Behavior;

#[derive(Debug)]
pub(crate) struct RecallOnCompact;

impl Behavior for RecallOnCompact {
    fn name(&self) -> &'static str {
        "recall-on-compact"
    }

    fn manual(&self) -> &'static str {
        "Tells the summary of a compaction what must survive it. Says nothing rather than noise, stays within its budget of tokens, and never says the same twice in a session."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::PreCompact]
    }
}
