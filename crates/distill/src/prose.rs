//! Listens to what a person or an agent said: whether a sentence states a decision, a cause, a finding,
//! something done or something left to do. The words by which that is known stand in `languages`. It never rewrites a
//! sentence beyond taking off how it begins.

use crate::languages::{self, Section, says};
use crate::sentences::{Sentence, sentences};
use crate::text::{capitalized, clip, find_word, has_word, one_line, room};

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
pub(crate) fn hedged(text: &str) -> bool {
    text.ends_with(['?', '？']) || says(text, Section::Hedge)
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
    // What could have happened is part of why it did; a guess at the cause is not.
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
    if text.ends_with(['?', '？']) || any(text, GUESSES) {
        return false;
    }
    (says(text, Section::Root) && any(text, &["could", "would", "whether"]))
        || (!hedged(text) && (says(text, Section::Cause) || says(text, Section::Root)))
}

pub(crate) fn states_finding(text: &str) -> bool {
    !hedged(text) && says(text, Section::Finding)
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
    let Some(verb) = first(CHOSEN).or_else(|| first(VERBS).filter(|_| reasoned)) else {
        return says(text, Section::Chosen) && !hedged(text);
    };
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
    const TROUBLE: &[&str] = &["fail", "fails", "failing", "broken", "blocked", "red", "hangs", "crashes"];
    let lower = without_opening(text).to_lowercase();
    says(&lower, Section::Done)
        || (has_word(&lower, "now") && !hedged(text) && !lower.starts_with("now ") && !any(&lower, TROUBLE))
}

pub(crate) fn states_next(sentence: &Sentence) -> bool {
    // That nothing was done leaves nothing to do, and what was done is not left.
    const NOTHING: &[&str] = &["anything", "any files", "any file", "any code", "any changes", "need to"];
    let lower = languages::lowered(&sentence.text);
    // "Set" and "split" are what was done and what is to do.
    let done = languages::after(&lower, Section::Done).is_some()
        && !["set ", "split "].iter().any(|verb| lower.starts_with(verb));
    if (lower.starts_with("i ") && any(&lower, NOTHING)) || done {
        return false;
    }
    const LEFT: &[&str] = &[
        "remains to be",
        "still need to",
        "still needs",
        "needs to be done",
        "left for later",
        "in a follow-up",
        "as a follow-up",
        "follow-up pr",
        "separate pr",
        "out of scope",
        "not yet implemented",
        "for future consideration",
    ];
    let begins = |text: &str| {
        languages::after(text, Section::Next)
            .is_some_and(|rest| !rest.starts_with(['(', '/', '.', '_', '`', '\'']))
    };
    begins(&sentence.heading) || begins(&lower) || any(&lower, LEFT)
}

