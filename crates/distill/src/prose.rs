//! Listens to what a person or an agent said: whether a sentence states a decision, a cause, a finding,
//! something done or something left to do. Markers are English; text in another language gives no claim at all,
//! which is better than a wrong one. It never rewrites a sentence beyond taking off how it begins.

use crate::sentences::{Sentence, sentences};
use crate::text::{capitalized, clip, find_word, has_word, one_line};

/// Whether markers can be trusted: enough of the words that hold English together.
pub(crate) fn is_english(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "the", "is", "are", "was", "were", "this", "that", "with", "and", "of", "it", "to", "for", "we",
        "not", "from", "by", "be", "has", "have", "which", "when", "now", "use", "instead", "should",
        "because", "i", "let's", "don't", "a", "fix", "add", "on", "in", "never", "always", "please",
    ];
    const ELSEWHERE: &[&str] = &[
        "den", "der", "das", "dem", "und", "ist", "nicht", "im", "mit", "bitte", "ein", "eine", "wir", "auf",
        "für", "le", "les", "des", "est", "une", "dans", "que", "el", "los", "las", "una", "por", "para",
        "es", "het", "een", "van", "och", "att", "il", "di", "della", "che", "não", "uma", "nie", "jest",
    ];
    let text = &text[..text.floor_char_boundary(2000)];
    let letters = text.chars().filter(|char| char.is_alphabetic()).count();
    let foreign = text.chars().filter(|char| char.is_alphabetic() && !char.is_ascii()).count();
    if foreign * 12 > letters {
        return false;
    }
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase().replace('’', "'"))
        .collect();
    let known = words.iter().filter(|word| WORDS.contains(&word.as_str())).count();
    let other = words.iter().filter(|word| ELSEWHERE.contains(&word.as_str())).count();
    other < known.max(1) && known * 9 >= words.len()
}

pub(crate) fn any(text: &str, markers: &[&str]) -> bool {
    markers.iter().any(|marker| has_word(text, marker))
}

/// Said as a possibility, a question or an offer: nothing is claimed.
fn hedged(text: &str) -> bool {
    const HEDGES: &[&str] = &[
        "could",
        "might",
        "would",
        "maybe",
        "perhaps",
        "should we",
        "if you",
        "let me know",
        "alternatively",
        "want me to",
        "consider",
        "probably",
        "possibly",
        "i think",
        "not sure",
        "may be",
        "seems",
        "unclear",
        "likely",
        "i suspect",
        "whether",
    ];
    text.ends_with('?') || any(text, HEDGES)
}

/// What a sentence says first; what follows is why, or what would be otherwise.
fn main_clause(text: &str, from: usize) -> &str {
    const ENDS: &[&str] = &["because", "since", "so that", ";", "—", " – "];
    let rest = &text[from..];
    let end = ENDS.iter().filter_map(|end| find_word(rest, end)).filter(|end| *end > 0).min();
    &text[..end.map_or(text.len(), |end| from + end)]
}

/// Whether what a sentence says first is no more than a possibility or an offer.
pub(crate) fn guesses(text: &str) -> bool {
    hedged(main_clause(text, 0))
}

pub(crate) fn states_cause(text: &str) -> bool {
    const CAUSES: &[&str] = &[
        "root cause",
        "caused by",
        "the cause",
        "because",
        "the problem was",
        "the problem is",
        "the issue was",
        "the issue is",
        "the bug was",
        "the bug is",
        "due to",
        "turned out",
        "turns out",
        "the reason",
        "the culprit",
        "was that the",
    ];
    // What could have happened is part of why it did; a guess at the cause is not.
    const EXPLICIT: &[&str] =
        &["root cause", "caused by", "the problem was", "the issue was", "the bug was", "the reason"];
    const GUESSES: &[&str] = &[
        "might",
        "maybe",
        "perhaps",
        "probably",
        "possibly",
        "i think",
        "not sure",
        "likely",
        "i suspect",
        "seems",
    ];
    if text.ends_with('?') || any(text, GUESSES) {
        return false;
    }
    any(text, EXPLICIT) || (!hedged(text) && any(text, CAUSES))
}

pub(crate) fn states_finding(text: &str) -> bool {
    const FINDINGS: &[&str] = &[
        "root cause",
        "found that",
        "i found",
        "turns out",
        "turned out",
        "the reason",
        "caused by",
        "happens when",
        "happens because",
        "only happens",
        "because",
        "the culprit",
        "is defined in",
        "is handled in",
        "is handled by",
        "lives in",
        "is set in",
        "is read in",
        "is called from",
        "is called by",
        "is never",
        "are never",
        "is not called",
        "is responsible for",
        "is limited to",
        "defaults to",
        "is deprecated",
        "was removed in",
        "was introduced in",
        "requires",
        "does not support",
        "no longer",
        "confirmed",
        "measured",
    ];
    !hedged(text) && any(text, FINDINGS)
}

