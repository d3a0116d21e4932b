//! What a person orders for more than the moment, in their words. Every sentence of theirs is judged by the words of its
//! language, which stand in `orders/LANG.txt` for speakers to correct: an order holds from now on, a wish may hold. A task, a
//! question, a report of how things are and what belongs to the moment are neither; what is in doubt is left out.

mod accepted;
mod language;
mod sayings;
mod weigh;

use std::borrow::Cow;

pub(crate) use accepted::{accepts, corrections, decision};
use language::{Language, Section, WordMatch};
use sayings::Paragraph;
use weigh::OrderSetting;

use crate::prose;
use crate::text::capitalized;

/// What a person wants kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    pub(crate) force: Force,
    pub(crate) title: String,
    /// Verbatim: the sentence, and its neighbours that go on with it.
    pub(crate) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Force {
    /// May hold: whoever recalls it gives it little weight.
    Wish,
    /// Holds from now on.
    Order,
}

impl Force {
    /// The concept that tells the two apart in a memory.
    pub(crate) fn concept(self) -> &'static str {
        match self {
            Self::Wish => "wish",
            Self::Order => "order",
        }
    }
}

/// More sentences than this are a document.
const MAX_SAYINGS: usize = 80;
/// Sentences of one memory, and their bytes.
const MAX_JOINED: usize = 4;
const MAX_TEXT_BYTES: usize = 700;
const MAX_TITLE_BYTES: usize = 120;
/// A longer text describes a task: what should be in it is no wish for later.
const MAX_WISHING_BYTES: usize = 1600;
/// A longer sentence describes steps of a task.
const MAX_WISH_BYTES: usize = 300;
/// A paragraph as long as this in which nobody speaks was written by somebody else, a reviewer say.
const MIN_VOICELESS_BYTES: usize = 150;

/// So many sentences describe a task.
const MANY_SAYINGS: usize = 6;

/// How a person's words came in and were taken.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hearing {
    /// Typed to refuse a call, or while the agent worked: more often meant to last.
    pub(crate) refused: bool,
    /// The agent agreed in its next words.
    pub(crate) accepted: bool,
}

/// The orders and wishes in what a person said, in their order; `said` holds their own words only.
pub(crate) fn orders(said: &str, hearing: Hearing) -> Vec<Order> {
    let said = before_headings(said);
    let of_text = language::of(said);
    let paragraphs = sayings::paragraphs(said);
    let wishing = said.len() <= MAX_WISHING_BYTES;
    let asks = paragraphs.iter().flat_map(|one| &one.sentences).any(|one| asks_back(&one.text, of_text));
    let count: usize = paragraphs.iter().map(|one| one.sentences.len()).sum();
    let mut found: Vec<Order> = Vec::new();
    let mut left = MAX_SAYINGS;
    for (number, paragraph) in paragraphs.iter().enumerate() {
        // The last sentence was kept, so that the next one may go on with it.
        let mut open = 0;
        let foreign = is_foreign(paragraph, of_text);
        let last_asked = paragraph.sentences.iter().rposition(|one| asks_back(&one.text, of_text));
        // A list behind a sentence that was kept belongs to it.
        let mut listing = false;
        for (at, saying) in paragraph.sentences.iter().enumerate().take(left) {
            let sentence = saying.text.as_str();
            if let Some(last) = found.last_mut().filter(|_| listing && saying.point) {
                if last.text.len() + sentence.len() < MAX_TEXT_BYTES {
                    let mark = if last.text.ends_with([':', '：']) { "" } else { ";" };
                    last.text = format!("{}{mark} {}", last.text, sentence.trim_end_matches(['.', ';', ',']));
                    last.title = title(&last.text, language::of_sentence(&last.text, of_text));
                }
                continue;
            }
            let next = paragraph.sentences.get(at + 1);
            let next = next.or_else(|| paragraphs.get(number + 1).and_then(|next| next.sentences.first()));
            let language = language::of_sentence(sentence, of_text);
            let setting = OrderSetting {
                hearing,
                numbered: weigh::is_numbered(&language::plain(sentence), language),
                option: saying.point && asks,
                asked: last_asked.is_some_and(|asked| at < asked),
                alone: count == 1,
                described: count >= MANY_SAYINGS,
                opens_list: !saying.point && next.is_some_and(|next| next.point),
            };
            let judged = judge(sentence, setting, language).filter(|(force, remembered)| match force {
                Force::Wish => wishing && !foreign,
                Force::Order => *remembered || !foreign || begins_firmly(sentence, language),
            });
            listing = judged.is_some() && setting.opens_list && sentence.ends_with([':', '：']);
            let own = judged.map(|_| title(sentence, language));
            if let Some(last) = found.last_mut().filter(|last| {
                (1..MAX_JOINED).contains(&open) && last.text.len() + sentence.len() < MAX_TEXT_BYTES
            }) && !paragraph.listed
                && goes_on(sentence, language)
            {
                last.text = format!("{} {sentence}", last.text);
                if let Some(own) = own.filter(|own| fits(last, own)) {
                    last.title = format!("{}. {own}", last.title);
                }
                last.force = judged.map_or(last.force, |(force, _)| last.force.max(force));
                open += 1;
            } else if let Some((force, _)) = judged {
                let text = crate::text::clip(sentence, MAX_TEXT_BYTES);
                found.push(Order { force, title: own.unwrap_or_default(), text });
                open = 1;
            } else {
                open = 0;
            }
        }
        left = left.saturating_sub(paragraph.sentences.len());
    }
    found
}

