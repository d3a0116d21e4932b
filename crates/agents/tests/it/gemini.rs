//! Gemini CLI: what its answers look like to the byte, and what becomes of its one file.

use agents::{Adapter, GeminiCli, Location, Ours, Program, Scope, SettingsFile};
use model::{Advice, Author, Detail, Event, EventKind, Note, Verdict};
use serde_json::{Value, json};

use crate::with_incoming;

fn event(name: &str) -> Event {
    let path = format!("{}/fixtures/gemini_cli/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let json = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    with_incoming(&json, None, |incoming| GeminiCli.read(incoming))
}

#[track_caller]
fn check(name: &str, advice: &Advice, stdout: &str) {
    let reply = GeminiCli.write(&event(name), advice);
    assert_eq!(String::from_utf8(reply.stdout).expect("UTF-8"), stdout, "{name}");
    assert_eq!((reply.exit, reply.stderr), (0, Vec::new()), "{name}");
}

fn say(text: &str) -> Advice {
    let note = Note { from: "test", text: text.to_owned(), items: Vec::new() };
    Advice { notes: vec![note], ..Advice::default() }
}

fn verdict(verdict: Verdict) -> Advice {
    Advice { verdict: Some(verdict), ..Advice::default() }
}

#[test]
fn context_goes_to_the_events_that_take_it_under_their_own_name() {
    for name in ["SessionStart", "BeforeAgent", "AfterTool"] {
        let expected =
            format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{name}","additionalContext":"a"}}}}"#);
        check(&format!("{name}-1"), &say("a"), &expected);
    }
    for name in ["BeforeTool-1", "AfterAgent-1", "Notification-1", "SessionEnd-1", "PreCompress-1"] {
        check(name, &say("a"), "");
    }
}

#[test]
fn a_failed_commands_note_is_heard_and_another_tools_is_not() {
    let failed = event("AfterTool-2");
    assert_eq!(failed.kind, EventKind::PostToolUseFailure);
    assert!(!GeminiCli.write(&failed, &say("a")).stdout.is_empty());
    let missing = event("AfterTool-6");
    assert_eq!(missing.kind, EventKind::PostToolUseFailure);
    assert!(GeminiCli.write(&missing, &say("a")).stdout.is_empty(), "only the error is passed on");
}

#[test]
fn a_call_is_refused_or_asked_about_and_never_allowed() {
    let deny = verdict(Verdict::Deny { reason: "held by a".into() });
    check("BeforeTool-1", &deny, r#"{"decision":"deny","reason":"held by a"}"#);
    let ask = Advice { tells: vec!["look".into()], ..verdict(Verdict::Ask { reason: "sure?".into() }) };
    check("BeforeTool-1", &ask, r#"{"decision":"ask","reason":"sure?","systemMessage":"look\nsure?"}"#);
    check("BeforeTool-1", &verdict(Verdict::Allow { reason: "known".into() }), "");
    check("AfterTool-1", &deny, "");
}

#[test]
fn a_held_turn_goes_on_once_with_a_prompt_that_no_person_wrote() {
    let hold = Advice { hold: Some("tests fail".into()), ..Advice::default() };
    check("AfterAgent-1", &hold, r#"{"decision":"block","reason":"The turn goes on: tests fail"}"#);
    let mut again = event("AfterAgent-1");
    again.detail = Detail::Stop { again: true, last_message: None };
    assert!(GeminiCli.write(&again, &hold).stdout.is_empty());
    let back = br#"{"hook_event_name":"BeforeAgent","prompt":"The turn goes on: tests fail"}"#;
    let back = with_incoming(back, Some("UserPromptSubmit"), |incoming| GeminiCli.read(incoming));
    assert!(matches!(back.detail, Detail::Prompt { author: Author::Machine, .. }), "{back:?}");
}

#[test]
fn an_event_of_an_unknown_name_is_what_it_was_registered_as() {
    let json = br#"{"hook_event_name":"BeforeThinking","prompt":"hi"}"#;
    let event = with_incoming(json, Some("UserPromptSubmit"), |incoming| GeminiCli.read(incoming));
    assert_eq!((event.kind, event.name.as_str()), (EventKind::UserPromptSubmit, "BeforeThinking"));
    let canonical = br#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":"a"}}"#;
    let event = with_incoming(canonical, None, |incoming| GeminiCli.read(incoming));
    assert_eq!(event.kind, EventKind::PostToolUse);
    let Detail::Tool(call) = event.detail else { panic!("no tool") };
    assert_eq!(call.input, json!({ "command": "ls" }));
}

// ------------------------------------------------------------------------------- its file

fn ours() -> Ours {
    let hook = Program {
        program: "/opt/my tools/throughline-hook".into(),
        args: vec!["--agent".into(), "gemini-cli".into()],
    };
    let server = Program { program: "/opt/my tools/throughline".into(), args: vec!["mcp".into()] };
    Ours { hook, server: Some(server), fast: false }
}

fn file() -> &'static dyn SettingsFile {
    GeminiCli.files()[0]
}

#[test]
fn hooks_and_server_are_added_to_one_file_and_taken_out_to_the_byte() {
    let others = r#"{"matcher": "write_.*", "hooks": [{"type": "command", "command": "lint.sh"}]}"#;
    for before in [
        "{}",
        "{\"general\":{}}",
        "{\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}},\n  \"ui\": {}\n}\n",
        &format!("{{\n\t\"hooks\": {{\n\t\t\"BeforeTool\": [{others}],\n\t\t\"AfterAgent\": []\n\t}}\n}}\n"),
    ] {
        let added = file().add(Some(before), &ours()).expect(before);
        let settings: Value = serde_json::from_str(&added.after).unwrap();
        let group = settings["hooks"]["BeforeTool"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(
            group["hooks"][0]["command"],
            "'/opt/my tools/throughline-hook' --agent gemini-cli PreToolUse"
        );
        assert_eq!(group["hooks"][0]["timeout"], 5000, "milliseconds");
        assert_eq!(
            settings["mcpServers"]["throughline"],
            json!({ "command": "/opt/my tools/throughline", "args": ["mcp"] })
        );
        assert_eq!(added.summary.len(), 2, "{:?}", added.summary);
        assert!(!file().add(Some(&added.after), &ours()).unwrap().changes());
        assert_eq!(file().remove(&added.after).unwrap().after, before);
    }
}

#[test]
fn what_is_installed_is_reported_and_a_switch_that_turns_hooks_off_is_seen() {
    let text = file().add(None, &ours()).unwrap().after;
    let found = file().installed(&text).unwrap();
    assert_eq!(found.present, GeminiCli.events_to_register());
    assert_eq!((found.missing, found.stale, found.hooks_disabled), (vec![], false, false));
    assert_eq!(found.programs, ["/opt/my tools/throughline-hook", "/opt/my tools/throughline"]);
    let off = file().installed("{\"hooksConfig\": {\"enabled\": false}}").unwrap();
    assert!(off.hooks_disabled && off.programs.is_empty());
}

#[test]
fn hooks_alone_leave_the_servers_alone() {
    let edit = file().add(Some("{}"), &Ours { server: None, ..ours() }).unwrap();
    assert!(!edit.after.contains("mcpServers"), "{}", edit.after);
    assert_eq!(file().remove(&edit.after).unwrap().after, "{}");
}

#[test]
fn its_file_is_where_gemini_looks() {
    assert_eq!(file().path(Scope::User, false), Some(Location::AgentHome("settings.json")));
    assert_eq!(file().path(Scope::User, true), Some(Location::AgentHome(".gemini/settings.json")));
    assert_eq!(file().path(Scope::Project, false), Some(Location::Project(".gemini/settings.json")));
    assert_eq!(file().path(Scope::Local, false), None);
}
