//! What Codex gives the model for a call, taken apart: the header it writes in front, how it ended, what was printed.

use serde_json::Value;

use crate::transcript::ToolOutcome;
use crate::transcript::record::Object;

/// Said of a call that never ran.
const REFUSED: &[&str] = &["unsupported ", "failed to parse function arguments"];
const REJECTED: &str = "rejected by user";
const INTERRUPTED: &str = "aborted by user";
/// Said of a call that ran into trouble before there was an exit code.
const FAILED: &[&str] =
    &["apply_patch verification failed", "execution error", "exec_command failed", "err: "];
/// In front of what a command printed. A header has five lines.
const EXIT_CODES: &[&str] = &["Process exited with code ", "Exit code: "];
const PRINTED: &str = "Output:\n";
const MAX_HEADER_LINES: usize = 8;

pub(super) struct Output<'a> {
    pub(super) outcome: ToolOutcome,
    pub(super) exit: Option<i64>,
    pub(super) body: &'a str,
}

/// The text, and whether the record itself says that it went well. It is a text, a list of parts, or an object.
pub(super) fn text(payload: &Object<'_>) -> (String, Option<bool>) {
    if let Some(text) = payload.text("output") {
        // Old releases put an object into the text.
        let object: Option<Value> = text.starts_with('{').then(|| serde_json::from_str(&text).ok()).flatten();
        if let Some((output, code)) = object
            .as_ref()
            .and_then(|object| Some((object["output"].as_str()?, object["metadata"]["exit_code"].as_i64()?)))
        {
            return (format!("Exit code: {code}\n{PRINTED}{output}"), None);
        }
        return (text, None);
    }
    let parts: Vec<String> = payload.objects("output").filter_map(|part| part.text("text")).collect();
    if !parts.is_empty() {
        return (parts.join("\n"), None);
    }
    let object = payload.object("output");
    let success = object.as_ref().and_then(|object| object.value("success")?.as_bool());
    (object.and_then(|object| object.text("content")).unwrap_or_default(), success)
}

pub(super) fn read(text: &str) -> Output<'_> {
    let (exit, body) = header(text);
    let first = text.lines().next().unwrap_or_default();
    let outcome = if exit.is_some() {
        ToolOutcome::Succeeded
    } else if REFUSED.iter().any(|mark| text.starts_with(mark)) || first.contains(REJECTED) {
        ToolOutcome::Refused
    } else if first.contains(INTERRUPTED) {
        ToolOutcome::Interrupted
    } else if FAILED.iter().any(|mark| text.starts_with(mark)) {
        ToolOutcome::Failed
    } else {
        ToolOutcome::Succeeded
    };
    Output { outcome, exit, body }
}

/// The exit code and what was printed, where there is a header that says so.
fn header(text: &str) -> (Option<i64>, &str) {
    let (mut exit, mut at) = (None, 0);
    for line in text.split_inclusive('\n').take(MAX_HEADER_LINES) {
        at += line.len();
        let code = EXIT_CODES.iter().find_map(|mark| line.strip_prefix(mark));
        exit = exit.or_else(|| code?.trim().parse().ok());
        if line == PRINTED && exit.is_some() {
            return (exit, &text[at..]);
        }
    }
    (None, text)
}

/// Changes as the client reports them, as the patch they were: `{path: {type: add|delete|update, …}}`.
pub(super) fn patch(changes: &Value) -> String {
    let mut patch = String::new();
    for (path, change) in changes.as_object().into_iter().flatten() {
        let (verb, lines) = match change["type"].as_str() {
            Some("add") => ("Add", change["content"].as_str().unwrap_or_default()),
            Some("delete") => ("Delete", ""),
            _ => ("Update", change["unified_diff"].as_str().unwrap_or_default()),
        };
        patch.push_str(&format!("*** {verb} File: {path}\n"));
        if let Some(to) = change["move_path"].as_str() {
            patch.push_str(&format!("*** Move to: {to}\n"));
        }
        for line in lines.lines() {
            if verb == "Add" {
                patch.push('+');
            }
            patch.push_str(line);
            patch.push('\n');
        }
    }
    patch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, outcome: ToolOutcome, exit: Option<i64>, body: &str) {
        let read = read(text);
        assert_eq!((read.outcome, read.exit, read.body), (outcome, exit, body));
    }

    #[test]
    fn how_a_call_ended_is_told_by_its_header_or_its_first_words() {
        use ToolOutcome::{Failed, Interrupted, Refused, Succeeded};
        let new = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOriginal token count: 1\nOutput:\nno\n";
        check(new, Succeeded, Some(2), "no\n");
        check("Exit code: 0\nWall time: 0 seconds\nOutput:\nok", Succeeded, Some(0), "ok");
        check("unsupported call: shell", Refused, None, "unsupported call: shell");
        check("exec command rejected by user", Refused, None, "exec command rejected by user");
        check("aborted by user after 2.0s", Interrupted, None, "aborted by user after 2.0s");
        let failed = "apply_patch verification failed: no such file";
        check(failed, Failed, None, failed);
        check("Plan updated", Succeeded, None, "Plan updated");
        let quoted = "a\nb\nc\nd\ne\nf\ng\nh\nExit code: 1\nOutput:\nx";
        check(quoted, Succeeded, None, quoted);
    }

    #[test]
    fn reported_changes_are_a_patch_again() {
        let changes = serde_json::json!({
            "/w/a": { "type": "add", "content": "x\ny\n" },
            "/w/b": { "type": "update", "unified_diff": "@@ -1 +1 @@\n-c\n+d\n", "move_path": null },
            "/w/c": { "type": "delete", "content": "z" },
        });
        let expected =
            "*** Add File: /w/a\n+x\n+y\n*** Update File: /w/b\n@@ -1 +1 @@\n-c\n+d\n*** Delete File: /w/c\n";
        assert_eq!(patch(&changes), expected);
    }
}
