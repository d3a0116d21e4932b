//! The agent's file, which may grow, shrink, vanish or turn into something else while we look at it. Opened
//! for reading only, never through a link, and read a bounded line at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use sha2::{Digest, Sha256};

use super::MAX_LINE_BYTES;
use super::frame::Fingerprint;
use crate::StoreError;

/// What is compared at either end of a source to recognize it. Records carry ids and times: a page of them is
/// like no other page.
const COMPARED_BYTES: u64 = 4096;
/// Records are a few kilobytes; fewer reads for more memory stop paying here.
const BUFFER_BYTES: usize = 64 << 10;

/// What `stat` tells of a source: as long as it tells the same, nothing is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    device: u64,
    inode: u64,
    pub(super) bytes: u64,
    modified: (i64, i64),
}

impl Seen {
    pub(super) fn of(metadata: &std::fs::Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

/// Opens a regular file. The path may come from an envelope: a link is not followed and a pipe is not waited for.
pub(super) fn open(path: &Path) -> Result<File, StoreError> {
    let failed = |source| StoreError::io(path, source);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file =
        File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(|error| failed(error.into()))?);
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")));
    }
    Ok(file)
}

/// The fingerprint of the first `end` bytes. An error: there are not that many.
pub(super) fn fingerprint(file: &File, end: u64) -> io::Result<Fingerprint> {
    let length = end.min(COMPARED_BYTES);
    let mut page = vec![0; length as usize];
    let mut hash = |at| -> io::Result<[u8; 8]> {
        file.read_exact_at(&mut page, at)?;
        let digest = Sha256::digest(&page);
        let mut hash = [0; 8];
        hash.copy_from_slice(&digest[..8]);
        Ok(hash)
    };
    Ok(Fingerprint { head: hash(0)?, tail: hash(end - length)? })
}

/// The lines of a file from its beginning, one at a time in memory.
#[derive(Debug)]
pub struct RawLines {
    file: BufReader<File>,
    line: Vec<u8>,
    number: u64,
    end: u64,
}

/// A line without its line break.
#[derive(Debug, PartialEq, Eq)]
pub struct RawLine<'a> {
    /// In the file, from 0.
    pub number: u64,
    /// Empty where the line is longer than [`MAX_LINE_BYTES`].
    pub bytes: &'a [u8],
    /// How long it really is.
    pub length: u64,
    /// False on a last line that is still being written.
    pub whole: bool,
    /// Where the next line begins.
    pub end: u64,
}

impl RawLines {
    /// For reading a transcript of the past: regular files only, links not followed.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::over(open(path)?))
    }

    fn over(file: File) -> Self {
        Self { file: BufReader::with_capacity(BUFFER_BYTES, file), line: Vec::new(), number: 0, end: 0 }
    }

    /// From a byte that begins a line, which is said to be line `number`.
    pub(super) fn from(mut file: File, end: u64, number: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(end))?;
        Ok(Self { number, end, ..Self::over(file) })
    }

    /// `None` at the end of the file.
    #[expect(clippy::should_implement_trait, reason = "a line is lent, not given")]
    pub fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        self.line.clear();
        // A giant is over; its room need not stay.
        self.line.shrink_to(BUFFER_BYTES);
        let mut length = 0_u64;
        let mut whole = false;
        while !whole {
            let read = match self.file.fill_buf() {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if read.is_empty() {
                break;
            }
            let line_break = memchr::memchr(b'\n', read);
            let part = &read[..line_break.unwrap_or(read.len())];
            length += part.len() as u64;
            if length <= MAX_LINE_BYTES as u64 {
                self.line.extend_from_slice(part);
            }
            whole = line_break.is_some();
            let used = part.len() + usize::from(whole);
            self.file.consume(used);
            self.end += used as u64;
        }
        if length == 0 && !whole {
            return Ok(None);
        }
        if length > MAX_LINE_BYTES as u64 {
            self.line.clear();
        }
        let number = self.number;
        self.number += 1;
        Ok(Some(RawLine { number, bytes: &self.line, length, whole, end: self.end }))
    }

    pub(super) fn file(&self) -> &File {
        self.file.get_ref()
    }
}
