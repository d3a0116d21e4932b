//! What a person wanted gone is in no file any more and does not come back; what they did not, outlives everything.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use model::SessionId;
use serde_json::{Value, json};
use store::Tables;

use crate::house::{House, eventually, files};

fn ask(house: &House, question: &Value) -> Value {
    let until = Instant::now() + Duration::from_mins(1);
    let answer = client::ask(&house.place(), question.to_string().as_bytes(), until).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

fn remember(house: &House, text: &str) -> String {
    house.ok(&["remember", text]).trim().to_owned()
}

const NOWHERE: Vec<PathBuf> = Vec::new();

#[test]
fn a_forgotten_note_is_in_no_file_also_after_a_rebuild() {
    let house = House::new();
    let id = remember(&house, "The quaggaword is the name of the project.");
    house.ok(&["edit", &id, "--text", "The dodoword is the name of the project."]);
    let kept = remember(&house, "The emuword stays.");
    assert_ne!(house.files_with("quaggaword"), NOWHERE, "the test would see it");
    let answer = house.ok(&["forget", &id, "--yes", "--json"]);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["gone"], true, "{answer}");
    for round in 0..2 {
        for word in ["quaggaword", "dodoword"] {
            assert_eq!(house.files_with(word), NOWHERE, "{word} in round {round}");
        }
        assert!(!house.run(&["show", &id]).status.success());
        assert!(house.ok(&["show", &kept]).contains("emuword"));
        house.ok(&["rebuild"]);
    }
    assert!(house.ok(&["doctor"]).contains("journal"), "and the journal is sound");
}

#[test]
fn a_forgotten_prompt_is_in_no_file_and_its_session_goes_on() {
    let house = House::new();
    house.start();
    house.send(&house.prompt("s", "what is the platypusword good for?"));
    house.send(&house.tool("s", "Bash", "an answer"));
    house.ok(&["events"]);
    let session = SessionId::new("s");
    let prompt_id = || {
        let tables = Tables::open_read_only(&house.place().database()).unwrap();
        let rows = tables.memories_of_session(&session, 10).unwrap();
        rows.iter().find(|row| row.memory.text.contains("platypusword")).map(|row| row.memory.id.to_string())
    };
    house.ok(&["forget", &prompt_id().unwrap(), "--yes"]);
    house.send(&house.prompt("s", "and the numbat?"));
    house.send(&house.envelope("s", "Stop"));
    for round in 0..2 {
        assert_eq!(house.files_with("platypusword"), NOWHERE, "round {round}");
        let heard: Vec<_> = house.heard().into_iter().map(|(_, event)| event).collect();
        assert_eq!(heard, ["PostToolUse", "UserPromptSubmit", "Stop"]);
        assert_eq!(prompt_id(), None);
        house.ok(&["rebuild"]);
    }
}

#[test]
fn the_same_said_twice_is_forgotten_once_and_for_all() {
    let house = House::new();
    let first = remember(&house, "Deploy with the numbatword script.");
    let second = remember(&house, "deploy with the numbatword script!");
    house.ok(&["forget", &first, "--yes"]);
    assert_eq!(house.files_with("numbatword"), NOWHERE, "{first} {second}");
    house.ok(&["rebuild"]);
    assert_eq!(house.files_with("numbatword"), NOWHERE);
}

#[test]
fn a_forgotten_session_leaves_nothing_and_is_not_brought_in_again() {
    let house = House::new();
    house.start();
    let transcript = house.home().join("session.jsonl");
    let line = json!({
        "type": "user", "sessionId": "gone", "uuid": "11111111-1111-4111-8111-111111111111", "cwd": house.work(),
        "timestamp": "2026-11-15T10:00:00.000Z", "message": { "role": "user", "content": "tell me of the thylacineword" },
    });
    fs::write(&transcript, format!("{line}\n")).unwrap();
    for session in ["gone", "kept"] {
        house.send(&house.prompt(session, "what is the thylacineword of this?"));
        house.send(&house.tool(session, "Bash", &format!("{session}word in the output")));
        let mut stop = house.envelope(session, "Stop");
        stop["last_assistant_message"] = json!(format!("{session}word is the answer"));
        if session == "gone" {
            stop["transcript_path"] = json!(transcript);
        }
        house.send(&stop);
    }
    house.ok(&["events"]);
    eventually("the transcript is archived", || !files(&house.place().archive()).is_empty());
    let answer = ask(&house, &json!({ "ask": "forget-session", "session": "gone" }));
    assert_eq!((&answer["events"], &answer["prompts"]), (&json!(3), &json!(1)), "{answer}");
    // The other session may have been told of it: that goes, too.
    assert!((3..=4).contains(&answer["erased"].as_u64().unwrap()), "{answer}");
    assert!(
        answer["memories"].as_u64().unwrap() > 0 && answer["archive_bytes"].as_u64().unwrap() > 0,
        "{answer}"
    );
    assert_eq!(answer["gone"], true, "{answer}");
    for round in 0..2 {
        assert_eq!(house.files_with("goneword"), NOWHERE, "round {round}");
        assert_eq!(files(&house.place().archive()), NOWHERE);
        assert_ne!(house.files_with("keptword"), NOWHERE);
        let sessions = house.ok(&["sessions", "--json"]);
        assert!(sessions.contains("\"kept\"") && !sessions.contains("\"gone\""), "{sessions}");
        house.ok(&["rebuild"]);
    }
    ask(&house, &json!({ "ask": "backfill", "paths": [transcript] }));
    eventually("it is read", || ask(&house, &json!({ "ask": "backfill-status" }))["running"] == false);
    let status = ask(&house, &json!({ "ask": "backfill-status" }));
    assert_eq!((&status["events"], &status["files_done"]), (&json!(0), &json!(1)), "{status}");
    assert!(!house.ok(&["sessions", "--json"]).contains("\"gone\""));
    assert!(ask(&house, &json!({ "ask": "forget-session", "session": "gone" }))["error"].is_string());
}

