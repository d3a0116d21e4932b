//! What the agent said between two calls and is worth keeping: why something is so, what was found, what would surprise.
//! "Found it! The default is 0, which waits for ever." is said once, in the middle of a turn, and often nowhere else.
//! What is about to be done, what is guessed and what the last words say again is left out.

use model::{Said, Speaker};

use crate::languages::{self, Section, says};
use crate::prose;
use crate::sentences::{Sentence, sentences};
use crate::telling::is_guess;
use crate::text::{capitalized, names, says_again};

/// What is read of all that was said in a turn; the newest counts.
const MAX_READ_BYTES: usize = 96 * 1024;
/// Sentences kept of a turn, the most telling ones.
const MAX_KEPT: usize = 8;
/// Less is a remark.
const LEAST_BYTES: usize = 30;
/// What a sentence must be worth to be kept.
const WORTH: u32 = 5;

struct Found {
    message: usize,
    worth: u32,
    text: String,
}

/// The telling sentences of a turn before its last words, oldest first, without those that `last` says again.
pub(crate) fn early(said: &[Said], last: &[Sentence]) -> Vec<Sentence> {
    let mut read = 0_usize;
    let newest = said.iter().rev().filter(|one| one.by == Speaker::Agent).take_while(|one| {
        read = read.saturating_add(one.text.len());
        read <= MAX_READ_BYTES
    });
    let messages: Vec<&Said> = newest.collect();
    let mut found: Vec<Found> = Vec::new();
    for (message, one) in messages.iter().rev().enumerate() {
        listen(message, &one.text, &mut found);
    }
    found.retain(|one| !last.iter().any(|sentence| says_again(&one.text, &sentence.text)));
    // Said twice, the later wording is the one that was thought over.
    let mut kept: Vec<Found> = Vec::new();
    for one in found.into_iter().rev().take(8 * MAX_KEPT) {
        if !kept.iter().any(|later| says_again(&one.text, &later.text)) {
            kept.push(one);
        }
    }
    kept.sort_by_key(|one| std::cmp::Reverse(one.worth));
    kept.truncate(MAX_KEPT);
    kept.sort_by_key(|one| one.message);
    let sentence =
        |one: Found| Sentence { text: one.text, heading: String::new(), bullet: false, early: true };
    kept.into_iter().map(sentence).collect()
}

fn listen(message: usize, text: &str, found: &mut Vec<Found>) {
    /// Said by whoever takes back what was said before.
    const TAKEN_BACK: &[&str] = &["wait", "hmm", "actually", "my mistake", "that's wrong", "i was wrong"];
    let mut aha = false;
    for (at, sentence) in sentences(text).iter().enumerate() {
        let lower = languages::lowered(&sentence.text);
        if at == 0 && TAKEN_BACK.iter().any(|words| lower.starts_with(words)) {
            found.retain(|one| one.message + 1 != message || names(&one.text) == 0);
        }
        let (bare, opened) = without_aha(&sentence.text);
        // "Found it!" says that the next sentence tells something.
        if bare.is_empty() {
            aha |= opened;
            continue;
        }
        let worth = worth(bare, names(&sentence.text), aha || opened);
        aha = false;
        if worth >= WORTH {
            // Where it was seen stays, if nothing else says what it speaks of.
            let text = if names(bare) > 0 { bare } else { sentence.text.as_str() };
            let text =
                ["I'll ", "I’ll ", "I will "].iter().find_map(|will| text.strip_prefix(will)).unwrap_or(text);
            found.push(Found { message, worth, text: capitalized(text.trim_end_matches(':')) });
        }
    }
}

/// A sentence behind "I see the issue -" and its kin, and whether it had such a beginning; empty where that was all.
fn without_aha(text: &str) -> (&str, bool) {
    let lower = languages::lowered(text);
    // The two are cut at the same place only where small letters are as long as large ones.
    if lower.len() != text.len() {
        return (text, false);
    }
    // "Looking at `push.go`, the branch is never set up": where it was seen is shown by what was read.
    if lower.starts_with("looking at") {
        let comma = text.find(", ").filter(|at| *at < 90);
        return comma.map_or((text, false), |at| (text[at + 2..].trim_start(), false));
    }
    // "I see that `close` never flushes": what was seen is the finding.
    const SEEN: &[&str] =
        &["i see that ", "i can see that ", "i notice that ", "i see ", "i can see ", "i notice "];
    if let Some(start) = SEEN
        .iter()
        .find(|start| lower.starts_with(**start) && languages::after(&lower, Section::Aha).is_none())
    {
        return (&text[start.len()..], false);
    }
    let aha = languages::after(&lower, Section::Aha);
    let Some(rest) = aha.or_else(|| languages::after(&lower, Section::Pleasantry)) else {
        return (text, false);
    };
    let behind = rest.trim_start_matches([' ', '-', '—', '–', ',', ':', '.', '!', '…', '，', '。', '！']);
    let dashed = [" - ", " — ", " – "].iter().any(|dash| rest.starts_with(dash));
    let separated = behind.len() < rest.len() && !rest.starts_with([' ', '-']) || dashed;
    if behind.is_empty() {
        return ("", aha.is_some());
    }
    if separated { (&text[text.len() - behind.len()..], aha.is_some()) } else { (text, false) }
}

