//! What an event is about, in one line a person reads in a list: `Edit src/a.rs`, `cargo test`, the beginning of a
//! prompt. Says what was done and never what came of it; text of strangers becomes one bounded line and nothing else.

use model::{Detail, Event, EventKind, ToolCall};
use serde_json::Value;

/// A line of a list; longer ones are cut there anyway.
const MAX_TITLE_CHARS: usize = 200;
/// Which member of a tool's input says what the call is about, the most telling first. Agents agree on most of them.
const SUBJECTS: &[&str] = &[
    "file_path",
    "filePath",
    "notebook_path",
    "absolute_path",
    "pattern",
    "query",
    "q",
    "path",
    "url",
    "description",
    "subject",
    "skill",
    "name",
    "prompt",
    "text",
];
/// Inputs that are a command line.
const COMMANDS: &[&str] = &["command", "cmd", "script"];
/// Members that are a path, shown as seen from where the agent stands.
const PATHS: &[&str] = &["file_path", "filePath", "notebook_path", "absolute_path", "path"];

/// Never empty, never more than one line.
pub fn title(event: &Event) -> String {
    let told = match &event.detail {
        Detail::Prompt { text, .. } => one_line(text),
        Detail::Tool(call) => tool(call, event.cwd.as_deref()),
        Detail::Start { source, model } => {
            let model = model.as_deref().map(|model| format!(" with {model}")).unwrap_or_default();
            one_line(&format!("Session starts ({}){model}", source.name()))
        }
        Detail::Stop { last_message, .. } => {
            last_message.as_deref().map(one_line).filter(|said| !said.is_empty()).unwrap_or_else(|| {
                let ends = event.kind == EventKind::SubagentStop;
                if ends { "Subagent is done".to_owned() } else { "Turn is done".to_owned() }
            })
        }
        Detail::StopFailure { error } => one_line(&format!("Turn ends with an error: {error}")),
        Detail::Notification { title, message, .. } => {
            one_line(&title.iter().chain([message]).map(String::as_str).collect::<Vec<_>>().join(": "))
        }
        Detail::Compaction { trigger, .. } => {
            let when = if event.kind == EventKind::PreCompact { "begins" } else { "is done" };
            one_line(&format!("Compaction {when} ({trigger})"))
        }
        Detail::End { reason } => one_line(&format!("Session ends ({reason})")),
        Detail::Path { path } => {
            one_line(&format!("{} {}", event.kind.name(), relative(path, event.cwd.as_deref())))
        }
        Detail::Plain | Detail::Batch { .. } => plain(event),
    };
    if told.is_empty() { one_line(&event.name) } else { told }
}

fn plain(event: &Event) -> String {
    match (event.kind, &event.subagent) {
        (EventKind::SubagentStart, Some(agent)) => one_line(&format!("Subagent starts: {}", agent.kind)),
        _ => one_line(&event.name),
    }
}

fn tool(call: &ToolCall, cwd: Option<&str>) -> String {
    let member =
        |names: &[&'static str]| names.iter().find_map(|name| Some((*name, words(call.input.get(name)?)?)));
    // A command line says itself; nobody needs to read that it went through a shell.
    if let Some((_, command)) = member(COMMANDS) {
        return one_line(&command);
    }
    let name = short_name(&call.name);
    match member(SUBJECTS) {
        Some((member, about)) if PATHS.contains(&member) => {
            one_line(&format!("{name} {}", relative(&about, cwd)))
        }
        Some((_, about)) => one_line(&format!("{name} {about}")),
        None => one_line(&name),
    }
}

/// A word, or a list of words as some agents give commands.
fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().take(64).filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// `mcp__server__tool` as `server: tool`.
fn short_name(name: &str) -> String {
    match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) => format!("{server}: {tool}"),
        None => name.to_owned(),
    }
}

fn relative<'a>(path: &'a str, cwd: Option<&str>) -> &'a str {
    let inside = cwd.and_then(|cwd| path.strip_prefix(cwd.trim_end_matches('/'))?.strip_prefix('/'));
    inside.filter(|inside| !inside.is_empty()).unwrap_or(path)
}

/// White space and control characters become one space; what is longer is cut with a sign.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut room = MAX_TITLE_CHARS;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
            room = room.saturating_sub(1);
        }
        for c in word.chars() {
            if room <= 1 {
                line.push('…');
                return line;
            }
            line.push(c);
            room -= 1;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use model::{Context, EventId};
    use serde_json::json;

    use super::*;
    use crate::Adapter as _;
    use crate::{ClaudeCode, Incoming};

    fn title_of(envelope: &Value) -> String {
        let (context, json) = (Context::new(), envelope.to_string());
        let incoming = Incoming {
            id: EventId::from_bytes([7; 16]),
            at: 1,
            hint: None,
            context: &context,
            json: json.as_bytes(),
        };
        title(&ClaudeCode.read(&incoming))
    }

    fn call(name: &str, input: &Value) -> String {
        title_of(&json!({
            "hook_event_name": "PostToolUse", "cwd": "/w", "tool_name": name, "tool_input": input,
            "tool_response": {}
        }))
    }

    #[test]
    fn a_call_says_what_was_done_and_to_what() {
        assert_eq!(call("Edit", &json!({ "file_path": "/w/src/a.rs" })), "Edit src/a.rs");
        assert_eq!(call("Read", &json!({ "file_path": "/other/a.rs" })), "Read /other/a.rs");
        assert_eq!(
            call("Bash", &json!({ "command": "cargo  test\n -q", "description": "x" })),
            "cargo test -q"
        );
        assert_eq!(call("shell", &json!({ "command": ["git", "log"] })), "git log");
        assert_eq!(call("Grep", &json!({ "pattern": "fn main", "path": "/w/src" })), "Grep fn main");
        assert_eq!(call("mcp__mem__recall", &json!({ "q": "the lexer" })), "mem: recall the lexer");
        assert_eq!(call("ExitPlanMode", &json!({})), "ExitPlanMode");
        assert_eq!(call("Odd", &json!([1, 2])), "Odd");
    }

    #[test]
    fn a_prompt_is_its_own_beginning_on_one_line() {
        let prompt = |text: &str| title_of(&json!({ "hook_event_name": "UserPromptSubmit", "prompt": text }));
        assert_eq!(prompt("fix\n\tthe \u{1b}[31mlexer"), "fix the [31mlexer");
        let long = prompt(&"ä".repeat(1000));
        assert_eq!(long.chars().count(), MAX_TITLE_CHARS);
        assert!(long.ends_with('…'));
        assert_eq!(prompt(" \n"), "UserPromptSubmit", "nothing said is still an event");
    }

    #[test]
    fn what_nobody_knows_keeps_the_name_it_came_with() {
        assert_eq!(title_of(&json!({ "hook_event_name": "SomethingNew" })), "SomethingNew");
        assert_eq!(title_of(&json!([1, 2, 3])), "unknown");
    }
}
