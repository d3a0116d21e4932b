//! How many may run at once. A client process costs hundreds of megabytes, so the number is small and kept.

use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

#[derive(Debug)]
pub struct Pool {
    free: Mutex<usize>,
    returned: Condvar,
}

impl Pool {
    pub fn new(places: NonZeroUsize) -> Arc<Pool> {
        Arc::new(Pool { free: Mutex::new(places.get()), returned: Condvar::new() })
    }

    /// Waits for a place, at most until `until`.
    pub(crate) fn enter(&self, until: Instant) -> Option<Place<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            (free, _) = self.returned.wait_timeout(free, left).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Some(Place { pool: self })
    }
}

/// One place in the pool, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pool: &'a Pool,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.pool.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.pool.returned.notify_one();
    }
}
