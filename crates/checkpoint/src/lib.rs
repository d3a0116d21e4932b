//! Snapshots of a git work tree, and the way back to them. Knows git and files; refuses to know what a session or a
//! memory is, and never touches what is the person's own: their index, stash, branches, HEAD and reflog stay as they
//! are, byte for byte, unless a restore was asked for.
//!
//! A snapshot is a commit of the shape `git stash` makes, under `refs/throughline/checkpoints/<id>`:
//!
//! ```text
//! snapshot (all files as they lay there, untracked ones too)
//!   ├─ parent 1: HEAD as it was (none where nothing was committed yet)
//!   └─ last parent: the index as it was
//! ```
//!
//! So it can be looked at, and brought back, with git alone: `git diff REF`, `git stash apply REF`. It is made in any
//! case, also of a tree without changes, so that what it stands on outlives a rebase and a collection of garbage.

mod difference;
mod git;
mod held;
mod repository;
mod restore;
mod scratch;
mod snapshot;
mod status;

use std::io;
use std::path::PathBuf;

pub use difference::Form;
pub use held::{AUTOMATIC, Entry, FileStat, REFERENCES, Shown};
pub use repository::{Operation, Place, Repository, find};
pub use restore::{Change, ChangeKind, Left, Mode, Plan, Restored, Scope, WhyLeft};
pub use snapshot::{DirtyFile, Limits, MAX_FILE, MAX_FILES, MAX_TOTAL, New, Skipped, Snapshot, WhySkipped};
pub use status::FileState;

/// Checkpoints a repository keeps by default: weeks of work, and few enough that `git gc` does not notice them. As many
/// again of those that are made by themselves: some days of work.
pub const KEEP: usize = 50;

/// Sorted by what the caller can do about it.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("the program `git` was not found")]
    NoGit,
    #[error("git did not finish in time: {0}")]
    Late(String),
    #[error("git said more than can be taken in: {0}")]
    TooMuch(String),
    #[error("{0} files differ from the last commit, more than a checkpoint takes")]
    TooMany(usize),
    /// In git's own words.
    #[error("git refused: {0}")]
    Refused(String),
    #[error("no checkpoint's files are kept here under \"{0}\"")]
    Unknown(String),
    #[error("\"{0}\" cannot name a checkpoint: letters, digits and hyphens do")]
    BadId(String),
    #[error("{} is not in this work tree", .0.display())]
    Outside(PathBuf),
    /// Restoring in the middle of it would leave it half done.
    #[error("{} is going on here", .0.name())]
    InProgress(Operation),
    #[error("another git is at work here: {} is there", .0.display())]
    Busy(PathBuf),
    /// The work tree is neither as it was nor as it was meant to be; the safety snapshot has all of it.
    #[error("restoring stopped half-way")]
    HalfWay { safety: String, source: Box<CheckpointError> },
    #[error("{what}")]
    Io { what: String, source: io::Error },
}

impl CheckpointError {
    fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self::Io { what: what.into(), source }
    }
}
