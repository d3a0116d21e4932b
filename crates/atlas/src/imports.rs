//! Imports that lead nowhere: a module that is not there, a name it does not have, a dependency nobody installed. Rather
//! silent than wrong: what cannot be told from files is taken to be right.

mod installed;

use code::{Facts, Import, Kind, SymbolId};

use crate::atlas::Atlas;
use crate::graph::Map;
use crate::library::{FileId, Library};
use crate::modules::{Module, Target};
use crate::resolve::Meaning;

/// Troubles of one file; more are one trouble.
const MAX_TROUBLES: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub line: u32,
    /// The module, as written.
    pub module: String,
    /// What of it, where that is what is missing.
    pub name: Option<String>,
    pub what: What,
    /// What was most likely meant, as a person would say it.
    pub nearest: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The workspace has no such module.
    NoModule,
    /// The module has no such name.
    NoName,
    /// Neither the language nor an installed or declared dependency has it.
    NotInstalled,
}

impl Atlas {
    /// The imports of a file that lead nowhere; only those on these lines, where some are named.
    pub fn import_troubles(&self, path: &str, lines: Option<&[(u32, u32)]>) -> Vec<Trouble> {
        let map = Map::new(self);
        let Some(file) = self.relative(path).and_then(|path| self.library().by_path(path)) else {
            return Vec::new();
        };
        let Some(leaf) = self.library().leaf(file) else { return Vec::new() };
        let Some(rules) = self.rules().of(leaf.language.name) else { return Vec::new() };
        let facts = leaf.facts();
        let mut troubles = Vec::new();
        for import in &facts.imports {
            let wanted = lines.is_none_or(|lines| {
                lines.iter().any(|(from, to)| *from <= import.end_line && import.line <= *to)
            });
            let module = facts.text(import.module);
            if !wanted || module.is_empty() || is_tried(facts, import) {
                continue;
            }
            let name = import.name.map(|name| facts.text(name));
            let trouble = match rules.find(self.library(), file, module) {
                Target::Missing => Some((What::NoModule, nearest_module(self.library(), file, module, name))),
                Target::Outside => (!installed::may_be(self.root(), &leaf.path, leaf.language.name, module))
                    .then(|| (What::NotInstalled, nearest_module(self.library(), file, module, name))),
                Target::Module(found) => match name {
                    Some(name) if lacks(&map, self, file, &found, name, import) => {
                        Some((What::NoName, nearest_name(self, &found, name)))
                    }
                    _ => None,
                },
            };
            if let Some((what, nearest)) = trouble {
                // A path may lead nowhere long before its last name does.
                let gone = (what == What::NoName).then(|| unreached(self, file, module)).flatten();
                let (what, module, nearest) = match gone {
                    Some(gone) => {
                        let nearest = nearest_module(self.library(), file, &gone, name);
                        (What::NoModule, gone, nearest)
                    }
                    None => (what, module.to_owned(), nearest),
                };
                let named = if what == What::NoName { name } else { None };
                let name = named.map(str::to_owned);
                troubles.push(Trouble { line: import.line, module, name, what, nearest });
            }
            if troubles.len() >= MAX_TROUBLES {
                break;
            }
        }
        troubles
    }
}

/// An import that may fail is one the program is ready for: `try: import x`.
fn is_tried(facts: &Facts, import: &Import) -> bool {
    // Twice the same name: one is for where the other is not.
    import.local.is_some() && facts.imports.iter().filter(|other| other.local == import.local).count() > 1
}

/// The beginning of a Rust path that is no module: its rules find files as far as a path has some.
fn unreached(atlas: &Atlas, file: FileId, module: &str) -> Option<String> {
    let (library, leaf) = (atlas.library(), atlas.library().leaf(file)?);
    let rules = atlas.rules().of(leaf.language.name).filter(|_| leaf.language.name == "rust")?;
    let parts: Vec<&str> = module.split("::").collect();
    for end in 2..=parts.len() {
        let (around, whole) = (parts[..end - 1].join("::"), parts[..end].join("::"));
        let (Target::Module(found), Target::Module(same)) =
            (rules.find(library, file, &around), rules.find(library, file, &whole))
        else {
            return None;
        };
        let part = parts[end - 1].trim_start_matches("r#");
        let is_written =
            |file: &FileId| library.leaf(*file).is_none_or(|leaf| leaf.index().name_id(part).is_some());
        if found == same && !matches!(part, "self" | "super" | "crate" | "") {
            // A module within a file, a type, or something that is taken in from elsewhere.
            return (!found.files.iter().any(is_written)).then_some(whole);
        }
    }
    None
}

/// Files that may stand behind one module.
const MAX_BEHIND: usize = 64;

