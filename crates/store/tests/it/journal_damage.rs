//! Flipped bits, torn tails and foreign bytes: nothing wrong is served and nothing behind them is lost.

use std::fs;

use store::journal::{JournalPolicy, read_only, verify};
use store::{StoreError, Stored};

use crate::world::{Chance, World, all, entry, readable, sized, small_segments, unsynced};

fn filled(count: u64) -> World {
    let world = World::new();
    let (journal, _) = world.open_with(unsynced());
    for number in 1..=count {
        journal.append(&entry(number)).unwrap();
    }
    world
}

#[test]
fn a_tail_torn_at_any_byte_costs_only_the_torn_record() {
    let source = filled(5);
    let whole = fs::read(&source.segments()[0]).unwrap();
    let last = all(&source.open())[4].location.offset as usize;
    for cut in last..whole.len() {
        let world = World::new();
        fs::create_dir(world.journal()).unwrap();
        let segment = world.journal().join("00000000000000000001.seg");
        fs::write(&segment, &whole[..cut]).unwrap();
        let (journal, recovery) = world.open_with(unsynced());
        assert_eq!((recovery.entries, recovery.head), (4, 4), "cut at {cut}");
        // Zeros at the end are none that anybody wrote, for all one can tell.
        let torn = whole[last..cut].iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
        assert_eq!(recovery.torn_bytes as usize, torn);
        assert_eq!(recovery.damaged, []);
        assert_eq!(fs::metadata(&segment).unwrap().len() as usize, last);
        // The sender tries again.
        assert_eq!(journal.append(&entry(5)).unwrap().seq, 5);
        assert_eq!(fs::read(&segment).unwrap(), whole);
    }
}

#[test]
fn zeros_at_the_end_are_no_data_and_leave_no_copy() {
    let world = filled(3);
    let segment = &world.segments()[0];
    let mut bytes = fs::read(segment).unwrap();
    bytes.resize(bytes.len() + 5000, 0);
    fs::write(segment, &bytes).unwrap();
    let (journal, recovery) = world.open_with(unsynced());
    assert_eq!((recovery.head, recovery.torn_bytes), (3, 0));
    assert_eq!(recovery.copies, Vec::<std::path::PathBuf>::new());
    journal.append(&entry(4)).unwrap();
    assert_eq!(all(&journal).len(), 4);
}

#[test]
fn a_flipped_bit_costs_one_record_and_never_changes_one() {
    let source = filled(12);
    let whole = fs::read(&source.segments()[0]).unwrap();
    let expected: Vec<_> = (1..=12).map(entry).collect();
    for at in (0..whole.len()).step_by(7) {
        let world = World::new();
        fs::create_dir(world.journal()).unwrap();
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(world.journal().join("00000000000000000001.seg"), bytes).unwrap();

        let unopened = verify(&world.journal()).unwrap();
        assert_eq!(unopened.entries, 11, "flipped at {at}");
        let (journal, recovery) = world.open_with(unsynced());
        let (found, failures) = readable(journal.read_from(0));
        assert_eq!(found.len(), 11, "flipped at {at}");
        for stored in &found {
            assert_eq!(stored.entry, expected[stored.seq as usize - 1]);
        }
        // The last record looks like a torn one: its bytes are kept beside the journal.
        let in_the_last = !found.iter().any(|stored| stored.seq == 12);
        assert_eq!(failures, usize::from(!in_the_last));
        assert_eq!(recovery.damaged.len(), usize::from(!in_the_last));
        assert_eq!(recovery.copies.len(), 1);
        assert!(recovery.copies[0].exists());
        // And the journal goes on, also after another opening.
        let seq = journal.append(&entry(100)).unwrap().seq;
        assert!(seq > 11);
        drop(journal);
        let (found, _) = readable(world.open().read_from(0));
        assert_eq!((found.len(), found[11].seq), (12, seq));
    }
}

#[test]
fn damage_in_an_earlier_segment_is_reported_by_reader_and_verify() {
    let world = World::new();
    let (journal, _) = world.open_with(small_segments(600));
    for number in 1..=20 {
        journal.append(&entry(number)).unwrap();
    }
    let location = all(&journal)[7].location;
    let path = world.journal().join(format!("{:020}.seg", location.segment));
    let mut bytes = fs::read(&path).unwrap();
    bytes[location.offset as usize + 60] ^= 0x10;
    fs::write(&path, bytes).unwrap();

    assert!(matches!(journal.read_at(location), Err(StoreError::Unreadable { .. })));
    for report in [journal.verify().unwrap(), verify(&world.journal()).unwrap()] {
        assert_eq!((report.entries, report.damaged.len()), (19, 1));
        assert_eq!((&report.damaged[0].path, report.damaged[0].offset), (&path, location.offset));
    }
    for (found, failures) in
        [readable(journal.read_from(0)), readable(read_only(&world.journal()).unwrap().read_from(0))]
    {
        assert_eq!((found.len(), failures), (19, 1));
        assert!(found.iter().all(|stored| stored.seq != 8 && stored.entry == entry(stored.seq)));
    }
    let after: Vec<u64> = journal.read_from(9).map(|stored| stored.unwrap().seq).collect();
    assert_eq!(after, (9..=20).collect::<Vec<_>>(), "who reads behind the damage does not meet it");
}

