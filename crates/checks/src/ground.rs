//! What of a workspace belongs to it. Trust is given to one repository: another one inside of it, a submodule, what git
//! ignores and what a package manager has brought are other people's, whoever vouches for the folder around them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use providers::process::{self, Bounds, Finished};

use crate::find::read;

/// What makes a folder a repository of its own. A submodule and a linked work tree have a file of that name.
const REPOSITORIES: &[&str] = &[".git", ".hg", ".jj"];
/// Folders of packages that somebody else has written, also where no git says that they are ignored.
const BROUGHT: &[&str] =
    &["node_modules", "bower_components", ".venv", "venv", "site-packages", "__pypackages__"];
/// Git reads its index: milliseconds, and a second where that is very large.
const PATIENCE: Duration = Duration::from_secs(3);
/// One name is enough.
const MAX_NAMES: usize = 64 << 10;

/// Whether a folder of the workspace belongs to it, as far as files tell. Runs nothing. Both are real paths.
pub fn is_ours(root: &Path, folder: &Path) -> bool {
    let Ok(inside) = folder.strip_prefix(root) else { return false };
    let is_brought = |part: Component<'_>| BROUGHT.iter().any(|name| part.as_os_str() == OsStr::new(name));
    if inside.components().any(is_brought) {
        return false;
    }
    !is_in_repository(root, folder) && !is_in_submodule(root, folder)
}

/// Whether a folder of the workspace lies in a repository below its root.
pub(crate) fn is_in_repository(root: &Path, folder: &Path) -> bool {
    let mut below = folder.ancestors().take_while(|folder| *folder != root);
    below.any(|folder| REPOSITORIES.iter().any(|name| folder.join(name).symlink_metadata().is_ok()))
}

/// Whether the workspace names it, or a folder around it, as a submodule; also where that was emptied of its `.git`.
fn is_in_submodule(root: &Path, folder: &Path) -> bool {
    let named = root.join(".gitmodules");
    if named.symlink_metadata().is_err() {
        return false;
    }
    // One that cannot be read may name any folder.
    let Some(text) = read(&named) else { return folder != root };
    let paths = text.lines().filter_map(|line| line.trim().strip_prefix("path")?.trim().strip_prefix('='));
    paths.map(|path| root.join(path.trim().trim_matches('"'))).any(|path| folder.starts_with(path))
}

/// Where a file really lies, also one that is not there yet.
pub fn real(path: &Path) -> Option<PathBuf> {
    let (there, real) = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)))?;
    let rest = path.strip_prefix(there).ok()?;
    rest.components()
        .all(|part| matches!(part, Component::Normal(_)))
        .then(|| if rest.as_os_str().is_empty() { real } else { real.join(rest) })
}

/// The main work tree of a linked one. The repository itself must name it: a file that points there is not enough.
pub fn main_work_tree(root: &Path) -> Option<PathBuf> {
    let dot = root.join(".git");
    if !dot.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let line = |path: &Path| read(path)?.lines().next().map(|line| line.trim().to_owned());
    let git = root.join(line(&dot)?.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let common = git.join(line(&git.join("commondir"))?).canonicalize().ok()?;
    let back = git.join(line(&git.join("gitdir"))?).canonicalize().ok()?;
    let main = common.parent().filter(|_| common.ends_with(".git"))?;
    let is_named =
        git.parent() == Some(common.join("worktrees").as_path()) && back == dot.canonicalize().ok()?;
    is_named.then(|| main.to_owned())
}

/// Git, asked about the workspace. Only for one that is trusted: its settings are read.
pub(crate) struct Git<'a> {
    root: &'a Path,
    program: Option<PathBuf>,
    path: &'a OsStr,
}

impl<'a> Git<'a> {
    /// `path` has no folder in it that nobody trusts.
    pub(crate) fn of(root: &'a Path, path: &'a OsStr) -> Self {
        let is_repository = root.join(".git").exists();
        let program = is_repository.then(|| crate::find::on_path("git", path)).flatten();
        Self { root, program, path }
    }

    /// Whether any of these is ignored, or lies in a submodule. Where git cannot say, it may be; where there is no
    /// repository, nothing is.
    pub(crate) fn ignores(&self, paths: &[&Path]) -> bool {
        if !self.root.join(".git").exists() {
            return false;
        }
        let paths: Vec<_> = paths.iter().filter(|path| **path != self.root).collect();
        // 1: it ignores none of them; others: it does, or it is a submodule, or it could not work.
        !paths.is_empty()
            && self
                .ask(&["check-ignore", "--"], paths.iter().map(|path| path.as_os_str()))
                .is_none_or(|finished| finished.status.code() != Some(1))
    }

    /// Whether it tracks anything there. `None`: nobody can say.
    pub(crate) fn tracks(&self, path: &Path) -> Option<bool> {
        let finished =
            self.ask(&["--literal-pathspecs", "ls-files", "-z", "--"], [path.as_os_str()].into_iter())?;
        finished.status.success().then_some(!finished.output.is_empty())
    }

