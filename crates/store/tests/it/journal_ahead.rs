//! Segments that were written ahead as zeros: who reopens them, who reads beside them, and what
//! becomes of an append when there is none.

use std::fs;
use std::io::{self, IoSlice};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use store::Journal;
use store::journal::{Disk, JournalPolicy, Medium, SegmentFile, read_only, verify};

use crate::world::{DAY, NOON, World, all, entry, sized, small_segments, unsynced};

const PATIENCE: Duration = Duration::from_secs(20);

/// Appends from `number` on until the last segment is one that was written ahead; answers the next number.
fn until_ahead(world: &World, journal: &Journal, mut number: u64) -> u64 {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        journal.append(&entry(number)).unwrap();
        number += 1;
        let last = last_segment(world);
        if fs::metadata(&last).unwrap().len() > data_end(&last) {
            return number;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("no segment was written ahead");
}

fn last_segment(world: &World) -> PathBuf {
    world.segments().pop().unwrap()
}

/// No envelope ends with a zero.
fn data_end(path: &Path) -> u64 {
    fs::read(path).unwrap().iter().rposition(|byte| *byte != 0).map_or(0, |at| at as u64 + 1)
}

fn spare(world: &World) -> PathBuf {
    world.journal().join("next.prepared")
}

#[test]
fn a_journal_with_room_is_reopened_clean_and_goes_on_in_it() {
    let world = World::new();
    let journal = world.open();
    let next = until_ahead(&world, &journal, 1);
    drop(journal);
    assert!(!spare(&world).exists(), "what was not used is gone");
    let segment = last_segment(&world);
    let (before, end) = (fs::metadata(&segment).unwrap(), data_end(&segment));

    let seen = verify(&world.journal()).unwrap();
    assert_eq!((seen.entries, seen.torn_bytes, seen.damaged.len()), (next - 1, 0, 0));
    let data: u64 = world.segments().iter().map(|path| data_end(path)).sum();
    assert_eq!(seen.bytes, data, "room is no data");

    let (journal, recovery) = world.open_with(JournalPolicy::default());
    assert_eq!((recovery.head, recovery.torn_bytes), (next - 1, 0));
    assert!(recovery.damaged.is_empty() && recovery.copies.is_empty());
    assert_eq!(journal.bytes(), data);
    assert_eq!(journal.append(&entry(next)).unwrap().seq, next);
    let after = fs::metadata(&segment).unwrap();
    assert_eq!((after.ino(), after.len(), after.blocks()), (before.ino(), before.len(), before.blocks()));
    assert!(data_end(&segment) > end, "it went there");
    assert_eq!(all(&journal).into_iter().map(|stored| stored.entry).collect::<Vec<_>>(), {
        (1..=next).map(entry).collect::<Vec<_>>()
    });
}

#[test]
fn a_record_torn_in_front_of_room_is_cleared_and_only_its_bytes_are_copied() {
    let world = World::new();
    let journal = world.open();
    let next = until_ahead(&world, &journal, 1);
    drop(journal);
    let segment = last_segment(&world);
    let mut bytes = fs::read(&segment).unwrap();
    let end = data_end(&segment) as usize;
    let torn = bytes[..100].to_vec();
    bytes[end..end + 100].copy_from_slice(&torn);
    fs::write(&segment, &bytes).unwrap();
    let torn = torn.iter().rposition(|byte| *byte != 0).unwrap() as u64 + 1;

    assert_eq!(verify(&world.journal()).unwrap().torn_bytes, torn);
    let (journal, recovery) = world.open_with(JournalPolicy::default());
    assert_eq!((recovery.head, recovery.torn_bytes, recovery.damaged.len()), (next - 1, torn, 0));
    assert_eq!(fs::metadata(&recovery.copies[0]).unwrap().len(), torn);
    let next = until_ahead(&world, &journal, next);
    assert_eq!(all(&journal).len() as u64, next - 1);
}

#[test]
fn what_a_crash_left_of_preparing_is_never_read() {
    let world = World::new();
    let (journal, _) = world.open_with(small_segments(2000));
    for number in 1..=20 {
        journal.append(&entry(number)).unwrap();
    }
    drop(journal);
    // The worst it could be: records.
    fs::copy(&world.segments()[0], spare(&world)).unwrap();
    assert_eq!(verify(&world.journal()).unwrap().entries, 20);
    let (journal, recovery) = world.open_with(unsynced());
    assert!(!spare(&world).exists());
    assert_eq!((recovery.head, recovery.torn_bytes), (20, 0));
    assert_eq!(all(&journal).len(), 20);
}

#[test]
fn a_reader_in_another_process_takes_room_for_the_end_and_never_for_damage() {
    let world = World::new();
    let (journal, _) = world.open_with(small_segments(300_000));
    let next = until_ahead(&world, &journal, 1);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = [false, true]
            .into_iter()
            .map(|verifies| {
                let (world, done) = (&world, &done);
                scope.spawn(move || {
                    let (mut most, mut rounds) = (0, 0);
                    while !done.load(Ordering::Acquire) {
                        let reader = read_only(&world.journal()).unwrap();
                        let found = if verifies {
                            let report = reader.verify().unwrap();
                            assert_eq!(report.damaged, []);
                            report.entries
                        } else {
                            let mut entries = reader.read_from(1).peekable();
                            while let Some(stored) = entries.next() {
                                let seq = stored.unwrap().seq;
                                assert!(entries.peek().is_none_or(|next| next.as_ref().unwrap().seq > seq));
                            }
                            reader.read_from(1).count() as u64
                        };
                        assert!(found >= most, "{found} after {most}");
                        (most, rounds) = (found, rounds + 1);
                    }
                    rounds
                })
            })
            .collect();
        std::thread::scope(|scope| {
            for thread in 1..=3 {
                let journal = &journal;
                scope.spawn(move || {
                    for number in 0..400 {
                        let number = thread * 10_000 + number;
                        journal.append(&sized(number, (number as usize * 31) % 2500)).unwrap();
                    }
                });
            }
        });
        done.store(true, Ordering::Release);
        for reader in readers {
            assert!(reader.join().unwrap() > 3, "they must have been at it");
        }
    });
    assert_eq!(verify(&world.journal()).unwrap().entries, next - 1 + 1200);
}

