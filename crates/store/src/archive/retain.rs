//! What goes, and in which order. A folder that is to go is renamed first, so that a crash leaves a session
//! whole or gone, never half.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::append::generations;
use crate::StoreError;

/// A folder on its way out.
const REMOVED: &str = "removed-";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dropped {
    pub sessions: u64,
    pub bytes: u64,
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) folder: PathBuf,
    pub(super) bytes: u64,
    grown: SystemTime,
}

/// The sessions that are here; the one that grew last is last.
pub(super) fn sessions(archive: &Path) -> Result<Vec<Session>, StoreError> {
    let entries = fs::read_dir(archive).map_err(|source| StoreError::io(archive, source))?;
    let mut sessions: Vec<Session> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let removed = entry.file_name().to_str().is_none_or(|name| name.starts_with(REMOVED));
            (!removed && entry.file_type().ok()?.is_dir()).then(|| measure(entry.path()))
        })
        .collect();
    sessions.sort_by(|one, other| (one.grown, &one.folder).cmp(&(other.grown, &other.folder)));
    Ok(sessions)
}

fn measure(folder: PathBuf) -> Session {
    let mut session = Session { folder, bytes: 0, grown: SystemTime::UNIX_EPOCH };
    let entries = fs::read_dir(&session.folder).into_iter().flatten();
    for metadata in entries.filter_map(|entry| entry.ok()?.metadata().ok()) {
        session.bytes += metadata.len();
        session.grown = session.grown.max(metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH));
    }
    session
}

/// Answers the bytes; none if it was not here.
pub(super) fn remove(session: &Path) -> Result<u64, StoreError> {
    let failed = |source| StoreError::io(session, source);
    let (Some(archive), Some(name)) = (session.parent(), session.file_name().and_then(|name| name.to_str()))
    else {
        return Ok(0);
    };
    let bytes = measure(session.to_owned()).bytes;
    let leaving = archive.join(format!("{REMOVED}{name}"));
    let _ = fs::remove_dir_all(&leaving);
    match fs::rename(session, &leaving) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(failed(error)),
    }
    fs::remove_dir_all(&leaving).map_err(failed)?;
    Ok(bytes)
}

/// What a crash kept from going.
pub(super) fn finish_removals(archive: &Path) {
    for entry in fs::read_dir(archive).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(REMOVED)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Keeps the newest generations of a transcript; answers the bytes of the others.
pub(super) fn drop_generations(stem: &Path, keep: usize) -> Result<u64, StoreError> {
    let all = generations(stem)?;
    let mut bytes = 0;
    for (_, path) in &all[..all.len().saturating_sub(keep)] {
        bytes += fs::metadata(path).map_or(0, |metadata| metadata.len());
        fs::remove_file(path).map_err(|source| StoreError::io(path, source))?;
    }
    Ok(bytes)
}
