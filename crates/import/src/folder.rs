//! Finds the notes in a folder and reads them, within bounds. Links are never followed: they could lead out of
//! the folder a person has named. Knows nothing of what a note says.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use model::Millis;

use crate::{Effect, Problem};

/// Vaults are a few levels deep.
const MAX_DEPTH: usize = 16;
/// The largest vaults have tens of thousands of notes.
const MAX_NOTES: usize = 100_000;
/// Whatever lies beside the notes is looked at, too.
const MAX_ENTRIES: usize = 1_000_000;
/// A note is a page; one larger than this was generated, and its beginning is kept.
const MAX_NOTE_BYTES: u64 = 8 << 20;
/// Folders of tools, full of other people's Markdown.
const NOT_NOTES: &[&str] = &["node_modules", "target", "__pycache__"];

pub(crate) struct Folder {
    /// A real path.
    pub(crate) root: PathBuf,
    /// Relative to it, in order.
    pub(crate) notes: Vec<PathBuf>,
    pub(crate) problems: Vec<Problem>,
}

pub(crate) struct Note {
    /// Relative to the folder, with slashes.
    pub(crate) name: String,
    /// The file's name without its ending.
    pub(crate) stem: String,
    /// Where it lies.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) modified: Option<Millis>,
    pub(crate) is_cut: bool,
}

impl Folder {
    /// All Markdown files below a folder, or the one file that was named.
    pub(crate) fn open(path: &Path) -> Result<Self, Problem> {
        let stopped = |what: String| Problem::new(Effect::Stopped, path.display().to_string(), what);
        let root = fs::canonicalize(path).map_err(|error| stopped(format!("cannot be opened: {error}")))?;
        let mut folder = Self { root, notes: Vec::new(), problems: Vec::new() };
        if folder.root.is_file() {
            let name = folder.root.file_name().map(PathBuf::from).unwrap_or_default();
            folder.root.pop();
            folder.notes.push(name);
            return Ok(folder);
        }
        fs::read_dir(&folder.root).map_err(|error| stopped(format!("cannot be read: {error}")))?;
        folder.walk();
        folder.notes.sort();
        Ok(folder)
    }

    fn walk(&mut self) {
        let mut entries = 0;
        let mut open = vec![(PathBuf::new(), 0)];
        while let Some((folder, depth)) = open.pop() {
            let listing = match fs::read_dir(self.root.join(&folder)) {
                Ok(listing) => listing,
                Err(error) => {
                    self.note_problem(Effect::Lost, &folder, format!("cannot be read: {error}"));
                    continue;
                }
            };
            for entry in listing.filter_map(Result::ok) {
                entries += 1;
                if entries > MAX_ENTRIES || self.notes.len() >= MAX_NOTES {
                    let what = "holds more than is read at once; import its folders one by one";
                    self.note_problem(Effect::Stopped, &folder, what.to_owned());
                    return;
                }
                let name = entry.file_name();
                let path = folder.join(&name);
                let shown = name.to_string_lossy();
                let Ok(kind) = entry.file_type() else { continue };
                if shown.starts_with('.') || kind.is_dir() && NOT_NOTES.contains(&shown.as_ref()) {
                    continue;
                }
                if kind.is_dir() && depth < MAX_DEPTH {
                    open.push((path, depth + 1));
                } else if kind.is_dir() {
                    self.note_problem(Effect::LeftOut, &path, "lies too deep".to_owned());
                } else if is_markdown(&path) && kind.is_symlink() {
                    self.note_problem(Effect::LeftOut, &path, "is a link; links are not followed".to_owned());
                } else if is_markdown(&path) && kind.is_file() {
                    self.notes.push(path);
                }
            }
        }
    }

    fn note_problem(&mut self, effect: Effect, path: &Path, what: String) {
        if self.problems.len() < MAX_NOTES {
            self.problems.push(Problem::new(effect, self.root.join(path).display().to_string(), what));
        }
    }
}

/// Reads one note, with whatever is no UTF-8 replaced.
pub(crate) fn read(root: &Path, relative: &Path) -> Result<Note, Problem> {
    let path = root.join(relative);
    let problem = |effect, what: String| Problem::new(effect, path.display().to_string(), what);
    let lost = |error: std::io::Error| problem(Effect::Lost, format!("cannot be read: {error}"));
    // Asked again, because it may have become something else since it was found.
    if !fs::symlink_metadata(&path).map_err(lost)?.is_file() {
        return Err(problem(Effect::LeftOut, "is no longer a file".to_owned()));
    }
    let file = File::open(&path).map_err(lost)?;
    let about = file.metadata().map_err(lost)?;
    let mut bytes = Vec::new();
    file.take(MAX_NOTE_BYTES).read_to_end(&mut bytes).map_err(lost)?;
    if bytes.contains(&0) {
        return Err(problem(Effect::LeftOut, "is not text".to_owned()));
    }
    let modified = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let text = |part: &std::ffi::OsStr| part.to_string_lossy().into_owned();
    Ok(Note {
        name: relative.components().map(|part| text(part.as_os_str())).collect::<Vec<_>>().join("/"),
        stem: relative.file_stem().map(text).unwrap_or_default(),
        path: path.display().to_string(),
        is_cut: about.len() > MAX_NOTE_BYTES,
        text: String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        modified: modified.map(|since| since.as_millis() as Millis),
    })
}

fn is_markdown(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("md") || ending.eq_ignore_ascii_case("markdown"))
}
