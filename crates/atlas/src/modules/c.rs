//! C and C++: a header is a file beside the one that includes it, or one whose path ends like that in a folder of headers.
//! Where the compiler would look is said by no file we read, so what fits in two places is taken from the nearest.

use super::{Called, Module, Modules, Survey, Target};
use crate::library::{FileId, Library, folder_of};

/// Folders that are given to compilers as places of headers.
const HEADERS: &[&str] = &["include", "inc", "includes", "headers", "src", "lib"];

#[derive(Debug)]
struct C;

pub(super) fn survey(_survey: Survey<'_>) -> Box<dyn Modules> {
    Box::new(C)
}

impl Modules for C {
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target {
        let folder = folder_of(library.path(from));
        let is_system = module.starts_with('<');
        let written = module.trim_matches(['<', '>']);
        if !is_system && let Some(file) = below(folder, written).and_then(|path| library.by_path(&path)) {
            return Target::Module(Module::of(file));
        }
        match nearest(library, folder, written, is_system) {
            Some(file) => Target::Module(Module::of(file)),
            None => Target::Outside,
        }
    }

    fn called<'m>(&self, _module: &'m str) -> Option<Called<'m>> {
        None
    }
}

/// The file whose path ends like this, of several the one that shares the most folders with who asks.
fn nearest(library: &Library, folder: &str, written: &str, is_system: bool) -> Option<FileId> {
    let is_plain = written.split('/').all(|part| !part.is_empty() && part != "..");
    if !is_plain {
        return None;
    }
    let name = written.rsplit('/').next()?;
    let before = written.strip_suffix(name)?.trim_end_matches('/');
    let fits = |there: &str| {
        let rest = if before.is_empty() {
            Some(there)
        } else {
            there.strip_suffix(before).filter(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        // `<a.h>` is no file that happens to be called so.
        rest.map(|rest| rest.trim_end_matches('/')).is_some_and(|rest| {
            !is_system
                || rest.is_empty()
                || rest.rsplit('/').next().is_some_and(|last| HEADERS.contains(&last))
        })
    };
    let shared =
        |there: &str| folder.split('/').zip(there.split('/')).take_while(|(one, other)| one == other).count();
    library
        .folders()
        .filter(|there| fits(there))
        .filter_map(|there| {
            let path = if there.is_empty() { name.to_owned() } else { format!("{there}/{name}") };
            Some((shared(there), std::cmp::Reverse(there.len()), library.by_path(&path)?))
        })
        .max()
        .map(|(_, _, file)| file)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_beside_or_in_the_nearest_folder_of_headers() {
        let mut library = Library::default();
        let language = code::languages::by_name("c").unwrap();
        for path in [
            "a/src/main.c",
            "a/src/main.h",
            "a/include/shop/order.h",
            "b/include/shop/order.h",
            "b/src/till.c",
            "b/src/deep/coin.h",
            "stdio.h",
            "odd/string.h",
        ] {
            library.put(path, language, code::facts(language, "").unwrap());
        }
        let rules = survey(Survey { library: &library, manifests: &[] });
        for (from, module, expected) in [
            ("a/src/main.c", "main.h", "a/src/main.h"),
            ("a/src/main.c", "../include/shop/order.h", "a/include/shop/order.h"),
            ("a/src/main.c", "shop/order.h", "a/include/shop/order.h"),
            ("b/src/till.c", "<shop/order.h>", "b/include/shop/order.h"),
            ("b/src/till.c", "coin.h", "b/src/deep/coin.h"),
            ("b/src/till.c", "<coin.h>", "outside"),
            ("b/src/till.c", "<string.h>", "outside"),
            ("b/src/till.c", "gtest/gtest.h", "outside"),
            ("b/src/till.c", "std", "outside"),
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
