//! Where imports lead: one file a family of languages, one line in [`ALL`]. Reads manifests, never sources: what a file
//! defines is the library's.

use std::fmt;

use code::SymbolId;

use crate::library::{FileId, Library};

mod bash;
mod c;
mod elixir;
mod go;
mod java;
mod lua;
mod php;
mod python;
mod ruby;
mod rust;
mod typescript;

/// What an import's module is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// One module: a file, all files of a package's folder, or (with `within`) a module inside of a file.
    Module(Module),
    /// Of another project, the language itself, or an installed dependency.
    Outside,
    /// It should be here and is not.
    Missing,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Module {
    /// The files whose top level is the module's.
    pub files: Vec<FileId>,
    /// A folder that is a package: `a` in `a.b` where `a` has files of its own or none.
    pub folder: Option<Box<str>>,
    /// Of the first file: a module written inside of it.
    pub within: Option<SymbolId>,
}

impl Module {
    pub fn of(file: FileId) -> Self {
        Self { files: vec![file], ..Self::default() }
    }
}

/// What a language family's rules need to know of the workspace.
#[derive(Debug, Clone, Copy)]
pub struct Survey<'a> {
    pub library: &'a Library,
    /// `Cargo.toml`, `package.json`, `tsconfig*.json`, `go.mod` …: relative path and text.
    pub manifests: &'a [(String, String)],
}

/// Names of files that say how modules are found. They are read whole, wherever they are in the workspace.
pub const MANIFESTS: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "tsconfig.json",
    "tsconfig.base.json",
    "jsconfig.json",
    "pnpm-workspace.yaml",
    "go.mod",
    "go.work",
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "composer.json",
    "mix.exs",
];

pub trait Modules: Send + Sync + fmt::Debug {
    /// What `module`, as written in an import of `from`, is.
    fn find(&self, library: &Library, from: FileId, module: &str) -> Target;

    /// What a bare import of a module is called in the importing file: `a` for Python's `import a.b`, `b` for Go's
    /// `import "x/b"`. And how much of the module that name means: `a` alone, or all of it.
    fn called<'m>(&self, module: &'m str) -> Option<Called<'m>>;

    /// Files whose top level can be seen from this one without an import, this one not among them: a Go package, a Java
    /// package, a C file's headers are imports and so are not.
    fn siblings(&self, _library: &Library, _file: FileId) -> Vec<FileId> {
        Vec::new()
    }

    /// A module inside of a module, where the language has such: `b` of `a` for `a.b`, `a::b`.
    fn child(&self, _library: &Library, _of: &Module, _name: &str) -> Option<Module> {
        None
    }

    /// What a name that needs no import is at the head of a path: `crate`, `self`, `super`, a dependency's name.
    fn root(
        &self,
        _library: &Library,
        _from: FileId,
        _within: Option<SymbolId>,
        _name: &str,
    ) -> Option<Target> {
        None
    }

    /// Whether what an import names is a path through modules, types and what is handed on, to be walked name by name
    /// (Rust), and not one word for a module.
    fn is_path(&self) -> bool {
        false
    }

    /// Under which name a module hands out what it is as a whole: `module.exports = a`, `export = a`.
    fn whole(&self) -> Option<&'static str> {
        None
    }

    /// Whether what a module hands out are the members of the type it hands on (Lua's tables).
    fn hands_out_a_type(&self) -> bool {
        false
    }

    /// Whether a place is inside of a module, where all that the module imports can be seen (Rust).
    fn is_inside(
        &self,
        _library: &Library,
        _from: FileId,
        _within: Option<SymbolId>,
        _module: &Module,
    ) -> bool {
        false
    }

    /// Whether every import of a module can be taken from it by others (Python), or only what is handed on.
    fn imports_are_members(&self) -> bool {
        false
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Called<'m> {
    pub name: &'m str,
    /// The module that name stands for.
    pub module: &'m str,
}

/// A family: the languages it serves, and how it is made for a workspace.
#[derive(Debug)]
pub struct Family {
    pub languages: &'static [&'static str],
    pub survey: fn(Survey<'_>) -> Box<dyn Modules>,
}

pub const ALL: &[Family] = &[
    Family { languages: &["python"], survey: python::survey },
    Family { languages: &["rust"], survey: rust::survey },
    Family { languages: &["typescript", "tsx", "javascript"], survey: typescript::survey },
    Family { languages: &["go"], survey: go::survey },
    Family { languages: &["c", "cpp"], survey: c::survey },
    Family { languages: &["ruby"], survey: ruby::survey },
    Family { languages: &["php"], survey: php::survey },
    Family { languages: &["elixir"], survey: elixir::survey },
    Family { languages: &["lua"], survey: lua::survey },
    Family { languages: &["bash"], survey: bash::survey },
    Family { languages: &["java", "kotlin", "scala"], survey: java::survey },
    Family { languages: &["csharp"], survey: java::survey_csharp },
];

/// The rules of every language of a workspace.
#[derive(Debug, Default)]
pub struct Rules {
    families: Vec<Box<dyn Modules>>,
}

impl Rules {
    pub fn survey(survey: Survey<'_>) -> Self {
        Self { families: ALL.iter().map(|family| (family.survey)(survey)).collect() }
    }

    pub fn of(&self, language: &str) -> Option<&dyn Modules> {
        let at = ALL.iter().position(|family| family.languages.contains(&language))?;
        self.families.get(at).map(|family| &**family)
    }
}
