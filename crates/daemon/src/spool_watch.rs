//! Notices that hooks have spooled something, for the price of one look at a folder's time stamp.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use client::Place;
use client::spool::{Spool, Spooled, remove};
use model::Envelope;
use store::StoreError;

/// File systems stamp a folder with the time of the last timer tick: a change right after our look may bear
/// the same stamp, so a young one is not trusted.
const YOUNG: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) struct SpoolWatch {
    folder: PathBuf,
    /// The folder's stamp when it was last seen empty; also the lock that lets one thread drain at a time.
    clean: Mutex<Option<SystemTime>>,
}

impl SpoolWatch {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, clean: Mutex::new(None) }
    }

    pub(crate) fn is_dirty(&self) -> bool {
        let Some(stamp) = self.stamp() else { return false };
        let clean = *self.clean.lock().unwrap_or_else(PoisonError::into_inner);
        clean != Some(stamp) || stamp.elapsed().is_ok_and(|age| age < YOUNG)
    }

    /// Hands every spooled envelope to `take`, oldest first, and removes what was taken. Stops at the first that
    /// could not be kept: it stays where it is. True if anything was taken.
    pub(crate) fn drain(
        &self,
        place: &Place,
        mut take: impl FnMut(Envelope) -> Result<(), StoreError>,
    ) -> bool {
        let mut clean = self.clean.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.stamp();
        let mut taken = false;
        let Ok(spool) = Spool::drain(place) else { return false };
        for spooled in spool {
            // A damaged one was set aside by the spool itself.
            let Spooled::Whole { path, envelope, private_prompt } = spooled else { continue };
            // A private prompt began its turn when it was spooled; there is nothing of it to keep.
            if !private_prompt && take(envelope).is_err() {
                *clean = None;
                return taken;
            }
            // What cannot be removed comes again, under the same id.
            let _ = remove(&path);
            taken = true;
        }
        // What we removed changed the stamp; look again next time.
        *clean = if taken { None } else { stamp };
        taken
    }

    fn stamp(&self) -> Option<SystemTime> {
        std::fs::metadata(&self.folder).ok()?.modified().ok()
    }
}
