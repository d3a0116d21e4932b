//! What came of a tool call, in the form the house knows from hooks, made of the text that other agents give.

use model::Outcome;
use serde_json::{Value, json};

use crate::read::Fields;

/// `name` and `input` are those of the house, `exit` is a command's, where there was one. A command that did not
/// exit with 0 has failed, also where the agent calls that a success.
pub(crate) fn of(
    fields: &Fields<'_>,
    (name, input): (&str, &Value),
    text: String,
    exit: Option<i64>,
    duration_ms: Option<u64>,
) -> Outcome {
    match exit {
        Some(code) if code != 0 => {
            Outcome::Failed { error: format!("Exit code {code}\n{text}"), interrupted: false, duration_ms }
        }
        _ => Outcome::Succeeded { response: fields.content(Some(response(name, input, text))), duration_ms },
    }
}

fn response(name: &str, input: &Value, text: String) -> Value {
    match name {
        "Bash" => json!({ "stdout": text, "stderr": "", "interrupted": false }),
        "Write" => json!({ "filePath": input["file_path"], "content": input["content"] }),
        "Edit" => json!({
            "filePath": input["file_path"],
            "oldString": input["old_string"],
            "newString": input["new_string"],
        }),
        _ => Value::String(text),
    }
}
