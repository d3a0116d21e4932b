//! The notation of token rules, matched without an expression engine: literal text and runs.
//!
//! `{a36}` is 36 characters of class `a`; `{a20-40}` between; `{a20+}` at least. A `|` splits the pattern
//! before its anchor, the left part being matched backwards. Runs are greedy and never given back.
//!
//! A prefix nobody else uses (`ghp_`, `glpat-`) is nearly proof by itself: behind one, the last run may be
//! somewhat shorter or longer than written. Vendors lengthen their tokens, and people cut them off.

use std::ops::Range;

use crate::text;

/// No run is read further; the longest real tokens are a few hundred characters.
const LONGEST_RUN: usize = 2048;
/// A run shorter than this is written as it is: of few characters each counts.
const LEAST_TOLERANT: usize = 20;

#[derive(Debug, Clone, Copy)]
struct Run {
    class: u8,
    least: usize,
    most: usize,
}

#[derive(Debug, Clone, Copy)]
enum Piece<'p> {
    Text(&'p [u8]),
    Run(Run),
}

fn pieces(pattern: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = pattern;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some(inside) = rest.strip_prefix('{') {
            let (spec, after) = inside.split_once('}')?;
            rest = after;
            let (class, count) = spec.split_at(1);
            let (least, most) = if let Some(least) = count.strip_suffix('+') {
                (least.parse().ok()?, LONGEST_RUN)
            } else if let Some((least, most)) = count.split_once('-') {
                (least.parse().ok()?, most.parse().ok()?)
            } else {
                let exact = count.parse().ok()?;
                (exact, exact)
            };
            return Some(Piece::Run(Run { class: class.as_bytes()[0], least, most }));
        }
        let end = rest.find('{').unwrap_or(rest.len());
        let (literal, after) = rest.split_at(end);
        rest = after;
        Some(Piece::Text(literal.as_bytes()))
    })
}

