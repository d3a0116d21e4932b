//! The escapes of JSON strings, undone and redone, and the way back from decoded text to raw.
//! Knows strings only; what they hold and where they stand is `json`'s affair.

use crate::text;

/// Undoes the escapes of a JSON string. Returns the lone surrogates found, which are no text.
pub(crate) fn decode(raw: &[u8], plain: &mut Vec<u8>) -> Vec<(usize, usize)> {
    plain.clear();
    plain.reserve(raw.len());
    let mut lone = Vec::new();
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'\\', &raw[from..]) {
        let at = from + found;
        plain.extend_from_slice(&raw[from..at]);
        let (length, character) = escape(raw, at);
        if character.is_some_and(|character| is_lone(raw, at, length, character)) {
            lone.push((at, at + length));
        }
        match character {
            Some(character) => plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            // Not JSON after all (a cut-off text): the backslash is itself.
            None => plain.push(b'\\'),
        }
        from = at + length;
    }
    plain.extend_from_slice(&raw[from..]);
    lone
}

/// The escape at `at` is half of a pair, read as the character that stands for what is none.
fn is_lone(raw: &[u8], at: usize, length: usize, character: char) -> bool {
    character == '\u{fffd}' && length == 6 && !raw[at..at + 6].eq_ignore_ascii_case(b"\\ufffd")
}

/// Length and meaning of the escape at `at`.
fn escape(raw: &[u8], at: usize) -> (usize, Option<char>) {
    match text::at(raw, at + 1) {
        b'u' => unicode(raw, at),
        letter => match SIMPLE[letter as usize] {
            0 => (1, None),
            byte => (2, Some(byte as char)),
        },
    }
}

/// What the letter behind a backslash stands for; 0 where it is no escape of one letter.
static SIMPLE: [u8; 256] = {
    let mut table = [0; 256];
    let pairs = *b"n\nt\tr\rb\x08f\x0c\"\"//\\\\";
    let mut at = 0;
    while at < pairs.len() {
        table[pairs[at] as usize] = pairs[at + 1];
        at += 2;
    }
    table
};

fn unicode(raw: &[u8], at: usize) -> (usize, Option<char>) {
    let unit = |from: usize| {
        let digits = std::str::from_utf8(raw.get(from..from + 4)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    let Some(high) = unit(at + 2) else { return (1, None) };
    if (0xd800..0xdc00).contains(&high)
        && text::starts_with(raw, at + 6, b"\\u")
        && let Some(low) = unit(at + 8).filter(|low| (0xdc00..0xe000).contains(low))
    {
        let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        return (12, char::from_u32(code));
    }
    (6, Some(char::from_u32(high).unwrap_or('\u{fffd}')))
}

/// A string of a JSON text as `read` found it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strung {
    /// Where its closing quote stands.
    pub end: usize,
    /// How much decoded text there is; without escapes there is none, for the raw text is it.
    pub plain: Option<usize>,
}

/// Room behind decoded text, so that eight bytes can always be written.
const SLACK: usize = 8;

/// Reads the JSON string that begins at `start`, behind its quote, and undoes its escapes into `plain` on the
/// way: finding the end, refusing control characters and copying are one pass. Adds the lone surrogates to
/// `lone`, counted from `start`. `None` when it is no string of JSON.
pub(crate) fn read(
    text: &[u8],
    start: usize,
    plain: &mut Vec<u8>,
    lone: &mut Vec<(usize, usize)>,
) -> Option<Strung> {
    let mut at = start;
    while let Some(eight) = eight_at(text, at) {
        let stops = stops(eight);
        if stops != 0 {
            at += stops.trailing_zeros() as usize / 8;
            break;
        }
        at += 8;
    }
    while !is_stop(*text.get(at)?) {
        at += 1;
    }
    if text[at] == b'"' {
        return Some(Strung { end: at, plain: None });
    }
    // No string further on is longer than what is left from here, so this is done once.
    let most = text.len() - start + SLACK;
    if plain.is_empty() {
        *plain = vec![0; most];
    } else if plain.len() < most {
        plain.resize(most, 0);
    }
    let mut length = at - start;
    plain[..length].copy_from_slice(&text[start..at]);
    loop {
        match text.get(at)? {
            b'"' => return Some(Strung { end: at, plain: Some(length) }),
            b'\\' => {}
            _ => return None,
        }
        let simple = SIMPLE[text::at(text, at + 1) as usize];
        if simple == 0 {
            let digits = text.get(at + 2..at + 6)?;
            if text[at + 1] != b'u' || !digits.iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            let (raw, character) = unicode(text, at);
            let character = character?;
            if is_lone(text, at, raw, character) {
                lone.push((at - start, at + raw - start));
            }
            length += character.encode_utf8(&mut plain[length..]).len();
            at += raw;
        } else {
            plain[length] = simple;
            length += 1;
            at += 2;
        }
        while let Some(eight) = eight_at(text, at) {
            plain[length..length + 8].copy_from_slice(&eight.to_le_bytes());
            let stops = stops(eight);
            let passed = if stops == 0 { 8 } else { stops.trailing_zeros() as usize / 8 };
            at += passed;
            length += passed;
            if stops != 0 {
                break;
            }
        }
        while !is_stop(*text.get(at)?) {
            plain[length] = text[at];
            length += 1;
            at += 1;
        }
    }
}

fn eight_at(text: &[u8], at: usize) -> Option<u64> {
    let eight = text.get(at..at + 8)?;
    Some(u64::from_le_bytes(eight.try_into().ok()?))
}

/// What ends a run of plain text in a JSON string: its quote, an escape, or a byte that may not stand there.
fn is_stop(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}

/// The highest bit of each of eight bytes that is a stop. The lowest bit set is right; those above it may come
/// of a borrow.
fn stops(eight: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let quote = eight ^ (ONES * u64::from(b'"'));
    let slash = eight ^ (ONES * u64::from(b'\\'));
    let control = eight.wrapping_sub(ONES * 0x20) & !eight;
    ((quote.wrapping_sub(ONES) & !quote) | (slash.wrapping_sub(ONES) & !slash) | control) & HIGHS
}

/// From positions in decoded text back to positions in the raw string, asked for in their order.
#[derive(Debug)]
pub(crate) struct Offsets<'r> {
    raw: &'r [u8],
    /// Up to here both are known, here in the raw text and there in the decoded.
    at: usize,
    decoded: usize,
    /// The next escape at or behind `at`, or the end.
    next: usize,
}

