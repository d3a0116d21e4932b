//! What a person and an agent said is found by its words, in whichever form the agent keeps it: now, later, and in a store that an earlier
//! release has filled.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::house::House;

/// An answer of three paragraphs, the first two too long for one piece. Each has a word of its own.
fn answer(name: &str) -> String {
    let filler = "lorem ipsum dolor sit amet ".repeat(35);
    format!("{name}first {filler}\n\n{filler} {name}second\n\n{name}third closes it.")
}

fn words(names: &[&str]) -> Vec<String> {
    names.iter().flat_map(|name| ["first", "second", "third"].map(|part| format!("{name}{part}"))).collect()
}

/// Each word is in a piece, and whoever searches it is given something.
#[track_caller]
fn are_found(house: &House, words: &[String]) {
    let until = Instant::now() + Duration::from_mins(1);
    let is_in_a_piece = |word: &str| {
        let tables = Connection::open(house.place().database()).unwrap();
        let count = "SELECT count(*) FROM memories WHERE kind = 'chunk' AND instr(text, ?1)";
        // A new house makes its tables in its first moments.
        tables.query_row(count, [word], |row| row.get::<_, i64>(0)).is_ok_and(|found| found > 0)
    };
    for word in words {
        while !is_in_a_piece(word) || house.ok(&["search", word, "--json"]).trim() == "[]" {
            assert!(Instant::now() < until, "never found: {word}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Gemini CLI's one document, as it is after so many turns.
fn document(turns: &[(&str, String)]) -> String {
    let mut messages = Vec::new();
    for (at, (asked, answer)) in turns.iter().enumerate() {
        let time = format!("2025-09-30T08:0{at}:01.000Z");
        messages.push(json!({ "id": format!("q{at}"), "timestamp": time, "type": "user", "content": asked }));
        messages
            .push(json!({ "id": format!("a{at}"), "timestamp": time, "type": "gemini", "content": answer }));
    }
    let start = "2025-09-30T08:00:00.000Z";
    json!({ "sessionId": "gemini-one", "projectHash": "x", "startTime": start, "lastUpdated": start, "messages": messages })
        .to_string()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn a_document_of_the_past_is_found_by_every_word_and_a_private_turn_by_none() {
    let house = House::new();
    let path = house.home().join(".gemini/tmp/9f86d0/chats/session-1.json");
    let turns = [
        ("why is it padded?", answer("alder")),
        ("<private>why?</private>", answer("birch")),
        ("and now?", answer("cedar")),
    ];
    write(&path, &document(&turns));
    house.ok(&["backfill", "--client", "gemini-cli"]);
    are_found(&house, &words(&["alder", "cedar"]));
    assert!(house.files_with("birchsecond").is_empty(), "it is in the agent's own file alone");
}

#[test]
fn a_document_that_grows_is_found_turn_by_turn() {
    let house = House::new();
    let path = house.home().join(".gemini/tmp/9f86d0/chats/session-1.json");
    let mut turns = Vec::new();
    let mut names = Vec::new();
    for name in ["alder", "birch", "cedar"] {
        turns.push(("go on", answer(name)));
        names.push(name);
        write(&path, &document(&turns));
        let envelope = json!({ "session_id": "gemini-one", "transcript_path": path, "cwd": house.work(), "hook_event_name": "AfterAgent",
            "prompt": "go on", "prompt_response": "done", "stop_hook_active": false });
        house.pipe(&["hook", "--agent", "gemini-cli"], envelope.to_string().as_bytes());
        are_found(&house, &words(&names));
    }
}

fn opencode_parts(name: &str) -> [(&'static str, Value, Value); 2] {
    let made = |at: u64| json!({ "created": 1_750_000_000_000_u64 + at });
    [
        (
            "msg_1",
            json!({ "role": "user", "time": made(1) }),
            json!({ "type": "text", "text": format!("please look at {name}asked") }),
        ),
        (
            "msg_2",
            json!({ "role": "assistant", "time": made(2) }),
            json!({ "type": "text", "text": answer(name) }),
        ),
    ]
}

#[test]
fn sessions_of_opencode_are_taken_in_from_its_database_and_from_its_files() {
    let house = House::new();
    let folder = house.home().join(".local/share/opencode");
    for (message, info, part) in opencode_parts("hazel") {
        let message = format!("{message}f");
        write(&folder.join(format!("storage/message/ses_files/{message}.json")), &info.to_string());
        write(&folder.join(format!("storage/part/{message}/prt_{message}.json")), &part.to_string());
    }
    let info = json!({ "directory": "/srv/shop", "time": { "created": 1 } });
    write(&folder.join("storage/session/global/ses_files.json"), &info.to_string());
    let database = Connection::open(folder.join("opencode.db")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT, time_created INTEGER, time_updated INTEGER);
             CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
             CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
             INSERT INTO session VALUES ('ses_rows', 'global', NULL, '/srv/shop', 1750000000000, 1750000009000);",
        )
        .unwrap();
    for (message, info, part) in opencode_parts("maple") {
        let insert = "INSERT INTO message VALUES (?1, 'ses_rows', 1, 1, ?2)";
        database.execute(insert, (message, info.to_string())).unwrap();
        let insert = "INSERT INTO part VALUES ('prt_' || ?1, ?1, 'ses_rows', 1, 1, ?2)";
        database.execute(insert, (message, part.to_string())).unwrap();
    }
    drop(database);
    let told: Value =
        serde_json::from_str(&house.ok(&["backfill", "--client", "opencode", "--json"])).unwrap();
    assert_eq!((&told["files"], &told["troubles"]), (&json!(2), &json!([])), "{told}");
    let mut all = words(&["hazel", "maple"]);
    all.extend(["hazelasked".to_owned(), "mapleasked".to_owned()]);
    are_found(&house, &all);
    for session in ["ses_rows", "ses_files"] {
        let heard: Vec<String> =
            house.heard().into_iter().filter(|(of, _)| of == session).map(|(_, event)| event).collect();
        assert_eq!(heard, ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]);
    }
    let again: Value =
        serde_json::from_str(&house.ok(&["backfill", "--client", "opencode", "--json"])).unwrap();
    assert_eq!(again["events"], 0, "nothing is taken in twice");
}

#[test]
fn a_store_with_holes_is_cut_again() {
    let house = House::new();
    let path = house.home().join(".claude/projects/-srv-shop/11111111-2222-4333-8444-555555555555.jsonl");
    let record = |number: usize, kind: &str, message: Value| {
        json!({ "type": kind, "uuid": format!("u{number}"), "sessionId": "11111111-2222-4333-8444-555555555555", "cwd": "/srv/shop",
            "version": "2.1.0", "timestamp": format!("2025-03-01T10:00:0{number}.000Z"), "message": message })
        .to_string() + "\n"
    };
    let said = json!({ "id": "m1", "role": "assistant", "model": "claude-x", "stop_reason": "end_turn",
        "content": [{ "type": "text", "text": answer("alder") }] });
    let asked = json!({ "role": "user", "content": "why is it padded?" });
    write(&path, &(record(0, "user", asked) + &record(1, "assistant", said)));
    house.ok(&["backfill"]);
    are_found(&house, &words(&["alder"]));
    house.ok(&["daemon", "stop"]);
    // As an earlier release would have left it: the last piece of an answer under the name of its first, and only the end noted.
    fs::remove_file(&path).unwrap();
    let tables = Connection::open(house.place().database()).unwrap();
    let dropped =
        tables.execute("DELETE FROM memories WHERE kind = 'chunk' AND text LIKE '%alderfirst%'", []).unwrap();
    assert_eq!(dropped, 1);
    tables
        .execute_batch(
            "UPDATE session_states SET state = '2' WHERE name = 'chunked-lines';
             DELETE FROM meta WHERE key = 'distilled-by';",
        )
        .unwrap();
    drop(tables);
    house.ok(&["daemon", "start"]);
    // Whoever changes a setting has it looked at at once.
    house.ok(&["config", "set", "distill.batch-calls", "19"]);
    are_found(&house, &words(&["alder"]));
    let tables = Connection::open(house.place().database()).unwrap();
    let state: String = tables
        .query_row("SELECT state FROM session_states WHERE name = 'chunked-lines'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(state, "2 0");
}
