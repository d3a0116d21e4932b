//! Where a person's programs are looked for: the folders of a `PATH`, without those that a stranger could have put a
//! program into. The `PATH` is the session's own, where it told it: nvm, pyenv, a virtual environment and direnv live there.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use crate::ground;

/// A longer list was made by a loop.
const MAX_FOLDERS: usize = 200;
/// Package managers of the whole machine keep their folders in repositories of their own (Homebrew does).
const OF_THE_MACHINE: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/opt",
    "/nix",
    "/snap",
    concat!("/home", "/linuxbrew/.linuxbrew"),
    "/System",
    "/Library",
    "/Applications",
];

/// The folders of a `PATH`, sorted by what they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// In which programs of the person's are.
    pub persons: Vec<PathBuf>,
    /// Of the workspace: what is in there is code of the project.
    pub inside: Vec<PathBuf>,
    /// In which nothing is looked for, and why.
    pub left: Vec<(PathBuf, &'static str)>,
}

impl Folders {
    /// `root` is the workspace; `is_trusted` is asked about the roots of other repositories.
    pub fn of(path: &OsStr, root: &Path, home: Option<&Path>, is_trusted: &dyn Fn(&Path) -> bool) -> Self {
        let mut folders = Self::default();
        for folder in std::env::split_paths(path).take(MAX_FOLDERS) {
            if !folder.is_absolute() {
                // It would be another folder for whoever looks.
                folders.left.push((folder, "it is relative"));
                continue;
            }
            let Ok(real) = folder.canonicalize() else { continue };
            if folders.persons.contains(&folder) || folders.inside.contains(&folder) {
                continue;
            }
            if folder.starts_with(root) || real.starts_with(root) {
                folders.inside.push(folder);
            } else if may_be_filled(&real) {
                folders.left.push((folder, "others may write there"));
            } else if is_strangers(&real, home, is_trusted) {
                folders.left.push((folder, "it lies in a repository that is not trusted"));
            } else {
                folders.persons.push(folder);
            }
        }
        folders
    }

    /// As a variable again: what a child is given.
    pub fn variable(&self) -> OsString {
        std::env::join_paths(&self.persons).unwrap_or_default()
    }
}

/// Whether somebody else may put a program there. Who owns the machine's own folders is the machine's business.
fn may_be_filled(folder: &Path) -> bool {
    let is_of_others = if is_of_the_machine(folder) { ground::is_open } else { ground::is_of_others };
    fs::metadata(folder).is_ok_and(|about| is_of_others(&about))
}

fn is_of_the_machine(folder: &Path) -> bool {
    OF_THE_MACHINE.iter().any(|machines| folder.starts_with(machines))
}

/// Whether a folder lies in a repository that nobody trusts. A hidden folder of the home is the person's own, as nvm's,
/// pyenv's, rbenv's and asdf's are, which are repositories, too; and so is a home that is one.
pub(crate) fn is_strangers(folder: &Path, home: Option<&Path>, is_trusted: &dyn Fn(&Path) -> bool) -> bool {
    if is_of_the_machine(folder) {
        return false;
    }
    let Some(repository) = folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())
    else {
        return false;
    };
    let home = home.and_then(|home| home.canonicalize().ok());
    let is_hidden = repository.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let is_own = home
        .is_some_and(|home| repository == home || (is_hidden && repository.parent() == Some(home.as_path())));
    !is_own && !is_trusted(repository)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn folders_that_a_stranger_could_fill_are_left_out() {
        let top = tempfile::tempdir().unwrap();
        let home = &top.path().canonicalize().unwrap();
        let (root, other, known) = (home.join("work"), home.join("other"), home.join("known"));
        let names = [
            "bin",
            ".nvm/.git",
            ".nvm/versions/node/bin",
            "work/.venv/bin",
            "other/.git",
            "other/bin",
            "known/.git",
            "known/bin",
            "open",
            "deep/.nvm/.git",
            "deep/.nvm/bin",
        ];
        for name in names {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        fs::set_permissions(home.join("open"), fs::Permissions::from_mode(0o777)).unwrap();
        std::os::unix::fs::symlink(other.join("bin"), home.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join(".venv/bin"), home.join("venv")).unwrap();
        let persons = [home.join(".nvm/versions/node/bin"), home.join("bin"), known.join("bin")];
        let inside = [root.join(".venv/bin"), home.join("venv")];
        let left = [
            ("".into(), "it is relative"),
            ("bin".into(), "it is relative"),
            (other.join("bin"), "it lies in a repository that is not trusted"),
            (home.join("link"), "it lies in a repository that is not trusted"),
            (home.join("open"), "others may write there"),
            (home.join("deep/.nvm/bin"), "it lies in a repository that is not trusted"),
        ];
        let none = [home.join("none")];
        let all = persons.iter().chain(&inside).chain(left.iter().map(|(folder, _)| folder)).chain(&none);
        let path = std::env::join_paths(all.chain(&persons)).unwrap();
        let is_trusted = |root: &Path| root == known;
        let folders = Folders::of(&path, &root, Some(home), &is_trusted);
        assert_eq!(folders.persons, persons);
        assert_eq!(folders.inside, inside);
        assert_eq!(folders.left, left);
    }
}
