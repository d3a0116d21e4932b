//! Whether a value is gone.
//!
//! Gone means gone: not as itself, not JSON-escaped once, twice or three times, and not by the larger half. Of
//! multi-line and encoded values not even eight characters in a row may be left. Text that stands in the case
//! beside the value does not count as a leak of it.

use super::format::escape;
use super::{Case, Value};
use std::collections::HashSet;

/// A run this long of a core value is a leak.
const CORE: usize = 8;
/// Below this length only the whole value counts: half of a short password is a syllable.
const SHORT: usize = 12;

/// The values of a case that can still be read in the redacted output.
pub(crate) fn surviving<'a>(case: &'a Case, output: &[u8]) -> Vec<&'a Value> {
    let output = String::from_utf8_lossy(output);
    case.values.iter().filter(|value| survives(case, value, &output)).collect()
}

fn survives(case: &Case, value: &Value, output: &str) -> bool {
    if value.core {
        return leaks_core(case, value, output);
    }
    reads(&value.text, output) || (value.text.len() >= SHORT && leaks_half(case, &value.text, output))
}

/// Whether every line of a value can be read in a text.
pub(crate) fn stands_in(value: &Value, text: &str) -> bool {
    value.text.split('\n').all(|line| reads(line, text))
}

/// Whether a text holds the needle, as itself or behind up to three layers of escapes.
fn reads(needle: &str, text: &str) -> bool {
    let mut needle = needle.to_owned();
    for _ in 0..4 {
        if text.contains(&needle) {
            return true;
        }
        let escaped = escape(&needle);
        if escaped == needle {
            return false;
        }
        needle = escaped;
    }
    false
}

fn leaks_core(case: &Case, value: &Value, output: &str) -> bool {
    let left = windows_of(output, CORE);
    let beside = beside(case);
    let around = windows_of(&beside, CORE);
    value.text.split(['\n', '\r', ' ']).any(|line| {
        if line.len() < CORE {
            return false;
        }
        line.as_bytes().windows(CORE).any(|window| left.contains(window) && !around.contains(window))
    })
}

fn leaks_half(case: &Case, value: &str, output: &str) -> bool {
    let length = value.len() / 2 + 1;
    let left = windows_of(output, length);
    let mut around = None;
    value.as_bytes().windows(length).any(|window| {
        left.contains(window) && {
            let beside = around.get_or_insert_with(|| beside(case));
            !beside.as_bytes().windows(length).any(|known| known == window)
        }
    })
}

fn windows_of(text: &str, length: usize) -> HashSet<&[u8]> {
    text.as_bytes().windows(length).collect()
}

/// The case without its values: what an innocent reader of the redacted text would see anyway.
fn beside(case: &Case) -> String {
    let mut text = case.text.clone();
    for value in &case.values {
        for line in value.text.split('\n').filter(|line| !line.is_empty()) {
            text = text.replace(line, "\u{0}");
            text = text.replace(&escape(line), "\u{0}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(text: &str, value: Value) -> Case {
        let text = text.to_owned();
        Case { kind: "k", group: "g", view: "v", text, envelope: false, values: vec![value], agent: true }
    }

    #[test]
    fn a_value_hidden_behind_escapes_still_survives() {
        let case = case("x", Value::plain("a\"b\\c".into()));
        assert_eq!(surviving(&case, br#"{"k":"a\"b\\c"}"#).len(), 1);
        assert_eq!(surviving(&case, b"[REDACTED:password]").len(), 0);
    }

    #[test]
    fn half_a_token_is_a_leak_and_its_public_prefix_is_not() {
        let case = case("x", Value::plain("tok_0123456789abcdefghij".into()));
        assert_eq!(surviving(&case, b"tok_0123456789abc[REDACTED]").len(), 1);
        assert_eq!(surviving(&case, b"tok_[REDACTED]").len(), 0);
    }

    #[test]
    fn eight_characters_of_a_key_are_a_leak() {
        let case = case("head\nABCDEFGHIJKL\nMNOPQRSTUVWX", Value::core("ABCDEFGHIJKL\nMNOPQRSTUVWX".into()));
        assert_eq!(surviving(&case, b"[REDACTED] OPQRSTUV").len(), 1);
        assert_eq!(surviving(&case, b"[REDACTED] OPQRSTU").len(), 0);
    }
}
