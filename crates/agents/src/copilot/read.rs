//! The client's envelope to an event. Nearly all of it is in the words of the house; what is not is here.

use model::{Author, Detail, Event, EventKind, Outcome, SessionId, StartSource, Subagent, ToolCall};

use super::tools;
use super::write::HELD;
use crate::read::{self, Contents, Fields};
use crate::{Incoming, outcome};

/// The last line of a command's result: `<shellId: 0 completed with exit code 1>`.
const SHELL_MARK: &str = "<shellId: ";
const EXIT_MARK: &str = " completed with exit code ";

pub(super) fn read(agent: &'static str, incoming: &Incoming<'_>, contents: Contents) -> Event {
    let fields = Fields::of(incoming.json, contents);
    let name = read::name(incoming, &fields);
    let kind = EventKind::from_name(&name);
    let mut event = read::event(agent, incoming, &fields, name, kind);
    // One event comes under the client's own field names.
    if let (None, Some(session)) = (fields.word("session_id"), fields.word("sessionId")) {
        event.session = SessionId::new(&session);
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
                    let (text, exit) = if name == "Bash" { ended(text) } else { (text, None) };
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

/// What a command printed, and what it exited with, where the client says so.
fn ended(text: String) -> (String, Option<i64>) {
    let mark = text.rfind(SHELL_MARK).filter(|at| *at == 0 || text[..*at].ends_with('\n'));
    let exit = mark.and_then(|at| {
        let (_, code) = text[at..].trim_end().strip_suffix('>')?.split_once(EXIT_MARK)?;
        Some((at, code.parse().ok()?))
    });
    match exit {
        Some((at, code)) => (text[..at].to_owned(), Some(code)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_code_is_read_from_the_last_line_and_nowhere_else() {
        let check = |text: &str, printed: &str, exit| {
            assert_eq!(ended(text.to_owned()), (printed.to_owned(), exit));
        };
        check("\n<shellId: 0 completed with exit code 1>", "\n", Some(1));
        check("x\n<shellId: 3 completed with exit code 0>\n", "x\n", Some(0));
        check("<shellId: 3 completed with exit code -1>", "", Some(-1));
        for text in [
            "<shellId: 0 completed with exit code 1>\nand then",
            "said <shellId: 0 completed with exit code 1>",
            "<shellId: 0 is still running>",
            "exit code 1",
            "",
        ] {
            check(text, text, None);
        }
    }
}