/// The agent's choice, in its own words. "returns 404 instead of 500" is a change, not a choice.
pub(crate) fn states_decision(text: &str) -> bool {
    const CHOSEN: &[&str] = &[
        "decided to",
        "decided on",
        "decided against",
        "i chose",
        "we chose",
        "chose to",
        "opted for",
        "opted to",
        "went with",
        "decision:",
        "going with",
        "deliberately",
        "on purpose",
    ];
    const VERBS: &[&str] =
        &["use", "used", "uses", "using", "kept", "keep", "picked", "chose", "we'll use", "stayed with"];
    const AGAINST: &[&str] = &["instead of", "rather than"];
    const REASONS: &[&str] = &["because", "since", "so that"];
    let first = |verbs: &[&str]| verbs.iter().filter_map(|verb| find_word(text, verb)).min();
    let reasoned = any(text, AGAINST) && any(text, REASONS);
    let Some(verb) = first(CHOSEN).or_else(|| first(VERBS).filter(|_| reasoned)) else { return false };
    // The reason speaks of what could happen; the choice is none if it is said as a maybe itself.
    !text.ends_with('?') && !hedged(deciding_clause(text, verb))
}

/// The clause the verb at a place stands in: from after a reason that was said first, to the reason that follows.
fn deciding_clause(text: &str, verb: usize) -> &str {
    let reason_first = ["because ", "since "]
        .iter()
        .any(|reason| text.get(..reason.len()).is_some_and(|start| start.eq_ignore_ascii_case(reason)));
    let start = if reason_first { text[..verb].rfind(", ").unwrap_or(0) } else { 0 };
    &main_clause(text, verb)[start..]
}

