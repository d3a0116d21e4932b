//! Power cuts. Every call of a run is recorded; then disks are built as a cut at any moment may
//! have left them: everything that was synced, and of the rest any sectors, in any order.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, IoSlice};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use model::EventId;
use store::journal::{Disk, Journal, Medium, SegmentFile};

use crate::world::{Chance, World, entry, readable, sized, small_segments, unsynced};

const SECTOR: usize = 512;
/// Each is opened twice. Ten thousand passed, in six minutes.
const IMAGES: u64 = 250;

#[derive(Debug, Clone)]
enum Call {
    Create(PathBuf),
    Rename(PathBuf, PathBuf),
    Write(PathBuf, u64, Vec<u8>),
    Cut(PathBuf, u64),
    /// Vouches for the calls before this one.
    Sync(PathBuf, usize),
    Folder,
    /// Not a call: from here on this id has been promised.
    Promise(EventId),
}

type Calls = Arc<Mutex<Vec<Call>>>;

#[derive(Debug)]
struct Recorder(Calls);

#[derive(Debug)]
struct RecordedFile {
    inner: Box<dyn SegmentFile>,
    path: PathBuf,
    len: u64,
    calls: Calls,
}

impl Medium for Recorder {
    fn create(&self, path: &Path) -> io::Result<Box<dyn SegmentFile>> {
        let inner = Disk.create(path)?;
        self.0.lock().unwrap().push(Call::Create(path.to_owned()));
        Ok(Box::new(RecordedFile { inner, path: path.to_owned(), len: 0, calls: Arc::clone(&self.0) }))
    }