/// What a claim begins with and does not need.
pub(crate) fn without_opening(text: &str) -> &str {
    const OPENINGS: &[&str] = &[
        "done",
        "all done",
        "successfully",
        "problem",
        "the problem",
        "solution",
        "the solution",
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
        "it turned out that",
        "it turned out",
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
                    | "problem"
                    | "the problem"
                    | "solution"
                    | "the solution"
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

/// Without "Good point - " and its kin in front.
fn without_pleasantry(text: &str) -> &str {
    let lower = languages::lowered(text);
    if lower.len() != text.len() {
        return text;
    }
    let behind = languages::after(&lower, Section::Pleasantry)
        .and_then(|rest| [" - ", " — ", " – ", "! "].iter().find_map(|dash| rest.strip_prefix(dash)));
    behind.filter(|rest| rest.len() > 20).map_or(text, |rest| &text[text.len() - rest.len()..])
}

/// As a title: without its opening and its stop.
pub(crate) fn as_title(text: &str, max: usize) -> String {
    let text = without_opening(without_pleasantry(text)).trim_end_matches(['.', ':', '!', ';']);
    capitalized(&cut(text, room(text, max).min(max.max(190))))
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
        return format!("{}…", closed(&head[..end]));
    }
    let word = head.rfind(char::is_whitespace).filter(|end| end * 2 > max);
    let mut kept = closed(word.map_or(head, |end| &head[..end]));
    while let Some((rest, last)) = kept.rsplit_once(' ')
        && DANGLING.iter().any(|word| last.eq_ignore_ascii_case(word))
    {
        kept = rest;
    }
    format!("{}…", kept.trim_end_matches([',', ';', ':', ' ']))
}

/// Up to a quotation, a piece of code or a bracket that was cut before it ends.
pub(crate) fn closed(text: &str) -> &str {
    let open = |text: &str| {
        let odd = |mark: char| (text.matches(mark).count() % 2 == 1).then(|| text.rfind(mark)).flatten();
        let bracket = |open: char, close: char| {
            (text.matches(open).count() > text.matches(close).count()).then(|| text.rfind(open)).flatten()
        };
        [odd('`'), odd('"'), bracket('(', ')'), bracket('[', ']'), bracket('“', '”')]
            .into_iter()
            .flatten()
            .min()
    };
    let mut kept = text;
    while let Some(at) = open(kept) {
        kept = kept[..at].trim_end();
    }
    // Where all of it is one quotation, a cut quotation says more than nothing.
    if kept.len() * 3 > text.len() { kept } else { text }
}

/// How a prompt begins that only steers.
const STEERING: &[&str] = &[
    "yes",
    "no",
    "ok",
    "okay",
    "go",
    "do",
    "commit",
    "push",
    "continue",
    "proceed",
    "sure",
    "perfect",
    "great",
    "thanks",
    "please",
    "try",
    "retry",
    "again",
    "run",
    "same",
    "both",
    "all",
    "option",
    "looks",
    "lgtm",
    "nice",
    "cool",
    "good",
    "fine",
    "sounds",
    "yeah",
    "yep",
    "stop",
    "wait",
    "ja",
    "nein",
    "oui",
    "non",
    "sí",
    "sim",
    "да",
    "нет",
    "давай",
    "ок",
];

/// Whether a prompt begins as one that only steers, and names nothing.
pub(crate) fn steers(prompt: &str) -> bool {
    let mut words =
        prompt.split_whitespace().map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()));
    let first = words.find(|word| !word.is_empty()).unwrap_or("").to_lowercase();
    STEERING.contains(&first.as_str()) && crate::text::names(prompt) == 0
}

