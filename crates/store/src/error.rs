//! What can go wrong in the store, one variant per reaction of the caller.

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Nothing was kept. Try again later: the next append works as soon as there is room.
    #[error("the disk that holds {} is full; free some space, nothing needs a restart", .0.display())]
    Full(PathBuf),
    /// Nothing can be kept until a person changes the permissions.
    #[error("{} cannot be written; make it writable for you and run `throughline doctor`", .0.display())]
    ReadOnly(PathBuf),
    /// Another process has it; the caller is the one too many.
    #[error("{} is in use by another process; run `throughline daemon status`", .0.display())]
    Busy(PathBuf),
    /// The derived database cannot be trusted: move it aside and rebuild it from the journal.
    #[error("{} is damaged; run `throughline rebuild` to make it anew from the journal", .0.display())]
    Damaged(PathBuf),
    /// Acknowledged bytes of the journal cannot be read. What follows them can: go on.
    #[error(
        "{} has {bytes} unreadable bytes at {offset}; the rest is intact, run `throughline doctor`",
        path.display()
    )]
    Unreadable { path: PathBuf, offset: u64, bytes: u64 },
    /// The entry was here; retention dropped it, or a person wanted it gone.
    #[error("entry at {segment}+{offset} is no longer kept; raise `journal.keep-days` to keep more")]
    Gone { segment: u64, offset: u64 },
    /// Larger than any envelope a client may send.
    #[error("an entry of {bytes} bytes is larger than the journal takes ({limit}); shorten the envelope")]
    TooLarge { bytes: usize, limit: usize },
    /// The SQLite linked into this build has a known fault.
    #[error("SQLite {found} can lose a write-ahead log, {needed} or later is needed; rebuild throughline")]
    TooOld { found: String, needed: &'static str },
    /// Written by a later release: this one must not touch it.
    #[error("{} was written by a later throughline (format {found}, this one knows {known}); update it", path.display())]
    TooNew { path: PathBuf, found: u32, known: u32 },
    /// A prefix that fits several sessions.
    #[error("`{0}` fits more than one session; give more of the id")]
    Ambiguous(String),
    #[error("{}: {source}; run `throughline doctor`", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("the derived database refused: {0}; run `throughline doctor`")]
    Sql(#[source] rusqlite::Error),
}

impl StoreError {
    /// Sorts an I/O error by what the caller can do about it.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full(path.to_owned())
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly(path.to_owned())
            }
            _ => Self::Io { path: path.to_owned(), source },
        }
    }

    /// One failed sync is the answer to everyone who waited for it.
    pub(crate) fn duplicate(&self) -> Self {
        match self {
            Self::Full(path) => Self::Full(path.clone()),
            Self::ReadOnly(path) => Self::ReadOnly(path.clone()),
            Self::Io { path, source } => Self::Io {
                path: path.clone(),
                source: match source.raw_os_error() {
                    Some(code) => io::Error::from_raw_os_error(code),
                    None => io::Error::new(source.kind(), source.to_string()),
                },
            },
            other => Self::Io { path: PathBuf::new(), source: io::Error::other(other.to_string()) },
        }
    }
}
