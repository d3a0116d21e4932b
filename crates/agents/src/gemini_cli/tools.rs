//! Gemini CLI's tools in the words of the house: its names and inputs become those of Claude Code, so that one Read
//! is one Read whoever read. A tool that has no counterpart keeps its name and its input.

use serde_json::{Map, Value, json};

/// Servers' tools are called `mcp_<server>_<tool>`; where the one ends and the other begins is a guess, since both
/// may have underscores of their own.
const SERVER_PREFIX: &str = "mcp_";

pub(crate) fn call(name: &str, input: &Value) -> (String, Value) {
    let said = |fields: &[&str]| fields.iter().find_map(|field| input.get(*field)).cloned();
    let renamed = |pairs: &[(&str, &[&str])]| {
        let present = pairs.iter().filter_map(|(to, from)| Some(((*to).to_owned(), said(from)?)));
        Value::Object(present.collect::<Map<_, _>>())
    };
    let (name, input) = match name {
        "read_file" => {
            let fields: &[(&str, &[&str])] = &[
                ("file_path", &["file_path", "absolute_path", "path"]),
                ("offset", &["offset", "start_line"]),
                ("limit", &["limit"]),
            ];
            ("Read", renamed(fields))
        }
        "write_file" => ("Write", renamed(&[("file_path", &["file_path"]), ("content", &["content"])])),
        "replace" => {
            let fields: &[(&str, &[&str])] = &[
                ("file_path", &["file_path"]),
                ("old_string", &["old_string"]),
                ("new_string", &["new_string"]),
            ];
            ("Edit", renamed(fields))
        }
        "run_shell_command" => {
            ("Bash", renamed(&[("command", &["command"]), ("description", &["description"])]))
        }
        "grep_search" | "search_file_content" => {
            let fields: &[(&str, &[&str])] = &[
                ("pattern", &["pattern"]),
                ("path", &["dir_path", "path"]),
                ("glob", &["include_pattern", "include"]),
            ];
            ("Grep", renamed(fields))
        }
        "glob" => ("Glob", renamed(&[("pattern", &["pattern"]), ("path", &["dir_path", "path"])])),
        "list_directory" => ("LS", renamed(&[("path", &["dir_path", "path"])])),
        "web_fetch" => ("WebFetch", renamed(&[("url", &["url"]), ("prompt", &["prompt"])])),
        "google_web_search" => ("WebSearch", renamed(&[("query", &["query"])])),
        "write_todos" => ("TodoWrite", json!({ "todos": todos(input) })),
        "ask_user" => ("AskUserQuestion", input.clone()),
        "activate_skill" => ("Skill", renamed(&[("skill", &["name", "skill"])])),
        "exit_plan_mode" => ("ExitPlanMode", input.clone()),
        "enter_plan_mode" => ("EnterPlanMode", input.clone()),
        other => return (server_tool(other).unwrap_or_else(|| other.to_owned()), input.clone()),
    };
    (name.to_owned(), input)
}

fn server_tool(name: &str) -> Option<String> {
    let (server, tool) = name.strip_prefix(SERVER_PREFIX)?.split_once('_')?;
    (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
}

fn todos(input: &Value) -> Vec<Value> {
    let todos = input.get("todos").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    todos
        .iter()
        .filter_map(|todo| {
            let text = todo.get("description")?.as_str()?;
            Some(json!({ "content": text, "activeForm": text, "status": todo.get("status") }))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, input: &Value, expected: &(&str, Value)) {
        let (name, input) = call(name, input);
        assert_eq!((name.as_str(), input), *expected);
    }

    #[test]
    fn every_tool_has_a_counterpart_or_keeps_its_name() {
        check("read_file", &json!({ "absolute_path": "/w/a" }), &("Read", json!({ "file_path": "/w/a" })));
        check(
            "replace",
            &json!({ "file_path": "/w/a", "instruction": "why", "old_string": "x", "new_string": "y" }),
            &("Edit", json!({ "file_path": "/w/a", "old_string": "x", "new_string": "y" })),
        );
        check("run_shell_command", &json!({ "command": "ls" }), &("Bash", json!({ "command": "ls" })));
        check(
            "search_file_content",
            &json!({ "pattern": "x", "path": "src", "include": "*.rs" }),
            &("Grep", json!({ "pattern": "x", "path": "src", "glob": "*.rs" })),
        );
        check("mcp_docs_find_page", &json!({}), &("mcp__docs__find_page", json!({})));
        check("save_memory", &json!({ "fact": "f" }), &("save_memory", json!({ "fact": "f" })));
        check("mcp_", &json!(null), &("mcp_", json!(null)));
    }
}
