//! What a prompt asks of the past, if anything. Most of what is said to an agent steers it ("continue", "yes, both"),
//! and what is said to it by a machine or as a command is no question at all.

use recall::Query;

/// Shorter prompts name nothing.
const MIN_CHARS: usize = 8;
/// A pasted log asks for no more than its beginning says.
const MAX_CHARS: usize = 4_000;

/// Words by which a person steers what is under way, as they are stemmed and as they are not. They say nothing about what was done before; a prompt
/// of nothing else asks nothing.
const STEERING: &[&str] = &[
    "again",
    "ahead",
    "anoth",
    "answer",
    "appli",
    "apply",
    "back",
    "both",
    "cancel",
    "carri",
    "carry",
    "chang",
    "change",
    "check",
    "code",
    "comment",
    "commit",
    "concis",
    "confirm",
    "continu",
    "continue",
    "cool",
    "correct",
    "delet",
    "delete",
    "detail",
    "diff",
    "done",
    "els",
    "else",
    "everyth",
    "exact",
    "explain",
    "fail",
    "fals",
    "false",
    "file",
    "fin",
    "fine",
    "finish",
    "first",
    "five",
    "fix",
    "folder",
    "follow",
    "forget",
    "four",
    "give",
    "go",
    "good",
    "great",
    "happen",
    "hello",
    "help",
    "here",
    "hey",
    "hi",
    "hm",
    "hmm",
    "idea",
    "it",
    "keep",
    "last",
    "later",
    "leav",
    "leave",
    "less",
    "let",
    "lgtm",
    "like",
    "line",
    "listen",
    "lol",
    "long",
    "longer",
    "look",
    "make",
    "mean",
    "mind",
    "moment",
    "more",
    "never",
    "next",
    "nice",
    "no",
    "nope",
    "now",
    "ok",
    "okay",
    "one",
    "option",
    "other",
    "perfect",
    "plan",
    "pleas",
    "please",
    "point",
    "proceed",
    "prompt",
    "push",
    "question",
    "quick",
    "readi",
    "ready",
    "redo",
    "remov",
    "remove",
    "repeat",
    "result",
    "resum",
    "resume",
    "retri",
    "retry",
    "revert",
    "right",
    "run",
    "sai",
    "same",
    "say",
    "second",
    "sens",
    "sense",
    "sentence",
    "ship",
    "short",
    "shorten",
    "shorter",
    "show",
    "skip",
    "slow",
    "sound",
    "stage",
    "start",
    "step",
    "still",
    "stop",
    "suggest",
    "summar",
    "summari",
    "summarize",
    "summary",
    "sure",
    "take",
    "tell",
    "test",
    "thank",
    "that",
    "these",
    "thing",
    "think",
    "third",
    "this",
    "those",
    "three",
    "todai",
    "today",
    "tomorrow",
    "tri",
    "tried",
    "true",
    "try",
    "turn",
    "two",
    "undo",
    "updat",
    "update",
    "use",
    "wait",
    "want",
    "well",
    "whi",
    "work",
    "wow",
    "wrong",
    "ye",
    "yeah",
    "yep",
    "yes",
    "yet",
    "yup",
];

/// The prompt as a question; `None` where it asks nothing of the past.
pub(crate) fn question(prompt: &str) -> Option<&str> {
    let text = without_commands(prompt.trim());
    if text.chars().count() < MIN_CHARS {
        return None;
    }
    let text = match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => &text[..end],
        None => text,
    };
    let query = Query::read(text, 0);
    let tells = |word: &String| STEERING.binary_search(&word.as_str()).is_err() && word.len() > 1;
    (!query.names.is_empty() || query.words.iter().any(tells)).then_some(text)
}

/// Drops the words of slash commands a prompt begins with. `/etc/hosts` is a path, and stays.
fn without_commands(mut text: &str) -> &str {
    loop {
        let Some(rest) = text.strip_prefix('/') else { return text };
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ':');
        if end == 0 || !rest[..end].chars().all(is_name) {
            return text;
        }
        text = rest[end..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_steers_asks_nothing() {
        for prompt in [
            "",
            "yes",
            "continue",
            "yes do that",
            "ok, go ahead",
            "please try again",
            "run the tests again",
            "looks good, ship it",
            "/compact",
            "/review /fix",
            "why?",
            "perfect. and now the same again",
            "🙂",
            "   \n ",
            "do the same for the other two",
        ] {
            assert_eq!(question(prompt), None, "{prompt}");
        }
    }

    #[test]
    fn what_names_something_is_a_question_without_its_commands() {
        assert_eq!(question("/fix the token refresh"), Some("the token refresh"));
        assert_eq!(question("/etc/hosts is wrong"), Some("/etc/hosts is wrong"));
        assert_eq!(question("continue with the webhook"), Some("continue with the webhook"));
        assert_eq!(question("fix E0382 again"), Some("fix E0382 again"));
        assert!(question(&"wörd ".repeat(100_000)).is_some_and(|text| text.chars().count() <= MAX_CHARS));
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(STEERING.is_sorted());
    }
}