/// Is `byte` of the class written `class`?
fn is_of(class: u8, byte: u8) -> bool {
    match class {
        b'd' => byte.is_ascii_digit(),
        b'h' => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        b'H' => byte.is_ascii_hexdigit(),
        b'l' => matches!(byte, b'0'..=b'9' | b'a'..=b'z'),
        b'U' => matches!(byte, b'0'..=b'9' | b'A'..=b'Z'),
        b'a' => byte.is_ascii_alphanumeric(),
        b'w' => byte.is_ascii_alphanumeric() || byte == b'_',
        b'v' => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
        b's' => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'='),
        b'b' => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'),
        b'e' => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
        b'x' => {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-' | b'.' | b'%' | b'~')
        }
        b'z' => byte.is_ascii_lowercase(),
        b'L' => byte.is_ascii_alphabetic(),
        b't' => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
        b'T' => matches!(byte, b'a'..=b'z' | b'2'..=b'7'),
        b'c' => byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/'),
        b'q' => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'.' | b'-'),
        b'p' => byte == b'=',
        b'y' => byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`' | b',' | b';'),
        _ => false,
    }
}

/// The class of the run right behind the anchor, and how long it is at least: what `find` asks for first.
pub(crate) fn run_of(token: &super::Token) -> Option<(u8, usize)> {
    let right = token.pattern.split_once('|').map_or(token.pattern, |(_, right)| right);
    match pieces(right).nth(1)? {
        Piece::Run(run) => Some((run.class, tolerated(run.least))),
        Piece::Text(_) => None,
    }
}

/// The bytes of the class written `class`.
pub(crate) fn class(class: u8) -> impl Fn(u8) -> bool {
    move |byte| is_of(class, byte)
}

/// How short the last run behind a prefix of its own may be.
fn tolerated(least: usize) -> usize {
    if least >= LEAST_TOLERANT { least * 4 / 5 } else { least }
}

/// The token around the anchor found at `anchor`, if the whole pattern fits.
pub(super) fn find(text: &[u8], anchor: usize, pattern: &str) -> Option<Range<usize>> {
    let (left, right) = pattern.split_once('|').unwrap_or(("", pattern));
    let tolerant = is_distinctive(right);
    let mut at = anchor;
    let mut last: Option<Run> = None;
    let mut pieces_left = pieces(right).peekable();
    while let Some(piece) = pieces_left.next() {
        match piece {
            Piece::Text(literal) => {
                if !text::starts_with(text, at, literal) {
                    return None;
                }
                at += literal.len();
                last = None;
            }
            Piece::Run(mut run) => {
                if tolerant && pieces_left.peek().is_none() && run.least >= LEAST_TOLERANT {
                    run.least = tolerated(run.least);
                    run.most = run.most.saturating_mul(2).min(LONGEST_RUN);
                }
                let most = text.len().min(at + run.most);
                let start = at;
                while at < most && is_of(run.class, text[at]) {
                    at += 1;
                }
                if at - start < run.least {
                    return None;
                }
                last = Some(run);
            }
        }
    }
    if let Some(run) = last {
        // The token goes on: it is something longer, which merely begins like ours.
        if at < text.len() && is_of(run.class, text[at]) {
            return None;
        }
    }
    if at < text.len() && text[at].is_ascii_alphanumeric() {
        return None;
    }
    let mut start = anchor;
    let reversed: Vec<Piece<'_>> = pieces(left).collect();
    for piece in reversed.into_iter().rev() {
        match piece {
            Piece::Text(literal) => {
                start = start.checked_sub(literal.len())?;
                if !text::starts_with(text, start, literal) {
                    return None;
                }
            }
            Piece::Run(run) => {
                let end = start;
                while start > 0 && end - start < run.most && is_of(run.class, text[start - 1]) {
                    start -= 1;
                }
                if end - start < run.least {
                    return None;
                }
            }
        }
    }
    (!text::is(text[start], text::ALNUM) || text::begins_token(text, start)).then_some(start..at)
}

/// Words several vendors, and everybody else, put in front.
const SHARED: [&str; 8] = ["live_", "test_", "key_", "key-", "token_", "token-", "api_", "app-"];

/// Begins with a word and a joint, as in `ghp_`.
fn is_distinctive(right: &str) -> bool {
    let prefix = &right[..right.find('{').unwrap_or(0)];
    prefix.len() >= 4 && prefix.ends_with(['_', '-']) && !SHARED.contains(&prefix)
}

/// A text that fits the pattern, made of characters that look random and are always the same.
pub(super) fn compose(pattern: &str) -> String {
    compose_with(pattern, |state, class| {
        let letters: Vec<u8> = (b'!'..=b'~')
            .filter(|&b| is_of(class, b) && (b.is_ascii_alphanumeric() || class == b'p'))
            .collect();
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        letters[(*state >> 33) as usize % letters.len()] as char
    })
}

/// A text that fits the pattern but for being an example: every character of a run is the same.
pub(super) fn compose_hole(pattern: &str) -> String {
    compose_with(pattern, |_, class| {
        if is_of(class, b'x') {
            'x'
        } else {
            char::from((b'!'..=b'~').find(|&b| is_of(class, b)).unwrap_or(b'0'))
        }
    })
}

fn compose_with(pattern: &str, mut pick: impl FnMut(&mut u64, u8) -> char) -> String {
    let mut state =
        pattern.bytes().fold(7u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut composed = String::new();
    let (left, right) = pattern.split_once('|').unwrap_or(("", pattern));
    for piece in pieces(left).chain(pieces(right)) {
        match piece {
            Piece::Text(literal) => composed.push_str(&String::from_utf8_lossy(literal)),
            Piece::Run(run) => {
                let length =
                    if run.most == LONGEST_RUN { run.least.max(1) } else { run.most.min(run.least.max(1)) };
                for _ in 0..length {
                    composed.push(pick(&mut state, run.class));
                }
            }
        }
    }
    composed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_exactly() {
        assert_eq!(find(b" abc_1234 ", 1, "abc_{d4}"), Some(1..9));
        assert_eq!(find(b" abc_12345 ", 1, "abc_{d4}"), None);
        assert_eq!(find(b"xabc_1234", 1, "abc_{d4}"), None);
        assert_eq!(find(b"AB.key.1", 2, "{U2}|.key.{d1}"), Some(0..8));
        assert_eq!(find(b"B.key.1", 1, "{U2}|.key.{d1}"), None);
    }

    #[test]
    fn behind_a_prefix_of_its_own_a_token_may_be_cut_or_longer() {
        let of = |prefix: &str, length: usize| format!("{prefix}{}", "a1".repeat(30).get(..length).unwrap());
        for length in [30, 36, 44] {
            let token = of("abc_", length);
            assert_eq!(find(token.as_bytes(), 0, "abc_{a36}"), Some(0..token.len()), "{length}");
        }
        assert_eq!(find(of("abc_", 20).as_bytes(), 0, "abc_{a36}"), None);
        assert_eq!(find(of("abc", 35).as_bytes(), 0, "abc{a36}"), None, "no joint, no tolerance");
    }
}
