//! What `tsconfig.json` and `package.json` say about modules. Reads their text and nothing else.

use std::collections::HashMap;

use serde_json::Value;

use super::{join, normal};
use crate::library::folder_of;

/// Configurations that extend one another; more are a circle.
const MAX_EXTENDS: usize = 8;
/// Conditions of `exports` inside of one another.
const MAX_NESTING: usize = 8;
/// Conditions, the ones that lead to sources first.
const CONDITIONS: &[&str] = &[
    "source",
    "development",
    "types",
    "typings",
    "import",
    "module",
    "default",
    "require",
    "node",
    "browser",
];

/// Path aliases, of the folder they hold in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Config {
    pub(super) folder: String,
    /// `baseUrl`, from the workspace.
    pub(super) base: Option<String>,
    /// `paths`; targets from the workspace.
    pub(super) paths: Vec<Pattern>,
}

/// A package of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Package {
    pub(super) folder: String,
    pub(super) name: String,
    pub(super) exports: Vec<Pattern>,
    pub(super) imports: Vec<Pattern>,
    /// Where it begins without `exports`: `types`, `module`, `main`.
    pub(super) entries: Vec<String>,
}

/// A name with at most one `*`, and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Pattern {
    pub(super) key: String,
    pub(super) targets: Vec<String>,
}

/// The configuration of each folder that has one.
pub(super) fn configs(manifests: &[(String, String)]) -> Vec<Config> {
    let is_config = |name: &str| {
        name == "jsconfig.json" || name.starts_with("tsconfig") && name.rsplit('.').next() == Some("json")
    };
    let read: HashMap<&str, Value> = manifests
        .iter()
        .filter(|(path, _)| is_config(file_name(path)))
        .filter_map(|(path, text)| Some((path.as_str(), serde_json::from_str(&plain(text)).ok()?)))
        .collect();
    let mut chosen: HashMap<&str, &str> = HashMap::new();
    for path in read.keys() {
        let known = chosen.entry(folder_of(path)).or_insert(path);
        if rank(file_name(path)) < rank(file_name(known)) {
            *known = path;
        }
    }
    let all = chosen.into_iter().map(|(folder, path)| {
        let mut config = Config { folder: folder.to_owned(), ..Config::default() };
        inherit(&read, path, &mut config, 0);
        config
    });
    // A configuration without aliases has no say about those of the folders around it: they do not hold here either.
    all.collect()
}

/// Which of several configurations in a folder is its own.
fn rank(name: &str) -> usize {
    let known = ["tsconfig.json", "jsconfig.json", "tsconfig.base.json"];
    known.iter().position(|other| *other == name).unwrap_or(known.len())
}

/// Takes what a configuration says, then what it extends says where it is silent.
fn inherit(read: &HashMap<&str, Value>, path: &str, config: &mut Config, depth: usize) {
    let Some(value) = read.get(path).filter(|_| depth < MAX_EXTENDS) else { return };
    let folder = folder_of(path);
    let options = &value["compilerOptions"];
    let base = options["baseUrl"].as_str().and_then(|base| normal(folder, base));
    if config.base.is_none() {
        config.base.clone_from(&base);
    }
    if let Some(paths) = options["paths"].as_object().filter(|_| config.paths.is_empty()) {
        let from = base.or_else(|| config.base.clone()).unwrap_or_else(|| folder.to_owned());
        config.paths = paths
            .iter()
            .map(|(key, targets)| Pattern {
                key: key.clone(),
                targets: strings(targets).iter().filter_map(|target| normal(&from, target)).collect(),
            })
            .collect();
    }
    for extended in strings(&value["extends"]).iter().rev() {
        if let Some(path) = config_path(read, folder, extended) {
            inherit(read, &path, config, depth + 1);
        }
    }
    // A configuration that only refers to others: theirs are what holds.
    let refers = value["references"].as_array().filter(|_| config.paths.is_empty() && config.base.is_none());
    for reference in refers.into_iter().flatten().filter_map(|reference| reference["path"].as_str()) {
        // One of another folder holds there.
        if let Some(path) = config_path(read, folder, reference).filter(|path| folder_of(path) == folder) {
            inherit(read, &path, config, depth + 1);
        }
    }
}

fn config_path(read: &HashMap<&str, Value>, folder: &str, written: &str) -> Option<String> {
    if !written.starts_with('.') {
        return None;
    }
    let path = normal(folder, written)?;
    let all = [path.clone(), format!("{path}.json"), join(&path, "tsconfig.json")];
    all.into_iter().find(|path| read.contains_key(path.as_str()))
}

pub(super) fn packages(manifests: &[(String, String)]) -> Vec<Package> {
    let mine = manifests.iter().filter(|(path, _)| file_name(path) == "package.json");
    mine.filter_map(|(path, text)| {
        let value: Value = serde_json::from_str(&plain(text)).ok()?;
        let entries = ["source", "types", "typings", "module", "main", "browser"];
        Some(Package {
            folder: folder_of(path).to_owned(),
            name: value["name"].as_str().unwrap_or_default().to_owned(),
            exports: patterns(&value["exports"], "."),
            imports: patterns(&value["imports"], "#"),
            entries: entries.iter().filter_map(|key| value[key].as_str()).map(str::to_owned).collect(),
        })
    })
    .collect()
}

/// `exports` is a path, conditions, or names with either.
fn patterns(value: &Value, sign: &str) -> Vec<Pattern> {
    let named = value.as_object().filter(|object| object.keys().any(|key| key.starts_with(sign)));
    match named {
        Some(object) => object
            .iter()
            .map(|(key, value)| Pattern { key: key.clone(), targets: targets(value, 0) })
            .collect(),
        None if value.is_null() => Vec::new(),
        None => vec![Pattern { key: sign.to_owned(), targets: targets(value, 0) }],
    }
}

/// Every path below some conditions, the likeliest first.
fn targets(value: &Value, depth: usize) -> Vec<String> {
    if depth > MAX_NESTING {
        return Vec::new();
    }
    match value {
        Value::String(path) => vec![path.clone()],
        Value::Array(all) => all.iter().flat_map(|value| targets(value, depth + 1)).collect(),
        Value::Object(object) => {
            let mut all: Vec<(&String, &Value)> = object.iter().collect();
            all.sort_by_key(|(key, _)| {
                CONDITIONS.iter().position(|known| known == key).unwrap_or(usize::MAX)
            });
            all.into_iter().flat_map(|(_, value)| targets(value, depth + 1)).collect()
        }
        _ => Vec::new(),
    }
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(one) => vec![one.clone()],
        Value::Array(all) => all.iter().filter_map(|one| one.as_str()).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// JSON as it is written by hand: without its comments and the commas before closing brackets.
pub(super) fn plain(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}');
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = rest.next() {
        match c {
            '\\' if in_string => {
                out.push(c);
                out.extend(rest.next());
            }
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '/' if !in_string && rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
            }
            '/' if !in_string && rest.peek() == Some(&'*') => {
                rest.next();
                let mut last = ' ';
                for c in rest.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            ']' | '}' if !in_string => {
                let kept = out.trim_end();
                if kept.ends_with(',') {
                    out.truncate(kept.len() - 1);
                }
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
