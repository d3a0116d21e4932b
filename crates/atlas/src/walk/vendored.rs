//! Files that are in a workspace and are not of it: dependencies, products of a build, what a program wrote.

use std::path::Path;

/// Folders, by name. Where `beside` or `holds` names files, one of them must be there: a folder called `build` may
/// as well be where the build is written by hand.
struct Rule {
    name: &'static str,
    beside: &'static [&'static str],
    holds: &'static [&'static str],
}

const fn always(name: &'static str) -> Rule {
    Rule { name, beside: &[], holds: &[] }
}

const DEPENDENCIES: &[Rule] = &[
    always("node_modules"),
    always("bower_components"),
    always("jspm_packages"),
    always("site-packages"),
    always("__pycache__"),
    always("__pypackages__"),
    always("third_party"),
    always("third-party"),
    always("thirdparty"),
    always("Pods"),
    always("Carthage"),
    Rule {
        name: "vendor",
        beside: &["go.mod", "composer.json", "Gemfile", "Cargo.toml"],
        holds: &["modules.txt", "autoload.php", "bundle"],
    },
    Rule { name: "deps", beside: &["mix.exs", "rebar.config"], holds: &[] },
];

const PRODUCTS: &[Rule] = &[
    Rule { name: "target", beside: &["Cargo.toml", "pom.xml", "build.sbt"], holds: &["CACHEDIR.TAG"] },
    Rule { name: "dist", beside: &["package.json", "pyproject.toml", "setup.py"], holds: &[] },
    Rule {
        name: "build",
        beside: &["build.gradle", "build.gradle.kts", "setup.py"],
        holds: &["CMakeCache.txt", "build.ninja"],
    },
    Rule { name: "_build", beside: &["mix.exs", "rebar.config", "dune-project"], holds: &[] },
    Rule { name: "bin", beside: &[], holds: &["Debug", "Release"] },
    Rule { name: "obj", beside: &[], holds: &["Debug", "Release", "project.assets.json"] },
    always("htmlcov"),
];

/// Whatever a folder is called: these files say what it is.
const TELLING: &[(&str, &str)] =
    &[("CACHEDIR.TAG", "a folder of a build"), ("pyvenv.cfg", "a folder of dependencies")];

/// Endings of files that programs write.
const GENERATED: &[&str] = &[
    ".min.js",
    ".min.css",
    ".bundle.js",
    ".pb.go",
    ".pb.gw.go",
    "_pb2.py",
    "_pb2.pyi",
    "_pb2_grpc.py",
    "_pb.js",
    "_pb.d.ts",
    ".pb.cc",
    ".pb.h",
    ".designer.cs",
    ".g.cs",
    ".g.dart",
    ".freezed.dart",
];

const LOCKS: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "composer.lock",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "Gemfile.lock",
    "flake.lock",
    "Package.resolved",
    "packages.lock.json",
    "deno.lock",
    "bun.lock",
];

/// Why a folder is left out.
pub(super) fn reason(path: &Path, name: &str) -> Option<&'static str> {
    for (rules, reason) in [(DEPENDENCIES, "a folder of dependencies"), (PRODUCTS, "a folder of a build")] {
        if rules.iter().any(|rule| rule.name == name && rule.holds_for(path)) {
            return Some(reason);
        }
    }
    TELLING.iter().find(|(file, _)| path.join(file).exists()).map(|(_, reason)| *reason)
}

/// Why a file is left out, by its name alone.
pub(super) fn name_reason(name: &str) -> Option<&'static str> {
    if LOCKS.contains(&name) {
        return Some("a lock file");
    }
    let lower = name.to_ascii_lowercase();
    GENERATED.iter().any(|ending| lower.ends_with(ending)).then_some("generated")
}

impl Rule {
    fn holds_for(&self, path: &Path) -> bool {
        let beside = |name: &&str| path.parent().is_some_and(|parent| parent.join(name).exists());
        self.beside.is_empty() && self.holds.is_empty()
            || self.beside.iter().any(beside)
            || self.holds.iter().any(|name| path.join(name).exists())
    }
}