/// Whether nobody speaks in a long paragraph: it was written by somebody else, a reviewer say.
fn is_foreign(paragraph: &Paragraph, of_text: &Language) -> bool {
    let whole = paragraph.sentences.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ");
    !paragraph.listed && whole.len() > MIN_VOICELESS_BYTES && !speaks(&whole, of_text)
}

/// What stands before the headings of a document: who writes several describes a task, or pasted it.
fn before_headings(said: &str) -> &str {
    let is_heading = |line: &&str| line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
    let mut headings = said.lines().filter(is_heading);
    match (headings.next(), headings.next()) {
        (Some(first), Some(_)) => said.find(first).map_or(said, |at| &said[..at]),
        _ => said,
    }
}

/// Whether a sentence asks something, and does not only ask for it politely.
fn asks_back(sentence: &str, of_text: &'static Language) -> bool {
    let language = language::of_sentence(sentence, of_text);
    let lower = language::plain(sentence);
    let bare = language.without_openings(&lower);
    sentence.trim_end().ends_with(['?', '？']) && language.begins(Section::Request, bare).is_none()
}

/// Whether the title of an order has room for that of the next sentence.
fn fits(order: &Order, title: &str) -> bool {
    !order.title.ends_with('…') && order.title.len() + 2 + title.len() <= MAX_TITLE_BYTES
}

/// Whether a question is about how to go on rather than about the work.
pub(crate) fn asks_to_go_on(question: &str) -> bool {
    language::of(question).finds(Section::Asking, &language::plain(question)).is_some()
}

/// Whether an answer says no more than how to go on: "yes", "2", "skip the design".
pub(crate) fn goes_on_only(answer: &str) -> bool {
    const SHORT_BYTES: usize = 40;
    let lower = language::plain(answer);
    let language = language::of(answer);
    lower.chars().filter(|char| char.is_alphabetic()).count() < 2
        || lower.len() < SHORT_BYTES && language.finds(Section::Workflow, &lower).is_some()
        || language.begins(Section::Trivial, lower.trim_end_matches(['.', '!'])).is_some_and(str::is_empty)
}

/// How firmly a sentence orders something, and whether it asks to be remembered.
fn judge(sentence: &str, setting: OrderSetting, language: &Language) -> Option<(Force, bool)> {
    let lower = language::plain(sentence);
    let bare = language.without_openings(&lower);
    // A sign before a sentence is how a program writes it.
    let enough = language.is_enough(bare) || setting.opens_list && bare.ends_with([':', '：']);
    if !enough || !bare.starts_with(|first: char| first.is_alphanumeric() || "`\"'“«¿¡@/.".contains(first))
    {
        return None;
    }
    let asks = sentence.trim_end().ends_with(['?', '？']);
    if let Some(rest) = language.begins(Section::Remember, bare) {
        let told = asks || language.begins(Section::Report, bare).is_some();
        // "Remember this is a prototype" points at what is on the table.
        let points = language.is_spaced()
            && language
                .begins(Section::Definite, rest)
                .is_some_and(|after| !after.is_empty() && language.begins(Section::Pointing, rest).is_some());
        return (!told && !points && language.is_enough(rest)).then_some((Force::Order, true));
    }
    let weigh = |section: Section, found: WordMatch<'_>, bare: &str| {
        weigh::force(section, found, bare, setting, language).map(|force| (force, false))
    };
    if asks || language.begins(Section::Question, bare).is_some() {
        let (rest, wanted) = asked_for(bare, setting, language)?;
        return if wanted {
            weigh(Section::Wish, WordMatch { start: 0, rest, object: rest, begins: true }, rest)
        } else {
            None
        };
    }
    let outer = &without_asides(bare);
    let firm = [Section::Choice, Section::Forbidding]
        .into_iter()
        .find_map(|section| Some((section, language.matches(section, outer)?)));
    // "Let's do TDD, first the tests" holds, though it says what comes first.
    if firm.is_none()
        && !language.begins_task(bare)
        && language::principle(outer)
        && outer.len() <= MAX_WISH_BYTES
    {
        return weigh(Section::Wish, WordMatch { start: 0, rest: "", object: "", begins: false }, outer);
    }
    if language.finds(Section::Moment, outer).is_some() || language.finds(Section::Report, bare).is_some() {
        return None;
    }
    if let Some(found) = language.matches(Section::Standing, bare) {
        return weigh(Section::Standing, found, bare);
    }
    if language.begins_task(bare) {
        return None;
    }
    if [Section::Telling, Section::Chore].iter().any(|section| language.finds(*section, bare).is_some()) {
        return None;
    }
    if let Some((section, found)) = firm {
        let at_hand = language.points_before(outer, found) || language.points(found.rest, outer);
        return if at_hand { None } else { weigh(section, found, outer) };
    }
    let unwished = language.matches(Section::Unwished, outer);
    let class = || {
        language
            .matches(Section::Modal, outer)
            .filter(|found| found.start > 0 && (setting.alone || of_a_kind(found.rest, outer, language)))
    };
    let found = unwished.or_else(|| language.matches(Section::Wish, outer)).or_else(class)?;
    let task = unwished.is_none() && language.is_task(found.rest, outer);
    // "And it shouldn't be" does not say what.
    let at_hand = unwished.is_some_and(|found| {
        let unsaid = !found.rest.trim().contains(' ') && !of_a_kind(found.rest, outer, language);
        language.points(found.rest, outer) || unsaid
    });
    let passing =
        task || at_hand || language.points_before(outer, found) || language.points_last(outer, found.rest);
    let section = if unwished.is_some() { Section::Unwished } else { Section::Wish };
    if passing || bare.len() > MAX_WISH_BYTES { None } else { weigh(section, found, outer) }
}

