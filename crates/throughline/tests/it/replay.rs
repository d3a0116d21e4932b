//! Recorded envelopes go through the pipeline, and nothing comes of it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::house::House;

impl House {
    /// The lines of a replay of these envelopes.
    fn replayed(&self, envelopes: &[Value], more: &[&str]) -> Vec<Value> {
        let lines: Vec<String> = envelopes.iter().map(ToString::to_string).collect();
        let args: Vec<&str> = ["replay", "-", "--json"].iter().chain(more).copied().collect();
        let output = self.pipe(&args, lines.join("\n").as_bytes());
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn behavior<'a>(line: &'a Value, name: &str) -> &'a Value {
    line["behaviors"].as_array().unwrap().iter().find(|behavior| behavior["name"] == name).unwrap()
}

#[test]
fn a_replay_says_what_would_be_said_and_keeps_nothing() {
    let house = House::new();
    house.ok(&["remember", "The staging database is reset every night at two.", "--title", "staging reset"]);
    let before = house.status();
    let question = house.prompt("s1", "when is the staging database reset?");
    let lines = house.replayed(&[question.clone(), question.clone()], &[]);
    let first = behavior(&lines[0], "recall-on-prompt");
    assert!(first["tokens"].as_u64().unwrap() > 0, "{first}");
    assert!(first["micros"].as_u64().unwrap() > 0);
    assert!(lines[0]["reply"]["stdout"].as_str().unwrap().contains("additionalContext"));
    assert_eq!(lines[0]["kept"], true);
    let second = behavior(&lines[1], "recall-on-prompt");
    assert_eq!(second["silent"], true, "said once, also in a replay");
    // Nothing was journaled, nothing counted, nothing counts as said: a real hook is told the same as ever.
    let after = house.status();
    assert_eq!(after["journal_head"], before["journal_head"]);
    assert_eq!(after["envelopes"], {
        let mut expected = before["envelopes"].clone();
        // Questions are connections, too.
        expected["connections"] = after["envelopes"]["connections"].clone();
        expected
    });
    assert!(!house.place().private().join("x").exists());
    let again = house.replayed(&[question], &[]);
    assert!(
        behavior(&again[0], "recall-on-prompt")["tokens"].as_u64().unwrap() > 0,
        "each replay is its own"
    );
}

#[test]
fn a_private_prompt_makes_what_follows_private_and_nobody_speaks() {
    let house = House::new();
    let secret = house.prompt("s1", "<private>my salary</private>");
    let tool = house.tool("s1", "Bash", "output");
    let mut skipped = house.tool("s1", "TodoWrite", "");
    skipped["session_id"] = json!("s2");
    let lines = house.replayed(&[secret, tool.clone(), skipped, house.prompt("s1", "hello"), tool], &[]);
    let left: Vec<&Value> = lines.iter().map(|line| &line["left"]).collect();
    assert_eq!(
        left,
        [&json!("private turn"), &json!("private turn"), &json!("skipped tool"), &Value::Null, &Value::Null]
    );
    assert_eq!(lines[0]["behaviors"], json!([]));
    assert_eq!(fs::read_dir(house.place().private()).unwrap().count(), 0, "no real marker was set");
}

#[test]
fn redactions_are_counted_and_the_value_is_nowhere() {
    let house = House::new();
    let key = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let lines = house.replayed(&[house.tool("s1", "Bash", &format!("token {key}"))], &[]);
    let count: u64 = lines[0]["redactions"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert!(count >= 1, "{}", lines[0]);
    assert!(!lines[0].to_string().contains(&key));
    assert!(house.files_with(&key).is_empty());
}

#[test]
fn events_as_the_journal_prints_them_are_replayed() {
    let house = House::new();
    house.start();
    house.send(&house.prompt("s1", "begin"));
    house.send(&house.tool("s1", "Bash", "done"));
    let printed = house.ok(&["events", "--json"]);
    let output = house.pipe(&["replay", "-", "--json"], printed.as_bytes());
    let text = String::from_utf8(output.stdout).unwrap();
    let names: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone()).collect();
    assert_eq!(names, [json!("UserPromptSubmit"), json!("PostToolUse")]);
    assert_eq!(house.events().len(), 2, "and are not there twice");
}

#[test]
fn one_behavior_can_be_asked_alone_and_a_name_nobody_has_is_refused() {
    let house = House::new();
    let lines = house.replayed(&[house.prompt("s1", "hello")], &["--behavior", "recall-on-prompt"]);
    let names: Vec<&Value> =
        lines[0]["behaviors"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, [&json!("recall-on-prompt")]);
    assert_eq!(house.run(&["replay", "-", "--behavior", "nobody"]).status.code(), Some(2));
    assert_eq!(house.run(&["replay", "-", "--agent", "nobody"]).status.code(), Some(2));
}

