//! Words that hooks do not tell and transcripts do: what a subagent said last, where the event of its end does not say it, and what
//! was said in a turn before its last words. Looked up as the event comes in, so that the journal has them: the transcript
//! may be gone when somebody derives anew.

use std::path::PathBuf;

use agents::transcript::{Growth, InTurn, TurnEnd, said_in_turn};
use agents::{Adapter, Incoming};
use model::{Author, Detail, Event, EventKind};

use crate::lender::end_of;

/// Of the file: a reply, and what tools gave before it.
const LAST_LINES: u64 = 256 << 10;
/// Of the reply; its end counts, because the line that an agent's part asks for is the last.
const MOST: usize = 16 << 10;

/// Of the main thread's file: a long turn. An agent waits while it is read.
const LAST_TURN: u64 = 1 << 20;
/// A document is read as a whole or not at all.
const DOCUMENT: u64 = 512 << 10;

pub(crate) fn untold(adapter: &dyn Adapter, incoming: &Incoming<'_>, event: &Event) -> Option<String> {
    let Detail::Stop { last_message, .. } = &event.detail else { return None };
    let agent = event.subagent.as_ref()?;
    if last_message.as_ref().is_some_and(|said| !said.trim().is_empty()) {
        return None;
    }
    let file = PathBuf::from(adapter.subagent_file(incoming)?);
    // Named after the agent: no other file of the person's is read for it.
    if file.file_stem()?.to_str()?.strip_prefix("agent-") != Some(agent.id.as_str()) {
        return None;
    }
    let said = adapter.last_words(&agent.id, &end_of(&file, LAST_LINES)?)?;
    let from = said.ceil_char_boundary(said.len().saturating_sub(MOST));
    Some(said[from..].to_owned())
}

/// What was said in the turn of the main thread that this event ends. `None`: it ends none, or there is no file to ask.
pub(crate) fn in_turn(adapter: &dyn Adapter, event: &Event) -> Option<InTurn> {
    use EventKind::{PreCompact, SessionEnd, Stop, StopFailure, UserPromptSubmit};
    let next_prompt = match (event.kind, &event.detail) {
        (UserPromptSubmit, Detail::Prompt { text, author: Author::Person }) => Some(text.as_str()),
        (Stop | StopFailure | PreCompact | SessionEnd, _) => None,
        _ => return None,
    };
    let path = event.transcript.as_deref().filter(|_| event.subagent.is_none())?;
    let conversations = adapter.conversations()?;
    let file = match conversations.growth(path) {
        Growth::Lines => end_of(path.as_ref(), LAST_TURN)?,
        Growth::Whole if std::fs::metadata(path).is_ok_and(|file| file.len() <= DOCUMENT) => {
            end_of(path.as_ref(), DOCUMENT)?
        }
        Growth::Whole | Growth::Gathered => return None,
    };
    let end = TurnEnd { kind: event.kind, session: &event.session, at: event.at, next_prompt };
    Some(said_in_turn(conversations, path, &file, &end))
}
