//! Finds the repository a folder belongs to, and what is going on in it. Writes nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::CheckpointError;
use crate::git::Git;

/// What a folder is to git.
#[derive(Debug)]
pub enum Place {
    WorkTree(Repository),
    /// A bare repository, or the inside of a `.git` folder: nothing is checked out.
    NoWorkTree,
    NoRepository,
}

/// One work tree; a linked one has an index and a HEAD of its own.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Where the person stands.
    pub(crate) start: PathBuf,
    pub(crate) top: PathBuf,
    /// Of this work tree: holds its HEAD and its index.
    pub(crate) git_dir: PathBuf,
}

/// Something that takes several steps, and waits for the person between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Merge,
    Rebase,
    CherryPick,
    Revert,
}

impl Operation {
    /// What lies in the git folder while it goes on.
    const SIGNS: &[(&str, Self)] = &[
        ("MERGE_HEAD", Self::Merge),
        ("rebase-merge", Self::Rebase),
        ("rebase-apply", Self::Rebase),
        ("CHERRY_PICK_HEAD", Self::CherryPick),
        ("REVERT_HEAD", Self::Revert),
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Merge => "a merge",
            Self::Rebase => "a rebase",
            Self::CherryPick => "a cherry-pick",
            Self::Revert => "a revert",
        }
    }
}

/// Where a folder lies. An owner git does not trust is an error in its words.
pub fn find(folder: &Path) -> Result<Place, CheckpointError> {
    let git = Git::in_folder(folder);
    let asked = ["rev-parse", "--is-inside-work-tree"];
    let finished = git.tell(&asked, b"")?;
    if !finished.status.success() {
        let is_none = finished.complaint.contains("not a git repository");
        return if is_none { Ok(Place::NoRepository) } else { Err(finished.refused(&asked)) };
    }
    if finished.output.trim_ascii() != b"true" {
        return Ok(Place::NoWorkTree);
    }
    let start = fs::canonicalize(folder)
        .map_err(|error| CheckpointError::io(format!("{} cannot be looked at", folder.display()), error))?;
    Ok(Place::WorkTree(Repository {
        start,
        top: git.path(&["rev-parse", "--path-format=absolute", "--show-toplevel"])?,
        git_dir: git.path(&["rev-parse", "--absolute-git-dir"])?,
    }))
}

impl Repository {
    /// The folder that holds all files of the work tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    pub fn in_progress(&self) -> Option<Operation> {
        let here = |sign: &str| self.git_dir.join(sign).symlink_metadata().is_ok();
        Operation::SIGNS.iter().find(|(sign, _)| here(sign)).map(|(_, operation)| *operation)
    }

    pub(crate) fn git(&self) -> Git {
        Git::of(&self.top, &self.git_dir)
    }

    pub(crate) fn index(&self) -> PathBuf {
        self.git_dir.join("index")
    }

    /// A path of a tree, in the file system.
    pub(crate) fn on_disk(&self, path: &Path) -> PathBuf {
        self.top.join(path)
    }

    /// A file or a link lies there, and nothing but folders leads to it.
    pub(crate) fn is_plain(&self, path: &Path) -> bool {
        let place = self.on_disk(path);
        self.is_led_to(&place) && fs::symlink_metadata(&place).is_ok_and(|found| !found.is_dir())
    }

    /// Folders lead to it, or nothing yet: no link and no file.
    pub(crate) fn is_led_to(&self, place: &Path) -> bool {
        let mut folders = place.ancestors().skip(1).take_while(|folder| *folder != self.top);
        folders.all(|folder| match fs::symlink_metadata(folder) {
            Ok(found) => found.is_dir(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        })
    }
}
