//! The nouns of installing: what is to be called, what an edit does, what was found, why it was refused.
//! Knows no agent; where handlers sit in a settings file is the adapter's knowledge.

use model::EventKind;

/// The program an agent starts for an event, without a shell. The event's name follows the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    /// An absolute path, so that the agent's own PATH does not matter.
    pub program: String,
    pub args: Vec<String>,
}

/// A settings file before and after. Made to be shown first ([`crate::diff`]) and written by someone else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// `None`: there was no file.
    pub before: Option<String>,
    pub after: String,
    /// What changes, one line each, for a person. Empty: nothing does.
    pub summary: Vec<String>,
}

impl Edit {
    pub fn changes(&self) -> bool {
        self.before.as_deref() != Some(self.after.as_str())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Installed {
    /// Events that call us, in the order we register them.
    pub present: Vec<EventKind>,
    /// Events that should call us and do not.
    pub missing: Vec<EventKind>,
    /// The programs our handlers name: one, unless an old path is still among them.
    pub programs: Vec<String>,
    /// Installing the same program again would change something.
    pub stale: bool,
    /// The agent runs no hooks at all from any file while this one says so.
    pub hooks_disabled: bool,
}

/// Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Not JSON: the agent cannot read the file either.
    #[error("line {line}, column {column}: {what}")]
    Malformed { line: usize, column: usize, what: &'static str },
    /// JSON, but no place to put a handler.
    #[error("line {line}, column {column}: {place} is {found}, expected {expected}")]
    WrongShape { line: usize, column: usize, place: String, found: &'static str, expected: &'static str },
}
