//! Who calls what, and what follows from it. Every answer is computed from the facts as they are when it is asked for.

mod context;
mod dead;
mod deps;
mod diff;
mod find;
mod flow;
mod reach;
mod setup;
mod uses;

pub(crate) use diff::diff_impact;
pub(crate) use find::distance;

use code::{Facts, Kind, SymbolId};

use crate::answer::{Answer, Item};
use crate::atlas::Atlas;
use crate::error::AtlasError;
use crate::library::{Def, FileId, Library};
use crate::question::{LIMIT, MAX_LIMIT, Question};
use crate::resolve::Resolver;

/// Definitions of one name that are answered for at once; past this the name says too little.
const MAX_MEANT: usize = 24;

pub(crate) fn answer(atlas: &Atlas, question: &Question) -> Result<Answer, AtlasError> {
    let map = Map::new(atlas);
    match question {
        Question::Symbol { name, kind, limit } => find::symbol(&map, name, kind.as_deref(), rows(*limit)),
        Question::Refs { symbol, limit } => uses::sites(&map, symbol, uses::Wanted::All, rows(*limit)),
        Question::Callers { symbol, limit } => uses::sites(&map, symbol, uses::Wanted::Calls, rows(*limit)),
        Question::Callees { symbol, limit } => uses::callees(&map, symbol, rows(*limit)),
        Question::Impact { symbol, depth, limit } => reach::impact(&map, symbol, *depth, rows(*limit)),
        Question::TestsFor { targets, limit } => reach::tests_for(&map, targets, rows(*limit)),
        Question::Dead { under, public, limit } => {
            Ok(dead::dead(&map, under.as_deref(), *public, rows(*limit)))
        }
        Question::Deps { under, files, depth } => Ok(deps::deps(&map, under.as_deref(), *files, *depth)),
        Question::Context { symbol, tokens } => context::context(&map, symbol, *tokens),
        Question::Flow { symbol } => flow::flow(&map, symbol),
        Question::Slice { file, line, variable, forward } => {
            flow::slice(&map, file, *line, variable.as_deref(), *forward)
        }
        Question::Index { .. }
        | Question::Outline { .. }
        | Question::Search { .. }
        | Question::DiffImpact { .. }
        | Question::Status => Err(AtlasError::Unable("this is asked of the map itself".to_owned())),
    }
}

impl Atlas {
    /// Answers from the map as it is; whoever asks has had it brought up to date.
    pub fn reply(&self, question: &Question) -> Result<Answer, AtlasError> {
        match question {
            Question::Outline { file } => self.outline(file),
            _ => answer(self, question),
        }
    }
}

fn rows(limit: Option<usize>) -> usize {
    limit.unwrap_or(LIMIT).clamp(1, MAX_LIMIT)
}

/// A map while one question is answered.
pub(crate) struct Map<'a> {
    pub(crate) atlas: &'a Atlas,
    pub(crate) library: &'a Library,
    pub(crate) resolver: Resolver<'a>,
    known: uses::Known,
}

impl<'a> Map<'a> {
    pub(crate) fn new(atlas: &'a Atlas) -> Self {
        let library = atlas.library();
        Self {
            atlas,
            library,
            resolver: Resolver::new(library, atlas.rules()),
            known: uses::Known::default(),
        }
    }

    pub(crate) fn item(&self, def: Def) -> Item {
        let Some(leaf) = self.library.leaf(def.file) else { return Item::default() };
        item(&leaf.path, leaf.facts(), def.symbol, leaf.is_test)
    }

    fn is_test(&self, def: Def) -> bool {
        let Some((leaf, symbol)) = self.library.leaf(def.file).zip(self.library.symbol(def)) else {
            return false;
        };
        leaf.is_test || is_test(leaf.facts(), def.symbol) || symbol.flags.test
    }

    /// What is told as a test: not what is only given to tests, or runs around them.
    fn is_told_as_test(&self, def: Def) -> bool {
        self.is_test(def) && !self.resolver.serves_tests(def)
    }

    /// The function around a place, however deep it stands in it; else the innermost definition there is.
    fn enclosing(&self, file: FileId, within: Option<SymbolId>) -> Option<Def> {
        let facts = self.library.facts(file)?;
        let within = within?;
        let all = || std::iter::once(within).chain(facts.around(within));
        let callable = all().find(|id| facts.symbol(*id).is_some_and(|symbol| symbol.kind.is_callable()));
        let symbol = callable.or_else(|| {
            all().find(|id| {
                facts.symbol(*id).is_some_and(|symbol| !symbol.flags.block || symbol.kind == Kind::Impl)
            })
        })?;
        Some(Def { file, symbol })
    }
}

/// A test, or inside of one.
fn is_test(facts: &Facts, id: SymbolId) -> bool {
    std::iter::once(id)
        .chain(facts.around(id))
        .any(|id| facts.symbol(id).is_some_and(|symbol| symbol.flags.test))
}

/// A definition as it is answered.
pub(crate) fn item(path: &str, facts: &Facts, id: SymbolId, in_tests: bool) -> Item {
    let Some(symbol) = facts.symbol(id) else { return Item::default() };
    let parent = facts.around(id).find(|at| facts.symbol(*at).is_some_and(|around| !around.flags.block));
    Item {
        file: path.to_owned(),
        line: symbol.span.line,
        end_line: symbol.span.end_line,
        name: facts.qualified(id),
        kind: symbol.kind.name().to_owned(),
        signature: symbol.signature.to_string(),
        doc: symbol.doc.as_deref().map(str::to_owned),
        parent: symbol
            .owner
            .map(|owner| facts.text(owner).to_owned())
            .or_else(|| parent.map(|at| facts.qualified(at))),
        public: symbol.flags.public,
        test: in_tests || is_test(facts, id),
    }
}
