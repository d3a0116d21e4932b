//! Which packages of a workspace belong to it. Of the packages of one kind the topmost is the project itself; one below it
//! belongs to it where that one names it as its member. What is only put there, by whomever, does not.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;
use toml_edit::{DocumentMut, Item, TableLike};

use crate::find::read;
use crate::ground::Git;

/// Manifests that are read to find one by what others depend on.
const MAX_MANIFESTS: usize = 400;
/// Entries of folders that a pattern of members is held against.
const MAX_ENTRIES: usize = 2_000;

/// Packages that know each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    Node,
    Cargo,
    Maven,
    Gradle,
    /// Its packages name no members that all of its tools know: what git tracks belongs to the workspace.
    Python,
    /// Its tools only read.
    None,
}

impl Family {
    fn manifests(self) -> &'static [&'static str] {
        match self {
            Self::Node => &["package.json"],
            Self::Cargo => &["Cargo.toml"],
            Self::Maven => &["pom.xml"],
            Self::Gradle => &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"],
            Self::Python | Self::None => &[],
        }
    }

    fn manifest(self, folder: &Path) -> Option<PathBuf> {
        self.manifests().iter().map(|name| folder.join(name)).find(|path| path.is_file())
    }
}

/// Whether code that lies in `folder` is the workspace's own. `folder` is below no other repository.
pub(crate) fn belongs(family: Family, root: &Path, folder: &Path, git: &Git<'_>, unsaid: bool) -> bool {
    if folder == root {
        return true;
    }
    // What is not in the repository was put into it by somebody; where there is none, the person decides.
    let is_tracked = |path: &Path| git.tracks(path).unwrap_or(unsaid);
    let packages = folder.ancestors().take_while(|folder| folder.starts_with(root));
    let packages: Vec<&Path> = packages.filter(|folder| family.manifest(folder).is_some()).collect();
    let (Some(near), Some(top)) = (packages.first(), packages.last()) else { return is_tracked(folder) };
    let is_top_ours = *top == root || family.manifest(top).is_some_and(|manifest| is_tracked(&manifest));
    is_top_ours && (near == top || names(family, top, near))
}

/// Whether a folder is the package itself, and no folder inside of one.
pub(crate) fn is_package(family: Family, root: &Path, folder: &Path) -> bool {
    folder == root || family.manifests().is_empty() || family.manifest(folder).is_some()
}

fn names(family: Family, top: &Path, package: &Path) -> bool {
    match family {
        Family::Node => node(top, package),
        Family::Cargo => cargo(top, package),
        Family::Maven => maven(top, package),
        Family::Gradle => gradle(top, package),
        Family::Python | Family::None => false,
    }
}

/// `workspaces` of npm, yarn and bun, `pnpm-workspace.yaml`, `lerna.json`.
fn node(top: &Path, package: &Path) -> bool {
    let json = |name: &str| -> Option<Value> { serde_json::from_str(&read(&top.join(name))?).ok() };
    let words = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let manifest = json("package.json").unwrap_or_default();
    let mut patterns = words(&manifest["workspaces"]);
    patterns.extend(words(&manifest["workspaces"]["packages"]));
    patterns.extend(words(&json("lerna.json").unwrap_or_default()["packages"]));
    patterns.extend(read(&top.join("pnpm-workspace.yaml")).map(|text| pnpm(&text)).unwrap_or_default());
    is_matched(&patterns, top, package)
}

/// The list under `packages:`, in either of YAML's two forms.
fn pnpm(text: &str) -> Vec<String> {
    let bare =
        |word: &str| word.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("packages:"));
    let first = lines.next().and_then(|line| line.strip_prefix("packages:")).unwrap_or_default().trim();
    if let Some(list) = first.strip_prefix('[') {
        return list.trim_end_matches(']').split(',').map(bare).filter(|word| !word.is_empty()).collect();
    }
    let inside = lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    inside.map_while(|line| line.strip_prefix('-')).map(bare).collect()
}

