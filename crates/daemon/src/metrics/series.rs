//! Durations and amounts, all of them and those of the last minute and hour. A window is a ring of slots; whoever comes
//! first in a new one empties it. What two threads record in that very moment may be lost to the window, never to the
//! total: nobody waits for a window to be exact.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use model::{SPREAD, Spread, Windows, place_of};
use serde_json::{Value, json};

use super::second;

/// The last minute, to five seconds; the last hour, to five minutes.
const SLOTS: usize = 12;
const MINUTE: u64 = 60 / SLOTS as u64;
const HOUR: u64 = 3600 / SLOTS as u64;

/// How long something took each time.
#[derive(Debug)]
pub(crate) struct Series {
    micros: AtomicU64,
    max: AtomicU64,
    places: [AtomicU64; SPREAD],
    minute: Ring<Durations>,
    hour: Ring<Durations>,
}

impl Default for Series {
    fn default() -> Self {
        Self {
            micros: AtomicU64::new(0),
            max: AtomicU64::new(0),
            places: [const { AtomicU64::new(0) }; SPREAD],
            minute: Ring::new(MINUTE),
            hour: Ring::new(HOUR),
        }
    }
}

impl Series {
    /// It began then and ends now. One look at the clock serves for both what it took and when that was.
    pub(crate) fn since(&self, began: Instant) {
        let now = Instant::now();
        self.record_at(second(now), now.saturating_duration_since(began));
    }

    fn record_at(&self, second: u64, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let place = place_of(micros);
        self.places[place].fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        self.max.fetch_max(micros, Ordering::Relaxed);
        for ring in [&self.minute, &self.hour] {
            let slot = ring.slot(second);
            slot.places[place].fetch_add(1, Ordering::Relaxed);
            slot.micros.fetch_add(micros, Ordering::Relaxed);
            slot.max.fetch_max(micros, Ordering::Relaxed);
        }
    }

    pub(crate) fn all(&self) -> Spread {
        let places: Vec<u64> = self.places.iter().map(|place| place.load(Ordering::Relaxed)).collect();
        Spread {
            count: places.iter().sum(),
            micros: self.micros.load(Ordering::Relaxed),
            max_us: self.max.load(Ordering::Relaxed),
            places,
        }
    }

    pub(crate) fn windows(&self) -> Windows<Spread> {
        self.windows_at(second(Instant::now()))
    }

    fn windows_at(&self, second: u64) -> Windows<Spread> {
        let sum = |ring: &Ring<Durations>| {
            ring.current(second).fold(Spread::default(), |mut sum, slot| {
                sum.add(&slot.spread());
                sum
            })
        };
        Windows { all: self.all(), hour: sum(&self.hour), minute: sum(&self.minute) }
    }

    pub(crate) fn to_json(&self) -> Value {
        let all = self.all();
        json!({
            "count": all.count,
            "p50_us_below": all.quantile(0.50),
            "p99_us_below": all.quantile(0.99),
        })
    }
}

/// How much of something there was.
#[derive(Debug)]
pub(crate) struct Flow {
    all: AtomicU64,
    minute: Ring<AtomicU64>,
    hour: Ring<AtomicU64>,
}

impl Default for Flow {
    fn default() -> Self {
        Self { all: AtomicU64::new(0), minute: Ring::new(MINUTE), hour: Ring::new(HOUR) }
    }
}

impl Flow {
    pub(crate) fn add(&self, amount: u64) {
        self.add_at(second(Instant::now()), amount);
    }

    fn add_at(&self, second: u64, amount: u64) {
        self.all.fetch_add(amount, Ordering::Relaxed);
        self.minute.slot(second).fetch_add(amount, Ordering::Relaxed);
        self.hour.slot(second).fetch_add(amount, Ordering::Relaxed);
    }

    pub(crate) fn windows(&self) -> Windows<u64> {
        self.windows_at(second(Instant::now()))
    }

    fn windows_at(&self, second: u64) -> Windows<u64> {
        let sum =
            |ring: &Ring<AtomicU64>| ring.current(second).map(|slot| slot.load(Ordering::Relaxed)).sum();
        Windows { all: self.all.load(Ordering::Relaxed), hour: sum(&self.hour), minute: sum(&self.minute) }
    }
}

/// What a slot holds.
trait Slot: Default {
    fn empty(&self);
}

impl Slot for AtomicU64 {
    fn empty(&self) {
        self.store(0, Ordering::Relaxed);
    }
}

#[derive(Debug)]
struct Durations {
    micros: AtomicU64,
    max: AtomicU64,
    /// Four billion in five minutes are more than there will be.
    places: [AtomicU32; SPREAD],
}