impl<'r> Offsets<'r> {
    pub(crate) fn new(raw: &'r [u8], escaped: bool) -> Offsets<'r> {
        let next = if escaped { next_escape(raw, 0) } else { raw.len() };
        Offsets { raw, at: 0, decoded: 0, next }
    }

    pub(crate) fn raw(&mut self, start: usize, end: usize) -> (usize, usize) {
        (self.one(start), self.one(end))
    }

    fn one(&mut self, position: usize) -> usize {
        if position < self.decoded {
            *self = Offsets::new(self.raw, true);
        }
        while self.next < self.raw.len() {
            let begins = self.decoded + (self.next - self.at);
            if begins > position {
                break;
            }
            let (length, character) = escape(self.raw, self.next);
            let ends = begins + character.map_or(1, char::len_utf8);
            if ends > position {
                return self.next + (position - begins);
            }
            self.at = self.next + length;
            self.decoded = ends;
            self.next = next_escape(self.raw, self.at);
        }
        self.at + (position - self.decoded)
    }
}

fn next_escape(raw: &[u8], from: usize) -> usize {
    memchr::memchr(b'\\', &raw[from..]).map_or(raw.len(), |found| from + found)
}

/// Writes `text` as the inside of a JSON string.
pub(crate) fn write_escaped(text: &str, json: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    for &byte in text.as_bytes() {
        match byte {
            b'"' => json.extend_from_slice(b"\\\""),
            b'\\' => json.extend_from_slice(b"\\\\"),
            b'\n' => json.extend_from_slice(b"\\n"),
            b'\r' => json.extend_from_slice(b"\\r"),
            b'\t' => json.extend_from_slice(b"\\t"),
            0..0x20 => json.extend_from_slice(&[
                b'\\',
                b'u',
                b'0',
                b'0',
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 15)],
            ]),
            _ => json.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_through_escapes() {
        let raw = br"a\u0041\nbc";
        let mut plain = Vec::new();
        decode(raw, &mut plain);
        assert_eq!(plain, b"aA\nbc");
        let mut offsets = Offsets::new(raw, true);
        assert_eq!(offsets.raw(1, 2), (1, 7));
        assert_eq!(offsets.raw(3, 5), (9, 11));
        assert_eq!(offsets.raw(1, 2), (1, 7), "asked again, against the order");
    }

    #[test]
    fn a_string_is_read_as_it_is_decoded() {
        for inside in [
            "",
            "plain",
            "exactly8",
            "longer than eight bytes",
            r"\n",
            r#"a\"b\\c"#,
            r"\u00e9\ud83d\ude00 \ud800 x",
            r"0123456\n89abcdef\t",
            "é→x",
        ] {
            let text = format!("{inside}\" and \"more\"");
            let (mut plain, mut lone) = (Vec::new(), Vec::new());
            let strung = read(text.as_bytes(), 0, &mut plain, &mut lone).unwrap();
            assert_eq!(strung.end, inside.len(), "{inside}");
            let mut decoded = Vec::new();
            assert_eq!(decode(inside.as_bytes(), &mut decoded), lone, "{inside}");
            assert_eq!(strung.plain.is_some(), inside.contains('\\'), "{inside}");
            if let Some(length) = strung.plain {
                assert_eq!(plain[..length], decoded, "{inside}");
            }
        }
        for other in ["", "open", "a\nb\"", "\\x\"", "\\u12\"", "\\u12g4\"", "0123456\u{1}8\"", "\\\"", "\\"]
        {
            assert!(read(other.as_bytes(), 0, &mut Vec::new(), &mut Vec::new()).is_none(), "{other:?}");
        }
    }
}