/// How much a sentence tells; nothing where it announces, guesses, asks or names nothing.
fn worth(text: &str, named: usize, aha: bool) -> u32 {
    const STEPS: &[&str] = &[
        "let me",
        "let's",
        "i'll",
        "i will",
        "i need",
        "i should",
        "i want",
        "we need to",
        "i can see",
        "i'm going to",
    ];
    const POINTING: &[&str] =
        &["this", "that", "it", "these", "those", "they", "so", "which", "and", "then", "also"];
    let lower = languages::lowered(text);
    let first = lower.split(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
    // "I'll use `now()` here, since the interface has no clock": what was chosen, and why.
    let chosen = ["i'll use ", "i'll keep ", "i will use ", "i will keep "]
        .iter()
        .any(|start| lower.starts_with(start))
        && prose::any(&lower, &["because", "since", "so that", "to avoid", "rather than", "instead of"]);
    if chosen && named > 0 && !text.ends_with([':', '?']) {
        return WORTH;
    }
    let introduces = text.ends_with(':') && !(aha && says(&lower, Section::Gotcha));
    if text.len() < LEAST_BYTES
        || named == 0
        || introduces
        || is_guess(&lower)
        || prose::any(&lower, STEPS)
        || languages::after(&lower, Section::Announce).is_some()
        || says(&lower, Section::Verdict)
        || prose::states_done(text)
        || POINTING.contains(&first)
    {
        return 0;
    }
    let points = |section: Section, points: u32| if says(&lower, section) { points } else { 0 };
    points(Section::Cause, 4)
        + points(Section::Root, 2)
        + points(Section::Finding, 3)
        + points(Section::Gotcha, 2)
        + if aha { 4 } else { 0 }
        + named.min(3) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(texts: &[&str], last: &str) -> Vec<String> {
        let said: Vec<Said> =
            texts.iter().map(|text| Said { by: Speaker::Agent, text: (*text).to_owned() }).collect();
        early(&said, &sentences(last)).into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn a_cause_between_two_calls_is_told_from_what_comes_next() {
        for (said, kept) in [
            (
                "Found it! The default of `close_timeout` is 0, which waits for ever. Let me fix this:",
                "The default of `close_timeout` is 0, which waits for ever.",
            ),
            (
                "I see the issue - `read_row` wraps the error and loses its type.",
                "`read_row` wraps the error and loses its type.",
            ),
            (
                "The upload fails because `retry_limit` is read before the file is loaded.",
                "The upload fails because `retry_limit` is read before the file is loaded.",
            ),
            (
                "I'll use `now_utc` in the loader, since the trait has no clock.",
                "Use `now_utc` in the loader, since the trait has no clock.",
            ),
            (
                "Interesting. I see `read_row` never checks the length, because `limit` is not set.",
                "`read_row` never checks the length, because `limit` is not set.",
            ),
            (
                "Нашёл! Функция `read_row` никогда не закрывает файл.",
                "Функция `read_row` никогда не закрывает файл.",
            ),
        ] {
            assert_eq!(heard(&[said], ""), [kept], "{said}");
        }
        for nothing in [
            "Let me look at `read_row` because the test fails.",
            "Now I'll update `retry_limit` in the loader.",
            "I see the issue.",
            "It is probably caused by `retry_limit` being read too early.",
            "Now I have a clear picture of `loader.rs`.",
            "I need to update both tests because `read_row` has changed.",
            "All tests of `loader.rs` pass now.",
            "The issue is that it does not work.",
        ] {
            assert_eq!(heard(&[nothing], ""), [""; 0], "{nothing}");
        }
    }

    #[test]
    fn the_last_wording_wins_and_what_is_taken_back_is_gone() {
        let early = "The upload fails because `retry_limit` is read before the configuration file.";
        let last = "Root cause: the upload failed because `retry_limit` is read before the configuration file is there.";
        assert_eq!(heard(&[early], last), [""; 0]);
        assert_eq!(heard(&[early, "Wait, `retry_limit` is fine. Let me look again."], ""), [""; 0]);
    }
}
