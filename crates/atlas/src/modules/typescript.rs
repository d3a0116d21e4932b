//! TypeScript and JavaScript: relative paths with endings and `index` left out, path aliases of tsconfig, packages of the
//! workspace by what their `package.json` hands out. What none of these know is of `node_modules`, and not ours.

mod manifest;

use code::SymbolId;

use self::manifest::{Config, Package, Pattern};
use super::{Called, Module, Modules, Survey, Target};
use crate::library::{FileId, Library, folder_of};

/// Endings that may be left out, in the compiler's order.
const ENDINGS: &[&str] =
    &[".ts", ".tsx", ".d.ts", ".mts", ".d.mts", ".cts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs", ".json"];
/// The same, seen from a file that is not compiled: what runs before what describes it.
const SCRIPT_ENDINGS: &[&str] =
    &[".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".json", ".d.ts", ".d.mts", ".d.cts"];
/// An ending of what is built, and those of what it is built from.
const BUILT: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".d.ts"]),
    (".jsx", &[".tsx", ".d.ts"]),
    (".mjs", &[".mts", ".d.mts", ".ts"]),
    (".cjs", &[".cts", ".d.cts", ".ts"]),
    (".d.ts", &[".ts", ".tsx"]),
    (".d.mts", &[".mts", ".ts"]),
    (".d.cts", &[".cts", ".ts"]),
];
/// Where what is built is written to; what it is built from is beside it in `src`, or above it.
const BUILT_FOLDERS: &[&str] = &[
    "dist", "lib", "build", "out", "output", "esm", "cjs", "es", "module", "commonjs", "types", "_esm",
    "_cjs",
];
const SOURCE_FOLDERS: &[&str] = &["src", "source", "lib", ""];
/// What an alias that nobody configured most likely stands for: bundlers' templates have these.
const HABITS: &[&str] = &["@/", "~/"];

#[derive(Debug)]
struct TypeScript {
    /// The deepest folders first.
    configs: Vec<Config>,
    packages: Vec<Package>,
}

pub(super) fn survey(survey: Survey<'_>) -> Box<dyn Modules> {
    let mut configs = manifest::configs(survey.manifests);
    let mut packages = manifest::packages(survey.manifests);
    configs.sort_by_key(|config| std::cmp::Reverse(config.folder.len()));
    packages.sort_by_key(|package| std::cmp::Reverse(package.folder.len()));
    Box::new(TypeScript { configs, packages })
}

impl Modules for TypeScript {
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target {
        let look = Look { library, from, here: folder_of(library.path(from)) };
        // `./a.svg?raw`, `!raw-loader!./a`.
        let module = module.rsplit('!').next().unwrap_or(module);
        let module = module.split('?').next().unwrap_or(module);
        if module.is_empty() {
            return Target::Module(Module::of(from));
        }
        if module.starts_with('.') || module.starts_with('/') {
            let path = if module.starts_with('/') {
                normal("", module.trim_start_matches('/'))
            } else {
                normal(look.here, module)
            };
            let Some(path) = path else { return Target::Outside };
            return match self.path(look, &path) {
                Some(file) => Target::Module(Module::of(file)),
                None if is_asset(module) => Target::Outside,
                None => Target::Missing,
            };
        }
        if module.starts_with('#') {
            let package = self.around(look.here);
            let found = package.and_then(|package| self.handed_out(look, package, &package.imports, module));
            return found.map_or(Target::Missing, Target::Module);
        }
        if let Some(found) = self.aliased(look, module) {
            return found;
        }
        if let Some(found) = self.package(look, module) {
            return found;
        }
        if let Some(rest) = HABITS.iter().find_map(|habit| module.strip_prefix(habit)) {
            let top = self.around(look.here).map_or("", |package| &package.folder);
            let found =
                SOURCE_FOLDERS.iter().find_map(|source| self.path(look, &normal(&join(top, source), rest)?));
            return found.map_or(Target::Missing, |file| Target::Module(Module::of(file)));
        }
        Target::Outside
    }

