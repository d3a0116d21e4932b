//! Whether a sentence that names a memory says it kept its writer from a mistake. A short list of English phrases
//! and what takes them back; a sentence that only might say so does not.

/// It happened: something was not done, because it was known where it leads.
const PHRASES: &[&str] = &[
    "avoid",
    "avoids",
    "avoided",
    "avoiding",
    "instead of",
    "rather than repeat",
    "rather than repeating",
    "not repeat",
    "not repeating",
    "without repeating",
    "known pitfall",
    "known trap",
    "steered clear",
    "steering clear",
    "kept me from",
    "keeps me from",
    "saved me from",
    "saved us from",
    "stopped me from",
    "prevented me from",
    "prevented a",
    "prevented the",
    "prevents the",
    "so i did not",
    "so i didn't",
    "so i won't",
    "so i will not",
    "so i left",
    "warned against",
    "warns against",
    "would have failed",
    "would have broken",
    "would have broke",
    "would have hit",
    "would have repeated",
    "would have caused",
    "would have introduced",
    "would have deleted",
    "would have lost",
    "would have made the same",
    "would have run into",
];
/// `as 0k3v7m2n9qrs warns`: these count only behind the name of who warns.
const WARNINGS: &[&str] = &["warns", "warned", "cautions", "warning"];
/// Shortly before a phrase: it did not happen, or not yet.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "cannot", "can't", "couldn't", "didn't", "doesn't", "don't", "won't", "failed",
    "unable", "nor", "hardly", "forgot", "hard",
];
/// Anywhere: what follows is a plan, a guess, a question or the opposite.
const HEDGES: &[&str] = &[
    "should",
    "could",
    "might",
    "maybe",
    "perhaps",
    "if",
    "despite",
    "ignored",
    "ignoring",
    "unlike",
    "although",
    "wrong",
    "outdated",
    "irrelevant",
    "unrelated",
    "wrongly",
    "nevertheless",
    "anyway",
    "overrode",
];
/// How far before a phrase a negation still belongs to it, in words.
const REACH: usize = 3;

pub(super) fn is_prevented(sentence: &str) -> bool {
    if sentence.trim_end().ends_with('?') {
        return false;
    }
    let lower = sentence.to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).collect();
    if words.iter().any(|word| HEDGES.contains(word)) {
        return false;
    }
    PHRASES.iter().any(|phrase| holds(&words, phrase)) || WARNINGS.iter().any(|word| warns(&words, word))
}

/// Whether the phrase stands there with no negation that is not its own before it.
fn holds(words: &[&str], phrase: &str) -> bool {
    let wanted: Vec<&str> = phrase.split(' ').collect();
    words.windows(wanted.len()).enumerate().any(|(at, window)| {
        let before = &words[at.saturating_sub(REACH)..at];
        window == wanted && !before.iter().any(|word| NEGATIONS.contains(word))
    })
}

/// `as the note warns`: something is said of what warns, and it was heeded.
fn warns(words: &[&str], word: &str) -> bool {
    words.iter().position(|one| *one == word).is_some_and(|at| {
        let before = &words[..at];
        before.iter().any(|word| matches!(*word, "as" | "because" | "since"))
            && !before.iter().any(|word| NEGATIONS.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_that_was_not_made_is_told_from_one_that_was() {
        for said in [
            "I avoided the read-only replica (0k3v7m2n9qrs).",
            "Used pnpm instead of npm, per 0k3v7m2n9qrs.",
            "As 0k3v7m2n9qrs warns, the migration runs outside a transaction.",
            "Without 0k3v7m2n9qrs I would have hit the same deadlock.",
            "Because of 0k3v7m2n9qrs I did not repeat last week's mistake.",
            "This is the known pitfall of 0k3v7m2n9qrs, so I didn’t touch the lock file.",
        ] {
            assert!(is_prevented(said), "{said}");
        }
        for said in [
            "0k3v7m2n9qrs describes how the tests are run.",
            "I could not avoid the deadlock of 0k3v7m2n9qrs.",
            "I did not avoid it, although 0k3v7m2n9qrs told me.",
            "You should avoid what 0k3v7m2n9qrs says.",
            "Should I use pnpm instead of npm, as 0k3v7m2n9qrs says?",
            "0k3v7m2n9qrs is outdated: I used npm instead of pnpm.",
            "The build prints the warning of 0k3v7m2n9qrs.",
            "There is no known pitfall in 0k3v7m2n9qrs.",
            "It would have been nice to have 0k3v7m2n9qrs earlier.",
            "",
        ] {
            assert!(!is_prevented(said), "{said}");
        }
    }
}
