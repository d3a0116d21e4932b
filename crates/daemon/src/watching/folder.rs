//! Finds the conversations an agent keeps in its folder, a bounded number of entries at a time: the folder belongs to
//! somebody else, may hold years of files, and may change while we look. No link is followed.

use std::fs::{self, ReadDir};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use agents::transcript::{Conversations, Growth};

/// A year's, a month's, a day's folder, a session's, its subagents', and one to spare.
const MAX_DEPTH: usize = 6;
/// Years of daily work are some ten thousand.
const MAX_FILES: usize = 200_000;
/// The folders in which something new is likely: those that changed last.
const MAX_RECENT: usize = 64;

/// A conversation's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    pub path: PathBuf,
    /// Below the agent's folder, separated by `/`.
    pub relative: String,
    pub bytes: u64,
    pub modified: SystemTime,
}

/// Every conversation below `folder`, oldest first. What cannot be read is left out.
pub fn find_conversations(folder: &Path, conversations: &dyn Conversations) -> Vec<Conversation> {
    let mut walk = Walk::new(folder);
    let mut found = Vec::new();
    while !walk.is_done() && found.len() < MAX_FILES {
        found.extend(
            walk.step(conversations, MAX_FILES)
                .0
                .into_iter()
                .flat_map(|file| one_by_one(file, conversations)),
        );
    }
    found.truncate(MAX_FILES);
    found.sort_by(|one, other| (one.modified, &one.path).cmp(&(other.modified, &other.path)));
    found
}

/// One way through a folder, taken in steps.
#[derive(Debug)]
pub(super) struct Walk {
    root: PathBuf,
    /// The folder that is being read, below those that it is in.
    open: Vec<ReadDir>,
    begun: bool,
}

impl Walk {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), open: Vec::new(), begun: false }
    }

    /// The files and the folders among the next `entries`.
    pub(super) fn step(
        &mut self,
        conversations: &dyn Conversations,
        entries: usize,
    ) -> (Vec<Conversation>, Vec<PathBuf>) {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        if !self.begun {
            self.begun = true;
            folders.push(self.root.clone());
            self.open.extend(fs::read_dir(&self.root));
        }
        let mut left = entries;
        while let Some(reading) = self.open.last_mut() {
            if left == 0 {
                break;
            }
            left -= 1;
            let Some(entry) = reading.next() else {
                self.open.pop();
                continue;
            };
            let Ok(entry) = entry else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && self.open.len() < MAX_DEPTH {
                folders.push(entry.path());
                self.open.extend(fs::read_dir(entry.path()));
            } else if kind.is_file() {
                files.extend(conversation(&self.root, &entry.path(), conversations));
            }
        }
        (files, folders)
    }

    pub(super) fn is_done(&self) -> bool {
        self.begun && self.open.is_empty()
    }
}

/// Those in a database; any other file is one. A database that cannot be read has none.
fn one_by_one(file: Conversation, conversations: &dyn Conversations) -> Vec<Conversation> {
    let is_database = file.path.extension().is_some_and(|end| end == "db");
    if !is_database || conversations.growth(&file.relative) != Growth::Gathered {
        return vec![file];
    }
    let sessions = store::opencode_sessions(&file.path).unwrap_or_default();
    let named = |session: store::OpenCodeSession| {
        let id = session.path.file_name()?.to_str()?.to_owned();
        let relative = format!("{}/{id}", file.relative);
        Some(Conversation { path: session.path, relative, bytes: session.bytes, modified: session.modified })
    };
    sessions.into_iter().filter_map(named).collect()
}

/// The conversation at `path`, if it is one.
fn conversation(root: &Path, path: &Path, conversations: &dyn Conversations) -> Option<Conversation> {
    let relative = path.strip_prefix(root).ok()?.to_str()?.to_owned();
    if !conversations.is_one(&relative) {
        return None;
    }
    let metadata = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    let modified = metadata.modified().ok()?;
    Some(Conversation { path: path.to_owned(), relative, bytes: metadata.len(), modified })
}

/// Folders that changed lately. A new file changes its folder's time: one look at each of these finds it at once,
/// however many files there are elsewhere.
#[derive(Debug, Default)]
pub(super) struct Recent {
    folders: Vec<(PathBuf, SystemTime)>,
}

