//! What a person orders for more than the moment, in their words. Every sentence of theirs is judged by the words of its
//! language, which stand in `orders/LANG.txt` for speakers to correct: an order holds from now on, a wish may hold. A task, a
//! question, a report of how things are and what belongs to the moment are neither; what is in doubt is left out.

mod language;
mod sayings;

use std::borrow::Cow;

use language::{Language, Section};

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

/// The orders and wishes in what a person said, in their order; `said` holds their own words only.
pub(crate) fn orders(said: &str) -> Vec<Order> {
    let of_text = language::of(said);
    let wishing = said.len() <= MAX_WISHING_BYTES && !said.lines().any(|line| line.starts_with('#'));
    let mut found: Vec<Order> = Vec::new();
    let mut left = MAX_SAYINGS;
    for paragraph in sayings::paragraphs(said) {
        // The last sentence was kept, so that the next one may go on with it.
        let mut open = 0;
        let whole = paragraph.sentences.join(" ");
        let foreign = !paragraph.listed && whole.len() > MIN_VOICELESS_BYTES && !speaks(&whole, of_text);
        for sentence in paragraph.sentences.iter().take(left) {
            let language = language::of_sentence(sentence, of_text);
            let judged = judge(sentence, language).filter(|(force, remembered)| match force {
                Force::Wish => wishing && !foreign,
                Force::Order => *remembered || !foreign || begins_firmly(sentence, language),
            });
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
fn judge(sentence: &str, language: &Language) -> Option<(Force, bool)> {
    let lower = language::plain(sentence);
    let bare = language.without_openings(&lower);
    // A sign before a sentence is how a program writes it.
    if !language.is_enough(bare)
        || !bare.starts_with(|first: char| first.is_alphanumeric() || "`\"'“«¿¡@/.".contains(first))
    {
        return None;
    }
    let asks = sentence.trim_end().ends_with(['?', '？']);
    if let Some(rest) = language.begins(Section::Remember, bare) {
        let told = asks || language.begins(Section::Report, bare).is_some();
        return (!told && language.is_enough(rest)).then_some((Force::Order, true));
    }
    if asks || language.begins(Section::Question, bare).is_some() {
        // "Could you always …?" is an order that is polite.
        let rest = language.begins(Section::Request, bare)?;
        if language.begins_task(rest) {
            return None;
        }
        let wanted = [Section::Standing, Section::Choice]
            .iter()
            .any(|section| language.finds(*section, rest).is_some());
        return wanted.then_some((Force::Wish, false));
    }
    let outer = &without_asides(bare);
    if language.finds(Section::Moment, outer).is_some() || language.finds(Section::Report, bare).is_some() {
        return None;
    }
    if language.finds(Section::Standing, bare).is_some() {
        return Some((Force::Order, false));
    }
    if language.begins_task(bare) || language.finds(Section::Telling, bare).is_some() {
        return None;
    }
    let firm = language.finds(Section::Choice, outer).or_else(|| language.finds(Section::Forbidding, outer));
    if let Some(rest) = firm {
        let at_hand = language.points_before(outer, rest) || language.points(rest, outer);
        return (!at_hand).then_some((Force::Order, false));
    }
    let unwished = language.finds(Section::Unwished, outer);
    let rest = unwished.or_else(|| language.finds(Section::Wish, outer))?;
    let task = unwished.is_none() && language.is_task(rest, outer);
    // "And it shouldn't be" does not say what.
    let at_hand = unwished.is_some_and(|rest| language.points(rest, outer) || !rest.trim().contains(' '));
    let passing = task || at_hand || language.points_before(outer, rest) || language.points_last(outer, rest);
    (!passing && bare.len() <= MAX_WISH_BYTES).then_some((Force::Wish, false))
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
            ')' | '）' => depth = depth.saturating_sub(1),
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
