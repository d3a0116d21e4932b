//! Finds where an event happened: the git top level, the project it belongs to, the branch. Reads a few
//! small files under `.git`; on the path of an event it never runs git.
//!
//! A project has two names. Its key is there at once and for ever: the place of the git common folder, which all
//! worktrees share, or of the folder itself where there is no git. The first commit, which also clones share,
//! may be known a moment later. Rows keep the key; which keys are one project is looked up by the first commit,
//! so that what was kept before it was known is joined, too.

mod first_commit;

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

use self::first_commit::FirstCommits;

#[derive(Debug, Default)]
pub(crate) struct Workspaces {
    cache: Mutex<HashMap<PathBuf, (Instant, Workspace)>>,
    first_commits: FirstCommits,
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
        let found = Found::at(cwd);
        let workspace = found.workspace();
        if let Some(common) = found.common {
            self.first_commits.look_up(&workspace.project_key, common);
        }
        if cache.len() >= MAX_CACHED {
            cache.clear();
        }
        cache.insert(cwd.to_owned(), (Instant::now(), workspace.clone()));
        Some(workspace)
    }

    /// The first commit of a project seen here, if git has said it by now. Never waits.
    pub(crate) fn first_commit(&self, project_key: &str) -> Option<String> {
        self.first_commits.known(project_key)
    }
}

/// What a project is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectIdentity {
    /// The git common folder's place: one for all worktrees. Without git, the key of the workspace.
    pub common_dir_key: String,
    /// One for all clones. `None` without git or commits, in a shallow clone, or when git did not answer in time.
    pub first_commit: Option<String>,
    pub name: String,
}

impl ProjectIdentity {
    /// The widest name that is certain.
    pub fn key(&self) -> &str {
        self.first_commit.as_deref().unwrap_or(&self.common_dir_key)
    }
}

/// Which project a folder belongs to. Runs git and may take seconds: for commands, not for hooks.
pub fn project_of(folder: &Path) -> ProjectIdentity {
    let found = Found::at(folder);
    let workspace = found.workspace();
    ProjectIdentity {
        common_dir_key: workspace.project_key,
        first_commit: found.common.as_deref().and_then(first_commit::ask),
        name: workspace.project,
    }
}

pub fn resolve(cwd: &Path) -> Workspace {
    Found::at(cwd).workspace()
}

/// The folders that decide everything else.
struct Found {
    root: PathBuf,
    /// Holds HEAD of this work tree.
    git: Option<PathBuf>,
    /// Holds what all work trees share: `.git` of the main one. A real path.
    common: Option<PathBuf>,
}

impl Found {
    fn at(cwd: &Path) -> Self {
        let real = fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
        let top = real.ancestors().find(|folder| folder.join(".git").exists());
        let git = top.and_then(git_folder);
        let common = git.as_deref().and_then(common_folder);
        Self { root: top.unwrap_or(&real).to_owned(), git, common }
    }

