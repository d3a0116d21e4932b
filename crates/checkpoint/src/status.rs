//! Reads `git status --porcelain=v2 -z --branch`: what differs from HEAD. Pure text to types.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::CheckpointError;
use crate::git::Git;

/// Submodules are looked at from outside only: git would run inside each otherwise.
const QUESTION: &[&str] = &[
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-renames",
    "--untracked-files=all",
    "--ignored=no",
    "--ignore-submodules=dirty",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    Modified,
    /// Staged, and not in HEAD.
    Added,
    Deleted,
    /// A file has become a link, or the other way round.
    Retyped,
    Conflicted,
    Untracked,
}

impl FileState {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Modified => "modified",
            Self::Added => "added",
            Self::Deleted => "deleted",
            Self::Retyped => "retyped",
            Self::Conflicted => "conflicted",
            Self::Untracked => "untracked",
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) head: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) files: Vec<StatusFile>,
    pub(crate) conflicts: Vec<Conflict>,
    /// Submodules that stand at another commit, and repositories that lie inside this one.
    pub(crate) repositories: Vec<PathBuf>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StatusFile {
    pub(crate) path: PathBuf,
    pub(crate) state: FileState,
    /// The index has it otherwise than HEAD.
    pub(crate) staged: bool,
}

/// A path of which the index has more than one version.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) path: PathBuf,
    /// Mode and name of our side's version, unless we have deleted it.
    pub(crate) ours: Option<(String, String)>,
}

pub(crate) fn ask(git: &Git) -> Result<Status, CheckpointError> {
    Ok(read(&git.run(QUESTION)?))
}

fn read(text: &[u8]) -> Status {
    let mut status = Status::default();
    for record in text.split(|byte| *byte == 0) {
        let (sort, rest) = record.split_at(record.len().min(2));
        match sort {
            b"# " => header(&mut status, rest),
            b"1 " => tracked(&mut status, rest, 7),
            b"u " => tracked(&mut status, rest, 9),
            // A folder is named only when git does not look into it: it is a repository.
            b"? " if rest.ends_with(b"/") => status.repositories.push(path(rest)),
            b"? " => {
                let state = FileState::Untracked;
                status.files.push(StatusFile { path: path(rest), state, staged: false });
            }
            // Kinds a later git may add are not ours to guess.
            _ => {}
        }
    }
    status
}

fn header(status: &mut Status, text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    match text.split_once(' ') {
        Some(("branch.oid", oid)) if oid != "(initial)" => status.head = Some(oid.to_owned()),
        Some(("branch.head", name)) if name != "(detached)" => status.branch = Some(name.to_owned()),
        _ => {}
    }
}

/// `XY sub mH mI mW hH hI path`, or `XY sub m1 m2 m3 mW h1 h2 h3 path`: so many fields, then a path with any bytes.
fn tracked(status: &mut Status, text: &[u8], fields: usize) {
    let mut parts = text.splitn(fields + 1, |byte| *byte == b' ');
    let fields: Vec<&[u8]> = parts.by_ref().take(fields).collect();
    let (Some([staged, work]), Some(rest)) = (fields.first().and_then(|xy| xy.get(..2)), parts.next()) else {
        return;
    };
    let conflicted = fields.len() > 7;
    if conflicted {
        let field = |at: usize| String::from_utf8_lossy(fields[at]).into_owned();
        let ours = (fields[3] != b"000000").then(|| (field(3), field(7)));
        status.conflicts.push(Conflict { path: path(rest), ours });
    }
    if fields[1].starts_with(b"S") {
        status.repositories.push(path(rest));
        return;
    }
    let state = match (conflicted, staged, work) {
        (true, ..) => FileState::Conflicted,
        (_, _, b'D') | (_, b'D', b'.') => FileState::Deleted,
        (_, b'A', _) | (_, _, b'A') => FileState::Added,
        (_, _, b'T') | (_, b'T', b'.') => FileState::Retyped,
        _ => FileState::Modified,
    };
    status.files.push(StatusFile { path: path(rest), state, staged: *staged != b'.' });
}

pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    Path::new(OsStr::from_bytes(bytes)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_record_is_read_and_an_unknown_one_is_passed_over() {
        let hash = "0123456789012345678901234567890123456789";
        let text = [
            format!("# branch.oid {hash}"),
            "# branch.head topic/x y".to_owned(),
            "# branch.later thing".to_owned(),
            format!("1 .M N... 100644 100644 100644 {hash} {hash} a b\nc"),
            format!("1 A. N... 000000 100644 100644 {hash} {hash} new"),
            format!("1 D. N... 100644 000000 000000 {hash} {hash} gone"),
            format!("1 .T N... 100644 100644 120000 {hash} {hash} link"),
            format!("1 .M SC.. 160000 160000 160000 {hash} {hash} module"),
            format!("u UU N... 100644 100755 100644 100644 {hash} {hash} {hash} both"),
            "? loose".to_owned(),
            "? nested/".to_owned(),
            "9 unheard of".to_owned(),
        ]
        .join("\0");
        let status = read(text.as_bytes());
        assert_eq!(status.head.as_deref(), Some(hash));
        assert_eq!(status.branch.as_deref(), Some("topic/x y"));
        let files: Vec<(&str, FileState, bool)> =
            status.files.iter().map(|file| (file.path.to_str().unwrap(), file.state, file.staged)).collect();
        assert_eq!(
            files,
            [
                ("a b\nc", FileState::Modified, false),
                ("new", FileState::Added, true),
                ("gone", FileState::Deleted, true),
                ("link", FileState::Retyped, false),
                ("both", FileState::Conflicted, true),
                ("loose", FileState::Untracked, false),
            ]
        );
        let ours = Some(("100755".to_owned(), hash.to_owned()));
        assert_eq!(status.conflicts, [Conflict { path: "both".into(), ours }]);
        assert_eq!(status.repositories, [Path::new("module"), Path::new("nested/")]);
    }

    #[test]
    fn a_detached_head_has_no_branch_and_a_new_repository_no_head() {
        let status = read(b"# branch.oid (initial)\0# branch.head (detached)\0");
        assert_eq!(status, Status::default());
    }
}
