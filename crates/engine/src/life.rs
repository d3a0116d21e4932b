//! What becomes of memories: a newer one retires what it replaces or resolves. Only where the words say so; similarity alone
//! is no reason to stop believing something.

use model::{EventId, Memory, MemoryKind, SessionId};
use store::Batch;

use crate::{Origin, Result, memory, origin};

/// Kinds that state how things are done, and can therefore be overtaken.
const STATEMENTS: &[MemoryKind] = &[MemoryKind::Note, MemoryKind::Decision, MemoryKind::Learning];
/// Kinds that say what was done, and can therefore be reverted.
const WORK: &[MemoryKind] = &[
    MemoryKind::Bugfix,
    MemoryKind::Change,
    MemoryKind::Feature,
    MemoryKind::Refactor,
    MemoryKind::Security,
];
/// A name of a tool or a way is a few words.
const MAX_NAME_WORDS: usize = 4;
/// Older statements looked at for one replacement.
const MAX_CANDIDATES: usize = 50;
/// Observations of a session looked at for what a fix resolved.
const MAX_FAILURES: usize = 500;

/// If this memory says that one thing took the place of another, older statements for the other go behind it.
pub(crate) fn retire(batch: &mut Batch<'_>, memory: &Memory) -> Result<()> {
    // Somebody else's words overtake nothing of ours.
    if !STATEMENTS.contains(&memory.kind) || !origin(memory).is_trusted() {
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

/// A fix stands before the failures of its session that it resolved: they share the events that show them. Work that was
/// given up stands behind what says so, and what was reverted behind the commit that did it.
pub(crate) fn resolve(batch: &mut Batch<'_>, newer: &Memory) -> Result<()> {
    let Some(session) = &newer.session else { return Ok(()) };
    let given_up = newer.title.strip_prefix(distill::GIVEN_UP).map(|title| title.trim_end_matches('…'));
    if newer.kind == MemoryKind::Bugfix || newer.kind == MemoryKind::Failure && given_up.is_some() {
        for row in batch.observations(session, MAX_FAILURES)? {
            let older = &row.memory;
            let shared = older.provenance.events.iter().any(|id| newer.provenance.events.contains(id));
            let over = match given_up {
                Some(title) => older.kind != MemoryKind::Failure && older.title.starts_with(title),
                None => older.kind == MemoryKind::Failure,
            };
            if shared && over && row.superseded_by.is_none() && older.id != newer.id {
                batch.supersede(older.id, newer.id)?;
            }
        }
    }
    replace_lines(batch, newer)?;
    for subject in reverted(newer) {
        for row in batch.statements(WORK, newer, &subject, MAX_CANDIDATES)? {
            if row.memory.title.to_lowercase() == subject {
                batch.supersede(row.memory.id, newer.id)?;
            }
        }
    }
    Ok(())
}

/// What an earlier turn told and a later one of the session replaced stands behind what tells of the later one.
pub(crate) fn overtake(batch: &mut Batch<'_>, older: &distill::Overtaken, newer: &Memory) -> Result<()> {
    let Some(session) = &newer.session else { return Ok(()) };
    let title = older.title.trim_end_matches('…');
    for row in batch.observations(session, MAX_FAILURES)? {
        let known = &row.memory;
        let shared = known.provenance.events.iter().any(|id| older.events.contains(id));
        // What a person holds on to stays.
        let free =
            row.superseded_by.is_none() && !known.pinned && known.id != newer.id && known.at <= newer.at;
        if shared && free && known.title.starts_with(title) {
            batch.supersede(known.id, newer.id)?;
        }
    }
    // The summary of that turn says it, too; what else the turn did stands in its observations.
    for row in batch.statements(&[MemoryKind::Summary], newer, &title.to_ascii_lowercase(), MAX_CANDIDATES)? {
        if row.memory.session.as_ref() == Some(session) && row.memory.at < newer.at && !row.memory.pinned {
            batch.supersede(row.memory.id, newer.id)?;
        }
    }
    Ok(())
}

/// A line of a file that agents write for each other, changed: what told the old line does not tell it any more.
fn replace_lines(batch: &mut Batch<'_>, newer: &Memory) -> Result<()> {
    const WAS: &str = " (was: ";
    let place = newer.text.lines().find(|line| line.starts_with("Written into ")).map(str::to_lowercase);
    let Some(place) = place.filter(|_| newer.kind == MemoryKind::Discovery && origin(newer).is_trusted())
    else {
        return Ok(());
    };
    let before = |fact: &String| Some(fact.split_once(WAS)?.1.trim_end_matches([')', '…']).to_owned());
    let gone: Vec<String> = newer.facts.iter().filter_map(before).filter(|line| !line.is_empty()).collect();
    if gone.is_empty() {
        return Ok(());
    }
    for row in batch.statements(&[MemoryKind::Discovery], newer, &place, MAX_CANDIDATES)? {
        let mut older = row.memory;
        let is_gone = |text: &str| gone.iter().any(|line| text.starts_with(line.as_str()));
        let lines = older.facts.len();
        older.facts.retain(|fact| !is_gone(fact));
        if older.facts.len() == lines || older.pinned {
            continue;
        }
        // What is left of it still holds, unless the line that is gone is what it is called.
        let named = older.title.trim_end_matches('…');
        if older.facts.is_empty() || gone.iter().any(|line| line.starts_with(named)) {
            batch.supersede(older.id, newer.id)?;
        } else {
            memory::keep(batch, &older)?;
        }
    }
    Ok(())
}

/// Takes away failures of a session that were told and do not stand any more; `over` are the first events of them.
pub(crate) fn settle(batch: &mut Batch<'_>, session: &SessionId, over: &[EventId]) -> Result<()> {
    if over.is_empty() {
        return Ok(());
    }
    for row in batch.observations(session, MAX_FAILURES)? {
        let memory = &row.memory;
        let told = memory.provenance.events.iter().any(|id| over.contains(id));
        let failure = memory.kind == MemoryKind::Failure && memory.provenance.by == distill::NAME;
        if told && failure && !memory.pinned && row.superseded_by.is_none() {
            memory::drop_for_room(batch, memory.id)?;
        }
    }
    Ok(())
}

/// The subjects, in lower case and without the word before the colon, of commits that this one reverts.
fn reverted(memory: &Memory) -> Vec<String> {
    // What is not worth saying was done all the same.
    if !WORK.contains(&memory.kind) || origin(memory) == Origin::Outside {
        return Vec::new();
    }
    let mut found = Vec::new();
    for text in memory.facts.iter().chain([&memory.title]) {
        let Some((_, rest)) = text.split_once("Revert \"") else { continue };
        let Some((subject, _)) = rest.rsplit_once('"') else { continue };
        for subject in [subject, subject.split_once(": ").map_or(subject, |(_, rest)| rest)] {
            let subject = subject.to_lowercase();
            // A short one may be said of anything.
            if subject.len() > 8 && !found.contains(&subject) {
                found.push(subject);
            }
        }
    }
    found
}

#[derive(Debug, PartialEq, Eq)]
struct Replacement {
    old: String,
    new: Option<String>,
}

/// (what comes before the first name, what stands between the names, whether the new one comes second)
const PHRASES: &[(&str, &str, bool)] = &[
    ("moved", " to ", true),
    ("switched", " to ", true),
    ("migrated", " to ", true),
    ("changed", " to ", true),
    ("upgraded", " to ", true),
    ("replaced", " with ", true),
    ("replace", " with ", true),
    ("dropped", " in favor of ", true),
    ("dropped", " in favour of ", true),
    ("use", " instead of ", false),
    ("using", " instead of ", false),
    ("chose", " over ", false),
    ("prefer", " over ", false),
];
const ENDINGS: &[&str] = &["no longer use ", "stopped using ", "do not use ", "don't use "];

/// Before the verb may stand who did it and when, and nothing else: a condition, a question or a place before it
/// makes it a rule of its own, beside the old one.
const LEADS: &[&str] = &[
    "we",
    "we've",
    "i",
    "i've",
    "have",
    "has",
    "been",
    "the",
    "team",
    "project",
    "now",
    "finally",
    "today",
    "yesterday",
    "please",
    "always",
    "decided",
    "agreed",
    "to",
    "let's",
    "lets",
    "just",
    "and",
    "also",
    "will",
    "decision",
    "note",
];
/// What may follow the second name without narrowing it to a place.
const TAILS: &[&str] = &[
    "because",
    "since",
    "as",
    "so",
    "now",
    "everywhere",
    "from now on",
    "for everything",
    "any more",
    "anymore",
    "any longer",
    "in this",
    "in the whole",
    "across",
    "last",
    "this",
    "today",
    "yesterday",
    "after",
    "and",
];

fn replacements(text: &str) -> Vec<Replacement> {
    let text = text.to_lowercase();
    let mut found = Vec::new();
    for sentence in sentences(&text) {
        if sentence.ends_with('?')
            || ["considered", "rejected", "whether", "might", "could"].iter().any(|w| mentions(sentence, w))
        {
            continue;
        }
        found.extend(PHRASES.iter().filter_map(|phrase| replaced(sentence, phrase)));
        found.extend(ENDINGS.iter().filter_map(|ending| ended(sentence, ending)));
    }
    found
}

fn replaced(sentence: &str, (verb, between, new_second): &(&str, &str, bool)) -> Option<Replacement> {
    let at = find_word(sentence, verb)?;
    is_lead(&sentence[..at]).then_some(())?;
    let mut rest = sentence[at + verb.len()..].trim_start();
    // "switched the API from REST to gRPC": what was switched is not what was replaced.
    if *between == " to " {
        if let Some(from) = rest.strip_prefix("from ") {
            rest = from;
        } else if let Some((what, from)) = rest.split_once(" from ") {
            whole_name(what)?;
            rest = from;
        } else if *verb != "upgraded" {
            return None;
        }
    }
    let (first, second) = rest.split_once(between)?;
    let first = whole_name(first)?;
    let (second, tail) = leading_name(second)?;
    is_tail(tail).then_some(())?;
    let (old, new) = if *new_second { (first, second) } else { (second, first) };
    (old != new).then_some(Replacement { old, new: Some(new) })
}

fn ended(sentence: &str, ending: &str) -> Option<Replacement> {
    let at = find_word(sentence, ending)?;
    is_lead(&sentence[..at]).then_some(())?;
    let (old, tail) = leading_name(&sentence[at + ending.len()..])?;
    is_tail(tail).then_some(Replacement { old, new: None })
}

fn find_word(text: &str, words: &str) -> Option<usize> {
    text.match_indices(words).map(|(at, _)| at).find(|&at| {
        let after = text[at + words.len()..].chars().next();
        starts_word(text, at) && (words.ends_with(' ') || after.is_none_or(|c| !c.is_alphanumeric()))
    })
}

fn is_lead(before: &str) -> bool {
    before
        .split(|c: char| c.is_whitespace() || c == ':' || c == ',')
        .filter(|w| !w.is_empty())
        .all(|word| LEADS.contains(&word))
}

fn is_tail(after: &str) -> bool {
    let after = after.trim_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation());
    after.is_empty() || TAILS.iter().any(|tail| after.starts_with(tail))
}

/// A dot inside a version or a path ends no sentence; a comma or a bracket ends what is said of it.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let ends = match c {
            '\n' | ';' => true,
            '.' | '!' | '?' => text[at + 1..].chars().next().is_none_or(char::is_whitespace),
            _ => false,
        };
        if ends {
            sentences.push(text[start..at + c.len_utf8()].trim());
            start = at + c.len_utf8();
        }
    }
    sentences.push(text[start..].trim());
    sentences
}

