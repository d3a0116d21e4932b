//! Elixir: a module is found by its whole name, whatever file it is in; one inside of another has the other's name before
//! its own.

use std::collections::{BTreeMap, BTreeSet};

use code::{Facts, Kind, SymbolId};

use super::{Called, Module, Modules, Survey, Target};
use crate::library::{Def, FileId, Library};

#[derive(Debug)]
struct Elixir {
    modules: BTreeMap<Box<str>, Def>,
    /// `Shop` of `Shop.Store`, which may be no module itself.
    prefixes: BTreeSet<Box<str>>,
}

pub(super) fn survey(survey: Survey<'_>) -> Box<dyn Modules> {
    let mut modules = BTreeMap::new();
    let mut prefixes = BTreeSet::new();
    for (def, kind, name) in survey.library.definitions() {
        let is_module = matches!(kind, Kind::Module | Kind::Interface);
        let is_elixir = survey.library.leaf(def.file).is_some_and(|leaf| leaf.language.name == "elixir");
        if !is_module || !is_elixir {
            continue;
        }
        // Only what may stand in another is looked at more closely: a whole name says all.
        let whole = match survey.library.facts(def.file) {
            Some(facts) if !name.contains('.') => facts.qualified(def.symbol),
            _ => name.to_owned(),
        };
        for (at, _) in whole.match_indices('.') {
            prefixes.insert(whole[..at].into());
        }
        modules.entry(whole.into()).or_insert(def);
    }
    Box::new(Elixir { modules, prefixes })
}

impl Elixir {
    fn module(&self, name: &str) -> Option<Module> {
        if let Some((name, def)) = self.modules.get_key_value(name) {
            return Some(Module {
                files: vec![def.file],
                folder: Some(name.clone()),
                within: Some(def.symbol),
            });
        }
        let prefix = self.prefixes.get(name)?;
        Some(Module { folder: Some(prefix.clone()), ..Module::default() })
    }
}

/// The module around a place.
fn around(facts: &Facts, within: Option<SymbolId>) -> Option<SymbolId> {
    let own = within.into_iter();
    let mut all = own.chain(within.into_iter().flat_map(|within| facts.around(within)));
    all.find(|id| facts.symbol(*id).is_some_and(|symbol| symbol.kind == Kind::Module))
}

impl Modules for Elixir {
    fn find(&self, _library: &Library, _from: FileId, module: &str) -> Target {
        self.module(module).map_or(Target::Outside, Target::Module)
    }

    fn called<'m>(&self, module: &'m str) -> Option<Called<'m>> {
        Some(Called { name: module.rsplit('.').next().unwrap_or(module), module })
    }

    fn child(&self, _library: &Library, of: &Module, name: &str) -> Option<Module> {
        self.module(&format!("{}.{name}", of.folder.as_deref()?))
    }

    /// A module by its whole name, or by what follows the name of the one around it; `self` is the one around.
    fn root(&self, library: &Library, from: FileId, within: Option<SymbolId>, name: &str) -> Option<Target> {
        let facts = library.facts(from)?;
        let own = around(facts, within);
        if name == "self" {
            let within = Some(own?);
            return Some(Target::Module(Module { files: vec![from], folder: None, within }));
        }
        if !name.starts_with(char::is_uppercase) {
            return None;
        }
        let inner = own.and_then(|own| self.module(&format!("{}.{name}", facts.qualified(own))));
        Some(inner.or_else(|| self.module(name)).map_or(Target::Outside, Target::Module))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_found_by_its_whole_name() {
        let mut library = Library::default();
        let language = code::languages::by_name("elixir").unwrap();
        for (path, text) in [
            ("lib/store.ex", "defmodule Shop.Store do\n  defmodule Inner do\n  end\nend\n"),
            ("lib/item.ex", "defmodule Shop.Item do\nend\n"),
        ] {
            library.put(path, language, code::facts(language, text).unwrap());
        }
        let rules = survey(Survey { library: &library, manifests: &[] });
        let from = library.by_path("lib/item.ex").unwrap();
        let said = |target: Target| match target {
            Target::Module(Module { files, within, .. }) => match files.first() {
                Some(file) => {
                    let name = within.map(|id| library.facts(*file).unwrap().qualified(id));
                    format!("{} {}", library.path(*file), name.unwrap_or_default())
                }
                None => "no file".to_owned(),
            },
            _ => "outside".to_owned(),
        };
        for (module, expected) in [
            ("Shop.Store", "lib/store.ex Shop.Store"),
            ("Shop.Store.Inner", "lib/store.ex Shop.Store.Inner"),
            ("Shop", "no file"),
            ("Enum", "outside"),
        ] {
            assert_eq!(said(rules.find(&library, from, module)), expected, "{module}");
        }
        let Target::Module(shop) = rules.find(&library, from, "Shop") else { panic!() };
        let item = rules.child(&library, &shop, "Item").unwrap();
        assert_eq!(said(Target::Module(item)), "lib/item.ex Shop.Item");
        assert_eq!(rules.called("Shop.Item").map(|called| called.name), Some("Item"));
    }
}