    fn resume(&self, path: &Path, len: u64) -> io::Result<Box<dyn SegmentFile>> {
        let inner = Disk.resume(path, len)?;
        Ok(Box::new(RecordedFile { inner, path: path.to_owned(), len, calls: Arc::clone(&self.0) }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        Disk.rename(from, to)?;
        self.0.lock().unwrap().push(Call::Rename(from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        Disk.sync_folder(folder)?;
        self.0.lock().unwrap().push(Call::Folder);
        Ok(())
    }
}

impl SegmentFile for RecordedFile {
    fn write(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let written = self.inner.write(parts)?;
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).take(written).collect();
        self.calls.lock().unwrap().push(Call::Write(self.path.clone(), self.len, bytes));
        self.len += written as u64;
        Ok(written)
    }

    fn sync(&mut self) -> io::Result<()> {
        let before = self.calls.lock().unwrap().len();
        self.inner.sync()?;
        self.calls.lock().unwrap().push(Call::Sync(self.path.clone(), before));
        Ok(())
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.inner.cut(len)?;
        self.calls.lock().unwrap().push(Call::Cut(self.path.clone(), len));
        Ok(())
    }
}

#[derive(Default, Clone)]
struct Disk0 {
    synced: Vec<u8>,
    /// Changed since; may or may not be there.
    loose: Vec<(usize, Change)>,
    /// The names it may have, the oldest first; after a sync of the folder it is the last one.
    names: Vec<PathBuf>,
    /// The folder knows one of them for sure.
    named: bool,
}

#[derive(Clone)]
enum Change {
    Write(u64, Vec<u8>),
    Cut(u64),
}

#[test]
fn a_power_cut_at_any_moment_loses_nothing_acknowledged() {
    let world = World::new();
    let calls = Calls::default();
    let recorder = Box::new(Recorder(Arc::clone(&calls)));
    let (journal, _) = Journal::open_on(&world.journal(), small_segments(12_000), recorder).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..6_u64 {
            let (journal, calls) = (&journal, &calls);
            scope.spawn(move || {
                for number in 0..25 {
                    let number = thread * 100 + number;
                    let entry = sized(number, (number as usize * 37) % 1700);
                    journal.append(&entry).unwrap();
                    calls.lock().unwrap().push(Call::Promise(entry.id));
                    // Time for what is written ahead.
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
        }
    });
    drop(journal);
    let calls = calls.lock().unwrap().clone();
    let mut chance = Chance(0x0bad_cab1e);
    let (mut promised_total, mut torn_total, mut ahead_total) = (0, 0, 0);
    for image in 0..IMAGES {
        let cut = chance.below(calls.len() as u64 + 1) as usize;
        let (files, promised) = replay(&calls[..cut]);
        let world = World::new();
        fs::create_dir(world.journal()).unwrap();
        for file in &files {
            if let Some((path, bytes)) = survivor(file, &mut chance) {
                fs::write(world.journal().join(path.file_name().unwrap()), bytes).unwrap();
            }
        }
        let last = world.segments().last().map(|path| fs::read(path).unwrap()).unwrap_or_default();
        ahead_total += usize::from(last.ends_with(&[0; SECTOR]));
        let (journal, recovery) = world.open_with(unsynced());
        assert_eq!(recovery.damaged, [], "image {image}, cut at {cut}");
        let check = |journal: &Journal| {
            let (found, failures) = readable(journal.read_from(0));
            assert_eq!(failures, 0, "image {image}, cut at {cut}");
            let ids: BTreeSet<EventId> = found.iter().map(|stored| stored.entry.id).collect();
            assert_eq!(ids.len(), found.len(), "image {image}, cut at {cut}: an id twice");
            assert!(promised.is_subset(&ids), "image {image}, cut at {cut}: lost");
        };
        check(&journal);
        journal.append(&entry(77_777)).unwrap();
        drop(journal);
        let (journal, again) = world.open_with(unsynced());
        assert_eq!((again.torn_bytes, again.damaged.len()), (0, 0), "image {image}: repaired for good");
        check(&journal);
        promised_total += promised.len();
        torn_total += usize::from(recovery.torn_bytes > 0);
    }
    assert!(promised_total > 5_000, "the cuts must come after promises, too: {promised_total}");
    assert!(torn_total > 20, "the cuts must tear something: {torn_total}");
    assert!(ahead_total > 20, "some must be where zeros were written ahead: {ahead_total}");
}

fn replay(calls: &[Call]) -> (Vec<Disk0>, BTreeSet<EventId>) {
    let mut files: Vec<Disk0> = Vec::new();
    let mut open: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut promised = BTreeSet::new();
    for (number, call) in calls.iter().enumerate() {
        match call {
            Call::Create(path) => {
                open.insert(path.clone(), files.len());
                files.push(Disk0 { names: vec![path.clone()], ..Disk0::default() });
            }
            Call::Rename(from, to) => {
                let file = open.remove(from).unwrap();
                open.insert(to.clone(), file);
                files[file].names.push(to.clone());
            }
            Call::Write(path, offset, bytes) => {
                files[open[path]].loose.push((number, Change::Write(*offset, bytes.clone())));
            }
            Call::Cut(path, len) => files[open[path]].loose.push((number, Change::Cut(*len))),
            Call::Sync(path, before) => {
                let file = &mut files[open[path]];
                while file.loose.first().is_some_and(|(number, _)| number < before) {
                    match file.loose.remove(0).1 {
                        Change::Write(offset, bytes) => put(&mut file.synced, offset as usize, &bytes),
                        Change::Cut(len) => file.synced.truncate(len as usize),
                    }
                }
            }
            Call::Folder => {
                for file in &mut files {
                    file.names.drain(..file.names.len() - 1);
                    file.named = true;
                }
            }
            Call::Promise(id) => {
                promised.insert(*id);
            }
        }
    }
    (files, promised)
}

fn put(bytes: &mut Vec<u8>, offset: usize, part: &[u8]) {
    bytes.resize(bytes.len().max(offset + part.len()), 0);
    bytes[offset..offset + part.len()].copy_from_slice(part);
}

/// What is left of a file: any of the loose sectors, what was before or nothing where one is missing.
fn survivor<'a>(file: &'a Disk0, chance: &mut Chance) -> Option<(&'a Path, Vec<u8>)> {
    if !file.named && chance.below(2) == 0 {
        return None;
    }
    let mut bytes = file.synced.clone();
    for (_, change) in &file.loose {
        match change {
            Change::Cut(len) if chance.below(2) == 0 => bytes.truncate(*len as usize),
            Change::Cut(_) => {}
            Change::Write(offset, written) => {
                let mut at = *offset as usize;
                let end = at + written.len();
                while at < end {
                    let next = ((at / SECTOR + 1) * SECTOR).min(end);
                    if chance.below(3) > 0 {
                        let from = at - *offset as usize;
                        put(&mut bytes, at, &written[from..from + next - at]);
                    }
                    at = next;
                }
            }
        }
    }
    let name = &file.names[chance.below(file.names.len() as u64) as usize];
    Some((name, bytes))
}