fn starts_word(text: &str, at: usize) -> bool {
    !text[..at].chars().next_back().is_some_and(char::is_alphanumeric)
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

/// The words up to the first that cannot belong to a name, and what follows them.
fn leading_name(text: &str) -> Option<(String, &str)> {
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
        "any",
        "anymore",
        "across",
        "last",
        "this",
        "today",
        "yesterday",
        "unless",
        "only",
        "except",
    ];
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && words.len() <= MAX_NAME_WORDS {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = &rest[..end];
        let name = clean(word.trim_end_matches(['.', ',', '!', ')', ':', ';', '(']));
        if STOPS.contains(&name) || name.is_empty() {
            break;
        }
        if !ARTICLES.contains(&name) {
            words.push(name.to_owned());
        }
        rest = rest[end..].trim_start();
        if word.ends_with([',', '.', ';', ':', '!', ')']) {
            break;
        }
    }
    (1..=MAX_NAME_WORDS).contains(&words.len()).then(|| (words.join(" "), rest))
}

/// Whether a name stands there as words of its own. Both are lower case.
fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let after = text[at + name.len()..].chars().next();
        starts_word(text, at) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Whether the text is for the name itself: a verb of use, no "not", and no further word that makes it the name of
/// something else ("npm audit").
fn affirms(text: &str, name: &str) -> bool {
    const FOR: &[&str] = &[
        "use", "uses", "using", "used", "chose", "choose", "prefer", "decided", "run", "runs", "with", "on",
        "is", "via",
    ];
    const AGAINST: &[&str] = &["not", "never", "avoid", "instead", "don't", "without", "replaced", "dropped"];
    const GO_ON: &[&str] = &[
        "for",
        "in",
        "as",
        "to",
        "on",
        "and",
        "or",
        "because",
        "everywhere",
        "here",
        "now",
        "at",
        "by",
        "from",
        "when",
        "is",
        "are",
        "was",
        "with",
        "across",
        "since",
        "so",
        "but",
    ];
    let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).collect();
    let stands_alone = text.match_indices(name).any(|(at, _)| {
        let after = &text[at + name.len()..];
        let next = after.trim_start_matches(['`', '"', '\'']).split_whitespace().next();
        let ends = after
            .trim_start_matches(['`', '"', '\''])
            .chars()
            .next()
            .is_none_or(|c| !c.is_whitespace() && !c.is_alphanumeric());
        starts_word(text, at)
            && (ends || next.is_none_or(|word| GO_ON.contains(&clean(word).trim_end_matches(['.', ',']))))
    });
    stands_alone
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
        assert_eq!(read("We switched the API from REST to gRPC"), pair("rest", "grpc"));
        assert_eq!(
            read("We upgraded Postgres 14 to Postgres 16 last week."),
            pair("postgres 14", "postgres 16")
        );
        assert_eq!(read("We do not use yarn berry any more."), pair("yarn berry", ""));
        assert_eq!(read("Use pnpm instead of npm in this monorepo"), pair("npm", "pnpm"));
        assert_eq!(read("Replaced `moment.js` with date-fns 3.6"), pair("moment.js", "date-fns 3.6"));
        assert_eq!(read("Use ruff instead of flake8 and isort"), pair("flake8", "ruff"));
        assert_eq!(read("We no longer use Celery."), pair("celery", ""));
        assert_eq!(read("It moved from one very long place that is no name to another"), []);
        assert_eq!(read("reuse x instead of y"), []);
    }

    #[test]
    fn a_question_a_condition_a_place_and_a_rejection_replace_nothing() {
        for text in [
            "Should we use bun instead of pnpm?",
            "Don't use mocks in integration tests",
            "Don't use Docker in CI, it is too slow",
            "For the demo only, use port 5434 instead of port 5433",
            "If the runner is slow, use spaces instead of tabs in the Makefile",
            "Use spaces instead of tabs in the Makefile",
            "We considered whether to replace React with Svelte and rejected it",
        ] {
            assert_eq!(replacements(text), [], "{text}");
        }
        assert!(affirms("we use npm for everything", "npm"));
        assert!(affirms("we use npm.", "npm"));
        assert!(!affirms("we use npm audit weekly", "npm"));
    }

    #[test]
    fn somebody_elses_words_overtake_nothing() {
        use model::MemoryId;
        let folder = tempfile::tempdir().unwrap();
        let mut tables = store::Tables::open(&folder.path().join("derived.db")).unwrap();
        let statement = |id: u64, kind, text: &str| {
            Memory::new(MemoryId::from_u64(id), kind, id, text.to_owned(), text.to_owned())
        };
        let known = statement(1, MemoryKind::Note, "We use npm for everything.");
        let mut newer =
            statement(2, MemoryKind::Decision, "We moved from npm to gonzo because it is faster.");
        for (tools, overtaken) in [(vec!["outside:web".to_owned()], false), (Vec::new(), true)] {
            newer.tools = tools;
            tables
                .write(|batch| {
                    crate::memory::keep(batch, &known)?;
                    crate::memory::keep(batch, &newer)?;
                    retire(batch, &newer).map_err(|error| error.into_store().expect("only the store fails"))
                })
                .unwrap();
            let row = tables.memory(&known.id.to_string()).unwrap().unwrap();
            assert_eq!(row.superseded_by.is_some(), overtaken);
        }
    }
}
