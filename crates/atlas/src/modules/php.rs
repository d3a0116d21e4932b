//! PHP: a namespace is all files that say they belong to it, wherever they lie; what `composer.json` says is loaded by
//! itself (PSR-4) tells what should be here and is not. A file that is read in is found from the folder of the reader.

use std::collections::BTreeMap;

use code::SymbolId;

use super::{Called, Module, Modules, Survey, Target};
use crate::library::{FileId, Library, folder_of};

#[derive(Debug)]
struct Php {
    /// Files by namespace; `""` is the global one. A namespace around others has no files of its own.
    namespaces: BTreeMap<Box<str>, Vec<FileId>>,
    /// Namespaces that the projects of the workspace say are theirs.
    own: Vec<Box<str>>,
}

pub(super) fn survey(survey: Survey<'_>) -> Box<dyn Modules> {
    let mut namespaces: BTreeMap<Box<str>, Vec<FileId>> = BTreeMap::new();
    for file in survey.library.files() {
        let Some(leaf) = survey.library.leaf(file).filter(|leaf| leaf.language.name == "php") else {
            continue;
        };
        let namespace = leaf.package().unwrap_or_default();
        namespaces.entry(namespace.into()).or_default().push(file);
        let mut above = namespace;
        while let Some((outer, _)) = above.rsplit_once('\\') {
            namespaces.entry(outer.into()).or_default();
            above = outer;
        }
    }
    let manifests =
        survey.manifests.iter().filter(|(path, _)| path.rsplit('/').next() == Some("composer.json"));
    let own = manifests.flat_map(|(_, text)| loaded(text)).collect();
    Box::new(Php { namespaces, own })
}

/// The namespaces of `autoload` and `autoload-dev`.
fn loaded(text: &str) -> Vec<Box<str>> {
    let Ok(manifest) = serde_json::from_str::<serde_json::Value>(text) else { return Vec::new() };
    let mut own = Vec::new();
    for section in ["autoload", "autoload-dev"] {
        for kind in ["psr-4", "psr-0"] {
            let names = manifest[section][kind].as_object().into_iter().flat_map(serde_json::Map::keys);
            let names = names.map(|name| name.trim_matches('\\')).filter(|name| !name.is_empty());
            own.extend(names.map(Box::from));
        }
    }
    own
}

/// A path from a folder, as far as it stays in the workspace.
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

impl Php {
    fn namespace(&self, name: &str) -> Option<Module> {
        let (name, files) = self.namespaces.get_key_value(name)?;
        Some(Module { files: files.clone(), folder: Some(name.clone()), within: None })
    }

    fn is_own(&self, name: &str) -> bool {
        self.own.iter().any(|own| {
            name.strip_prefix(&**own).is_some_and(|rest| rest.is_empty() || rest.starts_with('\\'))
        })
    }
}

impl Modules for Php {
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target {
        // A namespace has no dots and no slashes.
        if module.contains(['/', '.']) {
            let here = folder_of(library.path(from));
            let candidates = [below(here, module), below("", module)];
            let found = candidates.into_iter().flatten().find_map(|path| library.by_path(&path));
            return found.map_or(Target::Outside, |file| Target::Module(Module::of(file)));
        }
        let name = module.trim_matches('\\');
        match self.namespace(name) {
            Some(found) => Target::Module(found),
            None if self.is_own(name) => Target::Missing,
            None => Target::Outside,
        }
    }

    fn called<'m>(&self, _module: &'m str) -> Option<Called<'m>> {
        None
    }

    /// The same namespace; and functions and constants are looked for in the global one, too.
    fn siblings(&self, library: &Library, file: FileId) -> Vec<FileId> {
        let namespace = library.leaf(file).and_then(|leaf| leaf.package()).unwrap_or_default();
        let mut files: Vec<FileId> = self.namespaces.get(namespace).cloned().unwrap_or_default();
        if !namespace.is_empty() {
            files.extend(self.namespaces.get("").into_iter().flatten());
        }
        files.retain(|other| *other != file);
        files
    }

    fn child(&self, _library: &Library, of: &Module, name: &str) -> Option<Module> {
        let outer = of.folder.as_deref()?;
        if outer.is_empty() { self.namespace(name) } else { self.namespace(&format!("{outer}\\{name}")) }
    }

    /// The first part of `A\B\c()`: of the namespace around it, or of all.
    fn root(&self, library: &Library, from: FileId, _: Option<SymbolId>, name: &str) -> Option<Target> {
        let here = library.leaf(from).and_then(|leaf| leaf.package()).unwrap_or_default();
        let inner = (!here.is_empty()).then(|| self.namespace(&format!("{here}\\{name}"))).flatten();
        inner.or_else(|| self.namespace(name).filter(|_| !name.is_empty())).map(Target::Module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(files: &[(&str, &str)]) -> Library {
        let mut library = Library::default();
        let language = code::languages::by_name("php").unwrap();
        for (path, text) in files {
            library.put(path, language, code::facts(language, text).unwrap());
        }
        library
    }

    #[test]
    fn a_namespace_is_all_files_that_say_so() {
        let library = library(&[
            ("src/Store.php", "<?php namespace App\\Shop; class Store {}"),
            ("src/Item.php", "<?php namespace App\\Shop; class Item {}"),
            ("src/Models/User.php", "<?php namespace App\\Models; class User {}"),
            ("helpers.php", "<?php function helper() {}"),
        ]);
        let composer = r#"{"autoload": {"psr-4": {"App\\": "src/"}}}"#;
        let manifests = [("composer.json".to_owned(), composer.to_owned())];
        let rules = survey(Survey { library: &library, manifests: &manifests });
        let from = library.by_path("src/Store.php").unwrap();
        let paths =
            |files: &[FileId]| files.iter().map(|file| library.path(*file).to_owned()).collect::<Vec<_>>();
        for (module, expected) in [
            ("App\\Shop", &["src/Store.php", "src/Item.php"][..]),
            ("\\App\\Models", &["src/Models/User.php"]),
            ("App", &[]),
            ("../helpers.php", &["helpers.php"]),
            ("/../helpers.php", &["helpers.php"]),
        ] {
            let Target::Module(found) = rules.find(&library, from, module) else { panic!("{module}") };
            assert_eq!(paths(&found.files), expected, "{module}");
        }
        assert_eq!(rules.find(&library, from, "App\\Nothing"), Target::Missing);
        assert_eq!(rules.find(&library, from, "Symfony\\Console"), Target::Outside);
        assert_eq!(paths(&rules.siblings(&library, from)), ["src/Item.php", "helpers.php"]);
        let Some(Target::Module(app)) = rules.root(&library, from, None, "App") else { panic!() };
        let models = rules.child(&library, &app, "Models").unwrap();
        assert_eq!(paths(&models.files), ["src/Models/User.php"]);
    }
}
