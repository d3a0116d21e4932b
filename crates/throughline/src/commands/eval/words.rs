//! How much of one text stands in another, by runs of words. Knows nothing of memories or sessions.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Words in a run: long enough that two texts do not share it by chance.
const RUN: usize = 4;

/// What somebody said, to ask how much of a quotation stands in it.
#[derive(Debug, Default)]
pub(super) struct Spoken {
    /// All words, each between two spaces.
    words: String,
    runs: HashSet<u64>,
}

impl Spoken {
    /// No run spans two texts.
    pub(super) fn add(&mut self, text: &str) {
        let words = words(text);
        self.runs.extend(runs(&words));
        for word in words {
            self.words.push(' ');
            self.words.push_str(&word);
        }
        self.words.push_str(" \n");
    }

    /// The share of the quotation's runs that stand here; a quotation shorter than a run stands here as a whole or not.
    pub(super) fn share(&self, quotation: &str) -> f64 {
        let words = words(quotation);
        if words.is_empty() {
            return 0.0;
        }
        if words.len() < RUN {
            let whole = format!(" {} ", words.join(" "));
            return if self.words.contains(&whole) { 1.0 } else { 0.0 };
        }
        let (mut here, mut all) = (0_u32, 0_u32);
        for run in runs(&words) {
            all += 1;
            here += u32::from(self.runs.contains(&run));
        }
        f64::from(here) / f64::from(all)
    }
}

/// Letters, digits and underscores, in lower case. A sign of a script without spaces is a word by itself.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut open = String::new();
    for sign in text.chars() {
        let stands_alone = is_unspaced(sign);
        if stands_alone || !(sign.is_alphanumeric() || sign == '_') {
            if !open.is_empty() {
                words.push(std::mem::take(&mut open));
            }
            if stands_alone {
                words.push(sign.to_string());
            }
        } else {
            open.extend(sign.to_lowercase());
        }
    }
    if !open.is_empty() {
        words.push(open);
    }
    words
}

/// Kana and Chinese characters.
fn is_unspaced(sign: char) -> bool {
    matches!(sign, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

fn runs(words: &[String]) -> impl Iterator<Item = u64> + '_ {
    words.windows(RUN).map(|run| {
        let mut hasher = DefaultHasher::new();
        run.hash(&mut hasher);
        hasher.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_is_compared_by_its_runs_and_a_short_one_as_a_whole() {
        let mut said = Spoken::default();
        said.add("Please never deploy on a Friday, ask me first.");
        said.add("yes");
        assert!((said.share("Never deploy on a friday") - 1.0).abs() < f64::EPSILON);
        assert!(said.share("never deploy on a Monday morning at all") < 0.4);
        assert!((said.share("ask me") - 1.0).abs() < f64::EPSILON);
        assert!(said.share("sk me").abs() < f64::EPSILON);
        assert!(said.share("first yes").abs() < f64::EPSILON, "two texts are not one");
        assert!(said.share("…").abs() < f64::EPSILON);
    }

    #[test]
    fn a_script_without_spaces_has_words_too() {
        assert_eq!(words("每次都 run 测试"), ["每", "次", "都", "run", "测", "试"]);
    }
}
