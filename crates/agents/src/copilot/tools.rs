//! Copilot's tools in the words of the house: its names and inputs become those of Claude Code, so that one Read is
//! one Read whoever read. A tool that has no counterpart keeps its name and its input.
//!
//! Hooks get some names translated by the client itself; its conversations hold its own. Both are understood.

use serde_json::{Map, Value};

/// Between a server's name and its tool's.
const SERVER_MARK: char = '-';

pub(crate) fn call(name: &str, input: &Value) -> (String, Value) {
    let renamed = |pairs: &[(&str, &str)]| renamed(input, pairs);
    let (name, input) = match name {
        "view" | "Read" => ("Read", renamed(&[("path", "file_path")])),
        "create" | "Write" => ("Write", renamed(&[("path", "file_path"), ("file_text", "content")])),
        "edit" | "str_replace" | "Edit" => {
            ("Edit", renamed(&[("path", "file_path"), ("old_str", "old_string"), ("new_str", "new_string")]))
        }
        "bash" | "powershell" => ("Bash", input.clone()),
        "grep" => ("Grep", input.clone()),
        "glob" => ("Glob", input.clone()),
        "web_fetch" => ("WebFetch", input.clone()),
        "web_search" => ("WebSearch", input.clone()),
        "task" | "Agent" => ("Task", renamed(&[("agent_type", "subagent_type")])),
        "skill" => ("Skill", input.clone()),
        other => return (server_tool(other).unwrap_or_else(|| other.to_owned()), input.clone()),
    };
    (name.to_owned(), input)
}

/// The fields under their names in the house; what is not named stays as it is.
fn renamed(input: &Value, pairs: &[(&str, &str)]) -> Value {
    let Value::Object(fields) = input else { return input.clone() };
    let named = fields.iter().map(|(field, value)| {
        let to = pairs.iter().find(|(from, _)| from == field).map_or(field.as_str(), |(_, to)| *to);
        (to.to_owned(), value.clone())
    });
    Value::Object(named.collect::<Map<_, _>>())
}

/// `<server>-<tool>`. A server's name may have the mark in it, too; nothing says where it ends then.
fn server_tool(name: &str) -> Option<String> {
    // A name of the house is one already.
    let (server, tool) = name.split_once(SERVER_MARK).filter(|_| !name.starts_with("mcp__"))?;
    (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn its_own_names_and_those_the_client_translated_are_one_tool() {
        for name in ["view", "Read"] {
            let read = call(name, &json!({ "path": "/w/a", "view_range": [1, 9] }));
            assert_eq!(read, ("Read".to_owned(), json!({ "file_path": "/w/a", "view_range": [1, 9] })));
        }
        for name in ["edit", "Edit"] {
            let edit = call(name, &json!({ "path": "/w/a", "old_str": "x", "new_str": "y" }));
            let expected = json!({ "file_path": "/w/a", "old_string": "x", "new_string": "y" });
            assert_eq!(edit, ("Edit".to_owned(), expected));
        }
        let create = call("create", &json!({ "path": "/w/a", "file_text": "x" }));
        assert_eq!(create, ("Write".to_owned(), json!({ "file_path": "/w/a", "content": "x" })));
        let bash = call("bash", &json!({ "command": "ls" }));
        assert_eq!(bash, ("Bash".to_owned(), json!({ "command": "ls" })));
    }

    #[test]
    fn a_servers_tool_has_the_name_of_the_house_and_an_unknown_one_keeps_its_own() {
        let input = json!({ "query": "x" });
        assert_eq!(call("throughline-mem_search", &input).0, "mcp__throughline__mem_search");
        assert_eq!(call("mcp__my-server__get", &input).0, "mcp__my-server__get");
        assert_eq!(call("sql", &input), ("sql".to_owned(), input.clone()));
        assert_eq!(call("read_bash", &json!("odd")), ("read_bash".to_owned(), json!("odd")));
        assert_eq!(call("view", &json!("odd")), ("Read".to_owned(), json!("odd")));
    }
}
