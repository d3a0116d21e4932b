//! Go: a package is a folder, imported by the path of its module and the way to the folder. What no `go.mod` of the
//! workspace names is looked for in `vendor/` and below `src/`; without any `go.mod` the end of the path decides.

use super::{Called, Module, Modules, Survey, Target};
use crate::library::{FileId, Library, folder_of};

#[derive(Debug)]
struct Go {
    /// Paths of modules and the folders they are in, the longest path first: a module may lie in another.
    modules: Vec<(Box<str>, Box<str>)>,
}

pub(super) fn survey(survey: Survey<'_>) -> Box<dyn Modules> {
    let mut modules = Vec::new();
    for (path, text) in survey.manifests {
        if path.rsplit('/').next() == Some("go.mod") {
            read(folder_of(path), text, &mut modules);
        }
    }
    modules.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    Box::new(Go { modules })
}

/// `module x` and `replace y => ./z` of a manifest.
fn read(folder: &str, text: &str, modules: &mut Vec<(Box<str>, Box<str>)>) {
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let words: Vec<&str> =
            line.split_whitespace().map(|word| word.trim_matches(['"', '`', '(', ')'])).collect();
        if let ["module", path, ..] = words.as_slice() {
            modules.push(((*path).into(), folder.into()));
        } else if let Some(arrow) = words.iter().position(|word| *word == "=>")
            && let (Some(path), Some(to)) = (
                words[..arrow].iter().find(|word| !word.is_empty() && **word != "replace"),
                words.get(arrow + 1),
            )
            && to.starts_with('.')
            && let Some(to) = below(folder, to)
        {
            modules.push(((*path).into(), to.into()));
        }
    }
}

/// The folder a relative path leads to. `None`: out of the workspace.
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

fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// A package's files, in the order of their ids; those of a test that is a package of its own are not among them.
fn package(library: &Library, folder: &str) -> Option<Module> {
    let go = || library.in_folder(folder).iter().copied().filter(|file| is_go(library, *file));
    let clause = |file: FileId| library.leaf(file).and_then(|leaf| leaf.package());
    // A program that only makes files (`//go:build ignore`) may lie beside the package.
    let all: Vec<&str> = go().filter(|file| !is_test(library, *file)).filter_map(clause).collect();
    let name = all.iter().find(|name| **name != "main").or(all.first()).copied();
    let name =
        name.or_else(|| go().find_map(clause).map(|name| name.strip_suffix("_test").unwrap_or(name)))?;
    // What tests add comes last.
    let mut files: Vec<FileId> = go().filter(|file| clause(*file) == Some(name)).collect();
    files.sort_by_key(|file| (is_test(library, *file), *file));
    (!files.is_empty()).then(|| Module { files, ..Module::default() })
}

fn is_go(library: &Library, file: FileId) -> bool {
    library.leaf(file).is_some_and(|leaf| leaf.language.name == "go")
}

fn is_test(library: &Library, file: FileId) -> bool {
    library.path(file).ends_with("_test.go")
}

/// What is left of a path behind a module's.
fn behind<'p>(path: &'p str, module: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(module)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// `v2` of `example.com/a/v2`: a part of the path that is no folder of its own.
fn is_version(part: &str) -> bool {
    part.strip_prefix('v')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Go {
    /// Where nothing says what the workspace is called: the longest end of the path that is a folder of it, or the
    /// workspace itself if its package is called like the end of the path.
    fn by_ending(library: &Library, path: &str) -> Option<Module> {
        let (first, mut rest) = path.split_once('/')?;
        // Paths of the standard library begin with no host.
        if !first.contains('.') {
            return None;
        }
        loop {
            if let Some(found) = package(library, rest) {
                return Some(found);
            }
            match rest.split_once('/') {
                Some((_, shorter)) => rest = shorter,
                None => break,
            }
        }
        let here = package(library, "")?;
        let name = here.files.first().and_then(|file| library.leaf(*file)?.package())?;
        (name != "main" && name == last(path)).then_some(here)
    }
}

/// What a package is most likely called.
fn last(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    // `gopkg.in/yaml.v3`
    match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last,
    }
}

impl Modules for Go {
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target {
        for (path, folder) in &self.modules {
            if let Some(rest) = behind(module, path) {
                return package(library, &join(folder, rest)).map_or(Target::Missing, Target::Module);
            }
        }
        let here = folder_of(library.path(from));
        for above in std::iter::successors(Some(here), |at| (!at.is_empty()).then(|| folder_of(at))) {
            let vendored = join(above, &join("vendor", module));
            let found = package(library, &vendored).or_else(|| {
                let is_source = above.rsplit('/').next() == Some("src");
                is_source.then(|| package(library, &join(above, module))).flatten()
            });
            if let Some(found) = found {
                return Target::Module(found);
            }
        }
        let found = if self.modules.is_empty() { Self::by_ending(library, module) } else { None };
        found.map_or(Target::Outside, Target::Module)
    }

