//! Text to word pieces, as BERT's uncased tokenizer does it: control characters dropped, accents stripped, lower
//! case, punctuation and CJK ideographs alone, longest piece first. One difference, on purpose: the marks of a model
//! (`[SEP]`, `[CLS]`) written in a text are text, so that nobody's sentence can end another's. Knows no numbers of
//! vectors; reads a bounded part of any text.

use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::vocabulary::{Place, Vocabulary};

/// The part of a text that is read at most. Far more than 256 pieces of any language; it bounds the work on a
/// megabyte of blanks.
pub const MAX_TEXT: usize = 64 * 1024;

/// The reference calls a longer word unknown instead of cutting it up.
const MAX_WORD_CHARS: usize = 100;

/// Appends at most `limit` pieces of `text` to `pieces`; a word that cannot be spelled becomes `unknown`, or
/// nothing when there is no such piece.
pub(crate) fn tokenize(
    vocabulary: &Vocabulary,
    unknown: Option<u32>,
    text: &str,
    limit: usize,
    pieces: &mut Vec<u32>,
) {
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let full = pieces.len() + limit;
    let mut words = Words { vocabulary, unknown, full, word: String::new(), chars: 0, pieces };
    for character in text.chars() {
        if words.pieces.len() >= full {
            return;
        }
        words.read(character);
    }
    words.end();
}

/// The word being read, and what the words before it became.
struct Words<'a> {
    vocabulary: &'a Vocabulary,
    unknown: Option<u32>,
    full: usize,
    word: String,
    chars: usize,
    pieces: &'a mut Vec<u32>,
}

impl Words<'_> {
    fn read(&mut self, character: char) {
        if character.is_ascii() {
            return self.read_ascii(character);
        }
        if character.is_whitespace() {
            return self.end();
        }
        if is_dropped(character) {
            return;
        }
        let alone = is_ideograph(character);
        if alone {
            self.end();
        }
        decompose_canonical(character, |part| {
            if part.general_category() != GeneralCategory::NonspacingMark {
                for lower in part.to_lowercase() {
                    self.keep(lower);
                }
            }
        });
        if alone {
            self.end();
        }
    }

    fn read_ascii(&mut self, character: char) {
        match character {
            // The reference drops control characters before it looks for blanks, so vertical tab and form feed vanish
            // where a tab would part two words.
            ' ' | '\t' | '\n' | '\r' => self.end(),
            _ if character.is_ascii_control() => {}
            _ => self.keep(character.to_ascii_lowercase()),
        }
    }

    /// Takes a folded character into the word, or alone if it is punctuation.
    fn keep(&mut self, character: char) {
        if is_punctuation(character) {
            self.end();
            self.push(character);
            self.end();
        } else if character.is_whitespace() {
            self.end();
        } else {
            self.push(character);
        }
    }

    /// A word past the bound is unknown whatever follows, so it is counted and no longer kept.
    fn push(&mut self, character: char) {
        self.chars += 1;
        if self.chars <= MAX_WORD_CHARS {
            self.word.push(character);
        }
    }

    fn end(&mut self) {
        if self.chars == 0 {
            return;
        }
        let start = self.pieces.len();
        if self.chars > MAX_WORD_CHARS || !self.spell() {
            self.pieces.truncate(start);
            self.pieces.extend(self.unknown);
        }
        self.pieces.truncate(self.full);
        self.word.clear();
        self.chars = 0;
    }

    fn spell(&mut self) -> bool {
        let mut rest = self.word.as_str();
        let mut place = Place::Start;
        while !rest.is_empty() {
            let Some((piece, length)) = self.vocabulary.longest_match(place, rest) else { return false };
            self.pieces.push(piece);
            rest = &rest[length..];
            place = Place::Inside;
        }
        true
    }
}

/// Control and format characters, and those of private use; a code point without a meaning yet is kept.
fn is_dropped(character: char) -> bool {
    character == char::REPLACEMENT_CHARACTER
        || (character.general_category_group() == GeneralCategoryGroup::Other
            && character.general_category() != GeneralCategory::Unassigned)
}

fn is_punctuation(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_punctuation();
    }
    character.general_category_group() == GeneralCategoryGroup::Punctuation
}

/// The blocks the reference sets apart. Japanese kana and Korean hangul are not among them: they are written in
/// words there.
fn is_ideograph(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x20000..=0x2A6DF
            | 0x2A700..=0x2B73F
            | 0x2B740..=0x2B81F
            | 0x2B820..=0x2CEAF
            | 0xF900..=0xFAFF
            | 0x2F800..=0x2FA1F
    )
}
