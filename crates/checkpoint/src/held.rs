//! What is kept: the refs, and how a snapshot's commit is read again. Deletes refs when told to, nothing else.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::CheckpointError;
use crate::git::Git;
use crate::repository::Repository;
use crate::status;

/// Shared by all work trees, not fetched, and pushed only by `git push --mirror`.
pub const REFERENCES: &str = "refs/throughline/checkpoints/";
/// An id is typed by people and stands in a ref.
const MAX_ID: usize = 64;
/// Begins the ids of those nobody asked for: git alone tells them apart.
pub const AUTOMATIC: &str = "auto-";
/// Begins what is ours to read in a commit's message; the number rises when its meaning changes.
const MARK: &str = "throughline-checkpoint 1";

/// A ref of ours, as the list has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    pub reference: String,
    pub commit: String,
    /// Unix seconds.
    pub at: u64,
    /// The first line of its message.
    pub title: String,
}

impl Entry {
    /// Made in passing, not because somebody asked.
    pub fn is_automatic(&self) -> bool {
        self.id.starts_with(AUTOMATIC)
    }
}

/// What a snapshot changed over the commit it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub id: String,
    pub reference: String,
    pub commit: String,
    pub head: Option<String>,
    pub branch: Option<String>,
    pub files: Vec<FileStat>,
    /// Files that were too large, unreadable, or otherwise not taken in.
    pub skipped: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStat {
    pub path: PathBuf,
    /// Lines; `None` where the file is not text.
    pub lines: Option<(u64, u64)>,
}

/// A snapshot's commit, taken apart.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) commit: String,
    pub(crate) tree: String,
    pub(crate) index: String,
    pub(crate) head: Option<String>,
    pub(crate) trailer: Trailer,
}

/// What the objects themselves do not say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Trailer {
    pub(crate) branch: Option<String>,
    pub(crate) skipped: Vec<PathBuf>,
}

