//! A second look at the best candidates: how much of the question a text says, in the very words and in words that
//! mean nearly the same. Reads texts, not an index, and so only the few that are already ahead. How much a word
//! weighs and what it is like are brought by whoever asks.

use std::collections::HashMap;

use crate::analyze::MAX_TERM;
use crate::fold;
use crate::stem::stem;
use crate::stop::is_stop;

/// Words of a question that are looked for; a page of text has its subject among the first of them.
const MAX_ASKED: usize = 24;
/// Words of a text that are read; the rest is more of the same.
const MAX_READ: usize = 100;

/// Calls `each` with the words of a text as they are written, but for capitals and marks, up to `limit` of them.
fn each_form(texts: [&str; 2], limit: usize, each: &mut dyn FnMut(&str)) {
    let mut form = String::new();
    let words = texts.into_iter().flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric()));
    for word in words.filter(|word| !word.is_empty() && word.len() <= MAX_TERM).take(limit) {
        form.clear();
        word.chars().for_each(|letter| fold::push(letter, &mut form));
        each(&form);
    }
}

/// A word of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub form: String,
    /// As the index files it.
    pub term: String,
    /// What it tells; see [`weight`].
    pub weight: f32,
}

/// The distinct words of a question, all of the same weight.
pub fn asked(text: &str) -> Vec<Asked> {
    let mut asked: Vec<Asked> = Vec::new();
    each_form([text, ""], MAX_READ, &mut |form| {
        if asked.len() < MAX_ASKED && !is_stop(form) && asked.iter().all(|word| word.form != form) {
            let mut term = form.to_owned();
            stem(&mut term);
            asked.push(Asked { form: form.to_owned(), term, weight: 1.0 });
        }
    });
    asked
}

/// What a word tells that is in about `holding` of `memories`: the rarer, the more.
pub fn weight(memories: u64, holding: u64) -> f32 {
    // A word that was not counted is in a few.
    const UNCOUNTED: f32 = 8.0;
    (memories as f32 / (holding as f32 + UNCOUNTED)).ln_1p()
}

/// What a text has of a question: shares between 0 and 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Look {
    /// In the very words.
    pub exact: f32,
    /// In the words that are most like them.
    pub alike: f32,
}

/// How like a word is to each word of the question, in their order; those that are left out are like nothing but
/// themselves.
pub type Likeness<'a> = dyn FnMut(&str) -> Vec<f32> + 'a;

/// Reads one text after another for the same question.
pub struct Reader<'a> {
    asked: &'a [Asked],
    total: f32,
    likeness: &'a mut Likeness<'a>,
    /// By word: its place in the question, and its likeness. Texts about one thing share most of their words.
    known: HashMap<String, (Option<usize>, Vec<f32>)>,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl<'a> Reader<'a> {
    pub fn new(asked: &'a [Asked], likeness: &'a mut Likeness<'a>) -> Self {
        let total = asked.iter().map(|word| word.weight).sum();
        Self { asked, total, likeness, known: HashMap::new() }
    }

    pub fn look(&mut self, texts: [&str; 2]) -> Look {
        if self.total <= 0.0 {
            return Look::default();
        }
        let mut exact = vec![0.0_f32; self.asked.len()];
        let mut alike = vec![0.0_f32; self.asked.len()];
        let Self { asked, likeness, known, .. } = self;
        each_form(texts, MAX_READ, &mut |form| {
            if !known.contains_key(form) {
                let at = asked.iter().position(|word| word.form == form);
                let likeness = if is_stop(form) { Vec::new() } else { likeness(form) };
                known.insert(form.to_owned(), (at, likeness));
            }
            let (at, likeness) = &known[form];
            if let Some(at) = at {
                (exact[*at], alike[*at]) = (1.0, 1.0);
            }
            for (best, value) in alike.iter_mut().zip(likeness) {
                *best = best.max(*value);
            }
        });
        let share = |values: &[f32]| {
            let held: f32 = self.asked.iter().zip(values).map(|(word, value)| word.weight * value).sum();
            held / self.total
        };
        Look { exact: share(&exact), alike: share(&alike) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(question: &str, text: &str) -> Look {
        let asked = asked(question);
        let mut likeness = |word: &str| -> Vec<f32> {
            asked.iter().map(|asked| if asked.form[..1] == word[..1] { 0.5 } else { 0.0 }).collect()
        };
        Reader::new(&asked, &mut likeness).look([text, ""])
    }

    #[test]
    fn the_very_words_count_more_than_their_stems() {
        assert!((look("cached tokens", "The tokens are cached.").exact - 1.0).abs() < 1e-6);
        assert!((look("cached tokens", "a token in the cache").exact).abs() < 1e-6);
        assert!((look("cached tokens", "tokens").exact - 0.5).abs() < 1e-6);
    }

    #[test]
    fn words_that_mean_the_same_count_as_far_as_they_do() {
        assert!((look("cached tokens", "cats tackle").alike - 0.5).abs() < 1e-6);
        assert!((look("cached tokens", "cats").alike - 0.25).abs() < 1e-6);
        assert!((look("cached tokens", "").alike).abs() < 1e-6);
    }

    #[test]
    fn a_rare_word_tells_more_and_a_question_of_nothing_finds_nothing() {
        assert!(weight(10_000, 0) > weight(10_000, 500) && weight(10_000, 500) > weight(10_000, 9_000));
        assert!(weight(0, 0) >= 0.0);
        assert_eq!(look("", "anything"), Look::default());
        assert_eq!(look("the of and", "the of and"), Look::default());
    }

    #[test]
    fn only_so_many_words_are_read() {
        let text = (0..10_000).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let mut read = 0;
        each_form([&text, &text], MAX_READ, &mut |_| read += 1);
        assert_eq!((read, asked(&text).len()), (MAX_READ, MAX_ASKED));
    }
}
