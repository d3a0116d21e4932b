//! What all notes have in common, whichever tool wrote them: how they are read one after the other, what tells
//! them apart, which kind and project they are of.

use std::collections::VecDeque;
use std::path::PathBuf;

use model::{Memory, MemoryKind};

use crate::folder::{self, Folder, Note};
use crate::front_matter::FrontMatter;
use crate::{Effect, Item, Options, Problem, Reader, shape};

/// What one note gives.
type Memories = fn(&Note, &Options) -> Vec<Item>;

/// The problems of the folder first, then every note in order.
pub(crate) fn read(folder: Folder, also: Vec<Problem>, options: &Options, memories: Memories) -> Reader {
    let Folder { root, notes, problems } = folder;
    let waiting: VecDeque<Item> = problems.into_iter().chain(also).map(Err).collect();
    let estimate = (notes.len() + waiting.len()) as u64;
    Reader::new(
        estimate,
        Notes { root, left: notes.into_iter(), options: options.clone(), memories, waiting },
    )
}

struct Notes {
    root: PathBuf,
    left: std::vec::IntoIter<PathBuf>,
    options: Options,
    memories: Memories,
    /// What is still to be given of the last note.
    waiting: VecDeque<Item>,
}

impl Iterator for Notes {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.waiting.pop_front() {
                return Some(item);
            }
            match folder::read(&self.root, &self.left.next()?) {
                Ok(note) => self.waiting.extend((self.memories)(&note, &self.options)),
                Err(problem) => return Some(Err(problem)),
            }
        }
    }
}

impl Note {
    pub(crate) fn shortened(&self) -> Problem {
        Problem::new(
            Effect::Shortened,
            &self.path,
            "is longer than the 64 KB of a memory; its beginning is kept",
        )
    }
}

/// The same from whichever folder above it the import begins, unless the caller gives it a name.
pub(crate) fn place_of(note: &Note, options: &Options) -> String {
    match &options.label {
        Some(label) => format!("{label}\0{}", note.name),
        None => note.path.clone(),
    }
}

/// One project is the memory's own. A memory of several, or of none, holds everywhere.
pub(crate) fn set_project(memory: &mut Memory, front: &FrontMatter, options: &Options) {
    let mut projects = front.list("projects");
    projects.extend(front.list("project"));
    memory.project = match projects.as_slice() {
        [] => options.project.clone(),
        [one] => shape::name(one),
        several => {
            memory.concepts.extend(shape::items(several.iter().copied()));
            None
        }
    };
}

/// The types of MindStone, which Claude Code's own memory shares.
pub(crate) fn kind_of(given: &str) -> MemoryKind {
    match given {
        "feedback" => MemoryKind::Learning,
        "design" => MemoryKind::Decision,
        "user" | "identity" => MemoryKind::Note,
        given => MemoryKind::from_name(given).unwrap_or(MemoryKind::Document),
    }
}