impl Repository {
    /// Newest first.
    pub fn list(&self) -> Result<Vec<Entry>, CheckpointError> {
        let format = "--format=%(objectname) %(committerdate:unix) %(refname) %(contents:subject)";
        let text = self.git().run(&["for-each-ref", "--sort=-refname", format, REFERENCES])?;
        let text = String::from_utf8_lossy(&text);
        let mut entries: Vec<Entry> = text.lines().filter_map(entry).collect();
        // Stable: within one second, ids that sort by time decide.
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.at));
        Ok(entries)
    }

    /// What it holds.
    pub fn show(&self, id: &str) -> Result<Shown, CheckpointError> {
        let git = self.git();
        let held = find(&git, id)?;
        let base = base(&git, &held)?;
        let stat = ["diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv"];
        let text = git.run(&[&stat[..], &[base.as_str(), held.tree.as_str()]].concat())?;
        Ok(Shown {
            id: id.to_owned(),
            reference: reference(id)?,
            commit: held.commit,
            head: held.head,
            branch: held.trailer.branch,
            files: text.split(|byte| *byte == 0).filter_map(file_stat).collect(),
            skipped: held.trailer.skipped,
        })
    }

    /// Takes the ref away; git collects the objects when it likes. False: there was none.
    pub fn drop(&self, id: &str) -> Result<bool, CheckpointError> {
        let git = self.git();
        match find(&git, id) {
            Ok(held) => {
                git.run(&["update-ref", "-d", &reference(id)?, &held.commit])?;
                Ok(true)
            }
            Err(CheckpointError::Unknown(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Keeps the newest; the ids of those that went. `spared` is among those that stay: a commit's time is a second,
    /// and the one that was just made must not lose against another of the same. Those that were asked for and the
    /// automatic ones do not push each other out: only those of its sort go.
    pub fn retain(&self, keep_last: usize, spared: &str) -> Result<Vec<String>, CheckpointError> {
        let is_automatic = spared.starts_with(AUTOMATIC);
        let alike = self.list()?.into_iter().filter(|entry| entry.is_automatic() == is_automatic);
        let (stays, mut others): (Vec<Entry>, Vec<Entry>) = alike.partition(|entry| entry.id == spared);
        let doomed = others.split_off(keep_last.saturating_sub(stays.len()).min(others.len()));
        if doomed.is_empty() {
            return Ok(Vec::new());
        }
        // With the old value, so that none goes that was made anew meanwhile; all of them or none.
        let lines = doomed.iter().map(|entry| format!("delete {}\0{}\0", entry.reference, entry.commit));
        self.git().feed(&["update-ref", "-z", "--stdin"], lines.collect::<String>().as_bytes())?;
        Ok(doomed.into_iter().map(|entry| entry.id).collect())
    }
}

pub(crate) fn find(git: &Git, id: &str) -> Result<Held, CheckpointError> {
    let reference = reference(id)?;
    let unknown = || CheckpointError::Unknown(id.to_owned());
    let found = git.tell(&["rev-parse", "--verify", "--quiet", &format!("{reference}^{{commit}}")], b"")?;
    if !found.status.success() {
        return Err(unknown());
    }
    let commit = String::from_utf8_lossy(&found.output).trim().to_owned();
    let text = git.run(&["cat-file", "commit", &commit])?;
    parse(commit, &String::from_utf8_lossy(&text)).ok_or_else(unknown)
}

/// The tree a snapshot's changes are counted from: nothing, where nothing was committed.
pub(crate) fn base(git: &Git, held: &Held) -> Result<String, CheckpointError> {
    match &held.head {
        Some(head) => git.hash(&["rev-parse", "--verify", &format!("{head}^{{tree}}")], b""),
        None => git.hash(&["mktree"], b""),
    }
}

/// The ref of an id that may stand in one.
pub(crate) fn reference(id: &str) -> Result<String, CheckpointError> {
    let fits = (1..=MAX_ID).contains(&id.len()) && !id.starts_with('-');
    if fits && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        Ok(format!("{REFERENCES}{id}"))
    } else {
        Err(CheckpointError::BadId(id.chars().take(MAX_ID).collect()))
    }
}

fn entry(line: &str) -> Option<Entry> {
    let mut words = line.splitn(4, ' ');
    let (commit, at, reference) = (words.next()?, words.next()?, words.next()?);
    let id = reference.strip_prefix(REFERENCES)?.to_owned();
    let title = words.next().unwrap_or_default();
    let title = title.strip_prefix(&format!("checkpoint {id}: ")).unwrap_or(title).to_owned();
    Some(Entry {
        id,
        reference: reference.to_owned(),
        commit: commit.to_owned(),
        at: at.parse().ok()?,
        title,
    })
}

/// `added TAB deleted TAB path`, with hyphens for what has no lines.
fn file_stat(record: &[u8]) -> Option<FileStat> {
    let mut parts = record.splitn(3, |byte| *byte == b'\t');
    let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
    let lines = (number(), number());
    let path = status::path(parts.next()?);
    Some(FileStat { path, lines: lines.0.zip(lines.1) })
}

fn parse(commit: String, text: &str) -> Option<Held> {
    let (headers, message) = text.split_once("\n\n")?;
    let values = |name: &str| {
        let lines = headers.lines().filter_map(move |line| line.strip_prefix(name)?.strip_prefix(' '));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut parents = values("parent");
    // The index is always there, and last.
    let index = parents.pop()?;
    let trailer = Trailer::read(message)?;
    Some(Held { commit, tree: values("tree").pop()?, index, head: parents.into_iter().next(), trailer })
}

impl Trailer {
    pub(crate) fn text(&self) -> String {
        let branch = self.branch.iter().map(|name| format!("branch {}\n", encode(name.as_bytes())));
        let skipped = self.skipped.iter();
        let skipped = skipped.map(|path| format!("skipped {}\n", encode(path.as_os_str().as_bytes())));
        format!("{MARK}\n{}", branch.chain(skipped).collect::<String>())
    }

    /// The last mark counts: what a person wrote stands before it.
    fn read(message: &str) -> Option<Self> {
        let (_, lines) = message.rsplit_once(&format!("\n{MARK}\n"))?;
        let mut trailer = Self::default();
        for (name, value) in lines.lines().filter_map(|line| line.split_once(' ')) {
            match name {
                "branch" => trailer.branch = Some(String::from_utf8_lossy(&decode(value)).into_owned()),
                "skipped" => trailer.skipped.push(status::path(&decode(value))),
                _ => {}
            }
        }
        Some(trailer)
    }
}

/// Percent signs before whatever is not plain: a path may hold a line's end, or be no text at all.
fn encode(bytes: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        b'%' | 0..=b' ' | 0x7f.. => format!("%{byte:02X}"),
        plain => char::from(*plain).to_string(),
    };
    bytes.iter().map(one).collect()
}

fn decode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| first == b'%');
        let code = code.and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        bytes.push(code.unwrap_or(first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_trailer_comes_back_with_any_bytes_and_behind_any_message() {
        let odd = Path::new(OsStr::from_bytes(b"a %41\n\xff\xc3\xa9")).to_owned();
        let trailer = Trailer { branch: Some("topic/é x".to_owned()), skipped: vec![odd, "plain".into()] };
        let text = trailer.text();
        assert!(text.is_ascii());
        let message = format!("checkpoint x: words\n{MARK}\nskipped this is a person's\n\n{text}");
        assert_eq!(Trailer::read(&message), Some(trailer));
    }

    #[test]
    fn an_id_that_could_lead_out_of_its_folder_is_none() {
        assert!(reference("0k3v-7m2n").is_ok());
        for id in ["", "a/b", "..", "-d", "a b", "é", &"a".repeat(65), "a.lock", "x\n"] {
            assert!(matches!(reference(id), Err(CheckpointError::BadId(_))), "{id:?}");
        }
    }

    #[test]
    fn a_commit_that_is_not_ours_is_no_snapshot() {
        let text = "tree 1\nparent 2\nauthor x\n\nsome merge\n";
        assert!(parse("0".to_owned(), text).is_none());
    }
}
