//! Settings files as people have them: what is added, what is taken out, what is refused.

use agents::{Adapter, ClaudeCode, Edit, Ours, Program, SettingsError, SettingsFile};
use model::EventKind;
use serde_json::{Value, json};

fn ours(program: &str, args: &[&str]) -> Ours {
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    Ours { hook: Program { program: program.into(), args }, server: None, fast: false }
}

fn hook() -> Ours {
    ours("/opt/bin/throughline-hook", &[])
}

fn file() -> &'static dyn SettingsFile {
    ClaudeCode.files()[0]
}

fn add(text: &str) -> Edit {
    file().add(Some(text), &hook()).expect(text)
}

fn remove(text: &str) -> Edit {
    file().remove(text).expect(text)
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).expect(text)
}

/// Adds, checks that nothing else moved and that nothing is left to add, and takes it out again.
#[track_caller]
fn round_trip(before: &str) -> String {
    let added = add(before);
    assert!(added.changes() && !added.summary.is_empty(), "{before:?}");
    let after = parse(&added.after);
    for kind in ClaudeCode.events_to_register() {
        let groups = after["hooks"][kind.name()].as_array().expect("a list");
        let group = groups.last().expect("our group").as_object().expect("an object");
        assert_eq!(group.keys().collect::<Vec<_>>(), ["hooks"]);
        let handler = &group["hooks"][0];
        assert_eq!(handler["type"], "command");
        assert_eq!(handler["command"], "/opt/bin/throughline-hook");
        assert_eq!(handler["args"], json!([kind.name()]));
        assert_eq!(handler["timeout"], 5);
    }
    assert!(!add(&added.after).changes(), "a second time changes nothing: {before:?}");
    assert_eq!(remove(&added.after).after, before);
    added.after
}

#[test]
fn no_file_yet_makes_one_line_per_event() {
    let edit = file().add(None, &hook()).unwrap();
    assert_eq!(edit.before, None);
    let lines: Vec<&str> = edit.after.lines().collect();
    assert_eq!(lines.len(), ClaudeCode.events_to_register().len() + 4);
    assert_eq!(lines[..2], ["{", "  \"hooks\": {"]);
    assert_eq!(
        lines[2],
        r#"    "SessionStart": [{"hooks": [{"type": "command", "command": "/opt/bin/throughline-hook", "args": ["SessionStart"], "timeout": 5, "throughline": "hooks"}]}],"#
    );
    assert_eq!(lines[lines.len() - 2..], ["  }", "}"]);
    assert_eq!(remove(&edit.after).after, "{}\n");
}

#[test]
fn events_whose_registration_changes_the_client_are_left_alone() {
    let left_out: Vec<&EventKind> =
        EventKind::ALL.iter().filter(|kind| !ClaudeCode.events_to_register().contains(kind)).collect();
    use EventKind::{FileChanged, MessageDisplay, WorktreeCreate, WorktreeRemove};
    assert_eq!(left_out, [&MessageDisplay, &FileChanged, &WorktreeCreate, &WorktreeRemove]);
}

#[test]
fn files_of_every_form_come_back_byte_for_byte() {
    let others = r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint.sh"}]}"#;
    for before in [
        "{}",
        "{}\n",
        "{ }\n",
        "{\n}\n",
        "\n\n{\n\n}\n\n",
        "{\"model\":\"opus\"}",
        "{\"model\": \"opus\", \"n\": 1.50e+10}\n",
        "{\n  \"model\": \"opus\"\n}\n",
        "{\n    \"model\": \"opus\",\n\n    \"hooks\": {}\n}",
        "{\n\t\"hooks\": {\n\t},\n\t\"z\": [1,\n2]\n}\n",
        "{\r\n  \"hooks\": {\r\n  }\r\n}\r\n",
        "\u{feff}{\r\n  \"model\": \"opus\"\r\n}\r\n",
        "{\"hooks\":{\"Stop\":[]}}",
        "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"PreToolUse\": [ ]\n  }\n}",
        &format!(
            "{{\n  \"hooks\": {{\n    \"Stop\": [{others}],\n    \"PreToolUse\": [\n      {others}\n    ]\n  }}\n}}\n"
        ),
        "{\"hooks\":1,\"hooks\":{\"Stop\":[],\"Stop\":[]}}",
        "{\"hooks\": {\"Unknown\": {\"a\": 1}, \"Stop\": [null, 3, {\"hooks\": \"x\"}, {\"hooks\": [false]}]}}",
        "{\"é\": \"\\ud800\", \"hooks\": {}}",
    ] {
        round_trip_or_raw(before);
    }
}

