//! What a subagent said last, from its own transcript, where the event of its end does not say it. Looked up as the event comes
//! in, so that the journal has it: the transcript may be gone when somebody derives anew.

use std::path::PathBuf;

use agents::{Adapter, Incoming};
use model::{Detail, Event};

use crate::lender::end_of;

/// Of the file: a reply, and what tools gave before it.
const LAST_LINES: u64 = 256 << 10;
/// Of the reply; its end counts, because the line that an agent's part asks for is the last.
const MOST: usize = 16 << 10;

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
