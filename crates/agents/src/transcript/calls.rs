//! Calls of tools whose result has not been met yet, bounded: some never get one.

use std::collections::VecDeque;

use serde_json::Value;

/// An agent makes a few calls at once; more are calls that never ended.
const MAX_OPEN: usize = 256;
/// What their inputs may take together: a few of the largest lines that are read.
const MAX_BYTES: usize = 64 << 20;

#[derive(Debug, Default)]
pub(super) struct Calls {
    open: VecDeque<Call>,
    bytes: usize,
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Value,
    bytes: usize,
}

impl Calls {
    /// The oldest go when there is no room; the newest is always kept.
    pub(super) fn open(&mut self, id: &str, name: &str, input: &Value) {
        let bytes = weight(input);
        self.bytes += bytes;
        self.open.push_back(Call { id: id.to_owned(), name: name.to_owned(), input: input.clone(), bytes });
        while self.open.len() > MAX_OPEN || (self.bytes > MAX_BYTES && self.open.len() > 1) {
            self.bytes -= self.open.pop_front().map_or(0, |call| call.bytes);
        }
    }

    pub(super) fn close(&mut self, id: &str) -> Option<Call> {
        let at = self.open.iter().position(|call| call.id == id)?;
        let call = self.open.remove(at)?;
        self.bytes -= call.bytes;
        Some(call)
    }
}

/// About what a value takes: its strings.
fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(fields) => fields.iter().map(|(key, value)| key.len() + weight(value)).sum(),
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_never_end_are_forgotten_oldest_first() {
        let mut calls = Calls::default();
        for number in 0..=MAX_OPEN {
            calls.open(&number.to_string(), "Read", &Value::Null);
        }
        assert!(calls.close("0").is_none());
        assert_eq!(calls.close("1").map(|call| call.name).as_deref(), Some("Read"));
        assert!(calls.close("1").is_none());

        let large = Value::from("x".repeat(MAX_BYTES / 2 + 1));
        calls.open("large", "Write", &large);
        calls.open("larger", "Write", &large);
        assert!(calls.close("large").is_none() && calls.close("2").is_none());
        assert!(calls.close("larger").is_some());
        assert_eq!(calls.bytes, 0);
    }
}
