//! What the journal keeps of one envelope. Everything else is derived from these.

use crate::{Context, EventId, Millis, SessionId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: EventId,
    pub at: Millis,
    pub agent: String,
    pub session: SessionId,
    /// The event's name as the agent sent it, known to us or not.
    pub event: String,
    pub tool: Option<String>,
    pub context: Context,
    /// The redacted envelope: always one valid JSON value.
    pub envelope: Vec<u8>,
}
