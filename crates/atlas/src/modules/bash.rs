//! Bash: `source a.sh` is a file beside the one that says it, above it, or in the workspace. What stands before the path
//! in a variable or a command (`"$DIR/a.sh"`, `"$(dirname "$0")/a.sh"`) is taken for a folder nobody knows.

use super::{Called, Module, Modules, Survey, Target};
use crate::library::{FileId, Library, folder_of};

#[derive(Debug)]
struct Bash;

pub(super) fn survey(_: Survey<'_>) -> Box<dyn Modules> {
    Box::new(Bash)
}

/// The end of a path that is written out.
fn written(module: &str) -> &str {
    let module = module.trim_matches(['"', '\'']);
    let known = module.rfind([')', '}', '`']).map_or(module, |at| &module[at + 1..]);
    // `$DIR/lib/a.sh`
    let known = match known.rfind('$') {
        Some(at) => known[at..].split_once('/').map_or("", |(_, path)| path),
        None => known,
    };
    known.trim_start_matches('/')
}

impl Modules for Bash {
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target {
        let path = written(module);
        let here = folder_of(library.path(from));
        let above = std::iter::successors(Some(here), |at| (!at.is_empty()).then(|| folder_of(at)));
        let mut found = above.filter_map(|folder| {
            let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
            for part in path.split('/') {
                match part {
                    "" | "." => {}
                    ".." => drop(parts.pop()?),
                    part => parts.push(part),
                }
            }
            library.by_path(&parts.join("/"))
        });
        found.next().map_or(Target::Outside, |file| Target::Module(Module::of(file)))
    }

    fn called<'m>(&self, _module: &'m str) -> Option<Called<'m>> {
        None
    }

    /// What a sourced file sources is there, too.
    fn imports_are_members(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_path_is_enough() {
        let mut library = Library::default();
        let language = code::languages::by_name("bash").unwrap();
        for path in ["run.sh", "lib/common.sh", "lib/util.sh"] {
            library.put(path, language, code::facts(language, "").unwrap());
        }
        for (from, module, expected) in [
            ("run.sh", "./lib/common.sh", "lib/common.sh"),
            ("run.sh", "$(dirname \"$0\")/lib/util.sh", "lib/util.sh"),
            ("lib/common.sh", "${DIR}/util.sh", "lib/util.sh"),
            ("lib/common.sh", "$HERE/../run.sh", "run.sh"),
            ("lib/common.sh", "/etc/profile", "outside"),
        ] {
            let said = match Bash.find(&library, library.by_path(from).unwrap(), module) {
                Target::Module(module) => library.path(module.files[0]).to_owned(),
                _ => "outside".to_owned(),
            };
            assert_eq!(said, expected, "{module} from {from}");
        }
    }
}
