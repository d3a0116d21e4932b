//! Disks that fail: by a medium that fails when told to, by a file system that is full, by
//! permissions.

use std::collections::BTreeSet;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::EventId;
use store::StoreError;
use store::journal::{Disk, Journal, JournalPolicy, Medium, SegmentFile};

use crate::world::{World, all, entry, readable, segments, sized, small_segments};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Write,
    ShortWrite,
    Interrupted,
    Sync,
    Create,
    Rename,
    Folder,
}

/// Fails every n-th call of one kind.
#[derive(Debug, Clone)]
struct Failing {
    fault: Fault,
    every: u64,
    calls: Arc<AtomicU64>,
}

impl Failing {
    fn strikes(&self, fault: Fault) -> bool {
        self.fault == fault && (self.calls.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(self.every)
    }

    fn check(&self, fault: Fault) -> io::Result<()> {
        if self.strikes(fault) { Err(io::Error::from_raw_os_error(5)) } else { Ok(()) }
    }
}

impl Medium for Failing {
    fn create(&self, path: &Path) -> io::Result<Box<dyn SegmentFile>> {
        self.check(Fault::Create)?;
        Ok(Box::new(FailingFile { inner: Disk.create(path)?, failing: self.clone(), broken: false }))
    }

    fn resume(&self, path: &Path, offset: u64) -> io::Result<Box<dyn SegmentFile>> {
        Ok(Box::new(FailingFile { inner: Disk.resume(path, offset)?, failing: self.clone(), broken: false }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.check(Fault::Rename)?;
        Disk.rename(from, to)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.check(Fault::Folder)?;
        Disk.sync_folder(folder)
    }
}

#[derive(Debug)]
struct FailingFile {
    inner: Box<dyn SegmentFile>,
    failing: Failing,
    broken: bool,
}

impl SegmentFile for FailingFile {
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        assert!(!self.broken, "written again after a failure");
        if self.failing.strikes(Fault::Interrupted) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.failing.strikes(Fault::ShortWrite) {
            let part = &parts[0];
            return self.inner.write(&[IoSlice::new(&part[..part.len().div_ceil(2)])]);
        }
        if self.failing.strikes(Fault::Write) {
            self.broken = true;
            let half = parts[0].len() / 2;
            self.inner.write(&[IoSlice::new(&parts[0][..half])])?;
            return Err(io::Error::from_raw_os_error(5));
        }
        self.inner.write(parts)
    }

    fn sync(&mut self) -> io::Result<()> {
        assert!(!self.broken, "synced again after a failure");
        let outcome = self.failing.check(Fault::Sync);
        self.broken = outcome.is_err();
        outcome?;
        self.inner.sync()
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.inner.cut(len)
    }
}

#[test]
fn a_disk_that_fails_now_and_then_loses_nothing_acknowledged() {
    let faults = [
        Fault::Write,
        Fault::ShortWrite,
        Fault::Interrupted,
        Fault::Sync,
        Fault::Create,
        Fault::Rename,
        Fault::Folder,
    ];
    for fault in faults {
        for every in [1, 2, 3, 5, 7, 16] {
            // A call that is interrupted every time never ends; the system does not do that.
            if fault == Fault::Interrupted && every == 1 {
                continue;
            }
            let world = World::new();
            let failing = Failing { fault, every, calls: Arc::default() };
            let opened = Journal::open_on(&world.journal(), small_segments(1500), Box::new(failing));
            let (journal, _) = opened.unwrap();
            let kept: BTreeSet<EventId> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..3)
                    .map(|thread| {
                        let journal = &journal;
                        scope.spawn(move || {
                            let numbers = (0..30).map(|number| thread * 100 + number);
                            numbers
                                .map(entry)
                                .filter(|entry| journal.append(entry).is_ok())
                                .map(|entry| entry.id)
                                .collect::<Vec<_>>()
                        })
                    })
                    .collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
            });
            match fault {
                Fault::ShortWrite | Fault::Interrupted | Fault::Rename => assert_eq!(kept.len(), 90),
                _ if every == 1 => assert_eq!(kept.len(), 0, "{fault:?}"),
                // More often than that it may meet every append, as the threads happen to meet.
                _ if every < 5 => {}
                _ => assert!(!kept.is_empty(), "{fault:?} every {every}"),
            }
            let ids = |journal: &Journal| -> Vec<EventId> {
                all(journal).iter().map(|stored| stored.entry.id).collect()
            };
            let found = ids(&journal);
            assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), kept, "{fault:?} every {every}");
            assert_eq!(found.len(), kept.len(), "{fault:?} every {every}");
            let head = journal.head();
            drop(journal);
            let journal = world.open();
            assert_eq!(ids(&journal), found, "{fault:?} every {every}, reopened");
            assert_eq!(journal.verify().unwrap().damaged, []);
            assert!(journal.append(&entry(5000)).unwrap().seq > head);
        }
    }
}

