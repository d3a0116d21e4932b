//! The lines an edit added, as the agent's own answer tells them: by its patch, else by what it replaced, else by what
//! stood in the file before. A line that was only moved or set in or out is not new. Reads no file.

use std::collections::HashMap;

use model::{Outcome, ToolCall};
use serde_json::Value;

/// Lines that are looked at; an edit that adds more was not written by hand.
const MAX_LINES: usize = 20_000;

/// A line of the file as the edit left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1. `None`: the answer does not tell.
    pub(super) number: Option<u32>,
    /// Without the white space around it.
    pub(super) text: String,
}

/// What a successful call added to its file.
pub(super) fn lines(call: &ToolCall) -> Vec<Line> {
    let Outcome::Succeeded { response, .. } = &call.outcome else { return Vec::new() };
    let mut change = Change::default();
    if !change.patched(response) && !change.replaced(&call.input) {
        change.written(&call.input, response);
    }
    change.finish()
}

#[derive(Debug, Default)]
struct Change {
    added: Vec<Line>,
    /// How often each text was taken away.
    removed: HashMap<String, usize>,
}

impl Change {
    /// By the patch that the tool says it made. False: it says none.
    fn patched(&mut self, response: &Value) -> bool {
        let hunks = response.get("structuredPatch").and_then(Value::as_array);
        let Some(hunks) = hunks.filter(|hunks| !hunks.is_empty()) else { return false };
        for hunk in hunks {
            let mut number = hunk.get("newStart").and_then(Value::as_u64).unwrap_or(1) as u32;
            let lines = hunk.get("lines").and_then(Value::as_array);
            for line in lines.into_iter().flatten().filter_map(Value::as_str) {
                match line.split_at_checked(1) {
                    Some(("+", text)) => {
                        self.add(Some(number), text);
                        number += 1;
                    }
                    Some(("-", text)) => self.remove(text),
                    // "\ No newline at end of file" is no line.
                    Some(("\\", _)) => {}
                    _ => number += 1,
                }
            }
        }
        true
    }

    /// By what was put where. False: the call does not say.
    fn replaced(&mut self, input: &Value) -> bool {
        let edits = match input.get("edits").and_then(Value::as_array) {
            Some(edits) => edits.iter().collect(),
            None => vec![input],
        };
        let mut any = false;
        for edit in edits {
            let text = |key: &str| edit.get(key).and_then(Value::as_str);
            let Some(new) = text("new_string") else { continue };
            any = true;
            text("old_string").unwrap_or_default().lines().for_each(|line| self.remove(line));
            new.lines().for_each(|line| self.add(None, line));
        }
        any
    }

    /// By what the whole file was and is.
    fn written(&mut self, input: &Value, response: &Value) {
        let Some(content) = input.get("content").and_then(Value::as_str) else { return };
        let before = response.get("originalFile").and_then(Value::as_str).unwrap_or_default();
        before.lines().for_each(|line| self.remove(line));
        for (at, line) in content.lines().enumerate() {
            self.add(Some(at as u32 + 1), line);
        }
    }

    fn add(&mut self, number: Option<u32>, text: &str) {
        let text = text.trim();
        if !text.is_empty() && self.added.len() < MAX_LINES {
            self.added.push(Line { number, text: text.to_owned() });
        }
    }

    fn remove(&mut self, text: &str) {
        if self.removed.len() < MAX_LINES {
            *self.removed.entry(text.trim().to_owned()).or_default() += 1;
        }
    }

    fn finish(mut self) -> Vec<Line> {
        self.added.retain(|line| match self.removed.get_mut(&line.text) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        });
        self.added
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(name: &str, input: Value, response: Value) -> Vec<(Option<u32>, String)> {
        let outcome = Outcome::Succeeded { response, duration_ms: None };
        let call = ToolCall { name: name.into(), use_id: None, input, outcome };
        lines(&call).into_iter().map(|line| (line.number, line.text)).collect()
    }

    #[test]
    fn a_patch_tells_which_lines_are_new_and_where() {
        let patch = json!({ "structuredPatch": [{ "oldStart": 1, "oldLines": 3, "newStart": 4, "newLines": 4, "lines": [
            " alpha", "-  print(1)", "+    print(1)", "+print(2)", "\\ No newline at end of file", " omega", "+end"] }] });
        let edit = json!({ "old_string": "x", "new_string": "y" });
        let added = told("Edit", edit, patch);
        assert_eq!(
            added,
            [(Some(6), "print(2)".into()), (Some(8), "end".into())],
            "what was only set in is not new"
        );
    }

    #[test]
    fn without_a_patch_what_was_replaced_tells_and_else_what_stood_there() {
        let edit = json!({ "old_string": "a\nb", "new_string": "a\nb\nc" });
        assert_eq!(told("Edit", edit.clone(), json!({})), [(None, "c".into())]);
        let many = json!({ "edits": [edit, { "old_string": "", "new_string": "d" }] });
        assert_eq!(told("MultiEdit", many, json!("done")), [(None, "c".into()), (None, "d".into())]);
        let write = json!({ "content": "one\n\ntwo\n" });
        let update = json!({ "originalFile": "two\n", "structuredPatch": [] });
        assert_eq!(told("Write", write.clone(), update), [(Some(1), "one".into())]);
        let create = json!({ "originalFile": null, "structuredPatch": [] });
        assert_eq!(told("Write", write, create).len(), 2);
    }

    #[test]
    fn a_failure_added_nothing() {
        let call = ToolCall {
            name: "Edit".into(),
            use_id: None,
            input: json!({ "old_string": "a", "new_string": "b" }),
            outcome: Outcome::Pending,
        };
        assert_eq!(lines(&call), []);
    }
}
