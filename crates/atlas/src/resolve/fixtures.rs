//! What a test is given by the name of a parameter: a fixture of its file, or of a file that shares its fixtures with the
//! folder it lies in. And what runs around tests without being called by them.

use code::{Binding, Facts, Place, SymbolId};

use super::written::Written;
use super::{At, Meaning, Resolver};
use crate::library::{Def, FileId, folder_of};

impl<'a> Resolver<'a> {
    /// What a parameter without a type holds, where a test framework gives it.
    pub(super) fn lent(&self, at: At<'a>, binding: &Binding) -> Meaning {
        let taker = binding.scope.map(|symbol| Def { file: at.file, symbol });
        let Some(fixture) = taker.and_then(|taker| self.fixture(taker, binding)) else {
            return Meaning::Unknown;
        };
        let lent = &at.leaf.language.settings().tests.lent;
        let returns = self.library.symbol(fixture).and_then(|symbol| symbol.returns);
        let written =
            returns.zip(self.library.facts(fixture.file)).map(|(returns, facts)| facts.text(returns));
        let is_lent = written
            .and_then(Written::read)
            .is_some_and(|written| written.path.last().is_some_and(|last| lent.contains(last)));
        match self.returned(fixture, None) {
            Meaning::Value(ty) if is_lent => Meaning::Value(ty.inside()),
            given => given,
        }
    }

    /// The fixture that a parameter is given: the nearest, and none that would give itself.
    pub(crate) fn fixture(&self, taker: Def, parameter: &Binding) -> Option<Def> {
        let leaf = self.library.leaf(taker.file)?;
        let (tests, facts) = (&leaf.language.settings().tests, leaf.facts());
        // A parameter of a function without a name, inside of a test, ends with that.
        let takes = parameter.place == Place::Parameter
            && parameter.until == u32::MAX
            && parameter.value.is_none()
            && is_run_by_framework(facts, taker.symbol);
        let name = facts.text(parameter.name);
        if !takes || tests.fixtures.is_empty() || self.library.defining(name).is_empty() {
            return None;
        }
        let mut folder = Some(folder_of(&leaf.path));
        let above = std::iter::from_fn(|| {
            let at = folder?;
            folder = (!at.is_empty()).then(|| folder_of(at));
            Some(at)
        });
        let shared = above.flat_map(|folder| {
            tests.shared.iter().filter_map(move |file| {
                let path = if folder.is_empty() { file.clone() } else { format!("{folder}/{file}") };
                self.library.by_path(&path)
            })
        });
        std::iter::once(taker.file).chain(shared).find_map(|file| self.fixture_of(file, taker, name))
    }

    /// The innermost fixture of a file that is in a taker's sight.
    fn fixture_of(&self, file: FileId, taker: Def, name: &str) -> Option<Def> {
        let leaf = self.library.leaf(file)?;
        let facts = leaf.facts();
        let is_in_sight = |def: &Def| {
            let parent = facts.symbol(def.symbol).and_then(|symbol| symbol.parent);
            let is_around = |parent| file == taker.file && facts.around(taker.symbol).any(|at| at == parent);
            *def != taker && parent.is_none_or(is_around) && self.is_fixture(*def)
        };
        let named = leaf.index().symbols(leaf.index().name_id(name)?).iter();
        named
            .map(|symbol| Def { file, symbol: *symbol })
            .filter(is_in_sight)
            .max_by_key(|def| facts.around(def.symbol).count())
    }

    /// No test itself: given to tests, or run around them.
    pub(crate) fn serves_tests(&self, def: Def) -> bool {
        self.is_fixture(def) || self.is_around_tests(def)
    }

    pub(crate) fn is_fixture(&self, def: Def) -> bool {
        let leaf = self.library.leaf(def.file);
        leaf.is_some_and(|leaf| is_marked(leaf.facts(), def.symbol, &leaf.language.settings().tests.fixtures))
    }

    /// Whether it runs around the tests that stand beside it.
    pub(crate) fn is_around_tests(&self, def: Def) -> bool {
        self.library.leaf(def.file).is_some_and(|leaf| {
            let (facts, around) = (leaf.facts(), &leaf.language.settings().tests.around);
            let name = facts.symbol(def.symbol).map(|symbol| facts.text(symbol.name));
            name.is_some_and(|name| around.iter().any(|known| known == name))
                || is_marked(facts, def.symbol, around)
        })
    }
}

/// A test or a fixture, and not what is defined inside of one.
pub(crate) fn is_run_by_framework(facts: &Facts, id: SymbolId) -> bool {
    let is_test = |id| facts.symbol(id).is_some_and(|symbol| symbol.flags.test);
    facts.symbol(id).is_some_and(|symbol| {
        symbol.kind.is_callable() && symbol.flags.test && !symbol.parent.is_some_and(is_test)
    })
}

fn is_marked(facts: &Facts, id: SymbolId, known: &[String]) -> bool {
    let symbol = facts.symbol(id).filter(|symbol| symbol.kind.is_callable());
    symbol.is_some_and(|symbol| {
        symbol.marks.iter().any(|mark| {
            let last = facts.text(*mark).rsplit(['.', ':']).next();
            known.iter().any(|known| Some(known.as_str()) == last)
        })
    })
}