/// Members of the workspace, and what its packages depend on by path: cargo builds both.
fn cargo(top: &Path, package: &Path) -> bool {
    let manifest = |folder: &Path| read(&folder.join("Cargo.toml"))?.parse::<DocumentMut>().ok();
    // A package that is a workspace itself is nobody's member, and cargo would build it as its own.
    if manifest(package).is_none_or(|manifest| manifest.contains_key("workspace")) {
        return false;
    }
    let Some(whole) = manifest(top) else { return false };
    let workspace = whole.get("workspace").and_then(Item::as_table_like);
    let words = |key: &str| -> Vec<String> {
        let list = workspace.and_then(|table| table.get(key)).and_then(Item::as_array);
        list.into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let (members, excluded) = (words("members"), words("exclude"));
    if excluded.iter().any(|path| normal(&top.join(path)).is_some_and(|path| package.starts_with(path))) {
        return false;
    }
    if is_matched(&members, top, package) {
        return true;
    }
    let (mut waiting, mut seen) = (vec![top.to_owned()], HashSet::new());
    waiting.extend(members.iter().flat_map(|pattern| expanded(top, pattern)));
    while let Some(folder) = waiting.pop() {
        if folder == package {
            return true;
        }
        if seen.len() >= MAX_MANIFESTS || !folder.starts_with(top) || !seen.insert(folder.clone()) {
            continue;
        }
        let Some(manifest) = manifest(&folder) else { continue };
        let paths = paths(manifest.as_table());
        waiting.extend(paths.iter().filter_map(|path| normal(&folder.join(path))));
    }
    false
}

/// The paths of all dependencies that a manifest names.
fn paths(manifest: &dyn TableLike) -> Vec<String> {
    let mut found = Vec::new();
    let tables = |table: &dyn TableLike, each: &mut dyn FnMut(&str, &dyn TableLike)| {
        for (key, item) in table.iter() {
            if let Some(inner) = item.as_table_like() {
                each(key, inner);
            }
        }
    };
    tables(manifest, &mut |key, table| match key {
        // Of one system, and of all members.
        "target" => tables(table, &mut |_, system| found.extend(paths(system))),
        "workspace" => found.extend(paths(table)),
        // By the registry that is patched.
        "patch" => tables(table, &mut |_, patched| found.extend(named_paths(patched))),
        _ if key.ends_with("dependencies") => found.extend(named_paths(table)),
        _ => {}
    });
    found
}

fn named_paths(dependencies: &dyn TableLike) -> Vec<String> {
    let paths = dependencies.iter().filter_map(|(_, item)| item.as_table_like()?.get("path")?.as_str());
    paths.map(str::to_owned).collect()
}

/// The modules of a build, and of its modules.
fn maven(top: &Path, package: &Path) -> bool {
    let mut folder = top.to_owned();
    while folder != package {
        let text = read(&folder.join("pom.xml")).unwrap_or_default();
        let modules = text.split("<module>").skip(1).filter_map(|rest| rest.split("</module>").next());
        let modules =
            modules.filter_map(|module| normal(&folder.join(module.trim().trim_end_matches("/pom.xml"))));
        let mut around = modules.filter(|module| package.starts_with(module) && *module != folder);
        let Some(next) = around.next() else { return false };
        folder = next;
    }
    true
}

/// What `settings.gradle` includes: `':api:core'` is the folder `api/core`.
fn gradle(top: &Path, package: &Path) -> bool {
    let Some(inside) = package.strip_prefix(top).ok().and_then(Path::to_str) else { return false };
    let texts = ["settings.gradle", "settings.gradle.kts"].iter().filter_map(|name| read(&top.join(name)));
    texts.into_iter().any(|text| {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join("\n");
        code.split(['"', '\'']).skip(1).step_by(2).any(|word| {
            word.trim_start_matches([':', '.', '/']).trim_end_matches('/').replace(':', "/") == inside
        })
    })
}

/// Whether a folder is among what the patterns name; one with `!` takes away again.
fn is_matched(patterns: &[String], top: &Path, package: &Path) -> bool {
    let Some(inside) = package.strip_prefix(top).ok().and_then(Path::to_str) else { return false };
    let inside: Vec<&str> = inside.split('/').collect();
    let is_one = |pattern: &str| {
        let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
        matches(&pattern.split('/').collect::<Vec<_>>(), &inside)
    };
    let (not, named): (Vec<&String>, Vec<&String>) =
        patterns.iter().partition(|pattern| pattern.starts_with('!'));
    named.iter().any(|pattern| is_one(pattern))
        && !not.iter().any(|pattern| is_one(pattern.trim_start_matches('!')))
}

fn matches(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => (0..=path.len()).any(|skipped| matches(rest, &path[skipped..])),
        ([part, pattern @ ..], [name, path @ ..]) => {
            matches_name(part.as_bytes(), name.as_bytes()) && matches(pattern, path)
        }
        _ => false,
    }
}

fn matches_name(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=name.len()).any(|skipped| matches_name(rest, &name[skipped..])),
        ([b'?', pattern @ ..], [_, name @ ..]) => matches_name(pattern, name),
        ([one, pattern @ ..], [other, name @ ..]) => one == other && matches_name(pattern, name),
        _ => false,
    }
}

/// The folders that a pattern of cargo's members means.
fn expanded(top: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut folders = vec![top.to_owned()];
    let mut left = MAX_ENTRIES;
    for part in pattern.trim_start_matches("./").split('/').filter(|part| !part.is_empty()) {
        if !part.contains(['*', '?']) {
            folders = folders.iter().map(|folder| folder.join(part)).collect();
            continue;
        }
        let mut next = Vec::new();
        for folder in &folders {
            for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
                left = left.saturating_sub(1);
                let name = entry.file_name();
                let is_named =
                    name.to_str().is_some_and(|name| matches_name(part.as_bytes(), name.as_bytes()));
                if left > 0 && is_named {
                    next.push(entry.path());
                }
            }
        }
        folders = next;
    }
    folders.iter().filter_map(|folder| normal(folder)).collect()
}