    fn called<'m>(&self, _module: &'m str) -> Option<Called<'m>> {
        None
    }

    fn root(&self, _: &Library, from: FileId, _: Option<SymbolId>, name: &str) -> Option<Target> {
        // What a script hands out can be asked for in itself.
        (name == "exports").then(|| Target::Module(Module::of(from)))
    }

    fn whole(&self) -> Option<&'static str> {
        Some("=")
    }
}

/// Who is looking, and where.
#[derive(Debug, Clone, Copy)]
struct Look<'a> {
    library: &'a Library,
    from: FileId,
    here: &'a str,
}

impl Look<'_> {
    fn is_script(self) -> bool {
        self.library.leaf(self.from).is_some_and(|leaf| leaf.language.name == "javascript")
    }
}

impl TypeScript {
    /// A file or a folder by its path, with what may be left out.
    fn path(&self, look: Look<'_>, path: &str) -> Option<FileId> {
        if let Some(file) = file(look, path) {
            return Some(file);
        }
        // A folder with a `package.json` says itself where it begins.
        if let Some(package) = self.packages.iter().find(|package| package.folder == path)
            && let Some(entry) = package.entries.iter().find_map(|entry| built(look, &package.folder, entry))
        {
            return Some(entry);
        }
        let index = join(path, "index");
        endings(look).iter().find_map(|ending| look.library.by_path(&format!("{index}{ending}")))
    }

    /// By `paths` and `baseUrl` of the configuration around it.
    fn aliased(&self, look: Look<'_>, module: &str) -> Option<Target> {
        let config = self.configs.iter().find(|config| is_inside(look.here, &config.folder))?;
        let mut matching: Vec<(usize, &[String], &str)> = config
            .paths
            .iter()
            .filter_map(|Pattern { key, targets }| Some((key.len(), targets.as_slice(), star(key, module)?)))
            .collect();
        // The longest prefix is the one that is meant.
        matching.sort_by_key(|(length, _, _)| std::cmp::Reverse(*length));
        for (_, targets, rest) in &matching {
            for target in *targets {
                let path = normal("", &target.replace('*', rest));
                if let Some(found) = path.and_then(|path| self.path(look, &path)) {
                    return Some(Target::Module(Module::of(found)));
                }
            }
        }
        if let Some(base) = &config.base
            && let Some(found) = normal(base, module).and_then(|path| self.path(look, &path))
        {
            return Some(Target::Module(Module::of(found)));
        }
        // `"*": ["./types/*"]` says nothing about a package that is installed.
        matching.iter().any(|(length, _, _)| *length > 1).then_some(Target::Missing)
    }

    /// A package of the workspace by its name.
    fn package(&self, look: Look<'_>, module: &str) -> Option<Target> {
        let package = self.packages.iter().find(|package| {
            let rest = module.strip_prefix(&*package.name);
            !package.name.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })?;
        let rest = module[package.name.len()..].trim_start_matches('/');
        let subpath = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        if let Some(found) = self.handed_out(look, package, &package.exports, &subpath) {
            return Some(Target::Module(found));
        }
        let found = if rest.is_empty() {
            let entry = package.entries.iter().find_map(|entry| built(look, &package.folder, entry));
            entry.or_else(|| built(look, &package.folder, "./index"))
        } else {
            normal(&package.folder, rest)
                .and_then(|path| self.path(look, &path))
                .or_else(|| built(look, &package.folder, &subpath))
        };
        Some(found.map_or(Target::Missing, |file| Target::Module(Module::of(file))))
    }

    /// What `exports` or `imports` of a package says about a name.
    fn handed_out(&self, look: Look<'_>, package: &Package, all: &[Pattern], name: &str) -> Option<Module> {
        let mut matching: Vec<(usize, &[String], &str)> = all
            .iter()
            .filter_map(|Pattern { key, targets }| Some((key.len(), targets.as_slice(), star(key, name)?)))
            .collect();
        matching.sort_by_key(|(length, _, _)| std::cmp::Reverse(*length));
        let targets = matching.iter().flat_map(|(_, targets, rest)| targets.iter().map(move |t| (t, rest)));
        for (target, rest) in targets {
            let target = target.replace('*', rest);
            let found = built(look, &package.folder, &target)
                .or_else(|| self.path(look, &normal(&package.folder, &target)?));
            if let Some(file) = found {
                return Some(Module::of(file));
            }
        }
        None
    }

