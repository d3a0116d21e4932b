//! What runs because a test runs, without being called by it: fixtures that it names, what is set up before it.

use code::{Place, SymbolId};

use super::Map;
use crate::library::{Def, folder_of};
use crate::resolve::is_run_by_framework;

/// Whoever runs this by being run itself, with the line that says so.
pub(super) fn runs_with(map: &Map<'_>, def: Def) -> Vec<(Def, u32)> {
    if map.resolver.is_fixture(def) {
        given_to(map, def).unwrap_or_default()
    } else if map.resolver.is_around_tests(def) {
        beside(map, def).unwrap_or_default()
    } else {
        Vec::new()
    }
}

/// Tests, and other fixtures, that have a parameter of a fixture's name and mean that one.
fn given_to(map: &Map<'_>, fixture: Def) -> Option<Vec<(Def, u32)>> {
    let leaf = map.library.leaf(fixture.file)?;
    let name = leaf.facts().text(map.library.symbol(fixture)?.name);
    let folder = folder_of(&leaf.path);
    // Files elsewhere need not be unpacked.
    let near = map.library.mentioning(name).iter().copied();
    let near = near.filter(|file| map.library.path(*file).starts_with(folder));
    let mut found = Vec::new();
    for file in near {
        let Some(other) = map.library.leaf(file) else { continue };
        let Some(known) = other.index().name_id(name) else { continue };
        for binding in other.index().bindings(known) {
            let binding = &other.facts().bindings[*binding as usize];
            let Some(symbol) = binding.scope.filter(|_| binding.place == Place::Parameter) else { continue };
            let taker = Def { file, symbol };
            if map.resolver.fixture(taker, binding) == Some(fixture) {
                found.push((taker, binding.line));
            }
        }
    }
    Some(found)
}

/// The tests of the type, or of the file, that it stands in.
fn beside(map: &Map<'_>, around: Def) -> Option<Vec<(Def, u32)>> {
    let (facts, symbol) = map.library.facts(around.file).zip(map.library.symbol(around))?;
    let is_inside = |id| symbol.parent.is_none_or(|parent| facts.around(id).any(|at| at == parent));
    let all = (0..facts.symbols.len()).map(|id| SymbolId(id as u32));
    let tests = all
        .filter(|id| is_run_by_framework(facts, *id) && is_inside(*id))
        .map(|symbol| Def { file: around.file, symbol })
        .filter(|def| !map.resolver.serves_tests(*def));
    Some(tests.map(|def| (def, symbol.span.line)).collect())
}
