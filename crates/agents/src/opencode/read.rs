//! The shim's envelope to an event. Names of sessions, events and calls are the house's; tools are OpenCode's.

use model::{Author, Detail, Event, EventKind, Outcome, ToolCall};
use serde_json::Value;

use super::tools;
use crate::read::{self, Contents, Fields};
use crate::{Incoming, outcome};

pub(super) fn read(agent: &'static str, incoming: &Incoming<'_>, contents: Contents) -> Event {
    let fields = Fields::of(incoming.json, contents);
    let name = read::name(incoming, &fields);
    let kind = EventKind::from_name(&name);
    let event = read::event(agent, incoming, &fields, name, kind);
    match read::detail(kind, &fields) {
        // A subagent's prompt is the agent's.
        Some(Detail::Prompt { text, .. }) if event.subagent.is_some() => {
            Event { detail: Detail::Prompt { text, author: Author::Machine }, ..event }
        }
        Some(Detail::Tool(call)) => tool(event, call, &fields),
        Some(detail) => Event { detail, ..event },
        None => event,
    }
}

/// A command that did not exit with 0 is a success to OpenCode and a failure to the house.
fn tool(event: Event, call: ToolCall, fields: &Fields<'_>) -> Event {
    // What a patch is called depends on what it changes.
    let given = match call.name.as_str() {
        tools::PATCH => fields.value("tool_input").unwrap_or_default(),
        _ => call.input,
    };
    let (name, input) = tools::call(&call.name, &given);
    let input = fields.content(Some(input));
    let outcome = match call.outcome {
        Outcome::Succeeded { response, duration_ms } => match said(fields) {
            Some(text) if fields.value_in("tool_response", "isError") == Some(Value::Bool(true)) => {
                Outcome::Failed { error: text, interrupted: false, duration_ms }
            }
            Some(text) => {
                let exit = fields.value_in("tool_response", "exit").and_then(|exit| exit.as_i64());
                outcome::of(fields, (&name, &input), text, exit, duration_ms)
            }
            // An envelope in the words of the house.
            None => Outcome::Succeeded { response, duration_ms },
        },
        outcome => outcome,
    };
    let failed = matches!(outcome, Outcome::Failed { .. });
    let kind = if failed { EventKind::PostToolUseFailure } else { event.kind };
    Event { kind, detail: Detail::Tool(ToolCall { name, use_id: call.use_id, input, outcome }), ..event }
}

/// What a tool gave: a text of its own, or the texts of a server's answer.
fn said(fields: &Fields<'_>) -> Option<String> {
    if let Some(Value::String(text)) = fields.value_in("tool_response", "output") {
        return Some(text);
    }
    let parts = fields.value_in("tool_response", "content")?;
    let texts: Vec<&str> = parts.as_array()?.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    Some(texts.join("\n"))
}
