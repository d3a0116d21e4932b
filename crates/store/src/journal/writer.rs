//! The one place that writes a segment. A segment that failed once is never written or synced again,
//! because after a failed sync nobody knows what reached the disk.

use std::fs;
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use model::Millis;

use super::catalog::{Catalog, Segment, segment_path};
use super::medium::{Medium, SegmentFile};
use super::prepare::Spare;
use super::record::Draft;
use super::{Durability, JournalPolicy, lock};
use crate::StoreError;

/// What one `writev` takes at most (`IOV_MAX`).
const MAX_PARTS: usize = 1024;

/// Batches that may be on their way to the disk at once. One would do on a quiet machine; where
/// processors are busy the others go on while one leader waits to run. Under a load of 9 on 2 cores,
/// 4 producers of 1 KB: 3,900 events/s with 1 turn, 4,200 with 2, 6,500 with 4.
pub(super) const TURNS: usize = 4;

/// A segment also ends when the next entry is this far from its first, either way. So retention works
/// for someone who writes little, and the time of a clock that jumped stays in segments of its own.
pub(super) const SEGMENT_SPAN_MS: Millis = 7 * 24 * 60 * 60 * 1000;

/// A segment is written ahead as large as all before it, between this and `segment_bytes`: a new
/// journal takes little of the disk and still gains from its second append on.
const LEAST_AHEAD: u64 = 1 << 20;
/// What is written ahead is at most this part of what the journal may keep. There are two at most, the
/// one that grows and the next.
const AHEAD_SHARE: u64 = 16;
/// The next segment is made when less than this is left of the one that grows, or less than half of it.
const LOW_BYTES: u64 = 4 << 20;
/// Larger batches do not ask for one: to write their bytes twice costs more than it saves.
const LARGE_BATCH: u64 = 64 << 10;

#[derive(Debug)]
pub(super) struct Writer {
    catalog: Arc<Catalog>,
    policy: JournalPolicy,
    medium: Arc<dyn Medium>,
    next_seq: u64,
    active: Option<Growing>,
    spare: Spare,
}

/// The segment that grows, as its writer sees it.
#[derive(Debug)]
struct Growing {
    file: Box<dyn SegmentFile>,
    shared: Arc<Active>,
    /// Written; what of it is durable is in the catalog.
    len: u64,
    /// How far the file was written ahead.
    room: u64,
    /// The next one has been asked for. Once: where that failed it would fail again.
    followed: bool,
    first_at: Option<Millis>,
}

/// The segment that grows, as those see it who make it durable.
#[derive(Debug)]
pub(super) struct Active {
    first: u64,
    catalog: Arc<Catalog>,
    /// One handle per turn and one for `finish`, opened before the first write: the system reports a
    /// failed write-back once to every handle, so none can miss it because another was told.
    handles: Mutex<Vec<Box<dyn SegmentFile>>>,
    power: bool,
    failed: AtomicBool,
}

/// One batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) at: Millis,
    /// Where it ends in its segment.
    pub(super) end: u64,
}

impl Active {
    /// Makes everything durable that was written before.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        if !self.power {
            return Ok(());
        }
        let handle = lock(&self.handles).pop().filter(|_| !self.has_failed());
        let Some(mut handle) = handle else { return Err(self.failure()) };
        let synced = handle.sync();
        lock(&self.handles).push(handle);
        synced.map_err(|source| {
            self.failed.store(true, Ordering::Release);
            StoreError::io(&self.catalog.path(self.first), source)
        })
    }

    /// What those are told who come after a failed sync.
    pub(super) fn failure(&self) -> StoreError {
        let source = io::Error::other("an earlier sync of this segment failed");
        StoreError::io(&self.catalog.path(self.first), source)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }
}

impl Writer {
    pub(super) fn new(
        catalog: Arc<Catalog>,
        policy: JournalPolicy,
        medium: Arc<dyn Medium>,
        next_seq: u64,
    ) -> Self {
        let spare = Spare::new(catalog.dir(), Arc::clone(&medium));
        Self { catalog, policy, medium, next_seq, active: None, spare }
    }

    /// Goes on with a segment that recovery found sound, and makes sure of what is in it.
    pub(super) fn resume(&mut self, segment: &Segment, room: u64) -> io::Result<()> {
        let Segment { first, len, first_at, .. } = *segment;
        let path = self.catalog.path(first);
        let mut file = self.medium.resume(&path, len)?;
        // A process that was killed left records that are only in memory. From here on they count as
        // kept, so they must be.
        file.sync()?;
        let shared = self.share(first)?;
        self.active = Some(Growing { file, shared, len, room, followed: false, first_at });
        Ok(())
    }

    /// Whether it is time to make the next segment, after a batch of this size.
    pub(super) fn is_low(&self, batch: u64) -> bool {
        let low = self.active.as_ref().is_none_or(|active| {
            let left = active.room.saturating_sub(active.len);
            !active.followed && left <= LOW_BYTES.min(active.room / 2)
        });
        // Nobody waits for the disk without syncs.
        low && batch <= LARGE_BATCH && self.policy.durability == Durability::Power
    }

