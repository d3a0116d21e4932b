//! English words without their endings, by Porter's rules of 1980: "searching", "searched" and "searches" are one
//! term. Other scripts and anything with a digit pass as they are; a wrong stem costs little, because question and
//! text are stemmed alike.

use crate::irregular::plain;

/// Shorter words have no ending worth the risk; longer ones are no words.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=40;

/// Cuts the ending off in place.
pub(crate) fn stem(word: &mut String) {
    if !LENGTHS.contains(&word.len()) || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    if let Some(plain) = plain(word) {
        plain.clone_into(word);
    }
    let mut letters = Word(std::mem::take(word).into_bytes());
    letters.plural();
    letters.past();
    letters.final_y();
    letters.first_found(STEP_2, 1);
    letters.first_found(STEP_3, 1);
    letters.step_4();
    letters.step_5();
    *word = String::from_utf8(letters.0).expect("ASCII letters were put in");
}

const STEP_2: &[(&[u8], &[u8])] = &[
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"izer", b"ize"),
    (b"abli", b"able"),
    (b"alli", b"al"),
    (b"entli", b"ent"),
    (b"eli", b"e"),
    (b"ousli", b"ous"),
    (b"ization", b"ize"),
    (b"ation", b"ate"),
    (b"ator", b"ate"),
    (b"alism", b"al"),
    (b"iveness", b"ive"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"aliti", b"al"),
    (b"iviti", b"ive"),
    (b"biliti", b"ble"),
];

const STEP_3: &[(&[u8], &[u8])] = &[
    (b"icate", b"ic"),
    (b"ative", b""),
    (b"alize", b"al"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ful", b""),
    (b"ness", b""),
];

const STEP_4: &[&[u8]] = &[
    b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent", b"ion",
    b"ou", b"ism", b"ate", b"iti", b"ous", b"ive", b"ize",
];

struct Word(Vec<u8>);

impl Word {
    fn consonant(&self, at: usize) -> bool {
        match self.0[at] {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => at == 0 || !self.consonant(at - 1),
            _ => true,
        }
    }

    /// How often a vowel is followed by a consonant in the first `end` letters.
    fn measure(&self, end: usize) -> usize {
        let mut pairs = 0;
        let mut vowel = false;
        for at in 0..end {
            let consonant = self.consonant(at);
            pairs += usize::from(vowel && consonant);
            vowel = !consonant;
        }
        pairs
    }

    fn has_vowel(&self, end: usize) -> bool {
        (0..end).any(|at| !self.consonant(at))
    }

    /// The length without the ending, if the word has it.
    fn before(&self, ending: &[u8]) -> Option<usize> {
        self.0.ends_with(ending).then(|| self.0.len() - ending.len())
    }

    fn doubled(&self) -> bool {
        let end = self.0.len();
        end >= 2 && self.0[end - 1] == self.0[end - 2] && self.consonant(end - 1)
    }

    /// Consonant, vowel, consonant at the end, and the last is none of w, x, y.
    fn short_end(&self, end: usize) -> bool {
        end >= 3
            && self.consonant(end - 3)
            && !self.consonant(end - 2)
            && self.consonant(end - 1)
            && !matches!(self.0[end - 1], b'w' | b'x' | b'y')
    }

    fn plural(&mut self) {
        if self.0.ends_with(b"sses") || self.0.ends_with(b"ies") {
            self.0.truncate(self.0.len() - 2);
        } else if self.0.ends_with(b"s") && !self.0.ends_with(b"ss") {
            self.0.pop();
        }
    }

    fn past(&mut self) {
        if let Some(end) = self.before(b"eed") {
            if self.measure(end) > 0 {
                self.0.pop();
            }
            return;
        }
        let Some(end) = self.before(b"ed").or_else(|| self.before(b"ing")).filter(|end| self.has_vowel(*end))
        else {
            return;
        };
        self.0.truncate(end);
        if [&b"at"[..], b"bl", b"iz"].iter().any(|ending| self.0.ends_with(ending)) {
            self.0.push(b'e');
        } else if self.doubled() && !matches!(self.0[end - 1], b'l' | b's' | b'z') {
            self.0.pop();
        } else if self.measure(end) == 1 && self.short_end(end) {
            self.0.push(b'e');
        }
    }

    fn final_y(&mut self) {
        if let Some(end) = self.before(b"y").filter(|end| self.has_vowel(*end)) {
            self.0[end] = b'i';
        }
    }

    /// The first ending of the list that the word has is replaced, if enough is left before it.
    fn first_found(&mut self, endings: &[(&[u8], &[u8])], least: usize) {
        for (ending, instead) in endings {
            if let Some(end) = self.before(ending) {
                if self.measure(end) >= least {
                    self.0.truncate(end);
                    self.0.extend_from_slice(instead);
                }
                return;
            }
        }
    }

    fn step_4(&mut self) {
        // The longest that fits decides, so that "ement" is not taken for "ent".
        let longest =
            STEP_4.iter().filter(|ending| self.0.ends_with(ending)).max_by_key(|ending| ending.len());
        let Some(end) = longest.map(|ending| self.0.len() - ending.len()) else { return };
        let allowed = longest.is_none_or(|ending| ending != b"ion")
            || end.checked_sub(1).is_some_and(|last| matches!(self.0[last], b's' | b't'));
        if allowed && self.measure(end) > 1 {
            self.0.truncate(end);
        }
    }

    fn step_5(&mut self) {
        if let Some(end) = self.before(b"e") {
            let measure = self.measure(end);
            if measure > 1 || (measure == 1 && !self.short_end(end)) {
                self.0.pop();
            }
        }
        if self.0.ends_with(b"ll") && self.measure(self.0.len() - 1) > 1 {
            self.0.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        let mut word = word.to_owned();
        stem(&mut word);
        word
    }

    #[test]
    fn an_irregular_form_is_its_plain_word() {
        for (form, word) in
            [("bought", "buying"), ("met", "meets"), ("written", "writes"), ("chosen", "choose")]
        {
            assert_eq!(stemmed(form), stemmed(word));
        }
    }

    #[test]
    fn endings_fall_as_porter_says() {
        for (word, expected) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("motoring", "motor"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("relational", "relat"),
            ("conditional", "condit"),
            ("vietnamization", "vietnam"),
            ("triplicate", "triplic"),
            ("hopefulness", "hope"),
            ("replacement", "replac"),
            ("adoption", "adopt"),
            ("rate", "rate"),
            ("controlling", "control"),
            ("searches", "search"),
        ] {
            assert_eq!(stemmed(word), expected, "{word}");
        }
    }

    #[test]
    fn what_is_no_english_word_stays() {
        for word in ["as", "e0382", "straße", "東京", "", "sing2s"] {
            assert_eq!(stemmed(word), word);
        }
    }
}
