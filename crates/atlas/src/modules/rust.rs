//! Rust: crates by their manifests, modules by where their files lie. A path is walked by whoever resolves, name by name,
//! because any step of it may be a module inside of a file, an enum or something that is handed on.

use std::path::Path;

use std::collections::{HashMap, HashSet};

use code::{Kind, SymbolId};

use super::{Called, Module, Modules, Survey, Target};
use crate::library::{FileId, Library, folder_of};

/// Modules inside of modules; more are a circle.
const MAX_NESTED: usize = 32;

#[derive(Debug)]
struct Rust {
    /// Folders of packages, the deepest first.
    packages: Vec<String>,
    /// Names of libraries, as paths write them, and their root files.
    libraries: HashMap<String, String>,
    /// Files that manifests name as roots of crates, wherever they lie.
    roots: HashSet<String>,
    /// What a package calls a dependency, and what that is called itself.
    renamed: HashMap<(String, String), String>,
}

/// A name a manifest gives to a dependency.
#[derive(Debug, PartialEq, Eq)]
struct Alias<'t> {
    name: &'t str,
    /// What the package is called itself. `None`: as the workspace says.
    package: Option<&'t str>,
    /// Said for all packages of a workspace, and to those that ask for it.
    shared: bool,
}

pub(super) fn survey(survey: Survey<'_>) -> Box<dyn Modules> {
    let (mut packages, mut libraries) = (Vec::new(), HashMap::new());
    let (mut roots, mut renamed) = (HashSet::new(), HashMap::new());
    let (mut shared, mut inherited) = (HashMap::new(), Vec::new());
    for (path, text) in
        survey.manifests.iter().filter(|(path, _)| path.rsplit('/').next() == Some("Cargo.toml"))
    {
        let folder = folder_of(path).to_owned();
        for alias in aliases(text) {
            let key = (folder.clone(), alias.name.replace('-', "_"));
            match alias.package.map(|package| package.replace('-', "_")) {
                Some(package) if alias.shared => drop(shared.insert(key, package)),
                Some(package) => drop(renamed.insert(key, package)),
                None => inherited.push(key),
            }
        }
        roots.extend(named_roots(text).map(|root| join(&folder, root)));
        let Some(name) = value(text, "[package]", "name") else { continue };
        let lib = value(text, "[lib]", "path").unwrap_or("src/lib.rs");
        let name = value(text, "[lib]", "name").unwrap_or(name).replace('-', "_");
        libraries.insert(name, join(&folder, lib));
        packages.push(folder);
    }
    for (folder, alias) in inherited {
        // The workspace of a package is the nearest one around it.
        let mut around = folder.as_str();
        let package = loop {
            match shared.get(&(around.to_owned(), alias.clone())) {
                None if !around.is_empty() => around = folder_of(around),
                found => break found,
            }
        };
        if let Some(package) = package {
            renamed.insert((folder, alias), package.clone());
        }
    }
    packages.sort_by_key(|folder| std::cmp::Reverse(folder.len()));
    if packages.is_empty() {
        packages.push(String::new());
    }
    Box::new(Rust { packages, libraries, roots, renamed })
}

/// `a` of `a = { package = "b" }`, `a = { workspace = true }` and `a.workspace = true`, and of a table of its own, in whatever
/// table of dependencies.
fn aliases(text: &str) -> impl Iterator<Item = Alias<'_>> {
    let mut table = "";
    text.lines().map(str::trim).filter_map(move |line| {
        if let Some(header) = line.strip_prefix('[') {
            table = header.split(']').next().unwrap_or_default().trim_matches('[');
            return None;
        }
        let (key, rest) = line.split_once('=')?;
        let (key, rest) = (key.trim(), rest.trim());
        let (of, own) = table.rsplit_once('.').unwrap_or(("", table));
        let (name, field) = match key.split_once('.') {
            _ if of.ends_with("dependencies") => (own, Some(key)),
            _ if !own.ends_with("dependencies") => return None,
            Some((name, field)) => (name, Some(field)),
            None => (key, None),
        };
        let said = |word: &str| {
            if let Some(field) = field {
                return (field == word).then_some(rest);
            }
            let mut fields = rest.strip_prefix('{')?.split(',').filter_map(|part| part.split_once('='));
            fields.find(|(field, _)| field.trim() == word).map(|(_, value)| value.trim())
        };
        let package = said("package").and_then(|value| value.split('"').nth(1));
        let inherits = said("workspace").is_some_and(|value| value.starts_with("true"));
        let shared = table.starts_with("workspace.");
        (package.is_some() || inherits).then(|| Alias { name: name.trim_matches('"'), package, shared })
    })
}

