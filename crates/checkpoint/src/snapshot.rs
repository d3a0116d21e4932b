//! Makes a snapshot: the work tree as it lies there, in an index of our own, as a commit under a ref of ours. The
//! person's index, stash, reflog and files are read and never written.

use std::fs::{self, File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use model::Millis;

use crate::CheckpointError;
use crate::git::Git;
use crate::held::{self, Trailer};
use crate::repository::{Operation, Repository};
use crate::scratch::Scratch;
use crate::status::{self, FileState, Status};

/// One file: past this it is a recording or a dump, and belongs elsewhere than in git's objects.
pub const MAX_FILE: u64 = 50 << 20;
/// All files of one snapshot together: about half a minute of compressing.
pub const MAX_TOTAL: u64 = 1 << 30;
/// So many files changed at once are a folder that somebody forgot to ignore. More are refused as a whole: which of
/// them were left out would not fit beside those that were not.
pub const MAX_FILES: usize = 50_000;
/// A message is a line or a paragraph.
const MAX_MESSAGE: usize = 8192;

/// What a snapshot is to be called.
#[derive(Debug, Clone, Copy)]
pub struct New<'a> {
    pub id: &'a str,
    pub message: &'a str,
    pub at: Millis,
    pub limits: Limits,
}

/// How much one snapshot takes in; what is larger is left out and named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub file: u64,
    pub total: u64,
}

impl Limits {
    /// A person waits for it, and means all of it.
    pub const BY_HAND: Self = Self { file: MAX_FILE, total: MAX_TOTAL };
    /// Nobody asked for this one in particular: a few seconds of compressing, and no dumps.
    pub const AUTOMATIC: Self = Self { file: 5 << 20, total: 100 << 20 };
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub id: String,
    /// `None`: nothing was committed yet.
    pub head: Option<String>,
    /// `None`: HEAD is detached.
    pub branch: Option<String>,
    pub reference: String,
    pub commit: String,
    pub dirty: Vec<DirtyFile>,
    pub skipped: Vec<Skipped>,
    /// Submodules and repositories inside this one. They are left alone.
    pub repositories: Vec<PathBuf>,
    pub in_progress: Option<Operation>,
}

/// A file that differs from HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirtyFile {
    pub path: PathBuf,
    pub state: FileState,
    /// The index has it otherwise than HEAD.
    pub staged: bool,
}

/// A changed file that is not in the snapshot as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub path: PathBuf,
    pub why: WhySkipped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhySkipped {
    TooLarge,
    /// The snapshot was full.
    NoRoom,
    Unreadable,
    /// A pipe, a socket, a device.
    Special,
}

impl WhySkipped {
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooLarge => "too large",
            Self::NoRoom => "no room was left",
            Self::Unreadable => "not readable",
            Self::Special => "not a file",
        }
    }
}

/// The present state as objects of the repository, under no name yet.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) head: Option<String>,
    pub(crate) branch: Option<String>,
    /// All files as they lie there.
    pub(crate) tree: String,
    /// All files as the index has them; ours, where two sides are in conflict.
    pub(crate) index_tree: String,
    pub(crate) dirty: Vec<DirtyFile>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) repositories: Vec<PathBuf>,
}

impl Repository {
    /// Keeps the work tree as it is now.
    pub fn create(&self, new: &New<'_>) -> Result<Snapshot, CheckpointError> {
        held::reference(new.id)?;
        let git = self.git();
        let survey = self.survey(&git, &[], new.limits)?;
        self.keep(&git, survey, new)
    }

    /// `also` are files that git ignores and that must be in it all the same.
    pub(crate) fn survey(
        &self,
        git: &Git,
        also: &[PathBuf],
        limits: Limits,
    ) -> Result<Survey, CheckpointError> {
        let scratch = Scratch::inside(&self.git_dir)?;
        scratch.copy_index(&self.index())?;
        let git = git.with_index(&scratch.index());
        let status = status::ask(&git)?;
        if status.files.len() > MAX_FILES {
            return Err(CheckpointError::TooMany(status.files.len()));
        }
        settle_conflicts(&git, &status)?;
        let index_tree = git.hash(&["write-tree"], b"")?;
        let changes = self.choose(&status, also, limits);
        // First what is gone: a folder may lie now where a file was.
        if !changes.gone.is_empty() {
            git.feed(&["update-index", "-z", "--force-remove", "--stdin"], &list(&changes.gone))?;
        }
        if !changes.there.is_empty() {
            let add = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
            git.feed(&add, &list(&changes.there))?;
        }
        let tree = git.hash(&["write-tree"], b"")?;
        let mut repositories = self.submodules(&git)?;
        repositories.extend(status.repositories);
        repositories.sort();
        repositories.dedup();
        let dirty = status.files.into_iter();
        let dirty = dirty.map(|file| DirtyFile { path: file.path, state: file.state, staged: file.staged });
        Ok(Survey {
            head: status.head,
            branch: status.branch,
            tree,
            index_tree,
            dirty: dirty.collect(),
            skipped: changes.skipped,
            repositories,
        })
    }

