//! Where a value ends: where its container ends, by the container's own grammar. And the shapes that are
//! somebody's identifier. Whether a value *is* a secret depends on the name beside it, which the callers know.

use crate::likeness::Shape;
use crate::text::{self, ALNUM, ALPHA, DIGIT, NAME, STOP};

/// Longer than any credential that is not a key file; a longer run is data.
pub(crate) const LONGEST_VALUE: usize = 4096;

/// A value as it stands in the text, without its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    pub start: usize,
    pub end: usize,
    pub quoted: bool,
}

/// How an unquoted value ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// At a blank or any punctuation that closes things.
    Punctuation,
    /// At a blank or a quote: a command line, text in a string.
    Blank,
    /// At a blank only: a line of a file of settings, where quotes inside a value are part of it.
    Line,
    /// At a semicolon or the end of the string: a connection string.
    Pair,
    /// At `&`, `#` or the end of the address: a field of a query.
    Query,
}

impl Ending {
    fn closes(self, byte: u8) -> bool {
        let blank = byte <= b' ' || byte == 0x7f;
        let quote = matches!(byte, b'"' | b'\'' | b'`');
        match self {
            Ending::Punctuation => text::is(byte, STOP),
            Ending::Blank => blank || quote,
            Ending::Line => blank,
            Ending::Pair => blank || quote || byte == b';',
            Ending::Query => blank || quote || matches!(byte, b'&' | b'#' | b'<' | b'>'),
        }
    }
}

/// Reads the value at `from`, after blanks were skipped.
pub(crate) fn read(text: &[u8], from: usize, ending: Ending) -> Option<Value> {
    let mut at = from;
    // Prefixes of string literals: r"…", b"…", f"…", @"…", L"…", u8"…".
    if text::is(text::at(text, at), ALPHA) || matches!(text::at(text, at), b'@' | b'$') {
        let next = text::at(text, at + 1);
        if matches!(text[at], b'r' | b'b' | b'f' | b'u' | b'L' | b'@' | b'$' | b'R' | b'N' | b'E')
            && matches!(next, b'"' | b'\'')
        {
            at += 1;
        }
    }
    let slashes = text::run_end_of(text, at, b'\\', 8) - at;
    let quote = text::at(text, at + slashes);
    if matches!(quote, b'"' | b'\'' | b'`') {
        return Some(quoted(text, at + slashes, slashes, quote));
    }
    let start = from;
    let limit = text.len().min(start + LONGEST_VALUE);
    let mut end = start;
    while end < limit {
        let byte = text[end];
        if byte == b'\\' && matches!(text::at(text, end + 1), b'n' | b'r' | b't' | b'"' | b'\'' | b'\\') {
            break;
        }
        if ending.closes(byte) {
            break;
        }
        if byte == b'[' && text::starts_with(text, end, crate::mask::OPENING) {
            break;
        }
        end += 1;
    }
    if matches!(ending, Ending::Blank | Ending::Line | Ending::Query) {
        while end > start
            && (matches!(text[end - 1], b',' | b';')
                || matches!(text[end - 1], b')' | b']' | b'}')
                    && !text[start..end - 1].contains(&opening(text[end - 1])))
        {
            end -= 1;
        }
    }
    (end > start).then_some(Value { start, end, quoted: false })
}

fn opening(closing: u8) -> u8 {
    match closing {
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    }
}

fn quoted(text: &[u8], quote_at: usize, slashes: usize, quote: u8) -> Value {
    let mut start = quote_at + 1;
    // Triple quotes of Python and friends.
    let triple = slashes == 0 && text::at(text, start) == quote && text::at(text, start + 1) == quote;
    if triple {
        start += 2;
    }
    let limit = text.len().min(start + LONGEST_VALUE);
    let mut from = start;
    // A quote behind a backslash, in case no other closes: shells know no escapes in single quotes.
    let mut escaped = None;
    loop {
        let window = &text[from.min(limit)..limit];
        let Some(found) = memchr::memchr2(quote, b'\n', window) else {
            return Value { start, end: escaped.unwrap_or(limit), quoted: true };
        };
        let at = from + found;
        if text[at] == b'\n' {
            if let Some(end) = escaped {
                return Value { start, end, quoted: true };
            }
            let end = if at > start && text[at - 1] == b'\r' { at - 1 } else { at };
            return Value { start, end, quoted: true };
        }
        let back = at - text::run_start_of(text, at, b'\\', at - start);
        // The closing quote is escaped as deeply as the opening one; a deeper one belongs to the value.
        if back <= slashes {
            // YAML, SQL and CSV double a quote that belongs to the value.
            let doubled = slashes == 0
                && !triple
                && at > start
                && quote != b'`'
                && text::at(text, at + 1) == quote
                && text::at(text, at + 2) != quote
                && memchr::memchr2(quote, b'\n', &text[at + 2..limit.max(at + 2)])
                    .is_some_and(|close| text[at + 2 + close] == quote);
            if !doubled {
                return Value { start, end: at - back, quoted: true };
            }
            from = at + 2;
            continue;
        }
        if quote == b'\'' && slashes == 0 && !text::is(text::at(text, at + 1), ALNUM) {
            escaped.get_or_insert(at);
        }
        from = at + 1;
    }
}

