//! Asks for a session's transcript to be kept. Reading and compressing it is the daemon's work, in its own time.

use model::{Event, EventKind};
use store::Batch;

use crate::Result;
use crate::behavior::Behavior;

#[derive(Debug)]
pub(crate) struct ArchiveTranscript;

impl Behavior for ArchiveTranscript {
    fn name(&self) -> &'static str {
        "archive-transcript"
    }

    fn manual(&self) -> &'static str {
        "Keeps the agent's own transcript of a session, redacted and compressed, and makes the conversation in it \
         findable, piece by piece. Runs in the background after each turn and reads only what is new. Results of \
         tools are archived but not searched: noise and secrets arrive there."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::Stop, EventKind::PreCompact, EventKind::SessionEnd]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        let Some(path) = &event.transcript else { return Ok(()) };
        let said = |key: &str| event.context.get(key);
        let wish = serde_json::json!({
            "agent": event.agent,
            "path": path,
            "workspace": said("workspace"),
            "project": said("project"),
            "project-key": said("project-key"),
            "branch": said("branch"),
        });
        batch.set_state(&event.session, store::ARCHIVE_DUE, &wish.to_string(), event.at)?;
        Ok(())
    }
}
