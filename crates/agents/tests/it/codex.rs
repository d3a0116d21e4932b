//! Codex: what its answers look like to the byte, and what becomes of its files.

use agents::{Adapter, Codex, Location, Ours, Program, Scope, SettingsError, SettingsFile};
use model::{Advice, Author, Detail, Event, EventKind, Note, Verdict};
use serde_json::{Value, json};

use crate::with_incoming;

fn event(name: &str) -> Event {
    let path = format!("{}/fixtures/codex/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let json = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    with_incoming(&json, None, |incoming| Codex.read(incoming))
}

#[track_caller]
fn check(name: &str, advice: &Advice, stdout: &str) {
    let reply = Codex.write(&event(name), advice);
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
fn context_goes_to_the_events_that_take_it() {
    for kind in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"] {
        let expected =
            format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{kind}","additionalContext":"a"}}}}"#);
        check(&format!("{kind}-1"), &say("a"), &expected);
    }
    for kind in ["Stop", "SubagentStop", "PermissionRequest", "PreCompact", "PostCompact", "SessionEnd"] {
        check(&format!("{kind}-1"), &say("a"), "");
    }
}

#[test]
fn a_call_is_refused_or_left_alone_because_any_other_verdict_voids_the_answer() {
    let deny = |reason: &str| verdict(Verdict::Deny { reason: reason.into() });
    let denied = |reason: &str| {
        format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"{reason}"}}}}"#
        )
    };
    check("PreToolUse-1", &deny("held by a"), &denied("held by a"));
    check("PreToolUse-1", &deny(" "), &denied("refused by a rule"));
    check("PreToolUse-1", &verdict(Verdict::Ask { reason: "sure?".into() }), "");
    check("PreToolUse-1", &verdict(Verdict::Allow { reason: "known".into() }), "");
    let request = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision""#;
    check(
        "PermissionRequest-1",
        &verdict(Verdict::Allow { reason: "known".into() }),
        &format!(r#"{request}:{{"behavior":"allow"}}}}}}"#),
    );
    check(
        "PermissionRequest-1",
        &deny("no"),
        &format!(r#"{request}:{{"behavior":"deny","message":"no"}}}}}}"#),
    );
}

#[test]
fn a_turn_is_held_once_because_codex_would_go_on_for_ever() {
    let hold = Advice { hold: Some("tests fail".into()), ..Advice::default() };
    check("Stop-1", &hold, r#"{"decision":"block","reason":"tests fail"}"#);
    let mut again = event("Stop-1");
    again.detail = Detail::Stop { again: true, last_message: None };
    assert!(Codex.write(&again, &hold).stdout.is_empty());
}

#[test]
fn a_note_stays_under_the_limit_that_codex_counts_in_bytes() {
    let reply = Codex.write(&event("SessionStart-1"), &say(&"é".repeat(9_000)));
    let answer: Value = serde_json::from_slice(&reply.stdout).unwrap();
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.len() <= 10_000 && context.ends_with("more characters left out)"), "{}", context.len());
}

#[test]
fn a_subagents_task_is_no_persons_prompt_and_its_file_is_not_the_sessions() {
    let event = event("UserPromptSubmit-2");
    assert!(matches!(event.detail, Detail::Prompt { author: Author::Machine, .. }), "{event:?}");
    assert_eq!(event.transcript, None);
    assert_eq!(event.subagent.expect("a subagent").kind, "explorer");
}

#[test]
fn canonical_envelopes_are_read_as_they_are() {
    let json = br#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Edit","tool_input":{"file_path":"/a"}}"#;
    let event = with_incoming(json, None, |incoming| Codex.read(incoming));
    let Detail::Tool(call) = event.detail else { panic!("{event:?}") };
    assert_eq!((call.name.as_str(), call.input), ("Edit", json!({ "file_path": "/a" })));
}

// ------------------------------------------------------------------------------- its files

fn ours(folder: &str) -> Ours {
    let program = |name: &str| format!("{folder}/{name}");
    let hook = Program { program: program("throughline-hook"), args: vec!["--agent".into(), "codex".into()] };
    let server = Program { program: program("throughline"), args: vec!["mcp".into()] };
    Ours { hook, server: Some(server), fast: false }
}

fn hooks() -> &'static dyn SettingsFile {
    Codex.files()[0]
}

fn config() -> &'static dyn SettingsFile {
    Codex.files()[1]
}

#[test]
fn a_hook_is_a_line_for_a_shell_that_names_the_event_last() {
    let edit = hooks().add(None, &ours("/opt/my tools")).unwrap();
    let handlers: Value = serde_json::from_str(&edit.after).unwrap();
    let handler = &handlers["hooks"]["SessionEnd"][0]["hooks"][0];
    assert_eq!(handler["command"], "'/opt/my tools/throughline-hook' --agent codex SessionEnd");
    assert_eq!(handler["timeout"], 3, "more is clamped at the end of a session, with a warning");
    let installed = hooks().installed(&edit.after).unwrap();
    assert_eq!(installed.present, Codex.events_to_register());
    assert_eq!((installed.missing, installed.stale), (vec![], false));
    assert!(!hooks().add(Some(&edit.after), &ours("/opt/my tools")).unwrap().changes());
    assert_eq!(hooks().remove(&edit.after).unwrap().after, "{}\n");
}

