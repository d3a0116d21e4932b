//! A folder inside the git folder for an index of ours, on the same file system and gone when we are. Never the
//! person's index itself.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::CheckpointError;

const PREFIX: &str = "throughline-";
/// Past this nobody works in it any more: it is left from a process that was killed.
const STALE: Duration = Duration::from_hours(1);

#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub(crate) fn inside(git_dir: &Path) -> Result<Self, CheckpointError> {
        sweep(git_dir);
        let made = tempfile::Builder::new().prefix(PREFIX).tempdir_in(git_dir);
        let folder = made.map_err(|error| {
            CheckpointError::io(format!("{} cannot be written", git_dir.display()), error)
        })?;
        Ok(Self { folder })
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// With the time of the original: git compares it with the files' times to know which it must read again.
    pub(crate) fn copy_index(&self, from: &Path) -> Result<(), CheckpointError> {
        let copied = File::open(from).and_then(|mut original| {
            let modified = original.metadata()?.modified()?;
            let mut copy = File::create(self.index())?;
            io::copy(&mut original, &mut copy)?;
            copy.set_modified(modified)
        });
        match copied {
            // Nothing was ever added.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other
                .map_err(|error| CheckpointError::io(format!("{} cannot be copied", from.display()), error)),
        }
    }
}

/// What cannot be removed stays for the next time.
fn sweep(git_dir: &Path) {
    let now = SystemTime::now();
    for entry in fs::read_dir(git_dir).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes());
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| now.duration_since(modified).ok());
        if is_ours && age.is_some_and(|age| age > STALE) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
