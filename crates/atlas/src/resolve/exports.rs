//! Imports and what modules hand out: followed from file to file until a definition is met.

use code::{Import, Kind, Name, SymbolId};

use super::scopes::{has_name, is_child};
use super::{At, Meaning, Resolver};
use crate::library::FileId;
use crate::modules::{Module, Modules, Target};

impl<'a> Resolver<'a> {
    /// What is imported under this name in this scope.
    pub(super) fn imported(&self, at: At<'a>, scope: Option<SymbolId>, name: Name) -> Option<Meaning> {
        let imports = at.leaf.index().imports(name).iter();
        let mine =
            imports.map(|index| &at.facts.imports[*index as usize]).filter(|import| import.within == scope);
        let mut unknown = None;
        for import in mine {
            // What a file hands on under another name is not called so in the file itself.
            if at.facts.text(import.module).is_empty() {
                continue;
            }
            match self.deeper(|| self.import_meaning(at, import)).unwrap_or(Meaning::Unknown) {
                Meaning::Unknown => unknown = Some(Meaning::Unknown),
                meaning => return Some(meaning),
            }
        }
        unknown
    }

    /// What an import brings.
    pub(crate) fn import_meaning(&self, at: At<'a>, import: &Import) -> Meaning {
        let module = at.facts.text(import.module);
        if module.is_empty() {
            let Some(name) = import.name else { return Meaning::Unknown };
            let here = At { within: import.within, ..at };
            let role = if self.wants_type.get() { code::Role::Type } else { code::Role::Value };
            return self.name(here, at.facts.text(name), role).unwrap_or(Meaning::Unknown);
        }
        match self.module_meaning(at, import) {
            Meaning::Outside => Meaning::Outside,
            Meaning::Unknown => Meaning::Unknown,
            module => {
                // Asked from where the import stands, whoever wants to know.
                let here = At { within: import.within, ..at };
                let member = |name| self.deeper(|| self.member(here, &module, name)).flatten();
                let name = import.name.map(|name| at.facts.text(name));
                let found = match (name, self.rules(at.leaf).and_then(Modules::whole)) {
                    (None, None) => None,
                    (Some(name), None) => return member(name).unwrap_or(Meaning::Unknown),
                    (None, Some(whole)) => member(whole),
                    // A module that is one thing, or has no default, is itself what is brought in by that name.
                    (Some("default"), Some(whole)) => member("default").or_else(|| member(whole)),
                    (Some(name), Some(whole)) => {
                        let of_whole = || self.member(here, &member(whole)?, name);
                        return member(name).or_else(of_whole).unwrap_or(Meaning::Unknown);
                    }
                };
                found.unwrap_or(module)
            }
        }
    }

    /// What an import takes from.
    fn module_meaning(&self, at: At<'a>, import: &Import) -> Meaning {
        let Some(rules) = self.rules(at.leaf) else { return Meaning::Outside };
        let module = at.facts.text(import.module);
        if rules.is_path() {
            return self.path_meaning(At { within: import.within, ..at }, module, import);
        }
        match rules.find(self.library, at.file, module) {
            Target::Outside => Meaning::Outside,
            Target::Missing => Meaning::Unknown,
            Target::Module(module) => Meaning::Module(module),
        }
    }

    /// A path, walked name by name: modules, types, what is handed on.
    fn path_meaning(&self, at: At<'a>, path: &str, import: &Import) -> Meaning {
        let mut parts = path.trim_start_matches("::").split("::").filter(|part| !part.is_empty()).peekable();
        let Some(first) = parts.next() else {
            // `use name;` takes from what is in sight: a crate, or a name of this module.
            let name = import.name.map(|name| at.facts.text(name)).unwrap_or_default();
            return match self.head(at, name) {
                Some(Meaning::Module(_)) => Meaning::Unknown,
                _ => Meaning::Outside,
            };
        };
        self.wanting(false, || self.walk_path(at, first, parts, import))
    }

