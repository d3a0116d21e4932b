//! Where a command runs, and where a word leads from there. A word by its text alone: links are not followed.

use std::path::{Component, Path, PathBuf};

use super::small::read_small;
use crate::shell::{Part, Word};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub cwd: PathBuf,
    /// The folder the agent works on.
    pub workspace: PathBuf,
    pub home: Option<PathBuf>,
    /// What is checked out in the workspace.
    pub branch: Option<String>,
}

/// What a word names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Path(PathBuf),
    /// Everything in the folder: `folder/*`.
    AllIn(PathBuf),
    /// Something in the folder: `folder/$x`, `folder/a*`.
    SomeIn(PathBuf),
    /// A variable that may be empty, and then this path.
    IfEmpty(PathBuf),
    Unknown,
}

/// How much of what is a person's a path holds, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Everything there is.
    Root,
    /// A home folder and all in it.
    Home,
    /// Outside of the workspace and of folders for temporary files.
    Outside,
    /// The workspace itself, or a folder it is in.
    Workspace,
    Inside,
}

const TEMPORARY: &[&str] = &[
    "/tmp",
    "/var/tmp",
    "/private/tmp",
    "/private/var/tmp",
    "/var/folders",
    "/private/var/folders",
    "/dev/shm",
];
/// A path into the root of a system that an empty variable leaves over.
const SYSTEM: &[&str] = &[
    "Applications",
    "Library",
    "System",
    "Users",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib64",
    "opt",
    "proc",
    "root",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
];

impl Place {
    /// Where a call from `cwd` runs. The workspace is the repository that `project` (as the agent names it) or `cwd` is in;
    /// a home folder that is itself a repository is none.
    pub fn find(cwd: &Path, project: Option<&Path>, home: Option<&Path>) -> Self {
        let begin = normal(project.unwrap_or(cwd));
        let is_home = |folder: &Path| home.is_some_and(|home| home.starts_with(folder));
        let top = begin.ancestors().find(|folder| folder.join(".git").exists()).filter(|top| !is_home(top));
        let workspace = top.unwrap_or(&begin).to_owned();
        let branch = top.and_then(branch_of);
        Self { cwd: normal(cwd), workspace, home: home.map(normal), branch }
    }

    pub(super) fn target(&self, folder: Option<&Word>, word: &Word) -> Target {
        let mut known = String::new();
        let mut rest = word.parts().iter();
        let stop = loop {
            match rest.next() {
                None => break None,
                Some(Part::Text(text)) => known.push_str(text),
                Some(Part::Home(written)) => known.push_str(&self.home_of(written)),
                Some(part) => break Some(part),
            }
        };
        let Some(stop) = stop else {
            return if known.is_empty() { Target::Unknown } else { self.from(folder, &known, Target::Path) };
        };
        let behind: String = rest
            .map(|part| match part {
                Part::Text(text) | Part::Glob(text) => text.as_str(),
                _ => "?",
            })
            .collect();
        match stop {
            Part::Glob(glob) => {
                let (within, name) =
                    known.rsplit_once('/').map_or(("", known.as_str()), |(within, name)| (within, name));
                // `*`, `.*`, `*/`, `**/*`.
                let is_all = matches!(name, "" | ".")
                    && format!("{glob}{behind}").bytes().all(|b| b"*/.".contains(&b));
                let within = if known.contains('/') && within.is_empty() { "/" } else { within };
                let within = if within.is_empty() { "." } else { within };
                self.from(folder, within, if is_all { Target::AllIn } else { Target::SomeIn })
            }
            Part::Variable { may_be_empty: true, .. } if known.is_empty() => {
                let is_rest = behind.starts_with('/') && !behind.contains('?');
                if is_rest {
                    Target::IfEmpty(normal(Path::new(behind.trim_end_matches(['*', '.']))))
                } else {
                    Target::Unknown
                }
            }
            _ if known.is_empty() => Target::Unknown,
            _ => {
                let within = known
                    .rsplit_once('/')
                    .map_or(".", |(within, _)| if within.is_empty() { "/" } else { within });
                self.from(folder, within, Target::SomeIn)
            }
        }
    }

    /// The path of a word that is known, from where the command runs.
    pub(super) fn path(&self, folder: Option<&Word>, word: &Word) -> Option<PathBuf> {
        match self.target(folder, word) {
            Target::Path(path) => Some(path),
            _ => None,
        }
    }

    /// Where a path leads that is written with `~` for the home folder, `..` and links as they are. `None`: the folder
    /// it begins in is not known.
    pub(super) fn written(&self, folder: Option<&Word>, path: &str) -> Option<PathBuf> {
        let whole = |path: &str| match path.split_once('/').unwrap_or((path, "")) {
            (home, rest) if home.starts_with('~') => Path::new(&self.home_of(home)).join(rest),
            _ => PathBuf::from(path),
        };
        let folder = folder.map(|folder| {
            let text = folder.text()?;
            Some(if folder.is_home() { whole(&text) } else { PathBuf::from(text) })
        });
        let folder = folder.unwrap_or_else(|| Some(PathBuf::new()));
        let path = whole(path);
        if path.is_absolute() { Some(path) } else { Some(self.cwd.join(folder?).join(path)) }
    }

