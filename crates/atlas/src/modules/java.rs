//! Java, Kotlin, Scala and C#: a package is what files say they belong to, wherever they lie; whoever is in it sees all
//! of it. A path may go on behind its package, into a type.

use std::collections::BTreeMap;
use std::ops::Bound;

use code::SymbolId;

use super::{Called, Module, Modules, Survey, Target};
use crate::leaf::Leaf;
use crate::library::{FileId, Library};

#[derive(Debug)]
struct Packages {
    /// Files by package; one that is only a part of others' names is not among them.
    files: BTreeMap<Box<str>, Vec<FileId>>,
    /// Whether a package sees those it lies in (C#).
    sees_outer: bool,
}

const JVM: &[&str] = &["java", "kotlin", "scala"];

pub(super) fn survey(survey: Survey<'_>) -> Box<dyn Modules> {
    Box::new(Packages::of(survey.library, JVM, false))
}

pub(super) fn survey_csharp(survey: Survey<'_>) -> Box<dyn Modules> {
    Box::new(Packages::of(survey.library, &["csharp"], true))
}

impl Packages {
    fn of(library: &Library, languages: &[&str], sees_outer: bool) -> Self {
        let mut files: BTreeMap<Box<str>, Vec<FileId>> = BTreeMap::new();
        for (file, leaf) in library.leaves() {
            if languages.contains(&leaf.language.name) {
                files.entry(leaf.package().unwrap_or_default().into()).or_default().push(file);
            }
        }
        Self { files, sees_outer }
    }

    /// Whether there is a package of this name, or one inside of it.
    fn has(&self, package: &str) -> bool {
        let from = (Bound::Included(package), Bound::Unbounded);
        let next = self.files.range::<str, _>(from).next();
        next.is_some_and(|(name, _)| behind(name, package).is_some())
    }

    /// The package, or where in one of its files a path behind it leads: `a.b.C.D`.
    fn path(&self, library: &Library, path: &str) -> Option<Module> {
        if let Some(files) = self.files.get(path) {
            return Some(Module { files: files.clone(), ..Module::default() });
        }
        let (package, types) =
            std::iter::successors(path.rsplit_once('.'), |(before, _)| before.rsplit_once('.'))
                .map(|(package, _)| (package, &path[package.len() + 1..]))
                .find(|(package, _)| self.files.contains_key(*package))?;
        let mut parts = types.split('.');
        let (file, mut at) = top(library, self.files.get(package)?, parts.next()?)?;
        for part in parts {
            at = inside(library, file, at, part)?;
        }
        Some(Module { files: vec![file], folder: None, within: Some(at) })
    }

    /// Packages around the one of a file, the nearest first, itself among them.
    fn around<'l>(&self, leaf: &'l Leaf) -> impl Iterator<Item = &'l str> {
        let own = leaf.package().unwrap_or_default();
        let outer = std::iter::successors(Some(own), |at| at.rsplit_once('.').map(|(outer, _)| outer));
        outer.take(if self.sees_outer { usize::MAX } else { 1 })
    }
}

fn behind<'p>(path: &'p str, package: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(package)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('.') }
}

/// A type at the top of one of these files.
fn top(library: &Library, files: &[FileId], name: &str) -> Option<(FileId, SymbolId)> {
    let defining = library.defining(name);
    let mut known = files.iter().copied().filter(|file| defining.contains(file));
    known.find_map(|file| {
        let leaf = library.leaf(file)?;
        let facts = leaf.facts();
        let mut ids = leaf.index().symbols(leaf.index().name_id(name)?).iter();
        let is_top = |id: &&SymbolId| {
            let symbol = &facts.symbols[id.0 as usize];
            // A namespace around it is the package itself.
            symbol.owner.is_none()
                && facts.around(**id).all(|around| facts.symbol(around).is_some_and(|a| a.flags.block))
        };
        ids.find(is_top).map(|id| (file, *id))
    })
}

fn inside(library: &Library, file: FileId, of: SymbolId, name: &str) -> Option<SymbolId> {
    let leaf = library.leaf(file)?;
    let mut ids = leaf.index().symbols(leaf.index().name_id(name)?).iter();
    ids.find(|id| leaf.facts().symbols[id.0 as usize].parent == Some(of)).copied()
}

impl Modules for Packages {
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target {
        let module = module.strip_prefix("global::").unwrap_or(module);
        let written = || self.path(library, module);
        // `using Orders` inside of `Shop`, `import model.Order` inside of Scala's `shop`.
        let relative = || {
            let leaf = library.leaf(from)?;
            self.around(leaf).find_map(|package| {
                if package.is_empty() { None } else { self.path(library, &format!("{package}.{module}")) }
            })
        };
        written().or_else(relative).map_or(Target::Outside, Target::Module)
    }