#[test]
fn a_segment_that_is_left_gives_its_room_back() {
    let world = World::new();
    let journal = world.open();
    let next = until_ahead(&world, &journal, 1);
    let left = last_segment(&world);
    let mut later = entry(next);
    later.at = NOON + 30 * DAY;
    journal.append(&later).unwrap();
    assert_ne!(last_segment(&world), left);
    assert_eq!(fs::metadata(&left).unwrap().len(), data_end(&left));
    assert_eq!(all(&journal).len() as u64, next);
}

#[test]
fn what_is_written_ahead_is_a_small_share_of_what_is_kept() {
    let world = World::new();
    let (journal, _) = world.open_with(JournalPolicy { keep_bytes: 1 << 20, ..JournalPolicy::default() });
    let mut number = 1;
    for _ in 0..5 {
        number = until_ahead(&world, &journal, number);
        for _ in 0..20 {
            journal.append(&sized(number, 5000)).unwrap();
            number += 1;
        }
        let files =
            fs::read_dir(world.journal()).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
        let beyond = files.sum::<u64>() - journal.bytes();
        assert!(beyond <= 2 * ((1 << 20) / 16), "{beyond} bytes beyond the data");
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Create,
    Full,
    Sync,
    Rename,
}

/// Fails only where the next segment is made.
#[derive(Debug, Clone)]
struct Unprepared {
    fault: Fault,
    struck: Arc<AtomicU64>,
}

impl Unprepared {
    fn check(&self, path: &Path, fault: Fault) -> io::Result<()> {
        if self.fault == fault && path.extension().is_some_and(|extension| extension == "prepared") {
            self.struck.fetch_add(1, Ordering::Relaxed);
            return Err(io::Error::from_raw_os_error(if fault == Fault::Full { 28 } else { 5 }));
        }
        Ok(())
    }

    fn file(&self, path: &Path, inner: Box<dyn SegmentFile>) -> Box<dyn SegmentFile> {
        Box::new(UnpreparedFile { inner, path: path.to_owned(), medium: self.clone() })
    }
}

impl Medium for Unprepared {
    fn create(&self, path: &Path) -> io::Result<Box<dyn SegmentFile>> {
        self.check(path, Fault::Create)?;
        Ok(self.file(path, Disk.create(path)?))
    }

    fn resume(&self, path: &Path, offset: u64) -> io::Result<Box<dyn SegmentFile>> {
        Ok(self.file(path, Disk.resume(path, offset)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(from, Fault::Rename)?;
        Disk.rename(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        Disk.sync_folder(folder)
    }
}

#[derive(Debug)]
struct UnpreparedFile {
    inner: Box<dyn SegmentFile>,
    path: PathBuf,
    medium: Unprepared,
}

impl SegmentFile for UnpreparedFile {
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        // A disk that is full takes what fits before it says so.
        if let Err(full) = self.medium.check(&self.path, Fault::Full) {
            self.inner.write(&[IoSlice::new(&parts[0][..parts[0].len() / 2])])?;
            return Err(full);
        }
        self.inner.write(parts)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.medium.check(&self.path, Fault::Sync)?;
        self.inner.sync()
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.inner.cut(len)
    }
}

#[test]
fn a_disk_that_fails_or_is_full_while_preparing_changes_no_append() {
    for fault in [Fault::Create, Fault::Full, Fault::Sync, Fault::Rename] {
        let world = World::new();
        let medium = Unprepared { fault, struck: Arc::default() };
        let (journal, _) =
            Journal::open_on(&world.journal(), small_segments(10_000), Box::new(medium.clone())).unwrap();
        let begin = Instant::now();
        let mut number = 0;
        while (number < 100 || medium.struck.load(Ordering::Relaxed) < 2) && begin.elapsed() < PATIENCE {
            number += 1;
            assert_eq!(journal.append(&sized(number, 1000)).unwrap().seq, number, "{fault:?}");
            std::thread::sleep(Duration::from_micros(300));
        }
        assert!(medium.struck.load(Ordering::Relaxed) >= 2, "{fault:?} never struck");
        for path in world.segments() {
            assert_eq!(fs::metadata(&path).unwrap().len(), data_end(&path), "{fault:?}: they grow as before");
        }
        drop(journal);
        assert!(!spare(&world).exists(), "{fault:?}: nothing is left of it");
        let (journal, recovery) = world.open_with(small_segments(10_000));
        assert_eq!((recovery.head, recovery.torn_bytes), (number, 0), "{fault:?}");
        assert_eq!(all(&journal).len() as u64, number, "{fault:?}");
    }
}
