//! Many measurements of one thing, and what may be said about them.

use std::time::Duration;

/// Times in nanoseconds, sorted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples {
    sorted: Vec<u64>,
}

impl Samples {
    pub(crate) fn new(times: &[Duration]) -> Self {
        let mut sorted: Vec<u64> = times.iter().map(|time| time.as_nanos() as u64).collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }

    /// The value that `percent` of all measurements do not exceed, in milliseconds.
    pub(crate) fn percentile(&self, percent: f64) -> f64 {
        let rank = (percent / 100.0 * self.sorted.len() as f64).ceil() as usize;
        self.sorted
            .get(rank.clamp(1, self.sorted.len().max(1)) - 1)
            .map_or(f64::NAN, |nanos| *nanos as f64 / 1e6)
    }

    pub(crate) fn median(&self) -> f64 {
        self.percentile(50.0)
    }

    /// How wide the upper half is: p95 over p50. A quiet machine stays under 2.
    pub(crate) fn noise(&self) -> f64 {
        self.percentile(95.0) / self.median()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_measurement_that_was_made() {
        let samples = Samples::new(&(1..=100).rev().map(Duration::from_millis).collect::<Vec<_>>());
        for percent in [50.0, 95.0, 99.0, 100.0] {
            assert!((samples.percentile(percent) - percent).abs() < 1e-9);
        }
        assert!((samples.noise() - 1.9).abs() < 1e-9);
    }

    #[test]
    fn nothing_measured_is_no_number() {
        assert!(Samples::default().median().is_nan());
    }
}