    fn called<'m>(&self, _module: &'m str) -> Option<Called<'m>> {
        None
    }

    fn siblings(&self, library: &Library, file: FileId) -> Vec<FileId> {
        let Some(leaf) = library.leaf(file) else { return Vec::new() };
        let seen = self.around(leaf).filter_map(|package| self.files.get(package)).flatten();
        seen.copied().filter(|other| *other != file).collect()
    }

    fn child(&self, library: &Library, of: &Module, name: &str) -> Option<Module> {
        // A path that is written out: `com.example.Shop`. Its packages are kept where others have folders.
        if let Some(package) = of.folder.as_deref() {
            let longer = format!("{package}.{name}");
            if !self.has(&longer) {
                return None;
            }
            let files = self.files.get(longer.as_str()).cloned().unwrap_or_default();
            return Some(Module { files, folder: Some(longer.into()), within: None });
        }
        if of.within.is_some() {
            return None;
        }
        // For the graph of files: the one of a package that has the name.
        let (file, _) = top(library, &of.files, name)?;
        Some(Module::of(file))
    }

    fn root(&self, library: &Library, from: FileId, _within: Option<SymbolId>, name: &str) -> Option<Target> {
        let leaf = library.leaf(from)?;
        let inner = self.around(leaf).filter(|package| self.sees_outer && !package.is_empty());
        let mut paths = inner.map(|package| format!("{package}.{name}")).chain([name.to_owned()]);
        let path = paths.find(|path| self.has(path))?;
        let files = self.files.get(path.as_str()).cloned().unwrap_or_default();
        Some(Target::Module(Module { files, folder: Some(path.into()), within: None }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(files: &[(&str, &str)]) -> Library {
        let mut library = Library::default();
        for (path, text) in files {
            let language = code::languages::of_path(path).unwrap();
            library.put(path, language, code::facts(language, text).unwrap());
        }
        library
    }

    fn found(library: &Library, rules: &dyn Modules, from: &str, module: &str) -> String {
        match rules.find(library, library.by_path(from).unwrap(), module) {
            Target::Module(module) => {
                let files: Vec<&str> = module.files.iter().map(|file| library.path(*file)).collect();
                let within = module.within.map(|id| library.facts(module.files[0]).unwrap().qualified(id));
                format!("{}{}", files.join(" "), within.map_or(String::new(), |name| format!(":{name}")))
            }
            Target::Outside => "outside".to_owned(),
            Target::Missing => "missing".to_owned(),
        }
    }

    #[test]
    fn a_package_is_what_files_say_and_a_path_may_lead_into_a_type() {
        let library = library(&[
            ("src/A.java", "package com.example;\nclass A { static class B { enum C { X } } }\n"),
            ("other/Util.kt", "package com.example\nfun util() = 1\n"),
            ("src/D.java", "package com.example.deep;\nclass D {}\n"),
            ("Main.java", "class Main {}\n"),
        ]);
        let rules = survey(Survey { library: &library, manifests: &[] });
        for (module, expected) in [
            ("com.example", "src/A.java other/Util.kt"),
            ("com.example.deep", "src/D.java"),
            ("com.example.A", "src/A.java:A"),
            ("com.example.A.B.C", "src/A.java:A.B.C"),
            ("com.example.Nothing", "outside"),
            ("java.util", "outside"),
        ] {
            assert_eq!(found(&library, &*rules, "Main.java", module), expected, "{module}");
        }
        let from = library.by_path("src/D.java").unwrap();
        let Some(Target::Module(com)) = rules.root(&library, from, None, "com") else { panic!("com") };
        let example = rules.child(&library, &com, "example").unwrap();
        assert_eq!((com.files.len(), example.files.len()), (0, 2));
        assert!(rules.root(&library, from, None, "org").is_none());
        assert!(rules.siblings(&library, from).is_empty());
    }

    #[test]
    fn a_namespace_sees_those_it_lies_in() {
        let library = library(&[
            ("a.cs", "namespace Shop { class A {} namespace Inner { class B {} } }\n"),
            ("b.cs", "namespace Shop.Orders;\nclass C {}\n"),
            ("c.cs", "namespace Other;\nclass D {}\n"),
        ]);
        let rules = survey_csharp(Survey { library: &library, manifests: &[] });
        let beside = rules.siblings(&library, library.by_path("b.cs").unwrap());
        let beside: Vec<&str> = beside.iter().map(|file| library.path(*file)).collect();
        assert_eq!(beside, ["a.cs"]);
        assert_eq!(found(&library, &*rules, "b.cs", "Shop"), "a.cs");
        assert_eq!(found(&library, &*rules, "c.cs", "Shop.Orders"), "b.cs");
        assert_eq!(found(&library, &*rules, "c.cs", "global::Shop.Orders.C"), "b.cs:C");
        assert_eq!(found(&library, &*rules, "c.cs", "System.Linq"), "outside");
    }
}
