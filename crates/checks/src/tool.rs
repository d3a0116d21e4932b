//! What is known of a tool: a row of data and three short functions.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::finding::Finding;
pub(crate) use crate::members::Family;

#[derive(Debug)]
pub struct Tool {
    pub name: &'static str,
    /// The endings of the files it is about.
    pub endings: &'static [&'static str],
    /// How a project shows that it uses it: a file of this name, with these words in it. Any of them will do; none at
    /// all: it concerns every file of its endings.
    pub signs: &'static [(&'static str, &'static str)],
    /// The executable, in the project's own folders first.
    pub program: &'static str,
    pub home: Home,
    /// Which packages its project is one of.
    pub family: Family,
    pub scope: Scope,
    /// Whether it runs code of the project in this folder: build scripts, plugins, a configuration that is a program.
    pub runs_code: fn(&Path) -> bool,
    /// Folders, there or above, that are made when the project is built or installed: where one of them is and git does
    /// not track it, code of this project has run on this machine already.
    pub made: &'static [&'static str],
    /// How a person gets it.
    pub get: &'static str,
    /// It takes a lock that the person's own builds wait for.
    pub locks: bool,
    /// It usually answers before a hook is late.
    pub quick: bool,
    /// A run that takes longer is ended.
    pub bound: Duration,
    /// What it needs beyond its signs, in the folder it would run in, below the root.
    pub lacks: fn(&Path) -> Option<&'static str>,
    pub ask: fn(&mut Command, &Asked<'_>),
    /// `None`: it did not do its work, whatever it printed.
    pub read: fn(&Said<'_>) -> Option<Vec<Finding>>,
}

/// Where a project keeps its own copy of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    Path,
    /// `node_modules/.bin`
    Node,
    /// A virtual environment.
    Python,
    /// It is on both shelves.
    Either,
}

/// What one run is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One file; several take several runs.
    File,
    /// The files it is given.
    Files,
    /// All that belongs to its folder.
    Project,
}

/// One question to a tool.
#[derive(Debug)]
pub struct Asked<'a> {
    pub folder: &'a Path,
    /// Absolute.
    pub files: &'a [std::path::PathBuf],
    /// A folder of ours, for what makes the next run faster.
    pub cache: &'a Path,
}

/// What came of it.
#[derive(Debug)]
pub struct Said<'a> {
    pub root: &'a Path,
    pub folder: &'a Path,
    pub code: Option<i32>,
    pub output: &'a [u8],
    pub complaint: &'a [u8],
}

impl Said<'_> {
    /// A path of the tool's as one from the root of the workspace; `None` where it lies outside.
    pub fn inside(&self, path: &str) -> Option<String> {
        let path = Path::new(path.strip_prefix("./").unwrap_or(path));
        // Some tools name files from the folder they run in, some from a folder above.
        let whole = if path.is_absolute() {
            path.to_owned()
        } else {
            let from = |folder: &Path| folder.join(path);
            let above = self.folder.ancestors().take_while(|folder| folder.starts_with(self.root));
            above.map(from).find(|whole| whole.exists()).unwrap_or_else(|| from(self.folder))
        };
        let inside = match whole.strip_prefix(self.root) {
            Ok(inside) => inside.to_owned(),
            Err(_) => whole.canonicalize().ok()?.strip_prefix(self.root).ok()?.to_owned(),
        };
        inside.to_str().filter(|inside| !inside.is_empty() && !inside.starts_with("..")).map(str::to_owned)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.output).into_owned()
    }

    /// Both streams, for tools that complain on either.
    pub fn all_text(&self) -> String {
        format!("{}\n{}", self.text(), String::from_utf8_lossy(self.complaint))
    }

    pub fn json<T: serde::de::DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(self.output).ok()
    }
}

/// For tools that only read.
pub(crate) fn never(_: &Path) -> bool {
    false
}

/// For tools that cannot do without.
pub(crate) fn always(_: &Path) -> bool {
    true
}

/// For tools that need nothing more.
pub(crate) fn nothing_lacks(_: &Path) -> Option<&'static str> {
    None
}
