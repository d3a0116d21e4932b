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
        if character == Some('\u{fffd}') && length == 6 && !raw[at..at + 6].eq_ignore_ascii_case(b"\\ufffd") {
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

/// Length and meaning of the escape at `at`.
fn escape(raw: &[u8], at: usize) -> (usize, Option<char>) {
    let simple = match text::at(raw, at + 1) {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'"' => '"',
        b'/' => '/',
        b'\\' => '\\',
        b'u' => return unicode(raw, at),
        _ => return (1, None),
    };
    (2, Some(simple))
}

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

/// From positions in decoded text back to positions in the raw string.
pub(crate) struct Offsets {
    /// Decoded position after each escape, and the raw position after it; empty without escapes.
    after: Vec<(usize, usize)>,
}

impl Offsets {
    pub(crate) fn new(raw: &[u8], escaped: bool) -> Offsets {
        let mut after = Vec::new();
        if escaped {
            let mut from = 0;
            let mut decoded = 0;
            while let Some(found) = memchr::memchr(b'\\', &raw[from..]) {
                let at = from + found;
                let (length, character) = escape(raw, at);
                decoded += found;
                // The escape itself begins here, and ends there.
                after.push((decoded, at));
                decoded += character.map_or(1, char::len_utf8);
                from = at + length;
                after.push((decoded, from));
            }
        }
        Offsets { after }
    }

    pub(crate) fn raw(&self, start: usize, end: usize) -> (usize, usize) {
        (self.one(start), self.one(end))
    }

    fn one(&self, position: usize) -> usize {
        let next = self.after.partition_point(|&(decoded, _)| decoded <= position);
        match next.checked_sub(1).map(|last| self.after[last]) {
            Some((decoded, raw)) => raw + (position - decoded),
            None => position,
        }
    }
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
        let offsets = Offsets::new(raw, true);
        assert_eq!(offsets.raw(1, 2), (1, 7));
        assert_eq!(offsets.raw(3, 5), (9, 11));
    }
}
