//! Cursor's envelope to an event.

use model::{Author, Detail, Event, EventKind, Outcome, SessionId, StartSource, Subagent, ToolCall};
use serde_json::Value;

use super::write::HELD;
use super::{powers, tools};
use crate::read::{self, Contents, Fields};
use crate::{Incoming, outcome};

pub(super) fn read(agent: &'static str, incoming: &Incoming<'_>, contents: Contents) -> Event {
    let fields = Fields::of(incoming.json, contents);
    let name = read::name(incoming, &fields);
    let kind = match powers::kind(&name) {
        // The same event tells of a turn that was broken off.
        EventKind::Stop if fields.word("status").is_some_and(|status| status != "completed") => {
            EventKind::StopFailure
        }
        kind => kind,
    };
    let mut event = read::event(agent, incoming, &fields, name, kind);
    // Its documents promise every event the conversation's id and only some the session's; they are the same.
    if fields.word("session_id").is_none()
        && let Some(id) = fields.word("conversation_id")
    {
        event.session = SessionId::new(&id);
    }
    event.cwd = event.cwd.or_else(|| first_root(&fields));
    event.prompt_id = event.prompt_id.or_else(|| fields.word("generation_id"));
    if let Some(id) = fields.word("subagent_id") {
        event.subagent = Some(Subagent { id, kind: fields.word("subagent_type").unwrap_or_default() });
    }
    match kind {
        EventKind::PreToolUse | EventKind::PostToolUse | EventKind::PostToolUseFailure => {
            tool(event, &fields)
        }
        _ => Event { detail: detail(kind, &fields).unwrap_or(Detail::Plain), ..event },
    }
}

/// Only tools say where they run; a conversation belongs to the folder that was opened first.
fn first_root(fields: &Fields<'_>) -> Option<String> {
    fields.value("workspace_roots")?.get(0)?.as_str().filter(|root| !root.is_empty()).map(str::to_owned)
}

fn detail(kind: EventKind, fields: &Fields<'_>) -> Option<Detail> {
    Some(match read::detail(kind, fields)? {
        // It says nothing of where a session comes from: a resumed one does not start again.
        Detail::Start { source: StartSource::Other, model } => {
            Detail::Start { source: StartSource::Startup, model }
        }
        Detail::Prompt { text, author } => {
            let held = text.starts_with(HELD);
            Detail::Prompt { text, author: if held { Author::Machine } else { author } }
        }
        Detail::Stop { again, last_message } => Detail::Stop {
            again: again || count(fields, "loop_count") > 0,
            last_message: last_message.or_else(|| fields.text("summary")),
        },
        Detail::StopFailure { error } if error.is_empty() => {
            Detail::StopFailure { error: fields.word("status").unwrap_or_default() }
        }
        detail => detail,
    })
}

fn tool(event: Event, fields: &Fields<'_>) -> Event {
    let Some(Detail::Tool(call)) = read::detail(event.kind, fields) else { return event };
    let (name, input) = tools::call(&call.name, &call.input);
    let input = fields.content(Some(input));
    let took = fields.value("duration").and_then(|took| took.as_u64());
    let outcome = match call.outcome {
        Outcome::Succeeded { response, duration_ms } => match fields.value("tool_output") {
            Some(output) => {
                let (text, exit) = tools::output(output);
                outcome::of(fields, (&name, &input), text, exit, duration_ms.or(took))
            }
            // An envelope in the words of the house.
            None => Outcome::Succeeded { response, duration_ms },
        },
        Outcome::Failed { error, interrupted, duration_ms } => Outcome::Failed {
            error: if error.is_empty() { fields.text("error_message").unwrap_or_default() } else { error },
            interrupted,
            duration_ms: duration_ms.or(took),
        },
        outcome => outcome,
    };
    let failed = matches!(outcome, Outcome::Failed { .. });
    let kind = if failed { EventKind::PostToolUseFailure } else { event.kind };
    Event { kind, detail: Detail::Tool(ToolCall { name, input, outcome, ..call }), ..event }
}

fn count(fields: &Fields<'_>, name: &str) -> u64 {
    fields.value(name).as_ref().and_then(Value::as_u64).unwrap_or(0)
}