#[test]
fn memories_older_than_the_journal_outlive_a_rebuild() {
    let house = House::new();
    fs::create_dir_all(house.data()).unwrap();
    fs::write(house.place().config_file(), "[journal]\nsegment-bytes = 65536\n").unwrap();
    let old = remember(&house, "The aardvarkword was said long ago.");
    let unwanted = remember(&house, "The wombatword was forgotten long ago.");
    house.ok(&["edit", &old, "--pin"]);
    house.ok(&["forget", &unwanted, "--yes"]);
    for round in 0..30 {
        house.send(&house.tool("s", "Bash", &format!("{round} {}", "x".repeat(6000))));
    }
    let young = remember(&house, "The zebraword is new.");
    house.ok(&["events"]);
    house.ok(&["daemon", "stop"]);
    let mut segments: Vec<_> = files(&house.place().journal());
    segments.retain(|path| path.extension().is_some_and(|end| end == "seg"));
    segments.sort();
    assert!(segments.len() > 1, "{segments:?}");
    fs::remove_file(&segments[0]).unwrap();

    assert!(house.ok(&["rebuild"]).contains("carried over"));
    let shown: Value = serde_json::from_str(&house.ok(&["show", &old, "--json"])).unwrap();
    assert_eq!(
        (&shown["pinned"], &shown["text"]),
        (&json!(true), &json!("The aardvarkword was said long ago."))
    );
    assert!(house.ok(&["show", &young]).contains("zebraword"));
    assert!(!house.run(&["show", &unwanted]).status.success());
    assert!(house.ok(&["search", "aardvarkword"]).contains("aardvarkword"), "and is found by its words");
}

#[test]
fn beyond_the_cap_the_least_worth_goes_and_what_people_wrote_stays() {
    let house = House::new();
    fs::create_dir_all(house.data()).unwrap();
    fs::write(house.place().config_file(), "[memory]\nkeep-count = 1000\n").unwrap();
    let note = remember(&house, "The notes of people go last.");
    let line = |number: u64| json!({ "id": format!("d{number}"), "text": format!("finding number {number}"), "ts": 1000 + number, "kind": "discovery" });
    let lines: Vec<String> = (0..1100).map(|number| line(number).to_string()).collect();
    let file = house.home().join("found.jsonl");
    fs::write(&file, lines.join("\n")).unwrap();
    house.ok(&["import", "--jsonl", file.to_str().unwrap()]);
    let count = || Tables::open_read_only(&house.place().database()).unwrap().count_memories().unwrap();
    assert_eq!(count(), 1101);
    let would = ask(&house, &json!({ "ask": "gc", "dry_run": true }));
    assert_eq!((&would["dropped"], &would["kept"]), (&json!(101), &json!(1000)), "{would}");
    assert_eq!(count(), 1101, "only said");
    let did = ask(&house, &json!({ "ask": "gc", "dry_run": false }));
    assert_eq!((&did["dropped"], &did["kept"]), (&json!(101), &json!(1000)), "{did}");
    assert!(did["bytes"].as_u64().unwrap() > 1000);
    assert_eq!(count(), 1000);
    assert!(house.ok(&["show", &note]).contains("go last"));
    assert!(!house.run(&["show", "d0"]).status.success(), "the oldest went");
    assert!(house.run(&["show", "d1099"]).status.success());
}

#[test]
fn the_turn_of_a_session_that_died_is_distilled_after_a_while() {
    let house = House::new();
    house.start();
    house.send(&house.prompt("died", "make the kiwiword faster"));
    let mut edit = house.tool("died", "Edit", "");
    edit["tool_input"] =
        json!({ "file_path": "src/kiwi.rs", "old_string": "slow()", "new_string": "kiwiword()" });
    edit["tool_response"] = json!({ "filePath": "src/kiwi.rs" });
    house.send(&edit);
    house.ok(&["events"]);
    house.ok(&["daemon", "stop"]);
    let session = SessionId::new("died");
    let observed = |tables: &Tables| {
        let rows = tables.memories_of_session(&session, 100).unwrap();
        rows.iter().any(|row| row.memory.kind.is_observation())
    };
    let mut tables = Tables::open(&house.place().database()).unwrap();
    assert!(!observed(&tables), "its turn has not ended");
    tables
        .write(|batch| {
            let steps = batch.steps(&session, None)?;
            batch.drop_steps(&session, None)?;
            for step in steps {
                batch.push_step(step.seq, &session, None, step.at - 31 * 60 * 1000, &step.step)?;
            }
            Ok(())
        })
        .unwrap();
    drop(tables);
    house.start();
    eventually("it is distilled", || {
        Tables::open_read_only(&house.place().database()).is_ok_and(|tables| observed(&tables))
    });
}
