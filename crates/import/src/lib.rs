//! Reads what others have kept: JSONL documents, claude-mem's database, MindStone's memory files, folders of
//! Markdown notes. Gives records, one after the other, and writes nothing.
//!
//! Nothing here is redacted. These are strangers' texts as they stand in strangers' files; whoever writes a
//! record anywhere redacts it first.
//!
//! Ids are made from what a record says of itself or from where it lies, so that reading a source again gives the
//! same ids. A reader never fails as a whole: what is wrong with one record is a [`Problem`] in its place, and the
//! rest follows.

mod claude_mem;
mod folder;
mod front_matter;
mod jsonl;
mod lines;
mod markdown;
mod memory_md;
mod mindstone;
mod note;
mod shape;
mod time;

use std::fmt;
use std::io::BufRead;
use std::path::Path;

use model::{Memory, Millis, SessionId};

pub use shape::{MAX_ITEMS, MAX_TEXT_BYTES, MAX_TITLE_CHARS};
pub use time::LATEST;

/// What can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Jsonl,
    ClaudeMem,
    Mindstone,
    MemoryMd,
}

impl Source {
    pub const ALL: &[Self] = &[Self::Jsonl, Self::ClaudeMem, Self::Mindstone, Self::MemoryMd];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::ClaudeMem => "claude-mem",
            Self::Mindstone => "mindstone",
            Self::MemoryMd => "memory-md",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|source| source.name() == name)
    }

    /// A file for JSONL and claude-mem, a folder for the others; a single note will do, too.
    pub fn read(self, path: &Path, options: &Options) -> Reader {
        match self {
            Self::Jsonl => jsonl::read(path, options),
            Self::ClaudeMem => claude_mem::read(path, options),
            Self::Mindstone => mindstone::read(path, options),
            Self::MemoryMd => memory_md::read(path, options),
        }
    }
}

/// JSONL from a pipe.
pub fn read_jsonl(lines: Box<dyn BufRead + Send>, options: &Options) -> Reader {
    jsonl::read_from(lines, "standard input".to_owned(), options)
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Sets the ids of one source apart from those of another that uses the same ones. With one, a document that
    /// has an id of its own is that id, and may change what it says; without one it is what it says, too. A note
    /// without one is its place.
    pub label: Option<String>,
    /// For records that name no project.
    pub project: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    Session(Session),
    Prompt(Box<Prompt>),
    Memory(Box<Imported>),
}

impl Record {
    pub fn memory(&self) -> Option<&Memory> {
        match self {
            Self::Session(_) => None,
            Self::Prompt(prompt) => Some(&prompt.memory),
            Self::Memory(imported) => Some(&imported.memory),
        }
    }
}

/// A session another tool has seen, under the agent's own id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub agent: String,
    pub project: Option<String>,
    pub title: Option<String>,
    pub started_at: Option<Millis>,
    pub ended_at: Option<Millis>,
}

/// What a person asked for: a memory of kind `prompt`, and its place within the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub number: Option<u32>,
    pub memory: Memory,
}

/// A memory and the use it has been elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub memory: Memory,
    /// How often it was cited.
    pub hits: u64,
    /// How often it kept someone from a mistake.
    pub prevented: u64,
    pub last_applied_at: Option<Millis>,
}

impl From<Memory> for Record {
    fn from(memory: Memory) -> Self {
        Self::Memory(Box::new(Imported { memory, hits: 0, prevented: 0, last_applied_at: None }))
    }
}

/// What a person should hear about one place of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A file, a line of it, a row.
    pub place: String,
    pub what: String,
    pub effect: Effect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The record before it was kept in part.
    Shortened,
    /// The record before it was kept without its time, which is none.
    Undated,
    /// Left alone on purpose.
    LeftOut,
    /// It could not be read; the rest follows.
    Lost,
    /// Nothing more can be read.
    Stopped,
}

impl Problem {
    pub(crate) fn new(effect: Effect, place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into(), effect }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

impl std::error::Error for Problem {}

pub type Item = Result<Record, Problem>;

/// The records of one source, in its order.
pub struct Reader {
    items: Box<dyn Iterator<Item = Item> + Send>,
    estimate: u64,
}

impl Reader {
    pub(crate) fn new(estimate: u64, items: impl Iterator<Item = Item> + Send + 'static) -> Self {
        Self { items: Box::new(items), estimate }
    }

    /// A source that cannot even be opened.
    pub(crate) fn stopped(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(0, std::iter::once(Err(Problem::new(Effect::Stopped, place, what))))
    }

    /// About how many items there will be: for a progress bar, not for a decision.
    pub fn estimate(&self) -> u64 {
        self.estimate
    }
}

impl Iterator for Reader {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        self.items.next()
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("estimate", &self.estimate).finish_non_exhaustive()
    }
}