impl Recent {
    pub(super) fn note(&mut self, folders: Vec<PathBuf>) {
        for path in folders {
            let Some(modified) = modified(&path) else { continue };
            if !self.folders.iter().any(|(known, _)| *known == path) {
                self.folders.push((path, modified));
            }
        }
        self.folders.sort_by_key(|(_, modified)| std::cmp::Reverse(*modified));
        self.folders.truncate(MAX_RECENT);
    }

    /// The conversations in those that changed since the last look, and in folders that are new there.
    pub(super) fn look(
        &mut self,
        root: &Path,
        conversations: &dyn Conversations,
        entries: usize,
    ) -> Vec<Conversation> {
        let mut changed = Vec::new();
        self.folders.retain_mut(|(path, known)| {
            let Some(modified) = modified(path) else { return false };
            if modified != *known {
                *known = modified;
                changed.push(path.clone());
            }
            true
        });
        let mut found = Vec::new();
        for path in changed {
            for entry in fs::read_dir(&path).into_iter().flatten().flatten().take(entries) {
                let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
                if kind.is_file() {
                    found.extend(conversation(root, &path, conversations));
                } else if kind.is_dir() && self.is_fresh(&path) {
                    let mut walk = Walk { root: root.to_owned(), open: Vec::new(), begun: true };
                    walk.open.extend(fs::read_dir(&path));
                    let (files, mut folders) = walk.step(conversations, entries);
                    found.extend(files);
                    folders.push(path);
                    self.note(folders);
                }
            }
        }
        found
    }

    /// A folder that was not there a moment ago. Older ones are the walk's business.
    fn is_fresh(&self, path: &Path) -> bool {
        const YOUNG: Duration = Duration::from_mins(10);
        !self.folders.iter().any(|(known, _)| known == path)
            && modified(path).and_then(|at| at.elapsed().ok()).is_none_or(|age| age < YOUNG)
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    let metadata = fs::symlink_metadata(path).ok()?;
    metadata.is_dir().then(|| metadata.modified().ok())?
}

#[cfg(test)]
mod tests {
    use agents::Adapter;

    use super::*;

    fn codex() -> &'static dyn Conversations {
        agents::Codex.conversations().unwrap()
    }

    fn write(root: &Path, relative: &str) {
        let path = root.join(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "{}\n").unwrap();
    }

    fn names(found: &[Conversation]) -> Vec<&str> {
        let mut names: Vec<&str> = found.iter().map(|found| found.relative.as_str()).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn conversations_are_found_in_steps_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for number in 0..50 {
            write(root, &format!("2026/01/{number:02}/rollout-{number:02}.jsonl"));
            write(root, &format!("2026/01/{number:02}/notes.txt"));
        }
        write(root, "1/2/3/4/5/6/7/rollout-too-deep.jsonl");
        let outside = tempfile::tempdir().unwrap();
        write(outside.path(), "rollout-outside.jsonl");
        std::os::unix::fs::symlink(outside.path(), root.join("link")).unwrap();
        std::os::unix::fs::symlink(
            outside.path().join("rollout-outside.jsonl"),
            root.join("rollout-link.jsonl"),
        )
        .unwrap();

        let (mut walk, mut found, mut steps) = (Walk::new(root), Vec::new(), 0);
        while !walk.is_done() {
            let (files, _) = walk.step(codex(), 10);
            assert!(files.len() <= 10);
            found.extend(files);
            steps += 1;
        }
        assert!(steps > 10);
        assert_eq!(found.len(), 50);
        assert_eq!(names(&found)[49], "2026/01/49/rollout-49.jsonl");
        assert_eq!(names(&find_conversations(root, codex())), names(&found));
        assert_eq!(find_conversations(&root.join("nowhere"), codex()), []);
    }

    #[test]
    fn a_new_conversation_in_a_new_folder_is_found_without_walking_through_all() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "2026/01/01/rollout-old.jsonl");
        let (mut walk, mut recent) = (Walk::new(root), Recent::default());
        recent.note(walk.step(codex(), 1_000).1);
        assert_eq!(recent.look(root, codex(), 1_000), []);
        // As if a moment had passed: a folder's time may be no finer than that.
        for (_, modified) in &mut recent.folders {
            *modified -= Duration::from_secs(5);
        }
        write(root, "2026/02/03/rollout-new.jsonl");
        let found = recent.look(root, codex(), 1_000);
        assert!(names(&found).contains(&"2026/02/03/rollout-new.jsonl"));
        assert!(recent.folders.iter().any(|(path, _)| path.ends_with("2026/02/03")));
    }
}
