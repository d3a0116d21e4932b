//! What the door is lent of the house it stands in. The binary implements it with the daemon's own process and the
//! functions its commands use; here nobody opens a file, a database or a socket. Every call may block for a bounded
//! time and is made on a thread that is lent for it.

use std::path::Path;
use std::time::Duration;

use engine::Fault;
use mcp::{Keepers, Note, Refusal, Remembered};
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

    /// Takes in an event of somebody who reads no answer: redacted and committed like any other, but nobody is asked
    /// for advice, and nothing counts as said.
    fn take(&self, agent: &str, event: &str, body: Vec<u8>) -> Taken;

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

    /// What `doctor --json` prints, and `checked_at`. It may be some seconds old, because checks of a large journal take
    /// that long.
    fn checks(&self) -> Value;

    /// What is wrong just now.
    fn faults(&self) -> Vec<Fault>;

    /// The agents whose language is spoken here.
    fn agents(&self) -> Vec<KnownAgent>;

    /// What `remember` does when a person says it, in this folder if one is named.
    fn remember(&self, folder: Option<&Path>, note: Note) -> Result<Remembered, Refusal>;

    /// A text as it would be kept: without what must not be. Refused when nothing is left of it, or too much.
    fn clean(&self, text: &str) -> Result<String, Refusal>;

    /// The last lines of the daemon's log, oldest first.
    fn log(&self, lines: usize) -> Vec<String>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAgent {
    pub name: String,
    /// The name people know.
    pub label: String,
    /// Whether its settings name our hooks; none where they cannot be read.
    pub installed: Option<bool>,
    /// Whether its conversations are read as they are written.
    pub watched: bool,
}

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is in the journal.
    Kept,
    /// It is not to be kept: a private turn, a tool that is skipped, capture switched off or paused.
    Left,
    /// It could not be kept. Whoever sent it may try again.
    NotKept,
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
