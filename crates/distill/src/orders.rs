//! Whether a person orders something that holds from now on. A report of how things are, a question and an order for
//! the moment are none; what is in doubt is left out.

use crate::prose::any;
use crate::text::has_word;

/// A person's choice or rule, in a prompt: an order, not a report. "It never worked" orders nothing.
pub(crate) fn orders_decision(text: &str) -> bool {
    const CHOICES: &[&str] = &[
        "let's use",
        "let's go with",
        "lets use",
        "go with",
        "we'll use",
        "we will use",
        "we decided",
        "decided to",
        "decision:",
        "stick with",
        "stick to",
        "keep using",
        "we are going to use",
        "we're going to use",
        "i want to use",
        "from now on",
        "we switched to",
        "we moved from",
        "we moved to",
        "we migrated",
    ];
    const QUESTIONS: &[&str] = &["why ", "how ", "what ", "where ", "when ", "which ", "does ", "is "];
    const REPORTS: &[&str] = &["i never", "it never", "i wonder", "i don't know", "i don't understand"];
    if text.ends_with('?') || text.len() < 12 {
        return false;
    }
    let lower = text.to_lowercase().replace('’', "'");
    let bare = without_openings(&lower);
    if is_rule(bare) || is_ours(bare) {
        return true;
    }
    if in_this_repository(bare).is_some_and(|rest| is_rule(rest) || is_ours(rest) || holds_here(rest)) {
        return true;
    }
    if QUESTIONS.iter().any(|question| bare.starts_with(question)) || any(bare, REPORTS) {
        return false;
    }
    let against = has_word(bare, "instead of") || has_word(bare, "rather than");
    let chosen = orders_use(bare) && against || bare.starts_with("use ") && bare.contains(", not ");
    chosen || any(bare, CHOICES) || states_use(bare)
}

/// What can be forbidden.
const FORBIDDEN: &[&str] = &[
    "use",
    "touch",
    "change",
    "edit",
    "modify",
    "commit",
    "push",
    "merge",
    "delete",
    "remove",
    "rename",
    "import",
    "call",
    "log",
    "store",
    "cache",
    "mock",
    "skip",
    "add",
    "install",
    "upgrade",
    "update",
    "bump",
    "rewrite",
    "reformat",
    "format",
    "refactor",
    "expose",
    "export",
    "hardcode",
    "hard-code",
    "rely",
    "depend",
    "introduce",
    "create",
    "write",
    "deploy",
    "force",
    "squash",
    "rebase",
    "put",
    "break",
    "catch",
    "swallow",
    "disable",
    "ignore",
    "print",
    "send",
    "publish",
    "release",
    "move",
];

/// For the moment only.
const PASSING: &[&str] = &["yet", "for now", "right now", "this time"];

/// How a sentence goes on from another one, and how an order is announced.
fn without_openings(lower: &str) -> &str {
    const OPENINGS: &[&str] = &[
        "never mind, ",
        "nevermind, ",
        "ok, ",
        "ok ",
        "please ",
        "please, ",
        "and ",
        "also, ",
        "also ",
        "but ",
        "remember: ",
        "remember, ",
        "remember that ",
        "note: ",
        "note that ",
        "important: ",
        "rule: ",
    ];
    let mut bare = lower;
    while let Some(rest) = OPENINGS.iter().find_map(|opening| bare.strip_prefix(opening)) {
        bare = rest;
    }
    bare
}

/// `we never touch legacy/`, `we must always sign commits`: a verb follows that is a custom, not something that
/// happens to people.
fn is_ours(bare: &str) -> bool {
    const CUSTOMS: &[&str] = &[
        "run", "test", "keep", "sign", "tag", "pin", "lint", "review", "document", "name", "prefix", "wrap",
        "return", "validate", "escape", "quote", "round", "branch", "prefer", "follow", "start", "build",
        "sort", "encrypt", "hash", "pass", "set", "ask", "work", "make", "include", "require", "target",
        "ship", "check", "open", "begin", "end",
    ];
    // What is told of a custom to say that something goes wrong all the same; and what happens to people.
    const REPORTS: &[&str] =
        &["still", "but it", "and it", "yet it", "run into", "run out", "end up", "end with", "make it"];
    let mut words = bare.split_whitespace().map(|word| word.trim_end_matches([',', '.', ';', '!']));
    if !matches!(words.next(), Some("we" | "you")) {
        return false;
    }
    let second = words.next().unwrap_or("");
    let bound = matches!(second, "must" | "should" | "shall");
    let often = if bound { words.next().unwrap_or("") } else { second };
    let verb = words.next().unwrap_or("");
    // "You never touch it" is said of someone; "you must never touch it" to someone.
    (bound || bare.starts_with("we "))
        && matches!(often, "never" | "always")
        && (FORBIDDEN.contains(&verb) || CUSTOMS.contains(&verb))
        && !any(bare, REPORTS)
        && !any(bare, PASSING)
}

/// What follows `in this repository, …`.
fn in_this_repository(bare: &str) -> Option<&str> {
    let rest = bare.strip_prefix("in this ")?;
    let place = rest.split(|char: char| !char.is_alphanumeric()).next()?;
    if !matches!(place, "repo" | "repository" | "project" | "codebase" | "workspace") {
        return None;
    }
    let rest = rest[place.len()..].trim_start_matches([',', ':']);
    rest.strip_prefix(' ').map(str::trim_start)
}

