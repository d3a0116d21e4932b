//! Tokens that say whose they are: a fixed beginning, then so many characters of a known alphabet.
//! Data in `tokens` and `names`; this is the small engine that reads it. No context is consulted here.

mod names;
mod pattern;
mod tokens;

use std::borrow::Cow;

use crate::encoded;
use crate::hit::{Hit, RuleInfo};
use crate::holes;
use crate::likeness::Shape;
use crate::scan::Scan;
use crate::text;
pub(crate) use names::names;
pub(crate) use pattern::{class, run_of};

/// A proof of the token inside itself, where the vendor gives one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    None,
    /// The last six characters are the CRC-32 of the rest in base 62 (GitHub, npm).
    Crc32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub name: &'static str,
    /// See `pattern`: literal text, `{class count}` runs, and `|` before the anchor when it is not first.
    pub pattern: &'static str,
    pub proof: Proof,
    /// Letters alone may fill it, so words are no reason for doubt.
    pub wordy: bool,
}

impl Token {
    /// The literal that wakes the rule.
    pub(crate) fn anchor(&self) -> &'static str {
        let right = self.pattern.split_once('|').map_or(self.pattern, |(_, right)| right);
        let end = right.find('{').unwrap_or(right.len());
        &right[..end]
    }
}

pub(crate) fn tokens() -> &'static [Token] {
    tokens::TOKENS
}

pub(crate) fn token(scan: &mut Scan<'_>, at: usize, index: u16) -> usize {
    let token = &tokens::TOKENS[usize::from(index)];
    let Some(found) = pattern::find(scan.text, at, token.pattern) else { return at + 1 };
    let anchor = token.anchor();
    let value = &scan.text[found.clone()];
    let proven = token.proof == Proof::Crc32 && has_crc32(value);
    if !proven && is_unlikely(value, anchor, token) {
        return at + 1;
    }
    scan.hits.push(Hit::named(
        found.start,
        found.end,
        Cow::Borrowed(kind_of(token.name)),
        Cow::Borrowed(token.name),
    ));
    found.end
}

/// Tokens that begin with nothing or with two letters, found because they are longer than nearly every word: ngrok's
/// `27_21`, Discord's `26.6.38`, Twilio's `SK` and 32 digits, Meta's `EAA…`.
pub(crate) fn joined(scan: &mut Scan<'_>) {
    let text = scan.text;
    let mut clean = false;
    let mut done = 0;
    for (index, eight) in text.chunks_exact(8).enumerate() {
        // Blanks and most signs are below the digits: sixteen bytes in a row without one are rare.
        let before = std::mem::replace(&mut clean, is_free_of_signs(eight));
        let at = index * 8;
        if !(clean && before)
            || at < done
            || ![at - 7, at - 4, at - 1, at, at + 3, at + 6]
                .iter()
                .all(|&near| text::is(text[near], text::ALNUM))
        {
            continue;
        }
        let start = text::run_start(text, at, text::ALNUM, LONGEST_PART);
        let end = text::run_end(text, at, text::ALNUM, LONGEST_PART);
        if let Some((name, stop)) = joined_at(text, start, end) {
            scan.hits.push(Hit::named(start, stop, name.into(), name.into()));
        }
        done = end;
    }
}

/// None of eight bytes is below `0`.
fn is_free_of_signs(eight: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const DIGITS: u64 = 0x3030_3030_3030_3030;
    let Ok(eight) = eight.try_into() else { return false };
    let word = u64::from_le_bytes(eight);
    ((word | HIGH) - DIGITS) & HIGH == HIGH
}

/// Longer runs are data.
const LONGEST_PART: usize = 400;

/// What the long run from `start` to `end` begins, and where that ends.
fn joined_at(text: &[u8], start: usize, end: usize) -> Option<(&'static str, usize)> {
    /// Between the two dots of a bot's token.
    const STAMP: usize = 6;
    let first = &text[start..end];
    if first.len() == 34 && first.starts_with(b"SK") && Shape::of(&first[2..]).is_opaque() {
        let digits = first[2..].iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        return digits.then_some(("twilio-api-key", end));
    }
    if first.len() >= 90 && first.starts_with(b"EAA") {
        let shape = Shape::of(first);
        return (shape.is_opaque() && shape.lower > 10 && shape.upper > 10)
            .then_some(("facebook-user-token", end));
    }
    if !(24..=28).contains(&first.len())
        || matches!(text::before(text, start), b'_' | b'-' | b'/' | b'+' | b'.')
    {
        return None;
    }
    let (name, stop) = match text::at(text, end) {
        b'_' if first.len() >= 26 => {
            let stop = text::run_end(text, end + 1, text::ALNUM, 40);
            let random = |part: &[u8]| {
                let shape = Shape::of(part);
                shape.is_opaque() && shape.upper >= 3 && shape.lower >= 3 && shape.digits >= 1
            };
            let second = &text[end + 1..stop];
            ((20..=22).contains(&second.len()) && random(first) && random(second))
                .then_some(("ngrok-token", stop))?
        }
        b'.' if text::at(text, end + 1 + STAMP) == b'.' => {
            let third = end + STAMP + 2;
            let stop = text::run_end(text, third, text::ALNUM | text::JOINER, 60);
            // The first part is a number in base64.
            let number =
                encoded::decode(first).is_some_and(|id| id.len() >= 15 && id.iter().all(u8::is_ascii_digit));
            (number && (25..=44).contains(&(stop - third))).then_some(("discord-bot-token", stop))?
        }
        _ => return None,
    };
    (!matches!(text::at(text, stop), b'_' | b'/' | b'+' | b'=')).then_some((name, stop))
}

