//! Commands that change what watches over an agent: throughline's own settings, and where git looks for hooks. Reading them
//! is nobody's question.

use super::Verdict;
use super::look::Look;
use super::shipped::{Finding, Shipped, asks_for_help};

pub(super) const SWITCH_GUARDS: Shipped = Shipped {
    name: "switch-guards",
    verdict: Verdict::Ask,
    why: "It changes what guards, rules or git hooks do, and those are the user's.",
    instead: "Tell the user which setting should be changed and why.",
};

/// The first words of those that change something; what follows is theirs.
const OURS: &[&[&str]] = &[
    &["config", "set"],
    &["config", "unset"],
    &["behaviors", "enable"],
    &["behaviors", "disable"],
    &["pause"],
    &["uninstall"],
    &["scope", "init"],
    &["hook", "new"],
    &["hook", "remove"],
];
/// Settings of git that run programs nobody sees, in small letters as git reads them.
const KEYS: &[&str] = &["core.hookspath", "core.fsmonitor", "include.path"];

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands().filter(|(_, command)| !command.is_elsewhere) {
        let words = look.plain.get(at).map(Vec::as_slice).unwrap_or_default();
        let changes = match look.program(at).as_deref() {
            Some("throughline") => changes_ours(words),
            Some("git") => changes_hooks(words),
            _ => false,
        };
        if changes && !command.words.is_empty() && !asks_for_help(words) {
            all.push(Finding { rule: &SWITCH_GUARDS, verdict: SWITCH_GUARDS.verdict, commands: vec![at] });
        }
    }
}

fn changes_ours(words: &[String]) -> bool {
    let words: Vec<&str> =
        words.iter().skip(1).map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    // A word that only the shell knows may be any of them.
    let is = |word: &&str, known: &&str| word == known || word.contains('*');
    OURS.iter().any(|known| {
        words.len() >= known.len() && known.iter().zip(&words).all(|(known, word)| is(word, known))
    })
}

fn changes_hooks(words: &[String]) -> bool {
    if words.get(1).map(String::as_str) != Some("config") {
        return false;
    }
    let reads = |word: &String| {
        matches!(word.as_str(), "get" | "list" | "-l") || word.starts_with("--get") || word == "--list"
    };
    let Some(at) = words.iter().position(|word| {
        let key = word.to_ascii_lowercase();
        KEYS.contains(&key.as_str()) || key.starts_with("includeif.")
    }) else {
        return false;
    };
    let before = &words[2..at];
    let removes = before.iter().any(|word| word.starts_with("--unset") || word == "unset");
    !before.iter().any(reads) && (removes || words.len() > at + 1)
}
