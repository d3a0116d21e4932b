//! How many events could not be kept anywhere, and since when, until a person has been told. The file's room is taken
//! while there is some, and from then on it is only overwritten in place: a count needs no block and no inode, so it
//! can be kept where nothing else can.
//!
//! ```text
//! 0..4    magic "TLNK"           4      version           5..8 zeros
//! 8..16   events nobody was told of                       16..24 since, Unix ms      24..32 until, Unix ms
//! 32..40  events ever            40..44 how many of those nobody was told of are named
//! 60..64  CRC-32 of bytes 0..60
//! then: their ids, 16 bytes each, as far as they fit
//! ```
//!
//! All numbers are little-endian. The ids are there because a client may be wrong: a daemon that was killed after its
//! commit and before its reply has kept what the client could not. The daemon takes such a one back.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::{Duration, Instant};

use model::{EventId, Millis};
use rustix::fs::{FlockOperation, flock};

use crate::Place;
use crate::place::FILE_MODE;

/// Room for the ids of a thousand events: what a busy hour loses. Beyond it events are counted and not named.
pub const FILE_BYTES: u64 = 16 << 10;
const HEADER: usize = 64;
const ID: usize = 16;
/// How many ids fit.
pub const MAX_NAMED: usize = (FILE_BYTES as usize - HEADER) / ID;
const MAGIC: [u8; 4] = *b"TLNK";
const VERSION: u8 = 1;
/// Whoever holds the lock writes two blocks. One who holds it for longer is stopped, and a hook does not wait for that.
const LOCK_PATIENCE: Duration = Duration::from_millis(250);
const LOCK_PAUSE: Duration = Duration::from_millis(1);

/// What nobody was told of yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Losses {
    pub events: u64,
    /// When the first and the last of them happened. 0: there is none.
    pub since: Millis,
    pub until: Millis,
    /// Since the file was made, told or not.
    pub ever: u64,
    /// The first of them by name.
    pub named: Vec<EventId>,
}

impl Losses {
    /// One that is named already is the same one.
    pub fn note(&mut self, id: EventId, at: Millis) {
        if self.named.contains(&id) {
            return;
        }
        self.since = if self.events == 0 { at } else { self.since.min(at) };
        self.until = self.until.max(at);
        if self.named.len() < MAX_NAMED && self.named.len() as u64 == self.events {
            self.named.push(id);
        }
        self.events += 1;
        self.ever += 1;
    }

    /// What was counted elsewhere, too.
    pub fn join(&mut self, others: &Self) {
        for id in &others.named {
            self.note(*id, id.minted_at());
        }
        let unnamed = others.events.saturating_sub(others.named.len() as u64);
        if unnamed > 0 {
            self.since = if self.events == 0 { others.since } else { self.since.min(others.since) };
            self.until = self.until.max(others.until);
            self.events += unnamed;
            self.ever += unnamed;
        }
    }

    /// So many have been told of: the first ones. What came since stays.
    pub fn tell(&mut self, events: u64) {
        let told = events.min(self.events);
        self.named.drain(..self.named.len().min(usize::try_from(told).unwrap_or(usize::MAX)));
        self.events -= told;
        self.settle();
    }

    /// These were kept after all.
    pub fn take_back(&mut self, kept: &HashSet<EventId>) {
        let before = self.named.len();
        self.named.retain(|id| !kept.contains(id));
        let back = (before - self.named.len()) as u64;
        self.events = self.events.saturating_sub(back);
        self.ever = self.ever.saturating_sub(back);
        self.settle();
    }

