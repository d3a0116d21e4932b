//! The client's envelope to an event. Nearly all of it is in the words of the house; what is not is here.

use model::{Author, Detail, Event, EventKind, Outcome, SessionId, StartSource, Subagent, ToolCall};

use super::tools;
use super::write::HELD;
use crate::read::{self, Contents, Fields};
use crate::{Incoming, outcome};

/// Ends the result of a command: `<shellId: 0 completed with exit code 1>`.
const EXIT_MARK: &str = " completed with exit code ";

pub(super) fn read(agent: &'static str, incoming: &Incoming<'_>, contents: Contents) -> Event {
    let fields = Fields::of(incoming.json, contents);
    let name = read::name(incoming, &fields);
    let kind = EventKind::from_name(&name);
    let mut event = read::event(agent, incoming, &fields, name, kind);
    // One event comes under the client's own field names.
    if event.session.as_str().is_empty() {
        event.session = SessionId::new(&fields.word("sessionId").unwrap_or_default());
    }
    event.transcript = event.transcript.or_else(|| fields.path("transcriptPath"));
    // Inside a subagent the session is the subagent's own; to the person it is one session.
    if let Some(Subagent { id, .. }) = &event.subagent
        && id == event.session.as_str()
        && let Some(parent) = fields.word("parent_agent_id")
    {
        event.session = SessionId::new(&parent);
    }
    match kind {
        // Its end is told again, with what it said, by a SubagentStop.
        EventKind::Stop if event.subagent.is_some() => Event { kind: EventKind::Other, ..event },
        EventKind::PreToolUse | EventKind::PostToolUse | EventKind::PostToolUseFailure => {
            tool(event, &fields)
        }
        _ => Event { detail: detail(&event, &fields).unwrap_or(Detail::Plain), ..event },
    }
}

fn detail(event: &Event, fields: &Fields<'_>) -> Option<Detail> {
    Some(match read::detail(event.kind, fields)? {
        Detail::Start { source: StartSource::Other, model } if fields.word("source")? == "new" => {
            Detail::Start { source: StartSource::Startup, model }
        }
        Detail::Prompt { text, author } => {
            let machine = event.subagent.is_some() || text.starts_with(HELD);
            Detail::Prompt { text, author: if machine { Author::Machine } else { author } }
        }
        detail => detail,
    })
}

/// A command that did not exit with 0 is a success to the client and a failure to the house.
fn tool(event: Event, fields: &Fields<'_>) -> Event {
    let Some(Detail::Tool(call)) = read::detail(event.kind, fields) else { return event };
    let (name, input) = tools::call(&call.name, &call.input);
    let outcome = match call.outcome {
        Outcome::Succeeded { response, duration_ms } => {
            match fields.value_in("tool_result", "text_result_for_llm") {
                Some(serde_json::Value::String(text)) => {
                    let exit = (name == "Bash").then(|| exit_code(&text)).flatten();
                    outcome::of(fields, (&name, &input), text, exit, duration_ms)
                }
                // An envelope in the words of the house.
                _ => Outcome::Succeeded { response, duration_ms },
            }
        }
        outcome => outcome,
    };
    let failed = matches!(outcome, Outcome::Failed { .. });
    let kind = if failed { EventKind::PostToolUseFailure } else { event.kind };
    Event { kind, detail: Detail::Tool(ToolCall { name, input, outcome, ..call }), ..event }
}

fn exit_code(text: &str) -> Option<i64> {
    let (_, code) = text.trim_end().strip_suffix('>')?.rsplit_once(EXIT_MARK)?;
    code.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_code_is_read_from_the_end_and_nowhere_else() {
        assert_eq!(exit_code("\n<shellId: 0 completed with exit code 1>"), Some(1));
        assert_eq!(exit_code("x\n<shellId: 3 completed with exit code 0>\n"), Some(0));
        assert_eq!(exit_code("<shellId: 0 completed with exit code 1>\nand then"), None);
        assert_eq!(exit_code("exit code 1"), None);
        assert_eq!(exit_code(""), None);
    }
}