/// Whether a prompt says what it is about: "yes", "6", "do it" and "commit this" speak of the request before them.
pub(crate) fn says_what(prompt: &str) -> bool {
    let words: Vec<String> = prompt
        .split_whitespace()
        .take(12)
        .map(|word| word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let signs = prompt.chars().filter(|char| char.is_alphanumeric()).count();
    let steers = steers(prompt);
    if prompt.is_ascii() {
        words.len() >= if steers { 8 } else { 4 }
    } else {
        signs >= 8 && !(steers && words.len() < 6)
    }
}

/// What is no order is a remark or a question; in other languages an order has many forms.
const ORDER_VERBS: &[&str] = &[
    "add",
    "address",
    "adjust",
    "align",
    "allow",
    "apply",
    "avoid",
    "build",
    "bump",
    "change",
    "clean",
    "cleanup",
    "combine",
    "configure",
    "convert",
    "copy",
    "cover",
    "create",
    "delete",
    "deploy",
    "disable",
    "document",
    "drop",
    "enable",
    "ensure",
    "exclude",
    "expose",
    "extend",
    "extract",
    "fix",
    "generate",
    "group",
    "handle",
    "hide",
    "implement",
    "improve",
    "include",
    "inline",
    "install",
    "introduce",
    "limit",
    "log",
    "make",
    "merge",
    "migrate",
    "move",
    "only",
    "optimize",
    "parse",
    "port",
    "prevent",
    "print",
    "refactor",
    "reduce",
    "release",
    "remove",
    "rename",
    "reorder",
    "replace",
    "report",
    "restore",
    "return",
    "reuse",
    "revert",
    "rewrite",
    "set",
    "ship",
    "show",
    "simplify",
    "skip",
    "sort",
    "speed",
    "split",
    "stop",
    "store",
    "support",
    "swap",
    "switch",
    "sync",
    "tidy",
    "track",
    "translate",
    "update",
    "upgrade",
    "use",
    "validate",
    "wire",
    "wrap",
    "write",
];

/// Whether a text in small letters begins with what is to be done: a step of a plan does.
pub(crate) fn begins_with_order(lower: &str) -> bool {
    let first = lower.split(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
    ORDER_VERBS.contains(&first)
        || ["run", "check", "verify", "test", "review", "call", "keep"].contains(&first)
}

/// A request as a title: without what is polite, and `None` where it asks something or says nothing.
pub(crate) fn request_title(request: &str, max: usize) -> Option<String> {
    const POLITE: &[&str] = &[
        "can you please",
        "can you",
        "could you please",
        "could you",
        "can we",
        "could we",
        "would you",
        "please",
        "let's",
        "lets",
        "i'd like you to",
        "i would like you to",
        "i'd like us to",
        "i'd like to",
        "i would like to",
        "i want you to",
        "i want to",
        "we should",
        "we need to",
        "you should",
        "now",
        "ok",
        "okay",
        "also",
        "next",
        "so",
        "and",
        "hey",
        "hi",
        "help me",
        "go ahead and",
        "implement the following plan",
        "first",
    ];
    let first =
        sentences(request).into_iter().find(|sentence| sentence.text.split_whitespace().nth(2).is_some())?;
    let mut text = first.text.as_str();
    loop {
        let before = text;
        for polite in POLITE {
            let start = text.get(..polite.len()).filter(|start| start.eq_ignore_ascii_case(polite));
            let rest = start.map(|start| &text[start.len()..]);
            if let Some(rest) = rest.filter(|rest| !rest.starts_with(char::is_alphanumeric)) {
                text = rest.trim_start_matches([',', ':', '.', '!', ' ', '-']);
            }
        }
        if text == before {
            break;
        }
    }
    let text = text.trim_end_matches(['.', '?', '!', ':', ' ']);
    let word = text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or("").to_lowercase();
    let long = text.split_whitespace().count() >= 3 || !text.is_ascii() && text.chars().count() >= 10;
    let orders =
        ORDER_VERBS.contains(&word.as_str()) || !is_english(text) && !first.text.ends_with(['?', '？']);
    (long && orders && !looks_like_code(text)).then(|| capitalized(&cut(text, max)))
}

/// Printed by a program, or a path or a line of code, and not said by anybody.
pub(crate) fn looks_like_code(text: &str) -> bool {
    let signs = text.chars().filter(|char| "{}[]<>|=;$❯│├\\".contains(*char)).count();
    text.starts_with(['/', '<', '>', '$', '{', '[', '❯', '|', '#', '*', '~'])
        || text.starts_with("...")
        || signs * 12 > text.chars().count()
}

/// Whether a sentence can stand as a title: it says something, and is neither code nor a question nor a beginning.
pub(crate) fn reads_well(title: &str) -> bool {
    let quoted: usize = title.split('`').skip(1).step_by(2).map(str::len).sum();
    let lower = languages::lowered(title);
    let words = title.split_whitespace().count();
    let long = words >= 3 || !title.is_ascii() && title.chars().count() >= 8;
    // "This solves it": nobody knows what.
    let first = lower.split(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
    let points = ["this", "that", "it", "these", "those", "they", "which"].contains(&first);
    let label = title
        .split_once(": `")
        .is_some_and(|(_, code)| code.find('`').is_some_and(|end| end + 1 == code.len()));
    long && !points
        && !label
        && quoted * 3 < title.len() * 2
        && !looks_like_code(title)
        && !title.ends_with(['?', ':', '？', '：'])
        && languages::after(&lower, Section::Announce).is_none()
        && closed(title) == title
}

/// The first sentence or two of a prompt.
pub(crate) fn request(prompt: &str, max: usize) -> String {
    let mut request = String::new();
    let all = sentences(prompt);
    // What a terminal printed was pasted; what is wanted of it stands beside it.
    let said = all.iter().any(|sentence| !looks_like_code(&sentence.text));
    for sentence in all.iter().filter(|sentence| !said || !looks_like_code(&sentence.text)) {
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
