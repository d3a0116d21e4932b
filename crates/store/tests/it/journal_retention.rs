//! Size and age: whole segments go, oldest first, and no clock that jumps empties the journal.

use store::StoreError;
use store::journal::{Dropped, Journal, JournalPolicy};

use crate::world::{DAY, NOON, World, all, entry, sized, unsynced};

const YEAR_2106: u64 = 4_294_967_295_000;

fn keep(days: u32) -> JournalPolicy {
    JournalPolicy { keep_days: days, ..unsynced() }
}

/// One entry on each of these days, numbered from 1.
fn days(world: &World, policy: JournalPolicy, days: impl IntoIterator<Item = u64>) -> Journal {
    let (journal, _) = world.open_with(policy);
    for (number, day) in (1..).zip(days) {
        let mut entry = entry(number);
        entry.at = NOON + day * DAY;
        journal.append(&entry).unwrap();
    }
    journal
}

#[test]
fn what_is_older_than_the_policy_goes_by_the_segment() {
    let world = World::new();
    let journal = days(&world, keep(30), 0..100);
    let dropped = journal.enforce(NOON + 100 * DAY).unwrap();
    assert!(dropped.segments > 5 && dropped.below > 50, "{dropped:?}");
    let left = all(&journal);
    assert_eq!((left[0].seq, left.last().unwrap().seq), (dropped.below, 100));
    // Nothing younger than the policy is gone, and nothing is older by more than a segment's week or two.
    let oldest = 100 - (left[0].entry.at - NOON) / DAY;
    assert!((30..=46).contains(&oldest), "the oldest is {oldest} days old");
    assert_eq!(journal.tail(), dropped.below);
    assert_eq!(journal.enforce(NOON + 100 * DAY).unwrap(), Dropped::default());
    drop(journal);
    assert_eq!(all(&world.open()).len(), left.len());
}

#[test]
fn one_who_writes_little_is_not_kept_for_ever() {
    let world = World::new();
    let journal = days(&world, keep(60), (0..20).map(|week| week * 10));
    journal.enforce(NOON + 200 * DAY).unwrap();
    assert!(journal.tail() > 10);
}

#[test]
fn a_clock_that_jumped_expires_nothing() {
    let world = World::new();
    let journal = days(&world, keep(30), 0..20);
    for now in [YEAR_2106, u64::MAX, 0, NOON + 20 * DAY, NOON - 365 * DAY] {
        assert_eq!(journal.enforce(now).unwrap(), Dropped::default(), "now {now}");
    }
    assert_eq!(all(&journal).len(), 20);
}

#[test]
fn entries_written_while_the_clock_was_wrong_expire_nothing() {
    for wrong in [YEAR_2106, 0, NOON + 2000 * DAY, NOON - 2000 * DAY] {
        let world = World::new();
        let journal = days(&world, keep(30), 0..15);
        for number in 100..110 {
            let mut entry = entry(number);
            entry.at = wrong.saturating_add(number);
            journal.append(&entry).unwrap();
            assert_eq!(journal.enforce(entry.at).unwrap(), Dropped::default(), "while it was {wrong}");
        }
        for day in 15..20 {
            let mut entry = entry(1000 + day);
            entry.at = NOON + day * DAY;
            journal.append(&entry).unwrap();
            assert_eq!(journal.enforce(entry.at).unwrap(), Dropped::default(), "after it was {wrong}");
        }
        let seqs: Vec<u64> = all(&journal).iter().map(|stored| stored.seq).collect();
        assert_eq!(seqs, (1..=30).collect::<Vec<_>>(), "order is by number, not by clock");
        // And it still ages when time passes.
        let mut last = 0;
        for day in 20..120 {
            let mut entry = entry(2000 + day);
            entry.at = NOON + day * DAY;
            last = journal.append(&entry).unwrap().seq;
        }
        journal.enforce(NOON + 120 * DAY).unwrap();
        assert!(journal.tail() > 30 && journal.tail() < last, "after {wrong}: {}", journal.tail());
    }
}

#[test]
fn a_journal_that_is_too_large_loses_its_oldest_segments() {
    let world = World::new();
    let policy = JournalPolicy { segment_bytes: 20_000, keep_bytes: 100_000, ..unsynced() };
    let (journal, _) = world.open_with(policy);
    for number in 1..=100 {
        journal.append(&sized(number, 5000)).unwrap();
    }
    let old = all(&journal)[0].location;
    let mut entries = journal.read_from(1);
    entries.next();
    let dropped = journal.enforce(NOON).unwrap();
    assert!(dropped.bytes > 300_000);
    assert!(journal.bytes() <= 100_000 && journal.bytes() > 60_000);
    assert!(matches!(journal.read_at(old), Err(StoreError::Gone { .. })));
    let left: Vec<u64> = entries.map(|stored| stored.unwrap().seq).collect();
    assert_eq!(left.last(), Some(&100), "a reader that was at work goes on");
    assert_eq!(journal.head(), 100);
}

#[test]
fn numbers_are_never_used_again_even_when_almost_nothing_is_left() {
    let world = World::new();
    let policy = JournalPolicy { segment_bytes: 1000, keep_bytes: 0, ..unsynced() };
    let (journal, _) = world.open_with(policy.clone());
    for number in 1..=30 {
        journal.append(&entry(number)).unwrap();
    }
    journal.enforce(NOON).unwrap();
    assert_eq!(world.segments().len(), 1);
    drop(journal);
    let (journal, recovery) = world.open_with(policy);
    assert_eq!(recovery.head, 30);
    assert_eq!(journal.append(&entry(31)).unwrap().seq, 31);
}
