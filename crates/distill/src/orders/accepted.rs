//! Sentences of a person that the agent took up: corrections that it agreed to ("You're right"), and what was decided in a
//! request that the turn then carried out. Kept as said by the person; a question, a task, a report of trouble and what
//! belongs to the moment are none.

use super::language::{self, Language, Section};
use super::sayings::{self, OrderSaying};
use super::weigh::is_numbered;
use crate::prose;
use crate::text::{capitalized, names};

/// A shorter sentence says nothing by itself, a longer one tells a story.
const STATED_BYTES: std::ops::RangeInclusive<usize> = 24..=240;
/// Words of such a sentence.
const MIN_WORDS: usize = 5;
/// So many need no name.
const MANY_WORDS: usize = 8;
/// Of one text.
const MAX_CORRECTIONS: usize = 2;
/// An agent agrees in its first words.
const REPLY_BYTES: usize = 120;

/// Whether an agent agrees in the first words of what it says.
pub(crate) fn accepts(reply: &str) -> bool {
    let first = language::plain(&reply[..reply.floor_char_boundary(REPLY_BYTES)]);
    let language = language::of(reply);
    language.begins(Section::Accepting, language.without_openings(&first)).is_some()
        || language.begins(Section::Accepting, &first).is_some()
}

/// How things are, as a person states it to correct the agent: the title and the sentence.
pub(crate) fn corrections(said: &str) -> Vec<(String, String)> {
    let found = statements(said, |bare, language| {
        let finds = |section: Section| language.finds(section, bare).is_some();
        // "Since that is so" is half of a sentence.
        (finds(Section::Comparing) || finds(Section::Reason))
            && is_specific(bare)
            && language.begins(Section::Reason, bare).is_none()
            && !language.begins_task(bare)
    });
    found.into_iter().take(MAX_CORRECTIONS).collect()
}

/// What a person decided of the work at hand: what goes, what replaces what, what it is called and where it lives.
pub(crate) fn decision(said: &str) -> Option<String> {
    let found = statements(said, |bare, language| {
        language.finds(Section::Deciding, bare).is_some() && is_specific(bare)
    });
    // What is wanted stands behind how it is.
    found.into_iter().map(|(_, text)| text).next_back()
}

/// Whether a sentence names what it speaks of, or says enough without a name.
fn is_specific(bare: &str) -> bool {
    names(bare) > 0 || bare.contains('"') || bare.split_whitespace().nth(MANY_WORDS).is_some()
}

fn statements(said: &str, is_one: impl Fn(&str, &Language) -> bool) -> Vec<(String, String)> {
    let said = super::before_headings(said);
    let of_text = language::of(said);
    let paragraphs = sayings::paragraphs(said);
    if said.len() > super::MAX_WISHING_BYTES {
        return Vec::new();
    }
    let mut found = Vec::new();
    let own = paragraphs.iter().filter(|paragraph| !super::is_foreign(paragraph, of_text));
    for OrderSaying { text, .. } in own.flat_map(|paragraph| &paragraph.sentences) {
        let language = language::of_sentence(text, of_text);
        let lower = language::plain(text);
        let bare = language.without_openings(&lower);
        // "Can we call it X?" decides, politely; any other question does not.
        let wanted = language.begins(Section::Request, bare);
        let asks =
            text.trim_end().ends_with(['?', '？']) || language.begins(Section::Question, bare).is_some();
        if asks && wanted.is_none() {
            continue;
        }
        let bare = wanted.unwrap_or(bare);
        let passing = [Section::Moment, Section::Telling, Section::Report]
            .iter()
            .any(|section| language.finds(*section, bare).is_some());
        let points = language.begins(Section::Pointing, bare).is_some() || language.ends_pointing(bare);
        let whole = STATED_BYTES.contains(&bare.len())
            && (!language.is_spaced() || bare.split_whitespace().count() >= MIN_WORDS)
            && !bare.ends_with([':', '：', ',']);
        if whole && !passing && !points && !is_numbered(&lower, language) && is_one(bare, language) {
            let title = capitalized(&prose::cut(language.bare_title(text), super::MAX_TITLE_BYTES));
            // What was asked for politely is told as a statement.
            let said = wanted.map_or(text.as_str(), |_| language.bare_title(text));
            found.push((title, said.trim_end_matches(['?', '？', ' ']).to_owned()));
        }
    }
    found
}
