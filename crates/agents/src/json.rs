//! Finds the places of JSON values in a text without building them: one level at a time, no recursion, so
//! that a hundred thousand brackets cost a hundred thousand bytes and no stack. Decodes nothing but
//! strings; if you need a tree, use `serde_json` on the part that you need.
//!
//! [`check`] is strict (RFC 8259) and says where a text fails. [`members`] and [`items`] walk one level
//! and only need the brackets and quotes to match, so they also serve text that was checked elsewhere.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

/// A place in the text, in bytes.
pub(crate) type Span = Range<usize>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// With its quotes.
    pub(crate) key: Span,
    pub(crate) value: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
}

/// The place of the one value that `text` is, or where it stops being JSON.
pub(crate) fn check(text: &str) -> Result<Span, Fault> {
    let bytes = text.as_bytes();
    let start = skip_space(bytes, 0);
    let end = check_value(bytes, start)?;
    match skip_space(bytes, end) {
        rest if rest == bytes.len() => Ok(start..end),
        rest => Err(Fault { at: rest, what: "expected the end of the file" }),
    }
}

/// The members of the object at `span`, in order, duplicates included. `None`: not an object.
pub(crate) fn members(bytes: &[u8], span: &Span) -> Option<Vec<Member>> {
    let mut members = Vec::new();
    walk(bytes, span, |member| members.push(member))?;
    Some(members)
}

/// The members of the object at `span`, one after the other. `None`: not an object, or not to its end.
pub(crate) fn walk(bytes: &[u8], span: &Span, mut each: impl FnMut(Member)) -> Option<()> {
    let mut at = open(bytes, span, b'{')?;
    while bytes.get(at) == Some(&b'"') {
        let key = at..string_end(bytes, at)?;
        let colon = skip_space(bytes, key.end);
        if bytes.get(colon) != Some(&b':') {
            return None;
        }
        let value = value_at(bytes, skip_space(bytes, colon + 1))?;
        at = skip_comma(bytes, value.end);
        each(Member { key, value });
    }
    Some(())
}

/// The items of the array at `span`. `None`: not an array.
pub(crate) fn items(bytes: &[u8], span: &Span) -> Option<Vec<Span>> {
    let mut at = open(bytes, span, b'[')?;
    let mut items = Vec::new();
    while at < span.end && bytes[at] != b']' {
        let item = value_at(bytes, at)?;
        at = skip_comma(bytes, item.end);
        items.push(item);
    }
    Some(items)
}

/// The string at `span`; a lone surrogate reads as U+FFFD. `None`: not a string.
pub(crate) fn string(bytes: &[u8], span: &Span) -> Option<String> {
    let text = bytes.get(span.clone())?;
    if text.first() != Some(&b'"') {
        return None;
    }
    serde_json::from_slice(text).or_else(|_| serde_json::from_slice(&mend_surrogates(text))).ok()
}

/// The value at `span`. `None`: nested deeper than `serde_json` follows.
pub(crate) fn value(bytes: &[u8], span: &Span) -> Option<Value> {
    let text = bytes.get(span.clone())?;
    serde_json::from_slice(text).or_else(|_| serde_json::from_slice(&mend_surrogates(text))).ok()
}

pub(crate) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

fn skip_comma(bytes: &[u8], at: usize) -> usize {
    let at = skip_space(bytes, at);
    if bytes.get(at) == Some(&b',') { skip_space(bytes, at + 1) } else { at }
}

fn open(bytes: &[u8], span: &Span, bracket: u8) -> Option<usize> {
    (bytes.get(span.start) == Some(&bracket)).then(|| skip_space(bytes, span.start + 1))
}

/// The span of the value that starts at `at`, by its brackets and quotes alone.
pub(crate) fn value_at(bytes: &[u8], at: usize) -> Option<Span> {
    let mut depth = 0_usize;
    let mut end = at;
    loop {
        match bytes.get(end)? {
            b'"' => end = string_end(bytes, end)?,
            b'{' | b'[' => {
                depth += 1;
                end += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                end += 1;
            }
            b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' if depth > 0 => {
                end += 1;
                continue;
            }
            _ => end = scalar_end(bytes, end)?,
        }
        if depth == 0 {
            return Some(at..end);
        }
    }
}