/// Shapes that are somebody's identifier, never their secret.
pub(crate) fn is_plain_identifier(value: &[u8]) -> bool {
    is_uuid(value) || is_version_or_time(value) || is_path(value)
}

pub(crate) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(index, &b)| {
            if matches!(index, 8 | 13 | 18 | 23) { b == b'-' } else { text::is(b, text::HEX) }
        })
}

fn is_version_or_time(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"v").unwrap_or(value);
    value.first().is_some_and(|&b| text::is(b, DIGIT))
        && value.iter().filter(|&&b| text::is(b, ALPHA)).count() <= 5
        && value
            .iter()
            .all(|&b| text::is(b, ALNUM) || matches!(b, b'.' | b'-' | b':' | b'+' | b'/' | b' ' | b'_'))
        && value.iter().filter(|&&b| matches!(b, b'.' | b'-' | b':')).count() >= 2
        && value.split(|&b| !text::is(b, DIGIT)).all(|digits| digits.len() <= 6)
}

fn is_path(value: &[u8]) -> bool {
    if value.starts_with(b"./")
        || value.starts_with(b"../")
        || value.starts_with(b"~/")
        || text::contains_folded(value, b"://")
    {
        return true;
    }
    // A path is made of names; the other signs are a password's.
    if !value.iter().all(|&b| {
        b >= 0x80
            || text::is(b, NAME)
            || matches!(b, b'/' | b'\\' | b':' | b'@' | b' ' | b'~' | b'+' | b'%' | b'$' | b'{' | b'}' | b'*')
    }) {
        return false;
    }
    let slashes = text::count(value, b'/');
    let backslashes = text::count(value, b'\\');
    if backslashes >= 2
        && value.split(|&b| b == b'\\').filter(|part| part.len() > 3).all(|part| !Shape::of(part).is_opaque())
    {
        return true;
    }
    if slashes == 0 {
        return has_file_ending(value);
    }
    if value.len() > 200 {
        return false;
    }
    // Base64 also has slashes; a path has words between them.
    let wordy = value
        .split(|&b| b == b'/')
        .filter(|part| part.len() > 2)
        .filter(|part| !Shape::of(part).is_opaque())
        .count();
    let parts = value.split(|&b| b == b'/').filter(|part| part.len() > 2).count();
    (value[0] == b'/' || slashes >= 2 || has_file_ending(value))
        && wordy == parts
        && Shape::of(value).surprise < 5.0
}

fn has_file_ending(value: &[u8]) -> bool {
    let Some(dot) = memchr::memrchr(b'.', value) else { return false };
    #[rustfmt::skip]
    const ENDINGS: &[&[u8]] = &[
        b"txt", b"json", b"yaml", b"yml", b"toml", b"xml", b"pem", b"key", b"crt", b"cer", b"env", b"cfg",
        b"conf", b"ini", b"js", b"ts", b"tsx", b"jsx", b"py", b"rs", b"go", b"java", b"rb", b"php",
        b"html", b"css", b"scss", b"md", b"sh", b"sql", b"db", b"log", b"csv", b"png", b"jpg", b"svg",
        b"com", b"org", b"net", b"io", b"dev", b"vue", b"kt", b"cs", b"cpp", b"h", b"c", b"lock", b"gz",
        b"zip", b"pub", b"p12", b"jks", b"pfx",
    ];
    dot > 0
        && ENDINGS.iter().any(|ending| value[dot + 1..].eq_ignore_ascii_case(ending))
        && value[..dot]
            .iter()
            .all(|&b| text::is(b, NAME) || matches!(b, b'/' | b'\\' | b':' | b' ' | b'~' | b'@'))
        && Shape::of(&value[..dot]).flips <= 4
        && !Shape::of(&value[..dot]).is_opaque()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_close_as_they_opened() {
        let text = br#"\"a\\\"b\" "#;
        let value = read(text, 0, Ending::Punctuation).unwrap();
        assert_eq!(&text[value.start..value.end], br#"a\\\"b"#);
    }
}