/// `serde_json` refuses half a surrogate, so that such a file is only compared as text.
fn round_trip_or_raw(before: &str) {
    if before.contains("\\ud800") {
        assert_eq!(remove(&add(before).after).after, before);
    } else {
        round_trip(before);
    }
}

#[test]
fn added_lines_look_like_the_ones_around_them() {
    let tabs = round_trip("{\n\t\"model\": \"opus\"\n}\n");
    assert!(tabs.contains("\n\t\"hooks\": {\n\t\t\"SessionStart\": [{\"hooks\""), "{tabs}");
    assert!(tabs.ends_with("}]}]\n\t}\n}\n"), "{tabs}");
    let tight = round_trip("{\"model\":\"opus\"}");
    assert!(
        tight.starts_with(r#"{"model":"opus","hooks":{"SessionStart":[{"hooks":[{"type":"command","#),
        "{tight}"
    );
    assert!(!tight.contains('\n'));
    let windows = round_trip("{\r\n  \"model\": \"opus\"\r\n}\r\n");
    assert_eq!(windows.matches('\n').count(), windows.matches("\r\n").count());
    let listed = round_trip("{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}\n    ]\n  }\n}\n");
    assert!(listed.contains("{\"hooks\": []},\n      {\"hooks\": [{\"type\""), "{listed}");
}

#[test]
fn a_stale_path_is_replaced_in_place_and_uninstall_still_knows_what_was_made() {
    let old = add("{\n  \"model\": \"opus\"\n}\n").after;
    let new = ours("/new path/\"throughline\"", &["hook"]);
    let edit = file().add(Some(&old), &new).unwrap();
    assert_eq!(edit.summary.len(), 1);
    assert!(edit.summary[0].starts_with("update 29 hooks: SessionStart, "), "{:?}", edit.summary);
    assert_eq!(edit.after.lines().count(), old.lines().count());
    assert_eq!(parse(&edit.after)["hooks"]["Stop"][0]["hooks"][0]["args"], json!(["hook", "Stop"]));
    assert!(!file().add(Some(&edit.after), &new).unwrap().changes());
    assert_eq!(remove(&edit.after).after, "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn a_file_the_client_has_rewritten_is_still_cleaned() {
    let others = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "lint.sh"}]});
    let mut settings = parse(&add("{\"model\":\"opus\"}").after);
    settings["hooks"]["PreToolUse"].as_array_mut().unwrap().insert(0, others.clone());
    settings["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap().push(others["hooks"][0].clone());
    let rewritten = serde_json::to_string_pretty(&settings).unwrap();
    let removed = remove(&rewritten);
    assert_eq!(
        parse(&removed.after),
        json!({"model": "opus", "hooks": {"PreToolUse": [others], "Stop": [{"hooks": [others["hooks"][0]]}]}})
    );
    assert!(removed.summary[0].starts_with("remove 29 hooks: "), "{:?}", removed.summary);
}

#[test]
fn handlers_of_others_are_not_ours_whatever_they_are_called() {
    let others = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "throughline"},
        {"type": "command", "command": "/opt/throughline", "args": ["search"]},
        {"type": "command", "command": "/opt/my-throughline-hook", "args": []},
        {"type": "command", "command": "echo throughline hook"},
        {"type": "http", "url": "http://localhost/throughline-hook"},
    ]}]}})
    .to_string();
    assert!(!remove(&others).changes());
    round_trip(&others);
    let by_hand = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "mine.sh"},
        {"type": "command", "command": "/opt/throughline", "args": ["hook", "Stop"]},
        {"type": "command", "command": "C:\\bin\\throughline-hook", "args": []},
    ]}]}})
    .to_string();
    assert_eq!(
        parse(&remove(&by_hand).after)["hooks"]["Stop"][0]["hooks"],
        json!([{"type": "command", "command": "mine.sh"}])
    );
}

#[test]
fn a_narrowed_or_doubled_handler_is_made_one_for_all_calls() {
    let mut settings = parse(&add("{}").after);
    settings["hooks"]["PreToolUse"][0]["matcher"] = "Bash".into();
    let stop = settings["hooks"]["Stop"][0].clone();
    settings["hooks"]["Stop"].as_array_mut().unwrap().push(stop);
    settings["hooks"]["MessageDisplay"] = settings["hooks"]["Stop"].clone();
    let text = settings.to_string();
    let found = file().installed(&text).unwrap();
    assert_eq!((found.missing, found.stale), (vec![EventKind::PreToolUse], true));
    let mended = add(&text);
    assert_eq!(parse(&mended.after), parse(&add("{}").after));
    assert_eq!(
        mended.summary,
        ["add 1 hook: PreToolUse", "remove 4 hooks: PreToolUse, Stop, MessageDisplay, MessageDisplay"]
    );
}

