//! Copilot CLI: the exact answers it takes, and the files that name us.

use agents::{Adapter, Copilot, Location, Ours, Program, Scope, SettingsFile};
use model::{Advice, EventKind, Reply, Verdict};
use serde_json::{Value, json};

use crate::{everything, fixture_of, say, with_incoming};

fn answered(name: &str, advice: &Advice) -> String {
    let json = fixture_of("copilot", name);
    let hint = name.rsplit_once('-').map(|(event, _)| event);
    let event = with_incoming(&json, hint, |incoming| Copilot.read(incoming));
    let Reply { exit, stdout, stderr } = Copilot.write(&event, advice);
    assert_eq!((exit, stderr), (0, Vec::new()), "{name}");
    String::from_utf8(stdout).expect("UTF-8")
}

fn ours(folder: &str) -> Ours {
    let hook = Program {
        program: format!("{folder}/throughline-hook"),
        args: vec!["--agent".into(), "copilot".into()],
    };
    let server = Program { program: format!("{folder}/throughline"), args: vec!["mcp".into()] };
    Ours { hook, server: Some(server), fast: false }
}

fn file(at: usize) -> &'static dyn SettingsFile {
    Copilot.files()[at]
}

#[test]
fn context_is_a_flat_field_wherever_it_is_taken() {
    for name in
        ["SessionStart-1", "UserPromptSubmit-1", "PostToolUse-1", "PostToolUseFailure-1", "SubagentStart-1"]
    {
        assert_eq!(answered(name, &say(&["a", "", "b"])), r#"{"additionalContext":"a\n\nb"}"#, "{name}");
    }
    for name in ["Stop-1", "SessionEnd-1", "PreCompact-1", "SubagentStop-1", "permissionRequest-1"] {
        assert_eq!(answered(name, &say(&["a"])), "", "{name}");
    }
}

#[test]
fn a_verdict_is_one_of_three_words_and_a_hold_is_a_block() {
    let denied = r#"{"permissionDecision":"deny","permissionDecisionReason":"held by a","additionalContext":"a\n\nb"}"#;
    assert_eq!(answered("PreToolUse-2", &everything()), denied);
    let ask = Advice { verdict: Some(Verdict::Ask { reason: "sure?".into() }), ..Advice::default() };
    let asked = r#"{"permissionDecision":"ask","permissionDecisionReason":"sure?"}"#;
    assert_eq!(answered("PreToolUse-2", &ask), asked);
    assert_eq!(answered("PostToolUse-1", &ask), "");
    let held = r#"{"decision":"block","reason":"The turn goes on: tests fail"}"#;
    assert_eq!(answered("Stop-1", &everything()), held);
    assert_eq!(answered("SubagentStop-1", &everything()), held);
    assert_eq!(answered("Stop-3", &everything()), "", "a subagent's inner stop is nobody's end");
}

#[test]
fn a_hold_that_comes_back_as_a_prompt_is_not_the_persons() {
    let prompt = json!({ "hook_event_name": "UserPromptSubmit", "session_id": "s",
        "prompt": "The turn goes on: tests fail" });
    let event = with_incoming(prompt.to_string().as_bytes(), None, |incoming| Copilot.read(incoming));
    assert!(matches!(event.detail, model::Detail::Prompt { author: model::Author::Machine, .. }));
}

#[test]
fn an_event_that_does_not_name_itself_has_the_name_of_the_command_line() {
    let json = fixture_of("copilot", "SubagentStart-1");
    let event = with_incoming(&json, Some("SubagentStart"), |incoming| Copilot.read(incoming));
    assert_eq!((event.kind, event.session.as_str().len()), (EventKind::SubagentStart, 36));
}

#[test]
fn a_hook_line_cannot_fail_and_is_read_back_from_any_folder() {
    for folder in ["/opt/bin", "/o'brien/my tools"] {
        let made = file(0).add(None, &ours(folder)).unwrap();
        assert_eq!(made.summary, ["add 10 hooks"]);
        let whole: Value = serde_json::from_str(&made.after).expect(&made.after);
        assert_eq!(whole["version"], 1);
        let before_a_tool = whole["hooks"]["PreToolUse"][0]["command"].as_str().unwrap();
        assert!(before_a_tool.ends_with(" --agent copilot PreToolUse || :"), "{before_a_tool}");
        let installed = file(0).installed(&made.after).unwrap();
        assert_eq!(installed.programs, [format!("{folder}/throughline-hook")]);
        assert_eq!(installed.present, Copilot.events_to_register());
        assert!(!installed.stale && installed.missing.is_empty());
        assert!(!file(0).add(Some(&made.after), &ours(folder)).unwrap().changes());
        assert_eq!(file(0).remove(&made.after).unwrap().after, "");
    }
}

#[test]
fn a_file_of_another_release_is_updated_and_one_that_is_not_ours_is_left_alone() {
    let old = file(0).add(None, &ours("/old")).unwrap().after;
    let new = file(0).add(Some(&old), &ours("/new")).unwrap();
    assert_eq!(new.summary, ["update 10 hooks"]);
    assert_eq!(file(0).installed(&new.after).unwrap().programs, ["/new/throughline-hook"]);
    let fewer = old.replace("\"SessionEnd\"", "\"Unheard\"");
    let installed = file(0).installed(&fewer).unwrap();
    assert!(installed.stale && installed.missing == [EventKind::SessionEnd], "{installed:?}");
    let theirs = r#"{"version":1,"hooks":{"Stop":[{"type":"command","command":"say done | tee log"}]}}"#;
    assert!(!file(0).remove(theirs).unwrap().changes());
    assert!(file(0).installed(theirs).unwrap().programs.is_empty());
    let off = old.replace("\"version\": 1,", "\"version\": 1,\n  \"disableAllHooks\": true,");
    assert!(file(0).installed(&off).unwrap().hooks_disabled);
    assert!(file(0).add(Some("[]"), &ours("/new")).is_err());
}

#[test]
fn the_server_is_wanted_with_all_its_tools() {
    let before = "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n";
    let made = file(1).add(Some(before), &ours("/opt/bin")).unwrap();
    let whole: Value = serde_json::from_str(&made.after).unwrap();
    let wanted =
        json!({ "type": "local", "command": "/opt/bin/throughline", "args": ["mcp"], "tools": ["*"] });
    assert_eq!(whole["mcpServers"]["throughline"], wanted);
    assert_eq!(file(1).remove(&made.after).unwrap().after, before);
}

#[test]
fn a_projects_files_are_those_nobody_else_reads() {
    let paths = |scope| [file(0).path(scope, false), file(1).path(scope, false)];
    assert_eq!(
        paths(Scope::User),
        [Some(Location::AgentHome("hooks/throughline.json")), Some(Location::AgentHome("mcp-config.json"))]
    );
    let project = [".github/hooks/throughline.json", ".github/mcp.json"];
    assert_eq!(paths(Scope::Project), project.map(|path| Some(Location::Project(path))));
    assert_eq!(paths(Scope::Local), [None, None]);
}
