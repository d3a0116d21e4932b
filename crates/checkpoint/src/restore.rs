//! Brings the work tree back to a snapshot. Keeps the present first, so that this can be undone; never moves HEAD
//! or a branch, and never overwrites or removes a file that the safety snapshot does not have.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::CheckpointError;
use crate::git::Git;
use crate::held::{self, Held};
use crate::repository::{Operation, Repository};
use crate::scratch::Scratch;
use crate::snapshot::{Limits, New, Snapshot, Survey, list};
use crate::status;

/// A submodule's entry in a tree.
const GITLINK: &[u8] = b"160000";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All files are as they were: what was changed since is changed back, what was made since is gone.
    Everything,
    /// Only the files that differed from HEAD at the time. The index is left as it is.
    Dirty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    pub scope: Scope,
    /// Also in the middle of a merge or a rebase.
    pub force: bool,
    /// What was staged is staged again. Otherwise the index is not touched.
    pub index: bool,
}

/// What a restore would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub changes: Vec<Change>,
    pub left: Vec<Left>,
    pub head_then: Option<String>,
    pub head_now: Option<String>,
    /// What was staged is staged again, because that was asked for. Only where HEAD is the same: against another it would
    /// mean something else.
    pub restores_index: bool,
    pub in_progress: Option<Operation>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    pub kind: ChangeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    Create,
    Overwrite,
    Remove,
}

impl ChangeKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Overwrite => "overwrite",
            Self::Remove => "remove",
        }
    }
}

/// A file that differs from the snapshot and stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    pub path: PathBuf,
    pub why: WhyLeft,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyLeft {
    /// A repository of its own.
    Submodule,
    NotInCheckpoint,
    /// The present file could not be kept, so it is not risked.
    NotInSafety,
    NotCheckedOut,
    /// Something that git does not keep lies at its place.
    InTheWay,
}

impl WhyLeft {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Submodule => "a repository of its own",
            Self::NotInCheckpoint => "the checkpoint did not keep it",
            Self::NotInSafety => "it cannot be kept as it is now",
            Self::NotCheckedOut => "outside of the sparse checkout",
            Self::InTheWay => "something else is in its place",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// How it was just before: the way back. `None`: nothing had to change.
    pub safety: Option<Snapshot>,
    pub changed: Vec<Change>,
    pub left: Vec<Left>,
    pub head_then: Option<String>,
    pub head_now: Option<String>,
    pub index_restored: bool,
}

impl Repository {
    /// What a restore would change now. Writes objects that nothing names, and no file.
    pub fn plan(&self, id: &str, mode: Mode) -> Result<Plan, CheckpointError> {
        let git = self.git();
        let held = held::find(&git, id)?;
        let (survey, difference) = self.compare(&git, &held, mode.scope)?;
        Ok(Plan {
            restores_index: restores_index(&git, &survey, &held, mode)?,
            changes: difference.changes,
            left: difference.left,
            head_then: held.head,
            head_now: survey.head,
            in_progress: self.in_progress(),
        })
    }

    /// `safety` names the snapshot of the present that is made first.
    pub fn restore(&self, id: &str, mode: Mode, safety: &New<'_>) -> Result<Restored, CheckpointError> {
        let git = self.git();
        let held = held::find(&git, id)?;
        held::reference(safety.id)?;
        if let Some(operation) = self.in_progress().filter(|_| !mode.force) {
            return Err(CheckpointError::InProgress(operation));
        }
        let lock = self.git_dir.join("index.lock");
        if lock.symlink_metadata().is_ok() {
            return Err(CheckpointError::Busy(lock));
        }
        let (survey, difference) = self.compare(&git, &held, mode.scope)?;
        let index = restores_index(&git, &survey, &held, mode)?;
        let mut restored = Restored {
            safety: None,
            changed: difference.changes,
            left: difference.left,
            head_then: held.head.clone(),
            head_now: survey.head.clone(),
            index_restored: index,
        };
        if restored.changed.is_empty() && !index {
            return Ok(restored);
        }
        let kept = self.keep(&git, survey, safety)?;
        // What the safety took must not be missing where it is needed most.
        let git = self.git();
        let done = self
            .bring_back(&git, &held, &mut restored)
            .and_then(|()| if index { bring_back_index(&git, &held) } else { Ok(()) });
        let half_way =
            |source| CheckpointError::HalfWay { safety: kept.id.clone(), source: Box::new(source) };
        done.map_err(half_way)?;
        restored.safety = Some(kept);
        Ok(restored)
    }

    /// The present, and how it differs. A file that git ignores now and that the snapshot would overwrite is taken
    /// into the present, too.
    fn compare(&self, git: &Git, held: &Held, scope: Scope) -> Result<(Survey, Difference), CheckpointError> {
        let survey = self.survey(git, &[], Limits::BY_HAND)?;
        let difference = self.difference(git, &survey, held, scope)?;
        let hidden = difference.changes.iter().filter(|change| change.kind == ChangeKind::Create);
        let hidden: Vec<PathBuf> =
            hidden.map(|change| change.path.clone()).filter(|path| self.is_plain(path)).collect();
        if hidden.is_empty() {
            return Ok((survey, difference));
        }
        let survey = self.survey(git, &hidden, Limits::BY_HAND)?;
        let difference = self.difference(git, &survey, held, scope)?;
        Ok((survey, difference))
    }

