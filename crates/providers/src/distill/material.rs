//! Raw payloads become the few lines a reader needs: JSON is unwrapped, repetitions and echoes are left out, and
//! what is too long keeps its ends and the lines between them that say what went wrong.

use std::collections::HashSet;

use serde_json::Value;

use super::{RawStep, Role};

/// What a payload may weigh before it is looked at; the middle of a longer one is not even parsed.
const MAX_PAYLOAD_BYTES: usize = 256 * 1024;
/// Deeper and wider than this a payload is data, not a story.
const MAX_DEPTH: usize = 4;
const MAX_LEAVES: usize = 64;
/// Shorter values repeat by accident; longer ones repeat because a result echoes its call.
const ECHO_BYTES: usize = 16;
/// A telling line in the middle of a long output is quoted up to here.
const MAX_TELLING_LINE: usize = 160;

/// Keys of results that hold no news: the file before the edit, the patch that repeats the call, switches, timings.
const NOISE: &[&str] = &[
    "originalFile",
    "structuredPatch",
    "interrupted",
    "isImage",
    "noOutputExpected",
    "userModified",
    "replaceAll",
    "replace_all",
    "durationMs",
    "totalLines",
    "startLine",
    "numLines",
    "type",
];

/// Words that make a line worth keeping when its neighbors are not.
const TELLING: &[&str] = &[
    "error",
    "fail",
    "panic",
    "exception",
    "assert",
    "denied",
    "not found",
    "cannot",
    "warning:",
    "fatal",
    "undefined",
];

/// A step's call and result, trimmed, before any fence.
#[derive(Debug)]
pub(super) struct Trimmed {
    pub(super) input: String,
    pub(super) output: String,
}

/// `halvings`: how often the allowances are halved, for a batch that would be too long otherwise.
pub(super) fn trim(step: &RawStep, halvings: u32) -> Trimmed {
    let role = Role::of(&step.tool);
    // What was read matters less than that it was read; an edit is its call; a command is its result, and a failure
    // is what the next steps are about.
    let (input, output) = match (role, step.ok) {
        (Role::Reads, true) => (400, 500),
        (Role::Reads, false) => (400, 900),
        (Role::Edits, true) => (2_000, 250),
        (Role::Edits, false) => (1_200, 900),
        // The conclusion stands first, and words are what is asked about.
        (Role::Says, _) => (0, 900 << halvings.min(1)),
        (Role::Other, true) => (1_200, 1_500),
        (Role::Other, false) => (1_200, 2_000),
    };
    let mut known = HashSet::new();
    let call = readable(&step.input, &mut known);
    let result = readable(&step.output, &mut known);
    Trimmed { input: clip(&call, input >> halvings), output: clip(&result, output >> halvings) }
}

/// Text that is only itself: no escape sequences, no characters that hide or turn others.
pub(super) fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\n' | '\t' => clean.push(c),
            _ if c.is_control() || hides(c) => {}
            _ => clean.push(c),
        }
    }
    clean
}

/// After ESC: `[ … letter`, or `] … BEL`; anything else is one character.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => while chars.next().is_some_and(|c| !c.is_ascii_alphabetic() && c != '~') {},
        Some(']') => while chars.next().is_some_and(|c| c != '\u{7}' && c != '\u{1b}' && c != '\n') {},
        _ => {}
    }
}

/// Zero-width, bidirectional, tag and variation characters: invisible to a person, read by a model.
fn hides(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}')
}

/// A payload as lines of `key: value`, or as the text it is. Values in `known` were said before.
fn readable(payload: &str, known: &mut HashSet<String>) -> String {
    let payload = ends(payload, MAX_PAYLOAD_BYTES);
    let trimmed = payload.trim();
    let value = match trimmed.as_bytes().first() {
        Some(b'{' | b'[' | b'"') => serde_json::from_str(trimmed).ok(),
        _ => None,
    };
    let Some(value) = value else { return clean(trimmed) };
    let mut leaves = Leaves { lines: String::new(), left: MAX_LEAVES, known };
    leaves.add("", &value, 0);
    clean(leaves.lines.trim_end())
}

struct Leaves<'a> {
    lines: String,
    left: usize,
    known: &'a mut HashSet<String>,
}

