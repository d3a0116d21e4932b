//! Which files have a name, by the numbers of names. Made at once from the heads of many files; a file that changes
//! later costs its own names alone.

use std::collections::HashMap;

use crate::library::FileId;

#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Numbers in their order, and where each one's files begin.
    numbers: Vec<u32>,
    starts: Vec<u32>,
    files: Vec<FileId>,
    /// What has changed since: whole lists, in the place of those above.
    changed: HashMap<u32, Vec<FileId>>,
}

impl Names {
    /// `pairs` is every name of every file.
    pub(crate) fn of(mut pairs: Vec<(u32, FileId)>) -> Self {
        pairs.sort_unstable();
        let mut names = Self { files: pairs.iter().map(|(_, file)| *file).collect(), ..Self::default() };
        for (at, (number, _)) in pairs.iter().enumerate() {
            if names.numbers.last() != Some(number) {
                names.numbers.push(*number);
                names.starts.push(at as u32);
            }
        }
        names
    }

    pub(crate) fn files(&self, number: u32) -> &[FileId] {
        self.changed.get(&number).map_or_else(|| self.before(number), Vec::as_slice)
    }

    pub(crate) fn add(&mut self, number: u32, file: FileId) {
        let files = self.list(number);
        if let Err(at) = files.binary_search(&file) {
            files.insert(at, file);
        }
    }

    pub(crate) fn remove(&mut self, number: u32, file: FileId) {
        let files = self.list(number);
        if let Ok(at) = files.binary_search(&file) {
            files.remove(at);
        }
    }

    /// Lists that are no longer as they were made.
    pub(crate) fn changed(&self) -> usize {
        self.changed.len()
    }

    fn list(&mut self, number: u32) -> &mut Vec<FileId> {
        if !self.changed.contains_key(&number) {
            let files = self.before(number).to_vec();
            self.changed.insert(number, files);
        }
        self.changed.get_mut(&number).expect("it was put there a line before")
    }

    fn before(&self, number: u32) -> &[FileId] {
        let Ok(at) = self.numbers.binary_search(&number) else { return &[] };
        let end = self.starts.get(at + 1).map_or(self.files.len(), |end| *end as usize);
        &self.files[self.starts[at] as usize..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_over_what_was_made_at_once() {
        let mut names = Names::of(vec![(7, FileId(2)), (7, FileId(1)), (9, FileId(1))]);
        assert_eq!(names.files(7), [FileId(1), FileId(2)]);
        assert_eq!(names.files(9), [FileId(1)]);
        assert!(names.files(8).is_empty());
        names.remove(7, FileId(1));
        names.add(8, FileId(3));
        names.add(7, FileId(4));
        names.add(7, FileId(4));
        assert_eq!(names.files(7), [FileId(2), FileId(4)]);
        assert_eq!(names.files(8), [FileId(3)]);
        assert_eq!(names.files(9), [FileId(1)]);
        names.remove(9, FileId(1));
        assert!(names.files(9).is_empty());
    }
}
