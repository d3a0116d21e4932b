//! What speaks for a sentence's holding longer than the change at hand, and what against it. A phrase of its section gives it
//! a weight; each feature adds or takes a point or more, and the sum decides between an order, a wish and nothing.
//!
//! | | points |
//! |---|---|
//! | `[standing]` | 5 |
//! | `[forbidding]`, `[choice]` | 3 |
//! | `[unwished]`, `[wish]` as an imperative, a polite question | 2 |
//! | `[wish]` as a statement ("X should be Y") | 1 |
//! | compares two ways ("rather than") | +1, a wish +2 |
//! | speaks of a kind of things or of any time (`[lasting]`; in English also things in the plural that are not pointed at) | +1 |
//! | speaks of how one works: commits, tests, names (`[craft]`) | +1 |
//! | gives a reason, names a principle | +1 |
//! | a statement that is all that was said | +1 |
//! | typed to refuse a call; the agent agreed | +1 each |
//! | orders a definite thing about ("don't move the cursor", `[definite]`) | -2, a wish to make sure of it and a thing of the craft -1 |
//! | ends with what it points at ("we should always show it") | -5, a longer sentence -2 |
//! | counts on numbers that only this conversation knows ("#3", "line 98", `[numbered]`) | -5 |
//! | gives words to be printed in quotes | -1 |
//! | is very short and names nothing | -1 |
//! | says what to use for one task ("use X to build Y", `[purpose]`) | -2 |
//! | one of several points in a prompt that asks something | -7 |
//! | a choice or a wish before a question in the same paragraph | -1 |
//! | a wish in a long description | -1 |
//! | ends with a colon, and a list follows | +1, none follows -5 |

use super::language::{Language, Section, WordMatch, principle};
use super::{Force, Hearing};
use crate::text::names;

#[expect(clippy::struct_excessive_bools, reason = "each is a feature of its own")]
/// Where a sentence stands, as far as it matters to how long it holds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OrderSetting {
    pub(super) hearing: Hearing,
    /// A point of a list in a prompt that asks something.
    pub(super) option: bool,
    /// A question follows in its paragraph.
    pub(super) asked: bool,
    /// All that was said.
    pub(super) alone: bool,
    /// One of many sentences.
    pub(super) described: bool,
    /// It has a number that only this conversation knows.
    pub(super) numbered: bool,
    /// A list follows.
    pub(super) opens_list: bool,
}

/// An order needs so many points, a wish so many.
const ORDER: i32 = 3;
const WISH: i32 = 2;
/// Words of a sentence that is very short.
const SHORT_WORDS: usize = 4;
const SHORT_SIGNS: usize = 8;
/// Longer sentences say what they point at.
const POINTING_WORDS: usize = 6;

/// How firmly a sentence holds in which a phrase of a section was found.
pub(super) fn force(
    section: Section,
    found: WordMatch<'_>,
    bare: &str,
    setting: OrderSetting,
    language: &Language,
) -> Option<Force> {
    let finds = |section: Section| language.finds(section, bare).is_some();
    let base = match section {
        Section::Standing => 5,
        Section::Choice | Section::Forbidding => 3,
        Section::Wish if !found.begins => 1,
        _ => 2,
    };
    let wished = base <= 2;
    let compares = finds(Section::Comparing);
    let craft = finds(Section::Craft);
    let definite = found.begins && language.is_definite(found.object);
    let lasting = finds(Section::Lasting) || !definite && found.begins && language.is_plural(found.object);
    let mut sum = base;
    let mut count = |holds: bool, points: i32| sum += if holds { points } else { 0 };
    count(compares, if wished { 2 } else { 1 });
    count(lasting, 1);
    count(craft, 1);
    count(finds(Section::Reason) || principle(bare), 1);
    count(setting.alone && wished && !found.begins, 1);
    count(setting.hearing.refused, 1);
    count(setting.hearing.accepted, 1);
    count(
        definite,
        if craft || wished && language.begins(Section::Assuring, bare).is_some() { -1 } else { -2 },
    );
    // "Never catch an exception without logging it" says what it is.
    let bare_object = bare.split_whitespace().nth(POINTING_WORDS).is_none();
    count(language.ends_pointing(bare), if bare_object { -5 } else { -2 });
    count(setting.numbered, -5);
    count(quotes_words(bare), -1);
    count(is_short(bare, language) && names(bare) == 0, -1);
    count(base < 5 && finds(Section::Purpose), -2);
    count(setting.option, -7);
    count(setting.asked && base < 5 && section != Section::Forbidding, -1);
    count(setting.described && wished, -1);
    let ends_open = bare.ends_with([':', '：']);
    count(ends_open, if setting.opens_list { 1 } else { -5 });
    match sum {
        ORDER.. if !wished => Some(Force::Order),
        WISH.. => Some(Force::Wish),
        _ => None,
    }
}

/// "#3", "(10)", "line 98": what has that number, only this conversation knows.
pub(super) fn is_numbered(bare: &str, language: &Language) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let mut before = "";
    bare.split_whitespace().any(|word| {
        let inner = word.trim_end_matches([',', '.', ';', ':', '!', '?']);
        let marked = inner.strip_prefix('#').or_else(|| inner.strip_prefix('(')?.strip_suffix(')'));
        let named = is_number(inner) && language.begins(Section::Numbered, before).is_some_and(str::is_empty);
        before = word;
        named || marked.is_some_and(|number| is_number(number) && number.len() < 4)
    })
}

/// Several words in quotes are what is to be printed.
fn quotes_words(bare: &str) -> bool {
    const SEVERAL: usize = 3;
    let quoted = bare.split(['"', '“', '”', '«', '»']).skip(1).step_by(2);
    quoted.into_iter().any(|text| text.split_whitespace().count() >= SEVERAL)
}

fn is_short(bare: &str, language: &Language) -> bool {
    if language.is_spaced() {
        bare.split_whitespace().nth(SHORT_WORDS - 1).is_none()
    } else {
        bare.chars().nth(SHORT_SIGNS - 1).is_none()
    }
}
