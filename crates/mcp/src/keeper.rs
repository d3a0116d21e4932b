//! What the tools need of the house they are in. The binary implements it with the functions its own commands use,
//! so that a tool and a command can never disagree.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use atlas::Question;
use engine::Workspace;
use model::{MemoryKind, Millis, SessionId};
use serde_json::Value;
use store::{MemoryRow, Tables};

/// Why something was not done, and what to do about it. Both are read by a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub what: String,
    pub next: String,
}

impl Refusal {
    pub fn new(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what: what.into(), next: next.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if self.next.is_empty() { Ok(()) } else { write!(f, "\nWhat to do: {}", self.next) }
    }
}

impl std::error::Error for Refusal {}

/// Which end of a day that is named is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Since,
    Until,
}

/// Something an agent wants kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub text: String,
    pub title: Option<String>,
    pub kind: MemoryKind,
    pub files: Vec<String>,
    /// Another project than the one the agent works in.
    pub project: Option<String>,
    /// Of no project.
    pub global: bool,
    pub critical: bool,
    pub pinned: bool,
}

#[derive(Debug, Clone)]
pub struct Remembered {
    pub row: MemoryRow,
    /// It was kept already, in the same words.
    pub known: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checkpointing {
    Create {
        message: Option<String>,
    },
    /// Of this folder, or of all.
    List {
        all: bool,
    },
    Show {
        id: String,
    },
    /// Without `confirm` it says what would change.
    Restore {
        id: String,
        only_changed: bool,
        confirm: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claiming {
    /// In this folder, or in all.
    List { all: bool },
    /// For the session named, else the one this runs in, else the only one at work here.
    Take { session: Option<String>, files: Vec<String>, note: Option<String> },
    /// Without files, all that the session holds.
    Release { session: Option<String>, files: Vec<String> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Messaging {
    /// To one session, or to every other one at work in this repository.
    Send { to: Option<String>, all: bool, text: String },
    /// All that were sent, or those to one session.
    List { to: Option<String> },
}

/// Every call may block for a bounded time; tools run on threads of their own.
pub trait Keeper: Send + Sync {
    /// The release, as people read it.
    fn version(&self) -> &str;

    /// Where the agent works.
    fn folder(&self) -> &Path;

    fn workspace(&self) -> Workspace;

    /// A control question to the daemon, which is started if there is none.
    fn ask(&self, question: &Value, patience: Duration) -> Result<Value, Refusal>;

    /// The tables, with all that was acknowledged by now in them.
    fn tables(&self) -> Result<Tables, Refusal>;

    /// `3 weeks`, `yesterday`, `2026-01-31`, RFC 3339.
    fn moment(&self, text: &str, end: End) -> Result<Millis, Refusal>;

    fn remember(&self, note: Note) -> Result<Remembered, Refusal>;

    /// For good. True when nothing in our files says it any more, false when that is finished in the background.
    fn forget(&self, ids: &[String]) -> Result<bool, Refusal>;

    /// The session it was written for: the one named, else the one this runs in, else the only one at work here.
    fn hand_over(&self, session: Option<&str>, text: &str) -> Result<SessionId, Refusal>;

    /// What the commands of the same names print as JSON.
    fn checkpoint(&self, wish: Checkpointing) -> Result<Value, Refusal>;

    /// Hands a call to somebody who has what it needs, and brings back the answer that [`crate::answer`] gave there.
    /// `None`: it has to be done here. Without a tool it is about resources.
    fn forward(&self, _tool: Option<&str>, _call: &Value) -> Option<Result<Value, Refusal>> {
        None
    }

    /// Whether an agent's hooks come here. Then a message may be as large as what one of its tools gives.
    fn takes_hooks(&self) -> bool {
        false
    }

    /// Delivers an event of the agent itself as its hook would; what it is answered, empty for silence. `None`: hooks
    /// are not taken here, or whoever calls does not know the word.
    fn hook(&self, _word: &str, _event: &str, _body: Vec<u8>) -> Option<Vec<u8>> {
        None
    }

    /// What the code map says; the commands of the same names print it.
    fn code(&self, question: Question) -> Result<atlas::Answer, Refusal>;

    fn claims(&self, wish: Claiming) -> Result<Value, Refusal>;

    fn message(&self, wish: Messaging) -> Result<Value, Refusal>;

    /// Sessions at work now with what they were asked and what they hold, last seen first, as the command prints them;
    /// in this folder's work tree, or everywhere.
    fn live_sessions(&self, here: bool) -> Result<Vec<Value>, Refusal>;
}

/// A house with many guests: each is lent a keeper for the folder it works in.
pub trait Keepers: Send + Sync {
    /// The release, as people read it.
    fn version(&self) -> &str;

    /// `None`: nobody has said where. Then nothing is "here", and all that is not tied to a folder can still be asked.
    fn keeper(&self, folder: Option<&Path>) -> Arc<dyn Keeper>;
}
