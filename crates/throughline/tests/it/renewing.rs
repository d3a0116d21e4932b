//! A store that earlier rules have filled: distilled again in the background, with ids, pins and edits as they were.

use std::fs;

use model::SessionId;
use rusqlite::Connection;
use serde_json::{Value, json};
use store::{MemoryRow, Tables};

use crate::house::{House, eventually};

const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// A conversation of long ago, as the client keeps it: an order, a failing test, its repair.
fn transcript(house: &House) {
    let folder = house.home().join(".claude/projects/-srv-shop");
    fs::create_dir_all(&folder).unwrap();
    let mut lines = Vec::new();
    let mut line = |kind: &str, message: Value, more: Value| {
        let number = lines.len();
        let mut record = json!({ "type": kind, "uuid": format!("u{number}"), "sessionId": SESSION, "cwd": "/srv/shop",
            "version": "2.1.0", "gitBranch": "main", "timestamp": format!("2025-03-01T10:00:{number:02}.000Z"), "message": message });
        if let (Value::Object(record), Value::Object(more)) = (&mut record, more) {
            record.extend(more);
        }
        lines.push(record.to_string());
    };
    let agent = |number: usize, content: Value, reason: &str| json!({ "id": format!("m{number}"), "role": "assistant", "model": "claude-x", "content": [content], "stop_reason": reason });
    let result = |id: &str, text: &str, error: bool| json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": error }] });
    line(
        "user",
        json!({ "role": "user", "content": "Never round down a price. Fix the failing test of the cart." }),
        json!({}),
    );
    let test = json!({ "type": "tool_use", "id": "t1", "name": "Bash", "input": { "command": "cargo test -p cart rounds_up" } });
    line("assistant", agent(1, test, "tool_use"), json!({}));
    let failure = "Exit code 101\ntest rounds_up ... FAILED\nthread 'rounds_up' panicked at src/cart.rs:9:5:\nassertion `left == right` failed\n  left: 1\n right: 2";
    line("user", result("t1", failure, true), json!({ "toolUseResult": format!("Error: {failure}") }));
    let input = json!({ "file_path": "/srv/shop/src/cart.rs", "old_string": "price.floor()", "new_string": "price.ceil()" });
    let edit = json!({ "type": "tool_use", "id": "t2", "name": "Edit", "input": input });
    line("assistant", agent(2, edit, "tool_use"), json!({}));
    let patch = json!([{ "oldStart": 9, "oldLines": 1, "newStart": 9, "newLines": 1, "lines": ["-price.floor()", "+price.ceil()"] }]);
    let done = json!({ "toolUseResult": { "filePath": "/srv/shop/src/cart.rs", "structuredPatch": patch } });
    line("user", result("t2", "The file was updated.", false), done);
    let again = json!({ "type": "tool_use", "id": "t3", "name": "Bash", "input": { "command": "cargo test -p cart rounds_up" } });
    line("assistant", agent(3, again, "tool_use"), json!({}));
    let passes = "test rounds_up ... ok\n\ntest result: ok. 1 passed; 0 failed";
    line(
        "user",
        result("t3", passes, false),
        json!({ "toolUseResult": { "stdout": passes, "stderr": "", "interrupted": false } }),
    );
    let words = "The test failed because total in src/cart.rs rounded down; it rounds up now.";
    line("assistant", agent(4, json!({ "type": "text", "text": words }), "end_turn"), json!({}));
    fs::write(folder.join(format!("{SESSION}.jsonl")), lines.join("\n") + "\n").unwrap();
}

fn rows(house: &House) -> Vec<MemoryRow> {
    let tables = Tables::open_read_only(&house.place().database()).unwrap();
    tables.memories_of_session(&SessionId::new(SESSION), 100).unwrap()
}

#[test]
fn what_earlier_rules_made_is_made_again_and_keeps_its_id_its_pin_and_a_persons_words() {
    let house = House::new();
    transcript(&house);
    house.ok(&["backfill", "--json"]);
    house.ok(&["events"]);
    let made: Vec<MemoryRow> =
        rows(&house).into_iter().filter(|row| row.memory.kind.is_observation()).collect();
    assert!(made.len() >= 2, "an order and a repair: {made:#?}");
    let (pinned, edited) = (made[0].memory.id.to_string(), made[1].memory.id.to_string());
    house.ok(&["edit", &edited, "--text", "A person's own words."]);
    house.ok(&["edit", &pinned, "--pin"]);
    house.ok(&["daemon", "stop"]);
    // As the release before would have left it: other words, and a memory that today's rules do not make.
    let tables = Connection::open(house.place().database()).unwrap();
    tables
        .execute_batch(
            "UPDATE memories SET written_by = 'extractive/1' WHERE written_by LIKE 'extractive/%';
             UPDATE memories SET title = 'Now I have it', text = 'old words' WHERE written_by = 'extractive/1' AND text <> 'A person''s own words.';
             INSERT INTO memories (id, kind, at, title, text, session, written_by, evidence, tokens, seq, fingerprint)
             SELECT 42, 'change', at, 'Install lint: `make lint`', 'old noise', session, 'extractive/1', evidence, 3, seq, 7
             FROM memories WHERE written_by = 'extractive/1' AND kind <> 'summary' LIMIT 1;
             DELETE FROM meta WHERE key = 'distilled-by';",
        )
        .unwrap();
    drop(tables);
    house.ok(&["daemon", "start"]);
    // Whoever changes a setting has it looked at at once.
    house.ok(&["config", "set", "distill.batch-calls", "19"]);
    eventually("everything is of today's rules", || {
        rows(&house)
            .iter()
            .all(|row| row.memory.title != "Now I have it" && row.memory.title != "Install lint: `make lint`")
    });
    let after = rows(&house);
    let of = |id: &str| after.iter().find(|row| row.memory.id.to_string() == id).unwrap();
    assert_eq!(of(&pinned).memory.title, made[0].memory.title);
    assert!(of(&pinned).memory.pinned);
    assert_eq!(of(&edited).memory.text, "A person's own words.");
    let doctor = String::from_utf8(house.run(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("1 of 1 old session distilled again"), "{doctor}");
}