impl Leaves<'_> {
    fn add(&mut self, key: &str, value: &Value, depth: usize) {
        match value {
            Value::Null | Value::Bool(false) => {}
            Value::Object(fields) if depth < MAX_DEPTH => {
                for (key, value) in fields {
                    if !NOISE.contains(&key.as_str()) {
                        self.add(key, value, depth + 1);
                    }
                }
            }
            Value::Array(items) if depth < MAX_DEPTH => {
                for item in items {
                    self.add(key, item, depth + 1);
                }
            }
            Value::String(text) => self.leaf(key, text),
            other => self.leaf(key, &other.to_string()),
        }
    }

    fn leaf(&mut self, key: &str, text: &str) {
        let text = text.trim();
        if text.is_empty() || self.left == 0 {
            return;
        }
        if text.len() >= ECHO_BYTES && !self.known.insert(text.to_owned()) {
            return;
        }
        self.left -= 1;
        // The text of a result needs no label.
        if !matches!(key, "" | "stdout" | "content" | "text" | "command") {
            self.lines.push_str(key);
            self.lines.push_str(": ");
        }
        self.lines.push_str(text);
        self.lines.push('\n');
    }
}

/// At most `budget` bytes of `text` and a word about what is missing: its head, its tail, and telling lines between.
pub(super) fn clip(text: &str, budget: usize) -> String {
    if text.len() <= budget {
        return text.to_owned();
    }
    let telling_budget = budget * 3 / 10;
    let head = floor(text, budget * 4 / 10);
    let tail = ceil(text, text.len() - budget * 3 / 10);
    let (head, middle, tail) = (&text[..head], &text[head..tail], &text[tail..]);
    let mut telling = String::new();
    for line in middle.lines() {
        let line = line.trim();
        let line = &line[..floor(line, MAX_TELLING_LINE)];
        if telling.len() + line.len() > telling_budget {
            break;
        }
        if is_telling(line) {
            telling.push_str(line);
            telling.push('\n');
        }
    }
    let missing = middle.len() - telling.len().min(middle.len());
    format!("{head}\n[{missing} bytes left out]\n{telling}{tail}")
}

fn is_telling(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    TELLING.iter().any(|word| line.contains(word))
}

/// The two ends of a text that is too long to look at.
fn ends(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    if text.len() <= most {
        return text.into();
    }
    let (head, tail) = (floor(text, most / 2), ceil(text, text.len() - most / 2));
    format!("{}\n{}", &text[..head], &text[tail..]).into()
}

/// The last boundary of a character at or before `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn ceil(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(tool: &str, input: &str, output: &str, ok: bool) -> RawStep {
        RawStep { tool: tool.to_owned(), at: 0, input: input.to_owned(), output: output.to_owned(), ok }
    }

    #[test]
    fn a_call_is_unwrapped_and_its_echo_left_out() {
        let input = r#"{"file_path":"/p/src/refresh_token.rs","old_string":"let a = 1;\nlet b = 2;","new_string":"let a = 2;"}"#;
        let output = r#"{"filePath":"/p/src/refresh_token.rs","oldString":"let a = 1;\nlet b = 2;","originalFile":"gone","userModified":false}"#;
        let trimmed = trim(&step("Edit", input, output, true), 0);
        assert!(trimmed.input.contains("old_string: let a = 1;\nlet b = 2;"), "{}", trimmed.input);
        assert_eq!(trimmed.output, "", "it only repeats the call");
    }

    #[test]
    fn a_long_failure_keeps_its_ends_and_the_line_that_tells() {
        let noise = "   Compiling something v0.1.0\n".repeat(400);
        let output =
            format!("$ cargo test\n{noise}error[E0308]: mismatched types\n{noise}test result: FAILED");
        let trimmed = trim(&step("Bash", "cargo test", &output, false), 0);
        assert!(trimmed.output.len() < 2_200, "{}", trimmed.output.len());
        for kept in
            ["$ cargo test", "error[E0308]: mismatched types", "test result: FAILED", "bytes left out"]
        {
            assert!(trimmed.output.contains(kept), "{kept}");
        }
    }

    #[test]
    fn hidden_characters_and_escape_sequences_do_not_pass() {
        assert_eq!(
            clean("a\u{1b}[31mred\u{1b}[0m\u{202e}b\u{200b}\u{e0041}c\r\n\u{1b}]0;title\u{7}d\u{0}"),
            "aredbc\nd"
        );
    }

    #[test]
    fn clipping_never_splits_a_character() {
        let text = "ä€🦀".repeat(300);
        for budget in 0..200 {
            assert!(clip(&text, budget).len() <= budget + 64);
        }
    }

    #[test]
    fn a_payload_beyond_reason_is_not_parsed() {
        let huge = format!("[{}1]", "[1],".repeat(300_000));
        assert!(trim(&step("mcp__x__y", "{}", &huge, true), 0).output.len() < 1_700);
    }
}
