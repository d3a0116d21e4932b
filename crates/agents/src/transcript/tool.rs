//! What a tool gave, in the form hooks give it, made of what other agents keep of it.

use serde_json::{Value, json};

use super::{ToolOutcome, What};

/// Where a tool's input names the one file it is about.
const FILE_FIELDS: &[&str] = &["file_path", "notebook_path"];

pub(crate) fn file_in(input: &Value) -> Option<String> {
    FILE_FIELDS.iter().find_map(|field| input.get(*field)?.as_str().map(str::to_owned))
}

/// A use of a tool, by its name in the house.
pub(crate) fn tool_use(id: &str, name: String, input: Value) -> What {
    let file = file_in(&input);
    What::ToolUse { id: id.to_owned(), name, input, file }
}

/// What came of a call that is known by its name in the house. `exit` is the command's, where there was one.
pub(crate) fn result(
    id: &str,
    name: &str,
    input: &Value,
    outcome: ToolOutcome,
    output: &str,
    exit: Option<i64>,
) -> What {
    let outcome = match (outcome, exit) {
        (ToolOutcome::Succeeded, Some(code)) if code != 0 => ToolOutcome::Failed,
        (outcome, _) => outcome,
    };
    let text = match (outcome, exit) {
        (ToolOutcome::Failed, Some(code)) => format!("Exit code {code}\n{output}"),
        _ => output.to_owned(),
    };
    let structured = match name {
        _ if outcome != ToolOutcome::Succeeded => None,
        "Bash" => Some(json!({ "stdout": output, "stderr": "", "interrupted": false })),
        "Write" => {
            Some(json!({ "type": "create", "filePath": input["file_path"], "content": input["content"] }))
        }
        "Edit" => Some(json!({ "filePath": input["file_path"] })),
        _ => None,
    };
    What::ToolResult { id: id.to_owned(), outcome, text, structured }
}
