//! Notices that hooks have spooled something, for the price of one look at a folder's time stamp.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use client::Place;
use client::spool::{Spool, Spooled, remove};
use model::Envelope;

/// File systems stamp a folder with the time of the last timer tick: a change right after our look may bear
/// the same stamp, so a young one is not trusted.
const YOUNG: Duration = Duration::from_millis(50);

/// Envelopes journaled with one sync.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub(crate) struct SpoolWatch {
    folder: PathBuf,
    /// The folder's stamp when it was last seen empty; also the lock that lets one thread drain at a time.
    clean: Mutex<Option<SystemTime>>,
    /// Why it could not be read when it was last drained.
    unreadable: Mutex<Option<String>>,
    /// Envelopes that were set aside since we started.
    damaged: AtomicUsize,
    /// The journal refused the last time: one envelope tries whether it still does, before many are read in vain while
    /// an agent waits.
    refused: AtomicBool,
}

impl SpoolWatch {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            clean: Mutex::default(),
            unreadable: Mutex::default(),
            damaged: AtomicUsize::new(0),
            refused: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_dirty(&self) -> bool {
        let Some(stamp) = self.stamp() else { return false };
        let clean = *self.clean.lock().unwrap_or_else(PoisonError::into_inner);
        clean != Some(stamp) || stamp.elapsed().is_ok_and(|age| age < YOUNG)
    }

    /// Hands the spooled envelopes to `take`, oldest first, and removes those it kept. Stops at the first batch
    /// of which one could not be kept: it stays where it is. True if anything was taken.
    pub(crate) fn drain(&self, place: &Place, mut take: impl FnMut(Vec<Envelope>) -> Vec<bool>) -> bool {
        let mut clean = self.clean.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.stamp();
        let mut spool = match Spool::drain(place) {
            Ok(spool) => spool,
            Err(error) => {
                self.note_unreadable(Some(format!("What was kept aside for us cannot be read: {error}.")));
                return false;
            }
        };
        self.note_unreadable(None);
        let mut taken = false;
        loop {
            let most = if self.refused.load(Ordering::Relaxed) { 1 } else { BATCH };
            let (paths, envelopes, damaged) = next_batch(&mut spool, most);
            self.damaged.fetch_add(damaged, Ordering::Relaxed);
            if paths.is_empty() {
                // What we removed changed the stamp; look again next time.
                *clean = if taken { None } else { stamp };
                return taken;
            }
            let kept = take(envelopes);
            let all = kept.iter().all(|kept| *kept);
            self.refused.store(!all, Ordering::Relaxed);
            for (path, _) in paths.iter().zip(kept).filter(|(_, kept)| *kept) {
                // What cannot be removed comes again, under the same id.
                let _ = remove(path);
                taken = true;
            }
            if !all {
                *clean = None;
                return taken;
            }
        }
    }

    /// What a person should know of it.
    pub(crate) fn trouble(&self) -> Option<String> {
        let unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner).clone();
        unreadable.or_else(|| {
            let aside = self.folder.join("damaged");
            (self.damaged.load(Ordering::Relaxed) > 0).then(|| {
                format!("Envelopes that were kept aside for us are damaged; they lie in {}.", aside.display())
            })
        })
    }

    fn note_unreadable(&self, why: Option<String>) {
        *self.unreadable.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    fn stamp(&self) -> Option<SystemTime> {
        std::fs::metadata(&self.folder).ok()?.modified().ok()
    }
}

/// The next few envelopes, where they lie, and how many on the way were damaged. What there is nothing to keep of
/// is removed.
fn next_batch(spool: &mut Spool, most: usize) -> (Vec<PathBuf>, Vec<Envelope>, usize) {
    let (mut paths, mut envelopes, mut bytes, mut damaged) = (Vec::new(), Vec::new(), 0, 0);
    while paths.len() < most && bytes < BATCH_BYTES {
        match spool.next() {
            None => break,
            // A damaged one was set aside by the spool itself.
            Some(Spooled::Damaged { .. }) => damaged += 1,
            // A private prompt began its turn when it was spooled.
            Some(Spooled::Whole { path, private_prompt: true, .. }) => {
                let _ = remove(&path);
            }
            Some(Spooled::Whole { path, envelope, .. }) => {
                bytes += envelope.body.len();
                paths.push(path);
                envelopes.push(envelope);
            }
        }
    }
    (paths, envelopes, damaged)
}
