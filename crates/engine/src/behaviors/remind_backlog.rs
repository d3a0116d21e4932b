//! Tells the person when work waits to be distilled.

use model::EventKind;

use crate::behavior::Behavior;

#[derive(Debug)]
pub(crate) struct RemindBacklog;

impl Behavior for RemindBacklog {
    fn name(&self) -> &'static str {
        "remind-backlog"
    }

    fn manual(&self) -> &'static str {
        "Tells the person when work waits to be distilled. Says nothing rather than noise, stays within its budget of tokens, and never says the same twice in a session."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::Stop]
    }
}