/// Something finished, said in the first person or by its verb.
pub(crate) fn states_done(text: &str) -> bool {
    const VERBS: &[&str] = &[
        "added",
        "fixed",
        "implemented",
        "refactored",
        "updated",
        "renamed",
        "moved",
        "removed",
        "replaced",
        "created",
        "changed",
        "extracted",
        "introduced",
        "wired",
        "switched",
        "migrated",
        "made",
        "bumped",
        "split",
        "extended",
        "configured",
        "documented",
        "wrote",
        "rewrote",
        "converted",
        "merged",
        "simplified",
        "upgraded",
        "enabled",
        "disabled",
        "hardened",
        "rotated",
        "restored",
        "deleted",
        "registered",
        "set",
    ];
    const TROUBLE: &[&str] = &["fail", "fails", "failing", "broken", "blocked", "red", "hangs", "crashes"];
    let lower = without_opening(text).to_lowercase();
    let first = lower.split(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
    VERBS.contains(&first)
        || (has_word(&lower, "now") && !hedged(text) && !lower.starts_with("now ") && !any(&lower, TROUBLE))
}

pub(crate) fn states_next(sentence: &Sentence) -> bool {
    const HEADINGS: &[&str] = &[
        "next",
        "remaining",
        "todo",
        "to do",
        "follow-up",
        "follow up",
        "left to do",
        "not done",
        "open",
        "what's left",
        "still open",
    ];
    const OPENINGS: &[&str] = &[
        "next",
        "todo",
        "remaining",
        "still to do",
        "still open",
        "left to do",
        "follow-up",
        "not done",
        "not yet",
        "you should",
        "you may want",
        "you'll need",
        "you will need",
        "i did not",
        "i didn't",
        "i have not",
        "i haven't",
        "the next step",
        "what remains",
    ];
    // That nothing was done leaves nothing to do.
    const NOTHING: &[&str] = &["anything", "any files", "any file", "any code", "any changes", "need to"];
    let lower = sentence.text.to_lowercase();
    if lower.starts_with("i ") && any(&lower, NOTHING) {
        return false;
    }
    if HEADINGS.iter().any(|heading| sentence.heading.starts_with(heading)) {
        return true;
    }
    OPENINGS.iter().any(|opening| lower.starts_with(opening))
        || any(&lower, &["remains to be", "still need to", "still needs", "needs to be done"])
}

/// What a claim begins with and does not need.
pub(crate) fn without_opening(text: &str) -> &str {
    const OPENINGS: &[&str] = &[
        "done",
        "all done",
        "fixed it",
        "great",
        "perfect",
        "ok",
        "okay",
        "yes",
        "so",
        "also",
        "and",
        "then",
        "finally",
        "in short",
        "summary",
        "please",
        "i've",
        "i have",
        "i",
        "we've",
        "we have",
        "it turns out that",
        "turns out that",
        "it turns out",
        "turns out",
        "i found that",
        "found that",
        "found it",
        "i found",
        "we found that",
        "the fix",
        "root cause",
        "the root cause is that",
        "the root cause was that",
        "let's",
        "lets",
        "we'll",
        "we will",
        "i decided to",
        "we decided to",
        "decided to",
        "decision",
        "i",
        "fix",
        "note that",
        "note",
        "cause",
        "never mind",
    ];
    let mut text = text.trim();
    loop {
        let before = text;
        for opening in OPENINGS {
            let Some(start) = text.get(..opening.len()).filter(|start| start.eq_ignore_ascii_case(opening))
            else {
                continue;
            };
            let rest = &text[start.len()..];
            // "Fix the race" keeps its verb; "Fix: the race" does not need it.
            let punctuated = rest.strip_prefix([':', ',', '.', '!', '—', '–']).map(str::trim_start);
            let word = !matches!(
                *opening,
                "the fix"
                    | "fix"
                    | "root cause"
                    | "note"
                    | "decision"
                    | "cause"
                    | "done"
                    | "summary"
                    | "great"
                    | "perfect"
                    | "never mind"
            );
            let rest = punctuated.or_else(|| rest.strip_prefix(' ').filter(|_| word));
            if let Some(rest) = rest.filter(|rest| rest.len() > 8) {
                text = rest.trim_start_matches("- ").trim_start();
            }
        }
        if text == before {
            return text;
        }
    }
}

/// As a title: without its opening and its stop.
pub(crate) fn as_title(text: &str, max: usize) -> String {
    let text = without_opening(text).trim_end_matches(['.', ':', '!', ';']);
    capitalized(&cut(text, max))
}

/// Cut where a clause ends, or else after a word that can stand last.
pub(crate) fn cut(text: &str, max: usize) -> String {
    const DANGLING: &[&str] = &[
        "a", "an", "the", "of", "in", "on", "at", "to", "for", "with", "without", "by", "from", "and", "or",
        "but", "that", "which", "is", "are", "was", "were", "as", "than", "its", "their", "not", "so",
        "when", "while", "into", "has", "had", "be", "it", "because", "since", "if", "where",
    ];
    if text.len() <= max {
        return text.to_owned();
    }
    // A clause that ends in time is better than half of the next one.
    let head = &text[..text.floor_char_boundary(max.saturating_sub('…'.len_utf8()))];
    let end = ["; ", ", ", " (", " because ", " so that ", " — ", " while "]
        .iter()
        .filter_map(|clause| head.rfind(clause))
        .max();
    if let Some(end) = end.filter(|end| end * 2 > max) {
        return format!("{}…", &head[..end]);
    }
    let word = head.rfind(char::is_whitespace).filter(|end| end * 2 > max);
    let mut kept = word.map_or(head, |end| &head[..end]);
    while let Some((rest, last)) = kept.rsplit_once(' ')
        && DANGLING.iter().any(|word| last.eq_ignore_ascii_case(word))
    {
        kept = rest;
    }
    format!("{}…", kept.trim_end_matches([',', ';', ':', ' ']))
}

/// The first sentence or two of a prompt.
pub(crate) fn request(prompt: &str, max: usize) -> String {
    let mut request = String::new();
    for sentence in sentences(prompt) {
        if !request.is_empty() && request.len() + sentence.text.len() > max {
            break;
        }
        if !request.is_empty() {
            request.push(' ');
        }
        request.push_str(&sentence.text);
        if request.len() * 2 > max {
            break;
        }
    }
    if request.is_empty() { one_line(prompt, max) } else { clip(&request, max) }
}

/// An item of a list of work that changes nothing: what was edited before it is not its result.
pub(crate) fn asks_to_look(item: &str) -> bool {
    const VERBS: &[&str] = &[
        "find",
        "investigate",
        "read",
        "understand",
        "look",
        "check",
        "review",
        "explore",
        "analyze",
        "run",
        "verify",
        "inspect",
        "locate",
        "reproduce",
    ];
    let first = item.split(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
    VERBS.iter().any(|verb| first.eq_ignore_ascii_case(verb))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intent {
    Bug,
    Feature,
    Refactor,
    Unknown,
}

/// What a prompt asks for, by the word that comes first.
pub(crate) fn intent(prompt: &str) -> Intent {
    const BUG: &[&str] = &[
        "fix",
        "bug",
        "fails",
        "failing",
        "failed",
        "broken",
        "crash",
        "crashes",
        "error",
        "errors",
        "regression",
        "doesn't work",
        "does not work",
        "wrong",
        "hang",
        "hangs",
        "leak",
        "flaky",
        "debug",
        "panics",
        "deadlock",
        "500",
        "502",
        "503",
    ];
    const FEATURE: &[&str] = &[
        "add",
        "implement",
        "create",
        "support",
        "introduce",
        "build",
        "write",
        "make it possible",
        "feature",
        "allow",
    ];
    const REFACTOR: &[&str] = &[
        "refactor",
        "rename",
        "extract",
        "move",
        "split",
        "clean up",
        "simplify",
        "restructure",
        "reorganize",
        "deduplicate",
        "inline",
    ];
    let head = &prompt[..prompt.floor_char_boundary(600)];
    if !is_english(head) {
        return Intent::Unknown;
    }
    let first =
        |words: &[&str]| words.iter().filter_map(|word| find_word(head, word)).min().unwrap_or(usize::MAX);
    let (bug, feature, refactor) = (first(BUG), first(FEATURE), first(REFACTOR));
    match bug.min(feature).min(refactor) {
        usize::MAX => Intent::Unknown,
        at if at == bug => Intent::Bug,
        at if at == feature => Intent::Feature,
        _ => Intent::Refactor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_told_from_a_change_a_question_and_a_maybe() {
        assert!(!states_done("Two of the tests are now failing."));
        assert!(states_decision("I kept the flat scan rather than HNSW because the set is small."));
        assert!(states_decision("We decided to drop Redis."));
        assert!(!states_decision("The handler now returns 404 instead of 500."));
        assert!(!states_decision("We could use Redis instead of Postgres because it is faster."));
    }

    #[test]
    fn a_maybe_in_the_reason_does_not_undo_the_choice_and_one_in_the_choice_does() {
        for decided in [
            "I decided to allow a leeway of 30 seconds for clock skew, because the gateway's clock runs ahead; a longer leeway would let stolen tokens live on.",
            "We went with polling; a push could get lost behind the proxy.",
            "Since the gateway might drift, I chose a leeway of 30 seconds.",
            "I kept the flat scan rather than HNSW, since the set would fit into the cache.",
            "I opted for two files — one would probably grow too large.",
        ] {
            assert!(states_decision(decided), "{decided}");
        }
        for open in [
            "Maybe we decided to allow a leeway because the clock runs ahead.",
            "I would have decided to use Redis, because it is faster.",
            "I am not sure whether we decided to use zstd; the tests use gzip.",
            "We could use Redis instead of Postgres, since it is there.",
            "I decided to use zstd because it is small; should it be gzip?",
        ] {
            assert!(!states_decision(open), "{open}");
        }
    }

    #[test]
    fn another_language_gives_no_claim() {
        for text in [
            "Wir nutzen ab jetzt zstd statt gzip, because so war es.",
            "Utilise toujours pnpm, jamais npm",
            "次からは zstd を使う",
        ] {
            assert!(!crate::orders::orders_decision(text), "{text}");
        }
        assert_eq!(intent("Bitte den Fehler im Journal beheben, fix it"), Intent::Unknown);
    }

    #[test]
    fn a_title_begins_with_what_it_is_about() {
        assert_eq!(
            as_title("I've added retry with back-off to the client.", 80),
            "Added retry with back-off to the client"
        );
        assert_eq!(
            as_title("It turns out that the lease is never renewed.", 80),
            "The lease is never renewed"
        );
        assert_eq!(as_title("Let's use zstd instead of gzip.", 80), "Use zstd instead of gzip");
        assert_eq!(as_title("Fix the race in append", 80), "Fix the race in append");
    }

    #[test]
    fn a_title_is_cut_where_a_clause_or_a_word_ends() {
        let cause = "The root cause was that the token check compared the expiry in milliseconds with the clock in seconds";
        assert_eq!(
            cut(cause, 82),
            "The root cause was that the token check compared the expiry in milliseconds…"
        );
        assert_eq!(
            cut("One clause that is whole, and another one that is cut", 40),
            "One clause that is whole…"
        );
        assert_eq!(cut("short", 40), "short");
        for max in 4..cause.len() {
            assert!(cut(cause, max).len() <= max, "{max}");
        }
    }

    #[test]
    fn the_first_word_says_what_is_asked_for() {
        assert_eq!(intent("Add a retry, the current one fails"), Intent::Feature);
        assert_eq!(intent("The login fails with 500, add a test"), Intent::Bug);
        assert_eq!(intent("Rename Lease to Claim in all of the files"), Intent::Refactor);
        assert_eq!(intent("hello"), Intent::Unknown);
    }
}