/// The files of a module, and those it takes everything from (`export *`), one behind the other. False: not all of them
/// are in the workspace.
fn behind(atlas: &Atlas, module: &Module) -> (Vec<FileId>, bool) {
    let (library, mut files, mut at) = (atlas.library(), module.files.clone(), 0);
    while let Some(file) = files.get(at).copied() {
        at += 1;
        let Some(leaf) = library.leaf(file).filter(|_| files.len() <= MAX_BEHIND) else {
            return (files, false);
        };
        let facts = leaf.facts();
        // Elsewhere everything may be more than files say: macros in Rust, `__all__` in Python.
        let follows = matches!(leaf.language.name, "typescript" | "tsx" | "javascript");
        for import in facts.imports.iter().filter(|import| import.wildcard) {
            let rules = atlas.rules().of(leaf.language.name).filter(|_| follows);
            match rules.map(|rules| rules.find(library, file, facts.text(import.module))) {
                Some(Target::Module(found)) if !found.files.is_empty() => {
                    for file in found.files {
                        if !files.contains(&file) {
                            files.push(file);
                        }
                    }
                }
                _ => return (files, false),
            }
        }
    }
    (files, true)
}

/// Whether a module surely has no such name.
fn lacks(map: &Map<'_>, atlas: &Atlas, file: FileId, module: &Module, name: &str, import: &Import) -> bool {
    if module.files.is_empty() || name == "default" || name == "*" {
        return false;
    }
    let (files, is_all) = behind(atlas, module);
    if !is_all {
        return false;
    }
    for file in files {
        let Some(leaf) = map.library.leaf(file) else { return false };
        let facts = leaf.facts();
        // What is written in it in any way is not surely missing: a condition, a loop, `globals()[…]`, a macro.
        let written = leaf.index().name_id(name).is_some();
        let makes_names = facts.symbols.iter().any(|symbol| {
            let text = facts.text(symbol.name);
            text == "__getattr__" || symbol.kind == Kind::Macro
        });
        if written || makes_names || facts.broken {
            return false;
        }
    }
    let Some(at) = map.resolver.at(file, import.within, import.line) else { return false };
    map.resolver.import_meaning(at, import) == Meaning::Unknown
}

/// What a module has that is called nearly so.
fn nearest_name(atlas: &Atlas, module: &Module, name: &str) -> Option<String> {
    let library = atlas.library();
    let mut best: Option<(usize, String)> = None;
    for file in behind(atlas, module).0 {
        let Some(facts) = library.facts(file) else { continue };
        for symbol in
            facts.symbols.iter().filter(|symbol| symbol.parent == module.within && !symbol.flags.block)
        {
            let other = facts.text(symbol.name);
            let away = crate::graph::distance(&name.to_lowercase(), &other.to_lowercase());
            if away <= 2.min(name.len() / 3 + 1) && best.as_ref().is_none_or(|(known, _)| away < *known) {
                best = Some((away, format!("{other} is there")));
            }
        }
    }
    best.map(|(_, said)| said).or_else(|| defined_in(library, name))
}

/// Where a name is defined, if only in one place.
fn defined_in(library: &Library, name: &str) -> Option<String> {
    let mut places: Vec<String> = Vec::new();
    for def in library.named(name) {
        let Some((leaf, symbol)) = library.leaf(def.file).zip(library.symbol(def)) else { continue };
        let top = symbol
            .parent
            .and_then(|parent: SymbolId| leaf.facts().symbol(parent))
            .is_none_or(|p| p.kind == Kind::Module);
        if top
            && symbol.kind != Kind::Impl
            && !leaf.is_test
            && !places.iter().any(|known| *known == *leaf.path)
        {
            places.push(leaf.path.to_string());
        }
    }
    match places.as_slice() {
        [only] => Some(format!("{name} is defined in {only}")),
        [first, second] => Some(format!("{name} is defined in {first} and {second}")),
        _ => None,
    }
}

/// A file that is called nearly so, or that defines what is wanted.
fn nearest_module(library: &Library, from: FileId, module: &str, name: Option<&str>) -> Option<String> {
    if let Some(said) = name.and_then(|name| defined_in(library, name)) {
        return Some(said);
    }
    let last = module.rsplit(['/', '.', ':', '\\']).find(|part| !part.is_empty())?.to_lowercase();
    let here = library.leaf(from)?;
    let mut best: Option<(usize, &str)> = None;
    for file in library.files() {
        let Some(leaf) = library.leaf(file).filter(|leaf| crate::resolve::same_family(leaf, here)) else {
            continue;
        };
        let base = leaf.path.rsplit('/').next().unwrap_or(&leaf.path);
        let stem = base.split('.').next().unwrap_or(base);
        // A package goes by its folder.
        let called = if matches!(stem, "__init__" | "index" | "mod" | "lib") {
            leaf.path.rsplit('/').nth(1).unwrap_or(stem)
        } else {
            stem
        };
        let away = crate::graph::distance(&last, &called.to_lowercase());
        if file != from && away <= 2.min(last.len() / 3) && best.is_none_or(|(known, _)| away < known) {
            best = Some((away, &leaf.path));
        }
    }
    best.map(|(_, path)| format!("there is {path}"))
}
