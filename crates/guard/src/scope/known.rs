//! Scope files as they were read last, so that ten thousand patterns are not read for every call. A file is taken as known
//! only when nothing about it has changed, and when its last change is long enough ago that another one would show.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::file::{Broken, Lists, MAX_BYTES};

/// Projects that agents of one machine are at work in; each list may be megabytes.
const MAX_KNOWN: usize = 32;
/// The coarsest clock of a file system: two changes within it may look the same.
const COARSEST_SECONDS: i64 = 2;

/// Device, file, size, and when its content and its name last changed.
type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

struct Known {
    file: PathBuf,
    stamp: Stamp,
    lists: Arc<Result<Lists, Broken>>,
}

/// Last used last.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// `None`: there is no such file.
pub(super) fn read(file: &Path) -> Option<Arc<Result<Lists, Broken>>> {
    fs::symlink_metadata(file).ok()?;
    let unreadable = |what: String| Some(Arc::new(Err(Broken { line: 0, column: 0, what })));
    let found = match fs::metadata(file) {
        Ok(found) if found.len() > MAX_BYTES => {
            return unreadable(format!("it is larger than {} MB", MAX_BYTES >> 20));
        }
        Ok(found) if !found.is_file() => return unreadable("it is not a file".to_owned()),
        Ok(found) => found,
        Err(error) => return unreadable(format!("it cannot be opened: {error}")),
    };
    let stamp = stamp(&found);
    if let Some(lists) = known(file, &stamp) {
        return Some(lists);
    }
    let lists = match fs::read(file) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Arc::new(Lists::read(&text)),
            Err(_) => return unreadable("it is not UTF-8".to_owned()),
        },
        Err(error) => return unreadable(format!("it cannot be read: {error}")),
    };
    // Only what was read is known: it may have changed since it was looked at.
    let is_same = fs::metadata(file).is_ok_and(|now| self::stamp(&now) == stamp);
    if is_same && is_old(&stamp, SystemTime::now()) {
        keep(Known { file: file.to_owned(), stamp, lists: Arc::clone(&lists) });
    }
    Some(lists)
}

fn stamp(found: &Metadata) -> Stamp {
    let written = (found.mtime(), found.mtime_nsec());
    (found.dev(), found.ino(), found.size(), written, (found.ctime(), found.ctime_nsec()))
}

/// A clock that was set back makes everything young.
fn is_old(stamp: &Stamp, now: SystemTime) -> bool {
    let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs().cast_signed());
    now.saturating_sub(stamp.3.0.max(stamp.4.0)) > COARSEST_SECONDS
}

fn known(file: &Path, stamp: &Stamp) -> Option<Arc<Result<Lists, Broken>>> {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let at = all.iter().position(|known| known.file == file)?;
    let known = all.remove(at);
    if known.stamp != *stamp {
        return None;
    }
    let lists = Arc::clone(&known.lists);
    all.push(known);
    Some(lists)
}

fn keep(known: Known) {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|other| other.file != known.file);
    if all.len() >= MAX_KNOWN {
        all.remove(0);
    }
    all.push(known);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn first(file: &Path) -> String {
        let lists = read(file).unwrap();
        lists.as_ref().as_ref().unwrap().deny[0].pattern.text().to_owned()
    }

    fn write(file: &Path, rule: &str, age: Duration) {
        fs::write(file, format!("{{\"deny\": [\"{rule}\"]}}")).unwrap();
        let opened = fs::File::options().write(true).open(file).unwrap();
        opened.set_modified(SystemTime::now() - age).unwrap();
    }

    #[test]
    fn a_file_that_changed_is_read_anew_even_if_its_time_and_size_are_as_before() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("scope.json");
        for rule in ["aaa", "bbb", "ccc"] {
            write(&file, rule, Duration::from_hours(1));
            assert_eq!(first(&file), rule);
            assert_eq!(first(&file), rule);
        }
        fs::remove_file(&file).unwrap();
        assert!(read(&file).is_none());
    }

    #[test]
    fn what_is_younger_than_the_coarsest_clock_is_not_kept() {
        let now = UNIX_EPOCH + Duration::from_secs(1000);
        let stamp = |content: i64, name: i64| (0, 0, 0, (content, 0), (name, 0));
        assert!(is_old(&stamp(990, 997), now));
        assert!(!is_old(&stamp(990, 999), now));
        assert!(!is_old(&stamp(998, 990), now));
        assert!(!is_old(&stamp(990, 2000), now), "it was changed in the future");
    }

    #[test]
    fn what_is_known_is_the_same_list_and_no_more_of_them_than_there_is_room_for() {
        let lists = Arc::new(Ok(Lists::default()));
        let stamp = (7, 7, 7, (7, 7), (7, 7));
        for at in 0..MAX_KNOWN * 2 {
            keep(Known { file: format!("/w/{at}").into(), stamp, lists: Arc::clone(&lists) });
        }
        assert!(KNOWN.lock().unwrap().len() <= MAX_KNOWN);
        let last = PathBuf::from(format!("/w/{}", MAX_KNOWN * 2 - 1));
        assert!(Arc::ptr_eq(&known(&last, &stamp).unwrap(), &lists));
        assert!(known(&last, &(7, 7, 8, (7, 7), (7, 7))).is_none(), "another size");
        assert!(known(&last, &stamp).is_none(), "and what was known is not known any more");
    }
}