/// The paths of programs, tests and examples that do not lie where they usually do.
fn named_roots(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().map(str::trim).filter_map(move |line| {
        if line.starts_with('[') {
            inside = matches!(line, "[[bin]]" | "[[test]]" | "[[example]]" | "[[bench]]");
            return None;
        }
        let (key, value) = line.split_once('=').filter(|_| inside)?;
        (key.trim() == "path").then(|| value.split('"').nth(1)).flatten()
    })
}

/// A key of a table, as manifests write them.
fn value<'t>(text: &'t str, table: &str, key: &str) -> Option<&'t str> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line == table;
        } else if inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return value.trim().split('"').nth(1);
        }
    }
    None
}

fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
}

fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.strip_suffix(".rs").unwrap_or(file)
}

impl Rust {
    fn package_of(&self, path: &str) -> &str {
        let holds = |folder: &&String| {
            folder.is_empty() || path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        self.packages.iter().find(holds).map_or("", String::as_str)
    }

    /// Whether a file is the root of a crate: a library, a program, a test, an example.
    fn is_root(&self, path: &str) -> bool {
        if self.roots.contains(path) {
            return true;
        }
        let inside = path.strip_prefix(self.package_of(path)).unwrap_or(path).trim_start_matches('/');
        let depth = inside.matches('/').count();
        let first = inside.split('/').next().unwrap_or_default();
        let name = stem(inside);
        match first {
            "src" => {
                depth == 1 && matches!(name, "lib" | "main")
                    || inside.starts_with("src/bin/") && (depth == 2 || depth == 3 && name == "main")
                    || self.libraries.values().any(|root| root == path)
            }
            "tests" | "examples" | "benches" => depth == 1 || depth == 2 && name == "main",
            _ => depth == 0 || self.libraries.values().any(|root| root == path),
        }
    }

    /// The root of the crate a file belongs to. Of a library and a program in one package both may be meant.
    fn crate_of(&self, library: &Library, path: &str) -> Module {
        if self.is_root(path) && stem(path) != "lib" {
            return library.by_path(path).map(Module::of).unwrap_or_default();
        }
        let package = self.package_of(path);
        let inside = path.strip_prefix(package).unwrap_or(path).trim_start_matches('/');
        // A file below a test's folder belongs to that test; below `src/bin/x/` to that program.
        let mut folder = folder_of(path);
        while folder.len() > package.len() && !inside.starts_with("src/") || folder.contains("src/bin/") {
            let main = join(folder, "main.rs");
            if self.is_root(&main)
                && let Some(file) = library.by_path(&main)
            {
                return Module::of(file);
            }
            folder = folder_of(folder);
        }
        let own = self.libraries.values().filter(|root| self.package_of(root) == package).map(String::as_str);
        let usual = [join(package, "src/lib.rs"), join(package, "src/main.rs")];
        let mut files: Vec<FileId> =
            own.chain(usual.iter().map(String::as_str)).filter_map(|root| library.by_path(root)).collect();
        files.dedup();
        Module { files, folder: None, within: None }
    }

    /// The folder the modules of a file lie in.
    fn inner_folder(&self, path: &str) -> String {
        if self.is_root(path) || stem(path) == "mod" {
            folder_of(path).to_owned()
        } else {
            join(folder_of(path), stem(path))
        }
    }

    fn parent(&self, library: &Library, path: &str) -> Module {
        if self.is_root(path) {
            return library.by_path(path).map(Module::of).unwrap_or_default();
        }
        let folder = if stem(path) == "mod" { folder_of(folder_of(path)) } else { folder_of(path) };
        let usual = [format!("{folder}.rs"), join(folder, "mod.rs")];
        let above = usual.iter().filter(|above| *above != path).find_map(|above| library.by_path(above));
        above.map_or_else(|| self.crate_of(library, path), Module::of)
    }
}

/// The file that `#[path]` says a module is in.
fn said_path<'l>(library: &'l Library, file: FileId, name: &str) -> Option<&'l str> {
    let facts = library.facts(file)?;
    let is_said = |import: &&code::Import| {
        import.name.is_none() && import.local.is_some_and(|local| facts.text(local) == name)
    };
    let path = facts.imports.iter().find(is_said).map(|import| facts.text(import.module))?;
    Path::new(path).extension().is_some_and(|extension| extension == "rs").then_some(path)
}

