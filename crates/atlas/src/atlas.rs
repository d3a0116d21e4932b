//! One workspace: its files on the map, kept as they are on disk. Everything that is asked goes through here, and is
//! answered from files that were looked at a moment before.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use code::{Facts, Language, SymbolId};

use crate::answer::{Answer, Indexed};
use crate::error::AtlasError;
use crate::graph;
use crate::leaf::{Leaf, Source};
use crate::library::{FileId, Library};
use crate::modules::{Rules, Survey};
use crate::question::Question;
use crate::reading;
use crate::search::{self, Mapped, Meanings};
use crate::shelf::{Archive, Remembered, Row, Shelf};
use crate::taking::{self, Known, Taken};
use crate::tree::{Due, Seen, State, Swept, Tree};

/// Unpacked facts that are kept between two questions. A million lines take less; a larger workspace unpacks again.
const UNPACKED_BYTES: usize = 512 << 20;
/// A manifest that is longer is no manifest.
const MAX_MANIFEST: usize = 1 << 20;

/// How long a search waits for what definitions are about where nobody has found out before; the rest comes later.
const SENSE_PATIENCE: Duration = Duration::from_millis(1500);
/// Files that are kept in one transaction: what is lost when a process is killed, and what waits in memory.
const KEEP_BATCH: usize = 200;

