//! OpenCode's tools in the words of the house: its names and inputs become those of Claude Code, so that one Read is
//! one Read whoever read. A tool that has no counterpart keeps its name and its input.

use serde_json::{Map, Value};

use crate::codex::patch::changes;

/// Changes files by a patch, for the models that were taught to.
pub(crate) const PATCH: &str = "apply_patch";
/// Tools of its own that look like a server's.
const OWN: &[&str] =
    &["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource", "plan_enter", "plan_exit"];

pub(crate) fn call(name: &str, input: &Value) -> (String, Value) {
    let renamed = |pairs: &[(&str, &str)]| renamed(input, pairs);
    let (name, input) = match name {
        "read" => ("Read", renamed(&[("filePath", "file_path")])),
        "write" => ("Write", renamed(&[("filePath", "file_path")])),
        "edit" => (
            "Edit",
            renamed(&[
                ("filePath", "file_path"),
                ("oldString", "old_string"),
                ("newString", "new_string"),
                ("replaceAll", "replace_all"),
            ]),
        ),
        "bash" => ("Bash", input.clone()),
        "grep" => ("Grep", renamed(&[("include", "glob")])),
        "glob" => ("Glob", input.clone()),
        "list" => ("LS", input.clone()),
        "webfetch" => ("WebFetch", input.clone()),
        "websearch" => ("WebSearch", input.clone()),
        "task" => ("Task", input.clone()),
        "todowrite" => ("TodoWrite", input.clone()),
        "skill" => ("Skill", renamed(&[("name", "skill")])),
        "question" => ("AskUserQuestion", input.clone()),
        PATCH => return patch(input),
        other => return (server_tool(other).unwrap_or_else(|| other.to_owned()), input.clone()),
    };
    (name.to_owned(), input)
}

/// A patch of one file is a call for that file; one of several has no counterpart that is one call.
fn patch(input: &Value) -> (String, Value) {
    let text = input.get("patchText").and_then(Value::as_str).unwrap_or_default();
    match changes(text).as_slice() {
        [change] => {
            let (name, input) = change.call(&change.path);
            (name.to_owned(), input)
        }
        _ => (PATCH.to_owned(), input.clone()),
    }
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

/// `<server>_<tool>`. Where the one ends and the other begins is a guess, since both may have underscores.
fn server_tool(name: &str) -> Option<String> {
    // A name of the house is one already.
    let own = OWN.contains(&name) || name.starts_with("mcp__");
    let (server, tool) = name.split_once('_').filter(|_| !own)?;
    (!server.is_empty() && !tool.is_empty()).then(|| format!("mcp__{server}__{tool}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn its_names_and_fields_become_those_of_the_house() {
        let check = |name, input, expected: (&str, Value)| {
            assert_eq!(call(name, &input), (expected.0.to_owned(), expected.1));
        };
        check(
            "read",
            json!({ "filePath": "/a", "limit": 9 }),
            ("Read", json!({ "file_path": "/a", "limit": 9 })),
        );
        check(
            "edit",
            json!({ "filePath": "/a", "oldString": "x", "newString": "y" }),
            ("Edit", json!({ "file_path": "/a", "old_string": "x", "new_string": "y" })),
        );
        check(
            "write",
            json!({ "filePath": "/a", "content": "x" }),
            ("Write", json!({ "file_path": "/a", "content": "x" })),
        );
        check("bash", json!({ "command": "ls" }), ("Bash", json!({ "command": "ls" })));
        check("read", json!(7), ("Read", json!(7)));
    }

    #[test]
    fn a_servers_tool_has_the_name_of_the_house_and_its_own_ones_do_not() {
        assert_eq!(call("throughline_mem_get", &Value::Null).0, "mcp__throughline__mem_get");
        assert_eq!(call("list_mcp_resources", &Value::Null).0, "list_mcp_resources");
        assert_eq!(call("mcp__github__get_issue", &Value::Null).0, "mcp__github__get_issue");
        assert_eq!(call("invalid", &Value::Null).0, "invalid");
    }

    #[test]
    fn a_patch_of_one_file_is_a_call_for_that_file() {
        let one = json!({ "patchText": "*** Begin Patch\n*** Add File: /w/a.md\n+x\n*** End Patch" });
        assert_eq!(
            call("apply_patch", &one),
            ("Write".to_owned(), json!({ "file_path": "/w/a.md", "content": "x\n" }))
        );
        let none = json!({ "patchText": "nothing" });
        assert_eq!(call("apply_patch", &none), ("apply_patch".to_owned(), none));
    }
}
