//! Codex's envelope to an event: its names are those of the house, its tools are not.

use model::{Author, Detail, Event, EventKind, Outcome, ToolCall};
use serde_json::{Value, json};

use super::tools;
use crate::Incoming;
use crate::read::{self, Contents, Fields};

pub(super) fn read(agent: &'static str, incoming: &Incoming<'_>, contents: Contents) -> Event {
    let fields = Fields::of(incoming.json, contents);
    let name = read::name(incoming, &fields);
    let kind = EventKind::from_name(&name);
    let mut event = read::event(agent, incoming, &fields, name, kind);
    // A turn is everything between one prompt and the next.
    event.prompt_id = event.prompt_id.or_else(|| fields.word("turn_id"));
    // Inside of a subagent this is the subagent's own file, and the session's elsewhere: only that one is meant.
    if event.subagent.is_some() && kind != EventKind::SubagentStop {
        event.transcript = None;
    }
    event.detail = match read::detail(kind, &fields) {
        Some(Detail::Tool(call)) => Detail::Tool(translated(call, &fields, event.cwd.as_deref())),
        // A subagent's task is written by its parent.
        Some(Detail::Prompt { text, .. }) if event.subagent.is_some() => {
            Detail::Prompt { text, author: Author::Machine }
        }
        detail => detail.unwrap_or(event.detail),
    };
    event
}

/// The call in the words of the house. Commands and servers' tools have them already, and are most of all calls; the
/// name of any other can depend on what it was given, so that this is decoded even where it is left out.
fn translated(call: ToolCall, fields: &Fields<'_>, cwd: Option<&str>) -> ToolCall {
    if call.name == "Bash" || call.name.starts_with("mcp__") {
        let outcome = with_response(call.outcome, |response| match response {
            Value::String(text) => json!({ "stdout": text, "stderr": "", "interrupted": false }),
            other => other,
        });
        return ToolCall { outcome, ..call };
    }
    let given = fields.value("tool_input").unwrap_or(Value::Null);
    let mut calls = tools::calls(&call.name, &given, cwd).into_iter();
    let Some((name, mut input)) = calls.next() else { return call };
    // One call, several files: it is told as what happened to the first, with the names of the others.
    let others: Vec<Value> = calls.filter_map(|(_, input)| input.get("file_path").cloned()).collect();
    if !others.is_empty() {
        input["also"] = Value::Array(others);
    }
    let outcome = match name.as_str() {
        "Write" | "Edit" => with_response(call.outcome, |_| edited(&name, &input)),
        _ => call.outcome,
    };
    ToolCall { name, input: fields.content(Some(input)), outcome, ..call }
}

/// What was left out stays so.
fn with_response(outcome: Outcome, change: impl FnOnce(Value) -> Value) -> Outcome {
    match outcome {
        Outcome::Succeeded { response, duration_ms } if !response.is_null() => {
            Outcome::Succeeded { response: change(response), duration_ms }
        }
        other => other,
    }
}

/// Codex answers a patch with a list of names; what was done is in the patch.
fn edited(name: &str, input: &Value) -> Value {
    match name {
        "Write" => json!({ "type": "create", "filePath": input["file_path"], "content": input["content"] }),
        _ => json!({ "filePath": input["file_path"] }),
    }
}
