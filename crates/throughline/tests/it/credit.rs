//! Which memories were of use, and how sessions ended: counted from what agents themselves wrote.

use std::fs;
use std::path::PathBuf;

use model::{Deed, Injection, Item, SessionId, Told};
use serde_json::{Value, json};

use crate::house::{House, eventually};

/// A house in which nothing is shown but what the test shows.
fn quiet_house() -> House {
    let house = House::new();
    house.ok(&["behaviors", "disable", "recall-on-prompt"]);
    house
}

fn remember(house: &House, text: &str) -> String {
    house.ok(&["remember", text, "--global"]).trim().to_owned()
}

fn shown(house: &House, id: &str) -> Value {
    serde_json::from_str(&house.ok(&["show", id, "--json"])).unwrap()
}

fn hits(house: &House, id: &str) -> (u64, u64) {
    let row = shown(house, id);
    (row["hits"].as_u64().unwrap(), row["prevented"].as_u64().unwrap())
}

fn note(ids: &[&str]) -> String {
    let lines: Vec<String> =
        ids.iter().map(|id| format!("- {id} note: what the wombat needs (person)")).collect();
    engine::fence("recall-on-prompt", 77, &lines.join("\n"))
}

/// Journals what an answer would have put in front of the agent.
fn inject(house: &House, session: &str, ids: &[&str]) {
    let item = |id: &&str| Item {
        memory: Some(id.parse().unwrap()),
        part: "hit".into(),
        title: "what the wombat needs".into(),
        tokens: 9,
        why: "it fits".into(),
    };
    let items = ids.iter().map(item).collect();
    let told = Told { from: "recall-on-prompt".into(), text: note(ids), tokens: 40, items };
    let injection = Injection {
        session: SessionId::new(session),
        subagent: None,
        event: "UserPromptSubmit".into(),
        notes: vec![told],
        marks: Vec::new(),
    };
    let question = json!({ "ask": "deeds", "deeds": [Deed::Injected { injection: Box::new(injection) }] });
    let until = std::time::Instant::now() + std::time::Duration::from_mins(1);
    let answer = client::ask(&house.place(), question.to_string().as_bytes(), until).unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["error"], Value::Null, "{answer}");
}

fn stop(house: &House, session: &str, text: &str) {
    let mut envelope = house.envelope(session, "Stop");
    envelope["last_assistant_message"] = json!(text);
    house.send(&envelope);
}

/// A transcript of records as the client writes them.
fn transcript(house: &House, session: &str, messages: &[(&str, Value)]) -> PathBuf {
    let path = house.home().join(format!("{session}.jsonl"));
    let lines = messages.iter().enumerate().map(|(at, (kind, content))| {
        let mut record = json!({
            "type": kind,
            "uuid": format!("u{at}"),
            "sessionId": session,
            "timestamp": format!("2026-11-02T10:00:{at:02}.000Z"),
        });
        match *kind {
            "attachment" => record["attachment"] = content.clone(),
            kind => record["message"] = json!({ "role": kind, "model": "m", "content": content }),
        }
        format!("{record}\n")
    });
    fs::write(&path, lines.collect::<String>()).unwrap();
    path
}

fn end(house: &House, session: &str, transcript: Option<&PathBuf>) {
    let mut envelope = house.envelope(session, "SessionEnd");
    envelope["reason"] = json!("prompt_input_exit");
    if let Some(path) = transcript {
        envelope["transcript_path"] = json!(path);
    }
    house.send(&envelope);
}

#[test]
fn a_memory_that_was_shown_and_then_named_counts_once() {
    let house = quiet_house();
    let used = remember(&house, "The wombat cache is keyed by branch and must be warmed first.");
    let unused = remember(&house, "The quokka service needs two replicas in the staging cluster.");
    let stranger = remember(&house, "The numbat importer drops rows that have no date in them.");
    house.send(&house.prompt("s1", "warm the wombat cache"));
    inject(&house, "s1", &[&used, &unused]);
    stop(&house, "s1", &note(&[&used, &unused]));
    assert_eq!(hits(&house, &used), (0, 0), "our own note comes back and counts for nothing");
    stop(
        &house,
        "s1",
        &format!("I warmed it by branch, as {used} warns. {stranger} has nothing to do with it."),
    );
    assert_eq!(hits(&house, &used), (1, 1));
    stop(&house, "s1", &format!("Once more: {used} was followed to the letter."));
    assert_eq!(hits(&house, &used), (1, 1), "once per session");
    assert_eq!(hits(&house, &unused), (0, 0));
    assert_eq!(hits(&house, &stranger), (0, 0), "it was never shown here");

    let page = house.ok(&["show", &used]);
    assert!(page.contains("1 time cited, 1 mistake prevented, last on "), "{page}");
    let stats = house.ok(&["stats"]);
    let line = "shown to agents: 1 note, 2 memories, 1 cited (50 %), 1 mistake prevented, 40 tokens\n";
    assert!(stats.contains(line), "{stats}");
    let stats: Value = serde_json::from_str(&house.ok(&["stats", "--json"])).unwrap();
    assert_eq!(stats["shown_to_agents"]["cited_share"], 0.5);

    house.ok(&["rebuild"]);
    assert_eq!(hits(&house, &used), (1, 1), "neither lost nor doubled");
    assert_eq!(hits(&house, &stranger), (0, 0));
}

