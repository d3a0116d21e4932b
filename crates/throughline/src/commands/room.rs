//! Whether the data folder can be written, and what takes the room there.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use client::Place;

use crate::print;

/// Written and removed again to see whether there is room: an ordinary envelope and what the tables make of it.
const PROBE_BYTES: usize = 64 << 10;
/// Files counted in a folder of ours; more do not change which is the largest.
const MAX_COUNTED: usize = 100_000;

/// Why nothing can be kept there now; nothing if it can.
pub(crate) fn trouble(place: &Place) -> Option<String> {
    let folder = place.data.ancestors().find(|path| path.is_dir())?;
    let error = probe(folder).err()?;
    let at = folder.display();
    Some(match error.kind() {
        io::ErrorKind::StorageFull if has_no_files_left(folder) => {
            format!("the disk that holds {at} takes no more files (it has no inode left)")
        }
        io::ErrorKind::StorageFull => format!("the disk that holds {at} is full"),
        io::ErrorKind::QuotaExceeded => format!("your quota on the disk that holds {at} is used up"),
        io::ErrorKind::FileTooLarge => format!("files in {at} may not grow (`ulimit -f`)"),
        _ => format!("{at} cannot be written: {error}"),
    })
}

fn probe(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!(".room-{}", std::process::id()));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .and_then(|mut file| file.write_all(&vec![0; PROBE_BYTES]).and_then(|()| file.sync_data()));
    let _ = fs::remove_file(&path);
    written
}

fn has_no_files_left(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|room| room.f_files > 0 && room.f_favail == 0)
}

/// What takes the room in the data folder, largest first: names and bytes on the disk.
pub(crate) fn ours(place: &Place) -> Vec<(String, u64)> {
    let mut found: Vec<(String, u64)> = fs::read_dir(&place.data)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), size(entry.path())))
        .filter(|(_, bytes)| *bytes > 0)
        .collect();
    found.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    found
}

fn size(path: PathBuf) -> u64 {
    let (mut total, mut counted, mut due) = (0, 0, vec![path]);
    while let Some(path) = due.pop() {
        // A link is as large as its own name.
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        total += found.blocks() * 512;
        counted += 1;
        if found.is_dir() && counted < MAX_COUNTED {
            due.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
    }
    total
}

/// `journal 3.1 MB, archive 1.2 MB`, the first few.
pub(crate) fn listed(ours: &[(String, u64)]) -> String {
    const SHOWN: usize = 3;
    let each: Vec<String> =
        ours.iter().take(SHOWN).map(|(name, bytes)| format!("{name} {}", print::bytes(*bytes))).collect();
    each.join(", ")
}
