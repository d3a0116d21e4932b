//! The marks left where a value was: `[REDACTED:kind:h6]`. Never holds a value longer than hashing takes.

use std::ops::Range;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

pub(crate) const OPENING: &[u8] = b"[REDACTED:";

/// A password shorter than this gets no hash: 24 bits and a stolen key would confirm a guess.
const HASHED_PASSWORD: usize = 12;

/// No mark of ours is longer; user kinds are cut to fit.
const LONGEST_MARK: usize = 96;

/// First 24 bits of HMAC-SHA256 in hexadecimal: equal values stay recognizably equal, and no more.
pub(crate) fn h6(key: &[u8; 32], value: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(value);
    let tag = mac.finalize().into_bytes();
    hex(&tag[..3])
}

pub(crate) fn sha256(value: &[u8]) -> String {
    hex(&Sha256::digest(value))
}

/// Short passwords are the only values a mark does not hash.
pub(crate) fn is_hashable(is_password: bool, value: &[u8]) -> bool {
    !is_password || value.len() >= HASHED_PASSWORD
}

pub(crate) fn mark(kind: &str, h6: Option<&str>) -> String {
    match h6 {
        Some(h6) => format!("[REDACTED:{kind}:{h6}]"),
        None => format!("[REDACTED:{kind}]"),
    }
}

/// A kind as it may stand in a mark: lower-case letters, digits and hyphens, so that a mark is one token
/// to search engines and inert to a second pass.
pub(crate) fn tidy_kind(kind: &str) -> String {
    let tidy: String = kind
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .take(40)
        .collect();
    if tidy.is_empty() { "custom".to_owned() } else { tidy }
}

/// Where marks already stand in `text`, in order.
pub(crate) fn marks(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for start in memchr::memmem::find_iter(text, OPENING) {
        if let Some(length) = mark_len(&text[start..]) {
            found.push(start..start + length);
        }
    }
    found
}

fn mark_len(text: &[u8]) -> Option<usize> {
    let window = &text[..text.len().min(LONGEST_MARK)];
    let end = memchr::memchr(b']', window)?;
    let inside = &window[OPENING.len()..end];
    let valid = !inside.is_empty()
        && inside.iter().all(|&b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b':');
    valid.then_some(end + 1)
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|b| [DIGITS[usize::from(b >> 4)] as char, DIGITS[usize::from(b & 15)] as char])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_again_and_nothing_else_is() {
        let text = b"a [REDACTED:github-pat:7c1e90] b [REDACTED: no ] [REDACTED:password]";
        assert_eq!(marks(text), vec![2..30, 49..68]);
    }

    #[test]
    fn the_hash_depends_on_the_key() {
        assert_ne!(h6(&[0; 32], b"value"), h6(&[1; 32], b"value"));
        assert_eq!(h6(&[0; 32], b"value").len(), 6);
    }
}
