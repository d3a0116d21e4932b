//! Keeps transcripts after the agent has dropped them: redacted, compressed, and grown by what is new. It
//! never changes a source, never writes a byte that the caller's redactor has not seen, and does not know what
//! a line means.
//!
//! ```text
//! archive/3f…/main-00000001.zst     a session's folder; the name is a hash, since a session id is a stranger's text
//! archive/3f…/9c…-00000001.zst      a subagent's transcript in it
//! archive/3f…/main-00000002.zst     the source was replaced: a new generation, whose lines count on
//! ```
//!
//! A file is a chain of zstd frames, each behind a skippable frame that says which lines and which bytes of
//! the source it holds (`frame`). So the frames are the index, a crash leaves at most one torn frame at the
//! end, which is cut before the next is written, and `zstd -dc` prints a file as it is.
//!
//! Lines are numbered from 0 and keep their number: every line of a source is one line here, also one that is
//! broken or too long to keep. One process writes ([`Archive`]); anybody reads ([`read`]).

mod append;
mod frame;
mod read;
mod retain;
mod source;

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, Permissions};
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use model::SessionId;
use rustix::fs::{FlockOperation, flock};
use sha2::{Digest, Sha256};

use crate::StoreError;
use append::Tail;

pub use read::{read, span};
pub use retain::Dropped;
pub use source::{RawLine, RawLines};

/// Longer lines are left out; a note of ours stands in their place. The client allows an image of 5 MB in a
/// prompt, which is 7 MB in base64.
pub const MAX_LINE_BYTES: usize = 8 << 20;
/// One reading gives no more than this and one frame: what it costs in memory is twice that.
pub const MAX_READ_BYTES: usize = 4 << 20;
/// Sources that are replaced again and again keep their last generations only.
pub const MAX_GENERATIONS: usize = 8;
/// Transcripts whose end is remembered, so that a call without news costs one `stat`. More are looked up again.
const MAX_REMEMBERED: usize = 256;

/// Whose conversation a transcript is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub agent: String,
    pub session: SessionId,
    /// `None`: the main thread.
    pub subagent: Option<String>,
}

/// What one call of [`Archive::append`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    pub new_lines: Range<u64>,
    /// From 1. A new one begins when the source was truncated or replaced.
    pub generation: u32,
    /// The number of the source's first line here: not 0 from the second generation on.
    pub first_line: u64,
    /// Bytes of the source; the few that are compared to recognize it do not count.
    pub bytes_read: u64,
    pub bytes_written: u64,
    /// Lines that were too long and are kept as a note.
    pub left_out: u64,
}

/// A line as it was kept: redacted, without its line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedLine {
    pub number: u64,
    pub text: String,
}

/// The one writer of an archive folder. Shared between threads by reference; appends take turns.
#[derive(Debug)]
pub struct Archive {
    folder: PathBuf,
    tails: Mutex<HashMap<PathBuf, Tail>>,
    bytes: AtomicU64,
    /// Held for its lock on the folder.
    _lock: File,
}

impl Archive {
    /// Opens or makes the archive in `folder`. `StoreError::Busy` when another process has it.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let lock = prepare_folder(folder)?;
        retain::finish_removals(folder);
        let bytes = retain::sessions(folder)?.iter().map(|session| session.bytes).sum();
        Ok(Self {
            folder: folder.to_owned(),
            tails: Mutex::default(),
            bytes: AtomicU64::new(bytes),
            _lock: lock,
        })
    }

    /// Takes in the whole lines that `source` has beyond those already here, each through `redact` first.
    /// May be called as often as one likes: without news it costs one `stat`. A source that is gone is an error
    /// and changes nothing.
    pub fn append(
        &self,
        key: &Key,
        source: &Path,
        redact: &dyn Fn(&[u8]) -> Vec<u8>,
    ) -> Result<Appended, StoreError> {
        let mut tails = self.tails.lock().unwrap_or_else(PoisonError::into_inner);
        let stem = key.stem(&self.folder);
        if tails.len() >= MAX_REMEMBERED && !tails.contains_key(&stem) {
            tails.clear();
        }
        // Put back only when all went well: after a failure the files say what is here.
        let tail = match tails.remove(&stem) {
            Some(tail) => tail,
            None => Tail::load(&stem)?,
        };
        let (appended, tail, dropped) = append::append(&stem, tail, source, redact)?;
        tails.insert(stem, tail);
        self.bytes.fetch_add(appended.bytes_written, Ordering::Relaxed);
        self.bytes.fetch_sub(dropped, Ordering::Relaxed);
        Ok(appended)
    }

    /// See [`read`].
    pub fn read(&self, key: &Key, lines: Range<u64>) -> Result<Vec<ArchivedLine>, StoreError> {
        read(&self.folder, key, lines)
    }

    /// Removes all of a session, its subagents included; answers the bytes. Who goes on appending the session
    /// brings it back: the caller must know that it is not wanted.
    pub fn remove(&self, agent: &str, session: &SessionId) -> Result<u64, StoreError> {
        let mut tails = self.tails.lock().unwrap_or_else(PoisonError::into_inner);
        let session = session_folder(&self.folder, agent, session);
        tails.retain(|stem, _| !stem.starts_with(&session));
        let bytes = retain::remove(&session)?;
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        Ok(bytes)
    }

    pub fn total_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Drops whole sessions, those that grew least recently first, until `keep_bytes` suffice. The last one
    /// stays whatever its size: dropped, it would come back with its next turn.
    pub fn enforce(&self, keep_bytes: u64) -> Result<Dropped, StoreError> {
        let mut tails = self.tails.lock().unwrap_or_else(PoisonError::into_inner);
        let mut dropped = Dropped::default();
        let mut sessions = retain::sessions(&self.folder)?;
        let mut total: u64 = sessions.iter().map(|session| session.bytes).sum();
        sessions.pop();
        for session in sessions {
            if total <= keep_bytes {
                break;
            }
            tails.retain(|stem, _| !stem.starts_with(&session.folder));
            let bytes = retain::remove(&session.folder)?;
            total = total.saturating_sub(bytes);
            dropped.sessions += 1;
            dropped.bytes += bytes;
        }
        self.bytes.store(total, Ordering::Relaxed);
        Ok(dropped)
    }
}

impl Key {
    /// The path of this transcript's files, but for their generation.
    fn stem(&self, archive: &Path) -> PathBuf {
        let folder = session_folder(archive, &self.agent, &self.session);
        match &self.subagent {
            None => folder.join("main"),
            Some(id) => folder.join(hash(&[id])),
        }
    }
}

fn session_folder(archive: &Path, agent: &str, session: &SessionId) -> PathBuf {
    archive.join(hash(&[agent, session.as_str()]))
}

/// 128 bits of SHA-256, in hex.
fn hash(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    let mut name = String::with_capacity(32);
    for byte in &hash.finalize()[..16] {
        name.push_str(&format!("{byte:02x}"));
    }
    name
}

/// Makes the folder private and takes its lock.
fn prepare_folder(folder: &Path) -> Result<File, StoreError> {
    let failed = |source| StoreError::io(folder, source);
    make_folder(folder)?;
    let lock = File::open(folder).map_err(failed)?;
    if lock.metadata().map_err(failed)?.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(failed)?;
    }
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(lock),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(StoreError::Busy(folder.to_owned())),
        Err(error) => Err(failed(error.into())),
    }
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|source| StoreError::io(folder, source))
}
