//! What the agent answered in words: the first sentences of its last message that say something. Pleasantries,
//! questions back, offers, announcements, guesses and code are no answer; nothing is put into other words.

use crate::languages::{self, Section, says};
use crate::prose;
use crate::scene::Scene;
use crate::sentences::Sentence;
use crate::session::{is_label, is_status};
use crate::telling::{WORTH_A_LINE, telling};
use crate::text::{content_words, letters, names};
use crate::work::Piece;

/// What is told of an answer no observation quotes.
const MAX_SENTENCES: usize = 3;
/// The same in a conversation of few turns: each of them carries more of what is worth keeping.
const MAX_EARLY_SENTENCES: usize = 7;
const ENOUGH_EARLY_LETTERS: usize = 900;
/// With so many letters said, the next sentence is left out.
const ENOUGH_LETTERS: usize = 320;

/// Sentences no observation quotes: the first, which is the conclusion, and those that tell most, in their order. Where no
/// event holds the agent's words there are none.
pub(crate) fn answer(scene: &Scene<'_>, worked: bool, is_early: bool) -> Vec<String> {
    let (most, enough) =
        if is_early { (MAX_EARLY_SENTENCES, ENOUGH_EARLY_LETTERS) } else { (MAX_SENTENCES, ENOUGH_LETTERS) };
    // A point of a list that names a thing, and that something was handed on, answer nothing.
    let empty = |sentence: &Sentence| {
        let words = content_words(&sentence.text).len();
        sentence.bullet && (words < 3 || words < 6 && is_label(&sentence.text)) || is_status(&sentence.text)
    };
    // What was done is told by what was done.
    let told = |sentence: &Sentence| {
        let says_why = prose::states_cause(&sentence.text);
        worked && !says_why && (prose::states_done(&sentence.text) || telling(sentence) < WORTH_A_LINE)
    };
    let said = scene.free(|sentence| {
        says_something(sentence) && !is_receipt(&sentence.text) && !told(sentence) && !empty(sentence)
    });
    let first = said.first().filter(|(_, sentence)| !sentence.bullet).map(|(at, _)| *at);
    let mut ranked: Vec<(u32, usize, &Sentence)> = said
        .into_iter()
        .map(|(at, sentence)| (if Some(at) == first { u32::MAX } else { telling(sentence) }, at, sentence))
        .collect();
    // Where one sentence tells something, those that do not are left out.
    if ranked.iter().any(|(worth, ..)| (1..u32::MAX).contains(worth)) {
        ranked.retain(|(worth, ..)| *worth > 0);
    }
    ranked.sort_by_key(|(worth, at, _)| (std::cmp::Reverse(*worth), *at));
    let mut found: Vec<(usize, String)> = Vec::new();
    for (_, at, sentence) in ranked {
        let said: usize = found.iter().map(|(_, text)| letters(text)).sum();
        let full = said > 0 && said + letters(&sentence.text) > enough;
        if full || found.len() >= most {
            break;
        }
        found.push((at, sentence.text.clone()));
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, text)| text).collect()
}

/// The sentence the last words begin with, once what is polite, announced or a receipt is passed over, where it speaks
/// of a piece of work: the conclusion stands first, and lists come after it.
pub(crate) fn lead(scene: &Scene<'_>, piece: &Piece) -> Option<(usize, String)> {
    let (at, text) = first_told(scene).filter(|(at, _)| !scene.is_theirs(*at))?;
    // It may speak of all the work of the turn without a name; of several pieces it must name one.
    (scene.sorted.pieces.len() == 1 || scene.belongs(at, piece).is_some_and(|score| score > 0))
        .then_some((at, text))
}

