//! Cursor: the exact answers it takes, and its shared list of handlers, edited and given back to the byte.

use agents::{Adapter, Cursor, Ours, Program, Scope, SettingsError, SettingsFile, say_the_same};
use model::{Advice, EventKind, Reply, Verdict};
use serde_json::Value;

use crate::{everything, fixture_of, say, with_incoming};

fn answered(name: &str, advice: &Advice) -> String {
    let json = fixture_of("cursor", name);
    let event = with_incoming(&json, None, |incoming| Cursor.read(incoming));
    let Reply { exit, stdout, stderr } = Cursor.write(&event, advice);
    assert_eq!((exit, stderr), (0, Vec::new()), "{name}");
    String::from_utf8(stdout).expect("UTF-8")
}

fn ours(program: &str) -> Ours {
    let hook = Program { program: program.into(), args: vec!["--agent".into(), "cursor".into()] };
    Ours { hook, server: None, fast: false }
}

fn hooks() -> &'static dyn SettingsFile {
    Cursor.files()[0]
}

fn add(text: Option<&str>) -> String {
    hooks().add(text, &ours("/opt/bin/throughline-hook")).expect("a file of hooks").after
}

#[test]
fn an_answer_has_the_fields_of_its_event() {
    for name in ["sessionStart-1", "beforeSubmitPrompt-1", "postToolUse-1", "postToolUseFailure-1"] {
        assert_eq!(answered(name, &everything()), r#"{"additional_context":"a\n\nb"}"#, "{name}");
    }
    let denied = r#"{"permission":"deny","user_message":"held by a","agent_message":"held by a","additional_context":"a\n\nb"}"#;
    assert_eq!(answered("preToolUse-1", &everything()), denied);
    let allow = Advice { verdict: Some(Verdict::Allow { reason: "known".into() }), ..Advice::default() };
    assert_eq!(answered("preToolUse-1", &allow), r#"{"permission":"allow"}"#);
    let held = r#"{"followup_message":"The turn goes on: tests fail"}"#;
    assert_eq!(answered("stop-1", &everything()), held);
    assert_eq!(answered("subagentStop-1", &everything()), held);
    assert_eq!(answered("preCompact-1", &everything()), r#"{"user_message":"one\ntwo"}"#);
    for name in ["sessionEnd-1", "subagentStart-1", "stop-3"] {
        assert_eq!(answered(name, &everything()), "", "{name}");
    }
}

#[test]
fn without_a_sessions_id_the_conversations_is_the_session() {
    let json = fixture_of("cursor", "beforeSubmitPrompt-1");
    let mut envelope: Value = serde_json::from_slice(&json).unwrap();
    let id = envelope.as_object_mut().unwrap().remove("session_id").unwrap();
    let event = with_incoming(envelope.to_string().as_bytes(), None, |incoming| Cursor.read(incoming));
    assert_eq!(event.session.as_str(), id.as_str().unwrap());
}

#[test]
fn context_leaves_room_for_other_hooks_under_the_limit_of_all() {
    let long = answered("sessionStart-1", &say(&[&"é".repeat(20_000)]));
    let answer: Value = serde_json::from_str(&long).unwrap();
    let units = answer["additional_context"].as_str().unwrap().encode_utf16().count();
    assert!(units <= 8_000, "{units}");
}

#[test]
fn files_of_every_form_come_back_byte_for_byte() {
    let files = [
        "{}\n",
        "{\"version\":1,\"hooks\":{}}",
        "{\"version\": 1}",
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{\"command\": \"./done.sh\"}]\n  }\n}\n",
        "{\n\t\"version\": 1,\n\t\"hooks\": {\n\t\t\"preToolUse\": [\n\t\t\t{\"command\": \"a | b\", \"matcher\": \"Shell\"}\n\t\t]\n\t}\n}",
        "{\n  \"hooks\": {\"stop\": []},\n  \"version\": 1\n}\r\n",
    ];
    for before in files {
        let added = add(Some(before));
        let installed = hooks().installed(&added).unwrap();
        assert_eq!(installed.present, Cursor.events_to_register(), "{added}");
        assert!(!installed.stale, "{added}");
        assert!(!hooks().add(Some(&added), &ours("/opt/bin/throughline-hook")).unwrap().changes(), "{added}");
        let whole: Value = serde_json::from_str(&added).expect(&added);
        assert_eq!(whole["version"], 1, "{added}");
        let after = hooks().remove(&added).unwrap().after;
        assert!(after == before || say_the_same(&after, before), "{before:?} became {after:?}");
        if !before.contains("{}") && !before.contains("[]") {
            assert_eq!(after, before);
        }
    }
}

#[test]
fn a_file_that_we_made_is_empty_without_us() {
    assert_eq!(hooks().remove(&add(None)).unwrap().after, "{}\n");
}

#[test]
fn a_handler_says_our_name_of_the_event_and_keeps_beside_others() {
    let before = "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"./done.sh\"}]}}";
    let whole: Value = serde_json::from_str(&add(Some(before))).unwrap();
    assert_eq!(whole["hooks"]["stop"][0]["command"], "./done.sh");
    assert_eq!(whole["hooks"]["stop"][1]["command"], "/opt/bin/throughline-hook --agent cursor Stop");
    let prompt = &whole["hooks"]["beforeSubmitPrompt"][0]["command"];
    assert_eq!(prompt, "/opt/bin/throughline-hook --agent cursor UserPromptSubmit");
}

#[test]
fn a_moved_program_is_updated_and_a_narrowed_handler_widened() {
    let moved = hooks().add(Some(&add(None)), &ours("/new dir/throughline-hook")).unwrap();
    assert!(moved.summary[0].starts_with("update 10 hooks: sessionStart"), "{:?}", moved.summary);
    assert_eq!(hooks().installed(&moved.after).unwrap().programs, ["/new dir/throughline-hook"]);
    assert_eq!(hooks().remove(&moved.after).unwrap().after, "{}\n");
    let narrowed = add(None).replacen(
        "throughline-hook --agent cursor PreToolUse\"",
        "throughline-hook --agent cursor PreToolUse\", \"matcher\": \"Shell\"",
        1,
    );
    let installed = hooks().installed(&narrowed).unwrap();
    assert_eq!(installed.missing, [EventKind::PreToolUse]);
    assert_eq!(hooks().installed(&add(Some(&narrowed))).unwrap().missing, []);
}

#[test]
fn other_shapes_are_refused_with_their_place() {
    for text in ["[]", "{\"hooks\": []}", "{\"version\": 1, \"hooks\": {\"stop\": {}}}"] {
        let error = hooks().add(Some(text), &ours("/t/throughline-hook")).unwrap_err();
        assert!(matches!(error, SettingsError::WrongShape { .. }), "{text}: {error:?}");
        assert!(!hooks().remove(text).unwrap().changes(), "{text}");
    }
}

#[test]
fn there_is_no_file_for_one_person_in_one_project() {
    for file in Cursor.files() {
        assert!(file.path(Scope::User, false).is_some() && file.path(Scope::Project, false).is_some());
        assert!(file.path(Scope::Local, false).is_none());
    }
}
