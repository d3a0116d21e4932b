//! What a prompt asks of the past, if anything. Most of what is said to an agent steers it ("continue", "yes, both"),
//! and what is said to it by a machine or as a command is no question at all.

use recall::Query;

/// Shorter prompts name nothing.
const MIN_CHARS: usize = 8;
/// What a person types is shorter; what is longer was pasted, and what is asked stands above or below it.
const MAX_CHARS: usize = 1_200;
const EITHER_END: usize = 500;

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
    "time",
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
pub(crate) fn question(prompt: &str) -> Option<String> {
    let text = without_commands(prompt.trim());
    if text.chars().count() < MIN_CHARS {
        return None;
    }
    let text = both_ends(text);
    let query = Query::read(&text, 0);
    // A number alone names nothing.
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let tells =
        |word: &String| STEERING.binary_search(&word.as_str()).is_err() && word.len() > 1 && !is_number(word);
    (query.names.iter().any(|name| !is_number(name)) || query.words.iter().any(tells)).then_some(text)
}

/// The mass of a paste must not drown what is asked about it.
fn both_ends(text: &str) -> String {
    if text.char_indices().nth(MAX_CHARS).is_none() {
        return text.to_owned();
    }
    let head = text.char_indices().nth(EITHER_END).map_or(text.len(), |(at, _)| at);
    let tail = text.char_indices().rev().nth(EITHER_END - 1).map_or(0, |(at, _)| at);
    format!("{}\n{}", &text[..head], &text[tail..])
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
            "what time is it",
            "what's 22 + 17",
        ] {
            assert_eq!(question(prompt), None, "{prompt}");
        }
    }

    #[test]
    fn what_names_something_is_a_question_without_its_commands() {
        let question = |prompt: &str| super::question(prompt);
        for (prompt, asked) in [
            ("/fix the token refresh", "the token refresh"),
            ("/etc/hosts is wrong", "/etc/hosts is wrong"),
            ("continue with the webhook", "continue with the webhook"),
            ("fix E0382 again", "fix E0382 again"),
        ] {
            assert_eq!(question(prompt).as_deref(), Some(asked));
        }
        let paste = "at frame 7 of the log\n".repeat(5_000);
        let asked = question(&format!("why is the deploy stuck?\n{paste}and is it the proxy?")).unwrap();
        assert!(asked.starts_with("why is the deploy stuck?") && asked.ends_with("and is it the proxy?"));
        assert!(question(&"wörd ".repeat(100_000)).is_some_and(|text| text.chars().count() <= MAX_CHARS));
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(STEERING.is_sorted());
    }
}
