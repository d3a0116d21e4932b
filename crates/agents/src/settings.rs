//! The nouns of installing: what is to be started, in which files it is named, what an edit does, what was found,
//! why it was refused. Knows no agent; where we sit in a file is the knowledge of the agent's own room.

use model::EventKind;

/// A program an agent starts. Of a hook, the event's name follows the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// An absolute path, so that the agent's own PATH does not matter.
    pub program: String,
    pub args: Vec<String>,
}

impl Program {
    /// One of our two executables, called as a hook.
    pub fn is_hook(&self) -> bool {
        match self.program.rsplit(['/', '\\']).next().unwrap_or_default() {
            "throughline-hook" => true,
            "throughline" => self.args.first().is_some_and(|arg| arg == "hook"),
            _ => false,
        }
    }

    /// What this server wants to hear from a hook. `None`: it takes no hooks.
    pub fn word(&self) -> Option<&str> {
        let at = self.args.iter().position(|arg| arg == Self::WORD_OPTION)?;
        self.args.get(at + 1).map(String::as_str)
    }

    /// Of the server; the word follows it.
    pub const WORD_OPTION: &str = "--hooks";
}

/// What of us an agent's files are to name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ours {
    pub hook: Program,
    /// The MCP server; `None`: hooks alone are wanted.
    pub server: Option<Program>,
    /// Hooks go through the MCP server where the agent can do that; the server then has a [word](Self::word).
    pub fast: bool,
}

impl Ours {
    /// What a hook says to the server, and the server expects: only who wrote both files knows it.
    pub fn word(&self) -> Option<&str> {
        self.server.as_ref().and_then(Program::word)
    }
}

/// One of an agent's files that can name us. An agent has one or several: its hooks may be in one, its MCP servers
/// in another, and a third may be wholly ours.
pub trait SettingsFile: Send + Sync {
    /// What it names of us.
    fn holds(&self) -> Holds;

    /// Where it is. `moved`: the agent's own variable names its folder. `None`: there is none for this scope.
    fn path(&self, scope: Scope, moved: bool) -> Option<Location>;

    /// The edit that makes the file (`None`: there is none yet) name us once, and changes nothing else.
    fn add(&self, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError>;

    /// The edit that takes us, and only us, out again. Nothing left (blank, or an empty object): the file may go.
    fn remove(&self, text: &str) -> Result<Edit, SettingsError>;

    /// What of us is in it.
    fn installed(&self, text: &str) -> Result<Installed, SettingsError>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Hooks,
    Server,
    Both,
}

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The person's, everywhere.
    User,
    /// The project's, for everyone who works on it.
    Project,
    /// The person's, in this project alone.
    Local,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::User, Self::Project, Self::Local];
}

/// A path relative to a folder only the binary knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// In the agent's own folder.
    AgentHome(&'static str),
    /// In the person's home.
    Home(&'static str),
    /// In the project's root.
    Project(&'static str),
}

/// An agent's own folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentHome {
    /// The variable that names it, when set.
    pub variable: &'static str,
    /// Where it is under the person's home, when the variable is not set.
    pub folder: &'static str,
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
#[expect(clippy::struct_excessive_bools, reason = "four findings that are told one by one")]
pub struct Installed {
    /// Events that call us, in the order we register them. A file without hooks has none.
    pub present: Vec<EventKind>,
    /// Events that should call us and do not.
    pub missing: Vec<EventKind>,
    /// Events that call us more than once.
    pub doubled: Vec<EventKind>,
    /// Something that calls us is not as this release writes it.
    pub outdated: bool,
    /// The programs it starts of us: none where it does not name us, and several while an old path is among them.
    pub programs: Vec<String>,
    /// Installing the same program again would change something.
    pub stale: bool,
    /// What its hooks say to our MCP server, or what the server it names expects to hear from them. `None`: all hooks
    /// are programs. Two files of one agent that differ here lose events.
    pub word: Option<String>,
    /// It switches our plugin on, which brings hooks and server of its own.
    pub plugin: bool,
    /// The agent runs no hooks at all from any file while this one says so.
    pub hooks_disabled: bool,
}

/// The first release of an agent whose hooks can call an MCP server. An older one may refuse the whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FastHooks {
    /// What says its release with `--version`.
    pub program: &'static str,
    pub since: [u32; 3],
    /// The events that are worth it and can bear it.
    pub events: &'static [EventKind],
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
