//! What a behavior is lent while the agent waits: the tables, search, the end of the conversation, the state of
//! the house. The daemon lends the real ones; whoever wants to see what would be said lends the same ones and lets
//! nothing be noted.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use model::{Event, EventId, MemoryId, Millis, SessionId, Tail};
use store::Tables;

use crate::Result;
use crate::behaviors::{Checked, Edited, Question, Step, Wrong};
use crate::config::Config;
use crate::desk::Desk;
use crate::once::Once;
use crate::rules::{Judgment, Ruled};
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

/// Memories that are being read for search by meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    pub memories: u64,
    pub waiting: u64,
    /// As far as it can be told yet.
    pub seconds_left: Option<u64>,
}

/// Events that could not be kept, and that nobody was told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    pub events: u64,
    /// When the first and the last of them happened.
    pub since: model::Millis,
    pub until: model::Millis,
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

    /// It was not shown after all: the memory is new to the conversation again.
    fn unclaim(&self, _session: &SessionId, _subagent: Option<&str>, _memory: MemoryId) {}

    /// Whether a process of this id lives on this machine.
    fn is_alive(&self, pid: u32) -> bool;

    /// Waits until the tables know of this event, or of all that were kept before this moment. False: not by then. For
    /// the few events whose answer hangs on what happened a moment ago.
    fn caught_up(&self, _event: Option<EventId>, _until: Instant) -> bool {
        true
    }

    /// Whether this very process lives: ids are used again, so its beginning counts where it is known.
    fn is_running(&self, pid: u32, _began: Option<&str>) -> bool {
        self.is_alive(pid)
    }

    /// Takes something so that of two that want it at one moment one gets it: who has it, if that is somebody else. Held
    /// for so long at most; by then the tables know.
    fn take(&self, _what: &str, _by: &str, _hold: Duration) -> Option<String> {
        None
    }

    /// The same for words: of two events that could say something one says it. Given back where nobody heard them.
    fn take_to_say(&self, what: &str, by: &str, hold: Duration) -> Option<String> {
        self.take(what, by, hold)
    }

    fn give_back(&self, _what: &str, _by: &str) {}

    /// The folder of our namespace, with the files people may put there.
    fn data(&self) -> &Path;

    /// The person's home folder.
    fn home(&self) -> Option<PathBuf> {
        None
    }

    /// What is wrong just now.
    fn faults(&self) -> Vec<Fault>;

    /// How far search by meaning is, while it reads what is new to it.
    fn reading(&self) -> Option<Reading> {
        None
    }

    /// What could not be kept and nobody was told of.
    fn loss(&self) -> Option<Loss> {
        None
    }

    /// Past conversations whose files lie beside this one's and that are not taken in, as far as a moment tells.
    fn past_conversations(&self, transcript: &str) -> u64;

    /// Lends the map of a workspace as its files are now. False: there is none yet, or it cannot be had by `until`.
    fn map(&self, _root: &Path, _until: Instant, _with: &mut dyn FnMut(&mut atlas::Atlas)) -> bool {
        false
    }

    /// Has the map of a workspace made or brought up to date, in the background.
    fn warm_map(&self, _root: &Path) {}

    /// Counts an edit of a session, and has its work tree kept in the background when that is due. Who lends no way to
    /// keep it keeps nothing.
    fn edited(&self, _edit: &Edited) {}

    /// The files that a session and its subagents have changed since then, by name: noted from the events themselves,
    /// whichever behaviors are on.
    fn edits(&self, _session: &SessionId, _since: Millis) -> Vec<String> {
        Vec::new()
    }

    /// Tells what a conversation does to a project whose tools are run in the background, and hears what of theirs is new
    /// to it by then. Who lends no tools finds nothing wrong. Nothing counts as told yet: see
    /// [`note_checked`](Self::note_checked).
    fn check(&self, _config: &Config, _step: &Step, _until: Instant) -> Checked {
        Checked::default()
    }

    /// These are named to the conversation, or its turn is held for them. `None`: another event of the same moment has named
    /// them all.
    fn note_checked(&self, _step: &Step, _named: &[Wrong], _hold: bool) -> Option<Once> {
        Some(Once::default())
    }

    /// Asks the person's model for a yes or a no, once about each prompt, and waits for it until then. `None`: it was asked
    /// before, there is no model, or it has not answered yet. A yes that comes later is kept for [`judged_late`](Self::judged_late).
    fn judge(
        &self,
        _config: &Config,
        _event: &Event,
        _question: &Question,
        _until: Instant,
    ) -> Option<Judgment> {
        None
    }

    /// The reason of a yes that came late in this conversation; said once.
    fn judged_late(&self, _event: &Event) -> Option<String> {
        None
    }

    /// What a model found missing was said to nobody: it waits for the conversation's next prompt.
    fn judged_unheard(&self, _event: &Event, _missing: String) {}

    /// Lends the desk of a conversation. A subagent has one of its own.
    fn desk(&self, _session: &SessionId, _subagent: Option<&str>, with: &mut dyn FnMut(&mut Desk)) {
        with(&mut Desk::default());
    }

    /// Runs the person's own rules that this event concerns, each within its budget and none past `until`; in the
    /// order of their names. Who lends no rules has none.
    fn rules(&self, _config: &Config, _event: &Event, _until: Instant) -> Vec<Ruled> {
        Vec::new()
    }

    /// What a rule said late was said to nobody: it waits for the conversation's next event.
    fn ruled_unheard(&self, _event: &Event, _late: Ruled) {}
}
