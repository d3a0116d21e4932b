//! Retention: whole sealed segments, oldest first.
//!
//! Age is not told by subtracting a time from now: a clock that jumps to 2106 would expire
//! everything, one that jumps to 1970 nothing for ever, and entries written meanwhile carry the wrong
//! time. It is the sum of steps: from the first entry of one segment to the first of the next, and
//! from that of the last one to now. A step counts, forward or back, only if it is at most
//! `BELIEVABLE_STEP_MS`; a longer one is a jump or a long pause, nobody can tell which, and counts
//! nothing. Segments span at most a week, so steps of real work always count. A jump and its return
//! count nothing or cancel. The price: what is older than a pause of more than a month stays that much
//! longer, and a clock that is wrong by less than a month is believed until it is set right.

use std::fs;
use std::io;

use model::Millis;
use serde::Serialize;

use super::JournalPolicy;
use super::catalog::{Catalog, Segment};
use super::scan;
use crate::StoreError;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;
const BELIEVABLE_STEP_MS: u64 = 31 * DAY_MS;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Dropped {
    pub segments: u64,
    pub bytes: u64,
    /// Everything below this sequence number is gone; 0 when nothing was dropped.
    pub below: u64,
}

/// Nothing beyond `until` is dropped.
pub(super) fn enforce(
    catalog: &Catalog,
    policy: &JournalPolicy,
    now: Millis,
    until: u64,
) -> Result<Dropped, StoreError> {
    let mut segments = catalog.snapshot();
    for segment in &mut segments {
        look_up_times(catalog, segment)?;
    }
    let ages = ages(&segments, now);
    let keep_ms = i128::from(policy.keep_days) * i128::from(DAY_MS);
    let mut total: u64 = segments.iter().map(|segment| segment.len).sum();
    let mut dropped = Dropped::default();
    // The last one is never dropped: it grows, and its name carries the sequence numbers on.
    for (pair, age) in segments.windows(2).zip(ages) {
        let [segment, next] = pair else { break };
        if (age <= keep_ms && total <= policy.keep_bytes) || next.first > until.saturating_add(1) {
            break;
        }
        catalog.remove(segment.first);
        let path = catalog.path(segment.first);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::io(&path, error));
            }
            _ => {}
        }
        total -= segment.len;
        dropped.segments += 1;
        dropped.bytes += segment.len;
        dropped.below = next.first;
    }
    Ok(dropped)
}

/// How long ago each segment was left for the next one; the last has none.
fn ages(segments: &[Segment], now: Millis) -> Vec<i128> {
    let mut times: Vec<Millis> = segments.iter().skip(1).filter_map(|segment| segment.first_at).collect();
    times.push(now);
    let mut ages = vec![0; segments.len().saturating_sub(1)];
    let mut age = 0;
    let mut later = times.len() - 1;
    for index in (1..segments.len()).rev() {
        if segments[index].first_at.is_some() {
            age += step(times[later - 1], times[later]);
            later -= 1;
        }
        ages[index - 1] = age;
    }
    ages
}

fn step(from: Millis, to: Millis) -> i128 {
    let step = i128::from(to) - i128::from(from);
    if step.unsigned_abs() <= u128::from(BELIEVABLE_STEP_MS) { step } else { 0 }
}

/// One header per segment, once: the time of its first entry.
fn look_up_times(catalog: &Catalog, segment: &mut Segment) -> Result<(), StoreError> {
    if segment.first_at.is_some() {
        return Ok(());
    }
    let Some(view) = catalog.named(segment.first) else { return Ok(()) };
    let path = catalog.path(segment.first);
    let found = scan::first_time(&path, &view).map_err(|source| StoreError::io(&path, source))?;
    if let Some(at) = found {
        segment.first_at = Some(at);
        catalog.learn_first_at(segment.first, at);
    }
    Ok(())
}
