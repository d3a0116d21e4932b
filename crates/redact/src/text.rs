//! Byte-level reading shared by the scanners: classes, lines, blanks and terminal colors.
//! Judges nothing; whoever asks whether something is a secret is in the wrong room.

/// How far a scanner looks back for the start of a line. Longer lines are bundles or data, where the
/// start of the line says nothing about the assignment at hand.
pub(crate) const LINE_LOOKBACK: usize = 256;

pub(crate) const DIGIT: u8 = 1;
pub(crate) const LOWER: u8 = 2;
pub(crate) const UPPER: u8 = 4;
pub(crate) const HEX: u8 = 8;
/// `_`, `-` and `.`: what joins the words of a name.
pub(crate) const JOINER: u8 = 16;
/// Ends an unquoted value.
pub(crate) const STOP: u8 = 32;
/// Space and tab.
pub(crate) const BLANK: u8 = 64;
/// `+`, `/` and `=`: the rest of base64.
pub(crate) const BASE64: u8 = 128;

pub(crate) const ALPHA: u8 = LOWER | UPPER;
pub(crate) const ALNUM: u8 = ALPHA | DIGIT;
pub(crate) const NAME: u8 = ALNUM | JOINER;

pub(crate) static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut byte = 0usize;
    while byte < 256 {
        let b = byte as u8;
        let mut class = 0;
        if b.is_ascii_digit() {
            class |= DIGIT | HEX;
        }
        if b.is_ascii_lowercase() {
            class |= LOWER;
        }
        if b.is_ascii_uppercase() {
            class |= UPPER;
        }
        if matches!(b, b'a'..=b'f' | b'A'..=b'F') {
            class |= HEX;
        }
        if matches!(b, b'_' | b'-' | b'.') {
            class |= JOINER;
        }
        if matches!(b, b'+' | b'/' | b'=') {
            class |= BASE64;
        }
        if matches!(b, b' ' | b'\t') {
            class |= BLANK;
        }
        if b <= b' '
            || b == 0x7f
            || matches!(b, b'"' | b'\'' | b'`' | b',' | b';' | b'&' | b'|' | b'<' | b'>' | b')' | b'}' | b']')
        {
            class |= STOP;
        }
        table[byte] = class;
        byte += 1;
    }
    table
}