    fn difference(
        &self,
        git: &Git,
        survey: &Survey,
        held: &Held,
        scope: Scope,
    ) -> Result<Difference, CheckpointError> {
        let wanted: Option<HashSet<PathBuf>> = match scope {
            Scope::Everything => None,
            Scope::Dirty => {
                let then = diff(git, &held::base(git, held)?, &held.tree)?;
                Some(then.into_iter().map(|entry| entry.path).collect())
            }
        };
        let not_then: HashSet<&Path> = held.trailer.skipped.iter().map(PathBuf::as_path).collect();
        let not_now: HashSet<&Path> = survey.skipped.iter().map(|skipped| skipped.path.as_path()).collect();
        let mut difference = Difference::default();
        for entry in diff(git, &survey.tree, &held.tree)? {
            if wanted.as_ref().is_some_and(|wanted| !wanted.contains(&entry.path)) {
                continue;
            }
            let why = if entry.is_gitlink {
                Some(WhyLeft::Submodule)
            } else if not_then.contains(entry.path.as_path()) {
                Some(WhyLeft::NotInCheckpoint)
            } else if not_now.contains(entry.path.as_path()) {
                Some(WhyLeft::NotInSafety)
            } else if entry.kind == ChangeKind::Overwrite && !exists(&self.on_disk(&entry.path)) {
                // The index vouches for it, and it does not lie there: the person wants it out of sight.
                Some(WhyLeft::NotCheckedOut)
            } else {
                None
            };
            match why {
                Some(why) => difference.left.push(Left { path: entry.path, why }),
                None => difference.changes.push(Change { path: entry.path, kind: entry.kind }),
            }
        }
        Ok(difference)
    }

    fn bring_back(&self, git: &Git, held: &Held, restored: &mut Restored) -> Result<(), CheckpointError> {
        for change in restored.changed.iter().filter(|change| change.kind == ChangeKind::Remove) {
            self.remove(&change.path)?;
        }
        let (ready, blocked): (Vec<Change>, Vec<Change>) = std::mem::take(&mut restored.changed)
            .into_iter()
            .partition(|change| change.kind == ChangeKind::Remove || self.has_room(&change.path));
        restored
            .left
            .extend(blocked.into_iter().map(|change| Left { path: change.path, why: WhyLeft::InTheWay }));
        let written = ready.iter().filter(|change| change.kind != ChangeKind::Remove);
        let written: Vec<PathBuf> = written.map(|change| change.path.clone()).collect();
        restored.changed = ready;
        if written.is_empty() {
            return Ok(());
        }
        let scratch = Scratch::inside(&self.git_dir)?;
        let git = git.with_index(&scratch.index());
        // What was kept is brought back also where a sparse checkout would not show it.
        git.run(&["-c", "core.sparseCheckout=false", "read-tree", &held.tree])?;
        // Attributes first: they say how the lines of the others end.
        let (attributes, others): (Vec<PathBuf>, Vec<PathBuf>) =
            written.into_iter().partition(|path| path.ends_with(".gitattributes"));
        for paths in [attributes, others].iter().filter(|paths| !paths.is_empty()) {
            let write = ["-c", "core.sparseCheckout=false", "checkout-index", "-f", "-z", "--stdin"];
            git.feed(&write, &list(paths))?;
        }
        Ok(())
    }

    /// With the folders it leaves empty, but never the one the person stands in.
    fn remove(&self, path: &Path) -> Result<(), CheckpointError> {
        let place = self.on_disk(path);
        if !self.is_plain(path) {
            // It went meanwhile, or was never checked out.
            return Ok(());
        }
        fs::remove_file(&place)
            .map_err(|error| CheckpointError::io(format!("{} cannot be removed", place.display()), error))?;
        let mut folders = place.ancestors().skip(1);
        while let Some(folder) = folders.next().filter(|folder| !self.start.starts_with(folder)) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Whether it can be written without taking anything away that the safety does not have.
    fn has_room(&self, path: &Path) -> bool {
        let place = self.on_disk(path);
        // An empty folder is nothing to lose.
        let is_folder = fs::symlink_metadata(&place).is_ok_and(|found| found.is_dir());
        self.is_led_to(&place) && (!is_folder || fs::remove_dir(&place).is_ok())
    }
}

#[derive(Debug, Default)]
struct Difference {
    changes: Vec<Change>,
    left: Vec<Left>,
}

struct DiffEntry {
    path: PathBuf,
    kind: ChangeKind,
    is_gitlink: bool,
}

/// The person's own index: what was staged at the time is staged again.
fn bring_back_index(git: &Git, held: &Held) -> Result<(), CheckpointError> {
    git.run(&["read-tree", "--reset", &held.index])?;
    // Says which files differ, by its exit code, too: that is no failure here.
    git.tell(&["update-index", "-q", "--refresh"], b"")?;
    Ok(())
}

fn restores_index(git: &Git, survey: &Survey, held: &Held, mode: Mode) -> Result<bool, CheckpointError> {
    if !mode.index || mode.scope == Scope::Dirty || survey.head != held.head {
        return Ok(false);
    }
    let then = git.hash(&["rev-parse", "--verify", &format!("{}^{{tree}}", held.index)], b"")?;
    Ok(then != survey.index_tree)
}

/// `:oldmode newmode oldhash newhash LETTER NUL path NUL`, once for each file.
fn diff(git: &Git, from: &str, to: &str) -> Result<Vec<DiffEntry>, CheckpointError> {
    let text = git.run(&["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", from, to])?;
    let mut fields = text.split(|byte| *byte == 0);
    let mut entries = Vec::new();
    while let (Some(head), Some(path)) = (fields.next().filter(|head| !head.is_empty()), fields.next()) {
        let kind = match head.last() {
            Some(b'A') => ChangeKind::Create,
            Some(b'D') => ChangeKind::Remove,
            _ => ChangeKind::Overwrite,
        };
        let is_gitlink = head.get(1..7) == Some(GITLINK) || head.get(8..14) == Some(GITLINK);
        entries.push(DiffEntry { path: status::path(path), kind, is_gitlink });
    }
    Ok(entries)
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