/// A family whose anchor is too short for the filter has one rule for each way it goes on; people see the family.
fn kind_of(name: &'static str) -> &'static str {
    const FAMILIES: &[&str] = &["asana-token", "asana-old-token"];
    FAMILIES
        .iter()
        .copied()
        .find(|family| name.starts_with(family) && name.len() > family.len())
        .unwrap_or(name)
}

/// Examples in documentation wear the vendor's prefix and end in `xxxx`, `1234…` or plain words.
fn is_unlikely(value: &[u8], anchor: &str, token: &Token) -> bool {
    let Some(anchor_at) = memchr::memmem::find(value, anchor.as_bytes()) else { return true };
    let body = &value[anchor_at + anchor.len()..];
    let left = &value[..anchor_at];
    let judged = if body.len() >= left.len() { body } else { left };
    if judged.len() < 6 {
        return false;
    }
    if is_filler(judged) || value.ends_with(b"EXAMPLE") || value.ends_with(b"EXAMPLEKEY") {
        return true;
    }
    // The alphabet behind a prefix of the vendor's own is what people type to try the redactor: it is whole, so it goes.
    if anchor.len() >= 4 && is_sequence(judged) {
        return false;
    }
    if holes::is_repetitive(judged) {
        return true;
    }
    // These stand in examples only; the others may stand in a token by chance, so the rest must be plain too.
    const ALWAYS: &[&[u8]] = &[
        b"example",
        b"your_",
        b"your-",
        b"yourtoken",
        b"xxxxxx",
        b"placeholder",
        b"redacted",
        b"0000000000",
        b"1234567890",
        b"......",
    ];
    const WHEN_PLAIN: &[&[u8]] = &[
        b"token",
        b"secret",
        b"apikey",
        b"api_key",
        b"_key",
        b"-key",
        b"here",
        b"your",
        b"xxxx",
        b"12345678",
    ];
    let holds = |words: &[&[u8]]| words.iter().any(|word| text::contains_folded(judged, word));
    let shape = Shape::of(judged);
    if judged.len() <= 200 && (holds(ALWAYS) || (shape.is_wordy() || shape.digits == 0) && holds(WHEN_PLAIN))
    {
        return true;
    }
    !token.wordy
        && (shape.digits == 0 || shape.flips < 2)
        && shape.surprise < 4.9
        && !shape.hex
        && judged.len() < 60
        && judged.len() >= 8
}

/// One or two characters over and over.
fn is_filler(value: &[u8]) -> bool {
    let mut seen: Vec<u8> = value.iter().take(96).map(u8::to_ascii_lowercase).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() <= 4
}

/// The alphabet, the digits, or both in their order.
fn is_sequence(value: &[u8]) -> bool {
    const TURNS: [&[u8; 2]; 10] = [b"90", b"z0", b"z1", b"9a", b"0a", b"9A", b"0A", b"Za", b"zA", b"Z0"];
    let steps = value
        .windows(2)
        .filter(|pair| pair[1] == pair[0].wrapping_add(1) || TURNS.iter().any(|turn| *pair == &turn[..]))
        .count();
    value.len() >= 12 && steps * 10 >= (value.len() - 1) * 8
}

/// CRC-32 of everything between the prefix and the last six characters, written in base 62.
fn has_crc32(token: &[u8]) -> bool {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some(joint) = memchr::memrchr(b'_', token) else { return false };
    let body = &token[joint + 1..];
    if body.len() < 12 {
        return false;
    }
    let (random, checksum) = body.split_at(body.len() - 6);
    let mut crc = crc32(random);
    let mut written = [b'0'; 6];
    for place in written.iter_mut().rev() {
        *place = ALPHABET[(crc % 62) as usize];
        crc /= 62;
    }
    written == checksum
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

/// Every token rule with its proof. The examples are composed from the pattern, never written down: a
/// token that looks real in our sources would set off every scanner that reads them.
pub(crate) fn catalogue() -> impl Iterator<Item = RuleInfo> {
    tokens::TOKENS.iter().map(|token| RuleInfo {
        name: Cow::Borrowed(token.name),
        kind: Cow::Borrowed(kind_of(token.name)),
        catches: format!("use {} now", pattern::compose(token.pattern)),
        spares: format!("use {} now", pattern::compose_hole(token.pattern)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_crc32_is_the_published_one() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn a_whole_token_is_taken_though_it_looks_orderly() {
        let random = "abcdefghijklmnopqrstuvwxyz0123";
        let mut crc = crc32(random.as_bytes());
        let alphabet = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let mut checksum = [b'0'; 6];
        for place in checksum.iter_mut().rev() {
            *place = alphabet[(crc % 62) as usize];
            crc /= 62;
        }
        let token = format!("ghp_{random}{}", std::str::from_utf8(&checksum).unwrap());
        assert!(has_crc32(token.as_bytes()));
        assert_eq!(crate::scan::scan(token.as_bytes(), 0).len(), 1);
        // Without its checksum it is what a newcomer types to see whether anything happens.
        let other = format!("ghp_{random}000000");
        assert_eq!(crate::scan::scan(other.as_bytes(), 0).len(), 1);
        let hole = format!("ghp_{}", "x".repeat(36));
        assert!(crate::scan::scan(hole.as_bytes(), 0).is_empty());
    }
}
