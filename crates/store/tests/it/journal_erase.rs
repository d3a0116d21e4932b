//! What a person wanted gone is gone from the disk, and nothing else is.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use store::StoreError;
use store::journal::Journal;

use crate::world::{Chance, World, all, entry, id, readable, small_segments, unsynced};

/// Where a sector of the smallest kind ends: what a power cut may leave half of.
const SECTOR: usize = 512;

fn with_word(number: u64, word: &str) -> model::Entry {
    let mut entry = entry(number);
    entry.envelope = format!(r#"{{"text":"{word} {}"}}"#, "x".repeat(3000)).into_bytes();
    entry
}

fn numbers(journal: &Journal) -> Vec<u64> {
    all(journal).iter().map(|stored| stored.seq).collect()
}

fn holds(world: &World, word: &str) -> bool {
    let held = |path: &std::path::PathBuf| {
        fs::read(path).unwrap().windows(word.len()).any(|window| window == word.as_bytes())
    };
    world.segments().iter().any(held)
}

#[test]
fn an_erased_entry_is_gone_from_the_file_and_everything_else_is_as_it_was() {
    let world = World::new();
    let (journal, _) = world.open_with(small_segments(10_000));
    for number in 1..=12 {
        let word = if [2, 5, 12].contains(&number) { "CANARY" } else { "plain" };
        assert_eq!(journal.append(&with_word(number, word)).unwrap().seq, number);
    }
    let before = all(&journal);
    assert!(world.segments().len() > 2, "finished segments and the one that grows are meant");
    let places: Vec<_> = before.iter().filter(|stored| [2, 5, 12].contains(&stored.seq)).collect();

    let erased = journal.erase(&[12, 2, 5, 2, 99]).unwrap();
    assert_eq!((erased.entries, erased.missing), (3, 1));
    assert!(!holds(&world, "CANARY"));
    let others: Vec<_> = before.iter().filter(|stored| ![2, 5, 12].contains(&stored.seq)).cloned().collect();
    assert_eq!(all(&journal), others);
    for place in places {
        assert!(matches!(journal.read_at(place.location), Err(StoreError::Gone { .. })));
    }
    assert_eq!(
        journal.append(&entry(13)).unwrap().seq,
        13,
        "the last one was erased, its number is not used again"
    );
    drop(journal);

    let (journal, recovery) = world.open_with(small_segments(10_000));
    assert_eq!((recovery.damaged.len(), recovery.torn_bytes, recovery.head), (0, 0, 13));
    assert_eq!(numbers(&journal), [1, 3, 4, 6, 7, 8, 9, 10, 11, 13]);
    assert_eq!(journal.verify().unwrap().damaged_bytes, 0);
    assert_eq!(journal.read_from(5).next().unwrap().unwrap().seq, 6);
    assert_eq!(journal.erase(&[2, 5, 12]).unwrap().entries, 3, "again is as good as once");
}

#[test]
fn the_id_of_an_erased_entry_stays_known_also_after_a_restart() {
    let world = World::new();
    let journal = world.open();
    for number in 1..=3 {
        journal.append(&entry(number)).unwrap();
    }
    journal.erase(&[2, 3]).unwrap();
    assert!(journal.append(&entry(2)).unwrap().duplicate);
    drop(journal);
    let journal = world.open();
    for number in [2, 3] {
        let receipt = journal.append(&entry(number)).unwrap();
        assert!(receipt.duplicate, "who sends it again must not bring it back");
        assert_eq!(receipt.seq, number);
    }
    assert_eq!(numbers(&journal), [1]);
    assert!(!journal.append(&entry(9)).unwrap().duplicate && journal.read_from(0).count() == 2);
    assert_eq!(all(&journal)[1].entry.id, id(9));
}

#[test]
fn copies_of_damage_do_not_keep_what_was_erased() {
    let world = World::new();
    let (journal, _) = world.open_with(unsynced());
    for number in 1..=3 {
        journal.append(&with_word(number, "CANARY")).unwrap();
    }
    drop(journal);
    let segment = &world.segments()[0];
    let mut bytes = fs::read(segment).unwrap();
    bytes[3500] ^= 1;
    fs::write(segment, bytes).unwrap();
    let (journal, recovery) = world.open_with(unsynced());
    assert_eq!((recovery.damaged.len(), recovery.copies.len()), (1, 1));
    journal.erase(&[1, 3]).unwrap();
    assert_eq!(fs::read_dir(world.journal().join("damaged")).unwrap().count(), 0);
    assert_eq!(readable(journal.read_from(0)).0.len(), 0);
}

#[test]
fn a_crash_in_the_middle_of_an_erasure_costs_nothing_else() {
    let world = World::new();
    let (journal, _) = world.open_with(unsynced());
    for number in 1..=5 {
        journal.append(&with_word(number, "CANARY")).unwrap();
    }
    let victims = [2, 4, 5];
    let kept = [1, 3];
    let places: Vec<_> = all(&journal).iter().map(|stored| stored.location.offset as usize).collect();
    let segment = world.segments()[0].clone();
    let before = fs::read(&segment).unwrap();
    journal.erase(&victims).unwrap();
    let after = fs::read(&segment).unwrap();
    drop(journal);
    let mut chance = Chance(77);
    for round in 0..300 {
        // The headers are durable before the first byte of a payload is touched; of the rest any sectors.
        let mut image = before.clone();
        let headers_only = round % 3 == 0;
        for victim in victims {
            let at = places[victim as usize - 1];
            image[at..at + 48].copy_from_slice(&after[at..at + 48]);
        }
        if !headers_only {
            for start in (0..image.len()).step_by(SECTOR) {
                let end = (start + SECTOR).min(image.len());
                if chance.below(2) == 0 {
                    image[start..end].copy_from_slice(&after[start..end]);
                }
            }
        }
        fs::write(&segment, &image).unwrap();
        let (journal, recovery) = world.open_with(unsynced());
        assert_eq!((recovery.damaged.len(), recovery.torn_bytes), (0, 0), "round {round}");
        assert_eq!(numbers(&journal), kept);
        assert_eq!(journal.head(), 5);
        assert_eq!(journal.erase(&victims).unwrap().entries, 3);
        assert_eq!(&fs::read(&segment).unwrap()[..after.len()], &after[..], "what was begun is finished");
    }
}

#[test]
fn a_torn_header_costs_that_record_alone() {
    let world = World::new();
    let (journal, _) = world.open_with(unsynced());
    for number in 1..=5 {
        journal.append(&with_word(number, "plain")).unwrap();
    }
    let place = all(&journal)[2].location.offset as usize;
    let segment = world.segments()[0].clone();
    let mut image = fs::read(&segment).unwrap();
    journal.erase(&[3]).unwrap();
    let after = fs::read(&segment).unwrap();
    drop(journal);
    image[place..place + 10].copy_from_slice(&after[place..place + 10]);
    fs::write(&segment, &image).unwrap();
    let (journal, recovery) = world.open_with(unsynced());
    assert_eq!(recovery.damaged.len(), 1, "it is told");
    let (found, failures) = readable(journal.read_from(0));
    assert_eq!(failures, 1);
    assert_eq!(found.iter().map(|stored| stored.seq).collect::<Vec<_>>(), [1, 2, 4, 5]);
}

#[test]
fn erasing_beside_appends_and_readers_disturbs_nobody() {
    let world = World::new();
    let (journal, _) = world.open_with(small_segments(60_000));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let appending: Vec<_> = (0..3_u64)
            .map(|thread| {
                let journal = &journal;
                scope.spawn(move || {
                    for number in 0..150 {
                        journal.append(&with_word(thread * 1000 + number, "word")).unwrap();
                    }
                })
            })
            .collect();
        let erasing = scope.spawn(|| {
            let mut erased = 0;
            let mut next = 1;
            while !over.load(Ordering::SeqCst) || next <= journal.head() {
                if next <= journal.head() {
                    let done = journal.erase(&[next]).unwrap();
                    erased += done.entries;
                    next += 3;
                }
            }
            erased
        });
        let reading = scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                let mut last = 0;
                for stored in journal.read_from(0).flatten() {
                    assert!(stored.seq > last);
                    last = stored.seq;
                }
            }
        });
        for thread in appending {
            thread.join().unwrap();
        }
        over.store(true, Ordering::SeqCst);
        reading.join().unwrap();
        assert_eq!(erasing.join().unwrap(), 150);
    });
    let left: Vec<u64> = numbers(&journal);
    assert_eq!(left, (1..=450).filter(|seq| seq % 3 != 1).collect::<Vec<_>>());
    drop(journal);
    let (journal, recovery) = world.open_with(small_segments(60_000));
    assert_eq!(recovery.damaged, []);
    assert_eq!(numbers(&journal), left);
}
