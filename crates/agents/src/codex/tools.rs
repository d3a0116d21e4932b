//! Codex's tools in the words of the house: its names and inputs become those of Claude Code, so that one Read is
//! one Read whoever read. A tool that has no counterpart keeps its name and its input.

use serde_json::{Value, json};

use super::patch::changes;

/// Under this name a patch is applied, also where it comes in through the shell.
const APPLY_PATCH: &str = "apply_patch";

/// The calls that one call was: a patch of several files is one call per file, anything else is one.
pub(crate) fn calls(name: &str, input: &Value, cwd: Option<&str>) -> Vec<(String, Value)> {
    if let Some(patch) = patch_in(name, input) {
        let calls: Vec<_> = changes(patch)
            .iter()
            .map(|change| change.call(&absolute(&change.path, cwd)))
            .map(|(name, input)| (name.to_owned(), input))
            .collect();
        if !calls.is_empty() {
            return calls;
        }
    }
    vec![one(name, input, cwd)]
}

fn one(name: &str, input: &Value, cwd: Option<&str>) -> (String, Value) {
    let said = |field: &str| input.get(field).and_then(Value::as_str);
    let path = |fields: &[&str]| {
        fields.iter().find_map(|field| said(field)).map_or(Value::Null, |path| json!(absolute(path, cwd)))
    };
    let (name, input) = match name {
        "exec_command" | "shell" | "shell_command" | "container.exec" | "local_shell" | "unified_exec" => {
            ("Bash", json!({ "command": command(input) }))
        }
        "read_file" => ("Read", json!({ "file_path": path(&["file_path", "path"]) })),
        "view_image" => ("Read", json!({ "file_path": path(&["path"]) })),
        "list_dir" => ("LS", json!({ "path": path(&["dir_path", "path"]) })),
        "grep_files" => ("Grep", json!({ "pattern": said("pattern"), "path": path(&["path"]) })),
        "update_plan" => ("TodoWrite", json!({ "todos": todos(input) })),
        "web_search" => match said("url") {
            Some(url) => ("WebFetch", json!({ "url": url })),
            None => ("WebSearch", json!({ "query": said("query") })),
        },
        "spawn_agent" => {
            let task = said("message").or_else(|| said("prompt"));
            ("Task", json!({ "prompt": task, "subagent_type": said("agent_type") }))
        }
        "request_user_input" => ("AskUserQuestion", input.clone()),
        other => return (other.to_owned(), input.clone()),
    };
    (name.to_owned(), input)
}

/// A patch arrives as the tool's whole input, or in its one field. Some models pipe it through the shell.
fn patch_in<'a>(name: &str, input: &'a Value) -> Option<&'a str> {
    if name == APPLY_PATCH {
        return ["input", "patch", "command"]
            .iter()
            .find_map(|field| input.get(*field)?.as_str())
            .or_else(|| input.as_str());
    }
    let words = input.get("command")?.as_array()?;
    match words.as_slice() {
        [program, patch] if program == APPLY_PATCH => patch.as_str(),
        _ => None,
    }
}

/// What a person would have typed: the script, without the shell around it.
fn command(input: &Value) -> String {
    let Some(given) = input.get("cmd").or_else(|| input.get("command")) else { return String::new() };
    match given {
        Value::String(text) => text.clone(),
        Value::Array(words) => script(&words.iter().filter_map(Value::as_str).collect::<Vec<_>>()),
        _ => String::new(),
    }
}

pub(crate) fn script(words: &[&str]) -> String {
    match words {
        [shell, flag, script] if is_shell(shell) && matches!(*flag, "-lc" | "-c" | "-Command") => {
            (*script).to_owned()
        }
        words => words.join(" "),
    }
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    matches!(name, "bash" | "sh" | "zsh" | "fish" | "pwsh" | "powershell" | "powershell.exe" | "pwsh.exe")
}

fn todos(input: &Value) -> Vec<Value> {
    let steps = input.get("plan").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    steps
        .iter()
        .filter_map(|step| {
            let text = step.get("step")?.as_str()?;
            Some(json!({ "content": text, "activeForm": text, "status": step.get("status") }))
        })
        .collect()
}

/// Codex writes paths as seen from the folder it works in.
pub(crate) fn absolute(path: &str, cwd: Option<&str>) -> String {
    match cwd {
        Some(cwd) if !path.starts_with('/') => {
            format!("{}/{}", cwd.trim_end_matches('/'), path.trim_start_matches("./"))
        }
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, input: &Value, expected: &[(&str, Value)]) {
        let calls = calls(name, input, Some("/w"));
        let calls: Vec<(&str, Value)> =
            calls.iter().map(|(name, input)| (name.as_str(), input.clone())).collect();
        assert_eq!(calls, expected);
    }

    #[test]
    fn a_command_is_what_a_person_would_have_typed() {
        let bash = |command: &str| [("Bash", json!({ "command": command }))];
        check("exec_command", &json!({ "cmd": "ls -1", "workdir": "/w" }), &bash("ls -1"));
        check("shell", &json!({ "command": ["bash", "-lc", "ls | wc"] }), &bash("ls | wc"));
        check("shell", &json!({ "command": ["/usr/bin/git", "status"] }), &bash("/usr/bin/git status"));
        check("shell_command", &json!({ "command": "make" }), &bash("make"));
    }

    #[test]
    fn a_patch_is_one_call_for_each_file() {
        let patch =
            "*** Begin Patch\n*** Add File: a.md\n+x\n*** Update File: /etc/b\n@@\n-c\n+d\n*** End Patch";
        let expected = [
            ("Write", json!({ "file_path": "/w/a.md", "content": "x\n" })),
            ("Edit", json!({ "file_path": "/etc/b", "old_string": "c\n", "new_string": "d\n" })),
        ];
        check("apply_patch", &json!({ "input": patch }), &expected);
        check("apply_patch", &json!({ "command": patch }), &expected);
        check("apply_patch", &json!(patch), &expected);
        check("shell", &json!({ "command": ["apply_patch", patch] }), &expected);
    }

    #[test]
    fn other_tools_have_a_counterpart_or_keep_their_name() {
        check("view_image", &json!({ "path": "./a.png" }), &[("Read", json!({ "file_path": "/w/a.png" }))]);
        check(
            "update_plan",
            &json!({ "plan": [{ "step": "Fix it", "status": "pending" }] }),
            &[(
                "TodoWrite",
                json!({ "todos": [{ "content": "Fix it", "activeForm": "Fix it", "status": "pending" }] }),
            )],
        );
        check("write_stdin", &json!({ "chars": "y" }), &[("write_stdin", json!({ "chars": "y" }))]);
        check(
            "apply_patch",
            &json!({ "input": "no patch" }),
            &[("apply_patch", json!({ "input": "no patch" }))],
        );
    }
}
