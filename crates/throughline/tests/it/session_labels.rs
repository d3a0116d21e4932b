//! What is kept of sessions is measured against labels, on a store that is thrown away.

use std::fs;

use serde_json::{Value, json};

use crate::house::House;

const SESSION: &str = "5f0c2a9e-5a52-4bbd-9a61-0d5c7d2f4a11";
const CAUSE: &str =
    "The export was slow because each row asked the rate server again. Rates are read once now.";

/// A person asks, the agent looks, edits, runs the tests and answers.
fn conversation() -> String {
    let call = |id: &str, name: &str, input: Value| json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": id, "name": name, "input": input }] });
    let result = |id: &str, text: &str| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] });
    let edit = json!({ "file_path": "/shop/src/rates.rs", "old_string": "ask(row)", "new_string": "rates.get(row)" });
    let messages = [
        ("user", json!({ "role": "user", "content": "please find out why the export takes so long" })),
        ("assistant", call("t1", "Edit", edit)),
        ("user", result("t1", "The file /shop/src/rates.rs has been updated.")),
        ("assistant", call("t2", "Bash", json!({ "command": "cargo test export" }))),
        ("user", result("t2", "test result: ok. 4 passed; 0 failed")),
        ("assistant", json!({ "role": "assistant", "content": [{ "type": "text", "text": CAUSE }] })),
    ];
    let record = |(number, (kind, message)): (usize, (&str, Value))| {
        let record = json!({
            "type": kind,
            "uuid": format!("00000000-0000-4000-8000-{number:012}"),
            "sessionId": SESSION,
            "cwd": "/shop",
            "timestamp": format!("2026-05-01T10:00:{number:02}.000Z"),
            "message": message,
        });
        record.to_string() + "\n"
    };
    messages.into_iter().enumerate().map(record).collect()
}

#[test]
fn what_is_kept_of_a_session_is_measured_on_a_store_that_is_thrown_away() {
    let house = House::new();
    let folder = house.home().join("sessions");
    fs::create_dir_all(folder.join("deep")).unwrap();
    fs::write(folder.join("deep/a-copy.jsonl"), conversation()).unwrap();
    fs::write(folder.join("notes.json"), "[1, 2]").unwrap();
    let labels = house.home().join("labels.json");
    let must_not = |id: &str, unless: &[&str]| json!({ "id": id, "why": "false", "any_of": [["rate server"]], "unless": unless });
    let written = json!({ "version": 1, "within": 200, "sessions": [
        {
            "session": SESSION,
            "repo": "a/shop",
            "facts": [
                { "id": "f1", "kind": "cause", "text": "…", "any_of": [["export", "rate (server|service)"]] },
                { "id": "f2", "kind": "open", "text": "…", "any_of": [["unicorn"]] },
            ],
            "orders": [{ "id": "o1", "text": "…", "any_of": [["never use floats"]] }],
            "must_not": [must_not("m1", &[]), must_not("m2", &["once"])],
        },
        { "session": "of another folder", "facts": [{ "id": "f3", "kind": "open", "any_of": [["x"]] }] },
    ]});
    fs::write(&labels, written.to_string()).unwrap();

    let (folder, labels) = (folder.to_str().unwrap(), labels.to_str().unwrap());
    let plain = ["eval", "--sessions", folder];
    let labeled = [&plain[..], &["--labels", labels]].concat();
    let report: Value = serde_json::from_str(&house.ok(&[&labeled[..], &["--json"]].concat())).unwrap();
    assert_eq!((&report["sessions"], &report["labeled_sessions"]), (&json!(1), &json!(1)));
    assert_eq!(report["facts"]["sayable"], json!({ "count": 1, "of": 2, "percent": 50.0 }));
    assert_eq!(report["facts"]["by_kind"]["cause"]["count"], 1);
    assert_eq!(report["facts"]["elsewhere"], json!({ "nowhere": 1 }));
    assert_eq!(report["orders"]["kept"], json!({ "count": 0, "of": 1, "percent": 0.0 }));
    assert_eq!(report["must_not"]["said"]["count"], 1, "a word of `unless` is in the same memory");
    assert_eq!(report["lost_paragraphs"]["count"], 0);
    assert!(report["sayable_words_per_session"].as_u64().unwrap() > 10);

    let table = house.ok(&labeled);
    assert!(table.contains("facts that may be said unasked") && table.contains("1 of 2 (50.0 %)"), "{table}");
    let verdicts = house.ok(&[&labeled[..], &["--details"]].concat());
    let ids = |id: &str| verdicts.lines().any(|line| line.contains(&format!("\"id\":\"{id}\"")));
    assert!(["f1", "f2", "o1", "m1", "m2"].into_iter().all(ids), "{verdicts}");
    let bare: Value = serde_json::from_str(&house.ok(&[&plain[..], &["--json"]].concat())).unwrap();
    assert!(bare["facts"].is_null() && bare["poor_titles"]["of"].as_u64().is_some());
    assert!(!house.data().exists(), "nothing of ours is touched");
}

#[test]
fn labels_and_folders_that_cannot_be_read_are_told() {
    let house = House::new();
    let (folder, labels) = (house.home().join("empty"), house.home().join("labels.json"));
    fs::create_dir(&folder).unwrap();
    fs::write(&labels, r#"{"sessions": [{"session": "s", "facts": [{"id": "f1"}]}]}"#).unwrap();
    let (folder, labels) = (folder.to_str().unwrap(), labels.to_str().unwrap());
    for (args, says) in [
        (vec!["eval", "--sessions", folder], "holds no conversation"),
        (vec!["eval", "--sessions", folder, "--labels", labels], "labels.json: missing field"),
    ] {
        let refused = house.run(&args);
        assert_eq!(refused.status.code(), Some(1));
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains(says), "{said}");
    }
    let usage = house.run(&["eval", "--labels", labels]);
    assert_eq!(usage.status.code(), Some(2));
}