#[test]
fn what_is_installed_is_reported() {
    let nothing = file().installed("{\"disableAllHooks\": true}").unwrap();
    assert_eq!((nothing.present.len(), nothing.stale, nothing.hooks_disabled), (0, false, true));
    let text = add("{}").after;
    let all = file().installed(&text).unwrap();
    assert_eq!(all.present, ClaudeCode.events_to_register());
    assert_eq!((all.missing, all.stale, all.hooks_disabled), (vec![], false, false));
    assert_eq!(all.programs, ["/opt/bin/throughline-hook"]);
    let two = text.replacen("/opt/bin/", "/old/", 1);
    let mixed = file().installed(&two).unwrap();
    assert!(mixed.stale);
    assert_eq!(mixed.programs, ["/old/throughline-hook", "/opt/bin/throughline-hook"]);
    let crooked = text.replacen("\"SessionEnd\": [", "\"Stop\": 1, \"SessionEnd\": [", 1);
    assert!(file().installed(&crooked).unwrap().stale);
    assert!(file().installed(&text.replacen("\"timeout\": 5", "\"timeout\": 600", 1)).unwrap().stale);
}

#[test]
fn a_file_that_is_not_json_is_refused_with_its_place() {
    for (text, expected) in [
        ("", "line 1, column 1: expected a value, found the end of the file"),
        ("{\n  \"a\": 1,\n}\n", "line 3, column 1: a comma is not allowed before '}'"),
        ("{\r\n  // mine\r\n}", "line 2, column 3: expected a key in double quotes"),
        ("\u{feff}{\"é\": x}", "line 1, column 7: expected a value"),
        ("{\"a\": 1} }", "line 1, column 10: expected the end of the file"),
    ] {
        for error in [
            file().add(Some(text), &hook()).unwrap_err(),
            file().remove(text).unwrap_err(),
            file().installed(text).unwrap_err(),
        ] {
            assert!(matches!(error, SettingsError::Malformed { .. }));
            assert_eq!(error.to_string(), expected);
        }
    }
}

#[test]
fn a_file_of_another_shape_is_refused_by_install_and_left_alone_by_uninstall() {
    for (text, expected) in [
        ("[]", "line 1, column 1: the file is a list, expected an object"),
        ("{\n  \"hooks\": null\n}", "line 2, column 12: hooks is null, expected an object"),
        ("{\"hooks\": []}", "line 1, column 11: hooks is a list, expected an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "line 1, column 20: hooks.Stop is an object, expected a list"),
    ] {
        let error = file().add(Some(text), &hook()).unwrap_err();
        assert!(matches!(error, SettingsError::WrongShape { .. }));
        assert_eq!(error.to_string(), expected);
        assert!(!remove(text).changes());
        assert!(file().installed(text).unwrap().present.is_empty());
    }
}

#[test]
fn the_edit_can_be_shown() {
    let edit = add("{\n  \"model\": \"opus\"\n}\n");
    let shown = agents::diff(edit.before.as_deref().unwrap_or_default(), &edit.after);
    assert!(
        shown.starts_with(
            "@@ -1,3 +1,34 @@\n {\n-  \"model\": \"opus\"\n+  \"model\": \"opus\",\n+  \"hooks\": {\n"
        ),
        "{shown}"
    );
    assert!(shown.ends_with("\n+  }\n }\n"), "{shown}");
}

const WORD: &str = "5f1d0c";

fn fast() -> Ours {
    let args = ["mcp", Program::WORD_OPTION, WORD].map(str::to_owned).to_vec();
    let server = Program { program: "/opt/bin/throughline".into(), args };
    Ours { server: Some(server), fast: true, ..hook() }
}

#[test]
fn fast_hooks_call_the_server_on_every_tool_call_and_a_process_elsewhere() {
    let after = parse(&file().add(None, &fast()).unwrap().after);
    let events = ClaudeCode.fast_hooks().expect("the client can").events;
    for kind in ClaudeCode.events_to_register() {
        let handler = &after["hooks"][kind.name()][0]["hooks"][0];
        let is_fast = events.contains(kind);
        assert_eq!(handler["type"], if is_fast { "mcp_tool" } else { "command" }, "{handler}");
        if is_fast {
            assert_eq!([&handler["server"], &handler["tool"]], ["throughline", "hook"]);
            assert_eq!([&handler["input"]["word"], &handler["input"]["event"]], [WORD, kind.name()]);
            assert_eq!(handler["timeout"], 5);
        }
    }
    assert_eq!(after["hooks"]["SessionStart"][0]["hooks"][0]["command"], "/opt/bin/throughline-hook");
    assert_eq!(after["hooks"]["UserPromptSubmit"][0]["hooks"][0]["type"], "command");
}

/// What the client sent with these events, all of it, is asked for: the fixtures are its own envelopes.
#[test]
fn fast_hooks_ask_for_every_field_the_client_has() {
    let after = parse(&file().add(None, &fast()).unwrap().after);
    let mut seen = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/claude_code")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(event) = name.strip_suffix(".json").and_then(|name| name.split('-').next()) else {
            continue;
        };
        let input = &after["hooks"][event][0]["hooks"][0]["input"];
        let (Value::Object(envelope), true) =
            (parse(&std::fs::read_to_string(&path).unwrap()), input.is_object())
        else {
            continue;
        };
        for (field, value) in envelope {
            let heap = if value.is_string() { "text" } else { "json" };
            assert_eq!(input[heap][&field], format!("${{{field}}}"), "{name}");
        }
        seen += 1;
    }
    assert!(seen > 10, "{seen} envelopes");
}

