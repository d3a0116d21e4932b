//! One file of the library: its facts, and what of them belongs to a name.

use std::fmt;
use std::sync::{Arc, OnceLock};

use code::{Binding, Facts, Import, Language, Name, Root, Step, SymbolId};

use crate::key::Key;
use crate::pack::{self, Head};

/// How much larger facts are than the text they were made from, by and large.
const UNPACKED: usize = 8;

/// One file.
pub struct Leaf {
    /// Relative to the workspace, with `/` between folders.
    pub path: Box<str>,
    pub language: &'static Language,
    /// Whether its path says that it holds tests.
    pub is_test: bool,
    head: Head,
    source: Source,
    facts: OnceLock<Box<Facts>>,
    tables: OnceLock<Box<Tables>>,
}

/// Where a file's facts are while nobody asks for them.
pub(crate) enum Source {
    Held(Box<[u8]>),
    Kept(Arc<dyn Keeper>, Key),
    /// They were given unpacked, and stay so.
    Nowhere,
}

/// Who has facts elsewhere than in memory.
pub(crate) trait Keeper: Send + Sync {
    /// The facts of a file: kept ones, or made from its text again. `None`: there is no such text any more.
    fn facts(&self, leaf: &Leaf, key: Key) -> Option<Facts>;
}

impl Leaf {
    pub(crate) fn new(path: &str, language: &'static Language, head: Head, source: Source) -> Self {
        let is_test = is_test_path(path, language);
        let (facts, tables) = (OnceLock::new(), OnceLock::new());
        Self { path: path.into(), language, is_test, head, source, facts, tables }
    }

    /// With facts that are unpacked already.
    pub(crate) fn with(self, facts: Facts) -> Self {
        Self { facts: OnceLock::from(Box::new(facts)), ..self }
    }

    pub(crate) fn head(&self) -> &Head {
        &self.head
    }

    /// Packed facts that are nowhere but here.
    pub(crate) fn held(&self) -> Option<&[u8]> {
        match &self.source {
            Source::Held(body) => Some(body),
            Source::Kept(..) | Source::Nowhere => None,
        }
    }

    pub(crate) fn set_source(&mut self, source: Source) {
        self.source = source;
    }

    /// Unpacked when they are first asked for.
    pub fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| {
            let facts = match &self.source {
                Source::Held(body) => pack::unpack(body),
                Source::Kept(keeper, key) => keeper.facts(self, *key),
                Source::Nowhere => None,
            };
            Box::new(facts.unwrap_or_default())
        })
    }

    /// What belongs to each name; made when it is first asked for.
    pub fn index(&self) -> LeafIndex<'_> {
        let facts = self.facts();
        LeafIndex { facts, tables: self.tables.get_or_init(|| Box::new(Tables::of(facts))) }
    }

    /// The package the file says it belongs to, without unpacking it.
    pub fn package(&self) -> Option<&str> {
        self.head.package()
    }

    /// Lines of the text, without unpacking it.
    pub fn lines(&self) -> u32 {
        self.head.lines()
    }

    /// Definitions, without unpacking them.
    pub fn symbol_count(&self) -> usize {
        self.head.symbols()
    }

    /// What the unpacked facts take, roughly.
    pub(crate) fn weight(&self) -> usize {
        if self.facts.get().is_none() { 0 } else { self.head.size() as usize * UNPACKED }
    }

    /// Forgets the unpacked facts, if they can be had again.
    pub(crate) fn close(&mut self) {
        if !matches!(self.source, Source::Nowhere) {
            (self.facts, self.tables) = (OnceLock::new(), OnceLock::new());
        }
    }
}

impl fmt::Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaf").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The facts of one file by name.
#[derive(Debug, Clone, Copy)]
pub struct LeafIndex<'a> {
    facts: &'a Facts,
    tables: &'a Tables,
}

impl<'a> LeafIndex<'a> {
    /// The name of a text in this file, where it occurs.
    pub fn name_id(&self, text: &str) -> Option<Name> {
        let by_text = &self.tables.by_text;
        by_text.binary_search_by(|name| self.facts.text(*name).cmp(text)).ok().map(|at| by_text[at])
    }

    pub fn symbols(&self, name: Name) -> &'a [SymbolId] {
        self.tables.symbols.row(name.0 as usize)
    }

    /// The definitions right inside of one; `None`: those of the file itself.
    pub fn children(&self, of: Option<SymbolId>) -> &'a [SymbolId] {
        self.tables.children.row(of.map_or(0, |of| of.0 as usize + 1))
    }

    /// Indices into [`Facts::bindings`].
    pub fn bindings(&self, name: Name) -> &'a [u32] {
        self.tables.bindings.row(name.0 as usize)
    }

    /// Indices into [`Facts::imports`], by what they are called here.
    pub fn imports(&self, name: Name) -> &'a [u32] {
        self.tables.imports.row(name.0 as usize)
    }

    /// Indices into [`Facts::imports`]: those that bring everything.
    pub fn wild(&self) -> &'a [u32] {
        &self.tables.wild
    }

    /// Indices into [`Facts::imports`]: those that name nothing but a module.
    pub fn bare(&self) -> &'a [u32] {
        &self.tables.bare
    }

    /// Indices into [`Facts::imports`] that bring what is called so under another name.
    pub fn renamed(&self, name: Name) -> &'a [u32] {
        self.tables.renamed.row(name.0 as usize)
    }

    /// Indices into [`Facts::bindings`] that give what is called so another name: `const parse = json.read`.
    pub fn given(&self, name: Name) -> &'a [u32] {
        self.tables.given.row(name.0 as usize)
    }

    /// Indices into [`Facts::references`].
    pub fn references(&self, name: Name) -> &'a [u32] {
        self.tables.references.row(name.0 as usize)
    }
}

