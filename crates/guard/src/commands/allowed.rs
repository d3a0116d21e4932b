//! What a person's own rules let through. Everything a script does must be named: what is not read, not known or
//! written elsewhere stays with the agent's own question.

use super::Verdict;
use super::look::Look;
use super::pattern::Pattern;
use super::place::Target;
use super::shipped::Finding;
use crate::shell::{Command, Part, RedirectKind, SHELLS, Word, Wrap, is_no_file};

/// They change when and how, never what.
const TRANSPARENT: &str = "nohup time nice ionice timeout gtimeout stdbuf command setsid caffeinate";
/// Folders whose files decide what is run or allowed later; nothing is let write there unasked.
const SENSITIVE: &[&str] = &[".git", ".claude", ".throughline", ".vscode", ".husky"];

/// Whether the person's own words take a shipped rule back: any of theirs an `ask`, and exactly the same words a `deny`.
pub(super) fn is_excepted(look: &Look<'_>, finding: &Finding) -> bool {
    let allow = &look.rules.user.allow;
    finding.commands.iter().all(|at| {
        let words = &look.raw[*at];
        let is_known = look.script.commands[*at].words.iter().all(|word| word.text().is_some());
        let takes_back = |pattern: &Pattern| match finding.verdict {
            Verdict::Deny => pattern.is_exactly(words),
            Verdict::Ask | Verdict::Allow => pattern.matches(words),
        };
        is_known && allow.iter().any(takes_back)
    })
}

/// A rule that allows the script's last command, if every command is allowed.
pub(super) fn all<'a>(look: &Look<'a>) -> Option<(Option<usize>, &'a Pattern)> {
    if look.rules.user.allow.is_empty() || look.script.is_unreadable || look.script.is_truncated {
        return None;
    }
    let mut last = None;
    for (at, command) in look.commands() {
        if !writes_within(look, command) || command.words.iter().any(|word| word.text().is_none()) {
            return None;
        }
        match named(look, at, command) {
            Some(pattern) => last = Some((Some(at), pattern)),
            None if is_harmless(look, command) || is_covered(look, at) => {}
            None => return None,
        }
    }
    last
}

fn named<'a>(look: &Look<'a>, at: usize, command: &Command) -> Option<&'a Pattern> {
    let mut words = Vec::new();
    for (name, value) in &command.assignments {
        words.push(format!("{name}={}", value.text()?));
    }
    words.extend_from_slice(&look.raw[at]);
    // A rule for `cargo test` says nothing of one with another `PATH`.
    (!command.words.is_empty())
        .then(|| look.rules.user.allow.iter().find(|pattern| pattern.matches(&words)))?
}

/// It does nothing itself, and what it starts is looked at.
fn is_harmless(look: &Look<'_>, command: &Command) -> bool {
    if !command.assignments.is_empty() {
        return false;
    }
    let Some(program) = command.words.first().and_then(Word::text) else {
        return !command.redirects.is_empty();
    };
    match (program.as_str(), command.wraps) {
        ("cd", None) => {
            let to = command.arguments();
            let path = if let [to] = to { look.place.path(command.folder.as_deref(), to) } else { None };
            path.is_some_and(|path| path == look.place.workspace || look.place.is_inside(&path))
        }
        (program, Some(Wrap::Plain)) => TRANSPARENT.split(' ').any(|known| known == program),
        (program, Some(Wrap::Script)) if SHELLS.contains(&program) => {
            let option = command.arguments().first().and_then(Word::text).unwrap_or_default();
            option.starts_with('-') && option[1..].bytes().all(|letter| b"celux".contains(&letter))
        }
        _ => false,
    }
}

/// It stands word by word in a command that is allowed: `sudo apt update`.
fn is_covered(look: &Look<'_>, at: usize) -> bool {
    let mut at = at;
    // As deep as a text nests; each step leads to an earlier command.
    while let Some(outer) = look.script.commands[at].within {
        let command = &look.script.commands[outer];
        if matches!(command.wraps, Some(Wrap::Rights | Wrap::Elsewhere))
            && named(look, outer, command).is_some()
        {
            return true;
        }
        at = outer;
    }
    false
}

fn writes_within(look: &Look<'_>, command: &Command) -> bool {
    command.redirects.iter().all(|redirect| match redirect.kind {
        RedirectKind::Duplicate => true,
        kind if kind.is_output() => {
            redirect.target.text().is_some_and(|path| is_no_file(&path))
                || match look.place.target(command.folder.as_deref(), &redirect.target) {
                    Target::Path(path) => {
                        let below = path.strip_prefix(&look.place.workspace);
                        look.place.is_inside(&path)
                            && below
                                .is_ok_and(|below| !SENSITIVE.iter().any(|folder| below.starts_with(folder)))
                    }
                    _ => false,
                }
        }
        _ => !redirect
            .target
            .parts()
            .iter()
            .any(|part| matches!(part, Part::Variable { .. } | Part::Output(_) | Part::Given)),
    })
}