#[test]
fn a_transcript_counts_what_the_agent_wrote_and_never_what_was_put_in_front_of_it() {
    let house = quiet_house();
    let [said, fetched, echoed, both] = ["wombat", "quokka", "numbat", "bilby"].map(|animal| {
        remember(&house, &format!("The {animal} pipeline wants its own queue because it is slow."))
    });
    house.send(&house.prompt("s1", "which queue does it want"));
    inject(&house, "s1", &[&said, &fetched, &echoed, &both]);
    let echo = format!("{echoed} was of great use to me here.");
    let records = [
        ("user", json!(format!("which queue? {echo}"))),
        ("attachment", json!({ "type": "hook_additional_context", "content": [echo.clone()] })),
        ("user", json!([{ "type": "text", "text": format!("<system-reminder>{echo}</system-reminder>") }])),
        ("assistant", json!([{ "type": "text", "text": note(&[&echoed]) }])),
        ("assistant", json!([{ "type": "text", "text": format!("By {said} it wants a queue of its own.") }])),
        (
            "assistant",
            json!([{ "type": "tool_use", "id": "toolu_1", "name": "Bash",
            "input": { "command": format!("throughline show {fetched}") } }]),
        ),
        ("user", json!([{ "type": "tool_result", "tool_use_id": "toolu_1", "content": echo }])),
        ("assistant", json!([{ "type": "text", "text": format!("The rule of {both} holds here.") }])),
    ];
    let path = transcript(&house, "s1", &records);
    stop(&house, "s1", &format!("The rule of {both} holds here."));
    end(&house, "s1", Some(&path));
    eventually("the transcript is read", || hits(&house, &said) == (1, 0));
    assert_eq!(hits(&house, &fetched), (1, 0), "fetched by a call of its own");
    assert_eq!(hits(&house, &both), (1, 0), "said in both places, counted once");
    assert_eq!(hits(&house, &echoed), (0, 0));

    house.ok(&["rebuild"]);
    end(&house, "s1", Some(&path));
    for id in [&said, &fetched, &both] {
        assert_eq!(hits(&house, id), (1, 0), "read again, counted once");
    }
    assert_eq!(hits(&house, &echoed), (0, 0));
}

#[test]
fn how_a_session_ended_is_inferred_shown_and_corrected() {
    let house = House::new();
    house.send(&house.prompt("looked-at", "what is in here"));
    stop(&house, "looked-at", "A folder.");
    end(&house, "looked-at", None);
    house.send(&house.prompt("worked-on", "rename the function"));
    let mut edit = house.tool("worked-on", "Edit", "");
    edit["tool_input"] =
        json!({ "file_path": house.work().join("a.rs"), "old_string": "a", "new_string": "b" });
    edit["tool_response"] = json!({ "filePath": house.work().join("a.rs"), "structuredPatch": [
        { "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-fn a() {}", "+fn b() {}"] }] });
    house.send(&edit);
    let mut run = house.tool("worked-on", "Bash", "test result: ok. 3 passed; 0 failed; 0 ignored");
    run["tool_input"] = json!({ "command": "cargo test" });
    run["tool_use_id"] = json!("toolu_2");
    house.send(&run);
    stop(&house, "worked-on", "Renamed.");
    end(&house, "worked-on", None);

    assert!(house.ok(&["outcome", "looked"]).contains("nothing showed how it ended"));
    let line = house.ok(&["outcome", "worked-on"]);
    assert_eq!(line, "succeeded (inferred): `cargo test` passes; 1 edit was made\n");
    let list = house.ok(&["outcome"]);
    assert!(list.contains("worked-o") && list.contains("inferred") && !list.contains("looked-a"), "{list}");

    let said = house.ok(&["outcome", "worked", "partial-", "--note", "it was the wrong function"]);
    assert_eq!(said, "partial- (person): it was the wrong function\n");
    end(&house, "worked-on", None);
    let row: Value = serde_json::from_str(&house.ok(&["outcome", "worked-on", "--json"])).unwrap();
    assert_eq!((&row["outcome"], &row["said_by"]), (&"partial-".into(), &"person".into()), "a word stands");
    house.ok(&["rebuild"]);
    let story = house.ok(&["session", "show", "worked-on"]);
    assert!(story.contains("outcome   partial- (person): it was the wrong function\n"), "{story}");
    let story: Value = serde_json::from_str(&house.ok(&["session", "show", "worked-on", "--json"])).unwrap();
    assert_eq!(story["outcome"]["why"], "it was the wrong function");
    let sessions = house.ok(&["sessions", "--json"]);
    assert!(sessions.lines().any(|line| line.contains(r#""outcome":"partial-""#)), "{sessions}");
    assert!(sessions.lines().any(|line| line.contains(r#""outcome":null"#)), "{sessions}");

    let wrong = house.run(&["outcome", "worked-on", "splendid"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("succeeded, partial+, partial-, failed"));
    assert_eq!(house.run(&["outcome", "nobody", "failed"]).status.code(), Some(1));
}

#[test]
fn a_rebuild_does_not_change_what_was_shown_also_beside_a_memory_that_is_forgotten() {
    let house = quiet_house();
    let kept = remember(&house, "The wombat cache is keyed by branch and must be warmed first.");
    let doomed = remember(&house, "The quokka service needs two replicas in the staging cluster.");
    house.send(&house.prompt("s1", "warm the wombat cache"));
    inject(&house, "s1", &[&kept, &doomed]);
    house.ok(&["forget", &doomed, "--yes"]);
    let shown_to_agents = || {
        let stats: Value = serde_json::from_str(&house.ok(&["stats", "--json"])).unwrap();
        stats["shown_to_agents"].clone()
    };
    let before = shown_to_agents();
    assert_eq!(before["memories"], 1, "{before}");
    house.ok(&["rebuild"]);
    assert_eq!(shown_to_agents(), before);
}