fn scalar_end(bytes: &[u8], at: usize) -> Option<usize> {
    let length =
        bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)).count();
    (length > 0).then_some(at + length)
}

/// Behind the closing quote of the string that opens at `at`.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    loop {
        end += memchr::memchr2(b'"', b'\\', bytes.get(end..)?)?;
        if bytes[end] == b'"' {
            return Some(end + 1);
        }
        end += 2;
    }
}

/// JavaScript strings may hold half a surrogate pair (a text cut in the middle of an emoji) and print it as
/// an escape; Rust strings cannot. Every such escape becomes `\ufffd`, which is as long.
fn mend_surrogates(text: &[u8]) -> Cow<'_, [u8]> {
    let mut mended = Cow::Borrowed(text);
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(text, at) {
            Some(0xd800..=0xdbff) if matches!(unit(text, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                mended.to_mut()[at..at + 6].copy_from_slice(b"\\ufffd");
                at += 6;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
    }
    mended
}

/// The code unit of the `\uXXXX` escape at `at`.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let escape = text.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | (*digit as char).to_digit(16)? as u16))
}

/// What may come next inside an open bracket.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    /// A value, or the end of an array just opened.
    FirstItem,
    Key,
    /// A key, or the end of an object just opened.
    FirstKey,
    /// A comma or the closing bracket.
    Next,
}

/// The end of the value at `start`, strictly. The open brackets are the only stack.
fn check_value(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let mut open = Vec::new();
    let mut expect = Expect::Value;
    let mut at = start;
    loop {
        at = skip_space(bytes, at);
        let byte = bytes.get(at).copied();
        match (expect, byte) {
            (Expect::FirstItem | Expect::Next, Some(b']')) if open.last() == Some(&b'[') => {
                open.pop();
                at += 1;
                expect = Expect::Next;
            }
            (Expect::FirstKey | Expect::Next, Some(b'}')) if open.last() == Some(&b'{') => {
                open.pop();
                at += 1;
                expect = Expect::Next;
            }
            (Expect::Next, Some(b',')) => {
                at += 1;
                expect = if open.last() == Some(&b'{') { Expect::Key } else { Expect::Value };
            }
            (Expect::Next, _) if open.last() == Some(&b'{') => {
                return Err(Fault { at, what: "expected ',' or '}'" });
            }
            (Expect::Next, _) => return Err(Fault { at, what: "expected ',' or ']'" }),
            (Expect::Key | Expect::FirstKey, Some(b'"')) => {
                at = skip_space(bytes, check_string(bytes, at)?);
                if bytes.get(at) != Some(&b':') {
                    return Err(Fault { at, what: "expected ':' after a key" });
                }
                at += 1;
                expect = Expect::Value;
            }
            (Expect::Key, Some(b'}')) => return Err(Fault { at, what: "a comma is not allowed before '}'" }),
            (Expect::Key | Expect::FirstKey, _) => {
                return Err(Fault { at, what: "expected a key in double quotes" });
            }
            (Expect::Value, Some(b']')) if open.last() == Some(&b'[') => {
                return Err(Fault { at, what: "a comma is not allowed before ']'" });
            }
            (Expect::Value | Expect::FirstItem, Some(bracket @ (b'{' | b'['))) => {
                open.push(bracket);
                at += 1;
                expect = if bracket == b'{' { Expect::FirstKey } else { Expect::FirstItem };
                continue;
            }
            (Expect::Value | Expect::FirstItem, _) => {
                at = check_scalar(bytes, at)?;
                expect = Expect::Next;
            }
        }
        if open.is_empty() && expect == Expect::Next {
            return Ok(at);
        }
    }
}

fn check_scalar(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at) {
        None => Err(Fault { at, what: "expected a value, found the end of the file" }),
        Some(b'"') => check_string(bytes, at),
        Some(b'-' | b'0'..=b'9') => check_number(bytes, at),
        Some(b'/') => Err(Fault { at, what: "comments are not allowed in JSON" }),
        Some(_) => ["true", "false", "null"]
            .into_iter()
            .find(|word| bytes[at..].starts_with(word.as_bytes()))
            .map(|word| at + word.len())
            .ok_or(Fault { at, what: "expected a value" }),
    }
}

