//! How the files differ now from how they were: untracked ones, too, which `git diff` alone would not compare. Writes
//! objects that nothing names, and no file.

use std::path::Path;

use crate::CheckpointError;
use crate::held;
use crate::repository::Repository;
use crate::snapshot::Limits;

/// How a difference is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Patch,
    /// Files and how much of each.
    Stat,
}

impl Repository {
    /// From the snapshot to now, as git writes it: of one path, which counts from where the person stands, or of all.
    pub fn difference_since(
        &self,
        id: &str,
        form: Form,
        path: Option<&Path>,
    ) -> Result<Vec<u8>, CheckpointError> {
        let git = self.git();
        let held = held::find(&git, id)?;
        let now = self.survey(&git, &[], Limits::BY_HAND)?.tree;
        let form = match form {
            Form::Patch => "-p",
            Form::Stat => "--stat",
        };
        // Nothing of the person's settings runs a program or paints.
        let mut args =
            vec!["diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", form];
        args.extend([held.tree.as_str(), now.as_str()]);
        let Some(path) = path else { return git.run(&args) };
        let outside = || CheckpointError::Outside(path.to_owned());
        let inside = without_detours(&self.start.join(path));
        let inside = inside.strip_prefix(&self.top).map_err(|_| outside())?;
        let inside = inside.to_str().ok_or_else(outside)?;
        if !inside.is_empty() {
            args.extend(["--", inside]);
        }
        git.run(&args)
    }
}

/// `.` and `..` by name: the path may be of something that is gone.
fn without_detours(path: &Path) -> std::path::PathBuf {
    let mut plain = std::path::PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}
