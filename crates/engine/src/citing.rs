//! Reads what an agent wrote and tells which of the memories it was shown it put to use. Pure. It counts an agent's
//! own words alone: a note repeated, a quotation, a listing and a block of code are not a use, or every count would
//! measure our own output. In doubt nothing is counted.

mod prevented;

use std::collections::{BTreeMap, BTreeSet};

use model::MemoryId;
use prevented::is_prevented;
use redact::NOTE_TAG;
use serde_json::Value;

/// A shorter beginning of an id may be any word.
const MIN_ID_CHARS: usize = 6;
/// A shorter name in quotes may be anything.
const MIN_NAME_CHARS: usize = 8;
/// A longer message is a document that the agent wrote or copied; its beginning says what it rests on.
const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Words around an id and a title that make more of a line than a listing: a list has a date, a kind, a number.
const MIN_OWN_WORDS: usize = 3;
/// A line of a note that is shorter is a phrase anyone may write.
const MIN_NOTE_LINE: usize = 24;
/// Ids in one command line; more is a script.
const MAX_ARGUMENTS: usize = 64;
/// Quotation marks, opening and closing.
const QUOTES: &[(char, char)] = &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('`', '`'), ('\'', '\'')];
const PROGRAM: &str = "throughline";
/// Our commands that fetch memories by their ids.
const FETCHING: &[&str] = &["show", "timeline"];
/// How tools of ours that fetch memories end, whatever server they are called through.
const FETCHING_TOOLS: &[&str] = &["mem_get", "mem_timeline"];

/// What a session was shown, and how it was put.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    ids: BTreeSet<MemoryId>,
    /// Titles and file names in small letters; of one that two memories share nobody can tell which was meant.
    names: BTreeMap<String, Option<MemoryId>>,
    /// The lines of the notes, in the form of [`plain`].
    lines: BTreeSet<String>,
}

impl Shown {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// A memory, and what people call it: its title, the name of its file.
    pub(crate) fn memory(&mut self, id: MemoryId, names: &[&str]) {
        self.ids.insert(id);
        for name in names {
            let name = spaced(name).to_lowercase();
            if name.chars().count() < MIN_NAME_CHARS {
                continue;
            }
            self.names
                .entry(name)
                .and_modify(|known| *known = known.filter(|known| *known == id))
                .or_insert(Some(id));
        }
    }

    /// A note as it was delivered.
    pub(crate) fn note(&mut self, text: &str) {
        self.lines.extend(text.lines().map(plain).filter(|line| !line.is_empty()));
    }

    /// By all of its id, or a beginning that fits only one of those that were shown.
    fn named_by(&self, token: &str) -> Option<MemoryId> {
        if !(MIN_ID_CHARS..=MemoryId::CHARS).contains(&token.len()) {
            return None;
        }
        let (first, last) = MemoryId::range(token)?;
        let mut fitting = self.ids.range(first..=last);
        let one = *fitting.next()?;
        fitting.next().is_none().then_some(one)
    }

    /// Whether a line only repeats what a note said, or lists what was shown.
    fn is_recital(&self, line: &str) -> bool {
        let line = plain(line);
        let own = |rest: &str| rest.split(' ').filter(|word| self.is_own_word(word)).count();
        if self.lines.contains(&line) {
            return true;
        }
        let parts = self.lines.iter().filter(|part| part.len() >= MIN_NOTE_LINE);
        let repeated = parts.map(String::as_str).chain(self.names.keys().map(String::as_str));
        repeated
            .into_iter()
            .any(|part| line.contains(part) && own(&line.replacen(part, " ", 1)) < MIN_OWN_WORDS)
    }

    fn is_own_word(&self, word: &str) -> bool {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.chars().any(char::is_alphabetic)
            && self.named_by(word).is_none()
            && model::MemoryKind::from_name(word).is_none()
    }
}

/// A memory the agent put to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Citation {
    pub memory: MemoryId,
    /// It kept the agent from a mistake, as the agent says itself.
    pub prevented: bool,
}

/// The memories an agent's own text names, each once.
pub(crate) fn cited(shown: &Shown, text: &str) -> Vec<Citation> {
    if shown.is_empty() {
        return Vec::new();
    }
    let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
    let mut found: BTreeMap<MemoryId, bool> = BTreeMap::new();
    for line in own_lines(&without_notes(text)) {
        for sentence in sentences(line) {
            let named = names(shown, sentence);
            if named.is_empty() || shown.is_recital(line) {
                continue;
            }
            let prevented = is_prevented(sentence);
            for memory in named {
                *found.entry(memory).or_default() |= prevented;
            }
        }
    }
    found.into_iter().map(|(memory, prevented)| Citation { memory, prevented }).collect()
}