    /// Gives a survey its commits and its name.
    pub(crate) fn keep(&self, git: &Git, survey: Survey, new: &New<'_>) -> Result<Snapshot, CheckpointError> {
        let reference = held::reference(new.id)?;
        let git = git.at(new.at / 1000);
        let on_head: Vec<&str> = survey.head.iter().flat_map(|head| ["-p", head]).collect();
        let mut index = vec!["commit-tree", "--no-gpg-sign", survey.index_tree.as_str()];
        index.extend(&on_head);
        let index = git.hash(&index, format!("index of checkpoint {}\n", new.id).as_bytes())?;
        let mut files = vec!["commit-tree", "--no-gpg-sign", survey.tree.as_str()];
        files.extend(&on_head);
        files.extend(["-p", &index]);
        let commit = git.hash(&files, &message(new, &survey))?;
        // An empty old value: it must not be there yet.
        git.run(&["update-ref", "-m", "checkpoint", &reference, &commit, ""])?;
        Ok(Snapshot {
            id: new.id.to_owned(),
            head: survey.head,
            branch: survey.branch,
            reference,
            commit,
            dirty: survey.dirty,
            skipped: survey.skipped,
            repositories: survey.repositories,
            in_progress: self.in_progress(),
        })
    }

    fn choose(&self, status: &Status, also: &[PathBuf], limits: Limits) -> Changes {
        let mut changes = Changes::default();
        let mut room = limits.total;
        let changed = status.files.iter().map(|file| file.path.as_path());
        for path in changed.chain(also.iter().map(PathBuf::as_path)) {
            let found = fs::symlink_metadata(self.on_disk(path)).ok().filter(|_| self.is_plain(path));
            let Some(metadata) = found else {
                // Also where a folder or a link has taken its place: what lies there is listed by itself.
                changes.gone.push(path.to_owned());
                continue;
            };
            if let Some(why) = refusal(&self.on_disk(path), &metadata, limits.file, room) {
                changes.skipped.push(Skipped { path: path.to_owned(), why });
            } else {
                room -= metadata.len();
                changes.there.push(path.to_owned());
            }
        }
        changes
    }

    /// Those the tree says it has, whether or not anything in them has changed.
    fn submodules(&self, git: &Git) -> Result<Vec<PathBuf>, CheckpointError> {
        if !self.top.join(".gitmodules").is_file() {
            return Ok(Vec::new());
        }
        let question = ["config", "--file", ".gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$"];
        let finished = git.tell(&question, b"")?;
        // `submodule.NAME.path\nPATH\0`. A file that names none, or is damaged, leaves nothing to say.
        let records = finished.output.split(|byte| *byte == 0);
        let paths = records.filter_map(|record| {
            let at = record.iter().position(|byte| *byte == b'\n')?;
            Some(status::path(&record[at + 1..]))
        });
        Ok(paths.collect())
    }
}

#[derive(Debug, Default)]
struct Changes {
    there: Vec<PathBuf>,
    gone: Vec<PathBuf>,
    skipped: Vec<Skipped>,
}

fn refusal(path: &Path, metadata: &Metadata, most: u64, room: u64) -> Option<WhySkipped> {
    let size = metadata.len();
    if !metadata.is_file() && !metadata.is_symlink() {
        Some(WhySkipped::Special)
    } else if size > most {
        Some(WhySkipped::TooLarge)
    } else if size > room {
        Some(WhySkipped::NoRoom)
    } else {
        (metadata.is_file() && File::open(path).is_err()).then_some(WhySkipped::Unreadable)
    }
}

/// No tree can hold two sides. The index keeps ours; what lies in the work tree, markers and all, is in the files.
fn settle_conflicts(git: &Git, status: &Status) -> Result<(), CheckpointError> {
    let mut input = Vec::new();
    for file in &status.conflicts {
        let path = file.path.as_os_str().as_bytes();
        let mut line = |mode: &str, hash: &str| {
            input.extend_from_slice(format!("{mode} {hash}\t").as_bytes());
            input.extend_from_slice(path);
            input.push(0);
        };
        let width = status.head.as_ref().map_or(40, String::len);
        line("0", &"0".repeat(width));
        if let Some((mode, hash)) = &file.ours {
            line(mode, hash);
        }
    }
    if !input.is_empty() {
        git.feed(&["update-index", "-z", "--index-info"], &input)?;
    }
    Ok(())
}

fn message(new: &New<'_>, survey: &Survey) -> Vec<u8> {
    let words: String = new.message.chars().filter(|char| *char != '\0').take(MAX_MESSAGE).collect();
    let words = words.trim();
    let title = if words.is_empty() { "without a message" } else { words };
    let trailer = Trailer {
        branch: survey.branch.clone(),
        skipped: survey.skipped.iter().map(|skipped| skipped.path.clone()).collect(),
    };
    format!("checkpoint {}: {title}\n\n{}", new.id, trailer.text()).into_bytes()
}

/// As git reads paths: any bytes, each with a zero behind it.
pub(crate) fn list(paths: &[PathBuf]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for path in paths {
        bytes.extend_from_slice(path.as_os_str().as_bytes());
        bytes.push(0);
    }
    bytes
}