/// The place and the words of that sentence, whatever it speaks of.
pub(crate) fn first_told(scene: &Scene<'_>) -> Option<(usize, String)> {
    /// What stands further down explains the conclusion.
    const FIRST: usize = 10;
    let said = scene.free(|sentence| !prose::states_next(sentence));
    said.into_iter().take_while(|(at, _)| *at < FIRST).find_map(|(at, sentence)| {
        let opens_list = sentence.text.ends_with(':');
        let lower = languages::lowered(prose::without_opening(&sentence.text)).into_owned();
        let done = languages::after(&lower, Section::Done).is_some();
        // "Added six tests covering:" is a conclusion with its list behind it; a point of a list is one if it was done.
        if (opens_list || sentence.bullet) && !done {
            return None;
        }
        let text = if opens_list { with_list(scene, at) } else { sentence.text.clone() };
        let told = Sentence { text, ..sentence.clone() };
        (says_something(&told) && !is_receipt(&told.text)).then_some((at, told.text))
    })
}

/// A sentence that ends in a colon, with what the first points behind it are about.
fn with_list(scene: &Scene<'_>, at: usize) -> String {
    const POINTS: usize = 3;
    let text = scene.said[at].text.trim_end_matches(':');
    let points =
        scene.said[at + 1..].iter().take_while(|sentence| sentence.bullet && !sentence.early).take(POINTS);
    let points: Vec<&str> = points
        .map(|point| {
            let end = [" - ", ": ", " – ", " — ", " ("].iter().filter_map(|mark| point.text.find(mark)).min();
            point.text[..end.unwrap_or(point.text.len())].trim()
        })
        .take_while(|point| point.len() <= 60)
        .collect();
    if points.is_empty() { text.to_owned() } else { format!("{text}: {}", points.join(", ")) }
}

/// That something is over, or how checks ended, says nothing to whoever was not there.
pub(crate) fn is_receipt(text: &str) -> bool {
    const SHORT: usize = 12;
    let is_over =
        |clause: &str| says(clause, Section::Verdict) || says(clause, Section::Receipt) && names(clause) == 0;
    // "The lexer handles tabs now; all tests pass" says something before it says that it is over.
    text.split_whitespace().count() <= SHORT && text.split(';').all(is_over)
}

fn says_something(sentence: &Sentence) -> bool {
    /// Fewer words are a remark, unless they name something.
    const MIN_WORDS: usize = 3;
    /// The same where no spaces stand between words.
    const MIN_SIGNS: usize = 10;
    let lower = languages::lowered(&sentence.text);
    let mut bare: &str = &lower;
    // "Sure, the limit is 25 MB" says something after the comma.
    while let Some(rest) = languages::after(bare, Section::Pleasantry) {
        let rest = rest.trim_start();
        match rest.strip_prefix([',', ':', '—', '–', '-', '!', '.', '，', '。', '！', '、']) {
            Some(rest) => bare = rest.trim_start(),
            None => return false,
        }
    }
    let words = bare.split_whitespace().count();
    let signs = if bare.is_ascii() { 0 } else { bare.chars().count() };
    let named = names(bare) > 0 || bare.contains(|char: char| char.is_ascii_digit());
    (words >= MIN_WORDS || signs >= MIN_SIGNS || named && words > 0)
        && !bare.ends_with(['?', ':', '？', '：'])
        && languages::after(bare, Section::Announce).is_none()
        && !prose::states_next(sentence)
        && !prose::guesses(&sentence.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentences::sentences;

    fn said(text: &str) -> Vec<String> {
        sentences(text).into_iter().filter(says_something).map(|sentence| sentence.text).collect()
    }

    #[test]
    fn an_answer_is_told_from_a_pleasantry_an_offer_a_guess_and_a_question_back() {
        for nothing in [
            "Sure!",
            "Great question.",
            "You're right, sorry.",
            "Thanks for the report on this one.",
            "Let me know if you want me to change the limit.",
            "I'll look at the exporter next and report back.",
            "Which of the two exporters do you mean?",
            "It is probably the cache in front of the gateway.",
            "I did not change anything in the repository.",
            "Here is the part of the configuration that sets it:",
            "Nothing much.",
            "```\nlimit = 25 MB of anything you like\n```",
        ] {
            assert_eq!(said(nothing), [""; 0], "{nothing}");
        }
        for something in [
            "Sure, the limit is 25 MB.",
            "Port 8080.",
            "No, the exporter drops the last row.",
            "The limit is 25 MB; a larger body would be refused with 413.",
        ] {
            assert_eq!(said(something), [something], "{something}");
        }
    }
}
