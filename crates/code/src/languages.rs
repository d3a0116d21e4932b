//! The languages: one folder each, one line here. Their queries are proved to compile, and their samples to give the
//! facts beside them, by the tests that walk [`ALL`].

use std::sync::OnceLock;

use crate::Language;

macro_rules! language {
    ($name:literal, $grammar:expr) => {
        language!($name, $grammar, flow: &[])
    };
    ($name:literal, $grammar:expr, flow $(of $base:literal)*) => {
        language!($name, $grammar, flow: &[
            include_str!(concat!("../languages/", $name, "/flow.scm")),
            $(include_str!(concat!("../languages/", $base, "/flow.scm"))),*
        ])
    };
    // Queries that languages share stand in the folder of one of them.
    ($name:literal, $grammar:expr, flow $(of $base:literal)*, queries: [$($query:literal),+]) => {
        language!($name, $grammar, flow: &[
            include_str!(concat!("../languages/", $name, "/flow.scm")),
            $(include_str!(concat!("../languages/", $base, "/flow.scm"))),*
        ], queries: [$($query),+])
    };
    ($name:literal, $grammar:expr, flow: $flow:expr) => {
        language!($name, $grammar, flow: $flow, in: [
            concat!("../languages/", $name, "/tags.scm"),
            concat!("../languages/", $name, "/imports.scm"),
            concat!("../languages/", $name, "/bindings.scm")
        ])
    };
    ($name:literal, $grammar:expr, flow: $flow:expr, queries: [$($query:literal),+]) => {
        language!($name, $grammar, flow: $flow, in: [$(concat!("../languages/", $query)),+])
    };
    ($name:literal, $grammar:expr, flow: $flow:expr, in: [$($file:expr),+]) => {{
        static HERE: Language = Language {
            name: $name,
            grammar: || $grammar.into(),
            settings: include_str!(concat!("../languages/", $name, "/language.toml")),
            queries: &[$(include_str!($file)),+],
            flow: $flow,
            told: OnceLock::new(),
            loaded: OnceLock::new(),
            flowing: OnceLock::new(),
            printing: OnceLock::new(),
        };
        &HERE
    }};
}

pub static ALL: &[&Language] = &[
    language!("python", tree_sitter_python::LANGUAGE, flow),
    language!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, flow of "javascript", queries: [
        "javascript/ecma.scm", "typescript/tags.scm", "typescript/imports.scm", "typescript/bindings.scm"
    ]),
    language!("tsx", tree_sitter_typescript::LANGUAGE_TSX, flow of "typescript" of "javascript", queries: [
        "javascript/ecma.scm", "typescript/tags.scm", "typescript/imports.scm", "typescript/bindings.scm", "tsx/jsx.scm"
    ]),
    language!("javascript", tree_sitter_javascript::LANGUAGE, flow, queries: [
        "javascript/ecma.scm", "javascript/commonjs.scm", "javascript/tags.scm", "javascript/bindings.scm", "tsx/jsx.scm"
    ]),
    language!("rust", tree_sitter_rust::LANGUAGE, flow),
    language!("go", tree_sitter_go::LANGUAGE, flow),
    language!("java", tree_sitter_java::LANGUAGE, flow),
    language!("c", tree_sitter_c::LANGUAGE, flow),
    language!("cpp", tree_sitter_cpp::LANGUAGE),
    language!("csharp", tree_sitter_c_sharp::LANGUAGE),
    language!("ruby", tree_sitter_ruby::LANGUAGE),
    language!("php", tree_sitter_php::LANGUAGE_PHP),
    language!("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    language!("swift", tree_sitter_swift::LANGUAGE),
    language!("scala", tree_sitter_scala::LANGUAGE),
    language!("lua", tree_sitter_lua::LANGUAGE),
    language!("bash", tree_sitter_bash::LANGUAGE),
    language!("elixir", tree_sitter_elixir::LANGUAGE),
    language!("markdown", tree_sitter_md::LANGUAGE),
    language!("json", tree_sitter_json::LANGUAGE),
    language!("yaml", tree_sitter_yaml::LANGUAGE),
    language!("toml", tree_sitter_toml_ng::LANGUAGE),
    language!("sql", tree_sitter_sequel::LANGUAGE),
    language!("html", tree_sitter_html::LANGUAGE),
    language!("css", tree_sitter_css::LANGUAGE),
];

pub fn by_name(name: &str) -> Option<&'static Language> {
    ALL.iter().copied().find(|language| language.name == name)
}

/// The language of a file, by its name alone. `path` may have folders in it.
pub fn of_path(path: &str) -> Option<&'static Language> {
    let file = path.rsplit('/').next().unwrap_or(path);
    if let Some(language) = ALL.iter().copied().find(|l| l.settings().files.iter().any(|name| name == file)) {
        return Some(language);
    }
    let ending = file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending)?;
    ALL.iter().copied().find(|language| language.settings().extensions.iter().any(|known| known == ending))
}

/// The language of a script, by its first line (`#!/usr/bin/env python3`).
pub fn of_first_line(text: &str) -> Option<&'static Language> {
    let words = text.strip_prefix("#!")?.lines().next()?;
    let word = words.split_whitespace().find_map(|word| {
        let program = word.rsplit('/').next().unwrap_or(word);
        (program != "env" && !program.starts_with('-')).then_some(program)
    })?;
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    ALL.iter().copied().find(|language| language.settings().interpreters.iter().any(|known| known == bare))
}
