//! What the disk says of a file without its content: enough to know that nothing has happened to it.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, FileType, Stat};

/// A file system that keeps whole seconds (or two, as FAT does) shows two writes as one.
const COARSE_NS: i64 = 2_000_000_000;
/// The others tell times by the kernel's tick, of which the slowest is ten milliseconds.
const FINE_NS: i64 = 50_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) mtime_ns: i64,
    /// Nobody can set it: an old modification time put back by hand does not hide an edit.
    pub(crate) ctime_ns: i64,
    pub(crate) size: u64,
    pub(crate) inode: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File { executable: bool },
    Folder,
    Other,
}

impl Stamp {
    #[expect(clippy::unnecessary_cast, reason = "these fields are of other widths on other systems")]
    pub(crate) fn of(stat: &Stat) -> Self {
        let nanoseconds =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            mtime_ns: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime_ns: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            size: stat.st_size as u64,
            inode: stat.st_ino as u64,
        }
    }

    /// Whether a change after `seen_ns` would show. A file written a moment before it was looked at may be written
    /// once more in the same moment.
    pub(crate) fn is_sure(&self, seen_ns: i64) -> bool {
        let last = self.mtime_ns.max(self.ctime_ns);
        let window = if last % 1_000_000 == 0 { COARSE_NS } else { FINE_NS };
        last < seen_ns.saturating_sub(window)
    }
}

impl Kind {
    #[expect(clippy::unnecessary_cast, reason = "the mode is of other widths on other systems")]
    pub(crate) fn of(stat: &Stat) -> Self {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Self::File { executable: stat.st_mode as u32 & 0o111 != 0 },
            FileType::Directory => Self::Folder,
            _ => Self::Other,
        }
    }
}

/// Never follows a link: what it leads to is not in the workspace, or is there under its own name.
pub(crate) fn look(folder: impl rustix::fd::AsFd, name: &str) -> io::Result<(Stamp, Kind)> {
    let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok((Stamp::of(&stat), Kind::of(&stat)))
}

pub(crate) fn now_ns() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_a_moment_ago_is_not_sure() {
        let at = |ns| Stamp { mtime_ns: ns, ctime_ns: ns, size: 1, inode: 1 };
        let second = 1_000_000_000;
        assert!(at(5 * second + 123_456).is_sure(6 * second), "a file system with fine times");
        assert!(!at(5 * second + 123_456).is_sure(5 * second + 20_000_000));
        assert!(!at(5 * second).is_sure(6 * second), "one that keeps seconds");
        assert!(at(5 * second).is_sure(8 * second));
    }

    #[test]
    fn a_modification_time_that_was_put_back_is_another_stamp() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let look = || super::look(rustix::fs::CWD, file.path().to_str().unwrap()).unwrap().0;
        let before = look();
        std::fs::write(file.path(), "").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let times = std::fs::FileTimes::new()
            .set_modified(UNIX_EPOCH + std::time::Duration::from_nanos(before.mtime_ns as u64));
        file.as_file().set_times(times).unwrap();
        let after = look();
        assert_eq!(before.mtime_ns, after.mtime_ns);
        assert_ne!(before, after);
    }
}
