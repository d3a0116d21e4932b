//! Finds where an event happened: the git top level, the project it belongs to, the branch. Reads a few
//! small files under `.git`; never runs git.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::Workspace;
use model::WorkspaceKey;
use sha2::{Digest, Sha256};

/// A branch switch is seen this late. Shorter, and every hook pays a dozen file look-ups.
const FRESH: Duration = Duration::from_secs(2);
/// Working directories in use at once on one machine; past it the cache starts over.
const MAX_CACHED: usize = 1024;
/// `.git` files and HEAD are one line.
const MAX_POINTER: u64 = 4096;

#[derive(Debug, Default)]
pub(crate) struct Workspaces {
    cache: Mutex<HashMap<PathBuf, (Instant, Workspace)>>,
}

impl Workspaces {
    pub(crate) fn find(&self, cwd: &Path) -> Option<Workspace> {
        if !cwd.is_absolute() {
            return None;
        }
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, workspace)) = cache.get(cwd)
            && at.elapsed() < FRESH
        {
            return Some(workspace.clone());
        }
        let workspace = resolve(cwd);
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(cwd.to_owned(), (Instant::now(), workspace.clone()));
        Some(workspace)
    }
}

pub fn resolve(cwd: &Path) -> Workspace {
    let real = fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    let top = real.ancestors().find(|folder| folder.join(".git").exists());
    let root = top.unwrap_or(&real);
    let git = top.and_then(git_folder);
    let home = git.as_deref().and_then(main_repository).unwrap_or_else(|| root.to_owned());
    Workspace {
        key: key(root),
        root: root.to_string_lossy().into_owned(),
        project: home.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned()),
        branch: git.as_deref().and_then(branch),
    }
}

pub fn key(root: &Path) -> WorkspaceKey {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let hex = digest.iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    WorkspaceKey::from_hex(hex)
}

/// The folder that holds HEAD: `.git` itself, or where a worktree's or submodule's `.git` file points.
fn git_folder(top: &Path) -> Option<PathBuf> {
    let dot = top.join(".git");
    if dot.is_dir() {
        return Some(dot);
    }
    let pointer = read_line(&dot)?;
    Some(top.join(pointer.strip_prefix("gitdir:")?.trim()))
}

/// The main work tree of a linked one: `commondir` leads to the shared `.git`, whose parent it is.
fn main_repository(git: &Path) -> Option<PathBuf> {
    let common = fs::canonicalize(git.join(read_line(&git.join("commondir"))?.trim())).ok()?;
    if common.file_name()? == ".git" { common.parent().map(Path::to_owned) } else { Some(common) }
}

fn branch(git: &Path) -> Option<String> {
    let head = read_line(&git.join("HEAD"))?;
    let head = head.trim();
    match head.strip_prefix("ref: refs/heads/") {
        Some(name) => Some(name.to_owned()),
        None => head.get(..12).map(str::to_owned),
    }
}

fn read_line(path: &Path) -> Option<String> {
    if fs::metadata(path).ok()?.len() > MAX_POINTER {
        return None;
    }
    Some(fs::read_to_string(path).ok()?.lines().next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, args: &[&str]) {
        let done = Command::new("git")
            .current_dir(folder)
            .args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.invalid",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(args)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    #[test]
    fn worktrees_of_one_repository_share_a_project_and_differ_as_workspaces() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path().join("shop");
        fs::create_dir_all(main.join("src/deep")).unwrap();
        git(&main, &["init", "-q"]);
        git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&main, &["worktree", "add", "-q", "../shop-fix", "-b", "fix/login"]);

        let deep = resolve(&main.join("src/deep"));
        let fix = resolve(&folder.path().join("shop-fix"));
        assert_eq!((deep.project.as_str(), fix.project.as_str()), ("shop", "shop"));
        assert_eq!((deep.branch.as_deref(), fix.branch.as_deref()), (Some("main"), Some("fix/login")));
        assert_ne!(deep.key, fix.key);
        assert_eq!(deep.key, resolve(&main).key);
    }

    #[test]
    fn a_folder_without_git_is_its_own_workspace_even_when_it_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("never-was");
        assert_eq!(resolve(&gone).project, "never-was");
        assert_eq!(resolve(&gone).branch, None);
        assert_eq!(Workspaces::default().find(Path::new("relative")), None);
    }
}
