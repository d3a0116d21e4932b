//! The redactor as its users see it: text in, text out.

mod catalogue;
mod containers;
mod envelopes;
mod families;
mod linear;
mod properties;
mod rules;
mod shapes;
mod shown;

use redact::{Redactor, Settings};

/// A redactor with a fixed key, so that marks are the same in every run.
fn redactor() -> Redactor {
    Redactor::new(Settings { key: [7; 32], ..Settings::default() }).expect("no rule of a person can fail")
}

/// Redacts `input` and returns the text with every mark cut to its kind.
fn redact(input: &str) -> String {
    let output = redactor().bytes(input.as_bytes());
    let output = String::from_utf8(output.bytes).expect("text stays text");
    without_hashes(&output)
}

fn without_hashes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("[REDACTED:") {
        let end = start + rest[start..].find(']').expect("a mark is closed");
        let inside = &rest[start + 10..end];
        let kind = inside.split(':').next().expect("a split has a first part");
        plain.push_str(&rest[..start]);
        plain.push('[');
        plain.push_str(kind);
        plain.push(']');
        rest = &rest[end + 1..];
    }
    plain.push_str(rest);
    plain
}