    fn ask<'p>(&self, question: &[&str], paths: impl Iterator<Item = &'p OsStr>) -> Option<Finished> {
        let mut command = Command::new(self.program.as_ref()?);
        command.env_clear().env("PATH", self.path).env("GIT_OPTIONAL_LOCKS", "0");
        // `safe.directory` and the person's own list of what is ignored are read from the home folder.
        command.envs(
            ["HOME", "XDG_CONFIG_HOME"].iter().filter_map(|name| Some((*name, std::env::var_os(name)?))),
        );
        // Nothing is fetched, and no program runs that settings name: neither a monitor nor a transport.
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none");
        command.env("GIT_TERMINAL_PROMPT", "0");
        command.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]);
        command.args(question).args(paths).current_dir(self.root);
        let bounds = Bounds { output: MAX_NAMES, complaint: 1024, until: Instant::now() + PATIENCE };
        process::run(command, &[], bounds, || false).ok()
    }
}

/// Whether anybody may write it.
pub(crate) fn is_open(about: &fs::Metadata) -> bool {
    const BY_ANYBODY: u32 = 0o002;
    about.permissions().mode() & BY_ANYBODY != 0
}

/// Whether others than this person and the machine's owner may have written it.
pub(crate) fn is_of_others(about: &fs::Metadata) -> bool {
    let owner = about.uid();
    is_open(about) || (owner != 0 && owner != rustix::process::geteuid().as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
        let run = Command::new("git").args(identity).args(arguments).current_dir(folder).output().unwrap();
        assert!(run.status.success(), "git {arguments:?}: {run:?}");
    }

    #[test]
    fn a_repository_inside_of_a_workspace_is_not_its_own() {
        let top = tempfile::tempdir().unwrap();
        let root = &top.path().canonicalize().unwrap();
        for folder in
            ["src/deep", "clone/.git", "clone/src", "linked/src", "node_modules/x", "sub/inner", "hg/.hg"]
        {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join("linked/.git"), "gitdir: ../.git/modules/linked\n").unwrap();
        fs::write(root.join(".gitmodules"), "[submodule \"s\"]\n\tpath = sub\n\turl = ../s\n").unwrap();
        assert!(is_ours(root, root) && is_ours(root, &root.join("src/deep")));
        for other in ["clone", "clone/src", "linked/src", "node_modules/x", "sub", "sub/inner", "hg"] {
            assert!(!is_ours(root, &root.join(other)), "{other}");
        }
        assert!(!is_ours(root, top.path().parent().unwrap()));
    }

    #[test]
    fn a_file_is_where_links_lead() {
        let top = tempfile::tempdir().unwrap();
        let root = &top.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        std::os::unix::fs::symlink(root.join("a"), root.join("link")).unwrap();
        assert_eq!(real(&root.join("link/b/new/c.ts")), Some(root.join("a/b/new/c.ts")));
        assert_eq!(real(&root.join("none/../../c.ts")), None);
    }

    #[test]
    fn a_work_tree_is_linked_only_where_the_repository_names_it() {
        let top = tempfile::tempdir().unwrap();
        let root = &top.path().canonicalize().unwrap();
        let (main, linked, forged) = (root.join("main"), root.join("linked"), root.join("main/forged"));
        fs::create_dir_all(&forged).unwrap();
        git(&main, &["init", "-q"]);
        git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&main, &["worktree", "add", "-q", "../linked"]);
        assert_eq!(main_work_tree(&linked), Some(main.clone()));
        assert_eq!(main_work_tree(&main), None);
        let pointers = ["../.git", "../.git/worktrees/linked", "fake/worktrees/x"];
        let fake = forged.join("fake/worktrees/x");
        fs::create_dir_all(&fake).unwrap();
        fs::write(fake.join("commondir"), main.join(".git").to_str().unwrap()).unwrap();
        fs::write(fake.join("gitdir"), forged.join(".git").to_str().unwrap()).unwrap();
        for pointer in pointers {
            fs::write(forged.join(".git"), format!("gitdir: {pointer}\n")).unwrap();
            assert_eq!(main_work_tree(&forged), None, "{pointer}");
        }
    }

    #[test]
    fn what_git_ignores_and_what_it_tracks_is_asked_in_a_bounded_way() {
        let top = tempfile::tempdir().unwrap();
        let root = &top.path().canonicalize().unwrap();
        let path = std::env::var_os("PATH").unwrap();
        assert!(!Git::of(root, &path).ignores(&[&root.join("a.ts")]), "there is no repository");
        assert_eq!(Git::of(root, &path).tracks(root), None);
        git(root, &["init", "-q"]);
        fs::create_dir_all(root.join("out")).unwrap();
        fs::write(root.join(".gitignore"), "out/*\n").unwrap();
        fs::write(root.join("a[1].ts"), "").unwrap();
        let asked = Git::of(root, &path);
        assert!(asked.ignores(&[&root.join("out/a.ts")]) && asked.ignores(&[&root.join("out/deep/a.ts")]));
        assert!(!asked.ignores(&[&root.join("a[1].ts"), root]));
        assert_eq!(asked.tracks(&root.join("a[1].ts")), Some(false));
        git(root, &["add", "a[1].ts"]);
        assert_eq!(Git::of(root, &path).tracks(&root.join("a[1].ts")), Some(true));
        let nobody = OsStr::new("/nowhere");
        assert!(Git::of(root, nobody).ignores(&[&root.join("a[1].ts")]), "without git nobody can say");
    }
}
