//! The hand-off: what whoever sits down here next must know. One part is written by the agent or a person.

use model::{EventKind, Millis, SessionId};
use store::{Batch, HandOffRow};

use crate::Result;
use crate::behavior::Behavior;
use crate::memory::cut;

/// A page; more is a document and belongs into the repository.
const MAX_WRITTEN: usize = 16 << 10;

#[derive(Debug)]
pub(crate) struct HandOff;

impl Behavior for HandOff {
    fn name(&self) -> &'static str {
        "hand-off"
    }

    fn manual(&self) -> &'static str {
        "Keeps the note for whoever sits down here next: goal, what is done, what comes next, open files, decisions \
         and the last things said; the agent or a person may write its first part."
    }

    fn on(&self) -> &'static [EventKind] {
        &[EventKind::UserPromptSubmit, EventKind::Stop, EventKind::PreCompact, EventKind::SessionEnd]
    }
}

/// Keeps what was written for the next one. An empty text takes it back.
pub(crate) fn write_hand_off(
    batch: &mut Batch<'_>,
    session: &SessionId,
    text: &str,
    at: Millis,
) -> Result<()> {
    let mut hand_off = batch.hand_off(session)?.unwrap_or_default();
    let text = text.trim();
    hand_off.written = (!text.is_empty()).then(|| cut(text, MAX_WRITTEN));
    hand_off.written_at = hand_off.written.is_some().then_some(at);
    batch.put_hand_off(&HandOffRow {
        session: session.clone(),
        at,
        workspace: None,
        project: None,
        project_key: None,
        branch: None,
        hand_off,
    })?;
    Ok(())
}