#[test]
fn fast_and_plain_replace_each_other_and_both_leave_no_trace() {
    for before in ["{}\n", "{\n  \"model\": \"opus\"\n}\n", "{\"hooks\":{\"PreToolUse\":[]}}"] {
        let plain = add(before).after;
        let edit = file().add(Some(&plain), &fast()).unwrap();
        assert_eq!(
            edit.summary,
            ["update 4 hooks: PreToolUse, PostToolUse, PostToolUseFailure, PostToolBatch"]
        );
        assert!(!file().add(Some(&edit.after), &fast()).unwrap().changes());
        assert_eq!(file().add(Some(&edit.after), &hook()).unwrap().after, plain);
        assert_eq!(remove(&edit.after).after, before);
    }
}

#[test]
fn fast_hooks_are_reported_with_their_word() {
    let text = file().add(None, &fast()).unwrap().after;
    let found = file().installed(&text).unwrap();
    assert_eq!(found.present, ClaudeCode.events_to_register());
    assert_eq!((found.missing, found.stale, found.word.as_deref()), (vec![], false, Some(WORD)));
    assert_eq!(found.programs, ["/opt/bin/throughline-hook"]);
    assert_eq!(file().installed(&add("{}").after).unwrap().word, None);
    let two = text.replacen(WORD, "another", 1);
    assert!(file().installed(&two).unwrap().stale, "one of them would not be heard");
    let others =
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"mcp_tool","server":"throughline","tool":"mem_search"}]}]}}"#;
    assert!(!remove(others).changes(), "a person's own hook with a tool of ours");
}

#[test]
fn the_server_of_fast_hooks_is_named_with_their_word() {
    let servers = ClaudeCode.files()[1];
    let text = servers.add(None, &fast()).unwrap().after;
    assert_eq!(parse(&text)["mcpServers"]["throughline"]["args"], json!(["mcp", "--hooks", WORD]));
    assert_eq!(servers.installed(&text).unwrap().word.as_deref(), Some(WORD));
    assert_eq!(servers.remove(&text).unwrap().after, "{}\n");
}

#[test]
fn deleted_and_doubled_hooks_are_told_from_another_releases() {
    let whole = parse(&add("{}").after);
    let found = |settings: &Value| file().installed(&settings.to_string()).unwrap();
    let sound = found(&whole);
    assert!(sound.doubled.is_empty() && !sound.outdated && sound.missing.is_empty());

    let mut deleted = whole.clone();
    deleted["hooks"].as_object_mut().unwrap().remove("Stop");
    let deleted = found(&deleted);
    assert_eq!((deleted.missing, deleted.outdated, deleted.doubled.len()), (vec![EventKind::Stop], false, 0));

    let mut doubled = whole.clone();
    let stop = doubled["hooks"]["Stop"][0].clone();
    doubled["hooks"]["Stop"].as_array_mut().unwrap().push(stop);
    let doubled = found(&doubled);
    assert_eq!((doubled.doubled, doubled.outdated, doubled.missing.len()), (vec![EventKind::Stop], false, 0));

    let mut older = whole.clone();
    older["hooks"]["Stop"][0]["hooks"][0]["timeout"] = json!(60);
    assert!(found(&older).outdated);
    let mut stray = whole.clone();
    stray["hooks"]["MessageDisplay"] = stray["hooks"]["Stop"].clone();
    assert!(found(&stray).outdated, "this release does not listen there");
    let moved = add("{}").after.replace("/opt/bin/", "/old/");
    assert!(!file().installed(&moved).unwrap().outdated, "another place is not another release");
}
