//! Which workspaces the person trusts to have their tools run: by our own list, which only they write, or by the word they
//! gave Claude Code when it asked about the folder. Trust is of one folder: not of what is around it, and not of a
//! repository inside of it. A linked work tree has the trust of the repository that names it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::ground;

/// Our list, in the folder of our namespace.
const FILE: &str = "trusted.json";
/// A path is a few hundred bytes; more workspaces than fit into this nobody has.
const MAX_LIST: u64 = 1 << 20;
/// Claude Code keeps prompts in the same file; one that is larger is not read.
const MAX_CLAUDE: u64 = 32 << 20;
/// Workspaces on our list.
const MAX_TRUSTED: usize = 2_000;

/// Whose word it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// `throughline checks trust`.
    Person,
    /// They said so when Claude Code asked.
    Claude,
}

/// A workspace the person trusts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub root: PathBuf,
    /// Milliseconds since 1970.
    #[serde(default)]
    pub at: u64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    #[serde(default)]
    workspaces: Vec<Entry>,
}

/// Reads both lists, and again when they have changed.
#[derive(Debug)]
pub struct Trusted {
    file: PathBuf,
    read: Mutex<HashMap<PathBuf, (Stamp, Vec<PathBuf>)>>,
}

/// What tells that a file is another one now.
type Stamp = (u64, u64, i64, i64);

impl Trusted {
    /// `data` is the folder of our namespace.
    pub fn of(data: &Path) -> Self {
        Self { file: data.join(FILE), read: Mutex::default() }
    }

    /// Whether this workspace is trusted, and by whose word. `root` is a real path; `claude` are the files that Claude Code
    /// may keep its word in.
    pub fn by(&self, root: &Path, claude: &[PathBuf]) -> Option<By> {
        let is = |root: &Path| {
            if self.list(&self.file, MAX_LIST, ours).iter().any(|trusted| trusted == root) {
                return Some(By::Person);
            }
            // A workspace cannot bring the file that vouches for it.
            let outside = claude.iter().filter(|file| !file.starts_with(root));
            let mut vouched = outside.map(|file| self.list(file, MAX_CLAUDE, theirs));
            vouched.any(|list| list.iter().any(|trusted| is_same(trusted, root))).then_some(By::Claude)
        };
        is(root).or_else(|| is(&ground::main_work_tree(root)?))
    }

    /// What the person has put on our list.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        match fs::read(&self.file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
            Ok(text) => Ok(serde_json::from_slice::<List>(&text)?.workspaces),
        }
    }

    /// Puts a workspace on our list. False: it was there.
    pub fn add(&self, root: &Path, at: u64) -> io::Result<bool> {
        let mut workspaces = self.entries()?;
        if workspaces.iter().any(|entry| entry.root == root) {
            return Ok(false);
        }
        if workspaces.len() >= MAX_TRUSTED {
            return Err(io::Error::other(format!(
                "{} names {MAX_TRUSTED} workspaces already",
                self.file.display()
            )));
        }
        workspaces.push(Entry { root: root.to_owned(), at });
        self.write(workspaces).map(|()| true)
    }

    /// Takes one from it. False: it was not there.
    pub fn remove(&self, root: &Path) -> io::Result<bool> {
        let mut workspaces = self.entries()?;
        let before = workspaces.len();
        workspaces.retain(|entry| entry.root != root);
        if workspaces.len() == before {
            return Ok(false);
        }
        self.write(workspaces).map(|()| true)
    }

    /// As a whole or not at all.
    fn write(&self, workspaces: Vec<Entry>) -> io::Result<()> {
        let part = self.file.with_extension(format!("{}.part", std::process::id()));
        let written = (|| {
            let mut file =
                fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
            file.write_all(&serde_json::to_vec_pretty(&List { workspaces })?)?;
            file.write_all(b"\n")?;
            file.sync_all()?;
            fs::rename(&part, &self.file)
        })();
        if written.is_err() {
            let _ = fs::remove_file(&part);
        }
        written
    }

    fn list(&self, file: &Path, most: u64, parse: fn(&[u8]) -> Option<Vec<PathBuf>>) -> Vec<PathBuf> {
        let mut known = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(about) = fs::metadata(file) else {
            known.remove(file);
            return Vec::new();
        };
        // What somebody else may write is nobody's word.
        if !about.is_file() || about.len() > most || ground::is_of_others(&about) {
            return Vec::new();
        }
        let stamp = (about.ino(), about.len(), about.mtime(), about.mtime_nsec());
        if let Some((at, list)) = known.get(file)
            && *at == stamp
        {
            return list.clone();
        }
        let mut text = Vec::new();
        let read = fs::File::open(file).and_then(|file| file.take(most + 1).read_to_end(&mut text));
        match read.ok().filter(|read| *read as u64 <= most).and_then(|_| parse(&text)) {
            Some(list) => {
                known.insert(file.to_owned(), (stamp, list.clone()));
                list
            }
            // Half a file while its owner writes it: what was said before still holds, and it is read again.
            None => known.get(file).map(|(_, list)| list.clone()).unwrap_or_default(),
        }
    }
}

