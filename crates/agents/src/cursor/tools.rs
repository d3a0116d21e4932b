//! Cursor's tools in the words of the house: its names and inputs become those of Claude Code, so that one Read is
//! one Read whoever read. A tool that has no counterpart keeps its name and its input.

use serde_json::{Value, json};

/// Opens the name of a server's tool. Which server it is of is not said.
const SERVER_TOOL: &str = "MCP:";

pub(crate) fn call(name: &str, input: &Value) -> (String, Value) {
    let said = |field: &str| input.get(field).cloned().unwrap_or_default();
    let (name, input) = match name {
        "Shell" => ("Bash", input.clone()),
        "List" => ("LS", json!({ "path": said("file_path") })),
        "Grep" => {
            let fields =
                json!({ "pattern": said("pattern"), "path": said("file_path"), "glob": said("glob") });
            ("Grep", fields)
        }
        "Fetch" => ("WebFetch", input.clone()),
        // Read and Write are as in the house.
        other => {
            let name = match other.strip_prefix(SERVER_TOOL) {
                Some(tool) => format!("mcp__unnamed__{tool}"),
                None => other.to_owned(),
            };
            return (name, input.clone());
        }
    };
    (name.to_owned(), input)
}

/// A tool's output is JSON in a string: `{"output": …, "exitCode": …}` of a shell, other objects of other tools.
pub(crate) fn output(said: Value) -> (String, Option<i64>) {
    let Value::String(text) = said else { return (said.to_string(), None) };
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(&text) else { return (text, None) };
    let exit = fields.get("exitCode").and_then(Value::as_i64);
    match fields.get("output") {
        Some(Value::String(output)) => (output.clone(), exit),
        _ => (text, exit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_bash_and_a_search_names_its_path() {
        let shell = call("Shell", &json!({ "command": "ls", "cwd": "/w" }));
        assert_eq!(shell, ("Bash".to_owned(), json!({ "command": "ls", "cwd": "/w" })));
        let grep = call("Grep", &json!({ "pattern": "x", "file_path": "/w", "output_mode": "content" }));
        assert_eq!(grep, ("Grep".to_owned(), json!({ "pattern": "x", "path": "/w", "glob": null })));
        assert_eq!(call("MCP:mem_search", &json!({})).0, "mcp__unnamed__mem_search");
        assert_eq!(
            call("Read", &json!({ "file_path": "/a" })),
            ("Read".to_owned(), json!({ "file_path": "/a" }))
        );
    }

    #[test]
    fn what_a_shell_printed_is_taken_out_of_its_wrapping() {
        let wrapped = json!(r#"{"output":"hello\n","exitCode":1}"#);
        assert_eq!(output(wrapped), ("hello\n".to_owned(), Some(1)));
        assert_eq!(output(json!("plain")), ("plain".to_owned(), None));
        let other = r#"{"file_path":"/w/a","content_length":3}"#;
        assert_eq!(output(json!(other)), (other.to_owned(), None));
        assert_eq!(output(json!({ "a": 1 })), (r#"{"a":1}"#.to_owned(), None));
    }
}
