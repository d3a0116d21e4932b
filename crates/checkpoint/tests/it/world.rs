//! A repository in a temporary folder, and eyes that see every byte of it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use checkpoint::{CheckpointError, Limits, Mode, New, Place, Repository, Restored, Scope, Snapshot};

pub(crate) const EVERYTHING: Mode = Mode { scope: Scope::Everything, force: false, index: true };
/// Nobody's clock.
pub(crate) const AT: u64 = 1_700_000_000_000;

pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) top: PathBuf,
}

impl World {
    /// A repository without a commit.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap().join("repo");
        fs::create_dir(&top).unwrap();
        let world = Self { folder, top };
        world.init(&["-b", "main"]);
        world
    }

    /// With a commit of `a`, `b`, `d/e` and a `.gitignore`.
    pub(crate) fn new() -> Self {
        let world = Self::empty();
        world.write("a", "one\n");
        world.write("b", "two\n");
        world.write("d/e", "three\n");
        world.write(".gitignore", "*.ignored\n");
        world.commit("first");
        world
    }

    pub(crate) fn init(&self, args: &[&str]) {
        self.git(&[&["init", "-q"], args].concat());
        for (name, value) in [("user.name", "P"), ("user.email", "p@example.org"), ("core.autocrlf", "false")]
        {
            self.git(&["config", name, value]);
        }
    }

    pub(crate) fn outside(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn repository(&self) -> Repository {
        repository(&self.top)
    }

    pub(crate) fn keep(&self, id: &str) -> Snapshot {
        self.repository().create(&new(id)).unwrap()
    }

    pub(crate) fn restore(&self, id: &str, mode: Mode, safety: &str) -> Result<Restored, CheckpointError> {
        self.repository().restore(id, mode, &new(safety))
    }

    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.write_bytes(path.as_bytes(), text.as_bytes());
    }

    pub(crate) fn write_bytes(&self, path: &[u8], bytes: &[u8]) {
        let path = self.top.join(OsStr::from_bytes(path));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn link(&self, path: &str, to: &str) {
        symlink(to, self.top.join(path)).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.top.join(path);
        if path.is_dir() && !path.is_symlink() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
            .unwrap();
    }

    pub(crate) fn executable(&self, path: &str, is: bool) {
        let mode = if is { 0o755 } else { 0o644 };
        fs::set_permissions(self.top.join(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.top.join(path)).unwrap()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.top.join(path).symlink_metadata().is_ok()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.tell(args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(crate) fn tell(&self, args: &[&str]) -> Output {
        git_in(&self.top, args)
    }

    /// Every file of the work tree: its bytes, its link, whether it is executable.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        walk(&self.top, &self.top, &mut found);
        found.retain(|path, _| !path.starts_with(".git"));
        found
    }

    /// All that is the person's own in the git folder. Objects and our refs are not.
    pub(crate) fn own(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let git_dir = self.top.join(".git");
        walk(&git_dir, &git_dir, &mut found);
        found.retain(|path, _| !path.starts_with("objects") && !path.starts_with("refs/throughline"));
        found
    }
}

pub(crate) fn git_in(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GIT_")) {
        command.env_remove(name);
    }
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_OPTIONAL_LOCKS", "0");
    command.current_dir(folder).args(["-c", "protocol.file.allow=always"]).args(args).output().unwrap()
}

pub(crate) fn repository(folder: &Path) -> Repository {
    match checkpoint::find(folder).unwrap() {
        Place::WorkTree(repository) => repository,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn new(id: &str) -> New<'_> {
    New { id, message: "a message", at: AT, limits: Limits::BY_HAND }
}

/// `path state`, with a plus where it is staged.
pub(crate) fn dirty(snapshot: &Snapshot) -> Vec<String> {
    let name = |file: &checkpoint::DirtyFile| {
        format!("{} {}{}", file.path.display(), file.state.name(), if file.staged { "+" } else { "" })
    };
    snapshot.dirty.iter().map(name).collect()
}

fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        if metadata.is_dir() {
            walk(root, &path, found);
            continue;
        }
        let what = if metadata.is_symlink() {
            format!("-> {}", fs::read_link(&path).unwrap().display())
        } else {
            let bytes = fs::read(&path).unwrap().escape_ascii().to_string();
            format!("{}{bytes}", if metadata.permissions().mode() & 0o111 == 0 { "" } else { "x " })
        };
        found.insert(path.strip_prefix(root).unwrap().to_owned(), what);
    }
}
