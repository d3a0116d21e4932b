//! What a scope protects without naming it: its own file, and the files that decide what guards and agents do or that run
//! unseen. The first is a person's to change, the others are changed with one.

use std::fs;
use std::path::{Component, Path};

use super::real::{self, Real};
use super::{FILE, FOLDER, From, Judgment, Lists, Rule, Scope, Verdict, subject};

/// Folders, and what in them is protected; a name with a slash behind it is a folder with everything in it.
const FILES: &[(&str, &[&str])] = &[
    (FOLDER, &["config.toml", "commands.json", "rules/"]),
    (".claude", &["settings.json", "settings.local.json", "hooks/", "plugins/"]),
    (".codex", &["config.toml", "hooks.json", "hooks/", "rules/"]),
    (".gemini", &["settings.json", "hooks/", "extensions/"]),
    (".cursor", &["hooks.json", "hooks/", "mcp.json", "cli.json", "permissions.json"]),
    (".git", &["hooks/", "config", "config.worktree"]),
];
/// Wherever they stand.
const ANYWHERE: &[&str] = &[".mcp.json", ".claude.json"];
/// In the folder of our data.
const DATA: &[&str] = &["config.toml", "commands.json", "rules/"];

/// What is said about a write to such a file, where a scope is in force.
pub(super) fn protected(scopes: &[Scope], real: &Real, from: &From<'_>) -> Option<Judgment> {
    let scope = scopes.first()?;
    let name = real.path.file_name()?.to_str()?;
    let folder = real.path.parent()?;
    let is = |one: &str, other: &str| if real.folds { one.eq_ignore_ascii_case(other) } else { one == other };
    let data = from.data.map(|data| fs::canonicalize(data).unwrap_or_else(|_| data.to_owned()));
    let in_data = data.as_ref().is_some_and(|data| folder == data || Some(folder) == data.parent());
    // A scope file may be a link, also to what is not there yet.
    let is_target = |scope: &Scope| {
        scope.file == real.path || real::real(None, &scope.file).is_ok_and(|file| file.path == real.path)
    };
    if scopes.iter().any(is_target)
        || is(name, FILE) && (in_data || folder.file_name().is_some_and(|at| at.eq_ignore_ascii_case(FOLDER)))
    {
        let why = "a scope file is changed by a person, not by whom it is for".to_owned();
        return Some(scope.verdict(Verdict::Deny, real, why));
    }
    // Below one of these folders, by the names on the way.
    let names = |base: &Path| -> Option<Vec<String>> {
        let rest = real.path.strip_prefix(base).ok()?;
        Some(rest.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect())
    };
    let is_listed = |names: &[String], listed: &[&str]| {
        listed.iter().any(|known| match known.strip_suffix('/') {
            // Also in a folder between: `.git/worktrees/x/hooks`.
            Some(folder) => {
                names.iter().rev().skip(1).any(|name| is(name, folder)) || is(&names[names.len() - 1], folder)
            }
            None => is(&names[names.len() - 1], known),
        })
    };
    let mut marks = real.path.components().enumerate().filter_map(|(at, part)| match part {
        Component::Normal(part) => {
            let part = part.to_str()?;
            Some((at, FILES.iter().find(|(folder, _)| is(part, folder))?))
        }
        _ => None,
    });
    let found = marks.find(|(at, (_, listed))| {
        let base: std::path::PathBuf = real.path.components().take(at + 1).collect();
        names(&base).is_some_and(|names| !names.is_empty() && is_listed(&names, listed))
    });
    let in_ours = data.as_ref().is_some_and(|data| {
        let is_below = |base: &Path| names(base).filter(|names| !names.is_empty());
        is_below(data).is_some_and(|names| is_listed(&names[..1], DATA) || is(&names[0], "rules"))
            || data
                .parent()
                .and_then(is_below)
                .is_some_and(|names| names.len() == 1 && DATA.iter().any(|known| is(&names[0], known)))
    });
    let mark = match found {
        Some((_, (folder, _))) => folder,
        None if ANYWHERE.iter().any(|known| is(name, known)) => name,
        None if in_ours => FOLDER,
        None => return None,
    };
    if names_outright(scope, real, mark) {
        return None;
    }
    let why = "what stands there can run commands or switch guards off, unseen".to_owned();
    Some(scope.verdict(Verdict::Ask, real, why))
}

/// Whether the scope allows it by a rule that can mean nothing else.
fn names_outright(scope: &Scope, real: &Real, mark: &str) -> bool {
    let Ok(Lists { allow: Some(allow), .. }) = &*scope.lists else { return false };
    let outright = allow.iter().filter(|rule| rule.pattern.text().starts_with(['.', '/']));
    let outright: Vec<&Rule> = outright.filter(|rule| rule.pattern.text().contains(mark)).collect();
    scope.bases.iter().any(|base| outright.iter().any(|rule| rule.pattern.names(&subject(base, real))))
}
