//! Marks a session as over. Its memories outlive it.

use model::{Detail, Event, EventKind};
use store::Batch;

use crate::Result;
use crate::behavior::Behavior;

#[derive(Debug)]
pub(crate) struct CompleteSession;

impl Behavior for CompleteSession {
    fn name(&self) -> &'static str {
        "complete-session"
    }

    fn manual(&self) -> &'static str {
        "Marks a session complete with the reason its agent gives (exit, clear, logout, …). A session that is \
         resumed later is live again under the same id."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::SessionEnd]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        let reason = match &event.detail {
            Detail::End { reason } => reason.as_str(),
            _ => "other",
        };
        batch.end_session(&event.session, event.at, reason)?;
        Ok(())
    }
}
