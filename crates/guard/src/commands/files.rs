//! Files that run at every start, belong to the system or are somebody's keys: written, replaced or deleted.

use std::path::{Component, Path};

use super::Verdict;
use super::far::{Far, far, resolve};
use super::look::Look;
use super::pattern::glob;
use super::place::{is_temporary, normal};
use super::shipped::{DEFENSES, DELETE_OUTSIDE, Finding, KEYS, STARTUP, SYSTEM_FILES, Shipped};
use super::table::table;
use crate::shell::{How, Write};

/// Folders below a home folder whose files open doors.
const KEY_FOLDERS: &[&str] = &[".ssh", ".gnupg", ".aws", ".kube", ".password-store", ".config/gcloud"];
/// Among them what holds no key.
const NO_KEYS: &[&str] = &["known_hosts", "known_hosts.old", "config", "cache", "cli"];

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, _) in look.commands() {
        let writes = look.writes(at);
        // Most names are plain ones, and where those lie is looked at once.
        let is_plain = |write: &Write| {
            !write.path.contains(['/', '~', '*']) && !write.path.starts_with('.') && write.copy.is_none()
        };
        let has_plain = writes.iter().any(is_plain);
        let is_listed_here = has_plain && resolve(look, at, "x").is_some_and(|path| is_watched(look, &path));
        let found = writes
            .iter()
            .filter(|write| is_listed_here || !is_plain(write))
            .find_map(|write| written(look, at, write));
        if let Some(rule) = found.or_else(|| shredded(look, at)).or_else(|| thrown_away(look, at)) {
            all.push(Finding { rule, verdict: Verdict::Ask, commands: vec![at] });
        }
    }
}

/// Whether a file of this folder may be one of those, whatever its name.
fn is_watched(look: &Look<'_>, path: &Path) -> bool {
    table().writes.iter().any(|(_, pattern)| is_at(look, pattern, path, How::Write))
        || is_key(look, path, How::Delete)
}

fn written(look: &Look<'_>, at: usize, write: &Write) -> Option<&'static Shipped> {
    let inside = write.name_inside().map(|name| format!("{}/{name}", write.path));
    let paths = std::iter::once(write.path.as_str()).chain(inside.as_deref());
    paths.filter_map(|path| resolve(look, at, path)).find_map(|path| {
        let listed = table()
            .writes
            .iter()
            .find(|(rule, pattern)| counts(rule, write.how) && is_at(look, pattern, &path, write.how));
        listed.map(|(rule, _)| *rule).or_else(|| is_key(look, &path, write.how).then_some(&KEYS))
    })
}

/// The rule a file belongs to that is written somehow.
pub(super) fn listed(look: &Look<'_>, path: &str) -> Option<&'static Shipped> {
    let path = normal(&look.place.written(None, path)?);
    let found = table()
        .writes
        .iter()
        .find(|(rule, pattern)| counts(rule, How::Write) && is_at(look, pattern, &path, How::Write));
    found.map(|(rule, _)| *rule)
}

/// A folder that is made is nothing yet, and whose rights are changed is the same file as before. A log grows.
fn counts(rule: &Shipped, how: How) -> bool {
    match how {
        How::Make | How::MakeAll => false,
        How::Within => *rule == SYSTEM_FILES || *rule == STARTUP,
        How::Mode | How::Tree => *rule == SYSTEM_FILES,
        How::Append => *rule != DEFENSES,
        // Whole folders have rules of their own.
        How::DeleteTree => *rule == STARTUP || *rule == DEFENSES,
        How::Write | How::Edit | How::Move | How::Delete => true,
    }
}

fn is_at(look: &Look<'_>, pattern: &str, path: &Path, how: How) -> bool {
    let Some(text) = path.to_str() else { return false };
    let (pattern, text) = match pattern.strip_prefix("~/") {
        Some(pattern) => match below_home(look, path) {
            Some(below) => (pattern, below),
            None => return false,
        },
        None => (pattern, text),
    };
    match pattern.strip_suffix("/**") {
        Some(folder) => {
            // What is unpacked into a folder is in it, and a folder that is moved takes all of it along.
            let is_whole = text == folder && matches!(how, How::Within | How::Move);
            let is_below = text.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
            (is_whole || is_below) && !is_workspace(look, path)
        }
        // `~/.bash*` is any of them.
        None => pattern == text || (text.contains('*') && glob(text, pattern)),
    }
}

/// A workspace in `/etc/nixos` is what the person works on.
fn is_workspace(look: &Look<'_>, path: &Path) -> bool {
    path.starts_with(&look.place.workspace) && look.place.workspace != Path::new("/")
}

/// What is behind a home folder in a path.
fn below_home<'p>(look: &Look<'_>, path: &'p Path) -> Option<&'p str> {
    let own = look.place.home.as_deref().and_then(|home| path.strip_prefix(home).ok());
    let others = || {
        let mut parts = path.components();
        parts.next();
        match parts.next()? {
            Component::Normal(name) if name == "root" => Some(parts.as_path()),
            Component::Normal(name) if name == "home" || name == "Users" => {
                parts.next()?;
                Some(parts.as_path())
            }
            _ => None,
        }
    };
    own.or_else(others)?.to_str()
}

/// A key that is deleted or written over opens nothing any more.
fn is_key(look: &Look<'_>, path: &Path, how: How) -> bool {
    let ends = matches!(how, How::Delete | How::Move | How::Write);
    let Some(below) = below_home(look, path).filter(|_| ends) else { return false };
    let is_public = path.extension().is_some_and(|extension| extension == "pub");
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let within = |folder: &str| below.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let is_new = how == How::Write && name != "credentials" && !name.starts_with("id_") && name != "*";
    KEY_FOLDERS.iter().any(|folder| within(folder)) && !is_public && !is_new && !NO_KEYS.contains(&name)
        || matches!(below, ".kube/config" | ".netrc" | ".git-credentials") && how != How::Write
}

/// What is shredded was meant to be gone for good; only what is temporary was meant to be.
fn shredded(look: &Look<'_>, at: usize) -> Option<&'static Shipped> {
    let is_shred = matches!(look.program(at).as_deref(), Some("shred" | "gshred" | "srm" | "wipe" | "scrub"));
    let only_says = look.raw[at].iter().any(|word| matches!(word.as_str(), "--help" | "--version"));
    if !is_shred || only_says || matches!(far(look, at), Far::Container(_)) {
        return None;
    }
    let operands = look.raw[at]
        .iter()
        .skip(1)
        .filter(|word| !word.starts_with('-') && !word.chars().all(|letter| letter.is_ascii_digit()));
    let mut operands = operands.filter(|word| word.as_str() != "*");
    operands.any(|word| resolve(look, at, word).is_none_or(|path| !is_temporary(&path))).then_some(&KEYS)
}

/// `mv folder /dev/null`, `mv ~ x`.
fn thrown_away(look: &Look<'_>, at: usize) -> Option<&'static Shipped> {
    if look.program(at).as_deref() != Some("mv") {
        return None;
    }
    let operands: Vec<&String> =
        look.plain[at].iter().skip(1).filter(|word| !word.starts_with('-')).collect();
    let (target, sources) = operands.split_last()?;
    let is_all = |word: &&String| matches!(word.as_str(), "/" | "/*" | "~" | "~/" | "~/*" | "~/.*");
    let is_thrown = target.as_str() == "/dev/null" && !sources.is_empty();
    (is_thrown || sources.iter().any(is_all)).then_some(&DELETE_OUTSIDE)
}