    fn workspace(&self) -> Workspace {
        let key = key(&self.root);
        let home = self.main_work_tree();
        Workspace {
            root: self.root.to_string_lossy().into_owned(),
            project: home
                .file_name()
                .map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned()),
            project_key: match &self.common {
                Some(common) => self::key(common).as_str().to_owned(),
                None => key.as_str().to_owned(),
            },
            branch: self.git.as_deref().and_then(branch),
            key,
        }
    }

    /// A linked work tree is named after the main one, whose `.git` it shares.
    fn main_work_tree(&self) -> &Path {
        let is_linked = self.git.as_ref().is_some_and(|git| git.join("commondir").exists());
        match &self.common {
            Some(common) if is_linked && common.ends_with(".git") => common.parent().unwrap_or(common),
            Some(common) if is_linked => common,
            _ => &self.root,
        }
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

/// A linked work tree's folder says in `commondir` where the shared one is; any other is its own.
fn common_folder(git: &Path) -> Option<PathBuf> {
    let common = read_line(&git.join("commondir")).map(|line| git.join(line.trim()));
    fs::canonicalize(common.as_deref().unwrap_or(git)).ok()
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

    fn repository(path: &Path, message: &str) {
        fs::create_dir_all(path).unwrap();
        git(path, &["init", "-q"]);
        git(path, &["commit", "-q", "--allow-empty", "-m", message]);
    }

    #[test]
    fn worktrees_share_a_project_key_at_once_and_clones_share_the_first_commit() {
        let folder = tempfile::tempdir().unwrap();
        let [main, linked, clone, other] =
            ["shop", "shop-fix", "copy", "other"].map(|n| folder.path().join(n));
        repository(&main, "first");
        git(&main, &["commit", "-q", "--allow-empty", "-m", "second"]);
        git(&main, &["worktree", "add", "-q", "../shop-fix", "-b", "fix"]);
        git(folder.path(), &["clone", "-q", "shop", "copy"]);
        repository(&other, "another first");

        assert_eq!(resolve(&main).project_key, resolve(&linked).project_key);
        assert_ne!(resolve(&main).project_key, resolve(&clone).project_key);
        assert_eq!(project_of(&main), project_of(&linked));
        assert!(project_of(&main).first_commit.is_some());
        assert_eq!(project_of(&main).key(), project_of(&clone).key());
        assert_ne!(project_of(&main).key(), project_of(&other).key());
    }

    #[test]
    fn what_is_checked_out_or_merged_in_does_not_change_the_first_commit() {
        let folder = tempfile::tempdir().unwrap();
        let [main, other, clone] = ["shop", "other", "copy"].map(|name| folder.path().join(name));
        repository(&main, "first");
        repository(&other, "unrelated");
        let first = project_of(&main).first_commit;
        git(&main, &["fetch", "-q", "../other"]);
        git(&main, &["merge", "-q", "--allow-unrelated-histories", "--no-edit", "FETCH_HEAD"]);
        assert_eq!(project_of(&main).first_commit, first);
        git(folder.path(), &["clone", "-q", "shop", "copy"]);
        git(&clone, &["checkout", "-q", "--orphan", "pages"]);
        git(&clone, &["commit", "-q", "--allow-empty", "-m", "pages"]);
        assert_eq!(project_of(&clone).first_commit, first);
    }

    #[test]
    fn where_no_first_commit_is_certain_the_key_is_the_common_folder() {
        let folder = tempfile::tempdir().unwrap();
        let [main, shallow, empty, plain] =
            ["shop", "shallow", "empty", "plain"].map(|name| folder.path().join(name));
        repository(&main, "first");
        git(&main, &["commit", "-q", "--allow-empty", "-m", "second"]);
        let from = format!("file://{}", main.display());
        git(folder.path(), &["clone", "-q", "--depth", "1", &from, "shallow"]);
        fs::create_dir_all(&plain).unwrap();
        fs::create_dir_all(&empty).unwrap();
        git(&empty, &["init", "-q"]);
        for path in [&shallow, &empty, &plain] {
            let project = project_of(path);
            assert_eq!(project.first_commit, None, "{}", path.display());
            assert_eq!(project.key(), resolve(path).project_key);
        }
        assert_eq!(project_of(&plain).key(), key(&fs::canonicalize(&plain).unwrap()).as_str());
        assert_ne!(project_of(&shallow).key(), project_of(&empty).key());
    }

    #[test]
    fn asking_for_the_first_commit_runs_nothing_a_repository_names() {
        let folder = tempfile::tempdir().unwrap();
        let (main, marker) = (folder.path().join("shop"), folder.path().join("marker"));
        repository(&main, "first");
        let first = project_of(&main).first_commit.unwrap();
        // A partial clone fetches what is missing with a program of its own configuration's choice.
        fs::remove_file(main.join(".git/objects").join(&first[..2]).join(&first[2..])).unwrap();
        for (name, value) in [
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.url", &main.display().to_string()),
            ("remote.origin.uploadpack", &format!("touch {};", marker.display())),
        ] {
            git(&main, &["config", name, value]);
        }
        let walk = ["rev-list", "--first-parent", "--max-parents=0", "HEAD"];
        Command::new("git").current_dir(&main).args(walk).output().unwrap();
        assert!(marker.exists(), "unguarded, git runs it");
        fs::remove_file(&marker).unwrap();
        assert_eq!(project_of(&main).first_commit, None);
        assert!(!marker.exists());
    }

    #[test]
    fn finding_a_workspace_never_waits_and_the_first_commit_follows() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path().join("shop");
        repository(&main, "first");
        let workspaces = Workspaces::default();
        let key = workspaces.find(&main).unwrap().project_key;
        let until = Instant::now() + Duration::from_secs(20);
        let commit = loop {
            assert!(Instant::now() < until, "no first commit");
            if let Some(commit) = workspaces.first_commit(&key) {
                break commit;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(Some(commit), project_of(&main).first_commit);
        assert_eq!(workspaces.first_commit("another"), None);
    }

    #[test]
    fn the_names_of_a_project_pass_the_redactor() {
        let redactor = redact::Redactor::new(redact::Settings::default()).unwrap();
        for name in ["9daeafb9864cf43055ae93beb0afd6c7d144bfa4", key(Path::new("/w")).as_str()] {
            assert_eq!(redactor.bytes(name.as_bytes()).bytes, name.as_bytes());
        }
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