#[test]
fn a_batch_torn_in_its_middle_is_cleared_for_good_and_its_whole_records_stay() {
    let (world, stored, first) = three_at_once();
    let segment = &world.segments()[0];
    let mut bytes = fs::read(segment).unwrap();
    let torn = stored[first + 1].location.offset as usize;
    bytes[torn..torn + 512].fill(0);
    fs::write(segment, &bytes).unwrap();
    assert_eq!(verify(&world.journal()).unwrap().damaged, []);
    for opening in 0..3 {
        let (journal, recovery) = world.open_with(unsynced());
        assert_eq!(recovery.damaged, [], "nobody was promised it");
        assert_eq!(recovery.torn_bytes > 0, opening == 0);
        let (found, failures) = readable(journal.read_from(0));
        assert_eq!((found.len(), failures), (stored.len() - 1 + opening, 0));
        journal.append(&entry(100 + opening as u64)).unwrap();
        assert_eq!(journal.verify().unwrap().damaged, []);
    }
}

#[test]
fn random_damage_never_panics_and_never_shows_a_wrong_entry() {
    let source = World::new();
    let (journal, _) = source.open_with(JournalPolicy { segment_bytes: 4000, ..unsynced() });
    let expected: Vec<_> = (1..=60).map(|number| sized(number, 40 * (number as usize % 9))).collect();
    for entry in &expected {
        journal.append(entry).unwrap();
    }
    drop(journal);
    let files: Vec<(String, Vec<u8>)> = source
        .segments()
        .iter()
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap()))
        .collect();
    let mut chance = Chance(0x7468_726f_7567_686c);
    for round in 0..150 {
        let world = World::new();
        fs::create_dir(world.journal()).unwrap();
        let mut files = files.clone();
        let victim = chance.below(files.len() as u64) as usize;
        let len = files[victim].1.len() as u64;
        let offset = chance.below(len) as usize;
        match round % 5 {
            0 => files[victim].1.truncate(offset),
            1 => {
                let end = (offset + 512).min(len as usize);
                files[victim].1[offset..end].fill(0);
            }
            2 => {
                let other = chance.below(files.len() as u64) as usize;
                let bytes = files[victim].1.clone();
                files[victim].1 = std::mem::replace(&mut files[other].1, bytes);
            }
            3 => {
                let copy = files[victim].1[..offset].to_vec();
                files[victim].1.extend(copy);
            }
            _ => {
                for _ in 0..=chance.below(64) {
                    let bit = chance.below(len * 8);
                    files[victim].1[bit as usize / 8] ^= 1 << (bit % 8);
                }
            }
        }
        for (name, bytes) in &files {
            fs::write(world.journal().join(name), bytes).unwrap();
        }
        let (journal, _) = world.open_with(unsynced());
        let (found, _) = readable(journal.read_from(0));
        assert!(found.windows(2).all(|pair| pair[0].seq < pair[1].seq), "round {round}");
        for stored in &found {
            assert_eq!(stored.entry, expected[stored.seq as usize - 1], "round {round}");
        }
        let untouched = expected.len() - 60.min(found.len());
        assert!(untouched <= 45, "round {round}: {untouched} lost");
        journal.append(&entry(9999)).unwrap();
    }
}

/// A journal whose last three records at least were written before any of them was durable, and the
/// first of them. Who shares a batch is up to the scheduler, so it may take a few attempts.
fn three_at_once() -> (World, Vec<Stored>, usize) {
    for _ in 0..100 {
        let world = World::new();
        let journal = world.open();
        std::thread::scope(|scope| {
            for number in 1..=16 {
                let journal = &journal;
                scope.spawn(move || journal.append(&sized(number, 2000)).unwrap());
            }
        });
        let stored = all(&journal);
        if world.segments().len() > 1 {
            continue; // The one written ahead was ready in the middle.
        }
        let bytes = fs::read(&world.segments()[0]).unwrap();
        let last = stored.last().unwrap().location.offset as usize;
        let behind = usize::from(u16::from_le_bytes(bytes[last + 12..last + 14].try_into().unwrap()));
        if behind >= 2 {
            let first = stored.len() - 1 - behind;
            return (world, stored, first);
        }
    }
    panic!("sixteen threads never met");
}
