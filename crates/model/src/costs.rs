//! What hooks cost: how durations are counted, and what the daemon says of them to whoever shows them. It is counted
//! with powers of two, so that counting is one addition, and two counts are one count by adding them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Millis;

/// Place n counts durations below 2^n microseconds and not below half of that; the last one is everything from 16 seconds on.
pub const SPREAD: usize = 26;

/// The place of a duration.
pub const fn place_of(micros: u64) -> usize {
    let place = (u64::BITS - micros.leading_zeros()) as usize;
    if place < SPREAD { place } else { SPREAD - 1 }
}

/// The duration in microseconds that this share of all stays below. Within its place the counted are taken to be
/// spread evenly, so it is right to a factor of two at worst. 0 where nothing was counted.
pub fn quantile(places: &[u64], share: f64) -> u64 {
    let total: u64 = places.iter().sum();
    let wanted = total as f64 * share;
    let mut seen = 0.0;
    for (place, &count) in places.iter().enumerate() {
        let count = count as f64;
        if count > 0.0 && seen + count >= wanted {
            let (from, to) = bounds(place);
            let within = ((wanted - seen) / count).clamp(0.0, 1.0);
            return (from as f64 + (to - from) as f64 * within).ceil() as u64;
        }
        seen += count;
    }
    0
}

const fn bounds(place: usize) -> (u64, u64) {
    if place == 0 { (0, 1) } else { (1 << (place - 1), 1 << place) }
}

/// How long something took over a time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spread {
    pub count: u64,
    /// All together.
    pub micros: u64,
    /// The longest.
    pub max_us: u64,
    /// How many took so long, by [`place_of`].
    pub places: Vec<u64>,
}

impl Spread {
    pub fn quantile(&self, share: f64) -> u64 {
        quantile(&self.places, share).min(self.max_us)
    }

    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.micros += other.micros;
        self.max_us = self.max_us.max(other.max_us);
        if self.places.len() < other.places.len() {
            self.places.resize(other.places.len(), 0);
        }
        for (ours, theirs) in self.places.iter_mut().zip(&other.places) {
            *ours += theirs;
        }
    }
}

/// The same of three times.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Windows<T> {
    /// Since the daemon started.
    pub all: T,
    pub hour: T,
    pub minute: T,
}

/// What the daemon has counted, for whoever shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Costs {
    pub version: String,
    pub pid: u32,
    pub started_at: Millis,
    pub uptime_ms: u64,
    /// By event: from the frame that was read to the reply that was written. Only those that occurred.
    pub hooks: Vec<HookCost>,
    pub behaviors: Vec<BehaviorCost>,
    /// What became of envelopes, since the daemon started: `kept`, `duplicates`, `drained`, …
    pub envelopes: BTreeMap<String, u64>,
    /// Secrets that were taken out, by kind, as far back as the tables go.
    pub redactions: BTreeMap<String, u64>,
    pub journal_bytes: u64,
    pub journal_head: u64,
    /// How far the tables are.
    pub learned: u64,
    /// Envelopes that wait in the spool.
    pub spooled: u64,
    /// Events that could be kept nowhere, as far back as anybody counted.
    #[serde(default)]
    pub lost: u64,
    /// `None`: the tables cannot be read now.
    pub memories: Option<u64>,
    pub sessions_live: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HookCost {
    pub event: String,
    pub took: Windows<Spread>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BehaviorCost {
    pub name: String,
    pub on: bool,
    /// While an agent waits.
    pub advice: Windows<Spread>,
    /// After it was answered.
    pub learning: Windows<Spread>,
    pub failed: Windows<u64>,
    /// Not there when the answer had to go, and therefore not heard.
    pub late: Windows<u64>,
    pub panicked: Windows<u64>,
    /// Tokens that were put in front of an agent.
    pub tokens: Windows<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(micros: impl IntoIterator<Item = u64>) -> Spread {
        let mut spread = Spread { places: vec![0; SPREAD], ..Spread::default() };
        for one in micros {
            spread.places[place_of(one)] += 1;
            spread.count += 1;
            spread.micros += one;
            spread.max_us = spread.max_us.max(one);
        }
        spread
    }

    #[test]
    fn a_quantile_is_right_to_a_factor_of_two_and_never_above_the_longest() {
        let even = spread(1..=1000);
        assert!((480..=520).contains(&even.quantile(0.5)), "{}", even.quantile(0.5));
        assert!((960..=1000).contains(&even.quantile(0.99)), "{}", even.quantile(0.99));
        assert_eq!(even.quantile(1.0), 1000);
        assert_eq!(spread([7; 100]).quantile(0.99), 7);
        assert_eq!(spread([0; 3]).quantile(0.5), 0);
        assert_eq!(spread([]).quantile(0.5), 0);
    }

    #[test]
    fn what_takes_longer_than_can_be_told_apart_is_counted_last() {
        assert_eq!(
            (place_of(0), place_of(1), place_of(2), place_of(1023), place_of(1024)),
            (0, 1, 2, 10, 11)
        );
        assert_eq!(place_of(u64::MAX), SPREAD - 1);
    }

    #[test]
    fn two_spreads_added_are_the_spread_of_both() {
        let mut few = spread([3, 900]);
        few.add(&spread([5, 70_000]));
        assert_eq!(few, spread([3, 900, 5, 70_000]));
        let mut none = Spread::default();
        none.add(&few);
        assert_eq!(none, few);
    }
}
