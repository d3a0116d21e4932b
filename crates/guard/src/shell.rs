//! A shell command, read and never run: which programs it would start with which words, what it pipes where, and which
//! files it would write. What cannot be told from the text alone is unknown, and is said to be.
//!
//! Read as POSIX `sh` and bash read it: quoting, lists, pipelines, groups, loops, functions, here-documents,
//! substitutions. Variables are followed where the text sets them, folders where it changes them, and programs that
//! start programs (`sudo`, `env`, `xargs`, `bash -c`, …) are opened. Branches are not weighed: every command that stands
//! there counts as one that runs. Text of other languages (`python -c`, `awk`) is not read.

mod compound;
mod expand;
mod fed;
mod reader;
mod runners;
mod scripts;
mod search;
mod simple;
mod state;
mod unwrap;
mod words;
mod wrappers;
mod writes;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub(crate) use scripts::patch as patched_files;
pub use search::{Entry, Search};
pub(crate) use unwrap::{SHELLS, find_folders, only_reads};
pub use writes::{Copy, Found, How, Link, Patch, Place, Write, Writes, writes};
pub(crate) use writes::{writes_in, writes_of};

/// Linux gives one argument of a program at most 128 KiB, and a command is one argument of `bash -c`. Twice that is
/// nobody's command.
pub const MAX_BYTES: usize = 256 * 1024;
/// Of commands; a person's longest scripts have hundreds.
pub const MAX_COMMANDS: usize = 4096;
/// Groups within groups that share one input: more than a text may nest.
const MAX_HOPS: usize = 64;
/// Around the name of something unknown: a letter no keyboard has, and no file's name.
pub(crate) const NAMED: char = '\u{E000}';

/// Reads a command. Never fails: what is no shell text is marked.
pub fn read(command: &str) -> Script {
    reader::read(command)
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// In the order they are read; those within a substitution stand before the command that uses what they say, and
    /// those that a command starts stand behind it.
    pub commands: Vec<Command>,
    /// It is too long, nested too deeply or becomes too many words: not all of it was read.
    pub is_truncated: bool,
    /// A quote or a bracket is not closed, or a word stands where no shell takes it.
    pub is_unreadable: bool,
}