fn check_string(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            None => return Err(Fault { at: start, what: "this string is not closed" }),
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u') if unit(bytes, at).is_some() => at += 6,
                _ => return Err(Fault { at, what: "unknown escape in a string" }),
            },
            Some(0..=0x1f) => {
                return Err(Fault {
                    at,
                    what: "line breaks and control characters in a string must be escaped",
                });
            }
            Some(_) => at += 1,
        }
    }
}

fn check_number(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let digits =
        |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let fault = |at| Fault { at, what: "expected a digit" };
    let mut at = start + usize::from(bytes[start] == b'-');
    match digits(at) {
        0 => return Err(fault(at)),
        1 => at += 1,
        _ if bytes[at] == b'0' => return Err(Fault { at, what: "a number must not start with 0" }),
        length => at += length,
    }
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        match digits(at) {
            0 => return Err(fault(at)),
            length => at += length,
        }
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        match digits(at) {
            0 => return Err(fault(at)),
            length => at += length,
        }
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn fails(text: &str, at: usize, what: &str) {
        let fault = check(text).expect_err(text);
        assert_eq!((fault.at, fault.what), (at, what), "{text}");
    }

    #[test]
    fn strict_json_passes_and_every_fault_is_placed() {
        for text in ["{}", " [ ] ", "[1,-0.5e+3,0,\"\\u00e9\\n\",true,false,null,{\"a\":{}}]", "\"x\"", "12"]
        {
            assert_eq!(check(text).expect(text).end, text.trim_end().len());
        }
        fails("", 0, "expected a value, found the end of the file");
        fails("{\"a\":1,}", 7, "a comma is not allowed before '}'");
        fails("[1,]", 3, "a comma is not allowed before ']'");
        fails("{\"a\" 1}", 5, "expected ':' after a key");
        fails("{a:1}", 1, "expected a key in double quotes");
        fails("{\"a\":1 \"b\":2}", 7, "expected ',' or '}'");
        fails("[1}", 2, "expected ',' or ']'");
        fails("{} x", 3, "expected the end of the file");
        fails("[01]", 1, "a number must not start with 0");
        fails("[1.]", 3, "expected a digit");
        fails("[\"a\nb\"]", 3, "line breaks and control characters in a string must be escaped");
        fails("[\"\\x\"]", 2, "unknown escape in a string");
        fails("{\"a\": \"b}", 6, "this string is not closed");
        fails("{\n// why\n}", 2, "expected a key in double quotes");
        fails("{\"a\": // why\n1}", 6, "comments are not allowed in JSON");
    }

    #[test]
    fn a_level_is_walked_without_its_depths() {
        let text = br#" { "a" : [1, {"b":"]"}] , "a":"\"}", "c" : -1.5e3 } "#;
        let all: Vec<_> = members(text, &(1..text.len()))
            .expect("an object")
            .into_iter()
            .map(|member| (&text[member.key], &text[member.value]))
            .collect();
        assert_eq!(
            all,
            [(&b"\"a\""[..], &br#"[1, {"b":"]"}]"#[..]), (b"\"a\"", br#""\"}""#), (b"\"c\"", b"-1.5e3")]
        );
        assert_eq!(items(b"[1,[2],\"3\"]", &(0..11)), Some(vec![1..2, 3..6, 7..10]));
        assert_eq!(items(b"{}", &(0..2)), None);
        assert_eq!(members(b"[]", &(0..2)), None);
    }

    #[test]
    fn a_hundred_thousand_brackets_need_no_stack() {
        let deep = format!("{{\"deep\":{}1{},\"after\":2}}", "[".repeat(100_000), "]".repeat(100_000));
        let root = check(&deep).expect("valid, if deep");
        assert_eq!(members(deep.as_bytes(), &root).expect("an object").len(), 2);
        assert_eq!(value(deep.as_bytes(), &(8..200_009)), None);
    }

    #[test]
    fn half_a_surrogate_pair_costs_one_character_and_not_the_text() {
        let text = br#""cut \ud83d, whole \ud83d\ude00, \\ud83d""#;
        assert_eq!(string(text, &(0..text.len())).as_deref(), Some("cut \u{fffd}, whole 😀, \\ud83d"));
    }
}
