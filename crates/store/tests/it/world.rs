//! What every story needs: a folder of its own, entries that can be told apart, repeatable chance.

use std::path::{Path, PathBuf};

use model::{Context, Entry, EventId, SessionId};
use store::StoreError;
use store::journal::{Durability, Journal, JournalPolicy, Recovery, Stored};
use tempfile::TempDir;

/// A Saturday in November.
pub(crate) const NOON: u64 = 1_763_208_000_000;
pub(crate) const DAY: u64 = 24 * 60 * 60 * 1000;

pub(crate) struct World {
    folder: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn journal(&self) -> PathBuf {
        self.folder.path().join("journal")
    }

    pub(crate) fn open(&self) -> Journal {
        self.open_with(JournalPolicy::default()).0
    }

    pub(crate) fn open_with(&self, policy: JournalPolicy) -> (Journal, Recovery) {
        Journal::open(&self.journal(), policy).unwrap()
    }

    pub(crate) fn segments(&self) -> Vec<PathBuf> {
        segments(&self.journal())
    }
}

pub(crate) fn segments(journal: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(journal)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "seg"))
        .collect();
    found.sort();
    found
}

pub(crate) fn small_segments(bytes: u64) -> JournalPolicy {
    JournalPolicy { segment_bytes: bytes, ..JournalPolicy::default() }
}

/// For stories about bytes rather than about the disk.
pub(crate) fn unsynced() -> JournalPolicy {
    JournalPolicy { durability: Durability::Process, ..JournalPolicy::default() }
}

pub(crate) fn id(number: u64) -> EventId {
    EventId::mint(number, [3; 10])
}

pub(crate) fn entry(number: u64) -> Entry {
    Entry {
        id: id(number),
        at: NOON + number,
        agent: "claude-code".to_owned(),
        session: SessionId::new("0193a1b2-0000-7000-8000-000000000001"),
        event: "PostToolUse".to_owned(),
        tool: Some("Bash".to_owned()),
        context: Context::from([("CLAUDE_PID".to_owned(), "4242".to_owned())]),
        envelope: format!(r#"{{"number":{number},"text":"größer"}}"#).into_bytes(),
    }
}

pub(crate) fn sized(number: u64, bytes: usize) -> Entry {
    let mut entry = entry(number);
    entry.envelope = format!("\"{}\"", "x".repeat(bytes)).into_bytes();
    entry
}

pub(crate) fn all(journal: &Journal) -> Vec<Stored> {
    journal.read_from(0).map(Result::unwrap).collect()
}

/// What can be read, and how often reading failed in between.
pub(crate) fn readable(entries: impl Iterator<Item = Result<Stored, StoreError>>) -> (Vec<Stored>, usize) {
    let mut failures = 0;
    let found = entries
        .filter_map(|entry| {
            failures += usize::from(entry.is_err());
            entry.ok()
        })
        .collect();
    (found, failures)
}

/// Xorshift: the same numbers for the same seed, everywhere.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }
}
