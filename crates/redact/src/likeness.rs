//! Tells words from keys by how surprising the letters are. Knows nothing of names or context:
//! the same string may be a password beside `password=` and a part number elsewhere.

use crate::bigram::{SURPRISE, SYMBOLS};
use crate::text::{self, DIGIT, HEX, LOWER, UPPER};

/// Enough of a value to judge it; the rest of a long one is more of the same.
const JUDGED_BYTES: usize = 160;

/// What a value is made of, gathered in one pass.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Shape {
    pub len: usize,
    pub lower: usize,
    pub upper: usize,
    pub digits: usize,
    /// `_`, `-` and `.`.
    pub joiners: usize,
    /// Printable and none of the above.
    pub symbols: usize,
    pub spaces: usize,
    pub foreign: usize,
    /// All letters and digits are hexadecimal.
    pub hex: bool,
    /// Changes between letters and digits.
    pub flips: usize,
    /// A lower-case letter followed by an upper-case one, or two upper-case then lower: `aB`, `ABc`.
    pub humps: usize,
    /// Mean surprise of neighboring characters, in bits.
    pub surprise: f32,
}

impl Shape {
    pub(crate) fn of(value: &[u8]) -> Shape {
        let judged = &value[..value.len().min(JUDGED_BYTES)];
        let mut shape = Shape { len: value.len(), hex: true, ..Shape::default() };
        let mut sum = 0u32;
        let mut previous = 0u8;
        for (index, &byte) in judged.iter().enumerate() {
            let class = text::CLASS[byte as usize];
            if class & LOWER != 0 {
                shape.lower += 1;
            } else if class & UPPER != 0 {
                shape.upper += 1;
            } else if class & DIGIT != 0 {
                shape.digits += 1;
            } else if class & text::JOINER != 0 {
                shape.joiners += 1;
            } else if byte == b' ' || byte == b'\t' {
                shape.spaces += 1;
            } else if byte.is_ascii_graphic() {
                shape.symbols += 1;
            } else {
                shape.foreign += 1;
            }
            if class & text::ALNUM != 0 && class & HEX == 0 {
                shape.hex = false;
            }
            if index > 0 {
                sum += u32::from(SURPRISE[symbol(previous)][symbol(byte)]);
                let was = text::CLASS[previous as usize];
                if (was & DIGIT != 0 && class & text::ALPHA != 0)
                    || (was & text::ALPHA != 0 && class & DIGIT != 0)
                {
                    shape.flips += 1;
                }
                if was & LOWER != 0 && class & UPPER != 0 {
                    shape.humps += 1;
                }
            }
            previous = byte;
        }
        shape.hex &= shape.joiners == 0 && shape.symbols == 0 && shape.spaces == 0 && shape.foreign == 0;
        shape.surprise = if judged.len() < 2 { 0.0 } else { sum as f32 / 16.0 / (judged.len() - 1) as f32 };
        shape
    }

    pub(crate) fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// Reads like a word, an identifier or a phrase.
    pub(crate) fn is_wordy(&self) -> bool {
        self.surprise < 4.75 && self.flips <= 2
    }

    /// A string nobody would type or name: a key, a digest, a token.
    pub(crate) fn is_opaque(&self) -> bool {
        if self.len < 8 || self.spaces > 0 || self.foreign > 0 || self.letters() == 0 {
            return false;
        }
        if self.hex {
            let one_case = self.lower == 0 || self.upper == 0;
            return self.len >= 16 && (one_case || self.len >= 32) && self.digits >= 2 && self.letters() >= 2;
        }
        let judged = self.len.min(JUDGED_BYTES);
        let mixed = self.upper > 0 && self.lower > 0;
        // Letters and digits that keep changing places are nobody's words, however common each pair is.
        let restless = if self.len >= 24 { 3.2 } else { 4.2 };
        if self.len >= 16 && self.flips * 5 >= judged && self.surprise > restless {
            return true;
        }
        let floor = match self.len {
            32.. => 5.0,
            20..32 => 5.05,
            12..20 => 5.15,
            _ => 5.3,
        };
        // A random string of this length nearly always has a digit; a rare word never does.
        let varied = match self.len {
            24.. => self.digits > 0 || mixed && self.humps >= 3 || self.surprise > 5.9,
            16..24 => self.digits > 0 || mixed && self.humps >= 3,
            12..16 => self.digits > 0 && self.flips >= 2 || mixed && self.humps >= 3 && self.surprise > 5.5,
            _ => self.digits > 1 && self.flips >= 2 && self.letters() > 1,
        };
        varied && self.surprise >= floor
    }
}

fn symbol(byte: u8) -> usize {
    let symbol = match byte {
        b'a'..=b'z' => byte - b'a',
        b'A'..=b'Z' => byte - b'A',
        b'0'..=b'9' => 26,
        _ => 27,
    } as usize;
    debug_assert!(symbol < SYMBOLS);
    symbol
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_identifiers_are_wordy() {
        for word in [
            "password",
            "getUserName",
            "x86_64-unknown-linux-gnu",
            "correct horse battery",
            "OAuth2AccessToken",
        ] {
            assert!(Shape::of(word.as_bytes()).is_wordy(), "{word}");
            assert!(!Shape::of(word.as_bytes()).is_opaque(), "{word}");
        }
    }

    #[test]
    fn keys_and_digests_are_opaque() {
        for key in
            ["9f86d081884c7d659a2feaa0c55ad015", "Xk29vQmZ7LpR4tYw", "kJ8s-2Lq_9XvBn4Zt0PaRw", "b0tq7zkx19vm"]
        {
            assert!(Shape::of(key.as_bytes()).is_opaque(), "{key}");
        }
    }
}
