//! Gemini CLI's envelope to an event. What went wrong is not an event of its own there, but in what a tool gave.

use model::{Author, Detail, Event, EventKind, Outcome, ToolCall};
use serde_json::{Value, json};

use super::{powers, tools};
use crate::Incoming;
use crate::codex::tools::absolute;
use crate::read::{self, Contents, Fields};

/// Opens the prompt that a held turn goes on with: Gemini CLI makes a prompt of our reason, and it comes back to us as
/// if a person had written it.
pub(super) const HELD: &str = "The turn goes on: ";

pub(super) fn read(agent: &'static str, incoming: &Incoming<'_>, contents: Contents) -> Event {
    let fields = Fields::of(incoming.json, contents);
    let name = read::name(incoming, &fields);
    let mut kind = powers::kind(&name);
    if kind == EventKind::Other {
        // A name that we do not know yet; the command line says what we registered it as.
        kind = incoming.hint.map_or(kind, EventKind::from_name);
    }
    let mut event = read::event(agent, incoming, &fields, name, kind);
    let detail = match kind {
        EventKind::Stop => Some(stop(&fields)),
        _ => read::detail(kind, &fields),
    };
    event.detail = match detail {
        Some(Detail::Tool(call)) => {
            let call = translated(call, &fields, event.cwd.as_deref());
            if matches!(call.outcome, Outcome::Failed { .. }) {
                event.kind = EventKind::PostToolUseFailure;
            }
            Detail::Tool(call)
        }
        Some(Detail::Prompt { text, .. }) if text.starts_with(HELD) => {
            Detail::Prompt { text, author: Author::Machine }
        }
        detail => detail.unwrap_or(event.detail),
    };
    event
}

fn stop(fields: &Fields<'_>) -> Detail {
    let last_message = fields.text("prompt_response").or_else(|| fields.text("last_assistant_message"));
    Detail::Stop { again: fields.flag("stop_hook_active"), last_message }
}

fn translated(call: ToolCall, fields: &Fields<'_>, cwd: Option<&str>) -> ToolCall {
    let (mut name, mut input) = tools::call(&call.name, &call.input);
    // Where the server's name ends and the tool's begins is said beside it.
    let server = |field| fields.value_in("mcp_context", field)?.as_str().map(str::to_owned);
    if let Some((server, tool)) = server("server_name").zip(server("tool_name")) {
        name = format!("mcp__{server}__{tool}");
    }
    if let Some(path) = input.get_mut("file_path") {
        *path = path.as_str().map_or(Value::Null, |path| json!(absolute(path, cwd)));
    }
    let outcome = match call.outcome {
        Outcome::Succeeded { response, duration_ms } => match failure(&name, fields) {
            Some(error) => Outcome::Failed { error, interrupted: false, duration_ms },
            None => Outcome::Succeeded { response: answered(&name, &input, response), duration_ms },
        },
        other => other,
    };
    ToolCall { name, input: fields.content(Some(input)), outcome, ..call }
}

/// The tool's own error, or the exit code of a command, which is no error there.
fn failure(name: &str, fields: &Fields<'_>) -> Option<String> {
    let error = fields.value_in("tool_response", "error").filter(|error| !error.is_null());
    if let Some(error) = error {
        let message = error.get("message").and_then(Value::as_str).map(str::to_owned);
        return Some(message.unwrap_or_else(|| error.to_string()));
    }
    if name != "Bash" {
        return None;
    }
    let said = fields.value_in("tool_response", "llmContent")?;
    let run = Run::of(said.as_str()?);
    let code = run.exit_code.filter(|code| *code != "0")?;
    Some(format!("Exit code {code}\n{}", run.output))
}

/// What hooks of Claude Code are given of the same.
fn answered(name: &str, input: &Value, response: Value) -> Value {
    let Some(said) = response.get("llmContent").and_then(said) else { return response };
    let shown = &response["returnDisplay"];
    match name {
        "Bash" => json!({ "stdout": Run::of(&said).output, "stderr": "", "interrupted": false }),
        "Read" => json!({ "type": "text", "file": { "filePath": input["file_path"], "content": said } }),
        "Write" | "Edit" => {
            let kind = if shown["isNewFile"] == json!(true) { "create" } else { "update" };
            let path = shown["filePath"].as_str().map_or_else(|| input["file_path"].clone(), Value::from);
            json!({ "type": kind, "filePath": path, "originalFile": shown["originalContent"] })
        }
        _ if name.starts_with("mcp__") => json!({ "content": [{ "type": "text", "text": said }] }),
        _ => Value::String(said),
    }
}

/// What the model was given: a text, or a list of such. `None`: something else, an image say.
fn said(content: &Value) -> Option<String> {
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Option<Vec<&str>> = parts.iter().map(|part| part.get("text")?.as_str()).collect();
            texts?.join("\n")
        }
        _ => return None,
    };
    Some(unwrapped(&text).to_owned())
}

/// Without the fence that Gemini CLI puts around what comes from outside.
fn unwrapped(text: &str) -> &str {
    let inside = text.trim().strip_prefix("<untrusted_context>\n");
    inside.and_then(|text| text.strip_suffix("\n</untrusted_context>")).unwrap_or(text)
}

/// What a command gave, as Gemini CLI writes it down for the model: labeled lines, the output first.
struct Run<'a> {
    output: &'a str,
    exit_code: Option<&'a str>,
}

impl<'a> Run<'a> {
    fn of(said: &'a str) -> Self {
        let said =
            said.trim().trim_start_matches("<untrusted_context>").trim_end_matches("</untrusted_context>");
        let mut output = said.trim();
        let mut exit_code = None;
        // From the end: the output before may have lines that look the same.
        while let Some((before, last)) = output.rsplit_once('\n') {
            let Some((label, value)) = last.split_once(": ") else { break };
            match label {
                "Exit Code" => exit_code = Some(value.trim()),
                "Error" | "Signal" | "Background PIDs" | "Process Group PGID" => {}
                _ => break,
            }
            output = before;
        }
        Self { output: output.strip_prefix("Output: ").unwrap_or(output), exit_code }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_judged_by_its_last_lines_alone() {
        let check = |said: &str, output: &str, exit_code: Option<&str>| {
            let run = Run::of(said);
            assert_eq!((run.output, run.exit_code), (output, exit_code), "{said}");
        };
        let wrapped =
            "<untrusted_context>\nOutput: hi\nExit Code: 3\nProcess Group PGID: 8870\n</untrusted_context>";
        check(wrapped, "hi", Some("3"));
        check("Output: Exit Code: 5\nall good\nProcess Group PGID: 1", "Exit Code: 5\nall good", None);
        check("Output: (empty)", "(empty)", None);
        check("", "", None);
    }
}