/// The memories an agent fetched by a call of its own: it wanted to know more.
pub(crate) fn fetched(shown: &Shown, tool: &str, input: &Value) -> Vec<MemoryId> {
    if shown.is_empty() {
        return Vec::new();
    }
    let mut ids = BTreeSet::new();
    if let Some(command) = input["command"].as_str() {
        ids.extend(arguments(command).filter_map(|word| shown.named_by(word)));
    }
    if FETCHING_TOOLS.iter().any(|name| tool.ends_with(name)) {
        let lists = [&input["id"], &input["ids"]].into_iter();
        let words =
            lists.flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice));
        let words = words.filter_map(Value::as_str).take(MAX_ARGUMENTS);
        ids.extend(words.filter_map(|word| shown.named_by(word)));
    }
    ids.into_iter().collect()
}

/// Whether a call could fetch anything at all.
pub(crate) fn may_fetch(tool: &str, input: &Value) -> bool {
    FETCHING_TOOLS.iter().any(|name| tool.ends_with(name))
        || input["command"].as_str().is_some_and(|command| command.contains(PROGRAM))
}

/// The words behind `throughline show` and its kind, up to the end of that command.
fn arguments(command: &str) -> impl Iterator<Item = &str> {
    let commands = command.split(['\n', ';', '|', '&', '(', ')']);
    commands
        .filter_map(|command| {
            let mut words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`']));
            let program = words.by_ref().find(|word| !word.contains('='))?;
            let ours = program.rsplit('/').next() == Some(PROGRAM);
            (ours && words.next().is_some_and(|word| FETCHING.contains(&word))).then_some(words)
        })
        .flatten()
        .filter(|word| !word.starts_with('-'))
        .take(MAX_ARGUMENTS)
}

/// The text without any note of ours in it. A note that does not end takes the rest along.
fn without_notes(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let (opening, closing) = (format!("<{NOTE_TAG}"), format!("</{NOTE_TAG}"));
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(at) = lower[from..].find(&opening).map(|at| from + at) {
        kept.push_str(&text[from..at]);
        let end = lower[at..].find(&closing).map(|end| at + end);
        let Some(end) = end.and_then(|end| lower[end..].find('>').map(|sign| end + sign + 1)) else {
            return kept;
        };
        from = end;
    }
    kept.push_str(&text[from..]);
    kept
}

/// Lines that are neither quoted nor in a block of code.
fn own_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut block: Option<&str> = None;
    text.lines().filter(move |line| {
        let line = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (block, mark) {
            (None, Some(_)) => block = mark,
            (Some(open), Some(mark)) if open == mark => block = None,
            (None, None) => return !line.starts_with('>'),
            _ => {}
        }
        false
    })
}

/// A stop that a space or the end follows ends a sentence; one within a version or a path does not.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = |(at, c): (usize, char)| {
            let next = rest[at + c.len_utf8()..].chars().next();
            (matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace))
                .then_some(at + c.len_utf8())
        };
        let end = rest.char_indices().find_map(ends).unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

fn names(shown: &Shown, sentence: &str) -> BTreeSet<MemoryId> {
    let tokens = sentence.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
    let mut named: BTreeSet<MemoryId> = tokens.filter_map(|token| shown.named_by(token)).collect();
    for (open, close) in QUOTES {
        named.extend(quoted(sentence, *open, *close).filter_map(|name| {
            shown.names.get(&spaced(name).trim_end_matches(".md").to_lowercase()).copied().flatten()
        }));
    }
    named
}

fn quoted(sentence: &str, open: char, close: char) -> impl Iterator<Item = &str> {
    let mut rest = sentence;
    std::iter::from_fn(move || {
        let inside = &rest[rest.find(open)? + open.len_utf8()..];
        let end = inside.find(close)?;
        // What closes one may open the next: an apostrophe is no quotation mark.
        rest = if open == '\'' { &inside[end..] } else { &inside[end + close.len_utf8()..] };
        Some(&inside[..end])
    })
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line without marks of lists, tables and emphasis, in small letters: two that say the same are equal.
fn plain(line: &str) -> String {
    let bare: String =
        line.chars().map(|c| if matches!(c, '*' | '`' | '|' | '_') { ' ' } else { c }).collect();
    let bare = bare.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '[' | '(' | '"' | '<'));
    spaced(bare).to_lowercase()
}

#[cfg(test)]
mod tests;
