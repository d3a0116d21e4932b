//! A question as a person or an agent types it, read without grammar: quotes and operators are text, any script
//! passes, and nothing is too long or too empty. Says what is looked for; how often it occurs is the index's knowledge.

use crate::analyze::{self, Chunk, each_chunk};
use crate::fold;
use crate::stem::stem;
use crate::stop::is_stop;
use crate::when::{self, Event, Window};

/// A pasted page asks for no more than its beginning says.
pub const MAX_CHARS: usize = 10_000;
/// Distinct terms kept of a question; a page of text has its subject among the first of them.
const MAX_TERMS: usize = 64;
/// Quoted phrases and their words that are taken at their word.
const MAX_PHRASES: usize = 4;
const MAX_PHRASE_WORDS: usize = 8;
/// Beginnings of words in one question, and the letters that make one: fewer begin too many words.
const MAX_PREFIXES: usize = 4;
const MIN_PREFIX: usize = 2;

/// In a question of more words a flag of one letter is found by its letter alone: as a term of its own it is so rare
/// that it would outweigh what the question is about.
const FLAG_WORDS: usize = 5;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Words that say something, stemmed, each once, in order.
    pub words: Vec<String>,
    /// Names made of several words, each as one term.
    pub names: Vec<String>,
    /// What stood between quotes or backticks, as stemmed words in order; at least two each.
    pub phrases: Vec<Vec<String>>,
    /// Beginnings of words (`auth*`), folded, not stemmed.
    pub prefixes: Vec<String>,
    /// The time the question speaks of.
    pub window: Option<Window>,
    /// The event it measures its time by, where it names no time itself.
    pub event: Option<Event>,
    /// `key:value` pieces with a key we know, taken out of the text.
    pub filters: Vec<(Key, String)>,
    /// What is left, for a model that reads sentences.
    pub text: String,
    pub looks: Looks,
}

/// What is being looked for, by the form of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Looks {
    #[default]
    Prose,
    /// Mostly names: a flag, a path, an error code.
    Identifiers,
    /// A piece of a program.
    Code,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Project,
    Kind,
    File,
    Tool,
    Session,
    Branch,
    Since,
    Until,
}

impl Key {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "project" => Self::Project,
            "kind" => Self::Kind,
            "file" => Self::File,
            "tool" => Self::Tool,
            "session" => Self::Session,
            "branch" => Self::Branch,
            "since" => Self::Since,
            "until" => Self::Until,
            _ => return None,
        })
    }
}

impl Query {
    /// Reads a question asked at `now` (Unix milliseconds). Everything in it is text.
    pub fn read(text: &str, now: u64) -> Self {
        Self::read_filtered(text, now, &|_, _| false)
    }

    /// Reads a question in which a `key:value` piece is a filter wherever `is_filter` takes the value for one.
    pub fn read_filtered(text: &str, now: u64, is_filter: &dyn Fn(Key, &str) -> bool) -> Self {
        let (filters, text) = take_filters(clip(text), is_filter);
        let mut query = Self { window: when::window(&text, now), filters, ..Self::default() };
        query.looks = looks(&text);
        query.prefixes = prefixes(&text);
        query.event = if query.window.is_none() { when::event(&text) } else { None };
        for quoted in quoted(&text) {
            let words = analyze::analyze(quoted).words;
            if words.len() > 1 && query.phrases.len() < MAX_PHRASES {
                query.phrases.push(words.into_iter().take(MAX_PHRASE_WORDS).collect());
            }
        }
        let mut silent = Vec::new();
        each_chunk(&text, &mut |chunk| query.take(chunk, &mut silent));
        query.names = analyze::analyze(&text).names;
        if query.words.len() > FLAG_WORDS {
            query.names.retain(|name| !analyze::is_flag(name));
        }
        unique(&mut query.names);
        query.names.truncate(MAX_TERMS);
        if query.words.is_empty() && query.names.is_empty() {
            query.words = silent;
        }
        query.text = text;
        query
    }

    /// Whether there is anything to look for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.names.is_empty()
    }

    fn take(&mut self, chunk: &Chunk<'_>, silent: &mut Vec<String>) {
        let words = chunk.words();
        let name = chunk.is_name() && words.iter().any(|word| word.len() > 1);
        for mut word in words {
            // In a name every word counts: `--no-ignore` is about what is not ignored. A letter by itself is in
            // every other text, and "e.g." is two of them.
            let lone = word.len() == 1 && word.as_bytes()[0].is_ascii_alphabetic();
            let list = if (is_stop(&word) || lone) && !name { &mut *silent } else { &mut self.words };
            stem(&mut word);
            if list.len() < MAX_TERMS && !list.contains(&word) {
                list.push(word);
            }
        }
    }
}

