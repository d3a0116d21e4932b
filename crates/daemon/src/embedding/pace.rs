//! How fast vectors are made, so that a person can be told when they will be there. Counts what is done and the time
//! it took; nothing is measured while nothing is made.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What was made longer ago tells of other texts and of another load.
const WINDOW: Duration = Duration::from_mins(1);
/// Before so much time has passed, the first batch would speak for all.
const LEAST: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When each batch was done and how many memories it had; the first says only when the work began.
    batches: VecDeque<(Instant, usize)>,
}

impl Pace {
    pub(super) fn start(&mut self, now: Instant) {
        if self.batches.is_empty() {
            self.batches.push_back((now, 0));
        }
    }

    pub(super) fn done(&mut self, memories: usize, now: Instant) {
        self.batches.push_back((now, memories));
        while self.batches.len() > 2 && now.duration_since(self.batches[1].0) > WINDOW {
            self.batches.pop_front();
        }
    }

    /// Work has ended, or rests: what comes next is measured anew.
    pub(super) fn stop(&mut self) {
        self.batches.clear();
    }

    /// Memories per second. `None` while nothing is made, or nothing has been for long enough.
    pub(super) fn rate(&self) -> Option<f64> {
        let (first, last) = (self.batches.front()?.0, self.batches.back()?.0);
        let time = last.duration_since(first);
        let memories: usize = self.batches.iter().skip(1).map(|(_, memories)| memories).sum();
        (time >= LEAST && memories > 0).then(|| memories as f64 / time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_minute_at_work() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut pace = Pace::default();
        assert_eq!(pace.rate(), None);
        pace.start(start);
        pace.done(16, at(1));
        assert_eq!(pace.rate(), None, "too early to tell");
        pace.done(16, at(4));
        assert_eq!(pace.rate(), Some(8.0));
        for second in 5..200 {
            pace.done(100, at(second));
        }
        assert_eq!(pace.rate(), Some(100.0), "the slow beginning is forgotten");
        pace.stop();
        assert_eq!(pace.rate(), None);
        pace.start(at(1_000));
        pace.done(10, at(1_010));
        assert_eq!(pace.rate(), Some(1.0), "rest is no work");
    }
}