#[derive(Debug)]
struct Tables {
    /// Names in the order of their texts.
    by_text: Box<[Name]>,
    symbols: Table<SymbolId>,
    /// One row more than there are definitions: the first is the file's.
    children: Table<SymbolId>,
    bindings: Table<u32>,
    imports: Table<u32>,
    renamed: Table<u32>,
    wild: Box<[u32]>,
    bare: Box<[u32]>,
    given: Table<u32>,
    references: Table<u32>,
}

impl Tables {
    fn of(facts: &Facts) -> Self {
        let names = facts.names.len();
        let mut by_text: Box<[Name]> = (0..names as u32).map(Name).collect();
        by_text.sort_unstable_by_key(|name| facts.text(*name));
        let named = |name: Name| name.0 as usize;
        let symbols = facts.symbols.iter();
        let parents = symbols.clone().map(|symbol| symbol.parent.map_or(0, |parent| parent.0 as usize + 1));
        Self {
            by_text,
            symbols: Table::of(names, symbols.map(|symbol| Some(named(symbol.name))), SymbolId),
            children: Table::of(facts.symbols.len() + 1, parents.map(Some), SymbolId),
            bindings: Table::of(
                names,
                facts.bindings.iter().map(|binding| Some(named(binding.name))),
                |at| at,
            ),
            imports: Table::of(names, facts.imports.iter().map(|import| import.local.map(named)), |at| at),
            wild: which(&facts.imports, |import| import.wildcard),
            bare: which(&facts.imports, |import| {
                import.name.is_none() && import.local.is_none() && !import.wildcard
            }),
            renamed: Table::of(
                names,
                facts
                    .imports
                    .iter()
                    .map(|import| import.name.filter(|_| import.name != import.local).map(named)),
                |at| at,
            ),
            given: Table::of(
                names,
                facts.bindings.iter().map(|binding| {
                    value_name(facts, binding).filter(|name| *name != binding.name).map(named)
                }),
                |at| at,
            ),
            references: Table::of(
                names,
                facts.references.iter().map(|use_of| Some(named(use_of.name))),
                |at| at,
            ),
        }
    }
}

fn which(imports: &[Import], is: impl Fn(&Import) -> bool) -> Box<[u32]> {
    imports.iter().enumerate().filter(|(_, import)| is(import)).map(|(at, _)| at as u32).collect()
}

/// What the value of a variable is called, if it is a name or a member and nothing is done to it.
fn value_name(facts: &Facts, binding: &Binding) -> Option<Name> {
    let chain = facts.chain(binding.value?)?;
    match (chain.root, chain.steps.last()) {
        (Root::Name(root), None) => Some(root),
        (_, Some(Step::Member(member))) => Some(*member),
        _ => None,
    }
}

/// Rows of different lengths in one piece of memory: a map of lists costs an allocation a name.
#[derive(Debug)]
struct Table<T> {
    starts: Box<[u32]>,
    items: Box<[T]>,
}

impl<T: Copy> Table<T> {
    /// `row_of` gives the row of each item in turn; what has none, or one that is not there, is in none.
    fn of(rows: usize, row_of: impl Iterator<Item = Option<usize>> + Clone, item: impl Fn(u32) -> T) -> Self {
        let mut starts = vec![0u32; rows + 1];
        for row in row_of.clone().flatten().filter(|row| *row < rows) {
            starts[row + 1] += 1;
        }
        for at in 0..rows {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut items = vec![item(0); starts[rows] as usize];
        for (at, row) in row_of.enumerate() {
            if let Some(row) = row.filter(|row| *row < rows) {
                items[next[row] as usize] = item(at as u32);
                next[row] += 1;
            }
        }
        Self { starts: starts.into(), items: items.into() }
    }

    fn row(&self, at: usize) -> &[T] {
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(start), Some(end)) => &self.items[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

fn is_test_path(path: &str, language: &Language) -> bool {
    let rooted = format!("/{path}");
    language.settings().tests.paths.iter().any(|part| rooted.contains(&**part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(text: &str) -> Leaf {
        let language = code::languages::by_name("python").unwrap();
        let facts = code::facts(language, text).unwrap();
        Leaf::new("a.py", language, Head::of(&facts, text), Source::Nowhere).with(facts)
    }

    #[test]
    fn a_name_leads_to_all_that_bears_it() {
        let leaf =
            leaf("from m import f as g\nclass A:\n    def f(self): pass\n    def h(self, f): g(); g(f)\n");
        let (facts, index) = (leaf.facts(), leaf.index());
        let f = index.name_id("f").unwrap();
        assert_eq!(index.symbols(f).len(), 1);
        assert!(index.imports(f).is_empty(), "it is called g here");
        let g = index.name_id("g").unwrap();
        assert_eq!(index.imports(g), [0]);
        assert_eq!(index.references(g).len(), 2);
        assert!(index.references(g).iter().all(|at| facts.references[*at as usize].name == g));
        assert_eq!(index.bindings(f).len(), 1, "the parameter");
        let top = index.children(None);
        assert_eq!(top.len(), 1);
        assert_eq!(index.children(Some(top[0])).len(), 2);
        assert_eq!(index.name_id("nowhere"), None);
        assert!(index.symbols(Name(9999)).is_empty() && index.children(Some(SymbolId(9999))).is_empty());
    }

    #[test]
    fn an_empty_file_has_empty_rows() {
        let leaf = leaf("");
        assert!(leaf.index().children(None).is_empty());
        assert_eq!(leaf.index().name_id("nowhere"), None);
    }
}
