//! Counts and latencies since the daemon started, kept in a few atomics; read by `status` and `doctor`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

/// Bucket n counts durations below 2^n microseconds; the last one is everything above half a minute.
const BUCKETS: usize = 26;

#[derive(Debug)]
pub(crate) struct Latency([AtomicU64; BUCKETS]);

impl Default for Latency {
    fn default() -> Self {
        Self([const { AtomicU64::new(0) }; BUCKETS])
    }
}

impl Latency {
    pub(crate) fn record(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = (u64::BITS - micros.leading_zeros()) as usize;
        self.0[bucket.min(BUCKETS - 1)].fetch_add(1, Ordering::Relaxed);
    }

    /// The upper bound of the bucket that holds this share of all, in microseconds: exact to a factor of two.
    fn quantile(counts: &[u64], share: f64) -> u64 {
        let total: u64 = counts.iter().sum();
        let wanted = (total as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in counts.iter().enumerate() {
            seen += count;
            if seen >= wanted && wanted > 0 {
                return 1 << bucket;
            }
        }
        0
    }

    pub(crate) fn to_json(&self) -> Value {
        let counts: Vec<u64> = self.0.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        json!({
            "count": counts.iter().sum::<u64>(),
            "p50_us_below": Self::quantile(&counts, 0.50),
            "p99_us_below": Self::quantile(&counts, 0.99),
        })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_a_factor_of_two() {
        let latency = Latency::default();
        for micros in 1..=1000 {
            latency.record(Duration::from_micros(micros));
        }
        let report = latency.to_json();
        assert_eq!(report["count"], 1000);
        assert_eq!(report["p50_us_below"], 512);
        assert_eq!(report["p99_us_below"], 1024);
        latency.record(Duration::from_secs(1_000_000));
    }
}
