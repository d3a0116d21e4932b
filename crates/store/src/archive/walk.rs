//! Finds the transcripts an agent has left in its folder. Bounded, and no link is followed: the folder belongs
//! to somebody else.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use model::Millis;

/// A project's folder, a session's folder, its subagents' folder, and one to spare.
const MAX_DEPTH: usize = 4;
/// Years of daily work are some ten thousand.
const MAX_FILES: usize = 200_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptFile {
    pub path: PathBuf,
    pub bytes: u64,
    pub modified: Millis,
    /// The folder below the agent's that it is in: the agent's name of a project.
    pub project: String,
}

/// Every `.jsonl` file below `folder` but those directly in it, oldest first. What cannot be read is left out.
pub fn find_transcripts(folder: &Path) -> Vec<TranscriptFile> {
    let mut found = Vec::new();
    for (path, kind) in entries(folder) {
        if kind.is_dir()
            && let Some(project) = path.file_name().map(|name| name.to_string_lossy().into_owned())
        {
            walk(&path, &project, 1, &mut found);
        }
    }
    found.sort_by(|one, other| (one.modified, &one.path).cmp(&(other.modified, &other.path)));
    found
}

fn walk(folder: &Path, project: &str, depth: usize, found: &mut Vec<TranscriptFile>) {
    for (path, kind) in entries(folder) {
        if found.len() == MAX_FILES {
            return;
        }
        if kind.is_dir() && depth < MAX_DEPTH {
            walk(&path, project, depth + 1, found);
        } else if kind.is_file()
            && path.extension().is_some_and(|extension| extension == "jsonl")
            && let Ok(metadata) = fs::symlink_metadata(&path)
        {
            let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            found.push(TranscriptFile {
                path,
                bytes: metadata.len(),
                modified: modified.map_or(0, |time| time.as_millis() as Millis),
                project: project.to_owned(),
            });
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = (PathBuf, fs::FileType)> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| {
        let entry = entry.ok()?;
        Some((entry.path(), entry.file_type().ok()?))
    })
}