impl Default for Durations {
    fn default() -> Self {
        Self {
            micros: AtomicU64::new(0),
            max: AtomicU64::new(0),
            places: [const { AtomicU32::new(0) }; SPREAD],
        }
    }
}

impl Slot for Durations {
    fn empty(&self) {
        self.micros.store(0, Ordering::Relaxed);
        self.max.store(0, Ordering::Relaxed);
        self.places.iter().for_each(|place| place.store(0, Ordering::Relaxed));
    }
}

impl Durations {
    fn spread(&self) -> Spread {
        let places: Vec<u64> =
            self.places.iter().map(|place| u64::from(place.load(Ordering::Relaxed))).collect();
        Spread {
            count: places.iter().sum(),
            micros: self.micros.load(Ordering::Relaxed),
            max_us: self.max.load(Ordering::Relaxed),
            places,
        }
    }
}

#[derive(Debug)]
struct Ring<T> {
    /// Seconds a slot covers.
    width: u64,
    /// With the number of the time each was last emptied for; 0 for never.
    slots: [(AtomicU64, T); SLOTS],
}

impl<T: Slot> Ring<T> {
    fn new(width: u64) -> Self {
        Self { width, slots: std::array::from_fn(|_| Default::default()) }
    }

    /// The slot of now, emptied if it still holds a time of long ago.
    fn slot(&self, second: u64) -> &T {
        let now = second / self.width + 1;
        let (time, slot) = &self.slots[now as usize % SLOTS];
        let known = time.load(Ordering::Acquire);
        // A thread that was away for a whole round brings its record to whoever is here now.
        if known < now && time.compare_exchange(known, now, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            slot.empty();
        }
        slot
    }

    fn current(&self, second: u64) -> impl Iterator<Item = &T> {
        let now = second / self.width + 1;
        let is_current = move |time: u64| time > 0 && time + SLOTS as u64 > now;
        self.slots
            .iter()
            .filter(move |(time, _)| is_current(time.load(Ordering::Acquire)))
            .map(|(_, slot)| slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_a_factor_of_two() {
        let series = Series::default();
        for micros in 1..=1000 {
            series.record_at(0, Duration::from_micros(micros));
        }
        let report = series.to_json();
        assert_eq!(report["count"], 1000);
        let of = |name: &str| report[name].as_u64().unwrap_or_default();
        assert!((250..=1000).contains(&of("p50_us_below")), "{report}");
        assert!((500..=1000).contains(&of("p99_us_below")), "{report}");
        series.record_at(0, Duration::from_secs(1_000_000));
        assert_eq!(series.all().max_us, 1_000_000_000_000);
    }

    #[test]
    fn a_window_forgets_what_the_total_keeps() {
        let series = Series::default();
        for at in [0, 30, 59, 100, 4000] {
            series.record_at(at, Duration::from_micros(at + 1));
        }
        let counts = |at| {
            let windows = series.windows_at(at);
            (windows.all.count, windows.hour.count, windows.minute.count)
        };
        assert_eq!(counts(4000), (5, 1, 1));
        assert_eq!(counts(4059), (5, 1, 1));
        assert_eq!(counts(4060), (5, 1, 0), "its slot began a minute ago");
        assert_eq!(counts(40_000), (5, 0, 0));
        assert_eq!(series.windows_at(4000).minute.max_us, 4001);
    }

    #[test]
    fn within_its_time_a_window_has_everything() {
        let series = Series::default();
        let flow = Flow::default();
        for second in 100..150 {
            series.record_at(second, Duration::from_micros(10));
            flow.add_at(second, 3);
        }
        let windows = series.windows_at(150);
        assert_eq!((windows.minute.count, windows.hour.count, windows.minute.micros), (50, 50, 500));
        assert_eq!(flow.windows_at(150), Windows { all: 150, hour: 150, minute: 150 });
        assert_eq!(flow.windows_at(190), Windows { all: 150, hour: 150, minute: 45 });
        assert_eq!(flow.windows_at(100_000), Windows { all: 150, hour: 0, minute: 0 });
    }

    #[test]
    fn many_threads_lose_nothing_of_the_total() {
        let series = Series::default();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let series = &series;
                scope.spawn(move || {
                    for turn in 0..5000 {
                        series.record_at(turn / 10 + thread, Duration::from_micros(turn));
                    }
                });
            }
        });
        let all = series.all();
        assert_eq!((all.count, all.micros), (20_000, 4 * (0..5000).sum::<u64>()));
    }
}