#[test]
fn the_server_is_added_to_any_configuration_and_taken_out_to_the_byte() {
    for before in [
        "",
        "# only a comment",
        "model = \"x\"",
        "model = \"x\"\n",
        "model = \"x\"\n\n\n",
        "# mine\r\nmodel = \"x\" # for now\r\n",
        "[mcp_servers.other]\ncommand = \"true\"\nargs = []",
        "[mcp_servers]\nother = { command = \"true\" }\n\n[profiles.a]\nmodel = \"y\"\n",
        "text = \"\"\"\n[mcp_servers.throughline]\n\"\"\"\n",
        "mcp_servers.other.command = \"x\"\n",
    ] {
        let added = config().add(Some(before), &ours("/opt/o'b \"x\"")).expect(before);
        assert_eq!(added.summary, ["add the MCP server throughline"], "{before:?}");
        assert!(added.after.starts_with(before), "{:?}", added.after);
        let read: toml_edit::DocumentMut = added.after.parse().expect(&added.after);
        let entry = &read["mcp_servers"]["throughline"];
        assert_eq!(entry["command"].as_str(), Some("/opt/o'b \"x\"/throughline"));
        assert_eq!(config().installed(&added.after).unwrap().programs, ["/opt/o'b \"x\"/throughline"]);
        assert!(!config().add(Some(&added.after), &ours("/opt/o'b \"x\"")).unwrap().changes());
        assert_eq!(config().remove(&added.after).unwrap().after, before, "{:?}", added.after);
    }
}

#[test]
fn what_came_behind_our_server_stays_and_what_was_put_below_it_goes_with_it() {
    let before = "model = \"x\"\n";
    let mut text = config().add(Some(before), &ours("/opt")).unwrap().after;
    text.push_str(
        "\n# approved by hand\n[mcp_servers.throughline.tools.mem_save]\napproval_mode = \"approve\"\n",
    );
    text.push_str("\n# theirs\n[tui]\ntheme = \"dark\"\n");
    let after = config().remove(&text).unwrap().after;
    assert_eq!(after, "model = \"x\"\n\n# approved by hand\n\n# theirs\n[tui]\ntheme = \"dark\"\n");
}

#[test]
fn lines_that_stood_around_ours_are_never_joined() {
    let text = "a = 1\n[mcp_servers.throughline]\ncommand = \"/t\"\nargs = [\"mcp\"]\n[tui]\n";
    assert_eq!(config().remove(text).unwrap().after, "a = 1\n[tui]\n");
}

#[test]
fn a_server_that_moved_is_updated_in_place() {
    let before = "[mcp_servers.throughline] # mine\nargs = [ \"mcp\" ]\ncommand = '/old/throughline' # here\nstartup_timeout_sec = 5\n";
    let edit = config().add(Some(before), &ours("/new")).unwrap();
    assert_eq!(edit.summary, ["update the MCP server throughline"]);
    let expected = "[mcp_servers.throughline] # mine\nargs = [\"mcp\"]\ncommand = \"/new/throughline\" # here\nstartup_timeout_sec = 5\n";
    assert_eq!(edit.after, expected);
    let inline =
        "[mcp_servers]\nthroughline = { command = \"/old/throughline\", args = [\"mcp\"] }\nother = 1\n";
    let edit = config().add(Some(inline), &ours("/new")).unwrap();
    assert!(edit.after.contains("throughline = { command = \"/new/throughline\""), "{}", edit.after);
    assert_eq!(config().remove(&edit.after).unwrap().after, "[mcp_servers]\nother = 1\n");
}

#[test]
fn somebody_elses_server_of_our_name_stays_and_a_list_that_is_a_value_is_refused() {
    let theirs = "[mcp_servers.throughline]\nurl = \"https://example.com\"\n";
    assert!(!config().remove(theirs).unwrap().changes());
    assert!(config().installed(theirs).unwrap().programs.is_empty());
    let error = config().add(Some("a = 1\nmcp_servers = {}\n"), &ours("/opt")).unwrap_err();
    assert_eq!(error.to_string(), "line 2, column 15: mcp_servers is a value, expected a table of its own");
    let error = config().add(Some("a = \n"), &ours("/opt")).unwrap_err();
    assert!(matches!(error, SettingsError::Malformed { line: 1, .. }), "{error:?}");
}

#[test]
fn its_files_are_where_codex_looks() {
    assert_eq!(hooks().path(Scope::User, true), Some(Location::AgentHome("hooks.json")));
    assert_eq!(config().path(Scope::Project, false), Some(Location::Project(".codex/config.toml")));
    assert_eq!(hooks().path(Scope::Local, false), None);
    assert_eq!(Codex.powers(EventKind::SessionEnd), agents::Powers::default());
    assert!(Codex.last_step().is_some_and(|step| step.contains("/hooks")));
}
