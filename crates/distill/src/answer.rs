//! What the agent answered in words: the first sentences of its last message that say something. Pleasantries,
//! questions back, offers, announcements, guesses and code are no answer; nothing is put into other words.

use crate::prose;
use crate::scene::Scene;
use crate::sentences::Sentence;
use crate::text::is_coined;

/// An answer stands at the beginning; what follows explains it.
const MAX_SENTENCES: usize = 3;
/// With so much said, the next sentence is left out.
const ENOUGH_BYTES: usize = 320;

/// Sentences no observation quotes. Where no event holds the agent's words, or they are not English, there are none.
pub(crate) fn answer(scene: &Scene<'_>, worked: bool) -> Vec<String> {
    // What was done is told by what was done.
    let told = |sentence: &Sentence| worked && prose::states_done(&sentence.text);
    let mut found: Vec<String> = Vec::new();
    for (_, sentence) in scene.free(|sentence| says_something(sentence) && !told(sentence)) {
        let said: usize = found.iter().map(String::len).sum();
        let full = said > 0 && said + sentence.text.len() > ENOUGH_BYTES;
        if full || found.len() >= MAX_SENTENCES {
            break;
        }
        found.push(sentence.text.clone());
    }
    found
}

fn says_something(sentence: &Sentence) -> bool {
    /// Fewer words are a remark, unless they name something.
    const MIN_WORDS: usize = 4;
    const PLEASANTRIES: &[&str] = &[
        "sure",
        "certainly",
        "of course",
        "absolutely",
        "great question",
        "good question",
        "great",
        "good catch",
        "perfect",
        "thanks",
        "thank you",
        "you're welcome",
        "you are welcome",
        "you're right",
        "you are right",
        "you're absolutely right",
        "sorry",
        "i apologize",
        "my apologies",
        "happy to",
        "glad to",
        "hope this",
        "i hope",
        "hello",
        "hi",
        "no problem",
        "understood",
        "got it",
        "sounds good",
    ];
    // What comes, what is offered and what was not done.
    const ANNOUNCED: &[&str] = &[
        "let me",
        "i'll",
        "i will",
        "i'm going to",
        "i am going to",
        "i can",
        "i could",
        "i'd be",
        "i would",
        "i did not",
        "i didn't",
        "i have not",
        "i haven't",
        "i have no",
        "i don't",
        "i do not",
        "i cannot",
        "i can't",
        "i need",
        "feel free",
        "if you",
        "do you",
        "would you",
        "just say",
        "just tell",
        "tell me",
        "please",
        "could you",
        "can you",
        "here is",
        "here's",
        "here are",
        "below is",
        "below are",
        "waiting for",
        "ready when",
    ];
    let lower = sentence.text.to_lowercase().replace('’', "'");
    let mut bare = lower.as_str();
    // "Sure, the limit is 25 MB" says something after the comma.
    let mut kind = true;
    while kind {
        kind = false;
        for word in PLEASANTRIES {
            if let Some(rest) =
                bare.strip_prefix(word).filter(|rest| !rest.starts_with(char::is_alphanumeric))
            {
                match rest.strip_prefix([',', ':', '—', '–', '-', '!', '.']) {
                    Some(rest) => bare = rest.trim_start(),
                    None => return false,
                }
                kind = true;
            }
        }
    }
    let begins = |opening: &str| {
        bare.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let words = bare.split_whitespace().count();
    let names = |text: &str| {
        text.split(|char: char| !crate::text::is_word(char))
            .any(|word| is_coined(word) || word.contains(|char: char| char.is_ascii_digit()))
    };
    (words >= MIN_WORDS || names(&sentence.text) && words > 0)
        && !bare.ends_with(['?', ':'])
        && !ANNOUNCED.iter().any(|opening| begins(opening))
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