#[test]
fn what_is_broken_in_a_folder_is_named_and_the_rest_goes_on() {
    let house = House::new();
    let folder = house.home().join("recorded");
    fs::create_dir_all(folder.join("inner")).unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let good = house.prompt("s1", "hello").to_string();
    write("a.json", good.as_bytes());
    write("b-truncated.json", &good.as_bytes()[..good.len() - 3]);
    write("c-binary.json", b"\x7fELF\0\x01\x02\xff\xfe");
    write("d-types.json", br#"{"session_id":7,"hook_event_name":["x"],"tool_input":"y","cwd":{}}"#);
    write("e-unknown.json", br#"{"session_id":"s1","hook_event_name":"TeleportStart"}"#);
    write(
        "f-utf8.json",
        &[
            b"{\"session_id\":\"s1\",\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"",
            &b"\xff\xfe"[..],
            b"\"}",
        ]
        .concat(),
    );
    write("g-empty.json", b"");
    write("ignored.txt", good.as_bytes());
    fs::write(folder.join("inner/z.jsonl"), format!("{good}\n{good}\n")).unwrap();
    let output = house.run(&["replay", folder.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let shown: Vec<(String, String)> = lines
        .iter()
        .map(|line| {
            let file =
                Path::new(line["file"].as_str().unwrap()).file_name().unwrap().to_string_lossy().into_owned();
            let what = line["error"].as_str().or(line["event"].as_str()).unwrap().to_owned();
            (file, what)
        })
        .collect();
    let pair = |file: &str, what: &str| (file.to_owned(), what.to_owned());
    assert_eq!(
        shown,
        [
            pair("a.json", "UserPromptSubmit"),
            pair("b-truncated.json", "UserPromptSubmit"),
            pair("c-binary.json", "no JSON"),
            pair("d-types.json", "unknown"),
            pair("e-unknown.json", "TeleportStart"),
            pair("f-utf8.json", "UserPromptSubmit"),
            pair("g-empty.json", "it is empty"),
            pair("z.jsonl:1", "UserPromptSubmit"),
            pair("z.jsonl:2", "UserPromptSubmit"),
        ]
    );
    assert_eq!(lines[1]["readable"], false);
    let page = String::from_utf8(house.run(&["replay", folder.to_str().unwrap()]).stdout).unwrap();
    assert!(page.contains("7 events:") && page.contains("BEHAVIOR"), "{page}");
}

#[test]
fn every_envelope_of_a_real_client_is_replayed() {
    let house = House::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/fixtures/claude_code");
    let output = house.run(&["replay", fixtures.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().count() > 20, "{}", text.lines().count());
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["readable"], true, "{line}");
        assert!(line["behaviors"].as_array().unwrap().iter().all(|one| one["trouble"].is_null()), "{line}");
    }
}

#[test]
fn a_large_envelope_is_replayed() {
    let house = House::new();
    let lines = house.replayed(&[house.tool("s1", "Bash", &"x".repeat(20 << 20))], &[]);
    assert_eq!((&lines[0]["readable"], &lines[0]["kept"]), (&json!(true), &json!(true)));
}

#[test]
fn a_scratch_store_really_learns_and_leaves_nothing() {
    let house = House::new();
    let mut edit = house.tool("s1", "Edit", "");
    edit["tool_input"] =
        json!({ "file_path": house.work().join("a.rs"), "old_string": "a", "new_string": "b" });
    let envelopes =
        [house.prompt("s1", "Rename the field a to b in a.rs, please."), edit, house.envelope("s1", "Stop")];
    let lines = house.replayed(&envelopes, &["--scratch"]);
    assert_eq!(lines.iter().filter(|line| line["event"].is_string()).count(), 3);
    let titles: Vec<&Value> =
        lines.iter().filter_map(|line| line.get("memory")).map(|memory| &memory["title"]).collect();
    assert!(!titles.is_empty(), "{lines:?}");
    assert!(
        !house.place().journal().exists() || house.events().is_empty(),
        "the real store has heard nothing"
    );
}

#[test]
fn a_rule_is_rehearsed_with_its_time_and_its_trouble() {
    let house = House::new();
    house.ok(&["hook", "new", "example", "--on", "SessionStart"]);
    let mut start = house.envelope("s1", "SessionStart");
    start["model"] = json!("throughline-example");
    let lines = house.replayed(&[start.clone()], &[]);
    let rule = &lines[0]["rules"][0];
    assert_eq!(
        (&rule["rule"], &rule["outcome"], &rule["what"]),
        (&json!("example"), &json!("said"), &json!("say"))
    );
    assert!(rule["micros"].as_u64().unwrap() > 0);
    let output = house.pipe(&["replay", "-", "-v"], start.to_string().as_bytes());
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(
        page.contains("run-rules") && page.contains("This is the example of the rule example."),
        "{page}"
    );
}