/// Makes ready what reading a file of these languages needs, and finding what an edit has left in one: a query takes a
/// tenth of a second to be made, once in a process, and whoever changes the first file would wait for it.
pub fn prepare(languages: &[&'static Language]) {
    for language in languages {
        let _ = reading::facts(language, "");
        let _ = code::prints::find(language, "");
    }
}

#[derive(Debug)]
pub struct Atlas {
    root: PathBuf,
    tree: Tree,
    library: Library,
    /// Surveyed when somebody asks, and again after files came or went.
    rules: OnceLock<Rules>,
    /// The last look: files that were read anew, those that were gone, and how long it took.
    last: Last,
    /// Files that it found and that are still to be read.
    left: Vec<Due>,
    /// What other processes knew, and will know; `None`: nobody does.
    shelf: Option<Shelf>,
    archive: Option<Arc<Archive>>,
    /// Files whose rows on the shelf are not what they should be.
    unkept: HashSet<Box<str>>,
    /// Kept facts are not to be believed either.
    is_anew: bool,
    /// What definitions are about, as far as somebody has searched.
    meanings: Meanings,
    /// Counts changes of the map, and the one up to which all meanings are known.
    turn: u64,
    understood: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Last {
    changed: usize,
    removed: usize,
    took: Duration,
}

/// How far a map is, for whoever waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Files that were read, of those that have to be.
    pub done: usize,
    pub of: usize,
}

/// A file as it might be.
pub(crate) struct Supposed {
    pub(crate) path: String,
    /// `None`: it is not there.
    pub(crate) facts: Option<(&'static Language, Facts)>,
}

impl Atlas {
    /// The map of the workspace at `root`. Without a shelf it is made anew each time.
    pub fn open(root: &Path, shelf: Option<Shelf>) -> Result<Self, AtlasError> {
        let missing = |source| AtlasError::Disk { path: root.display().to_string(), source };
        let root = root.canonicalize().map_err(missing)?;
        if !root.is_dir() {
            return Err(missing(std::io::ErrorKind::NotADirectory.into()));
        }
        let (tree, library) = (Tree::new(&root), Library::default());
        let mut atlas = Self {
            root,
            tree,
            library,
            rules: OnceLock::new(),
            last: Last::default(),
            left: Vec::new(),
            shelf,
            archive: None,
            unkept: HashSet::new(),
            is_anew: false,
            meanings: Meanings::default(),
            turn: 0,
            understood: None,
        };
        atlas.remember();
        Ok(atlas)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn library(&self) -> &Library {
        &self.library
    }

    /// How imports are followed here.
    pub fn rules(&self) -> &Rules {
        self.rules.get_or_init(|| {
            let manifests: Vec<(String, String)> = self
                .tree
                .manifests()
                .into_iter()
                .filter_map(|path| {
                    let text = reading::text(&self.root.join(&*path))?;
                    (text.len() <= MAX_MANIFEST).then(|| (path.into_string(), text))
                })
                .collect();
            Rules::survey(Survey { library: &self.library, manifests: &manifests })
        })
    }

    /// The text of a file as it is on disk now.
    pub fn text(&self, file: FileId) -> Option<String> {
        reading::text(&self.root.join(&*self.library.leaf(file)?.path))
    }

    /// The path of a file as the map knows it: relative to the workspace, whichever way it was given.
    pub fn relative<'p>(&self, path: &'p str) -> Option<&'p str> {
        let path = match Path::new(path).strip_prefix(&self.root) {
            Ok(inside) => inside.to_str()?,
            Err(_) => path,
        };
        Some(path.strip_prefix("./").unwrap_or(path))
    }

    /// Brings the map up to what is on disk.
    pub fn freshen(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<Indexed, AtlasError> {
        self.freshen_until(None, progress)
    }

    /// The same, as far as it gets. What could not be read in time is not on the map: better no answer than an old one.
    pub fn freshen_until(
        &mut self,
        until: Option<Instant>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Indexed, AtlasError> {
        self.look(until, progress);
        Ok(self.indexed())
    }

    /// Looks at the disk, then answers.
    pub fn answer(&mut self, question: &Question) -> Result<Answer, AtlasError> {
        self.answer_until(None, question)
    }

    /// The same within some time. Where the map is not whole by then, only what does not depend on the missing files is
    /// answered: the state of the map, and the outline of a file that was read.
    pub fn answer_until(
        &mut self,
        until: Option<Instant>,
        question: &Question,
    ) -> Result<Answer, AtlasError> {
        if let Question::Index { anew: true } = question {
            self.forget();
        }
        self.look(until, &mut |_| {});
        self.answer_now(until, question)
    }

    /// The same from the last look: for whoever has looked a moment before, and held the map since.
    pub fn answer_now(&mut self, until: Option<Instant>, question: &Question) -> Result<Answer, AtlasError> {
        let is_local =
            matches!(question, Question::Index { .. } | Question::Status | Question::Outline { .. });
        if self.is_partial() && !is_local {
            return Err(AtlasError::NotYet);
        }
        match question {
            Question::Index { .. } | Question::Status => Ok(Answer::Index(self.indexed())),
            Question::Outline { file } => self.outline(file),
            Question::Search { query, under, limit } => {
                self.understand(Some(until.unwrap_or_else(|| Instant::now() + SENSE_PATIENCE)));
                search::search(self, &self.meanings, query, under.as_deref(), *limit)
            }
            Question::DiffImpact { base, limit } => graph::diff_impact(self, base.as_deref(), *limit),
            _ => graph::answer(self, question),
        }
    }

    /// Finds out what definitions are about that nobody looked at yet, for search; all of them, or as many as it gets to.
    /// False: some are missing.
    pub fn understand(&mut self, until: Option<Instant>) -> bool {
        if self.understood == Some(self.turn) {
            return true;
        }
        let mapped: Vec<Mapped> = self
            .library
            .leaves()
            .filter_map(|(file, leaf)| match self.tree.seen(&leaf.path)?.state {
                State::Mapped(key) => Some(Mapped { file, key }),
                State::Left(_) => None,
            })
            .collect();
        let mut meanings = std::mem::take(&mut self.meanings);
        let archive = self.archive.clone();
        let whole = meanings.follow(&mapped, archive.as_ref(), until, &mut |file| search::sense(self, file));
        self.meanings = meanings;
        self.understood = whole.then_some(self.turn);
        whole
    }

    /// Drops from the shelf what nobody will ask for again. Does nothing most of the time; then it may take a second.
    pub fn tidy(&self) {
        if let Some(archive) = &self.archive {
            archive.tidy();
        }
    }

    /// The languages of the workspace.
    pub fn languages(&self) -> Vec<&'static Language> {
        let mut languages: Vec<&'static Language> =
            self.library.leaves().map(|(_, leaf)| leaf.language).collect();
        languages.sort_unstable_by_key(|language| language.name);
        languages.dedup_by_key(|language| language.name);
        languages
    }

    /// Bytes of memory, roughly: for whoever has several maps open.
    pub fn weight(&self) -> usize {
        self.library.weight() + self.meanings.weight()
    }

    /// Whether files of the workspace are not on the map yet.
    pub fn is_partial(&self) -> bool {
        !self.left.is_empty()
    }

    /// What is known now, without a look at the disk.
    pub fn indexed(&self) -> Indexed {
        let mut indexed = Indexed {
            root: self.root.display().to_string(),
            files: self.library.len(),
            skipped: self.tree.skipped(),
            changed: self.last.changed,
            removed: self.last.removed,
            took_ms: self.last.took.as_millis() as u64,
            left: self.left.len(),
            partial: self.is_partial(),
            ..Indexed::default()
        };
        for (_, leaf) in self.library.leaves() {
            let head = leaf.head();
            indexed.lines += u64::from(head.lines());
            indexed.bytes += u64::from(head.size());
            indexed.symbols += head.symbols();
            indexed.references += head.references();
            match indexed.languages.get_mut(leaf.language.name) {
                Some(count) => *count += 1,
                None => _ = indexed.languages.insert(leaf.language.name.to_owned(), 1),
            }
        }
        indexed
    }

    /// Takes up what the last process knew. It is compared with the disk before anything is answered.
    fn remember(&mut self) {
        self.archive = self.shelf.as_ref().and_then(|shelf| Archive::open(shelf, &self.root));
        let Some(archive) = &self.archive else { return };
        let mut leaves = Vec::new();
        for (path, Remembered { seen, leaf }) in archive.remember() {
            // A name may mean another language by now.
            let fits = leaf.as_ref().is_none_or(|leaf| {
                code::languages::of_path(&path).is_none_or(|named| named.name == leaf.language.name)
            });
            if fits {
                self.tree.remember(&path, seen);
                leaves.extend(leaf);
            }
        }
        self.library.place_all(leaves);
    }

    /// What was known is read and parsed again.
    pub fn forget(&mut self) {
        (self.tree, self.library) = (Tree::new(&self.root), Library::default());
        self.rules = OnceLock::new();
        self.turn += 1;
        self.is_anew = true;
    }

    fn look(&mut self, until: Option<Instant>, progress: &mut dyn FnMut(Progress)) {
        let from = Instant::now();
        self.library.lighten(UNPACKED_BYTES);
        let Swept { due, gone, came, manifests_changed } = self.tree.sweep();
        if !came.is_empty() || !gone.is_empty() || manifests_changed {
            self.rules = OnceLock::new();
        }
        for path in &gone {
            self.turn += 1;
            self.library.remove(path);
        }
        self.last = Last { removed: gone.len(), ..Last::default() };
        if self.archive.is_some() {
            self.unkept.extend(gone);
        }
        self.left = due;
        self.read_on(until, progress);
        self.last.took = from.elapsed();
    }

    /// Reads what the last look left, without another look at the disk: for whoever reads a large workspace a piece at
    /// a time. False: some of it is still left.
    pub fn go_on(&mut self, until: Option<Instant>, progress: &mut dyn FnMut(Progress)) -> bool {
        let from = Instant::now();
        self.read_on(until, progress);
        self.last.took += from.elapsed();
        self.left.is_empty()
    }

    fn read_on(&mut self, until: Option<Instant>, progress: &mut dyn FnMut(Progress)) {
        let due = std::mem::take(&mut self.left);
        self.take_in(due, until, progress);
        self.is_anew &= !self.left.is_empty();
        self.library.settle();
        self.keep();
    }

    /// Puts on the shelf what is not there. What cannot be put there now is tried again with the next look.
    fn keep(&mut self) {
        let Some(archive) = &self.archive else { return };
        if self.unkept.is_empty() {
            return;
        }
        let (mut rows, mut gone) = (Vec::new(), Vec::new());
        for path in &self.unkept {
            match self.tree.seen(path) {
                Some(seen) => {
                    let leaf = self.library.by_path(path).and_then(|file| self.library.leaf(file));
                    rows.push(Row { path, seen, leaf });
                }
                None => gone.push(path.clone()),
            }
        }
        if !archive.keep(&rows, &gone) {
            return;
        }
        for path in std::mem::take(&mut self.unkept) {
            if let Some(Seen { state: State::Mapped(key), .. }) = self.tree.seen(&path)
                && let Some(leaf) = self.library.leaf_mut(&path)
            {
                leaf.set_source(archive.source_of(key));
            }
        }
    }

    fn take_in(&mut self, due: Vec<Due>, until: Option<Instant>, progress: &mut dyn FnMut(Progress)) {
        if due.is_empty() {
            return;
        }
        let mut done = vec![false; due.len()];
        let (root, of) = (self.root.clone(), due.len());
        let mut count = 0;
        let archive = self.archive.clone().filter(|_| !self.is_anew);
        let known = archive.as_ref().map(|archive| archive as &dyn Known);
        taking::all(&root, &due, known, until, &mut |taken| {
            done[taken.at] = true;
            self.take(&due[taken.at], taken);
            count += 1;
            if self.unkept.len() >= KEEP_BATCH {
                self.keep();
            }
            progress(Progress { done: count, of });
        });
        let mut left: Vec<Due> =
            due.into_iter().zip(done).filter(|(_, done)| !done).map(|(due, _)| due).collect();
        for due in left.iter_mut().filter(|due| matches!(due.known, Some(State::Mapped(_)))) {
            // What it says now is not known; what it said before is not to be answered.
            self.turn += 1;
            self.library.remove(&due.path);
            self.tree.saw(&due.path, None);
            due.known = None;
        }
        self.left = left;
    }

    fn take(&mut self, due: &Due, taken: Taken) {
        let Taken { seen, leaf, made, .. } = taken;
        if self.tree.seen(&due.path) != seen {
            self.tree.saw(&due.path, seen);
            if self.archive.is_some() {
                self.unkept.insert(due.path.clone());
            }
        }
        match (seen.map(|seen| seen.state), leaf) {
            (Some(State::Mapped(_)), Some(mut leaf)) => {
                self.last.changed += 1;
                self.turn += 1;
                if let Some(body) = made {
                    leaf.set_source(Source::Held(body));
                }
                self.place(leaf);
            }
            // The same text as before.
            (Some(State::Mapped(_)), None) => {}
            (Some(State::Left(_)) | None, _) => {
                self.turn += 1;
                self.library.remove(&due.path);
            }
        }
    }

    fn place(&mut self, leaf: Leaf) {
        let before = self.library.by_path(&leaf.path).and_then(|file| self.library.leaf(file));
        // Whoever finds modules by what files say of themselves has to ask again.
        if before.and_then(Leaf::package) != leaf.package() {
            self.rules = OnceLock::new();
        }
        self.library.place(leaf);
    }

    /// Asks as if a file had another text; whatever happens, it has its own again afterwards.
    pub(crate) fn suppose<T>(
        &mut self,
        path: &str,
        text: &str,
        ask: impl FnOnce(&Self, FileId) -> T,
    ) -> Option<T> {
        let path = self.relative(path)?.to_owned();
        let known =
            self.library.by_path(&path).and_then(|file| self.library.leaf(file)).map(|leaf| leaf.language);
        let language = known.or_else(|| code::languages::of_path(&path))?;
        let facts = code::facts(language, text)?;
        let supposed = vec![Supposed { path: path.clone(), facts: Some((language, facts)) }];
        self.suppose_all(supposed, |atlas| Some(ask(atlas, atlas.library.by_path(&path)?)))
    }

    /// The same with many files at once, some of them not there.
    pub(crate) fn suppose_all<T>(&mut self, files: Vec<Supposed>, ask: impl FnOnce(&Self) -> T) -> T {
        let mut before = Vec::new();
        for file in files {
            before.push((file.path.clone(), self.library.take(&file.path)));
            if let Some((language, facts)) = file.facts {
                self.library.put(&file.path, language, facts);
            }
        }
        let answer = catch_unwind(AssertUnwindSafe(|| ask(self)));
        for (path, leaf) in before.into_iter().rev() {
            match leaf {
                Some(leaf) => drop(self.library.place(leaf)),
                None => self.library.remove(&path),
            }
        }
        answer.unwrap_or_else(|panic| resume_unwind(panic))
    }

    pub(crate) fn outline(&self, path: &str) -> Result<Answer, AtlasError> {
        let missing = || AtlasError::NotMapped { file: path.to_owned(), why: self.why_not(path) };
        let inside = self.relative(path).ok_or_else(missing)?;
        let Some(leaf) = self.library.by_path(inside).and_then(|file| self.library.leaf(file)) else {
            // What a program has written is left out because nobody looks for anything there; whoever asks for it by its
            // path wants to see it. What is ignored is not looked at by anybody.
            if self.why_not(path) != reading::GENERATED {
                return Err(missing());
            }
            let (text, language) = self.unmapped(inside).ok_or_else(missing)?;
            let facts = code::facts(language, &text).ok_or_else(missing)?;
            return Ok(outline_of(inside, language, &facts, &text, false));
        };
        let text = self.library.by_path(inside).and_then(|file| self.text(file)).unwrap_or_default();
        Ok(outline_of(&leaf.path, leaf.language, leaf.facts(), &text, leaf.is_test))
    }

    /// A file of the workspace that is not on the map, if it is a source at all.
    fn unmapped(&self, path: &str) -> Option<(String, &'static Language)> {
        let whole = self.root.join(path).canonicalize().ok().filter(|whole| whole.starts_with(&self.root))?;
        let text = reading::text(&whole)?;
        let language = code::languages::of_path(path).or_else(|| code::languages::of_first_line(&text))?;
        Some((text, language))
    }

    /// Why a file is not on the map, for whoever asks for it by its path.
    pub fn why_not(&self, path: &str) -> &'static str {
        let Some(path) = self.relative(path) else { return "its name is not UTF-8" };
        match self.tree.seen(path) {
            Some(Seen { state: State::Left(reason), .. }) => reason,
            _ if self.tree.has(path) => "it was not read yet",
            _ if !self.root.join(path).exists() => "there is no such file in the workspace",
            _ if code::languages::of_path(path).is_none() => "it is not in a language of the map",
            _ => "it is ignored, or belongs to others",
        }
    }
}

fn outline_of(path: &str, language: &Language, facts: &Facts, text: &str, is_test: bool) -> Answer {
    let symbols = 0..facts.symbols.len() as u32;
    Answer::Outline {
        file: path.to_owned(),
        language: language.name.to_owned(),
        lines: facts.lines,
        tokens: crate::say::tokens(text),
        items: symbols.map(|at| graph::item(path, facts, SymbolId(at), is_test)).collect(),
        broken: facts.broken,
    }
}
