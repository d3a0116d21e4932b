//! Lua: `require("a.b")` is `a/b.lua` or `a/b/init.lua` in one of the folders above the file or where sources usually
//! are. What a file hands out is the table it returns.

use super::{Called, Module, Modules, Survey, Target};
use crate::library::{FileId, Library, folder_of};

/// Folders that are looked through besides those above a file.
const ROOTS: &[&str] = &["src", "lua", "lib", "scripts"];

#[derive(Debug)]
struct Lua {
    roots: Vec<Box<str>>,
}

pub(super) fn survey(survey: Survey<'_>) -> Box<dyn Modules> {
    let is_root = |folder: &&str| ROOTS.contains(&folder.rsplit('/').next().unwrap_or(folder));
    let mut roots: Vec<Box<str>> = survey.library.folders().filter(is_root).map(Into::into).collect();
    roots.sort_by(|one, other| (one.matches('/').count(), one).cmp(&(other.matches('/').count(), other)));
    Box::new(Lua { roots })
}

impl Modules for Lua {
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target {
        let path = module.trim_end_matches(".lua").replace('.', "/");
        let here = folder_of(library.path(from));
        let above = std::iter::successors(Some(here), |at| (!at.is_empty()).then(|| folder_of(at)));
        let file = |root: &str| {
            let base = if root.is_empty() { path.clone() } else { format!("{root}/{path}") };
            [".lua", "/init.lua"].iter().find_map(|ending| library.by_path(&format!("{base}{ending}")))
        };
        let found = above.chain(self.roots.iter().map(|root| &**root)).find_map(file);
        found.map_or(Target::Outside, |file| Target::Module(Module::of(file)))
    }

    fn called<'m>(&self, _module: &'m str) -> Option<Called<'m>> {
        None
    }

    fn hands_out_a_type(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_folders() {
        let mut library = Library::default();
        let language = code::languages::by_name("lua").unwrap();
        for path in ["main.lua", "shop/util.lua", "shop/init.lua", "plugin/lua/deep/store.lua"] {
            library.put(path, language, code::facts(language, "").unwrap());
        }
        let rules = survey(Survey { library: &library, manifests: &[] });
        for (from, module, expected) in [
            ("main.lua", "shop.util", "shop/util.lua"),
            ("main.lua", "shop", "shop/init.lua"),
            ("shop/util.lua", "main", "main.lua"),
            ("main.lua", "deep.store", "plugin/lua/deep/store.lua"),
            ("main.lua", "cjson", "outside"),
        ] {
            let said = match rules.find(&library, library.by_path(from).unwrap(), module) {
                Target::Module(module) => library.path(module.files[0]).to_owned(),
                _ => "outside".to_owned(),
            };
            assert_eq!(said, expected, "{module} from {from}");
        }
    }
}
