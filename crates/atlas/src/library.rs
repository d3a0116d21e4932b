//! The facts of every file of a workspace, found by path, by folder and by name.

use std::collections::HashMap;
use std::fmt;

use code::{Facts, Kind, Language, Symbol, SymbolId};

use crate::leaf::{Leaf, Source};
use crate::names::Names;
use crate::pack::{self, Head};

/// So many changed lists are worth making all of them anew.
const MANY_CHANGES: usize = 20_000;

/// A file of the library. An id stays with its path, also when the file goes and comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Def {
    pub file: FileId,
    pub symbol: SymbolId,
}

#[derive(Default)]
pub struct Library {
    leaves: Vec<Option<Leaf>>,
    /// Of every file there ever was.
    by_path: HashMap<Box<str>, FileId>,
    present: usize,
    /// Files right in a folder; the workspace itself is "".
    folders: HashMap<Box<str>, Vec<FileId>>,
    /// By name: the files that define it, and those that mention it (as a use, an import, an alias or what a test takes).
    defining: Names,
    mentioning: Names,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").field("files", &self.present).finish_non_exhaustive()
    }
}

impl Library {
    /// Puts a file in the place of what was known of it.
    pub fn put(&mut self, path: &str, language: &'static Language, facts: Facts) -> FileId {
        let head = Head::of(&facts, "");
        self.place(Leaf::new(path, language, head, Source::Nowhere).with(facts))
    }

    pub fn remove(&mut self, path: &str) {
        drop(self.take(path));
    }

    /// Takes a file out, for whoever may put it back.
    pub(crate) fn take(&mut self, path: &str) -> Option<Leaf> {
        let id = self.by_path(path)?;
        let leaf = self.leaves[id.0 as usize].take()?;
        self.present -= 1;
        if let Some(files) = self.folders.get_mut(folder_of(path)) {
            files.retain(|known| *known != id);
        }
        for number in leaf.head().defined() {
            self.defining.remove(number, id);
        }
        for number in leaf.head().mentioned() {
            self.mentioning.remove(number, id);
        }
        Some(leaf)
    }

    /// A file with its names.
    pub(crate) fn place(&mut self, leaf: Leaf) -> FileId {
        self.remove(&leaf.path);
        let id = self.shelve(leaf);
        // Borrowed from the leaf, so that a file of ten thousand names is not copied.
        let Some(leaf) = &self.leaves[id.0 as usize] else { return id };
        for number in leaf.head().defined() {
            self.defining.add(number, id);
        }
        for number in leaf.head().mentioned() {
            self.mentioning.add(number, id);
        }
        id
    }

    /// Many files at once; names are sorted once instead of being put in one by one.
    pub(crate) fn place_all(&mut self, leaves: Vec<Leaf>) {
        for leaf in leaves {
            self.remove(&leaf.path);
            self.shelve(leaf);
        }
        self.sort_names();
    }

    /// Makes the lists of names anew where so many have changed that it is worth it.
    pub(crate) fn settle(&mut self) {
        if self.defining.changed() + self.mentioning.changed() > MANY_CHANGES {
            self.sort_names();
        }
    }

    /// Forgets what was unpacked if it weighs more than `limit` bytes, by a rough reckoning.
    pub(crate) fn lighten(&mut self, limit: usize) {
        let weight: usize = self.leaves.iter().flatten().map(Leaf::weight).sum();
        if weight > limit {
            self.leaves.iter_mut().flatten().for_each(Leaf::close);
        }
    }

    /// Bytes of memory, roughly.
    pub(crate) fn weight(&self) -> usize {
        let of_leaf =
            |leaf: &Leaf| leaf.weight() + leaf.head().bytes() * 2 + leaf.held().map_or(0, <[u8]>::len);
        self.leaves.iter().flatten().map(of_leaf).sum()
    }

    pub(crate) fn leaves(&self) -> impl Iterator<Item = (FileId, &Leaf)> {
        let leaves = self.leaves.iter().enumerate();
        leaves.filter_map(|(at, leaf)| Some((FileId(at as u32), leaf.as_ref()?)))
    }

    pub(crate) fn leaf_mut(&mut self, path: &str) -> Option<&mut Leaf> {
        let id = self.by_path(path)?;
        self.leaves[id.0 as usize].as_mut()
    }

    pub fn len(&self) -> usize {
        self.present
    }

    pub fn is_empty(&self) -> bool {
        self.present == 0
    }

