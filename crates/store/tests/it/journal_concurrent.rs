//! Many threads append at once: all durable, each once, in one order.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::world::{World, all, entry, id, small_segments, unsynced};

#[test]
fn appends_from_many_threads_are_all_kept_and_in_order() {
    let world = World::new();
    let (journal, _) = world.open_with(small_segments(20_000));
    let receipts: BTreeMap<u64, u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..32_u64)
            .map(|thread| {
                let journal = &journal;
                scope.spawn(move || {
                    let mut last = 0;
                    let mut receipts = Vec::new();
                    for number in 0..40 {
                        let number = thread * 1000 + number;
                        let receipt = journal.append(&entry(number)).unwrap();
                        assert!(!receipt.duplicate);
                        assert!(receipt.seq > last, "one thread's entries keep their order");
                        assert!(journal.head() >= receipt.seq, "the head covers what was acknowledged");
                        last = receipt.seq;
                        receipts.push((receipt.seq, number));
                    }
                    receipts
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(receipts.len(), 32 * 40);
    let seen = |journal: &store::Journal| {
        all(journal).into_iter().map(|stored| (stored.seq, stored.entry)).collect::<Vec<_>>()
    };
    let expected: Vec<_> = receipts.iter().map(|(seq, number)| (*seq, entry(*number))).collect();
    assert_eq!(seen(&journal), expected);
    drop(journal);
    assert_eq!(seen(&world.open()), expected);
}

#[test]
fn the_same_id_at_the_same_time_is_kept_once_and_all_are_told_its_number() {
    let world = World::new();
    let journal = world.open();
    for number in 0..50 {
        let receipts: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| journal.append(&entry(number)).unwrap())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(receipts.iter().filter(|receipt| !receipt.duplicate).count(), 1);
        assert_eq!(receipts.iter().map(|receipt| receipt.seq).collect::<HashSet<_>>().len(), 1);
    }
    assert_eq!(all(&journal).len(), 50);
}

#[test]
fn a_reader_beside_the_writers_sees_every_entry_once() {
    let world = World::new();
    let (journal, _) = world.open_with(store::journal::JournalPolicy { segment_bytes: 5000, ..unsynced() });
    let done = AtomicBool::new(false);
    let total = 4 * 500;
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = Vec::new();
            let mut head = 0;
            while !(done.load(Ordering::Acquire) && head == journal.head()) {
                journal.wait_beyond(head, Duration::from_millis(50));
                for stored in journal.read_from(head + 1) {
                    let stored = stored.unwrap();
                    head = stored.seq;
                    assert!(journal.head() >= head, "nothing is shown before it is durable");
                    seen.push(stored.entry.id);
                }
            }
            seen
        });
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let journal = &journal;
                scope.spawn(move || {
                    for number in 0..500 {
                        journal.append(&entry(thread * 1000 + number)).unwrap();
                    }
                });
            }
        });
        done.store(true, Ordering::Release);
        journal.wake();
        let seen = reader.join().unwrap();
        assert_eq!(seen.len(), total);
        assert_eq!(seen.iter().collect::<HashSet<_>>().len(), total);
        assert!(seen.contains(&id(3499)));
    });
}
