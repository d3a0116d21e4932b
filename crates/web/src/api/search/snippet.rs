//! The part of a text that answers a question: where most of its words stand closest together. Plain text, one line;
//! how search itself reads words is not known here.

/// Characters of a snippet, its signs that something is missing included: two lines of a list.
pub(super) const MAX_CHARS: usize = 240;
/// Of a text that is looked at; what stands behind it is found by opening the memory.
const MAX_BYTES: usize = 16 << 10;
/// Characters before the first word that was asked for, so that it is read in its sentence.
const BEFORE: usize = 60;
/// Words of a question that are looked for.
const MAX_WORDS: usize = 32;
/// Shorter words are in every text.
const LEAST_CHARS: usize = 3;
/// What two words must begin with to be one in two forms.
const STEM_CHARS: usize = 4;
/// Letters in which two forms of one word may differ.
const ENDING_CHARS: usize = 4;

/// The words of a question.
#[derive(Debug)]
pub(super) struct Words(Vec<String>);

impl Words {
    pub(super) fn of(question: &str) -> Self {
        let mut words = Vec::new();
        for word in question.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase) {
            let counts = word.chars().count() >= LEAST_CHARS
                || word.chars().any(|c| c.is_ascii_digit() || !c.is_ascii());
            if counts && !word.is_empty() && !words.contains(&word) && words.len() < MAX_WORDS {
                words.push(word);
            }
        }
        Self(words)
    }

    pub(super) fn snippet(&self, text: &str) -> String {
        let text = one_line(&text[..text.floor_char_boundary(MAX_BYTES)]);
        let chars: Vec<char> = text.chars().collect();
        if chars.len() <= MAX_CHARS {
            return text;
        }
        let start = self.best(&chars);
        let end = (start + MAX_CHARS).min(chars.len());
        let mut part: String = chars[start..end].iter().collect();
        // The signs take the place of what they stand for; a word is not cut where it can be helped.
        if start > 0 {
            let from = part.char_indices().nth(1).map_or(0, |(at, _)| at);
            let from = part[from..].find(' ').filter(|to| *to < BEFORE).map_or(from, |to| from + to + 1);
            part = format!("…{}", &part[from..]);
        }
        if end < chars.len() {
            let last = part.char_indices().next_back().map_or(0, |(at, _)| at);
            let to = part[..last].rfind(' ').filter(|to| last - to < BEFORE).unwrap_or(last);
            part = format!("{}…", &part[..to]);
        }
        part
    }

    /// Where the window begins that holds most of the words; of several the first.
    fn best(&self, chars: &[char]) -> usize {
        let met = self.met(chars);
        let reach = MAX_CHARS - BEFORE;
        let (mut best, mut most) = (0, 0);
        for (at, (from, _)) in met.iter().enumerate() {
            let within = met[at..].iter().take_while(|(place, _)| place - from < reach);
            let mut words: Vec<usize> = within.map(|(_, word)| *word).collect();
            words.sort_unstable();
            words.dedup();
            if words.len() > most {
                (best, most) = (*from, words.len());
            }
        }
        // At the end of the text the window is full all the same.
        best.saturating_sub(BEFORE).min(chars.len().saturating_sub(MAX_CHARS))
    }

    /// Where words of the question stand, and which.
    fn met(&self, chars: &[char]) -> Vec<(usize, usize)> {
        let mut met = Vec::new();
        let mut at = 0;
        for word in chars.split(|c| !c.is_alphanumeric()) {
            let lower: String = word.iter().flat_map(|c| c.to_lowercase()).collect();
            if let Some(number) = self.0.iter().position(|wanted| is_form_of(wanted, &lower)) {
                met.push((at, number));
            }
            at += word.len() + 1;
        }
        met
    }
}

/// The same word, or another form of it: `failed` and `failing`, `token` and `tokens`.
fn is_form_of(wanted: &str, word: &str) -> bool {
    if wanted == word {
        return true;
    }
    let shared = wanted.chars().zip(word.chars()).take_while(|(one, other)| one == other).count();
    let longest = wanted.chars().count().max(word.chars().count());
    shared >= STEM_CHARS && longest - shared < ENDING_CHARS
}

/// Words with one space between them, without what nobody sees.
fn one_line(text: &str) -> String {
    let clean = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    clean.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(question: &str, text: &str) -> String {
        let snippet = Words::of(question).snippet(text);
        assert!(snippet.chars().count() <= MAX_CHARS, "{snippet}");
        snippet
    }

    #[test]
    fn a_short_text_is_its_own_snippet_on_one_line() {
        assert_eq!(snippet("x", " Use uv,\n\talways.\u{7} "), "Use uv, always.");
        assert_eq!(snippet("", ""), "");
    }

    #[test]
    fn a_long_text_is_shown_where_most_of_the_words_stand() {
        let text = format!(
            "A token is named once. {} The refresh of tokens failed at night. {}",
            "Nothing to see here. ".repeat(40),
            "And so on. ".repeat(40)
        );
        let shown = snippet("why did token refresh fail", &text);
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert!(shown.contains("The refresh of tokens failed at night."), "{shown}");
    }

    #[test]
    fn without_a_word_in_common_it_is_the_beginning() {
        let text = "größe ".repeat(200);
        let shown = snippet("something else", &text);
        assert!(shown.starts_with("größe größe") && shown.ends_with('…'), "{shown}");
    }

    #[test]
    fn the_end_of_a_text_and_a_text_without_spaces_are_shown_whole_to_the_last_sign() {
        let text = format!("{}needle", "hay ".repeat(300));
        assert!(snippet("needle", &text).ends_with("needle"));
        let wall = "é".repeat(5000);
        assert_eq!(snippet("needle", &wall).chars().count(), MAX_CHARS);
        assert_eq!(snippet("é", &"é".repeat(MAX_CHARS)).chars().count(), MAX_CHARS);
    }

    #[test]
    fn forms_of_a_word_are_met_and_other_words_are_not() {
        for (wanted, word) in [("token", "tokens"), ("failed", "failing"), ("größe", "größen")] {
            assert!(is_form_of(wanted, word), "{wanted} {word}");
        }
        for (wanted, word) in [("test", "testament"), ("port", "part"), ("use", "used")] {
            assert!(!is_form_of(wanted, word), "{wanted} {word}");
        }
    }
}
