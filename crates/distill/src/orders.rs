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
    let mut bare = lower.as_str();
    for opening in ["never mind, ", "nevermind, ", "ok, ", "ok ", "please ", "and ", "also, ", "also "] {
        bare = bare.strip_prefix(opening).unwrap_or(bare);
    }
    if is_rule(bare) {
        return true;
    }
    if QUESTIONS.iter().any(|question| bare.starts_with(question)) || any(bare, REPORTS) {
        return false;
    }
    let against = has_word(bare, "instead of") || has_word(bare, "rather than");
    let chosen = orders_use(bare) && against || bare.starts_with("use ") && bare.contains(", not ");
    chosen || any(bare, CHOICES) || states_use(bare)
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
    // For the moment only.
    const PASSING: &[&str] = &["yet", "for now", "right now", "this time"];
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
}