/// Where a relative path leads. `None`: out of the workspace.
fn below(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The module inside of a file that a definition stands in.
fn inline(library: &Library, file: FileId, within: Option<SymbolId>) -> Option<SymbolId> {
    let facts = library.facts(file)?;
    let within = within?;
    std::iter::once(within).chain(facts.around(within)).find(|id| {
        facts.symbol(*id).is_some_and(|symbol| symbol.kind == Kind::Module && !symbol.flags.declared)
    })
}

impl Modules for Rust {
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target {
        // For whoever wants files, not names: as far as the path is modules.
        let mut parts = module.trim_start_matches("::").split("::").peekable();
        let first = parts.peek().copied().unwrap_or_default();
        // A module that lies beside is meant before a crate of its name: `mod engine; pub use engine::Engine;`.
        let beside =
            if module.starts_with("::") { None } else { self.child(library, &Module::of(from), first) };
        let mut at = match beside.map(Target::Module).or_else(|| self.root(library, from, None, first)) {
            Some(Target::Module(module)) => {
                parts.next();
                module
            }
            Some(other) => return other,
            None => return Target::Outside,
        };
        for part in parts {
            match part {
                "super" => {
                    at = at
                        .files
                        .first()
                        .map(|file| self.parent(library, library.path(*file)))
                        .unwrap_or_default();
                }
                "self" => {}
                part => match self.child(library, &at, part) {
                    Some(module) => at = module,
                    None => break,
                },
            }
        }
        Target::Module(at)
    }

    fn called<'m>(&self, _module: &'m str) -> Option<Called<'m>> {
        None
    }

    fn child(&self, library: &Library, of: &Module, name: &str) -> Option<Module> {
        if of.within.is_some() {
            return None;
        }
        let name = name.strip_prefix("r#").unwrap_or(name);
        of.files.iter().find_map(|file| {
            if let Some(said) = said_path(library, *file, name) {
                let path = below(folder_of(library.path(*file)), said)?;
                return library.by_path(&path).map(Module::of);
            }
            let folder = self.inner_folder(library.path(*file));
            let lies = [join(&folder, &format!("{name}.rs")), join(&folder, &format!("{name}/mod.rs"))];
            lies.iter()
                .filter(|path| !self.is_root(path))
                .find_map(|path| library.by_path(path))
                .map(Module::of)
        })
    }

    fn root(&self, library: &Library, from: FileId, within: Option<SymbolId>, name: &str) -> Option<Target> {
        let path = library.path(from);
        let inside = inline(library, from, within);
        let found = match name {
            "crate" | "$crate" => self.crate_of(library, path),
            "self" => Module { files: vec![from], folder: None, within: inside },
            "super" => match inside {
                Some(inside) => {
                    let parent = library.facts(from).and_then(|facts| facts.symbol(inside)?.parent);
                    Module { files: vec![from], folder: None, within: inline(library, from, parent) }
                }
                None => self.parent(library, path),
            },
            "std" | "core" | "alloc" | "proc_macro" | "test" => return Some(Target::Outside),
            name => {
                let key = (self.package_of(path).to_owned(), name.to_owned());
                let name = self.renamed.get(&key).map_or(name, String::as_str);
                Module::of(library.by_path(self.libraries.get(name)?)?)
            }
        };
        Some(Target::Module(found))
    }

    fn is_path(&self) -> bool {
        true
    }

    fn is_inside(&self, library: &Library, from: FileId, within: Option<SymbolId>, module: &Module) -> bool {
        if module.files.contains(&from) {
            let Some(facts) = library.facts(from) else { return false };
            let mut around = within.into_iter().flat_map(|id| std::iter::once(id).chain(facts.around(id)));
            return module.within.is_none_or(|inline| around.any(|id| id == inline));
        }
        // The files of modules that are written inside of a file are not looked for, so none is inside of such.
        if module.within.is_some() {
            return false;
        }
        let mut path = library.path(from);
        for _ in 0..MAX_NESTED {
            if self.is_root(path) {
                return false;
            }
            let parent = self.parent(library, path);
            if parent.files.iter().any(|file| module.files.contains(file)) {
                return true;
            }
            match parent.files.first() {
                Some(file) if library.path(*file) != path => path = library.path(*file),
                _ => return false,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(files: &[(&str, &str)]) -> Library {
        let mut library = Library::default();
        let language = code::languages::by_name("rust").unwrap();
        for (path, text) in files {
            library.put(path, language, code::facts(language, text).unwrap());
        }
        library
    }

    #[test]
    fn a_path_leads_to_a_file_however_it_is_said() {
        let library = library(&[
            ("shop/src/lib.rs", "mod store;\n#[path = \"old/tax.rs\"]\nmod tax;\n"),
            ("shop/src/store.rs", "mod shelf;"),
            ("shop/src/store/shelf.rs", ""),
            ("shop/src/old/tax.rs", ""),
            ("shop/src/bin/open.rs", ""),
            ("shop/tools/close.rs", "mod shut;"),
            ("shop/tools/shut.rs", ""),
            ("till/src/lib.rs", "pub mod drawer;"),
            ("till/src/drawer/mod.rs", "mod coin;"),
            ("till/src/drawer/coin.rs", ""),
        ]);
        let manifests = [
            (
                "shop/Cargo.toml".to_owned(),
                "[package]\nname = \"the-shop\"\n[dependencies]\ncash = { package = \"till\", path = \"../till\" }\n\
                 [[bin]]\nname = \"close\"\npath = \"tools/close.rs\"\n"
                    .to_owned(),
            ),
            ("till/Cargo.toml".to_owned(), "[package]\nname = \"till\"\n".to_owned()),
        ];
        let rules = survey(Survey { library: &library, manifests: &manifests });
        for (from, module, expected) in [
            ("shop/src/lib.rs", "crate::store::shelf", "shop/src/store/shelf.rs"),
            ("shop/src/store/shelf.rs", "super::super::tax", "shop/src/old/tax.rs"),
            ("shop/src/store.rs", "self::shelf", "shop/src/store/shelf.rs"),
            ("shop/src/bin/open.rs", "the_shop::store", "shop/src/store.rs"),
            ("shop/src/store.rs", "cash::drawer", "till/src/drawer/mod.rs"),
            ("till/src/drawer/coin.rs", "super", "till/src/drawer/mod.rs"),
            ("till/src/drawer/mod.rs", "coin", "till/src/drawer/coin.rs"),
            ("shop/tools/close.rs", "crate::shut", "shop/tools/shut.rs"),
            ("till/src/lib.rs", "cash::drawer", "outside"),
            ("shop/src/lib.rs", "std::collections", "outside"),
            ("shop/src/lib.rs", "serde::Serialize", "outside"),
        ] {
            let said = match rules.find(&library, library.by_path(from).unwrap(), module) {
                Target::Module(module) => library.path(module.files[0]).to_owned(),
                Target::Outside => "outside".to_owned(),
                Target::Missing => "missing".to_owned(),
            };
            assert_eq!(said, expected, "{module} from {from}");
        }
    }
}
