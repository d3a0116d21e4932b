//! Wakes a worker that sleeps. Ringing twice before it looks is ringing once; a worker that nobody rings costs
//! nothing.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(crate) struct Bell {
    state: Mutex<State>,
    rung: Condvar,
}

#[derive(Debug, Default)]
struct State {
    rung: bool,
    closed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Woken {
    Rung,
    /// The patience is over.
    Late,
    /// There is nothing to wait for any more.
    Closed,
}

impl Bell {
    pub(crate) fn ring(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).rung = true;
        self.rung.notify_all();
    }

    pub(crate) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.rung.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed
    }

    /// `None` waits as long as it takes.
    pub(crate) fn wait(&self, patience: Option<Duration>) -> Woken {
        let until = patience.map(|patience| Instant::now() + patience);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.closed {
                return Woken::Closed;
            }
            if std::mem::take(&mut state.rung) {
                return Woken::Rung;
            }
            state = match until {
                None => self.rung.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Woken::Late;
                    }
                    self.rung.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_before_the_wait_is_heard_once() {
        let bell = Bell::default();
        bell.ring();
        bell.ring();
        assert_eq!(bell.wait(Some(Duration::ZERO)), Woken::Rung);
        assert_eq!(bell.wait(Some(Duration::ZERO)), Woken::Late);
        bell.close();
        assert_eq!(bell.wait(None), Woken::Closed);
    }
}
