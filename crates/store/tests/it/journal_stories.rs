//! What goes into the journal comes out of it, in order, across segments and starts.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use model::SessionId;
use store::StoreError;
use store::journal::{Journal, JournalPolicy, Receipt, read_only, verify};

use crate::world::{World, all, entry, id, readable, sized, small_segments, unsynced};

#[test]
fn what_was_appended_reads_back_in_order() {
    let world = World::new();
    let journal = world.open();
    assert_eq!(journal.head(), 0);
    for number in 1..=50 {
        assert_eq!(journal.append(&entry(number)).unwrap(), Receipt { seq: number, duplicate: false });
    }
    assert_eq!(journal.head(), 50);
    let found = all(&journal);
    assert_eq!(found.len(), 50);
    for (number, stored) in (1..).zip(&found) {
        assert_eq!((stored.seq, &stored.entry), (number, &entry(number)));
        assert_eq!(&journal.read_at(stored.location).unwrap(), stored);
    }
}

#[test]
fn reading_begins_at_any_number_in_any_segment() {
    let world = World::new();
    let (journal, _) = world.open_with(JournalPolicy { segment_bytes: 300 << 10, ..unsynced() });
    for number in 1..=400 {
        journal.append(&sized(number, 3000)).unwrap();
    }
    assert!(world.segments().len() > 3);
    let check = |journal: &Journal| {
        for from in [0, 1, 2, 57, 99, 100, 101, 250, 399, 400] {
            let seqs: Vec<u64> = journal.read_from(from).map(|stored| stored.unwrap().seq).collect();
            assert_eq!(seqs, (from.max(1)..=400).collect::<Vec<_>>(), "from {from}");
        }
        assert_eq!(journal.read_from(401).count(), 0);
        assert_eq!(journal.read_from(u64::MAX).count(), 0);
    };
    check(&journal);
    drop(journal);
    check(&world.open());
}

#[test]
fn a_reopened_journal_goes_on_where_it_stopped() {
    let world = World::new();
    for round in 0..5_u64 {
        let (journal, recovery) = world.open_with(small_segments(1000));
        assert_eq!((recovery.head, recovery.torn_bytes), (round * 7, 0));
        assert_eq!(recovery.damaged, []);
        for number in 1..=7 {
            assert_eq!(journal.append(&entry(round * 7 + number)).unwrap().seq, round * 7 + number);
        }
    }
    let journal = world.open();
    let found: Vec<_> = all(&journal).into_iter().map(|stored| stored.entry).collect();
    assert_eq!(found, (1..=35).map(entry).collect::<Vec<_>>());
}

#[test]
fn an_iterator_that_ended_goes_on_after_the_next_append() {
    let world = World::new();
    let (journal, _) = world.open_with(small_segments(500));
    let mut entries = journal.read_from(1);
    for number in 1..=30 {
        assert!(entries.next().is_none());
        assert_eq!(entries.position(), number);
        journal.append(&entry(number)).unwrap();
        assert_eq!(entries.next().unwrap().unwrap().seq, number);
    }
}

#[test]
fn files_are_private_and_a_loose_folder_is_tightened() {
    let world = World::new();
    std::fs::create_dir(world.journal()).unwrap();
    std::fs::set_permissions(world.journal(), PermissionsExt::from_mode(0o755)).unwrap();
    world.open().append(&entry(1)).unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&world.journal()), 0o700);
    assert_eq!(mode(&world.segments()[0]), 0o600);
}

#[test]
fn a_second_writer_is_refused_and_a_reader_is_not() {
    let world = World::new();
    let journal = world.open();
    journal.append(&entry(1)).unwrap();
    let second = Journal::open(&world.journal(), JournalPolicy::default());
    assert!(matches!(second, Err(StoreError::Busy(_))));
    let reader = read_only(&world.journal()).unwrap();
    assert_eq!(reader.read_from(1).count(), 1);
    assert_eq!(verify(&world.journal()).unwrap().entries, 1);
    drop(journal);
    world.open();
}

#[test]
fn a_reader_of_no_journal_sees_none() {
    let world = World::new();
    assert_eq!(read_only(&world.journal()).unwrap().read_from(1).count(), 0);
    assert!(!world.journal().exists());
}