    pub fn files(&self) -> impl Iterator<Item = FileId> + '_ {
        self.leaves().map(|(file, _)| file)
    }

    pub fn leaf(&self, file: FileId) -> Option<&Leaf> {
        self.leaves.get(file.0 as usize)?.as_ref()
    }

    /// The facts of a file that is there.
    pub fn facts(&self, file: FileId) -> Option<&Facts> {
        self.leaf(file).map(Leaf::facts)
    }

    pub fn path(&self, file: FileId) -> &str {
        self.leaf(file).map_or("", |leaf| &leaf.path)
    }

    pub fn by_path(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied().filter(|id| self.leaves[id.0 as usize].is_some())
    }

    /// Files right in this folder.
    pub fn in_folder(&self, folder: &str) -> &[FileId] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    pub fn has_folder(&self, folder: &str) -> bool {
        self.folders.contains_key(folder)
    }

    /// Folders that have files of ours.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.keys().map(|folder| &**folder)
    }

    /// Files that define a name, in the order of their ids. Very rarely one that does not is among them.
    pub fn defining(&self, name: &str) -> &[FileId] {
        self.defining.files(pack::number(name))
    }

    /// Files that use or import a name, or have a test that takes it as a parameter. Very rarely one that does not is among them.
    pub fn mentioning(&self, name: &str) -> &[FileId] {
        self.mentioning.files(pack::number(name))
    }

    pub fn symbol(&self, def: Def) -> Option<&Symbol> {
        self.facts(def.file)?.symbol(def.symbol)
    }

    /// All definitions of a name.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Def> + 'a {
        self.defining(name).iter().flat_map(move |file| {
            let index = self.leaf(*file).map(Leaf::index);
            let symbols =
                index.and_then(|index| Some(index.symbols(index.name_id(name)?))).unwrap_or_default();
            symbols.iter().map(move |symbol| Def { file: *file, symbol: *symbol })
        })
    }

    /// Kind and name of every definition, without unpacking a file.
    pub fn definitions(&self) -> impl Iterator<Item = (Def, Kind, &str)> {
        self.leaves().flat_map(|(file, leaf)| {
            let named = leaf.head().definitions().enumerate();
            named.map(move |(at, (kind, name))| (Def { file, symbol: SymbolId(at as u32) }, kind, name))
        })
    }

    fn shelve(&mut self, leaf: Leaf) -> FileId {
        let path = leaf.path.clone();
        let id = self.by_path.get(&path).copied().unwrap_or_else(|| {
            let id = FileId(self.leaves.len() as u32);
            self.by_path.insert(path.clone(), id);
            self.leaves.push(None);
            id
        });
        let folder = folder_of(&path);
        if let Some(files) = self.folders.get_mut(folder) {
            files.push(id);
        } else {
            self.folders.insert(folder.into(), vec![id]);
            // A folder of folders is one, too; it stays known when it is empty, which harms nobody.
            let mut above = folder;
            while !above.is_empty() {
                above = folder_of(above);
                self.folders.entry(above.into()).or_default();
            }
        }
        self.leaves[id.0 as usize] = Some(leaf);
        self.present += 1;
        id
    }

    fn sort_names(&mut self) {
        let pairs = |names: fn(&Head) -> Box<dyn Iterator<Item = u32> + '_>| {
            let leaves = self.leaves();
            leaves
                .flat_map(move |(file, leaf)| names(leaf.head()).map(move |number| (number, file)))
                .collect()
        };
        let (defined, mentioned) =
            (pairs(|head| Box::new(head.defined())), pairs(|head| Box::new(head.mentioned())));
        (self.defining, self.mentioning) = (Names::of(defined), Names::of(mentioned));
    }
}

pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> (&'static Language, Facts) {
        let language = code::languages::by_name("python").unwrap();
        (language, code::facts(language, text).unwrap())
    }

    #[test]
    fn a_file_that_is_put_again_has_only_its_new_names() {
        let mut library = Library::default();
        let (language, first) = facts("def one(): two()\n");
        let id = library.put("a/b.py", language, first);
        assert_eq!((library.defining("one"), library.mentioning("two")), (&[id][..], &[id][..]));
        let (_, second) = facts("def three(): pass\n");
        assert_eq!(library.put("a/b.py", language, second), id, "an id stays with its path");
        assert!(library.defining("one").is_empty() && library.mentioning("two").is_empty());
        assert_eq!(library.named("three").count(), 1);
        assert_eq!((library.len(), library.in_folder("a")), (1, &[id][..]));
        library.remove("a/b.py");
        assert!(library.is_empty() && library.by_path("a/b.py").is_none() && library.files().count() == 0);
        assert!(library.in_folder("a").is_empty() && library.has_folder(""));
    }

    #[test]
    fn many_files_at_once_are_found_like_one_by_one() {
        let texts = ["def f(): g()\n", "def g(): f()\nclass C: pass\n", "import f\n"];
        let (mut slow, mut fast) = (Library::default(), Library::default());
        let mut leaves = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let (language, facts) = facts(text);
            slow.put(&format!("{at}.py"), language, facts.clone());
            let head = Head::of(&facts, text);
            leaves.push(Leaf::new(
                &format!("{at}.py"),
                language,
                head,
                Source::Held(pack::body(&facts).into()),
            ));
        }
        fast.place_all(leaves);
        for name in ["f", "g", "C", "nothing"] {
            assert_eq!(slow.defining(name), fast.defining(name), "{name}");
            assert_eq!(slow.mentioning(name), fast.mentioning(name), "{name}");
            assert_eq!(slow.named(name).collect::<Vec<_>>(), fast.named(name).collect::<Vec<_>>());
        }
        let all: Vec<_> = fast.definitions().map(|(def, kind, name)| (def.file.0, kind, name)).collect();
        assert_eq!(all, [(0, Kind::Function, "f"), (1, Kind::Function, "g"), (1, Kind::Class, "C")]);
        fast.lighten(0);
        assert_eq!(fast.facts(FileId(1)), slow.facts(FileId(1)), "unpacked again");
    }
}
