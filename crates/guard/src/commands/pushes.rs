//! Pushes that overwrite or delete a branch of others.

use super::Verdict;
use super::look::{Look, Parsed};
use super::shipped::{DELETE_BRANCH, FORCE_PUSH, FORCE_PUSH_UNCLEAR, Finding, REWRITE_HISTORY, Shipped};
use crate::shell::{Command, Part, Word};

/// What stands at the other end of a push.
enum Branch {
    Named(String),
    /// It begins so.
    Begins(String),
    All,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Force {
    No,
    /// Only over what was seen.
    Lease,
    Yes,
}

pub(super) fn find(look: &Look<'_>, all: &mut Vec<Finding>) {
    for (at, command) in look.commands() {
        if look.program(at).as_deref() == Some("git")
            && let Some(words) = verb(command, "push")
            && let Some((rule, verdict)) = pushed(look, at, command, words)
        {
            all.push(Finding { rule, verdict, commands: vec![at] });
        }
    }
}

/// The words behind git's verb, if it is this one.
fn verb<'a>(command: &'a Command, verb: &str) -> Option<&'a [Word]> {
    let words = command.arguments();
    let at = past_globals(words);
    (words.get(at)?.text()? == verb).then(|| &words[at + 1..])
}

fn past_globals(words: &[Word]) -> usize {
    let mut at = 0;
    while let Some(text) = words.get(at).map(Word::prefix).filter(|text| text.starts_with('-')) {
        let takes =
            matches!(&*text, "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env");
        at += 1 + usize::from(takes);
    }
    at
}

fn pushed(
    look: &Look<'_>,
    at: usize,
    command: &Command,
    words: &[Word],
) -> Option<(&'static Shipped, Verdict)> {
    let parsed = Parsed::with(words, "-o --push-option --repo --receive-pack --exec");
    if parsed.long("--dry-run") || parsed.letter("n") {
        return None;
    }
    if parsed.long("--mirror") {
        return Some((&REWRITE_HISTORY, Verdict::Ask));
    }
    let has_lease = words.iter().any(|word| word.prefix().starts_with("--force-w"));
    let force = match (parsed.letter("f") || parsed.exactly("--force"), has_lease) {
        (true, _) => Force::Yes,
        (false, true) => Force::Lease,
        (false, false) => Force::No,
    };
    let deletes = parsed.letter("d") || parsed.long("--delete");
    let mut refs = parsed.operands.get(1..).unwrap_or_default().to_vec();
    let current = || current(look, at, command).map_or(Branch::Begins(String::new()), Branch::Named);
    if refs.is_empty() {
        let everything = parsed.long("--all") || parsed.long("--branches");
        let only_tags = parsed.long("--tags");
        let branch = if everything { Branch::All } else { current() };
        return (!only_tags || everything).then(|| forced(look, force, &branch)).flatten();
    }
    // `git push origin tag v1`.
    if refs.first().and_then(|word| word.text()).as_deref() == Some("tag") {
        refs.drain(..2.min(refs.len()));
    }
    refs.into_iter()
        .filter_map(|word| {
            let spec = spelled(word);
            let (plus, spec) = spec.strip_prefix('+').map_or((false, spec.as_str()), |rest| (true, rest));
            let (source, target) =
                spec.split_once(':').map_or((None, spec), |(source, target)| (Some(source), target));
            // git takes each of these for the same branch.
            let target =
                ["refs/heads/", "heads/"].iter().find_map(|kind| target.strip_prefix(kind)).unwrap_or(target);
            if target.starts_with("refs/tags/") || target.starts_with("tags/") {
                return None;
            }
            // `:` alone is every branch that both sides have.
            let is_matching = source == Some("") && target.is_empty();
            let branch = match target.split_once(UNKNOWN) {
                _ if is_current(look, word) => current(),
                Some((begin, _)) => Branch::Begins(begin.to_owned()),
                None if matches!(target, "HEAD" | "@") && source.is_none() => current(),
                None if target.contains('*') || is_matching => Branch::All,
                None => Branch::Named(target.to_owned()),
            };
            let is_deletion = deletes || (source == Some("") && !is_matching && !target.contains(UNKNOWN));
            if is_deletion {
                let Branch::Named(name) = &branch else { return None };
                return look.rules.is_protected(name).then_some((&DELETE_BRANCH, Verdict::Deny));
            }
            forced(look, if plus { Force::Yes } else { force }, &branch)
        })
        .max_by_key(|(_, verdict)| *verdict)
}

/// What only a shell could know, in a place where git would take no such letter.
const UNKNOWN: char = '\0';

fn spelled(word: &Word) -> String {
    let parts = word.parts().iter().map(|part| match part {
        Part::Text(text) | Part::Home(text) => text.clone(),
        Part::Glob(glob) => glob.clone(),
        _ => UNKNOWN.to_string(),
    });
    parts.collect()
}

fn forced(look: &Look<'_>, force: Force, branch: &Branch) -> Option<(&'static Shipped, Verdict)> {
    let (is_protected, is_certain) = match branch {
        Branch::Named(name) => (look.rules.is_protected(name), true),
        Branch::All => (true, true),
        Branch::Begins(begin) => (look.rules.protected().any(|protected| may_be(protected, begin)), false),
    };
    match (force, is_protected, is_certain) {
        (Force::Yes, true, true) => Some((&FORCE_PUSH, Verdict::Deny)),
        (Force::Yes, true, false) | (Force::Lease, true, true) => Some((&FORCE_PUSH_UNCLEAR, Verdict::Ask)),
        _ => None,
    }
}

/// Whether a name that begins so may be one of these.
fn may_be(protected: &str, begin: &str) -> bool {
    match protected.find(['*', '?']) {
        Some(at) => protected[..at].starts_with(begin) || begin.starts_with(&protected[..at]),
        None => protected.starts_with(begin),
    }
}

/// A word that is nothing but the name of what is checked out: `"$(git branch --show-current)"`.
fn is_current(look: &Look<'_>, word: &Word) -> bool {
    let [Part::Output(range)] = word.parts() else { return false };
    range.len() == 1
        && matches!(
            look.plain[range.start].join(" ").as_str(),
            "git branch --show-current" | "git rev-parse --abbrev-ref HEAD" | "git symbolic-ref --short HEAD"
        )
}

/// What is checked out when the command runs, if it runs in the workspace.
fn current(look: &Look<'_>, at: usize, command: &Command) -> Option<String> {
    let words = command.arguments();
    let globals = &words[..past_globals(words).min(words.len())];
    if globals.iter().any(|word| matches!(&*word.prefix(), "-C" | "--git-dir" | "--work-tree")) {
        return None;
    }
    if let Some(folder) = &command.folder {
        let path = look.place.path(None, folder)?;
        if path != look.place.workspace && !look.place.is_inside(&path) {
            return None;
        }
    }
    // `git checkout main && git push -f`.
    let switched = look.script.commands[..at].iter().enumerate().rev().find_map(|(at, earlier)| {
        if look.program(at).as_deref() != Some("git") {
            return None;
        }
        let words = verb(earlier, "checkout").or_else(|| verb(earlier, "switch"))?;
        if words.iter().any(|word| word.text().as_deref() == Some("--")) {
            return None;
        }
        let parsed = Parsed::of(words);
        Some(parsed.operands.first().and_then(|word| word.text()))
    });
    switched.unwrap_or_else(|| look.place.branch.clone())
}