#[test]
fn the_same_id_is_kept_once_also_after_a_reopening() {
    let world = World::new();
    let (journal, _) = world.open_with(small_segments(1000));
    for number in 1..=20 {
        journal.append(&entry(number)).unwrap();
    }
    let again = Receipt { seq: 4, duplicate: true };
    assert_eq!(journal.append(&entry(4)).unwrap(), again);
    drop(journal);
    let journal = world.open();
    let again_after = journal.append(&entry(20)).unwrap();
    assert_eq!(again_after, Receipt { seq: 20, duplicate: true });
    assert_eq!(
        journal.append(&entry(15)).unwrap(),
        Receipt { seq: 15, duplicate: true },
        "an earlier segment"
    );
    assert_eq!(all(&journal).len(), 20);
    assert_eq!(journal.append(&entry(21)).unwrap(), Receipt { seq: 21, duplicate: false });
}

#[test]
fn hostile_session_ids_and_names_are_only_text() {
    let world = World::new();
    let journal = world.open();
    let hostile = [
        "\0".to_owned(),
        "a\nb\r\n\u{1b}[2J".to_owned(),
        "../../../../etc/passwd".to_owned(),
        "'; DROP TABLE events; --".to_owned(),
        "x".repeat(1 << 20),
        "👩‍👩‍👧‍👦\u{202e}\u{feff}".repeat(500),
        String::new(),
    ];
    for (number, text) in (1..).zip(&hostile) {
        let mut entry = entry(number);
        entry.session = SessionId::new(text);
        entry.event.clone_from(text);
        entry.tool = Some(text.clone());
        entry.context.insert(text.clone(), text.clone());
        journal.append(&entry).unwrap();
        let stored = journal.read_from(number).next().unwrap().unwrap();
        assert_eq!(stored.entry, entry);
    }
    drop(journal);
    assert_eq!(all(&world.open()).len(), hostile.len());
}

#[test]
fn an_envelope_of_50_mb_is_kept_and_one_beyond_reason_is_refused() {
    let world = World::new();
    let (journal, _) = world.open_with(unsynced());
    journal.append(&entry(1)).unwrap();
    let large = sized(2, 50 << 20);
    journal.append(&large).unwrap();
    journal.append(&entry(3)).unwrap();
    let refused = journal.append(&sized(4, 130 << 20));
    assert!(matches!(refused, Err(StoreError::TooLarge { .. })));
    let found = all(&journal);
    assert_eq!(found.iter().map(|stored| stored.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(found[1].entry == large);
}

#[test]
fn waiting_ends_with_the_append_with_the_bell_and_with_the_time() {
    let world = World::new();
    let journal = world.open();
    assert_eq!(journal.wait_beyond(0, Duration::from_millis(5)), 0);
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| journal.wait_beyond(0, Duration::from_secs(30)));
        journal.append(&entry(1)).unwrap();
        assert_eq!(waiter.join().unwrap(), 1);
    });
    assert_eq!(journal.wait_beyond(0, Duration::from_secs(30)), 1, "already there");
    std::thread::scope(|scope| {
        let before = Instant::now();
        let waiter = scope.spawn(|| journal.wait_beyond(1, Duration::from_mins(10)));
        while !waiter.is_finished() {
            journal.wake();
        }
        assert!(before.elapsed() < Duration::from_mins(5));
    });
}

#[test]
fn numbers_go_on_past_a_cursor_that_is_ahead() {
    let world = World::new();
    let journal = world.open();
    journal.append(&entry(1)).unwrap();
    journal.advance_past(0);
    assert_eq!(journal.append(&entry(2)).unwrap().seq, 2);
    journal.advance_past(1000);
    assert_eq!(journal.append(&entry(3)).unwrap().seq, 1001);
    drop(journal);
    let (journal, recovery) = world.open_with(JournalPolicy::default());
    assert_eq!((recovery.head, recovery.torn_bytes), (1001, 0));
    let (found, failures) = readable(journal.read_from(0));
    assert_eq!((found.len(), failures), (3, 0));
    assert_eq!(journal.verify().unwrap().damaged, []);
    assert_eq!(found[2].entry.id, id(3));
}

#[test]
fn many_at_once_are_kept_in_their_order_and_known_ones_are_not_written_again() {
    let world = World::new();
    let journal = world.open();
    let entries: Vec<_> = (0..3000).map(entry).collect();
    journal.append(&entries[7]).unwrap();
    let mut twice = entries.clone();
    twice.push(entries[9].clone());
    let receipts: Vec<_> = journal.append_all(&twice).into_iter().map(Result::unwrap).collect();
    assert!(receipts[7].duplicate && receipts[3000].duplicate);
    assert_eq!(receipts[3000].seq, receipts[9].seq);
    let read: Vec<_> = journal.read_from(1).map(|stored| stored.unwrap().entry.id).collect();
    let mut expected: Vec<_> = entries.iter().map(|entry| entry.id).collect();
    let first = expected.remove(7);
    expected.insert(0, first);
    assert_eq!(read, expected);
}
