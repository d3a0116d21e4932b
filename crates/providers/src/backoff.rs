//! When to ask again. Pure: the caller brings the chance and the clock, and does the waiting.

use std::time::Duration;

use crate::ProviderError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The wait after the first failure, before chance.
    pub first: Duration,
    /// No wait grows past this, whatever the provider asks for: a batch that waits a day is a batch given up.
    pub longest: Duration,
    /// After this many failures the batch is given up.
    pub attempts: u32,
}

impl Default for Backoff {
    /// Two seconds let a hiccup pass; ten minutes is how long an overloaded provider or a laptop without network
    /// usually lasts; with eight attempts a batch is tried for about a quarter of an hour before it is set aside.
    fn default() -> Backoff {
        Backoff { first: Duration::from_secs(2), longest: Duration::from_mins(10), attempts: 8 }
    }
}

impl Backoff {
    /// The wait before the next attempt, after `failures` failures of which `error` was the last. `None`: do not
    /// ask again. `chance` is any random number: the wait is spread over the upper half of its step, so that many
    /// machines that failed together do not come back together. A provider's own wish is a floor.
    pub fn wait(&self, failures: u32, error: &ProviderError, chance: u32) -> Option<Duration> {
        if failures >= self.attempts || !error.is_worth_repeating() {
            return None;
        }
        let doublings = failures.saturating_sub(1).min(31);
        let step = self.first.saturating_mul(1 << doublings).min(self.longest);
        let spread = step / 2 + (step / 2).mul_f64(f64::from(chance) / f64::from(u32::MAX));
        let asked = match error {
            ProviderError::Busy { retry_after: Some(asked) } => *asked,
            _ => Duration::ZERO,
        };
        Some(spread.max(asked).min(self.longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUSY: ProviderError = ProviderError::Busy { retry_after: None };

    #[test]
    fn waits_double_until_the_longest_and_the_attempts_end() {
        let backoff =
            Backoff { first: Duration::from_secs(2), longest: Duration::from_secs(20), attempts: 6 };
        let waits: Vec<_> = (1..=6)
            .map(|failures| backoff.wait(failures, &BUSY, u32::MAX).map(|wait| wait.as_secs()))
            .collect();
        assert_eq!(waits, [Some(2), Some(4), Some(8), Some(16), Some(20), None]);
    }

    #[test]
    fn the_same_chance_gives_the_same_wait_within_half_a_step() {
        let backoff = Backoff::default();
        for chance in [0, 1, 77, u32::MAX / 2, u32::MAX] {
            let wait = backoff.wait(3, &BUSY, chance).unwrap();
            assert_eq!(Some(wait), backoff.wait(3, &BUSY, chance));
            assert!(wait >= Duration::from_secs(4) && wait <= Duration::from_secs(8), "{wait:?}");
        }
    }

    #[test]
    fn a_wish_of_the_provider_is_a_floor_and_never_past_the_longest() {
        let backoff = Backoff::default();
        let asks = |seconds| ProviderError::Busy { retry_after: Some(Duration::from_secs(seconds)) };
        assert_eq!(backoff.wait(1, &asks(90), 0), Some(Duration::from_secs(90)));
        assert_eq!(backoff.wait(1, &asks(86_400), 0), Some(backoff.longest));
    }

    #[test]
    fn what_cannot_succeed_is_not_asked_again() {
        let backoff = Backoff::default();
        for error in [
            ProviderError::Refused,
            ProviderError::TooLarge,
            ProviderError::Unauthorized { detail: String::new() },
            ProviderError::rejected(""),
        ] {
            assert_eq!(backoff.wait(1, &error, 0), None, "{error}");
        }
    }

    #[test]
    fn a_number_of_failures_beyond_reason_is_no_overflow() {
        let backoff = Backoff { attempts: u32::MAX, ..Backoff::default() };
        assert!(backoff.wait(u32::MAX - 1, &BUSY, 7).unwrap() <= backoff.longest);
    }
}
