//! Python: packages and modules by folder, relative imports, `__init__`, roots such as `src/`. A folder without an
//! `__init__` is a package where nothing else fits (a namespace); what is installed is of elsewhere.

use std::collections::BTreeSet;

use super::{Called, Module, Modules, Survey, Target};
use crate::library::{FileId, Library, folder_of};

/// Files that a project has at its top.
const MANIFESTS: &[&str] = &["pyproject.toml", "setup.py", "setup.cfg"];
/// Folders below it that hold its packages.
const SOURCES: &[&str] = &["src", "lib", "python"];

#[derive(Debug)]
struct Python {
    /// Folders that hold top-level packages.
    roots: Vec<Box<str>>,
}

pub(super) fn survey(survey: Survey<'_>) -> Box<dyn Modules> {
    let library = survey.library;
    let mut roots = BTreeSet::new();
    for folder in library.folders() {
        if is_package(library, folder) && !is_package(library, folder_of(folder)) {
            roots.insert(folder_of(folder).into());
        }
    }
    // Beside a manifest begins what it is about: there a package may be a folder without an `__init__`.
    for (path, _) in survey.manifests {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if MANIFESTS.contains(&name) {
            let sources = SOURCES.iter().map(|source| join(folder, source));
            roots.extend(sources.filter(|source| library.has_folder(source)).map(String::into_boxed_str));
            roots.insert(folder.into());
        }
    }
    let mut roots: Vec<Box<str>> = roots.into_iter().collect();
    // The workspace itself before what lies deep in it.
    roots.sort_by_key(|root| root.matches('/').count());
    Box::new(Python { roots })
}

fn is_package(library: &Library, folder: &str) -> bool {
    !folder.is_empty() && file(library, folder, "__init__").is_some()
}

/// A module's file, sources before stubs.
fn file(library: &Library, folder: &str, name: &str) -> Option<FileId> {
    let path = join(folder, name);
    [".py", ".pyi"].iter().find_map(|ending| library.by_path(&format!("{path}{ending}")))
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// What is called `name` in a folder: a package, a module, a folder without `__init__`.
fn inside(library: &Library, folder: &str, name: &str) -> Option<Module> {
    let path = join(folder, name);
    if let Some(init) = file(library, &path, "__init__") {
        return Some(Module { files: vec![init], folder: Some(path.into()), within: None });
    }
    if let Some(module) = file(library, folder, name) {
        return Some(Module::of(module));
    }
    library.has_folder(&path).then(|| Module { folder: Some(path.into()), ..Module::default() })
}

fn walk(library: &Library, root: &str, parts: &[&str]) -> Option<Module> {
    let (first, rest) = parts.split_first()?;
    let mut at = inside(library, root, first)?;
    for part in rest {
        at = inside(library, at.folder.as_deref()?, part)?;
    }
    Some(at)
}

impl Modules for Python {
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target {
        let here = folder_of(library.path(from));
        let dots = module.len() - module.trim_start_matches('.').len();
        let parts: Vec<&str> = module.split('.').map(str::trim).filter(|part| !part.is_empty()).collect();
        if dots > 0 {
            let mut folder = here;
            for _ in 1..dots {
                folder = folder_of(folder);
            }
            if parts.is_empty() {
                let files = file(library, folder, "__init__").into_iter().collect();
                return Target::Module(Module { files, folder: Some(folder.into()), within: None });
            }
            return walk(library, folder, &parts).map_or(Target::Missing, Target::Module);
        }
        // A script sees what lies beside it; a package's file does not.
        let above = std::iter::successors(Some(here), |at| (!at.is_empty()).then(|| folder_of(at)))
            .filter(|folder| !is_package(library, folder));
        let mut partial = false;
        for root in above.chain(self.roots.iter().map(|root| &**root)) {
            match walk(library, root, &parts) {
                // A folder without any file of its own is only believed where nothing else fits.
                Some(found) if !found.files.is_empty() => return Target::Module(found),
                Some(_) => {}
                None => {
                    partial |= parts.len() > 1
                        && inside(library, root, parts[0]).is_some_and(|m| !m.files.is_empty());
                }
            }
        }
        if let Some(found) = self.roots.iter().find_map(|root| walk(library, root, &parts)) {
            return Target::Module(found);
        }
        if partial { Target::Missing } else { Target::Outside }
    }

    fn called<'m>(&self, module: &'m str) -> Option<Called<'m>> {
        let first = module.split('.').next().filter(|first| !first.is_empty())?;
        Some(Called { name: first, module: first })
    }

    fn child(&self, library: &Library, of: &Module, name: &str) -> Option<Module> {
        inside(library, of.folder.as_deref()?, name)
    }

    fn imports_are_members(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(paths: &[&str], manifests: &[&str], from: &str, module: &str, expected: &str) {
        let mut library = Library::default();
        let language = code::languages::by_name("python").unwrap();
        for path in paths {
            library.put(path, language, code::facts(language, "").unwrap());
        }
        let manifests: Vec<(String, String)> =
            manifests.iter().map(|path| ((*path).to_owned(), String::new())).collect();
        let rules = survey(Survey { library: &library, manifests: &manifests });
        let said = match rules.find(&library, library.by_path(from).unwrap(), module) {
            Target::Module(module) => match module.files.first() {
                Some(file) => library.path(*file).to_owned(),
                None => module.folder.unwrap_or_default().into_string(),
            },
            Target::Outside => "outside".to_owned(),
            Target::Missing => "missing".to_owned(),
        };
        assert_eq!(said, expected, "{module} from {from}");
    }

    #[test]
    fn packages_are_found_below_their_roots() {
        let paths = [
            "one/src/shop/__init__.py",
            "one/src/shop/store.py",
            "one/src/shop/data/__init__.py",
            "one/src/company/billing/__init__.py",
            "one/src/company/billing/rates.py",
            "one/tests/helpers.py",
            "one/tests/test_store.py",
            "two/tool/__init__.pyi",
            "two/tool/run.py",
            "script.py",
        ];
        let manifests = ["one/pyproject.toml", "two/setup.cfg"];
        for (from, module, expected) in [
            ("one/tests/test_store.py", "shop", "one/src/shop/__init__.py"),
            ("one/tests/test_store.py", "shop.store", "one/src/shop/store.py"),
            ("one/tests/test_store.py", "helpers", "one/tests/helpers.py"),
            ("one/src/shop/store.py", "helpers", "outside"),
            ("one/src/shop/store.py", ".", "one/src/shop/__init__.py"),
            ("one/src/shop/data/__init__.py", "..store", "one/src/shop/store.py"),
            ("one/src/shop/store.py", ".nothing", "missing"),
            ("one/src/shop/store.py", "shop.nothing", "missing"),
            ("one/tests/test_store.py", "company.billing.rates", "one/src/company/billing/rates.py"),
            ("one/tests/test_store.py", "company", "one/src/company"),
            ("one/tests/test_store.py", "tool", "two/tool/__init__.pyi"),
            ("script.py", "tool.run", "two/tool/run.py"),
            ("script.py", "requests", "outside"),
            ("script.py", "json", "outside"),
        ] {
            check(&paths, &manifests, from, module, expected);
        }
    }
}