/// The files Claude Code may keep its word in: in the folder a variable of its own names, else in the home folder.
pub fn claude_files(home: Option<OsString>, named: impl IntoIterator<Item = OsString>) -> Vec<PathBuf> {
    const NAME: &str = ".claude.json";
    let folders = named.into_iter().filter(|folder| !folder.is_empty()).chain(home).map(PathBuf::from);
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in folders.filter(|folder| folder.is_absolute()) {
        let file = folder.join(NAME);
        let file = file.canonicalize().unwrap_or(file);
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

fn ours(text: &[u8]) -> Option<Vec<PathBuf>> {
    Some(serde_json::from_slice::<List>(text).ok()?.workspaces.into_iter().map(|entry| entry.root).collect())
}

fn theirs(text: &[u8]) -> Option<Vec<PathBuf>> {
    #[derive(Deserialize)]
    struct State {
        #[serde(default)]
        projects: HashMap<String, Project>,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Project {
        Known {
            #[serde(rename = "hasTrustDialogAccepted")]
            accepted: bool,
        },
        Other(IgnoredAny),
    }
    let State { projects } = serde_json::from_slice(text).ok()?;
    let accepted =
        projects.into_iter().filter(|(_, project)| matches!(project, Project::Known { accepted: true }));
    Some(accepted.map(|(folder, _)| PathBuf::from(folder)).filter(|folder| folder.is_absolute()).collect())
}

/// Claude Code writes the folder as the person came to it.
fn is_same(trusted: &Path, root: &Path) -> bool {
    trusted == root
        || trusted.file_name() == root.file_name() && trusted.canonicalize().is_ok_and(|real| real == root)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    struct House {
        _folder: tempfile::TempDir,
        root: PathBuf,
        claude: PathBuf,
        trusted: Trusted,
    }

    impl House {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let top = folder.path().canonicalize().unwrap();
            let root = top.join("code/work");
            fs::create_dir_all(root.join("inner")).unwrap();
            fs::create_dir_all(top.join("data")).unwrap();
            let trusted = Trusted::of(&top.join("data"));
            Self { _folder: folder, root, claude: top.join(".claude.json"), trusted }
        }

        fn says(&self, text: &str) {
            fs::write(&self.claude, text.replace("ROOT", self.root.to_str().unwrap())).unwrap();
        }

        fn by(&self, root: &Path) -> Option<By> {
            self.trusted.by(root, std::slice::from_ref(&self.claude))
        }
    }

    #[test]
    fn the_persons_list_counts_and_is_for_them_alone() {
        let house = House::new();
        assert_eq!(house.by(&house.root), None);
        assert!(house.trusted.add(&house.root, 7).unwrap() && !house.trusted.add(&house.root, 8).unwrap());
        assert_eq!(house.by(&house.root), Some(By::Person));
        assert_eq!(house.trusted.entries().unwrap(), [Entry { root: house.root.clone(), at: 7 }]);
        for other in [house.root.parent().unwrap(), &house.root.join("inner")] {
            assert_eq!(house.by(other), None, "{}", other.display());
        }
        let mode = fs::metadata(&house.trusted.file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::set_permissions(&house.trusted.file, fs::Permissions::from_mode(0o602)).unwrap();
        assert_eq!(house.by(&house.root), None, "anybody may have written it");
        fs::set_permissions(&house.trusted.file, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(house.trusted.remove(&house.root).unwrap() && !house.trusted.remove(&house.root).unwrap());
        assert_eq!(house.by(&house.root), None);
    }

    #[test]
    fn what_was_said_to_claude_code_counts_for_that_folder_alone() {
        let house = House::new();
        for silent in [
            "",
            "{",
            "[]",
            "null",
            r#"{"projects":7}"#,
            r#"{"projects":{"ROOT":{"hasTrustDialogAccepted":false}}}"#,
            r#"{"projects":{"ROOT":{"hasTrustDialogAccepted":"true"}}}"#,
            r#"{"projects":{"ROOT":{}}}"#,
            r#"{"projects":{"ROOT/..":{"hasTrustDialogAccepted":true}}}"#,
            r#"{"projects":{"ROOT/inner":{"hasTrustDialogAccepted":true}}}"#,
            r#"{"projects":{"work":{"hasTrustDialogAccepted":true}}}"#,
            r#"{"ROOT":{"hasTrustDialogAccepted":true}}"#,
        ] {
            house.says(silent);
            assert_eq!(house.by(&house.root), None, "{silent}");
        }
        house.says(r#"{"numStartups":3,"projects":{"/x":null,"/y":{"history":[]},"ROOT":{"hasTrustDialogAccepted":true,"z":[1]}}}"#);
        assert_eq!(house.by(&house.root), Some(By::Claude));
        assert_eq!(house.by(&house.root.join("inner")), None);
        house.says(r#"{"projects":{"ROOT":{"hasTrustDialogAcc"#);
        assert_eq!(house.by(&house.root), Some(By::Claude), "half a file takes nothing back");
        house.says("{}");
        assert_eq!(house.by(&house.root), None);
    }

    #[test]
    fn a_folder_cannot_vouch_for_itself() {
        let house = House::new();
        let text =
            format!(r#"{{"projects":{{"{}":{{"hasTrustDialogAccepted":true}}}}}}"#, house.root.display());
        let own = house.root.join("inner/.claude.json");
        fs::write(&own, text).unwrap();
        assert_eq!(house.trusted.by(&house.root, &[own]), None);
    }

    #[test]
    fn a_folder_that_was_come_to_by_a_link_is_the_same() {
        let house = House::new();
        let link = house.claude.with_file_name("link");
        std::os::unix::fs::symlink(house.root.parent().unwrap(), &link).unwrap();
        let came = link.join("work");
        fs::write(
            &house.claude,
            format!(r#"{{"projects":{{"{}":{{"hasTrustDialogAccepted":true}}}}}}"#, came.display()),
        )
        .unwrap();
        assert_eq!(house.by(&house.root), Some(By::Claude));
    }

    #[test]
    fn the_files_of_claude_code_are_where_its_variable_says_or_at_home() {
        let files = claude_files(Some("/none/h".into()), ["/none/c".into(), "".into(), "relative".into()]);
        assert_eq!(files, [PathBuf::from("/none/c/.claude.json"), "/none/h/.claude.json".into()]);
    }
}
