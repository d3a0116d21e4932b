//! Takes acknowledged entries back: their payload is overwritten where it lies and is gone from the file. Number,
//! id and time stay, so nothing behind an erased entry moves and the same id sent again is still a duplicate.
//!
//! In two steps, each synced. The header goes first: from then on nobody reads the entry, and because its sum does
//! not cover the payload, a crash anywhere in the second step leaves a journal without damage. Only a crash that
//! tears the 48 bytes of a header leaves that one record unreadable, which is told and passed over like any other.
//! What a file system that copies on write or a disk that levels its wear keeps of the old bytes is beyond us.

use std::fs;
use std::io::{self, IoSlice};

use serde::Serialize;

use super::catalog::View;
use super::medium::{Medium, SegmentFile};
use super::record::{HEADER, Header};
use super::scan::{Scanner, Step};
use super::writer::write_all;
use super::{Journal, lock};
use crate::StoreError;

/// Zeros written with one call: a payload may be as large as `MAX_PAYLOAD`.
const PIECE: usize = 256 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Erased {
    /// Those that were erased before are counted again: their payload was overwritten again.
    pub entries: u64,
    /// Bytes that were overwritten.
    pub bytes: u64,
    /// Numbers that no record here has: dropped by retention, never used, or in bytes that cannot be read.
    pub missing: u64,
}

impl Journal {
    /// Erases the entries with these sequence numbers, in any order. May be repeated: what a crash has left of an
    /// earlier call is finished. Beside appends and readers; a reader that is in the very record may find
    /// it unreadable once.
    pub fn erase(&self, seqs: &[u64]) -> Result<Erased, StoreError> {
        let _alone = lock(&self.erasing);
        let medium = lock(&self.writer).medium();
        let mut wanted = seqs.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let mut erased = Erased::default();
        let mut rest = wanted.as_slice();
        while let Some(first) = rest.first() {
            let view = self.catalog.containing(*first);
            let here = view.map_or(rest.len(), |view| rest.partition_point(|seq| *seq < view.end));
            let (wanted, later) = rest.split_at(here);
            let done = match view {
                Some(view) => self.erase_in(medium.as_ref(), &view, wanted)?,
                None => Erased::default(),
            };
            erased.entries += done.entries;
            erased.bytes += done.bytes;
            erased.missing += wanted.len() as u64 - done.entries;
            rest = later;
        }
        Ok(erased)
    }

    /// `wanted` is sorted, and no number in it is in a later segment.
    fn erase_in(&self, medium: &dyn Medium, view: &View, wanted: &[u64]) -> Result<Erased, StoreError> {
        let path = self.catalog.path(view.first);
        let failed = |source| StoreError::io(&path, source);
        let found = match self.find(view, wanted) {
            // Retention was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Erased::default()),
            found => found.map_err(failed)?,
        };
        let mut file = None;
        for (offset, header) in &found {
            file = Some(put(medium.resume(&path, *offset), &header.erased(), HEADER).map_err(failed)?);
        }
        sync(file).map_err(failed)?;
        let zeros = vec![0; PIECE];
        let mut erased = Erased { entries: found.len() as u64, ..Erased::default() };
        let mut file = None;
        for (offset, header) in &found {
            let payload = medium.resume(&path, offset + HEADER as u64);
            file = Some(put(payload, &zeros, header.len as usize).map_err(failed)?);
            erased.bytes += u64::from(header.len);
        }
        sync(file).map_err(failed)?;
        self.drop_copies(view.first);
        Ok(erased)
    }

    fn find(&self, view: &View, wanted: &[u64]) -> io::Result<Vec<(u64, Header)>> {
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else { return Ok(Vec::new()) };
        let mut scanner = Scanner::open(&self.catalog.path(view.first), view)?;
        scanner.skip_to(*first, view.hint)?;
        let mut found = Vec::new();
        while scanner.next_seq() <= *last {
            match scanner.step()? {
                Step::Record { offset, header } | Step::Erased { offset, header } => {
                    if wanted.binary_search(&header.seq).is_ok() {
                        found.push((offset, header));
                    }
                }
                Step::Hole { .. } => {}
                Step::Tail { .. } | Step::End => break,
            }
        }
        Ok(found)
    }

    /// What recovery copied aside of this segment may hold what is to be gone. The copies were for a closer look.
    fn drop_copies(&self, segment: u64) {
        let folder = self.catalog.dir().join("damaged");
        let prefix = format!("{segment:020}-");
        for copy in fs::read_dir(folder).into_iter().flatten().flatten() {
            if copy.file_name().to_str().is_some_and(|name| name.starts_with(&prefix)) {
                let _ = fs::remove_file(copy.path());
            }
        }
    }
}

/// Writes `len` bytes: the piece, again and again.
fn put(file: io::Result<Box<dyn SegmentFile>>, piece: &[u8], len: usize) -> io::Result<Box<dyn SegmentFile>> {
    let mut file = file?;
    let mut left = len;
    while left > 0 {
        let step = left.min(piece.len());
        write_all(file.as_mut(), &mut [IoSlice::new(&piece[..step])])?;
        left -= step;
    }
    Ok(file)
}

/// All that was written is in one file, and one sync is for all of it.
fn sync(file: Option<Box<dyn SegmentFile>>) -> io::Result<()> {
    file.map_or(Ok(()), |mut file| file.sync())
}