fn clip(text: &str) -> &str {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

fn take_filters(text: &str, is_filter: &dyn Fn(Key, &str) -> bool) -> (Vec<(Key, String)>, String) {
    let mut filters = Vec::new();
    if !text.contains(':') {
        return (filters, text.to_owned());
    }
    let mut rest = String::with_capacity(text.len());
    for piece in text.split_inclusive(char::is_whitespace) {
        match filter(piece.trim_end()).filter(|(key, value)| is_filter(*key, value)) {
            Some((key, value)) => filters.push((key, value.to_owned())),
            None => rest.push_str(piece),
        }
    }
    (filters, rest)
}

/// A key we know and a value that is one word. A pasted message has brackets, or goes on after it.
fn filter(piece: &str) -> Option<(Key, &str)> {
    let (key, value) = piece.split_once(':')?;
    let key = Key::from_name(key)?;
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    let odd = |letter: char| {
        matches!(letter, '"' | '\'' | '`' | '(' | ')' | '{' | '}' | '<' | '>' | ';' | ',' | '=')
    };
    let plain = !value.is_empty() && !value.contains(odd);
    let whole = !value.starts_with([':', '/']) && !value.ends_with([':', '.', '?', '!']);
    (plain && whole).then_some((key, value))
}

/// Words that end in a star. A star in a path or a pattern (`src/*.rs`, `**`) is part of it.
fn prefixes(text: &str) -> Vec<String> {
    text.split_whitespace()
        .filter_map(|piece| piece.trim_matches(['"', '`', '(', ')', ',', '?', '.']).strip_suffix('*'))
        .filter(|word| word.chars().all(char::is_alphanumeric) && word.chars().count() >= MIN_PREFIX)
        .take(MAX_PREFIXES)
        .map(|word| {
            let mut folded = String::with_capacity(word.len());
            word.chars().for_each(|letter| fold::push(letter, &mut folded));
            folded
        })
        .collect()
}

/// What stands between a pair of double quotes or backticks.
fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['"', '`', '“']) {
        let mark = rest[open..].chars().next().expect("a mark was found here");
        let close = if mark == '“' { '”' } else { mark };
        let inner = &rest[open + mark.len_utf8()..];
        let Some(end) = inner.find(close) else { break };
        found.push(&inner[..end]);
        rest = &inner[end + close.len_utf8()..];
    }
    found
}

fn looks(text: &str) -> Looks {
    if analyze::shape(text) == analyze::Shape::Code {
        return Looks::Code;
    }
    let (mut names, mut words) = (0, 0);
    each_chunk(text, &mut |chunk| {
        if chunk.is_name() || chunk.sign_name().is_some() {
            names += 1;
        } else {
            words += 1;
        }
    });
    if names > words { Looks::Identifiers } else { Looks::Prose }
}

fn unique(list: &mut Vec<String>) {
    let mut seen = std::collections::HashSet::new();
    list.retain(|term| seen.insert(term.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Query {
        Query::read(text, 1_700_000_000_000)
    }

    #[test]
    fn a_question_keeps_the_words_that_say_something() {
        let query = read("Why did the token refresh fail?");
        assert_eq!(query.words, ["token", "refresh", "fail"]);
        assert_eq!(query.looks, Looks::Prose);
        assert_eq!(read("How many flags, e.g. -v, are there?").words, ["flag"]);
        assert_eq!(read("to be or not to be").words, ["to", "be", "or", "not"]);
    }

    #[test]
    fn names_keep_their_small_words_and_are_terms_of_their_own() {
        let query = read("what does --no-ignore-global do");
        assert_eq!(query.words, ["no", "ignor", "global"]);
        assert_eq!(query.names, ["noignoreglob"]);
        assert_eq!(read("foo_bar src/main.rs E0382").looks, Looks::Identifiers);
        assert_eq!((read("-rf").names, read("#123").looks), (vec!["flag_rf".to_owned()], Looks::Identifiers));
        assert_eq!(read("what does 🦀 mean").words, ["🦀", "mean"]);
    }

    #[test]
    fn a_star_makes_the_beginning_of_a_word_and_stays_part_of_a_pattern() {
        assert_eq!(read("Auth* tokens (conf*)?").prefixes, ["auth", "conf"]);
        assert!(read("src/*.rs foo/** a* * **").prefixes.is_empty());
    }

    #[test]
    fn quoted_words_are_phrases_and_an_open_quote_is_text() {
        assert_eq!(read("\"permission denied\" in `cargo test`").phrases.len(), 2);
        assert!(read("an \"open quote").phrases.is_empty());
    }

    #[test]
    fn known_keys_filter_and_others_are_words() {
        let text = "kind:bugfix error:timeout http://file:80 file:src/a.rs crash kind:none";
        let query = Query::read_filtered(text, 0, &|_, value| value != "none");
        assert_eq!(query.filters, [(Key::Kind, "bugfix".to_owned()), (Key::File, "src/a.rs".to_owned())]);
        for word in ["timeout", "crash", "none"] {
            assert!(query.words.contains(&word.to_owned()), "{word}");
        }
        assert!(read(text).filters.is_empty() && read(text).words.contains(&"bugfix".to_owned()));
    }

    #[test]
    fn what_a_message_says_is_no_filter() {
        for text in
            ["tool:undefined() fails", "file::exists", "session: gone", "file:{x}", "project:a, b", "tool:"]
        {
            assert!(Query::read_filtered(text, 0, &|_, _| true).filters.is_empty(), "{text}");
        }
    }

    #[test]
    fn nothing_breaks_a_question() {
        assert!(read("").is_empty() && read(" \t\n?!*\"'()").is_empty());
        for text in ["AND OR NOT NEAR(", "a* ^b -c +d {e}:f", "\0\u{feff}é", "'' OR 1=1; --", "\"", "`", "“"]
        {
            let _ = read(text);
        }
        let long = read(&"wörd🦀 東京 x_y ".repeat(2000));
        assert!(long.words.len() <= MAX_TERMS && long.text.chars().count() <= MAX_CHARS);
    }
}