    fn settle(&mut self) {
        if self.events == 0 {
            (self.since, self.until) = (0, 0);
            self.named.clear();
        } else if let Some(first) = self.named.first() {
            self.since = first.minted_at();
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        let ids = |most: usize| {
            let ids = bytes.get(HEADER..).unwrap_or_default().as_chunks::<ID>().0;
            ids.iter().take(most).map(|id| EventId::from_bytes(*id)).collect::<Vec<_>>()
        };
        let Some(header) = bytes.first_chunk::<HEADER>() else { return Self::default() };
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        let four = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
        if header[..4] == MAGIC && header[4] == VERSION && four(60) == crc32fast::hash(&header[..60]) {
            let named = ids(four(40) as usize);
            return Self { events: number(8), since: number(16), until: number(24), ever: number(32), named };
        }
        // New, or its first bytes were torn: then the ids still say how many there were at least.
        let named: Vec<EventId> =
            ids(MAX_NAMED).into_iter().take_while(|id| *id.as_bytes() != [0; ID]).collect();
        let mut losses = Self::default();
        for id in named {
            losses.note(id, id.minted_at());
        }
        losses
    }

    fn header(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..4].copy_from_slice(&MAGIC);
        header[4] = VERSION;
        for (at, number) in [(8, self.events), (16, self.since), (24, self.until), (32, self.ever)] {
            header[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        header[40..44].copy_from_slice(&(self.named.len() as u32).to_le_bytes());
        let sum = crc32fast::hash(&header[..60]);
        header[60..].copy_from_slice(&sum.to_le_bytes());
        header
    }
}

/// Takes the room, unless it is taken already. To be called while there is some.
pub fn reserve(place: &Place) -> io::Result<()> {
    if std::fs::metadata(place.losses()).is_ok_and(|found| found.len() >= FILE_BYTES) {
        return Ok(());
    }
    change(place, |_| ()).map(drop)
}

/// One more that could not be kept. After `Ok` the count survives the end of this process and of the machine.
pub fn add(place: &Place, id: EventId, at: Millis) -> io::Result<()> {
    change(place, |losses| losses.note(id, at)).map(drop)
}

/// Changes what the file says, alone; what it says then.
pub fn change(place: &Place, with: impl FnOnce(&mut Losses)) -> io::Result<Losses> {
    let file = open(place)?;
    lock(&file)?;
    let bytes = whole(&file)?;
    let before = Losses::decode(&bytes);
    let mut after = before.clone();
    with(&mut after);
    // Where only a part of the room could be taken, names are what is gone without.
    let room = (file.metadata()?.len() as usize).saturating_sub(HEADER) / ID;
    after.named.truncate(room);
    if after != before || bytes.is_empty() {
        let same = before.named.iter().zip(&after.named).take_while(|(was, is)| was == is).count();
        let mut ids: Vec<u8> = after.named[same..].iter().flat_map(|id| *id.as_bytes()).collect();
        if after.named.len() < room {
            // Where the header is torn, names are read up to here: what stood behind was told, or taken back.
            ids.extend([0; ID]);
        }
        // The names first: the header vouches for as many as it says.
        file.write_all_at(&ids, (HEADER + same * ID) as u64)?;
        file.write_all_at(&after.header(), 0)?;
        file.sync_data()?;
    }
    Ok(after)
}

/// What the file says. No file says that nothing was lost.
pub fn read(place: &Place) -> Losses {
    let file = OpenOptions::new().read(true).custom_flags(no_follow()).open(place.losses());
    file.and_then(|file| whole(&file)).map_or_else(|_| Losses::default(), |bytes| Losses::decode(&bytes))
}

fn open(place: &Place) -> io::Result<File> {
    let path = place.losses();
    let existing = OpenOptions::new().read(true).write(true).custom_flags(no_follow()).open(&path);
    let file = match existing {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            crate::place::make_folder(&place.data)?;
            OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(FILE_MODE)
                .custom_flags(no_follow())
                .open(&path)?
        }
        opened => opened?,
    };
    let len = file.metadata()?.len();
    if len < FILE_BYTES {
        // Zeros that are written: what is merely set aside may not be there when it is wanted. As much as there is.
        lock(&file)?;
        let len = file.metadata()?.len();
        let zeros = vec![0; FILE_BYTES.saturating_sub(len) as usize];
        let taken = file.write_all_at(&zeros, len);
        if file.metadata()?.len() < HEADER as u64 {
            taken?;
        }
    }
    Ok(file)
}

fn whole(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; file.metadata()?.len().min(FILE_BYTES) as usize];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// Given back when the file is closed.
fn lock(file: &File) -> io::Result<()> {
    let until = Instant::now() + LOCK_PATIENCE;
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(rustix::io::Errno::WOULDBLOCK) if Instant::now() < until => std::thread::sleep(LOCK_PAUSE),
            taken => return Ok(taken?),
        }
    }
}

