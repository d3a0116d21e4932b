//! What strangers send: read what can be had, invent nothing, never panic.

use model::{Author, Detail, EventKind, SessionId, StartSource, ToolCall};
use serde_json::Value;

use crate::{fixture, read};

fn prompt(text: &str) -> Author {
    let json = serde_json::json!({"hook_event_name": "UserPromptSubmit", "prompt": text}).to_string();
    match read(json.as_bytes(), None).detail {
        Detail::Prompt { text: kept, author } => {
            assert_eq!(kept, text);
            author
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn only_a_task_notification_that_opens_the_prompt_is_a_machine_speaking() {
    assert_eq!(prompt("<task-notification>\n<task-id>a</task-id>"), Author::Machine);
    assert_eq!(prompt(" \n\t<task-notification>"), Author::Machine);
    assert_eq!(prompt("what does <task-notification> mean?"), Author::Person);
    assert_eq!(prompt("/hello world"), Author::Person);
    assert_eq!(prompt("<task-notifications>"), Author::Person);
    assert_eq!(prompt(""), Author::Person);
}

#[test]
fn a_compaction_is_not_a_subagent_ending() {
    let event = read(&fixture("SubagentStop-4"), Some("SubagentStop"));
    assert_eq!((event.kind, event.name.as_str()), (EventKind::Other, "SubagentStop"));
    assert_eq!((event.subagent, event.detail), (None, Detail::Plain));
    let real = read(&fixture("SubagentStop-1"), None);
    assert_eq!(real.kind, EventKind::SubagentStop);
    assert_eq!(real.subagent.unwrap().kind, "general-purpose");
}

#[test]
fn an_agents_type_alone_is_the_main_thread() {
    assert_eq!(read(br#"{"hook_event_name":"Stop","agent_type":"reviewer"}"#, None).subagent, None);
}

#[test]
fn the_envelopes_own_name_wins_over_the_hint() {
    assert_eq!(read(br#"{"hook_event_name":"Stop"}"#, Some("SessionEnd")).kind, EventKind::Stop);
    assert_eq!(read(br#"{"hook_event_name":7}"#, Some("SessionEnd")).kind, EventKind::SessionEnd);
    assert_eq!(read(b"{}", None).name, "unknown");
    assert_eq!(read(b"{}", Some("")).name, "unknown");
}

#[test]
fn an_unknown_event_keeps_its_name() {
    let event = read(br#"{"hook_event_name":"QuantumLeap","session_id":"s"}"#, None);
    assert_eq!(
        (event.kind, event.name.as_str(), event.session.as_str()),
        (EventKind::Other, "QuantumLeap", "s")
    );
}

#[test]
fn what_is_no_object_is_an_event_without_fields() {
    for json in [&b"null"[..], b"[1,2]", b"\"text\"", b"12", b"", b"  ", b"{", b"{\"a\"", b"\xff\xfe"] {
        let event = read(json, Some("Stop"));
        assert_eq!((event.kind, event.session.as_str()), (EventKind::Stop, SessionId::UNKNOWN));
    }
}

#[test]
fn a_mistyped_field_costs_only_itself() {
    let event = read(
        br#"{"hook_event_name":"PostToolUseFailure","session_id":["s"],"cwd":null,"prompt_id":"","tool_name":"Bash",
            "error":{},"is_interrupt":"yes","duration_ms":-1,"agent_id":1,"transcript_path":"/t"}"#,
        None,
    );
    assert_eq!(event.session.as_str(), SessionId::UNKNOWN);
    assert_eq!((event.cwd, event.prompt_id, event.subagent), (None, None, None));
    assert_eq!(event.transcript.as_deref(), Some("/t"));
    let Detail::Tool(ToolCall { input, outcome, .. }) = event.detail else { panic!("a tool call") };
    assert_eq!(input, Value::Null);
    assert_eq!(
        outcome,
        model::Outcome::Failed { error: String::new(), interrupted: false, duration_ms: None }
    );
    assert_eq!(read(br#"{"hook_event_name":"PreToolUse","tool_name":5}"#, None).detail, Detail::Plain);
    assert_eq!(
        read(br#"{"hook_event_name":"SessionStart","source":"teleport"}"#, None).detail,
        Detail::Start { source: StartSource::Other, model: None }
    );
}

#[test]
fn of_a_field_sent_twice_the_last_counts() {
    assert_eq!(
        read(br#"{"session_id":"a","session_id":"b","session\u005fid":"c"}"#, None).session.as_str(),
        "c"
    );
}

#[test]
fn a_hundred_thousand_brackets_in_the_input_lose_nothing_else() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let json = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}1{},"session_id":"s","cwd":"/p"}}"#,
            open.repeat(100_000),
            close.repeat(100_000)
        );
        let event = read(json.as_bytes(), None);
        assert_eq!((event.session.as_str(), event.cwd.as_deref()), ("s", Some("/p")));
        let Detail::Tool(call) = event.detail else { panic!("a tool call") };
        assert_eq!((call.name.as_str(), call.input), ("Bash", Value::Null));
    }
    let deep_root = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(read(deep_root.as_bytes(), Some("Stop")).kind, EventKind::Stop);
    assert_eq!(read("[".repeat(100_000).as_bytes(), Some("Stop")).kind, EventKind::Stop);
}

#[test]
fn a_prompt_cut_in_the_middle_of_an_emoji_is_kept() {
    let event = read(br#"{"hook_event_name":"UserPromptSubmit","prompt":"well \ud83d"}"#, None);
    assert_eq!(event.detail, Detail::Prompt { text: "well \u{fffd}".into(), author: Author::Person });
    let event = read(
        br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"\ude00"}}"#,
        None,
    );
    let Detail::Tool(call) = event.detail else { panic!("a tool call") };
    assert_eq!(call.input["command"], "\u{fffd}");
}

#[test]
fn names_are_bounded_and_impossible_paths_are_absent() {
    let json = serde_json::json!({
        "hook_event_name": "é".repeat(9_000), "session_id": "s".repeat(9_000), "cwd": "/".repeat(5_000),
        "transcript_path": "/a\u{0}b", "prompt_id": "p".repeat(9_000),
    });
    let event = read(json.to_string().as_bytes(), None);
    assert_eq!(event.name.chars().count(), 400);
    assert_eq!(event.session.as_str().len(), SessionId::MAX_CHARS);
    assert_eq!((event.cwd, event.transcript), (None, None));
    assert_eq!(event.prompt_id.unwrap().len(), 400);
}