/// A program and its words, or redirections of a group alone (then there are no words).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Command {
    pub words: Vec<Word>,
    /// Before the program: `A=1 cargo test`, `env A=1 cargo test`.
    pub assignments: Vec<(String, Word)>,
    pub redirects: Vec<Redirect>,
    /// The first command of the pipeline that feeds it.
    pub piped_from: Option<usize>,
    piped_until: usize,
    /// The command whose standard input it shares: it is within its group, or started by it.
    pub input: Option<usize>,
    /// The folder it runs in, where the text changes it. `None`: where the shell is.
    pub folder: Option<Arc<Word>>,
    /// The command that starts it.
    pub within: Option<usize>,
    /// It starts another command, in this way.
    pub wraps: Option<Wrap>,
    /// On another machine or in another file system.
    pub is_elsewhere: bool,
    pub is_background: bool,
    /// The function it stands in.
    pub function: Option<Arc<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrap {
    /// It changes how, not what: `nice`, `timeout`, `env`.
    Plain,
    /// A program of a project or with a project's settings: `npx`, `poetry run`.
    Runs,
    /// With another person's rights: `sudo`.
    Rights,
    /// With words that somebody else says: `xargs`, `find -exec`.
    Fed,
    /// A text that is a script: `bash -c`, `eval`.
    Script,
    /// On another machine or in another file system: `ssh`, `docker exec`.
    Elsewhere,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    pub kind: RedirectKind,
    /// The file, the number for [`RedirectKind::Duplicate`], the text for a here-document or here-string.
    pub target: Word,
    /// The number before the sign: `2>`.
    number: Option<u32>,
    document: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`, `2>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<<`
    Document,
    /// `<<<`
    Text,
    /// `2>&1`, `<&3`
    Duplicate,
}

impl RedirectKind {
    pub const fn is_input(self) -> bool {
        matches!(self, Self::Read | Self::ReadWrite | Self::Document | Self::Text)
    }

    pub const fn is_output(self) -> bool {
        matches!(self, Self::Write | Self::Append | Self::ReadWrite)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// `*`, `?`, `[a-z]` outside of quotes.
    Glob(String),
    /// `~` or `~name` at the beginning, or `$HOME`.
    Home(String),
    Variable {
        name: String,
        /// Nothing in the text sets it, and nothing would stop the script if it is empty.
        may_be_empty: bool,
    },
    /// What these commands say: `$( )`.
    Output(Range<usize>),
    /// A file that gives what these commands say: `<( )`.
    Process(Range<usize>),
    /// A file that feeds these commands: `>( )`.
    Sink(Range<usize>),
    /// What another program puts there: `xargs`, `find -exec`, a calculation.
    Given,
}

impl Script {
    /// The commands whose output it reads, as far as they are in the text.
    pub fn upstream(&self, at: usize) -> Vec<usize> {
        let (mut found, mut at) = (Vec::new(), at);
        for _ in 0..MAX_HOPS {
            let Some(command) = self.commands.get(at) else { break };
            match (command.piped_from, command.input) {
                (Some(from), _) => {
                    found.extend(from..command.piped_until);
                    at = from;
                }
                (None, Some(input)) => at = input,
                (None, None) => break,
            }
        }
        found
    }

    /// The redirection that is its standard input, its own or that of what it stands in.
    pub fn input_of(&self, at: usize) -> Option<&Redirect> {
        let mut at = Some(at);
        for _ in 0..MAX_HOPS {
            let command = self.commands.get(at?)?;
            if let Some(redirect) = command.redirects.iter().rev().find(|redirect| redirect.kind.is_input()) {
                return Some(redirect);
            }
            if command.piped_from.is_some() {
                return None;
            }
            at = command.input;
        }
        None
    }
}

impl Command {
    /// The program's name without its folder; `None` where only a shell could say.
    pub fn program(&self) -> Option<String> {
        let text = self.words.first()?.text()?;
        Some(text.rsplit('/').next().unwrap_or(&text).to_owned())
    }

    /// The words after the program.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }
}

/// Its words with blanks between them and `*` for what only a shell could know.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.words.iter().map(Word::shape).collect();
        f.write_str(&words.join(" "))
    }
}

impl Word {
    pub fn literal(text: &str) -> Self {
        Self { parts: vec![Part::Text(text.to_owned())] }
    }

    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Its whole value, if the text tells it. `~` stays as it is written: see [`Word::is_home`].
    pub fn text(&self) -> Option<String> {
        let mut all = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) | Part::Home(text) => all.push_str(text),
                _ => return None,
            }
        }
        Some(all)
    }

    /// Its value up to the first thing that only a shell could know.
    pub fn prefix(&self) -> String {
        let known = self.parts.iter().map_while(|part| match part {
            Part::Text(text) | Part::Home(text) => Some(text.as_str()),
            _ => None,
        });
        known.collect()
    }

    /// Its value with `*` for what only a shell could know, patterns as they are written.
    pub fn shape(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) | Part::Home(text) | Part::Glob(text) => text.as_str(),
            _ => "*",
        });
        parts.collect()
    }

    /// It begins with somebody's home folder, not with a file that is called `~`.
    pub fn is_home(&self) -> bool {
        matches!(self.parts.first(), Some(Part::Home(_)))
    }

    /// A part of it is a variable, a substitution or another program's word. Patterns are not counted.
    pub fn is_unknown(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part, Part::Text(_) | Part::Home(_) | Part::Glob(_)))
    }

    /// The same with a name for whatever only a shell could know, so that two words are the same text if they are the same
    /// unexpanded. `None`: another program says a part of it, and each time another one.
    pub(crate) fn named(&self) -> Option<Self> {
        let mut named = Self::default();
        for part in &self.parts {
            named.push(match part {
                Part::Text(_) | Part::Home(_) => part.clone(),
                Part::Glob(glob) => Part::Text(glob.clone()),
                Part::Variable { name, .. } => Part::Text(format!("{NAMED}{name}{NAMED}")),
                Part::Output(range) | Part::Process(range) | Part::Sink(range) => {
                    Part::Text(format!("{NAMED}{}-{}{NAMED}", range.start, range.end))
                }
                Part::Given => return None,
            });
        }
        Some(named)
    }

    /// It is nothing but `>( )`.
    fn is_sink(&self) -> bool {
        matches!(self.parts(), [Part::Sink(_)])
    }

    fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(text) if text.is_empty()))
    }

    fn len(&self) -> usize {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) | Part::Home(text) | Part::Glob(text) => text.len(),
            _ => 1,
        });
        parts.sum()
    }

    fn push(&mut self, part: Part) {
        match (self.parts.last_mut(), part) {
            (Some(Part::Text(held)), Part::Text(more)) => held.push_str(&more),
            (Some(_), Part::Text(text)) if text.is_empty() => {}
            // `""` before something says nothing.
            (Some(Part::Text(held)), part) if held.is_empty() => {
                self.parts.pop();
                self.parts.push(part);
            }
            (_, part) => self.parts.push(part),
        }
    }
}
