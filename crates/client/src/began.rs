//! Where each session began, one small file a session in the run folder: a scope goes with the session, wherever its `cd`
//! leads, with a daemon and without one. Named by a hash, so that a hostile session id cannot become a path.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::Place;
use crate::spool::create_private;

/// Sessions that are remembered: a person has dozens open, and each file is one path.
const MAX_SESSIONS: usize = 2000;
/// No system opens a longer path.
const MAX_PATH: u64 = 4096;
/// A session that is still heard of is not the oldest.
const FRESH: Duration = Duration::from_hours(1);

/// A session begins here. `again`: it is the same one, begun anew by a person, and what was known of it is over.
pub fn note(place: &Place, session: &str, folder: &Path, again: bool) -> io::Result<()> {
    let file = file(place, session);
    if !folder.is_absolute() || folder.as_os_str().len() as u64 > MAX_PATH {
        return Ok(());
    }
    if !again && fs::symlink_metadata(&file).is_ok() {
        return Ok(());
    }
    crate::place::make_folder(&place.began())?;
    let part = place.began().join(format!("{}.part", crate::mint()));
    let made = create_private(&part)
        .and_then(|mut made| made.write_all(folder.as_os_str().as_bytes()))
        // Of several hooks that note it at once the first one's holds.
        .and_then(|()| if again { fs::rename(&part, &file) } else { fs::hard_link(&part, &file) });
    let _ = fs::remove_file(&part);
    match made {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    forget_oldest(place);
    Ok(())
}

/// The folder a session began in. `None`: nobody noted it.
pub fn of(place: &Place, session: &str) -> Option<PathBuf> {
    let file = file(place, session);
    let found = fs::metadata(&file).ok().filter(|found| found.is_file() && found.len() <= MAX_PATH)?;
    let bytes = fs::read(&file).ok()?;
    if found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > FRESH))
        && let Ok(opened) = fs::OpenOptions::new().write(true).open(&file)
    {
        // Where that fails it is forgotten earlier, and noted anew.
        let _ = opened.set_modified(SystemTime::now());
    }
    Some(PathBuf::from(OsString::from_vec(bytes))).filter(|folder| folder.is_absolute())
}

fn forget_oldest(place: &Place) {
    let entries = fs::read_dir(place.began()).into_iter().flatten().flatten();
    let mut all: Vec<(SystemTime, PathBuf)> =
        entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()))).collect();
    if all.len() > MAX_SESSIONS {
        all.sort();
        for (_, path) in &all[..all.len() - MAX_SESSIONS] {
            let _ = fs::remove_file(path);
        }
    }
}

fn file(place: &Place, session: &str) -> PathBuf {
    let session = model::SessionId::new(session);
    let mut name = String::with_capacity(64);
    for byte in Sha256::digest(session.as_str().as_bytes()) {
        write!(name, "{byte:02x}").expect("a String takes everything");
    }
    place.began().join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_folder_stays_until_a_person_begins_again() {
        let house = tempfile::tempdir().unwrap();
        let place = Place { data: house.path().join("data") };
        assert_eq!(of(&place, "s"), None);
        note(&place, "s", Path::new("/one"), false).unwrap();
        note(&place, "s", Path::new("/two"), false).unwrap();
        note(&place, "../../s", Path::new("/other"), false).unwrap();
        note(&place, "t", Path::new("relative"), false).unwrap();
        assert_eq!(of(&place, "s").as_deref(), Some(Path::new("/one")));
        assert_eq!(of(&place, "../../s").as_deref(), Some(Path::new("/other")));
        assert_eq!(of(&place, "t"), None);
        note(&place, "s", Path::new("/three"), true).unwrap();
        assert_eq!(of(&place, "s").as_deref(), Some(Path::new("/three")));
        assert_eq!(fs::read_dir(place.began()).unwrap().count(), 2, "nothing else is left there");
    }

    #[test]
    fn as_many_are_kept_as_there_is_room_for() {
        let house = tempfile::tempdir().unwrap();
        let place = Place { data: house.path().join("data") };
        crate::place::make_folder(&place.began()).unwrap();
        for at in 0..MAX_SESSIONS + 5 {
            fs::write(place.began().join(format!("old-{at}")), "/x").unwrap();
        }
        note(&place, "s", Path::new("/one"), false).unwrap();
        assert_eq!(fs::read_dir(place.began()).unwrap().count(), MAX_SESSIONS);
    }
}