    /// Begins to make the next segment.
    pub(super) fn prepare(&mut self) {
        if let Some(active) = &mut self.active {
            active.followed = true;
        }
        let JournalPolicy { segment_bytes, keep_bytes, .. } = self.policy;
        let most = segment_bytes.min(keep_bytes / AHEAD_SHARE);
        self.spare.want(self.catalog.bytes().max(LEAST_AHEAD).min(most));
    }

    pub(super) fn medium(&self) -> Arc<dyn Medium> {
        Arc::clone(&self.medium)
    }

    pub(super) fn policy(&self) -> &JournalPolicy {
        &self.policy
    }

    pub(super) fn active(&self) -> Option<Arc<Active>> {
        self.active.as_ref().map(|active| Arc::clone(&active.shared))
    }

    pub(super) fn is_active(&self, segment: &Arc<Active>) -> bool {
        self.active.as_ref().is_some_and(|active| Arc::ptr_eq(&active.shared, segment))
    }

    /// Makes the next sequence number larger than `seq`.
    pub(super) fn skip_past(&mut self, seq: u64) {
        self.next_seq = self.next_seq.max(seq + 1);
    }

    pub(super) fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// The active segment, if the next batch must not go there.
    pub(super) fn outgrown(&mut self, batch: &[Draft]) -> Option<Arc<Active>> {
        let active = self.active.as_ref()?;
        let at = batch.first()?.at;
        let end = active.len + bytes(batch);
        // Past what was written ahead it would go on more slowly than the next one, if that is there.
        let ahead = end > active.room && self.spare.ready() >= bytes(batch);
        let full = active.len > 0 && (end > self.policy.segment_bytes || ahead);
        let old = active.first_at.is_some_and(|first| first.abs_diff(at) > SEGMENT_SPAN_MS);
        (full || old || active.shared.has_failed()).then(|| Arc::clone(&active.shared))
    }

    /// Writes the batch behind everything before it, in a new segment if there is none. Durable it is
    /// after the segment's next sync.
    pub(super) fn write(
        &mut self,
        batch: &mut [Draft],
        head: u64,
    ) -> Result<(Arc<Active>, Written), StoreError> {
        let first = self.next_seq;
        // Used up whatever happens: after a failure some of these records may be on the disk.
        self.next_seq += batch.len() as u64;
        for (seq, draft) in (first..).zip(batch.iter_mut()) {
            draft.seal(seq, head);
        }
        let at = batch.first().map_or(0, |draft| draft.at);
        if self.active.is_none() {
            self.active = Some(self.begin(first)?);
        }
        let active = self.active.as_mut().expect("begun above if there was none");
        let mut parts: Vec<IoSlice<'_>> = batch.iter().map(|draft| IoSlice::new(draft.bytes())).collect();
        write_all(active.file.as_mut(), &mut parts)
            .map_err(|source| StoreError::io(&self.catalog.path(active.shared.first), source))?;
        active.len += bytes(batch);
        active.first_at.get_or_insert(at);
        let written = Written { first, last: self.next_seq - 1, at, end: active.len };
        Ok((Arc::clone(&active.shared), written))
    }

    /// Leaves the active segment, of which everything is durable; the next batch begins a new one.
    pub(super) fn retire(&mut self) {
        if let Some(mut active) = self.active.take()
            && active.room > active.len
        {
            // If this fails, zeros stay behind: space, and no data.
            let _ = active.file.cut(active.len);
        }
    }

    /// Leaves the active segment at its last durable byte.
    pub(super) fn abandon(&mut self) {
        let Some(mut active) = self.active.take() else { return };
        let first = active.shared.first;
        match self.catalog.durable_len(first) {
            // Otherwise a full disk would collect empty files.
            Some(0) | None => {
                self.catalog.remove(first);
                let _ = fs::remove_file(self.catalog.path(first));
            }
            // If this fails, records that nobody was promised stay behind: valid, and harmless.
            Some(len) => {
                let _ = active.file.cut(len);
            }
        }
    }

    fn begin(&mut self, first: u64) -> Result<Growing, StoreError> {
        let path = segment_path(self.catalog.dir(), first);
        let room = self.spare.take(&path);
        let file = if room > 0 { self.medium.resume(&path, 0) } else { self.medium.create(&path) };
        let begun = file.and_then(|file| {
            self.medium.sync_folder(self.catalog.dir())?;
            let shared = self.share(first)?;
            Ok(Growing { file, shared, len: 0, room, followed: false, first_at: None })
        });
        let begun = begun.inspect_err(|error| {
            if error.kind() != io::ErrorKind::AlreadyExists {
                let _ = fs::remove_file(&path);
            }
        });
        let active = begun.map_err(|source| StoreError::io(&path, source))?;
        self.catalog.add(first);
        Ok(active)
    }

    fn share(&self, first: u64) -> io::Result<Arc<Active>> {
        let path = self.catalog.path(first);
        let handles = (0..=TURNS).map(|_| self.medium.resume(&path, 0)).collect::<io::Result<_>>()?;
        Ok(Arc::new(Active {
            first,
            catalog: Arc::clone(&self.catalog),
            handles: Mutex::new(handles),
            power: self.policy.durability == Durability::Power,
            failed: AtomicBool::new(false),
        }))
    }
}

pub(super) fn bytes(batch: &[Draft]) -> u64 {
    batch.iter().map(|draft| draft.bytes().len() as u64).sum()
}

pub(super) fn write_all(file: &mut dyn SegmentFile, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
    let mut rest = parts;
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
