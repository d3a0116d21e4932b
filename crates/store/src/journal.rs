//! What was acknowledged, in the order it was acknowledged: an append-only log in checksummed
//! segments, synced before `append` returns. Everything else is derived from it. It does not know
//! what an entry means, and no clock of its own decides anything here.
//!
//! ```text
//! journal/00000000000000000001.seg   records back to back; the name is the first sequence number
//! journal/00000000000000004242.seg   the last one grows, into zeros if it was written ahead
//! journal/next.prepared              the next one, being written ahead
//! journal/damaged/                   copies of what recovery found unreadable, bounded
//! ```
//!
//! Callers write in their own threads: the first to arrive leads, writes all that is queued with one
//! call and one sync, and hands over to the first that queued up meanwhile (`commit`, `writer`).
//! Sequence numbers only grow. A failed batch uses its numbers up, so gaps are normal.

mod catalog;
mod commit;
mod erase;
mod medium;
mod prepare;
mod read;
mod recent;
mod record;
mod recover;
mod retain;
mod scan;
mod verify;
mod writer;

use std::collections::VecDeque;
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use model::{Entry, Millis};
use serde::Serialize;

use crate::StoreError;
use catalog::Catalog;
use commit::{Flight, Queue};
use writer::Writer;

pub use erase::Erased;
pub use medium::{Disk, Medium, SegmentFile};
pub use read::{Entries, Reader, read_only};
pub use record::MAX_PAYLOAD;
pub use recover::Recovery;
pub use retain::Dropped;
pub use verify::{Damage, VerifyReport, verify};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Acknowledged survives a power cut: synced before `append` returns.
    Power,
    /// Acknowledged survives the death of this process, not of the machine.
    Process,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalPolicy {
    /// A new segment begins past this. Retention drops whole segments, so this is its grain.
    pub segment_bytes: u64,
    pub durability: Durability,
    /// The oldest segments go when the journal is larger than this.
    pub keep_bytes: u64,
    /// A segment goes when its newest entry is older than this; see `enforce` for how age is told.
    pub keep_days: u32,
}

impl Default for JournalPolicy {
    fn default() -> Self {
        Self { segment_bytes: 16 << 20, durability: Durability::Power, keep_bytes: 2 << 30, keep_days: 365 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    pub seq: u64,
    /// The id was here already; `seq` is the earlier one's and nothing was written.
    pub duplicate: bool,
}

/// Where a record begins: the segment's first sequence number and a byte offset. Fits two `i64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Location {
    pub segment: u64,
    pub offset: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    pub seq: u64,
    pub location: Location,
    pub entry: Entry,
}

/// The one writer of a journal folder. Shared between threads by reference.
#[derive(Debug)]
pub struct Journal {
    catalog: Arc<Catalog>,
    queue: Mutex<Queue>,
    writer: Mutex<Writer>,
    /// Written and not yet durable, oldest first, all in one segment. Changed while holding no other lock
    /// than the writer's.
    aloft: Mutex<VecDeque<Flight>>,
    /// One erases at a time: two would meet in one record.
    erasing: Mutex<()>,
    /// Guards nothing but the sleep of those who wait for a new head.
    bell: Mutex<()>,
    rung: Condvar,
    /// Held for its lock on the folder.
    _lock: File,
}

impl Journal {
    /// Opens or makes the journal in `dir`, repairs what a crash left and says what it found.
    /// `StoreError::Busy` when another process has it.
    pub fn open(dir: &Path, policy: JournalPolicy) -> Result<(Self, Recovery), StoreError> {
        Self::open_on(dir, policy, Box::new(Disk))
    }

    /// The same on files that can be made to fail.
    pub fn open_on(
        dir: &Path,
        policy: JournalPolicy,
        medium: Box<dyn Medium>,
    ) -> Result<(Self, Recovery), StoreError> {
        let mut recovered = recover::recover(dir, policy, Arc::from(medium))?;
        if recovered.writer.is_low(0) {
            recovered.writer.prepare();
        }
        let journal = Self {
            catalog: recovered.catalog,
            queue: Mutex::new(Queue::new(recovered.recent)),
            writer: Mutex::new(recovered.writer),
            aloft: Mutex::default(),
            erasing: Mutex::new(()),
            bell: Mutex::new(()),
            rung: Condvar::new(),
            _lock: recovered.lock,
        };
        Ok((journal, recovered.report))
    }

    /// The last durable sequence number; 0 when there is none.
    pub fn head(&self) -> u64 {
        self.catalog.head()
    }

    /// The first sequence number that may still be here.
    pub fn tail(&self) -> u64 {
        self.catalog.first()
    }

    /// What the segments hold. On disk they take a little more: see `AHEAD_SHARE`.
    pub fn bytes(&self) -> u64 {
        self.catalog.bytes()
    }

    /// The durable entries from `seq` on, in order. Safe while appends go on; ends at the head it
    /// meets. Unreadable bytes are one `Err`, and what follows them comes after it.
    pub fn read_from(&self, seq: u64) -> Entries {
        Entries::new(Arc::clone(&self.catalog), seq)
    }

    pub fn read_at(&self, location: Location) -> Result<Stored, StoreError> {
        read::read_at(&self.catalog, location)
    }

    /// Sleeps until the head is beyond `seq`, someone calls `wake`, or the time is over; answers the head.
    pub fn wait_beyond(&self, seq: u64, timeout: Duration) -> u64 {
        let end = Instant::now().checked_add(timeout);
        let bell = lock(&self.bell);
        let mut head = self.head();
        if head <= seq {
            let left = end.map_or(timeout, |end| end.saturating_duration_since(Instant::now()));
            drop(self.rung.wait_timeout(bell, left).unwrap_or_else(PoisonError::into_inner));
            head = self.head();
        }
        head
    }

    /// Wakes everyone in `wait_beyond`, so that they can see that it is time to stop.
    pub fn wake(&self) {
        drop(lock(&self.bell));
        self.rung.notify_all();
    }

    /// Makes the next sequence number larger than `seq`. For a cursor that is ahead of the journal
    /// (the folder was deleted, or a power cut took what `Durability::Process` had not synced): without
    /// it new entries would hide below the cursor.
    pub fn advance_past(&self, seq: u64) {
        let mut writer = lock(&self.writer);
        if seq >= writer.next_seq() {
            // Within a segment a missing number is a lost record.
            if let Some(segment) = writer.active() {
                self.finish(&mut writer, &segment);
            }
            writer.skip_past(seq);
        }
    }

    /// Drops whole segments, oldest first, until the journal is within its policy. The one that grows stays.
    pub fn enforce(&self, now: Millis) -> Result<Dropped, StoreError> {
        let policy = lock(&self.writer).policy().clone();
        retain::enforce(&self.catalog, &policy, now, u64::MAX)
    }

    /// Drops whole segments, oldest first, until so many bytes are free, and nothing beyond `until`: what is not derived
    /// yet is nowhere else.
    pub fn make_room(&self, bytes: u64, until: u64, now: Millis) -> Result<Dropped, StoreError> {
        let mut policy = lock(&self.writer).policy().clone();
        policy.keep_bytes = policy.keep_bytes.min(self.bytes().saturating_sub(bytes));
        retain::enforce(&self.catalog, &policy, now, until)
    }

    /// Reads every record. For `doctor`.
    pub fn verify(&self) -> Result<VerifyReport, StoreError> {
        verify::verify_catalog(&self.catalog)
    }
}

/// A thread that panicked inside left nothing half done that the next could trip over: every state
/// is either before or after its change.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