    /// The package a folder is in.
    fn around(&self, folder: &str) -> Option<&Package> {
        self.packages.iter().find(|package| is_inside(folder, &package.folder))
    }
}

fn endings(look: Look<'_>) -> &'static [&'static str] {
    if look.is_script() { SCRIPT_ENDINGS } else { ENDINGS }
}

/// A file by its path, its ending left out or that of what is built from it.
fn file(look: Look<'_>, path: &str) -> Option<FileId> {
    if let Some(file) = look.library.by_path(path) {
        return Some(file);
    }
    let sources = BUILT.iter().filter_map(|(ending, sources)| Some((path.strip_suffix(ending)?, sources)));
    for (stem, sources) in sources {
        let source = sources.iter().find_map(|ending| look.library.by_path(&format!("{stem}{ending}")));
        if source.is_some() {
            return source;
        }
    }
    endings(look).iter().find_map(|ending| look.library.by_path(&format!("{path}{ending}")))
}

/// What a package's manifest names, or what that is built from: `./dist/esm/index.js` of `src/index.ts`.
fn built(look: Look<'_>, folder: &str, target: &str) -> Option<FileId> {
    let target = target.trim_start_matches("./");
    if let Some(file) = normal(folder, target).and_then(|path| file(look, &path)) {
        return Some(file);
    }
    let mut rest = target;
    loop {
        for source in SOURCE_FOLDERS {
            let path = normal(&join(folder, source), rest)?;
            let stem = BUILT.iter().find_map(|(ending, _)| path.strip_suffix(ending)).unwrap_or(&path);
            let found = file(look, stem).or_else(|| file(look, &join(stem, "index")));
            if found.is_some() {
                return found;
            }
        }
        let (first, behind) = rest.split_once('/')?;
        if !BUILT_FOLDERS.contains(&first) {
            return None;
        }
        rest = behind;
    }
}

/// What the `*` of a pattern stands for in a name; "" where it has none and is the name.
fn star<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    match pattern.split_once('*') {
        Some((before, after)) => {
            let rest = name.strip_prefix(before)?.strip_suffix(after)?;
            Some(rest)
        }
        None => (pattern == name).then_some(""),
    }
}

/// What is no program and most likely not in the library: `./logo.svg`, `./style.css`.
fn is_asset(module: &str) -> bool {
    let file = module.rsplit('/').next().unwrap_or(module);
    let ending = file.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| {
        !ending.is_empty()
            && !matches!(ending, "ts" | "tsx" | "mts" | "cts" | "js" | "jsx" | "mjs" | "cjs" | "json")
            && matches!(
                ending,
                "css"
                    | "scss"
                    | "sass"
                    | "less"
                    | "styl"
                    | "svg"
                    | "png"
                    | "jpg"
                    | "jpeg"
                    | "gif"
                    | "webp"
                    | "avif"
                    | "ico"
                    | "woff"
                    | "woff2"
                    | "ttf"
                    | "otf"
                    | "mp3"
                    | "mp4"
                    | "webm"
                    | "wav"
                    | "wasm"
                    | "html"
                    | "md"
                    | "mdx"
                    | "txt"
                    | "graphql"
                    | "gql"
                    | "vue"
                    | "svelte"
                    | "astro"
                    | "node"
                    | "glsl"
                    | "pdf"
            )
    })
}

fn is_inside(folder: &str, outer: &str) -> bool {
    outer.is_empty()
        || folder == outer
        || folder.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
}

pub(super) fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// A path without `.` and `..`. `None`: it leaves the workspace.
pub(super) fn normal(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests;
