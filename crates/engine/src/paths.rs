//! Paths as agents write them. The disk is not asked: what an event meant must not change when it is read again.

use std::path::{Component, Path, PathBuf};

/// `.` and `..` resolved by name; links are not followed.
pub(crate) fn without_detours(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}