fn no_follow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, Place) {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { data: folder.path().join("data") };
        (folder, place)
    }

    fn id(at: u64) -> EventId {
        EventId::mint(1_763_244_000_000 + at, [at as u8; 10])
    }

    #[test]
    fn what_is_counted_is_there_until_it_is_told() {
        let (_folder, place) = place();
        assert_eq!(read(&place), Losses::default());
        for at in 0..5 {
            add(&place, id(at), id(at).minted_at()).unwrap();
        }
        let losses = read(&place);
        assert_eq!((losses.events, losses.ever, losses.named.len()), (5, 5, 5));
        assert_eq!((losses.since, losses.until), (id(0).minted_at(), id(4).minted_at()));
        // Two came while three were being told.
        let left = change(&place, |losses| losses.tell(3)).unwrap();
        assert_eq!((left.events, left.ever, left.since), (2, 5, id(3).minted_at()));
        let left = change(&place, |losses| losses.take_back(&HashSet::from([id(3), id(9)]))).unwrap();
        assert_eq!((left.events, left.ever, left.named), (1, 4, vec![id(4)]));
        let none = change(&place, |losses| losses.tell(9)).unwrap();
        assert_eq!((none.events, none.since, none.until, none.ever), (0, 0, 0, 4));
        assert_eq!(read(&place), none);
    }

    #[test]
    fn more_than_fit_by_name_are_counted_all_the_same() {
        let (_folder, place) = place();
        let most = MAX_NAMED as u64;
        change(&place, |losses| (0..most + 7).for_each(|at| losses.note(id(at), id(at).minted_at())))
            .unwrap();
        let losses = read(&place);
        assert_eq!((losses.events, losses.named.len()), (most + 7, MAX_NAMED));
        assert_eq!(std::fs::metadata(place.losses()).unwrap().len(), FILE_BYTES);
        assert_eq!(change(&place, |losses| losses.tell(most + 6)).unwrap().events, 1);
    }

    #[test]
    fn a_torn_header_costs_no_count_and_a_strangers_bytes_are_none() {
        let (_folder, place) = place();
        for at in 0..3 {
            add(&place, id(at), id(at).minted_at()).unwrap();
        }
        let mut bytes = std::fs::read(place.losses()).unwrap();
        bytes[9] ^= 1;
        std::fs::write(place.losses(), &bytes).unwrap();
        assert_eq!(read(&place).events, 3);
        change(&place, |losses| losses.tell(3)).unwrap();
        let mut bytes = std::fs::read(place.losses()).unwrap();
        bytes[9] ^= 1;
        std::fs::write(place.losses(), &bytes).unwrap();
        assert_eq!(read(&place).events, 0, "what was told is not told again");
        // Behind the one that is new stand two that were told.
        add(&place, id(8), id(8).minted_at()).unwrap();
        let mut bytes = std::fs::read(place.losses()).unwrap();
        bytes[9] ^= 1;
        std::fs::write(place.losses(), &bytes).unwrap();
        assert_eq!(read(&place).named, [id(8)]);
        std::fs::write(place.losses(), [7; 20]).unwrap();
        assert_eq!(read(&place).events, 0);
        add(&place, id(1), 5).unwrap();
        assert_eq!(read(&place).events, 1);
    }

    #[test]
    fn many_at_once_are_all_counted() {
        let (_folder, place) = place();
        std::thread::scope(|scope| {
            for thread in 0..8_u64 {
                let place = &place;
                scope.spawn(move || {
                    for at in 0..25 {
                        // One that has to wait too long for the others tries again.
                        while add(place, id(thread * 25 + at), 1).is_err() {}
                    }
                });
            }
        });
        let losses = read(&place);
        assert_eq!((losses.events, losses.named.iter().collect::<HashSet<_>>().len()), (200, 200));
    }

    #[test]
    fn a_link_in_its_place_leads_nowhere() {
        let (folder, place) = place();
        std::fs::create_dir(&place.data).unwrap();
        let elsewhere = folder.path().join("elsewhere");
        std::fs::write(&elsewhere, "theirs").unwrap();
        std::os::unix::fs::symlink(&elsewhere, place.losses()).unwrap();
        assert!(add(&place, id(1), 1).is_err());
        assert_eq!(std::fs::read(&elsewhere).unwrap(), b"theirs");
    }
}