/// A path without detours; none that leaves through its root.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                if !whole.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn check(family: Family, files: &[(&str, &str)], members: &[&str], strangers: &[&str]) {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().canonicalize().unwrap();
        for (file, text) in files {
            put(&root, file, text);
        }
        let path = std::env::var_os("PATH").unwrap();
        let git = Git::of(&root, &path);
        for folder in members {
            assert!(belongs(family, &root, &root.join(folder), &git, false), "{folder} belongs to it");
        }
        for folder in strangers {
            assert!(!belongs(family, &root, &root.join(folder), &git, false), "{folder} does not");
        }
    }

    #[test]
    fn packages_of_node_are_members_where_the_workspace_names_them() {
        let manifest = r#"{"workspaces":["packages/*","./tools/lint","!packages/old","apps/**"]}"#;
        let files = [
            ("package.json", manifest),
            ("packages/a/package.json", "{}"),
            ("packages/a/src/x.ts", ""),
            ("packages/old/package.json", "{}"),
            ("packages/a/inner/package.json", "{}"),
            ("tools/lint/package.json", "{}"),
            ("apps/web/admin/package.json", "{}"),
            ("vendor/evil/package.json", "{}"),
        ];
        let members = ["", "src", "packages/a", "packages/a/src", "tools/lint", "apps/web/admin"];
        check(Family::Node, &files, &members[..1], &["vendor/evil", "packages/old", "packages/a/inner"]);
        check(Family::Node, &files, &members[2..], &[]);
        for workspaces in [
            (
                "pnpm-workspace.yaml",
                "# ours\npackages:\n  # all\n  - 'packages/*'\n  - \"!packages/old\" # not it\ncatalog:\n  - vendor/evil\n",
            ),
            ("pnpm-workspace.yaml", "packages: ['packages/*', '!packages/old']\n"),
            ("lerna.json", r#"{"packages":["packages/*","!packages/old"]}"#),
        ] {
            let mut files = files;
            files[0] = ("package.json", r#"{"workspaces":{"packages":[]}}"#);
            let files = [files.as_slice(), &[workspaces]].concat();
            check(Family::Node, &files, &["packages/a"], &["vendor/evil", "packages/old", "tools/lint"]);
        }
    }

    #[test]
    fn a_package_that_no_package_is_above_must_be_in_the_repository() {
        check(Family::Node, &[("web/package.json", "{}")], &[""], &["web"]);
        let top = tempfile::tempdir().unwrap();
        let root = top.path().canonicalize().unwrap();
        put(&root, "web/package.json", "{}");
        put(&root, "evil/package.json", "{}");
        for arguments in [&["init", "-q"][..], &["add", "web"]] {
            let done = std::process::Command::new("git").args(arguments).current_dir(&root).status();
            assert!(done.unwrap().success());
        }
        let path = std::env::var_os("PATH").unwrap();
        let git = Git::of(&root, &path);
        assert!(belongs(Family::Node, &root, &root.join("web"), &git, false));
        assert!(!belongs(Family::Node, &root, &root.join("evil"), &git, true));
        assert!(!belongs(Family::Python, &root, &root.join("evil"), &git, false));
    }

    #[test]
    fn crates_are_members_where_the_workspace_names_or_needs_them() {
        const CRATE: &str = "[package]\nname = \"x\"\n";
        let files = [
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"crates/out\"]\n[workspace.dependencies]\nneeded = { path = \"needed\" }\n",
            ),
            (
                "crates/a/Cargo.toml",
                "[package]\nname = \"a\"\n[target.'cfg(unix)'.dependencies]\ndeep = { path = \"../../deep\" }\n",
            ),
            ("crates/out/Cargo.toml", CRATE),
            ("needed/Cargo.toml", CRATE),
            ("deep/Cargo.toml", CRATE),
            ("crates/own/Cargo.toml", "[package]\nname = \"own\"\n[workspace]\n"),
            ("evil/Cargo.toml", CRATE),
            ("evil/own/Cargo.toml", "[package]\nname = \"e\"\n\n[workspace]\n"),
        ];
        let strangers = ["crates/out", "crates/own", "evil", "evil/own"];
        check(Family::Cargo, &files, &["", "crates/a", "needed", "deep"], &strangers);
        check(Family::Cargo, &[("Cargo.toml", CRATE), ("evil/Cargo.toml", CRATE)], &[""], &["evil"]);
    }

    #[test]
    fn builds_of_java_name_their_modules() {
        let files = [
            ("pom.xml", "<modules><module>api</module></modules>"),
            ("api/pom.xml", "<modules><module>./core</module></modules>"),
            ("api/core/pom.xml", ""),
            ("evil/pom.xml", ""),
            ("api/evil/pom.xml", ""),
        ];
        check(Family::Maven, &files, &["", "api", "api/core"], &["evil", "api/evil"]);
        let files = [
            ("settings.gradle.kts", "// include(\":evil\")\ninclude(\":api:core\", \"app\")\n"),
            ("api/core/build.gradle", ""),
            ("app/build.gradle.kts", ""),
            ("evil/build.gradle", ""),
        ];
        check(Family::Gradle, &files, &["", "api/core", "app"], &["evil"]);
    }
}
