//! What becomes of memories: a newer one retires what it replaces or resolves. Only where the words say so; similarity alone
//! is no reason to stop believing something.

use model::{Memory, MemoryKind};
use store::Batch;

use crate::Result;

/// Kinds that state how things are done, and can therefore be overtaken.
const STATEMENTS: &[MemoryKind] = &[MemoryKind::Note, MemoryKind::Decision, MemoryKind::Learning];
/// A name of a tool or a way is a few words.
const MAX_NAME_WORDS: usize = 4;
/// Older statements looked at for one replacement.
const MAX_CANDIDATES: usize = 50;
/// Observations of a session looked at for what a fix resolved.
const MAX_FAILURES: usize = 500;

/// If this memory says that one thing took the place of another, older statements for the other go behind it.
pub(crate) fn retire(batch: &mut Batch<'_>, memory: &Memory) -> Result<()> {
    if !STATEMENTS.contains(&memory.kind) {
        return Ok(());
    }
    for Replacement { old, new } in replacements(&format!("{}. {}", memory.title, memory.text)) {
        for older in batch.statements(STATEMENTS, memory, &old, MAX_CANDIDATES)? {
            let said = format!("{}. {}", older.memory.title, older.memory.text).to_lowercase();
            // It must be for the old way, and must not be about the move itself.
            let for_old = mentions(&said, &old) && affirms(&said, &old);
            let about_new = new.as_ref().is_some_and(|new| mentions(&said, new));
            if for_old && !about_new {
                batch.supersede(older.memory.id, memory.id)?;
            }
        }
    }
    Ok(())
}

/// A fix stands before the failures of its session that it resolved: they share the events that show them.
pub(crate) fn resolve(batch: &mut Batch<'_>, fix: &Memory) -> Result<()> {
    let (MemoryKind::Bugfix, Some(session)) = (fix.kind, &fix.session) else { return Ok(()) };
    for row in batch.observations(session, MAX_FAILURES)? {
        let failure = &row.memory;
        let shared = failure.provenance.events.iter().any(|id| fix.provenance.events.contains(id));
        if failure.kind == MemoryKind::Failure && shared && row.superseded_by.is_none() {
            batch.supersede(failure.id, fix.id)?;
        }
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
struct Replacement {
    old: String,
    new: Option<String>,
}

/// (what comes before the old name, what stands between the names, whether the new one comes second)
const PHRASES: &[(&str, &str, bool)] = &[
    ("moved from ", " to ", true),
    ("move from ", " to ", true),
    ("switched from ", " to ", true),
    ("switch from ", " to ", true),
    ("migrated from ", " to ", true),
    ("migrate from ", " to ", true),
    ("changed from ", " to ", true),
    ("replaced ", " with ", true),
    ("replace ", " with ", true),
    ("dropped ", " in favor of ", true),
    ("dropped ", " in favour of ", true),
    ("use ", " instead of ", false),
    ("using ", " instead of ", false),
    ("chose ", " over ", false),
    ("prefer ", " over ", false),
];
const ENDINGS: &[&str] = &["no longer use ", "stopped using ", "do not use ", "don't use "];

fn replacements(text: &str) -> Vec<Replacement> {
    let text = text.to_lowercase();
    let mut found = Vec::new();
    for (before, between, new_second) in PHRASES {
        for (at, _) in text.match_indices(before) {
            if !starts_word(&text, at) {
                continue;
            }
            let rest = sentence(&text[at + before.len()..]);
            let Some((first, second)) = rest.split_once(between) else { continue };
            let (Some(first), Some(second)) = (whole_name(first), leading_name(second)) else { continue };
            let (old, new) = if *new_second { (first, second) } else { (second, first) };
            found.push(Replacement { old, new: Some(new) });
        }
    }
    for ending in ENDINGS {
        for (at, _) in text.match_indices(ending).filter(|(at, _)| starts_word(&text, *at)) {
            if let Some(old) = leading_name(sentence(&text[at + ending.len()..])) {
                found.push(Replacement { old, new: None });
            }
        }
    }
    found
}

fn starts_word(text: &str, at: usize) -> bool {
    !text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
}

/// Up to where a sentence or clause ends. A dot inside a version or a path does not end one.
fn sentence(text: &str) -> &str {
    let end = text
        .char_indices()
        .find(|&(at, c)| match c {
            '\n' | ';' | ',' | '(' => true,
            '.' | ':' | '!' | '?' => text[at + 1..].chars().next().is_none_or(char::is_whitespace),
            _ => false,
        })
        .map_or(text.len(), |(at, _)| at);
    &text[..end]
}

fn clean(word: &str) -> &str {
    word.trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | '*' | '’' | '“' | '”'))
}

const ARTICLES: &[&str] = &["the", "a", "an", "our", "plain"];

/// All of it, if it is short enough to be a name.
fn whole_name(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split_whitespace().map(clean).filter(|word| !ARTICLES.contains(word)).collect();
    let fits = (1..=MAX_NAME_WORDS).contains(&words.len()) && words.iter().all(|word| !word.is_empty());
    fits.then(|| words.join(" "))
}

/// The words up to the first that cannot belong to a name.
fn leading_name(text: &str) -> Option<String> {
    const STOPS: &[&str] = &[
        "for",
        "because",
        "since",
        "in",
        "on",
        "as",
        "when",
        "while",
        "to",
        "and",
        "so",
        "after",
        "before",
        "from",
        "everywhere",
        "at",
        "if",
        "here",
        "now",
        "with",
        "until",
        "by",
    ];
    let words: Vec<&str> = text
        .split_whitespace()
        .map(clean)
        .filter(|word| !ARTICLES.contains(word))
        .take_while(|word| !STOPS.contains(word) && !word.is_empty())
        .take(MAX_NAME_WORDS + 1)
        .collect();
    (1..=MAX_NAME_WORDS).contains(&words.len()).then(|| words.join(" "))
}

/// Whether a name stands there as words of its own. Both are lower case.
fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let after = text[at + name.len()..].chars().next();
        starts_word(text, at) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Whether the text is for the name: a verb of use near it and no "not".
fn affirms(text: &str, name: &str) -> bool {
    const FOR: &[&str] = &[
        "use", "uses", "using", "used", "chose", "choose", "prefer", "decided", "run", "runs", "with", "on",
        "is", "via",
    ];
    const AGAINST: &[&str] = &["not", "never", "avoid", "instead", "don't", "without", "replaced", "dropped"];
    let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).collect();
    mentions(text, name)
        && words.iter().any(|word| FOR.contains(word))
        && !words.iter().any(|word| AGAINST.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_is_read_from_the_words_people_use() {
        let read = |text: &str| {
            replacements(text).into_iter().map(|r| (r.old, r.new.unwrap_or_default())).collect::<Vec<_>>()
        };
        let pair = |old: &str, new: &str| vec![(old.to_owned(), new.to_owned())];
        assert_eq!(read("We moved from npm to pnpm because of the monorepo."), pair("npm", "pnpm"));
        assert_eq!(read("Replaced `moment.js` with date-fns 3.6"), pair("moment.js", "date-fns 3.6"));
        assert_eq!(read("Use ruff instead of flake8 and isort"), pair("flake8", "ruff"));
        assert_eq!(read("We no longer use Celery."), pair("celery", ""));
        assert_eq!(read("It moved from one very long place that is no name to another"), []);
        assert_eq!(read("reuse x instead of y"), []);
    }
}
