//! What a behavior is lent while the agent waits: the tables, search, the end of the conversation, the state of
//! the house. The daemon lends the real ones; whoever wants to see what would be said lends the same ones and lets
//! nothing be noted.

use std::path::Path;
use std::time::Instant;

use model::{Event, MemoryId, SessionId, Tail};
use store::Tables;

use crate::Result;
use crate::config::Config;
use crate::rules::Ruled;
use crate::search::{Ask, Hit};

/// Something that is wrong with the house, and what a person can do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The same fault has the same name until it is over; it is told once.
    pub name: String,
    pub what: String,
    /// The exact command that repairs it.
    pub repair: String,
}

pub trait Surroundings: Send + Sync {
    /// Lends a reader of the derived tables.
    fn read(&self, with: &mut dyn FnMut(&Tables) -> Result<()>) -> Result<()>;

    /// The best answers, best first; what takes longer than until then is not waited for.
    fn find(&self, ask: &Ask, until: Instant) -> Result<Vec<Hit>>;

    /// What the conversation said last, from so many bytes at the end of the agent's own file.
    fn tail(&self, event: &Event, bytes: u64) -> Option<Tail>;

    /// Whether this memory is new to this conversation; from now on it is not. A subagent has a conversation of
    /// its own.
    fn claim(&self, session: &SessionId, subagent: Option<&str>, memory: MemoryId) -> bool;

    /// Whether a process of this id lives on this machine.
    fn is_alive(&self, pid: u32) -> bool;

    /// The folder of our namespace, with the files people may put there.
    fn data(&self) -> &Path;

    /// What is wrong just now.
    fn faults(&self) -> Vec<Fault>;

    /// Past conversations whose files lie beside this one's and that are not taken in, as far as a moment tells.
    fn past_conversations(&self, transcript: &str) -> u64;

    /// Runs the person's own rules that this event concerns, each within its budget and none past `until`; in the
    /// order of their names. Who lends no rules has none.
    fn rules(&self, _config: &Config, _event: &Event, _until: Instant) -> Vec<Ruled> {
        Vec::new()
    }
}
