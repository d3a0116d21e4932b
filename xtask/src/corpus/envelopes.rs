//! Hook envelopes as the client sends them, with a text put where such a text arrives.
//!
//! The shapes follow the recorded envelopes; only the fields that carry text are filled.

use super::Split;
use super::carriers::Group;
use super::format::{escape, expand};
use super::random::Random;

/// (name, splits, suits, event, the fields after the event's name); `§` is the escaped text, `¶` the text escaped twice.
type Shape = (&'static str, &'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
const ALL: &[Shape] = &[
    ("Read", "DH", "f", "PostToolUse", r#""tool_name":"Read","tool_input":{"file_path":"/project/config/app"},"tool_response":{"type":"text","file":{"filePath":"/project/config/app","content":"§","numLines":9,"startLine":1,"totalLines":9}}"#),
    ("Bash output", "DH", "f", "PostToolUse", r#""tool_name":"Bash","tool_input":{"command":"cat config/app","description":"show"},"tool_response":{"stdout":"§","stderr":"","interrupted":false,"isImage":false}"#),
    ("Bash stderr", "H", "f", "PostToolUse", r#""tool_name":"Bash","tool_input":{"command":"make deploy"},"tool_response":{"stdout":"","stderr":"§","interrupted":false,"isImage":false}"#),
    ("Bash command", "DH", "c", "PostToolUse", r#""tool_name":"Bash","tool_input":{"command":"§","description":"run it"},"tool_response":{"stdout":"ok","stderr":"","interrupted":false,"isImage":false}"#),
    ("Bash before", "DH", "c", "PreToolUse", r#""tool_name":"Bash","tool_input":{"command":"§","description":"run it"}"#),
    ("Bash permission", "H", "c", "PermissionRequest", r#""tool_name":"Bash","tool_input":{"command":"§"},"permission_suggestions":[]"#),
    ("Bash failure", "DH", "c", "PostToolUseFailure", r#""tool_name":"Bash","tool_input":{"command":"§"},"error":"Exit code 1\n§","is_interrupt":false"#),
    ("Write", "DH", "f", "PostToolUse", r#""tool_name":"Write","tool_input":{"file_path":"/project/.env","content":"§"},"tool_response":{"type":"create","filePath":"/project/.env","content":"§","structuredPatch":[],"originalFile":null}"#),
    ("Edit", "DH", "f", "PostToolUse", r#""tool_name":"Edit","tool_input":{"file_path":"/project/a","old_string":"x","new_string":"§","replace_all":false},"tool_response":{"filePath":"/project/a","oldString":"x","newString":"§","originalFile":"§","structuredPatch":[{"oldStart":1,"oldLines":2,"newStart":1,"newLines":2,"lines":[" alpha","+§"]}],"userModified":false}"#),
    ("Grep", "D", "f", "PostToolUse", r#""tool_name":"Grep","tool_input":{"pattern":"KEY","path":"/project","output_mode":"content"},"tool_response":{"mode":"content","numFiles":0,"filenames":[],"content":"§","numLines":4}"#),
    ("Prompt", "DH", "fct", "UserPromptSubmit", r#""prompt":"please look at this:\n§\nthanks""#),
    ("Prompt bare", "H", "t", "UserPromptSubmit", r#""prompt":"§""#),
    ("MCP result", "DH", "ft", "PostToolUse", r#""tool_name":"mcp__vault__read","tool_input":{"q":"x"},"tool_response":[{"type":"text","text":"§"}],"mcp_server":{"name":"vault","source":"dynamic"}"#),
    ("MCP json result", "H", "f", "PostToolUse", r#""tool_name":"mcp__db__query","tool_input":{"sql":"select 1"},"tool_response":[{"type":"text","text":"{\"rows\":[{\"body\":\"¶\"}]}"}],"mcp_server":{"name":"db","source":"plugin"}"#),
    ("MCP input", "D", "fc", "PreToolUse", r#""tool_name":"mcp__ops__apply","tool_input":{"body":"§"},"mcp_server":{"name":"ops","source":"dynamic"}"#),
    ("MCP failure", "H", "ft", "PostToolUseFailure", r#""tool_name":"mcp__ops__apply","tool_input":{"body":"§"},"error":"rejected: §","is_interrupt":false"#),
    ("Agent", "D", "ct", "PostToolUse", r#""tool_name":"Agent","tool_input":{"description":"sub task","prompt":"§","subagent_type":"general-purpose"},"tool_response":{"status":"completed","prompt":"§","content":[{"type":"text","text":"done: §"}],"totalTokens":3570}"#),
    ("Stop", "H", "ct", "Stop", r#""stop_hook_active":false,"last_assistant_message":"I ran §""#),
    ("Notebook", "H", "f", "PostToolUse", r#""tool_name":"NotebookEdit","tool_input":{"notebook_path":"/project/n.ipynb","new_source":"§","cell_type":"code"},"tool_response":{"new_source":"§","language":"python"}"#),
    ("Write before", "F", "f", "PreToolUse", r#""tool_name":"Write","tool_input":{"file_path":"/project/x","content":"§"}"#),
    ("MultiEdit", "F", "f", "PreToolUse", r#""tool_name":"MultiEdit","tool_input":{"file_path":"/project/x","edits":[{"old_string":"a","new_string":"b"},{"old_string":"§","new_string":""}]}"#),
    ("Todo", "F", "ct", "PostToolUse", r#""tool_name":"TodoWrite","tool_input":{"todos":[{"content":"§","status":"pending","activeForm":"doing it"}]},"tool_response":{"oldTodos":[],"newTodos":[{"content":"§","status":"pending"}]}"#),
    ("Background output", "F", "fc", "PostToolUse", r#""tool_name":"BashOutput","tool_input":{"bash_id":"b1"},"tool_response":{"shellId":"b1","status":"running","stdout":"§","stderr":""}"#),
    ("MCP structured", "F", "ft", "PostToolUse", r#""tool_name":"mcp__tracker__get","tool_input":{"id":7},"tool_response":{"structuredContent":{"issue":{"title":"x","body":"§"}}}"#),
    ("WebFetch", "D", "f", "PostToolUse", r#""tool_name":"WebFetch","tool_input":{"url":"https://docs.acme.dev/x","prompt":"read"},"tool_response":{"bytes":900,"code":200,"result":"§"}"#),
];

/// Wraps a text into a fitting envelope; `None` where no shape suits it.
pub(crate) fn wrap(
    text: &str,
    group: Group,
    split: Split,
    random: &mut Random,
) -> Option<(&'static str, String)> {
    let suit = match group {
        Group::Command => 'c',
        Group::Talk => 't',
        Group::Environment | Group::File | Group::Header | Group::Code => 'f',
    };
    let fitting: Vec<&Shape> =
        ALL.iter().filter(|shape| split.shows(shape.1) && shape.2.contains(suit)).collect();
    if fitting.is_empty() {
        return None;
    }
    let &&(name, _, _, event, fields) = &fitting[random.below(fitting.len())];
    Some((name, around(event, fields, text, random)))
}

/// A large file read, for the speed measure.
pub(crate) fn read_result(text: &str, random: &mut Random) -> String {
    let (_, _, _, event, fields) = ALL[0];
    around(event, fields, text, random)
}

fn around(event: &str, fields: &str, text: &str, random: &mut Random) -> String {
    let once = escape(text);
    let body = fields.replace('§', &once).replace('¶', &escape(&once));
    let head = expand(
        r#"{"session_id":"{uuid}","transcript_path":"/home/user/.claude/projects/-project/{uuid}.jsonl","cwd":"/project","prompt_id":"{uuid}","permission_mode":"default","#,
        random,
    );
    let tail = expand(r#""tool_use_id":"toolu_01{w22}","duration_ms":{d2}"#, random).replace(":0", ":1");
    format!("{head}\"hook_event_name\":\"{event}\",{body},{tail}}}")
}

#[cfg(test)]
mod tests {
    use crate::corpus::{Split, negatives, secrets};

    #[test]
    fn every_envelope_is_valid_json() {
        for split in Split::ALL {
            for case in secrets(5, split).into_iter().chain(negatives::all(5, split)) {
                if case.envelope {
                    let parsed = serde_json::from_str::<serde_json::Value>(&case.text);
                    assert!(parsed.is_ok(), "{:?} {}", parsed.err(), case.text);
                }
            }
        }
    }
}
