//! Counts and latencies since the daemon started, kept in atomics: whoever records takes no lock, waits for nobody and
//! allocates nothing. Read by `status`, `doctor`, `top` and `/metrics`; the keeping thread writes them down by the hour.

mod hours;
mod report;
mod series;

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use model::EventKind;
use serde_json::{Value, json};

pub(crate) use hours::Hours;
pub(crate) use report::gather;
pub(crate) use series::{Flow, Series};

/// What the answers to hooks took, by the kind of their event: from the frame that was read to the reply that was
/// written.
#[derive(Debug)]
pub(crate) struct Hooks(Vec<Series>);

impl Default for Hooks {
    fn default() -> Self {
        Self(kinds().map(|_| Series::default()).collect())
    }
}

impl Hooks {
    pub(crate) fn since(&self, kind: EventKind, began: Instant) {
        self.0[kind as usize].since(began);
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = (EventKind, &Series)> {
        kinds().zip(&self.0)
    }
}

/// In the order of their numbers.
fn kinds() -> impl Iterator<Item = EventKind> {
    EventKind::ALL.iter().copied().chain([EventKind::Other])
}

macro_rules! counters {
    ($($name:ident),+ $(,)?) => {
        /// What happened to the envelopes that came in.
        #[derive(Debug, Default)]
        pub(crate) struct Counters { $(pub(crate) $name: AtomicU64,)+ }

        impl Counters {
            pub(crate) fn to_json(&self) -> Value {
                json!({ $(stringify!($name): self.$name.load(Ordering::Relaxed),)+ })
            }

            fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name.load(Ordering::Relaxed)),)+].into_iter()
            }
        }
    };
}

counters! {
    kept, duplicates, twins, skipped, private, not_kept, unreadable, drained, refused_peers, malformed_frames,
    redactions, learn_failures, connections,
}

pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Seconds of a clock that never goes back.
fn second(now: Instant) -> u64 {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    now.saturating_duration_since(*BEGAN).as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_event_has_a_place_of_its_own() {
        let hooks = Hooks::default();
        for kind in kinds() {
            (0..=kind as usize).for_each(|_| hooks.since(kind, Instant::now()));
        }
        for (kind, series) in hooks.each() {
            assert_eq!(series.all().count, 1 + kind as u64, "{kind:?}");
        }
    }
}