    fn walk_path<'p>(
        &self,
        at: At<'a>,
        first: &str,
        parts: impl Iterator<Item = &'p str>,
        import: &Import,
    ) -> Meaning {
        let mut meaning = match self.head(at, first) {
            Some(meaning) => meaning,
            None => match self.first_of_path(at, first, import) {
                Some(meaning) => meaning,
                None => return Meaning::Outside,
            },
        };
        for part in parts {
            let next = match (part, &meaning) {
                ("self", _) => Some(meaning.clone()),
                ("super", Meaning::Module(module)) => {
                    let file = module.files.first().copied().unwrap_or(at.file);
                    let there = self.at(file, module.within, u32::MAX);
                    there.and_then(|there| self.head(there, "super"))
                }
                _ => self.deeper(|| self.member(at, &meaning, part)).flatten(),
            };
            match next {
                Some(next) => meaning = next,
                None => return Meaning::Unknown,
            }
        }
        meaning
    }

    /// The first name of a path that needs no import: a module or a type of this module, or something that is imported by
    /// another line.
    fn first_of_path(&self, at: At<'a>, name: &str, import: &Import) -> Option<Meaning> {
        let here = self.head(at, "self")?;
        let Meaning::Module(module) = &here else { return None };
        let there = self.at(at.file, module.within, u32::MAX)?;
        let known = there.leaf.index().name_id(name);
        if let Some(meaning) = known.and_then(|known| self.defined_in(there, module.within, known)) {
            return Some(meaning);
        }
        if let Some(child) = self.rules(at.leaf)?.child(self.library, module, name) {
            return Some(Meaning::Module(child));
        }
        let others =
            there.leaf.index().imports(known?).iter().map(|index| &there.facts.imports[*index as usize]);
        let mut others = others.filter(|other| *other != import && other.within == module.within);
        others.find_map(|other| match self.deeper(|| self.import_meaning(there, other))? {
            Meaning::Unknown => None,
            meaning => Some(meaning),
        })
    }

    /// What a module hands out under this name to whoever asks from there.
    pub(super) fn export(&self, from: At<'a>, module: &Module, name: &str) -> Option<Meaning> {
        let sees_all = self.rules(from.leaf).is_some_and(|rules| {
            rules.imports_are_members() || rules.is_inside(self.library, from.file, from.within, module)
        });
        let how = self.wants() | u8::from(sees_all) << 3;
        self.handed.find(module, name, how, || self.look_in(from, module, name, sees_all))
    }

    fn look_in(&self, from: At<'a>, module: &Module, name: &str, sees_all: bool) -> Option<Meaning> {
        let rules = self.rules(from.leaf);
        // A module and a function may have one name: `mod retry; pub use retry::retry;`.
        let mut only_a_module = None;
        let mut is_outside = false;
        for file in &module.files {
            let Some(there) = self.at(*file, module.within, u32::MAX) else { continue };
            let index = there.leaf.index();
            if let Some(known) = index.name_id(name) {
                match self.defined_in(there, module.within, known) {
                    Some(meaning @ Meaning::Module(_)) if self.wants_value.get() => {
                        only_a_module = Some(meaning);
                    }
                    Some(meaning) => return Some(meaning),
                    None => {}
                }
                let imports = index.imports(known).iter().map(|index| &there.facts.imports[*index as usize]);
                let mine = imports.filter(|import| import.within == module.within);
                for import in mine.filter(|import| import.reexport || sees_all) {
                    match self.deeper(|| self.import_meaning(there, import)).unwrap_or(Meaning::Unknown) {
                        Meaning::Unknown => {}
                        // Another line may bring one of ours; `mod name;` brings nothing by itself.
                        Meaning::Outside => is_outside = true,
                        meaning @ Meaning::Module(_) if self.wants_value.get() => {
                            only_a_module = only_a_module.or(Some(meaning));
                        }
                        meaning => return Some(meaning),
                    }
                }
            }
        }
        if only_a_module.is_some() {
            return only_a_module;
        }
        if is_outside {
            return Some(Meaning::Outside);
        }
        if let Some(child) = rules.and_then(|rules| rules.child(self.library, module, name)) {
            return Some(Meaning::Module(child));
        }
        for file in &module.files {
            let Some(there) = self.at(*file, module.within, u32::MAX) else { continue };
            if let Some(meaning) = self.handed_on(there, module.within, name, sees_all) {
                return Some(meaning);
            }
            // `import a.b` in a module makes `a` one of its names.
            if rules.is_some_and(crate::modules::Modules::imports_are_members)
                && let Some(meaning) = self.bare_import(there, name)
            {
                return Some(meaning);
            }
        }
        if rules.is_some_and(crate::modules::Modules::hands_out_a_type) {
            return module.files.iter().find_map(|file| self.handed_type(*file, name));
        }
        None
    }

    /// A member of the type that a file hands on as a whole.
    fn handed_type(&self, file: FileId, name: &str) -> Option<Meaning> {
        let there = self.at(file, None, u32::MAX)?;
        let tops = there.leaf.index().children(None).iter();
        let mut types = tops.filter(|id| {
            let symbol = &there.facts.symbols[id.0 as usize];
            symbol.kind.is_type() && symbol.flags.public
        });
        types.find_map(|id| self.member_of(crate::library::Def { file, symbol: *id }, name))
    }

    fn defined_in(&self, at: At<'a>, scope: Option<SymbolId>, name: Name) -> Option<Meaning> {
        let ids = at.leaf.index().symbols(name).iter();
        let settings = at.leaf.language.settings();
        let mine = ids.filter(|id| {
            let symbol = &at.facts.symbols[id.0 as usize];
            is_child(at.facts, symbol.parent, scope)
                && symbol.owner.is_none()
                && has_name(symbol.kind, settings)
        });
        // `interface A` beside `const A`.
        let id = mine.min_by_key(|id| {
            let kind = at.facts.symbols[id.0 as usize].kind;
            if self.wants_type.get() { !kind.is_type() } else { matches!(kind, Kind::Interface | Kind::Type) }
        })?;
        Some(self.symbol_meaning(at.leaf, crate::library::Def { file: at.file, symbol: *id }))
    }

    /// By `export * from`, `pub use x::*`, `from x import *`; to whoever sees all, also by those
    /// that are the module's own.
    fn handed_on(&self, at: At<'a>, scope: Option<SymbolId>, name: &str, sees_all: bool) -> Option<Meaning> {
        let mut wild =
            at.leaf.index().wild().iter().map(|index| (*index, &at.facts.imports[*index as usize]));
        wild.find_map(|(index, import)| {
            let handed = import.within == scope && (sees_all || import.reexport);
            handed.then(|| self.through(at, index, import, name)).flatten()
        })
    }

    /// By a wildcard import of this scope.
    pub(super) fn wild(&self, at: At<'a>, scope: Option<SymbolId>, name: &str) -> Option<Meaning> {
        let mut wild =
            at.leaf.index().wild().iter().map(|index| (*index, &at.facts.imports[*index as usize]));
        wild.find_map(|(index, import)| {
            (import.within == scope).then(|| self.through(at, index, import, name)).flatten()
        })
    }

    /// What a wildcard import takes from; asked for with every name that is not found nearer.
    fn source(&self, at: At<'a>, index: u32, import: &Import) -> Option<Meaning> {
        let key = (at.file, index, self.wants());
        if let Some(known) = self.sources.borrow().get(&key) {
            return Some(known.clone());
        }
        let source = self.deeper(|| self.module_meaning(at, import))?;
        self.sources.borrow_mut().insert(key, source.clone());
        Some(source)
    }

    fn through(&self, at: At<'a>, index: u32, import: &Import, name: &str) -> Option<Meaning> {
        let module = self.source(at, index, import)?;
        match &module {
            // Its own file again: a circle, unless it is another module of it.
            Meaning::Module(module) if module.files == [at.file] && module.within == import.within => None,
            Meaning::Module(_) | Meaning::Type(_) => {
                match self.deeper(|| self.member(at, &module, name)).flatten()? {
                    Meaning::Unknown | Meaning::Outside => None,
                    meaning => Some(meaning),
                }
            }
            _ => None,
        }
    }

    /// `import a.b` and `import "x/b"`: the name is the module's own.
    pub(super) fn bare_import(&self, at: At<'a>, name: &str) -> Option<Meaning> {
        let rules = self.rules(at.leaf)?;
        let bare = at.leaf.index().bare().iter().map(|index| &at.facts.imports[*index as usize]);
        let mut found = None;
        for import in bare {
            let called = rules.called(at.facts.text(import.module));
            let Some(called) = called.filter(|called| called.name == name) else { continue };
            match rules.find(self.library, at.file, called.module) {
                Target::Module(module) => return Some(Meaning::Module(module)),
                Target::Outside => found = Some(Meaning::Outside),
                Target::Missing => found = found.or(Some(Meaning::Unknown)),
            }
        }
        found
    }

    /// Every file an import leads to, for the graph of modules.
    pub(crate) fn import_files(&self, file: FileId, import: &Import) -> Vec<FileId> {
        let Some(at) = self.at(file, import.within, import.line) else { return Vec::new() };
        let Some(rules) = self.rules(at.leaf) else { return Vec::new() };
        let module = at.facts.text(import.module);
        if module.is_empty() {
            return Vec::new();
        }
        let Target::Module(found) = rules.find(self.library, file, module) else { return Vec::new() };
        // `from . import prices` leads to the file of prices, not to the package's.
        if let Some(name) = import.name
            && let Some(child) = rules.child(self.library, &found, at.facts.text(name))
            && !child.files.is_empty()
        {
            return child.files;
        }
        found.files
    }
}
