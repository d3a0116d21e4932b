//! Whether a JSON document has come to its end, told while it arrives: brackets are counted, strings are stepped over, and
//! every byte is looked at once. Not a JSON parser: what is whole may still be nonsense, and whoever judges it finds out.

/// How far a document has come. Bytes are given in the order they arrive, in pieces of any size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    depth: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Before the first bracket: white space, and the mark some systems put in front of UTF-8.
    #[default]
    Start,
    /// Something else came first. Nobody knows where such bytes end.
    NoDocument,
    /// Outside of strings.
    Between,
    String,
    /// Behind a backslash in a string.
    Escape,
    /// The bracket that opened the document is closed.
    Whole,
}

impl Shape {
    /// Takes the next piece. What comes behind the end changes nothing.
    pub fn read(&mut self, piece: &[u8]) {
        let mut rest = piece;
        loop {
            if self.state == State::String {
                rest = skip_plain(rest);
            }
            let Some((byte, after)) = rest.split_first() else { return };
            rest = after;
            self.state = match (self.state, byte) {
                (State::Whole | State::NoDocument, _) => return,
                (State::Start, b' ' | b'\t' | b'\n' | b'\r' | 0xef | 0xbb | 0xbf) => State::Start,
                (State::Start, b'{' | b'[') => {
                    self.depth = 1;
                    State::Between
                }
                (State::Start, _) => State::NoDocument,
                (State::Between, b'"') | (State::Escape, _) => State::String,
                (State::Between, b'{' | b'[') => {
                    self.depth = self.depth.saturating_add(1);
                    State::Between
                }
                (State::Between, b'}' | b']') => {
                    let is_last = self.depth == 1;
                    self.depth = self.depth.saturating_sub(1);
                    if is_last { State::Whole } else { State::Between }
                }
                (State::String, b'"') => State::Between,
                (State::String, b'\\') => State::Escape,
                (state, _) => state,
            };
        }
    }

    /// True once the object or list is closed that the input begins with. Anything else has no end but that of the input.
    pub const fn is_whole(&self) -> bool {
        matches!(self.state, State::Whole)
    }
}

/// Without the bytes of a string up to its next quote or backslash, eight at a time: nearly all of a large envelope.
fn skip_plain(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let Some((eight, after)) = rest.split_first_chunk::<8>() {
        let eight = u64::from_le_bytes(*eight);
        let found = zero_bytes(eight ^ QUOTES) | zero_bytes(eight ^ BACKSLASHES);
        if found != 0 {
            return rest.get((found.trailing_zeros() >> 3) as usize..).unwrap_or_default();
        }
        rest = after;
    }
    rest
}

const ONES: u64 = u64::MAX / 255;
const QUOTES: u64 = ONES * b'"' as u64;
const BACKSLASHES: u64 = ONES * b'\\' as u64;

/// The highest bit of every byte that is zero; those above the first of them may be wrong.
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENTS: &[&str] = &[
        "{}",
        "[]",
        r#" {"a":"}","b":["]","\"}","\\",{"c":"é\u00e9 and a longer text; with } and \" in it"}],"d":1}"#,
        r#"{"tool_input":{"command":"echo \"}\"; echo '{' ]"},"x":[[[{}]]]}"#,
    ];

    fn end(text: &[u8], pieces: usize) -> Option<usize> {
        let mut shape = Shape::default();
        let mut read = 0;
        for piece in text.chunks(pieces) {
            shape.read(piece);
            read += piece.len();
            if shape.is_whole() {
                return Some(read);
            }
        }
        None
    }

    #[test]
    fn a_document_is_whole_at_its_last_byte_and_never_before() {
        for text in DOCUMENTS {
            for pieces in 1..=text.len() {
                let found = end(text.as_bytes(), pieces).unwrap_or(0);
                assert!(found == text.len(), "{text} in pieces of {pieces}: {found}");
            }
            for cut in 0..text.len() {
                let mut shape = Shape::default();
                shape.read(text.get(..cut).unwrap_or_default().as_bytes());
                assert!(!shape.is_whole(), "{text} cut at {cut}");
            }
        }
    }

    #[test]
    fn what_has_no_bracket_never_ends_and_what_follows_changes_nothing() {
        for text in
            ["", "7", "null", "\"{}\"", "}", "]]", "\u{feff}", "x{}", "1 []", "\0[]", "{\"a\":\"\\\"}", "[{]"]
        {
            assert_eq!(end(text.as_bytes(), 1), None, "{text}");
        }
        assert_eq!(end(b"{} {\"b\"", 1), Some(2));
        assert_eq!(end(b"\xef\xbb\xbf{}\n", 1), Some(5));
    }

    #[test]
    fn quotes_and_backslashes_are_found_at_every_place_of_a_word() {
        for at in 0..40 {
            for (byte, tail) in [(b'"', &b"]"[..]), (b'\\', b"\"\"]")] {
                let mut text = [b'x'; 48];
                text[0] = b'[';
                text[1] = b'"';
                text[2 + at] = byte;
                for (slot, byte) in text.iter_mut().skip(3 + at).zip(tail) {
                    *slot = *byte;
                }
                assert_eq!(end(&text, 1), Some(3 + at + tail.len()));
                assert!(end(&text, 48).is_some());
            }
        }
    }
}