/// What a question asks for, and whether that may last: "could you always …?" is polite, and "why don't you use X instead of
/// Y?" is one who refuses.
fn asked_for<'a>(bare: &'a str, setting: OrderSetting, language: &Language) -> Option<(&'a str, bool)> {
    let finds = |section: &Section, rest: &str| language.finds(*section, rest).is_some();
    let refused = language.begins(Section::WhyNot, bare).filter(|_| setting.hearing.refused);
    if let Some(rest) = refused {
        let lasts =
            [Section::Comparing, Section::Standing, Section::Lasting, Section::Craft, Section::Choice];
        let wanted = lasts.iter().any(|section| finds(section, rest)) || crate::text::names(rest) > 0;
        return Some((rest, wanted && !language.points(rest, rest)));
    }
    let rest = language.begins(Section::Request, bare)?;
    let wanted = !language.begins_task(rest)
        && [Section::Standing, Section::Choice].iter().any(|section| finds(section, rest));
    Some((rest, wanted))
}

/// Whether the subject of "should" is a kind of things, or how one works: "all tests should", "commits need to".
fn of_a_kind(rest: &str, bare: &str, language: &Language) -> bool {
    /// A subject is short.
    const SUBJECT_WORDS: usize = 7;
    let before = &bare[..bare.len() - rest.len()];
    if before.split_whitespace().count() > SUBJECT_WORDS {
        return false;
    }
    language.finds(Section::Lasting, before).is_some()
        || language.finds(Section::Craft, before).is_some()
        || language.is_plural(before) && !language.is_definite(before)
}

/// Whether an order is the first thing a sentence says.
fn begins_firmly(sentence: &str, language: &Language) -> bool {
    let lower = language::plain(sentence);
    let bare = language.without_openings(&lower);
    [Section::Standing, Section::Forbidding].iter().any(|section| language.begins(*section, bare).is_some())
}

/// Without what stands in brackets: "configurable (fixed to start with)" holds.
fn without_asides(bare: &str) -> String {
    let mut depth = 0_usize;
    let outside = |char: &char| {
        match char {
            '(' | '（' => depth += 1,
            ')' | '）' if depth > 0 => depth -= 1,
            _ => return depth == 0,
        }
        false
    };
    let kept: String = bare.chars().filter(outside).collect();
    if depth == 0 && !kept.trim().is_empty() { kept } else { bare.to_owned() }
}

/// Whether a sentence goes on with the order before it: its reason, its exception, what to do instead.
fn goes_on(sentence: &str, language: &Language) -> bool {
    let lower = language::plain(sentence);
    !lower.ends_with(['?', '？'])
        && language.finds(Section::Moment, &lower).is_none()
        && language.begins(Section::GoingOn, &lower).is_some()
}

/// Whether somebody speaks in a text: "I", "we", "you", "please".
fn speaks(text: &str, language: &Language) -> bool {
    language.is_empty(Section::Voice) || language.finds(Section::Voice, &language::plain(text)).is_some()
}

/// The order itself, without "ok", "please" or "remember that" before it, cut at a clause.
fn title(sentence: &str, language: &Language) -> String {
    let bare = language.bare_title(sentence);
    let bare = if bare.contains('(') { bare } else { bare.trim_end_matches(['.', ')']) };
    let stopped = bare.trim_end_matches(['.', ':', '!', ';', '?', '。', '！', '？', ' ']);
    capitalized(&prose::cut(&without_us(stopped), MAX_TITLE_BYTES))
}

/// "Let's use X" as a title: "use X".
fn without_us(text: &str) -> Cow<'_, str> {
    let begins = |start: &&&str| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    let Some(start) = ["let's ", "let’s ", "lets ", "let us "].iter().find(begins) else {
        return text.into();
    };
    let rest = &text[start.len()..];
    match rest.get(..4) {
        Some(not) if not.eq_ignore_ascii_case("not ") => format!("Do not {}", &rest[4..]).into(),
        _ => rest.into(),
    }
}

#[cfg(test)]
mod tests;
