//! The one place that writes a segment. A batch is written and synced as a whole or not at all; a
//! segment that failed once is never written or synced again, because after a failed sync nobody
//! knows what reached the disk.

use std::fs;
use std::io::{self, IoSlice};
use std::sync::Arc;

use model::Millis;

use super::catalog::{Catalog, segment_path};
use super::medium::{Medium, SegmentFile};
use super::record::Draft;
use super::{Durability, JournalPolicy};
use crate::StoreError;

/// What one `writev` takes at most (`IOV_MAX`).
const MAX_PARTS: usize = 1024;

/// A segment also ends when the next entry is this far from its first, either way. So retention works
/// for someone who writes little, and the time of a clock that jumped stays in segments of its own.
pub(super) const SEGMENT_SPAN_MS: Millis = 7 * 24 * 60 * 60 * 1000;

#[derive(Debug)]
pub(super) struct Writer {
    catalog: Arc<Catalog>,
    policy: JournalPolicy,
    medium: Box<dyn Medium>,
    next_seq: u64,
    active: Option<Active>,
}

#[derive(Debug)]
pub(super) struct Active {
    pub(super) file: Box<dyn SegmentFile>,
    pub(super) first: u64,
    /// Durable; the file may be longer for the time of a write.
    pub(super) len: u64,
    pub(super) first_at: Option<Millis>,
}

impl Writer {
    pub(super) fn new(
        catalog: Arc<Catalog>,
        policy: JournalPolicy,
        medium: Box<dyn Medium>,
        next_seq: u64,
        active: Option<Active>,
    ) -> Self {
        Self { catalog, policy, medium, next_seq, active }
    }

    pub(super) fn policy(&self) -> &JournalPolicy {
        &self.policy
    }

    /// A gap is only allowed between segments: within one, a missing number is a lost record.
    pub(super) fn advance_past(&mut self, seq: u64) {
        if seq >= self.next_seq {
            self.next_seq = seq + 1;
            self.seal();
        }
    }

    /// Makes the batch durable and answers its first sequence number; the others follow.
    pub(super) fn commit(&mut self, batch: &mut [Draft]) -> Result<u64, StoreError> {
        let first_seq = self.next_seq;
        // Used up whatever happens: after a failure some of these records may be on the disk.
        self.next_seq += batch.len() as u64;
        for (place, draft) in batch.iter_mut().enumerate() {
            draft.seal(first_seq + place as u64, place as u16);
        }
        let bytes = batch.iter().map(|draft| draft.bytes().len() as u64).sum();
        let at = batch.first().map_or(0, |draft| draft.at);
        self.rotate(first_seq, bytes, at)?;
        let Some(active) = &mut self.active else {
            return Err(StoreError::io(self.catalog.dir(), io::ErrorKind::NotFound.into()));
        };
        let power = self.policy.durability == Durability::Power;
        let mut written = write_all(active.file.as_mut(), batch);
        if power && written.is_ok() {
            written = active.file.sync();
        }
        match written {
            Ok(()) => {
                active.len += bytes;
                active.first_at.get_or_insert(at);
                self.catalog.grow(first_seq, self.next_seq - 1, at, active.len);
                Ok(first_seq)
            }
            Err(source) => Err(self.abandon(source)),
        }
    }

    /// Leaves the active segment as it is, durable to its last batch.
    pub(super) fn seal(&mut self) {
        if let Some(mut active) = self.active.take()
            && self.policy.durability == Durability::Process
        {
            // Nothing was promised, and nobody can be told.
            let _ = active.file.sync();
        }
    }

    fn rotate(&mut self, first_seq: u64, bytes: u64, at: Millis) -> Result<(), StoreError> {
        if let Some(active) = &self.active {
            let full = active.len > 0 && active.len + bytes > self.policy.segment_bytes;
            let old = active.first_at.is_some_and(|first| first.abs_diff(at) > SEGMENT_SPAN_MS);
            if !full && !old {
                return Ok(());
            }
        }
        self.seal();
        let path = segment_path(self.catalog.dir(), first_seq);
        let created = self.medium.create(&path).and_then(|file| {
            self.medium.sync_folder(self.catalog.dir()).inspect_err(|_| {
                let _ = fs::remove_file(&path);
            })?;
            Ok(file)
        });
        let file = created.map_err(|source| StoreError::io(&path, source))?;
        self.catalog.add(first_seq);
        self.active = Some(Active { file, first: first_seq, len: 0, first_at: None });
        Ok(())
    }

    /// Gives the segment up at its last durable byte. The next batch begins a new one.
    fn abandon(&mut self, source: io::Error) -> StoreError {
        let Some(mut active) = self.active.take() else {
            return StoreError::io(self.catalog.dir(), source);
        };
        let path = segment_path(self.catalog.dir(), active.first);
        if active.len == 0 {
            // Otherwise a full disk would collect empty files.
            self.catalog.remove(active.first);
            let _ = fs::remove_file(&path);
        } else {
            // If this fails, records that nobody was promised stay behind: valid, and harmless.
            let _ = active.file.cut(active.len);
        }
        StoreError::io(&path, source)
    }
}

fn write_all(file: &mut dyn SegmentFile, batch: &[Draft]) -> io::Result<()> {
    let mut parts: Vec<IoSlice<'_>> = batch.iter().map(|draft| IoSlice::new(draft.bytes())).collect();
    let mut rest = parts.as_mut_slice();
    while !rest.is_empty() {
        match file.write(&rest[..rest.len().min(MAX_PARTS)]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut rest, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
