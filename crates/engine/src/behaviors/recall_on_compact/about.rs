//! What a conversation is about: its words that come again, the later ones first. Pure, and for asking only: it may
//! hold what was never redacted.

use std::collections::HashMap;

use model::{HandOff, Memory, Said, Speaker};
use recall::Query;

use crate::page::one_line;

/// Words that stand for a conversation.
const MAX_WORDS: usize = 40;
/// Those that are asked for beside what was said last.
const ASKED: usize = 16;
/// A shorter word is in every other text.
const LEAST_LETTERS: usize = 3;
/// Characters of what was said last by each side, word for word: a model that reads sentences wants one.
const MAX_SAID: usize = 300;

#[derive(Debug, Default)]
pub(super) struct About {
    /// Stemmed, most telling first.
    words: Vec<String>,
    last: Vec<String>,
}

impl About {
    pub(super) fn conversation(said: &[Said]) -> Self {
        let texts: Vec<&str> = said.iter().map(|one| one.text.as_str()).collect();
        let last = [Speaker::Person, Speaker::Agent]
            .iter()
            .filter_map(|by| said.iter().rev().find(|one| one.by == *by))
            .map(|one| one_line(&one.text, MAX_SAID));
        Self { words: words(&texts), last: last.collect() }
    }

    pub(super) fn hand_off(hand_off: &HandOff) -> Self {
        let HandOff { written, goal, next, tail, done, decisions, .. } = hand_off;
        let mut texts: Vec<&str> = tail.iter().map(|one| one.text.as_str()).collect();
        texts.extend(done.iter().chain(decisions).chain(next).map(String::as_str));
        texts.extend(goal.as_deref().into_iter().chain(written.as_deref()));
        let last = goal.iter().chain(next.first()).map(|text| one_line(text, MAX_SAID));
        Self { words: words(&texts), last: last.collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// What search is asked. No sign of ours is left that it could take for a filter.
    pub(super) fn question(&self) -> String {
        let words = self.words.iter().take(ASKED).map(String::as_str);
        let said = self.last.iter().map(String::as_str);
        said.chain(words).collect::<Vec<_>>().join(" ").replace([':', '"', '`'], " ")
    }

    /// How many of the conversation's words a memory holds.
    pub(super) fn in_common(&self, memory: &Memory) -> usize {
        let text = format!("{}\n{}\n{}", memory.title, memory.text, memory.facts.join("\n"));
        let held: std::collections::HashSet<String> = Query::read(&text, 0).words.into_iter().collect();
        self.words.iter().filter(|word| held.contains(*word)).count()
    }
}

/// In how many of the texts a word is, the later ones counting up to twice.
fn words(texts: &[&str]) -> Vec<String> {
    let mut counts: HashMap<String, f32> = HashMap::new();
    for (at, text) in texts.iter().enumerate() {
        let weight = 1.0 + (at + 1) as f32 / texts.len() as f32;
        for word in Query::read(text, 0).words {
            let says_something =
                word.chars().count() >= LEAST_LETTERS && !word.bytes().all(|byte| byte.is_ascii_digit());
            if says_something {
                *counts.entry(word).or_default() += weight;
            }
        }
    }
    let mut words: Vec<(String, f32)> = counts.into_iter().collect();
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    words.truncate(MAX_WORDS);
    words.into_iter().map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_again_and_late_says_what_it_is_about() {
        let said = |by, text: &str| Said { by, text: text.into() };
        let about = About::conversation(&[
            said(Speaker::Person, "rename the button in the header"),
            said(Speaker::Agent, "Renamed the button."),
            said(Speaker::Person, "now the invoice export: kind:bugfix fails on umlauts"),
            said(Speaker::Agent, "The invoice export writes Latin-1 where the umlauts need UTF-8."),
        ]);
        let first: Vec<&str> = about.words.iter().take(3).map(String::as_str).collect();
        assert!(first.contains(&"invoic") && first.contains(&"export"), "{first:?}");
        let question = about.question();
        assert!(question.starts_with("now the invoice export") && !question.contains(':'), "{question}");
        assert!(About::conversation(&[]).is_empty());
    }
}
