//! Where tools keep what makes their next run faster: a folder for each workspace, gone when nobody has used it for a while.
//! What lies there is the tools' own and as secret as the sources it was made from; it can be deleted at any time.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, SystemTime};

/// A project that nobody worked on for so long is warm again after one run.
const KEEP: Duration = Duration::from_hours(14 * 24);
/// The file whose age tells when a folder was used last.
const USED: &str = "used";

pub(super) fn of(folder: &Path, root: &Path) -> PathBuf {
    folder.join(name(&root.to_string_lossy()))
}

/// A name for a folder that says nothing.
pub(super) fn name(text: &str) -> String {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Notes that a workspace's folder is used; once in a daemon's life looks for those that are not any more.
pub(super) fn touch(folder: &Path, of: &Path) {
    static TIDIED: Once = Once::new();
    // Without a folder the run is slower.
    let _ = fs::DirBuilder::new().recursive(true).mode(0o700).create(of);
    let _ = fs::write(of.join(USED), "");
    TIDIED.call_once(|| tidy(folder, SystemTime::now()));
}

fn tidy(folder: &Path, now: SystemTime) {
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let used = entry.path().join(USED).metadata().and_then(|about| about.modified());
        let is_old = used.is_ok_and(|used| now.duration_since(used).is_ok_and(|age| age > KEEP));
        if is_old {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_uses_goes() {
        let folder = tempfile::tempdir().unwrap();
        let of = of(folder.path(), Path::new("/w"));
        touch(folder.path(), &of);
        tidy(folder.path(), SystemTime::now() + KEEP / 2);
        assert!(of.is_dir());
        tidy(folder.path(), SystemTime::now() + KEEP * 2);
        assert!(!of.exists());
    }
}
