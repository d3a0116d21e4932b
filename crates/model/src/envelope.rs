//! A raw hook call as the client carried it: bytes and what the client knew about them.

use std::collections::BTreeMap;

use crate::{EventId, Millis};

/// What the client's environment said (`CLAUDE_PID`, …) and, once taken in, where it happened
/// (`root`, `project`, `branch`). Sorted, so that a journal entry has one form.
pub type Context = BTreeMap<String, String>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    pub id: EventId,
    pub at: Millis,
    /// The adapter's name, for example `claude-code`.
    pub agent: String,
    /// The event named on the command line, if any; the body's own name wins.
    pub hint: Option<String>,
    pub context: Context,
    pub body: Vec<u8>,
}
