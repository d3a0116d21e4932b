//! Ruby: `require_relative` from the file, `require` from the folders that are looked through (`lib/`, `app/*/`, the
//! workspace). Names need no import once anybody has required them; that is the resolver's business.

use std::collections::BTreeSet;

use super::{Called, Module, Modules, Survey, Target};
use crate::library::{FileId, Library, folder_of};

/// Folders that are looked through, wherever they are.
const ROOTS: &[&str] = &["lib", "test", "spec", "app", "ext"];

#[derive(Debug)]
struct Ruby {
    roots: Vec<Box<str>>,
}

pub(super) fn survey(survey: Survey<'_>) -> Box<dyn Modules> {
    let mut roots: BTreeSet<Box<str>> = BTreeSet::new();
    for folder in survey.library.folders() {
        let above = folder_of(folder);
        let is_root = |folder: &str| ROOTS.contains(&folder.rsplit('/').next().unwrap_or(folder));
        // `app/models` holds what is called without the folder's name.
        if is_root(folder) || above.rsplit('/').next() == Some("app") {
            roots.insert(folder.into());
        }
    }
    let mut roots: Vec<Box<str>> = roots.into_iter().collect();
    roots.insert(0, "".into());
    roots.sort_by_key(|root| root.matches('/').count());
    Box::new(Ruby { roots })
}

fn file(library: &Library, folder: &str, path: &str) -> Option<FileId> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    library.by_path(&path).or_else(|| library.by_path(&format!("{path}.rb")))
}

impl Modules for Ruby {
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target {
        let here = folder_of(library.path(from));
        let roots = self.roots.iter().map(|root| &**root);
        let mut found = std::iter::once(here).chain(roots).filter_map(|root| file(library, root, module));
        found.next().map_or(Target::Outside, |file| Target::Module(Module::of(file)))
    }

    fn called<'m>(&self, _module: &'m str) -> Option<Called<'m>> {
        None
    }

    /// What a required file requires is there, too.
    fn imports_are_members(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_found_beside_and_in_the_roots() {
        let mut library = Library::default();
        let language = code::languages::by_name("ruby").unwrap();
        for path in
            ["lib/shop.rb", "lib/shop/store.rb", "gems/a/lib/a/b.rb", "app/models/user.rb", "test/helper.rb"]
        {
            library.put(path, language, code::facts(language, "").unwrap());
        }
        let rules = survey(Survey { library: &library, manifests: &[] });
        for (from, module, expected) in [
            ("lib/shop.rb", "shop/store", "lib/shop/store.rb"),
            ("lib/shop/store.rb", "../shop", "lib/shop.rb"),
            ("test/helper.rb", "a/b", "gems/a/lib/a/b.rb"),
            ("test/helper.rb", "user", "app/models/user.rb"),
            ("test/helper.rb", "json", "outside"),
        ] {
            let said = match rules.find(&library, library.by_path(from).unwrap(), module) {
                Target::Module(module) => library.path(module.files[0]).to_owned(),
                _ => "outside".to_owned(),
            };
            assert_eq!(said, expected, "{module} from {from}");
        }
    }
}