    fn called<'m>(&self, module: &'m str) -> Option<Called<'m>> {
        Some(Called { name: last(module), module })
    }

    fn siblings(&self, library: &Library, file: FileId) -> Vec<FileId> {
        let Some(leaf) = library.leaf(file) else { return Vec::new() };
        let mut beside: Vec<FileId> = library
            .in_folder(folder_of(&leaf.path))
            .iter()
            .copied()
            .filter(|other| *other != file && is_go(library, *other))
            .filter(|other| library.leaf(*other).is_some_and(|other| other.package() == leaf.package()))
            // A test sees the package, not the other way round.
            .filter(|other| is_test(library, file) || !is_test(library, *other))
            .collect();
        beside.sort_by_key(|other| (is_test(library, *other), *other));
        beside
    }

    /// A package that is called otherwise than its folder.
    fn root(
        &self,
        library: &Library,
        from: FileId,
        _within: Option<code::SymbolId>,
        name: &str,
    ) -> Option<Target> {
        let facts = library.facts(from)?;
        let bare = facts.imports.iter().filter(|import| import.local.is_none() && !import.wildcard);
        for import in bare {
            if let Target::Module(module) = self.find(library, from, facts.text(import.module))
                && let Some(file) = module.files.first()
                && library.leaf(*file).is_some_and(|leaf| leaf.package() == Some(name))
            {
                return Some(Target::Module(module));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(files: &[(&str, &str)]) -> Library {
        let mut library = Library::default();
        let language = code::languages::by_name("go").unwrap();
        for (path, package) in files {
            let facts = code::facts(language, &format!("package {package}\n")).unwrap();
            library.put(path, language, facts);
        }
        library
    }

    fn check(library: &Library, manifests: &[(&str, &str)], from: &str, module: &str, expected: &[&str]) {
        let manifests: Vec<(String, String)> =
            manifests.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let rules = survey(Survey { library, manifests: &manifests });
        let said: Vec<&str> = match rules.find(library, library.by_path(from).unwrap(), module) {
            Target::Module(module) => module.files.iter().map(|file| library.path(*file)).collect(),
            Target::Outside => vec!["outside"],
            Target::Missing => vec!["missing"],
        };
        assert_eq!(said, expected, "{module} from {from}");
    }

    #[test]
    fn a_path_is_a_module_and_a_folder_in_it() {
        let library = library(&[
            ("main.go", "main"),
            ("store/store.go", "store"),
            ("store/store_test.go", "store"),
            ("store/outside_test.go", "store_test"),
            ("store/make.go", "main"),
            ("tools/lint/lint.go", "lint"),
            ("old/old.go", "old"),
        ]);
        let manifests = [
            (
                "go.mod",
                "// about\nmodule example.com/shop/v2 // here\n\nreplace (\n\texample.com/old v1.0.0 => ./old\n)\n",
            ),
            ("tools/go.mod", "module \"example.com/shop/v2/tools\"\n"),
        ];
        for (module, expected) in [
            ("example.com/shop/v2", &["main.go"][..]),
            ("example.com/shop/v2/store", &["store/store.go", "store/store_test.go"]),
            ("example.com/shop/v2/tools/lint", &["tools/lint/lint.go"]),
            ("example.com/shop/v2/nothing", &["missing"]),
            ("example.com/shop/v22", &["outside"]),
            ("example.com/old", &["old/old.go"]),
            ("store", &["outside"]),
            ("fmt", &["outside"]),
        ] {
            check(&library, &manifests, "main.go", module, expected);
        }
    }

    #[test]
    fn without_a_manifest_the_end_of_a_path_decides() {
        let library = library(&[
            ("mux.go", "mux"),
            ("doc/doc.go", "doc"),
            ("errors/errors.go", "errors"),
            ("vendor/example.com/x/x.go", "x"),
            ("src/shop/cart/cart.go", "cart"),
        ]);
        for (from, module, expected) in [
            ("doc/doc.go", "github.com/gorilla/mux", &["mux.go"][..]),
            ("mux.go", "github.com/gorilla/mux/doc", &["doc/doc.go"]),
            ("mux.go", "errors", &["outside"]),
            ("mux.go", "example.com/x", &["vendor/example.com/x/x.go"]),
            ("src/shop/cart/cart.go", "shop/cart", &["src/shop/cart/cart.go"]),
            ("mux.go", "github.com/other/thing", &["outside"]),
        ] {
            check(&library, &[], from, module, expected);
        }
    }

    #[test]
    fn a_test_of_its_own_package_stands_alone() {
        let library = library(&[
            ("a.go", "shop"),
            ("b.go", "shop"),
            ("a_test.go", "shop"),
            ("b_test.go", "shop_test"),
            ("c_test.go", "shop_test"),
        ]);
        let rules = survey(Survey { library: &library, manifests: &[] });
        for (file, beside) in
            [("a.go", &["b.go"][..]), ("a_test.go", &["a.go", "b.go"]), ("b_test.go", &["c_test.go"])]
        {
            let found = rules.siblings(&library, library.by_path(file).unwrap());
            let found: Vec<&str> = found.iter().map(|file| library.path(*file)).collect();
            assert_eq!(found, beside, "{file}");
        }
    }

    #[test]
    fn a_package_is_called_by_the_end_of_its_path() {
        let rules = survey(Survey { library: &Library::default(), manifests: &[] });
        for (module, name) in
            [("fmt", "fmt"), ("net/http", "http"), ("a.b/chi/v5", "chi"), ("gopkg.in/yaml.v3", "yaml")]
        {
            assert_eq!(rules.called(module).map(|called| called.name), Some(name), "{module}");
        }
    }
}