#[inline]
pub(crate) fn is(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// The byte at `at`, or 0 past either end.
#[inline]
pub(crate) fn at(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

/// The byte before `at`, or 0 at the start.
#[inline]
pub(crate) fn before(text: &[u8], at: usize) -> u8 {
    if at == 0 { 0 } else { text[at - 1] }
}

#[inline]
pub(crate) fn starts_with(text: &[u8], from: usize, word: &[u8]) -> bool {
    text.get(from..from + word.len()) == Some(word)
}

#[inline]
pub(crate) fn starts_with_folded(text: &[u8], from: usize, word: &[u8]) -> bool {
    text.get(from..from + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word))
}

/// True when `needle` (given in lower case) occurs in `text`, letter case ignored.
pub(crate) fn contains_folded(text: &[u8], needle: &[u8]) -> bool {
    let Some((&first, _)) = needle.split_first() else { return true };
    let Some(last) = text.len().checked_sub(needle.len()) else { return false };
    let starts = memchr::memchr2_iter(first, first.to_ascii_uppercase(), &text[..=last]);
    starts.into_iter().any(|at| text[at..at + needle.len()].eq_ignore_ascii_case(needle))
}

/// Which letters occur, as bits: case ignored, and what is no letter shares a bit with one. What occurs in
/// `text` has all its bits in it.
pub(crate) const fn letters(text: &[u8]) -> u32 {
    let mut letters = 0;
    let mut at = 0;
    while at < text.len() {
        letters |= 1 << (text[at] & 31);
        at += 1;
    }
    letters
}

pub(crate) fn count(text: &[u8], byte: u8) -> usize {
    memchr::memchr_iter(byte, text).count()
}

/// First position at or after `from` whose byte is not of `class`, bounded by `limit` bytes.
#[inline]
pub(crate) fn run_end(text: &[u8], from: usize, class: u8, limit: usize) -> usize {
    let end = text.len().min(from.saturating_add(limit));
    let mut at = from.min(text.len());
    while at < end && is(text[at], class) {
        at += 1;
    }
    at
}

/// Start of the run of `class` that ends just before `at`, bounded by `limit` bytes.
#[inline]
pub(crate) fn run_start(text: &[u8], at: usize, class: u8, limit: usize) -> usize {
    let floor = at.saturating_sub(limit);
    let mut start = at;
    while start > floor && is(text[start - 1], class) {
        start -= 1;
    }
    start
}

/// First position at or after `from` whose byte is not `byte`, bounded by `limit` bytes.
pub(crate) fn run_end_of(text: &[u8], from: usize, byte: u8, limit: usize) -> usize {
    let end = text.len().min(from.saturating_add(limit));
    let mut at = from.min(text.len());
    while at < end && text[at] == byte {
        at += 1;
    }
    at
}

/// Start of the run of `byte` that ends just before `at`, bounded by `limit` bytes.
pub(crate) fn run_start_of(text: &[u8], at: usize, byte: u8, limit: usize) -> usize {
    let floor = at.saturating_sub(limit);
    let mut start = at;
    while start > floor && text[start - 1] == byte {
        start -= 1;
    }
    start
}

/// Start of the line holding `at`, or the lookback bound if the line starts further away.
pub(crate) fn line_start(text: &[u8], at: usize) -> usize {
    let floor = at.saturating_sub(LINE_LOOKBACK);
    memchr::memrchr(b'\n', &text[floor..at]).map_or(floor, |found| floor + found + 1)
}

/// End of the line holding `from` (the newline is not included), looking at most `limit` bytes ahead.
pub(crate) fn line_end(text: &[u8], from: usize, limit: usize) -> usize {
    let ceiling = text.len().min(from.saturating_add(limit));
    let end = memchr::memchr(b'\n', &text[from..ceiling]).map_or(ceiling, |found| from + found);
    if end > from && text[end - 1] == b'\r' { end - 1 } else { end }
}

/// Length of the terminal color sequence at `at`, as the real escape byte; 0 when there is none.
pub(crate) fn color_len(text: &[u8], at: usize) -> usize {
    if self::at(text, at) != 0x1b || self::at(text, at + 1) != b'[' {
        return 0;
    }
    let mut end = at + 2;
    while end < text.len() && end < at + 24 {
        let byte = text[end];
        end += 1;
        if (0x40..=0x7e).contains(&byte) {
            return end - at;
        }
    }
    0
}

/// Skips spaces, tabs and terminal colors.
pub(crate) fn skip_blank(text: &[u8], from: usize, limit: usize) -> usize {
    let ceiling = text.len().min(from.saturating_add(limit));
    let mut at = from;
    while at < ceiling {
        if is(text[at], BLANK) {
            at += 1;
        } else {
            let color = color_len(text, at);
            if color == 0 {
                break;
            }
            at += color;
        }
    }
    at.min(text.len())
}

/// A token may begin at `at`: the byte before it is no part of a longer word. The `n` of an escaped
/// line break, the `m` of a terminal color and the digits of a percent escape are no such part.
pub(crate) fn begins_token(text: &[u8], at: usize) -> bool {
    let previous = before(text, at);
    if !is(previous, ALNUM) {
        return true;
    }
    if matches!(previous, b'n' | b'r' | b't') && at >= 2 && text[at - 2] == b'\\' {
        return true;
    }
    if previous == b'm' {
        let start = run_start(text, at - 1, DIGIT, 8);
        return matches!(before(text, start), b'[' | b';');
    }
    at >= 3 && text[at - 3] == b'%' && is(text[at - 2], HEX) && is(previous, HEX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_begins_after_escapes_and_colors() {
        assert!(begins_token(b"x=abc", 2));
        assert!(begins_token(b"\\nabc", 2));
        assert!(begins_token(b"\x1b[32mabc", 5));
        assert!(begins_token(b"%3Dabc", 3));
        assert!(!begins_token(b"xabc", 1));
    }

    #[test]
    fn a_color_is_a_blank() {
        assert_eq!(skip_blank(b" \x1b[0m x", 0, 64), 6);
    }
}