    fn from(&self, folder: Option<&Word>, known: &str, make: fn(PathBuf) -> Target) -> Target {
        if known.starts_with('/') {
            return make(normal(Path::new(known)));
        }
        let base = match folder {
            None => Some(self.cwd.clone()),
            Some(folder) => self.path(None, folder),
        };
        base.map_or(Target::Unknown, |base| make(normal(&base.join(known))))
    }

    fn home_of(&self, written: &str) -> String {
        match (written, &self.home) {
            ("~", Some(home)) => home.to_string_lossy().into_owned(),
            ("~", None) => "/home/~".to_owned(),
            ("~root", _) => "/root".to_owned(),
            (other, home) => {
                let homes = home.as_deref().and_then(Path::parent).unwrap_or(Path::new("/home"));
                homes.join(other.trim_start_matches('~')).to_string_lossy().into_owned()
            }
        }
    }

    /// `None`: nothing can be said.
    pub(super) fn reach(&self, target: &Target) -> Option<Reach> {
        match target {
            Target::Path(path) => Some(self.reach_of(path)),
            // All in the workspace leaves it and what git knows of it.
            Target::AllIn(folder) if *folder == self.workspace => Some(Reach::Inside),
            Target::AllIn(folder) => Some(self.reach_of(folder)),
            // Not all of it, so neither root nor home is gone.
            Target::SomeIn(folder)
                if self.is_inside(folder) || *folder == self.workspace || is_temporary(folder) =>
            {
                Some(Reach::Inside)
            }
            Target::SomeIn(_) => Some(Reach::Outside),
            Target::IfEmpty(path) => {
                let mut names = path.components().skip(1);
                let first = names.next();
                let is_system =
                    first.is_none_or(|first| SYSTEM.iter().any(|name| first.as_os_str() == *name));
                is_system.then_some(Reach::Outside)
            }
            Target::Unknown => None,
        }
    }

    fn reach_of(&self, path: &Path) -> Reach {
        let holds_home = self.home.as_deref().is_some_and(|home| home.starts_with(path));
        if path == Path::new("/") {
            Reach::Root
        } else if holds_home || path == Path::new("/root") || path == Path::new("/home/~") {
            Reach::Home
        } else if self.workspace.starts_with(path) {
            Reach::Workspace
        } else if self.is_inside(path)
            || (is_temporary(path) && !TEMPORARY.iter().any(|folder| path == Path::new(folder)))
        {
            Reach::Inside
        } else {
            Reach::Outside
        }
    }

    pub(super) fn is_inside(&self, path: &Path) -> bool {
        path.starts_with(&self.workspace) && path != self.workspace
    }
}

/// What `HEAD` says; `None` where no branch is checked out.
fn branch_of(top: &Path) -> Option<String> {
    /// A branch's name and a path fit; anything longer is no file of git's.
    const MAX_BYTES: u64 = 4096;
    let read = |file: &Path| read_small(file, MAX_BYTES).ok();
    let git = top.join(".git");
    // Of a worktree it is a file that names the folder.
    let folder = if git.is_dir() { git } else { top.join(read(&git)?.trim().strip_prefix("gitdir: ")?) };
    Some(read(&folder.join("HEAD"))?.trim().strip_prefix("ref: refs/heads/")?.to_owned())
}

pub(super) fn is_temporary(path: &Path) -> bool {
    TEMPORARY.iter().any(|folder| path.starts_with(folder))
}

/// Without `.` and `..`; nothing is above the root.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut whole = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => whole.push(name),
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_workspace_is_the_repository_and_its_branch_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let top = normal(folder.path());
        fs::create_dir_all(top.join("repo/.git")).unwrap();
        fs::create_dir_all(top.join("repo/src")).unwrap();
        fs::write(top.join("repo/.git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
        let place = Place::find(&top.join("repo/src"), None, None);
        assert_eq!((place.workspace, place.branch.as_deref()), (top.join("repo"), Some("feature/x")));
        fs::create_dir_all(top.join("tree")).unwrap();
        fs::create_dir_all(top.join("gits/tree")).unwrap();
        fs::write(top.join("tree/.git"), format!("gitdir: {}\n", top.join("gits/tree").display())).unwrap();
        fs::write(top.join("gits/tree/HEAD"), "ref: refs/heads/main\n").unwrap();
        let place = Place::find(&top, Some(&top.join("tree")), None);
        assert_eq!((place.workspace, place.branch.as_deref()), (top.join("tree"), Some("main")));
        let place = Place::find(&top.join("repo/src"), None, Some(&top.join("repo")));
        assert_eq!(place.workspace, top.join("repo/src"), "a home folder is no workspace");
    }
}
