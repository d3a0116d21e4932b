//! How many may run at once, and the end of all of them. A client process costs hundreds of megabytes, so the number
//! is small and kept; whoever leaves closes the pool, and nobody runs on.

use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

#[derive(Debug)]
pub struct Pool {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    free: usize,
    is_closed: bool,
}

impl Pool {
    pub fn new(places: NonZeroUsize) -> Arc<Pool> {
        let state = Mutex::new(State { free: places.get(), is_closed: false });
        Arc::new(Pool { state, changed: Condvar::new() })
    }

    /// For good: who waits for a place gets none, and who has one is ended within a moment. For leaving a process
    /// whose deadlines are minutes away.
    pub fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits for a place, at most until `until`.
    pub(crate) fn enter(&self, until: Instant) -> Option<Place<'_>> {
        let mut state = self.state();
        while state.free == 0 && !state.is_closed {
            let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            (state, _) = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_closed {
            return None;
        }
        state.free -= 1;
        Some(Place { pool: self })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One place in the pool, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pool: &'a Pool,
}

impl Place<'_> {
    pub(crate) fn is_lost(&self) -> bool {
        self.pool.state().is_closed
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.pool.state().free += 1;
        self.pool.changed.notify_one();
    }
}
