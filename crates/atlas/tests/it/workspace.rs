//! A workspace that lives as long as a test.

use std::fs;
use std::path::PathBuf;

use atlas::answer::{Indexed, Item};
use atlas::{Answer, Atlas, AtlasError, Question, Shelf};

pub(crate) struct Workspace {
    home: tempfile::TempDir,
}

impl Workspace {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let workspace = Self { home: tempfile::tempdir().unwrap() };
        fs::create_dir(workspace.root()).unwrap();
        for (path, text) in files {
            workspace.write(path, text);
        }
        workspace
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.home.path().join("work")
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        fs::remove_file(self.at(path)).unwrap();
    }

    /// Beside the workspace.
    pub(crate) fn home(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn shelf(&self) -> PathBuf {
        self.home("code.db")
    }

    /// A map that remembers.
    pub(crate) fn shelved(&self) -> Atlas {
        Atlas::open(&self.root(), Some(Shelf::at(&self.shelf()))).unwrap()
    }

    pub(crate) fn atlas(&self) -> Atlas {
        Atlas::open(&self.root(), None).unwrap()
    }
}

pub(crate) fn index(atlas: &mut Atlas) -> Indexed {
    match atlas.answer(&Question::Index { anew: false }).unwrap() {
        Answer::Index(indexed) => indexed,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn outline(atlas: &mut Atlas, file: &str) -> Result<Vec<Item>, AtlasError> {
    match atlas.answer(&Question::Outline { file: file.to_owned() })? {
        Answer::Outline { items, .. } => Ok(items),
        other => panic!("{other:?}"),
    }
}

/// Whether a file is on the map now.
pub(crate) fn is_mapped(atlas: &mut Atlas, file: &str) -> bool {
    index(atlas);
    atlas.library().by_path(file).is_some()
}

/// The names an outline has.
pub(crate) fn names(atlas: &mut Atlas, file: &str) -> Vec<String> {
    outline(atlas, file).unwrap().into_iter().map(|item| item.name).collect()
}

/// `file:line` of every call of a symbol in a workspace of these files.
pub(crate) fn callers(files: &[(&str, &str)], symbol: &str) -> Vec<String> {
    let question = Question::Callers { symbol: symbol.to_owned(), limit: None };
    match Workspace::new(files).atlas().answer(&question).unwrap() {
        Answer::Sites { sites, .. } => {
            sites.iter().map(|site| format!("{}:{}", site.file, site.line)).collect()
        }
        other => panic!("{other:?}"),
    }
}