#[test]
fn an_erasure_that_fails_is_told_costs_nobody_else_and_may_be_tried_again() {
    for fault in [Fault::Write, Fault::ShortWrite, Fault::Sync] {
        for every in [1, 2, 3] {
            let world = World::new();
            let (journal, _) = world.open_with(small_segments(1500));
            for number in 1..=20 {
                journal.append(&entry(number)).unwrap();
            }
            drop(journal);
            let failing = Failing { fault, every, calls: Arc::default() };
            // Opening syncs, too: where every sync fails there is no journal to erase from.
            let Ok((journal, _)) =
                Journal::open_on(&world.journal(), small_segments(1500), Box::new(failing))
            else {
                continue;
            };
            let failed = journal.erase(&[3, 4, 11, 20]).is_err();
            assert_eq!(failed, fault != Fault::ShortWrite, "{fault:?} every {every}");
            drop(journal);
            let (journal, recovery) = world.open_with(small_segments(1500));
            let (found, unreadable) = readable(journal.read_from(0));
            let numbers: BTreeSet<u64> = found.iter().map(|stored| stored.seq).collect();
            let lost = (1..=20).filter(|seq| !numbers.contains(seq) && ![3, 4, 11, 20].contains(seq)).count();
            assert_eq!(lost, 0, "{fault:?} every {every}: {recovery:?}");
            assert!(unreadable <= 1, "at most the header that was torn");
            assert_eq!(journal.erase(&[3, 4, 11, 20]).unwrap().entries + unreadable as u64, 4);
            assert!(journal.append(&entry(99)).unwrap().seq > 20);
        }
    }
}

#[test]
fn a_failed_append_may_be_tried_again_with_the_same_id() {
    let world = World::new();
    let failing = Failing { fault: Fault::Sync, every: 2, calls: Arc::default() };
    // A share of nothing is written ahead, so the syncs are those of the appends.
    let policy = JournalPolicy { keep_bytes: 0, ..JournalPolicy::default() };
    let (journal, _) = Journal::open_on(&world.journal(), policy, Box::new(failing)).unwrap();
    assert!(!journal.append(&entry(1)).unwrap().duplicate);
    assert!(matches!(journal.append(&entry(2)), Err(StoreError::Io { .. })));
    let again = journal.append(&entry(2)).unwrap();
    assert!(!again.duplicate, "it was not kept the first time");
    assert_eq!(all(&journal).len(), 2);
}

/// A small file system of its own, gone when dropped.
struct Mounted(PathBuf);

impl Mounted {
    fn new(at: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(at).ok()?;
        let options = format!("size={size},mode=700");
        let done =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(at).output().ok()?;
        done.status.success().then(|| Self(at.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_refuses_and_works_again_as_soon_as_there_is_room() {
    let world = World::new();
    let Some(disk) = Mounted::new(&world.path().join("disk"), "1m") else {
        println!("SKIPPED: a full disk needs the right to mount a tmpfs");
        return;
    };
    let dir = disk.0.join("journal");
    let filler = disk.0.join("filler");
    let mut kept = Vec::new();
    let mut number = 0;
    let numbers = |journal: &Journal| -> Vec<u64> {
        all(journal).iter().map(|stored| stored.entry.id.minted_at()).collect()
    };
    let (journal, _) = Journal::open(&dir, small_segments(100_000)).unwrap();
    for filling in [700_000, 450_000, 200_000, 0] {
        // Somebody else fills the disk.
        std::fs::write(&filler, vec![1; filling]).unwrap();
        let mut refused = 0;
        while refused < 20 {
            number += 1;
            match journal.append(&sized(number, 10_000)) {
                Ok(_) => kept.push(number),
                Err(StoreError::Full(_)) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        assert!(segments(&dir).len() < 20, "no empty files are left behind");
        assert_eq!(numbers(&journal), kept);
        // Somebody makes room: nothing is reopened.
        std::fs::remove_file(&filler).unwrap();
        if filling > 0 {
            number += 1;
            journal.append(&sized(number, 10_000)).unwrap();
            kept.push(number);
        }
    }
    assert!(kept.len() > 60);
    drop(journal);
    let (journal, recovery) = Journal::open(&dir, JournalPolicy::default()).unwrap();
    assert_eq!(recovery.damaged, []);
    assert_eq!(numbers(&journal), kept);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_by_name() {
    let world = World::new();
    let Some(disk) = Mounted::new(&world.path().join("disk"), "1m") else {
        println!("SKIPPED: a read-only file system needs the right to mount a tmpfs");
        return;
    };
    let dir = disk.0.join("journal");
    let (journal, _) = Journal::open(&dir, small_segments(100)).unwrap();
    journal.append(&entry(1)).unwrap();
    drop(journal);
    let remount = |mode: &str| {
        let done =
            Command::new("mount").args(["-o", &format!("remount,{mode}")]).arg(&disk.0).status().unwrap();
        assert!(done.success());
    };
    remount("ro");
    let refused = Journal::open(&dir, small_segments(100)).unwrap_err();
    assert!(matches!(&refused, StoreError::ReadOnly(path) if path.starts_with(&dir)), "{refused}");
    let new = Journal::open(&disk.0.join("other"), small_segments(100)).unwrap_err();
    assert!(matches!(new, StoreError::ReadOnly(_)), "{new}");
    assert_eq!(store::journal::read_only(&dir).unwrap().read_from(1).count(), 1, "but it can be read");
    remount("rw");
    let (journal, _) = Journal::open(&dir, small_segments(100)).unwrap();
    assert_eq!(journal.append(&entry(2)).unwrap().seq, 2);
}