/// An order for a place holds for as long as the place does: `use pnpm`, `we use pnpm`, `commits must be signed`.
/// "Add a retry" is a task there as anywhere.
fn holds_here(rest: &str) -> bool {
    const LASTING: &[&str] = &["use", "keep", "stick to", "stick with"];
    const ASKED: &[&str] =
        &["why", "how", "what", "where", "when", "which", "who", "is", "are", "does", "do", "can"];
    let begins = |word: &str| rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(' '));
    if any(rest, PASSING) || ASKED.iter().any(|word| begins(word)) {
        return false;
    }
    LASTING.iter().any(|word| begins(word)) || states_use(rest) || has_word(rest, "must")
}

/// `always …`, `never …`, `don't touch …`: a verb follows that can be ordered.
fn is_rule(bare: &str) -> bool {
    const RULES: &[&str] = &["always", "never", "prefer", "avoid"];
    // What follows "never" and "always" in a report of how things are.
    const REPORTED: &[&str] = &[
        "mind",
        "been",
        "again",
        "had",
        "was",
        "were",
        "is",
        "are",
        "got",
        "seen",
        "knew",
        "heard",
        "thought",
        "understood",
        "the",
        "a",
        "an",
        "ran",
        "went",
        "saw",
        "found",
        "did",
        "said",
        "that",
        "in",
        "on",
    ];
    if any(bare, PASSING) {
        return false;
    }
    let mut words = bare.split_whitespace().map(|word| word.trim_end_matches([',', '.', ';', '!']));
    let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let verb = match (first, second) {
        ("do", "not") => words.next().unwrap_or(""),
        ("don't" | "dont", verb) => verb,
        _ => {
            let rule = RULES.contains(&first.trim_end_matches(':'));
            return rule && !REPORTED.contains(&second) && !is_inflected(second);
        }
    };
    FORBIDDEN.contains(&verb)
}

/// `works`, `worked`: said of something, not to someone.
fn is_inflected(verb: &str) -> bool {
    const BASES: &[&str] = &["seed", "feed", "need", "embed", "shed", "speed", "proceed", "exceed", "alias"];
    let third = verb.ends_with('s') && !verb.ends_with("ss") && !verb.ends_with("us");
    (third || verb.ends_with("ed")) && !BASES.contains(&verb)
}

/// "Use zstd" and "it should use zstd" order it; "the tests use sqlite" reports it.
fn orders_use(bare: &str) -> bool {
    const BEFORE: &[&str] = &[
        "we", "i'd", "let's", "lets", "should", "must", "will", "we'll", "to", "and", "then", "just", "but",
        "please", "so", "also", "always", "can", "now", "rather", "ok", "yes",
    ];
    let Some(at) = crate::text::find_word(bare, "use") else { return false };
    let before = bare[..at].trim_end();
    let last = before.rsplit(char::is_whitespace).next().unwrap_or("");
    before.is_empty() || before.ends_with([',', ';', ':', '.', '-', '!']) || BEFORE.contains(&last)
}

/// "We use pnpm" says how it is done; "why we use yaml" and "the way we use it" do not.
fn states_use(bare: &str) -> bool {
    let Some(at) = crate::text::find_word(bare, "we use") else { return false };
    let before = bare[..at].trim_end();
    let last = before.rsplit(char::is_whitespace).next().unwrap_or("");
    before.is_empty()
        || before.ends_with([',', ';', ':', '.', '-'])
        || matches!(last, "so" | "here" | "because")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_told_from_a_report_and_a_question() {
        assert!(orders_decision("Use zstd instead of gzip for the segments."));
        assert!(orders_decision("Never commit to main directly."));
        assert!(!orders_decision("Should we use zstd instead of gzip?"));
        assert!(!orders_decision("The button never appears."));
        assert!(!orders_decision("Move to the next task, then switch to main."));
        assert!(!orders_decision("Why does it use gzip instead of zstd"));
    }

    #[test]
    fn a_standing_order_is_heard_however_it_begins() {
        for order in [
            "We never touch the legacy/ folder.",
            "And we never touch the legacy/ folder.",
            "we always run the linter before a commit",
            "We must never log tokens.",
            "You should always pin the versions.",
            "never commit to main",
            "And always squash before a merge.",
            "from now on use pnpm",
            "From now on, tests go next to the code.",
            "In this repo we use tabs.",
            "In this repository, never edit generated files.",
            "in this project use pnpm",
            "In this codebase every commit must be signed.",
            "Important: never force push.",
        ] {
            assert!(orders_decision(order), "{order}");
        }
    }

    #[test]
    fn what_happened_to_people_is_no_order() {
        for report in [
            "We never saw this error before.",
            "We never had this with the old driver.",
            "We always get a timeout here.",
            "We always run into this on Mondays.",
            "we always end up with two rows",
            "We never touch the cache, but it is stale.",
            "We always sort the rows and still the test fails.",
            "We never used the second index.",
            "You never run the tests.",
            "never saw that one",
            "Do we never touch legacy/?",
            "In this repo, add a retry to the client.",
            "In this repo the tests hang.",
            "In this repository, where is the limit set",
            "In this repo we never saw a deadlock.",
            "We never commit this for now, I want to look at it.",
        ] {
            assert!(!orders_decision(report), "{report}");
        }
    }
}
