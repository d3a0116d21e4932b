//! A folder of its own for each story, and the two halves of what a reader gives.

use std::path::{Path, PathBuf};

use import::{Effect, Imported, Options, Problem, Reader, Record, Source};
use model::MemoryId;

pub(crate) fn options() -> Options {
    Options::default()
}

pub(crate) struct World(tempfile::TempDir);

impl World {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn read(&self, source: Source) -> (Vec<Record>, Vec<Problem>) {
        halves(source.read(self.path(), &options()))
    }
}

pub(crate) fn halves(reader: Reader) -> (Vec<Record>, Vec<Problem>) {
    let (mut records, mut problems) = (Vec::new(), Vec::new());
    for item in reader {
        match item {
            Ok(record) => records.push(record),
            Err(problem) => problems.push(problem),
        }
    }
    (records, problems)
}

pub(crate) fn imported(record: &Record) -> &Imported {
    match record {
        Record::Memory(imported) => imported,
        other => panic!("not a memory: {other:?}"),
    }
}

pub(crate) fn ids(records: &[Record]) -> Vec<MemoryId> {
    records.iter().filter_map(Record::memory).map(|memory| memory.id).collect()
}

/// Each problem as its effect and the end of its place, for comparing whole tables.
pub(crate) fn told(problems: &[Problem]) -> Vec<(Effect, String)> {
    problems
        .iter()
        .map(|problem| (problem.effect, problem.place.rsplit('/').next().unwrap().to_owned()))
        .collect()
}
