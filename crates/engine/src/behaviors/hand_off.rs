//! The hand-off: what whoever sits down here next must know. One part is written by the agent or a person; the rest
//! is made anew from the tables whenever something happened, so that what is forgotten there is gone here, too.
//! Reads no transcript: what is handed over can be derived from the journal.

mod gather;
mod text;

use model::{Context, Detail, Event, EventKind, Millis, SessionId, WorkspaceKey};
use serde::{Deserialize, Serialize};
use store::{Batch, HandOffRow};

use crate::Result;
use crate::behavior::Behavior;
use crate::memory::cut;
use crate::page::one_line;

pub(crate) use gather::MAX_LINE;
use gather::{MAX_SAID, MAX_TAIL};
pub(crate) use text::{is_empty, replay};
pub use text::{page, render};

/// A page; more is a document and belongs into the repository.
pub const MAX_WRITTEN: usize = 16 << 10;
/// Where the agent's last words wait for the next ones.
const WORDS: &str = "hand-off-words";

#[derive(Debug)]
pub(crate) struct HandOff;

impl Behavior for HandOff {
    fn name(&self) -> &'static str {
        "hand-off"
    }

    fn manual(&self) -> &'static str {
        "Keeps the note for whoever sits down here next: goal, what is done, what comes next, open files, decisions \
         and the last things said. The agent or a person may write its first part (`throughline handoff write`). It \
         is said again after a compaction and when a session is resumed."
    }

    fn on(&self) -> &'static [EventKind] {
        use EventKind::{PreCompact, SessionEnd, Stop, StopFailure, UserPromptSubmit};
        &[UserPromptSubmit, Stop, StopFailure, PreCompact, SessionEnd]
    }

    fn learn(&self, batch: &mut Batch<'_>, event: &Event) -> Result<()> {
        if event.subagent.is_some() {
            return Ok(());
        }
        if let (EventKind::Stop, Detail::Stop { last_message: Some(text), .. }) = (event.kind, &event.detail)
        {
            note_words(batch, event, text)?;
        }
        keep_up(batch, &event.session, event.at, &event.context)
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
    let at = at.max(batch.hand_off_at(session)?.unwrap_or(0));
    let place = batch.session_place(session)?;
    batch.put_hand_off(&row(session, at, &place, hand_off))?;
    Ok(())
}

/// After something of a session was forgotten: what it left in the hand-off goes with it.
pub(crate) fn forget_in_hand_off(batch: &mut Batch<'_>, session: &SessionId) -> Result<()> {
    let Some(mut kept) = batch.hand_off(session)? else { return Ok(()) };
    kept.written = None;
    // Where nothing was derived, nothing is: the behavior may be off.
    if is_empty(&kept) {
        return Ok(());
    }
    keep_up(batch, session, 0, &Context::new())
}

/// Makes the derived parts anew; what was written stays.
fn keep_up(batch: &mut Batch<'_>, session: &SessionId, at: Millis, place: &Context) -> Result<()> {
    let before = batch.hand_off(session)?;
    let words: Vec<Words> = words(batch, session)?;
    let mut hand_off = gather::gather(batch, session, &words)?;
    if let Some(before) = &before {
        hand_off.written.clone_from(&before.written);
        hand_off.written_at = before.written_at;
    }
    // A session in which nothing was said hands nothing over.
    if before.is_none() && is_empty(&hand_off) {
        return Ok(());
    }
    let at = at.max(batch.hand_off_at(session)?.unwrap_or(0));
    batch.put_hand_off(&row(session, at, place, hand_off))?;
    Ok(())
}

fn row(session: &SessionId, at: Millis, place: &Context, hand_off: model::HandOff) -> HandOffRow {
    let said = |key: &str| place.get(key).cloned();
    HandOffRow {
        session: session.clone(),
        at,
        workspace: said("workspace").map(WorkspaceKey::from_hex),
        project: said("project"),
        project_key: said("project-key"),
        branch: said("branch"),
        hand_off,
    }
}

/// What the agent said at the end of a turn. Prompts have a table of their own; this has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Words {
    at: Millis,
    /// The event, so that learning it again changes nothing.
    id: String,
    text: String,
}

fn words(batch: &Batch<'_>, session: &SessionId) -> Result<Vec<Words>> {
    let kept = batch.state(session, WORDS)?;
    Ok(kept.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default())
}

fn note_words(batch: &mut Batch<'_>, event: &Event, text: &str) -> Result<()> {
    let said = Words { at: event.at, id: event.id.to_string(), text: one_line(text, MAX_SAID) };
    if said.text.is_empty() {
        return Ok(());
    }
    let mut kept = words(batch, &event.session)?;
    kept.retain(|one| one.id != said.id);
    kept.push(said);
    kept.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    let first = kept.len().saturating_sub(MAX_TAIL);
    let json = serde_json::to_string(&kept[first..]).expect("words are plain data");
    batch.set_state(&event.session, WORDS, &json, event.at)?;
    Ok(())
}

#[cfg(test)]
mod tests;
