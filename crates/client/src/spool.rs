//! Undelivered envelopes, redacted, one file each, until the daemon takes them in. Only redacted JSON comes in
//! here; this room does not check it.
//!
//! `<event id>.env` is whole and synced; `<event id>.part` is being written or was given up; `damaged/` holds what
//! could not be read back. What is refused here is lost, and counted by the caller (`losses`).

mod format;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use model::Envelope;

use crate::Place;
use crate::place::{FILE_MODE, make_folder};

pub use format::Damage;

/// A day of several busy agents without a daemon. Beyond it something is wrong for good, and reading the folder
/// would take longer than a hook has.
pub const MAX_FILES: usize = 8192;
/// The same day in bytes, at the size of an ordinary envelope, and four of the largest.
pub const MAX_BYTES: u64 = 256 << 20;
/// A hook is gone after two seconds at most; what is still a part then belongs to nobody.
pub const PART_AGE: Duration = Duration::from_mins(1);
/// The first ones tell what happened; more of them tell the same.
pub const MAX_DAMAGED: usize = 64;

const WHOLE: &str = "env";
const PART: &str = "part";

/// Writes an envelope whose body is redacted JSON. After `Ok` it survives a power loss.
///
/// A full spool refuses the new one (`StorageFull`): the old ones came first, and throwing them away would cost the time
/// that is missing here.
pub fn keep(place: &Place, envelope: &Envelope, private_prompt: bool) -> io::Result<()> {
    keep_if(place, envelope, private_prompt, || true)
}

/// The same, unless somebody has given it up by the time it is written: then it is not there, and never will be.
pub fn keep_if(
    place: &Place,
    envelope: &Envelope,
    private_prompt: bool,
    is_wanted: impl FnOnce() -> bool,
) -> io::Result<()> {
    let folder = place.spool();
    make_folder(&folder)?;
    let bytes = format::encode(envelope, private_prompt);
    if !has_room(&folder, bytes.len() as u64)? {
        return Err(io::ErrorKind::StorageFull.into());
    }
    let part = folder.join(envelope.id.to_string()).with_extension(PART);
    let written = write_synced(&part, &bytes).and_then(|()| {
        if is_wanted() {
            fs::rename(&part, part.with_extension(WHOLE))
        } else {
            Err(io::ErrorKind::TimedOut.into())
        }
    });
    if let Err(error) = written {
        // Best effort: a part that stays is swept later.
        let _ = fs::remove_file(&part);
        return Err(error);
    }
    File::open(&folder)?.sync_all()
}

#[derive(Debug)]
pub enum Spooled {
    Whole {
        path: PathBuf,
        /// Its body is redacted already.
        envelope: Envelope,
        /// The prompt was entirely private; its redacted body no longer shows it.
        private_prompt: bool,
    },
    /// Set aside; `path` is where it lies now, if it was kept at all.
    Damaged { path: Option<PathBuf>, damage: Damage },
}

/// Reads the spool, oldest envelope first. What is whole stays until `remove`; what is damaged is set aside.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    /// The names sort by the time their ids were minted.
    names: std::collections::btree_set::IntoIter<String>,
}

impl Spool {
    /// Lists what is there now, and sweeps abandoned parts. A spool that does not exist is empty.
    pub fn drain(place: &Place) -> io::Result<Self> {
        let folder = place.spool();
        let mut names = BTreeSet::new();
        let found = match fs::read_dir(&folder) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        for entry in found.into_iter().flatten() {
            let path = entry?.path();
            match path.extension().and_then(OsStr::to_str) {
                Some(WHOLE) => names.extend(path.file_name().and_then(OsStr::to_str).map(str::to_owned)),
                Some(PART) => sweep(&path),
                _ => {}
            }
        }
        Ok(Self { folder, names: names.into_iter() })
    }

    fn set_aside(&self, path: &Path, damage: Damage) -> Spooled {
        let aside = self.folder.join("damaged");
        let room = make_folder(&aside).is_ok()
            && fs::read_dir(&aside).is_ok_and(|files| files.take(MAX_DAMAGED).count() < MAX_DAMAGED);
        let kept =
            path.file_name().map(|name| aside.join(name)).filter(|to| room && fs::rename(path, to).is_ok());
        if kept.is_none() {
            // It cannot be read, and it must not be met again at every start.
            let _ = fs::remove_file(path);
        }
        Spooled::Damaged { path: kept, damage }
    }
}

impl Iterator for Spool {
    type Item = Spooled;

    fn next(&mut self) -> Option<Spooled> {
        loop {
            let path = self.folder.join(self.names.next()?);
            // Otherwise taken by another, or unreadable for now: it is not damaged, and it is not lost.
            if let Ok(bytes) = read_bounded(&path) {
                return Some(match format::decode(bytes) {
                    Ok((envelope, private_prompt)) => Spooled::Whole { path, envelope, private_prompt },
                    Err(damage) => self.set_aside(&path, damage),
                });
            }
        }
    }
}

/// The envelope is safe elsewhere.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Makes a new file of ours; an existing one, or a link in its place, is an error.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path)
}

/// Opens a file of ours for writing at its end, and makes it if need be.
pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(FILE_MODE).open(path)
}

fn write_synced(part: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = create_private(part)?;
    file.write_all(bytes)?;
    file.sync_data()
}

fn has_room(folder: &Path, more: u64) -> io::Result<bool> {
    let (mut files, mut bytes) = (0, more);
    for entry in fs::read_dir(folder)? {
        files += 1;
        // A file that vanished in between takes no room.
        bytes += entry?.metadata().map_or(0, |found| found.len());
        if files >= MAX_FILES || bytes > MAX_BYTES {
            return Ok(false);
        }
    }
    Ok(true)
}

fn sweep(part: &Path) {
    let age = fs::metadata(part)
        .and_then(|found| found.modified())
        .map(|modified| SystemTime::now().duration_since(modified).unwrap_or_default());
    if age.is_ok_and(|age| age > PART_AGE) {
        let _ = fs::remove_file(part);
    }
}

/// A stranger's giant is cut, and so found damaged; a link is not followed out of the spool.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let file =
        OpenOptions::new().read(true).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32).open(path)?;
    let mut bytes = Vec::with_capacity(file.metadata()?.len().min(format::MAX_LEN as u64) as usize);
    io::Read::read_to_end(&mut io::Read::take(file, format::MAX_LEN as u64 + 1), &mut bytes)?;
    Ok(bytes)
}
