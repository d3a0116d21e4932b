//! Two sessions and one file: who holds it, who hears of it, and how it is given back.

use serde_json::{Value, json};

use crate::house::{House, eventually};

fn edit(house: &House, event: &str, session: &str, file: &str) -> Value {
    let mut envelope = house.envelope(session, event);
    envelope["tool_name"] = json!("Edit");
    envelope["tool_input"] =
        json!({ "file_path": house.work().join(file), "old_string": "a", "new_string": "b" });
    envelope["tool_use_id"] = json!(format!("toolu_{session}_{file}_{event}"));
    envelope
}

fn claims(house: &House) -> Vec<Value> {
    let lines = house.ok(&["claims", "list", "--json"]);
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_second_editor_is_told_once_and_the_edit_goes_on() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.send(&house.prompt("first-session", "Port the parser\nto the new grammar"));
    assert_eq!(house.send(&edit(&house, "PreToolUse", "first-session", "parser.rs")), "");
    let held = claims(&house);
    assert_eq!(held.len(), 1);
    assert_eq!(held[0]["path"], json!(house.work().join("parser.rs")));
    assert_eq!(held[0]["session"], "first-session");

    let told = house.send(&edit(&house, "PreToolUse", "second-session", "parser.rs"));
    let answer: Value = serde_json::from_str(&told).unwrap();
    let said = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(said.contains("session first-se (claude-code)"), "{said}");
    assert!(said.contains("Port the parser to the new grammar"), "{said}");
    assert_eq!(answer["hookSpecificOutput"].get("permissionDecision"), None, "it forbids nothing");

    // What was said is written down after the answer, and learned before it is asked for again.
    eventually("it is known what was said", || house.ok(&["context", "--said"]).contains("claim-files"));
    assert_eq!(house.send(&edit(&house, "PreToolUse", "second-session", "parser.rs")), "", "once is enough");
    assert_eq!(house.send(&edit(&house, "PreToolUse", "second-session", "lexer.rs")), "");
}

#[test]
fn a_claim_is_taken_and_given_back_by_hand_and_survives_the_daemon() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    let said = house.ok(&["claims", "take", "./src/../a.rs", "b.rs", "--note", "both at once"]);
    assert!(said.contains("holds 2 files"), "{said}");
    house.ok(&["daemon", "restart"]);
    let held = claims(&house);
    assert_eq!(held.len(), 2, "{held:?}");
    assert!(held.iter().all(|claim| claim["goal"] == "both at once"), "{held:?}");
    let table = house.ok(&["claims", "list"]);
    assert!(table.contains("a.rs") && table.contains("both at once"), "{table}");

    assert!(house.ok(&["claims", "release", "a.rs"]).contains("1 claim given back"));
    assert!(house.ok(&["claims", "release", "a.rs"]).contains("nobody held that"));
    house.send(&house.envelope("first-session", "SessionEnd"));
    assert!(claims(&house).is_empty(), "they end with the session");
    let unclear = house.run(&["claims", "take", "a.rs"]);
    assert_eq!(unclear.status.code(), Some(1), "nobody is at work here any more");
    assert_eq!(house.run(&["claims", "release"]).status.code(), Some(2));
}

#[test]
fn who_takes_a_file_hears_who_else_holds_it() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.ok(&["claims", "take", "a.rs", "b.rs", "--note", "porting"]);
    house.send(&house.envelope("second-session", "SessionStart"));
    let said = house.ok(&["claims", "take", "a.rs", "--session", "second-session"]);
    assert!(said.contains("a.rs is held by session first-se, too, for: porting"), "{said}");
    assert!(!said.contains("b.rs"), "{said}");
    assert!(house.ok(&["claims", "release", "a.rs"]).contains("2 claims given back"));
}

#[test]
fn a_rebuild_knows_the_same_claims() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.send(&edit(&house, "PreToolUse", "first-session", "parser.rs"));
    house.ok(&["claims", "take", "lexer.rs", "--note", "later"]);
    let before = claims(&house);
    assert_eq!(before.len(), 2);
    house.ok(&["rebuild"]);
    assert_eq!(claims(&house), before);
}
