//! What the door is lent of the house it stands in. The binary implements it with the daemon's own process and the
//! functions its commands use; here nobody opens a file, a database or a socket. Every call may block for a bounded
//! time and is made on a thread that is lent for it.

use std::time::Duration;

use mcp::{Keepers, Refusal};
use model::{Entry, EventKind};
use serde_json::Value;
use store::{Location, StoreError, Stored, Tables};

pub trait House: Keepers {
    /// A control question, answered in this process: what the same question over the daemon's socket says.
    fn ask(&self, question: &Value, patience: Duration) -> Value;

    /// Lends a reader of the tables that is open already. What was acknowledged a moment ago may not be in them yet.
    fn read(&self, with: &mut dyn FnMut(&Tables) -> Result<(), StoreError>) -> Result<(), StoreError>;

    /// Takes in an event as the agent's hook would deliver it: redacted, committed, then answered. Empty: silence.
    fn hear(&self, agent: &str, event: &str, body: Vec<u8>) -> Vec<u8>;

    /// One entry of the journal, whole.
    fn entry(&self, at: Location) -> Result<Stored, StoreError>;

    /// Entries from this position on, oldest first, at most so many. Damaged ones are passed over.
    fn entries(&self, from: u64, most: usize) -> Vec<Stored>;

    /// What an agent's entry says at a glance. Entries of our own are deeds and need no reader.
    fn glimpse(&self, entry: &Entry) -> Glimpse;

    /// The position of the last acknowledged entry.
    fn head(&self) -> u64;

    /// Waits until something is acknowledged beyond this position; the head by then.
    fn wait_beyond(&self, position: u64, patience: Duration) -> u64;

    /// Waits until more is in the tables than what is up to this position; how far they are by then.
    fn wait_learned(&self, position: u64, patience: Duration) -> u64;

    /// What `config list --json` prints, one object a setting.
    fn settings(&self) -> Vec<Value>;

    /// What `config set` and, without a value, `config unset` do.
    fn set(&self, key: &str, value: Option<&str>) -> Result<(), Refusal>;

    /// What `doctor --json` prints.
    fn checks(&self) -> Value;

    /// The last lines of the daemon's log, oldest first.
    fn log(&self, lines: usize) -> Vec<String>;
}

/// An entry of the journal as its agent's dialect reads it, as far as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glimpse {
    /// One line: what was done.
    pub title: String,
    pub kind: EventKind,
    pub cwd: Option<String>,
    pub project: Option<String>,
    pub subagent: Option<String>,
    /// What the agent calls this call of a tool, before and after it.
    pub call: Option<String>,
    /// Whether the call worked; none before it is over.
    pub ok: Option<bool>,
    pub duration_ms: Option<u64>,
    /// Why it did not work, or what else there is to say.
    pub detail: Option<String>,
}
