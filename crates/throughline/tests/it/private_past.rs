//! What was private stays so when transcripts are read piece by piece, and costs nothing that was not.

use std::fs;
use std::path::PathBuf;

use model::{Said, Speaker};
use serde_json::{Value, json};

use crate::house::{House, eventually};

const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// A record of a transcript; they follow each other by a second.
fn record(number: usize, kind: &str, message: &Value, more: &Value) -> String {
    let mut record = json!({
        "type": kind,
        "uuid": format!("00000000-0000-4000-8000-{number:012}"),
        "sessionId": SESSION,
        "cwd": "/project",
        "timestamp": format!("2026-05-01T10:00:{number:02}.000Z"),
        "message": message,
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        record[key] = value.clone();
    }
    record.to_string() + "\n"
}

fn person(number: usize, text: &str) -> String {
    let more = json!({ "promptId": format!("prompt-{number}"), "promptSource": "typed" });
    record(number, "user", &json!({ "role": "user", "content": text }), &more)
}

fn agent(number: usize, content: &Value) -> String {
    let message = json!({ "role": "assistant", "id": format!("msg-{number}"), "content": [content] });
    record(number, "assistant", &message, &json!({}))
}

fn says(number: usize, text: &str) -> String {
    agent(number, &json!({ "type": "text", "text": text }))
}

/// A call and its result: two records.
fn call(number: usize, command: &str, output: &str) -> String {
    let id = format!("toolu_{number}");
    let used = json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } });
    let result = json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": output }] });
    let more = json!({ "toolUseResult": { "stdout": output, "stderr": "", "interrupted": false } });
    agent(number, &used) + &record(number + 1, "user", &result, &more)
}

fn grow(house: &House, text: &str) -> PathBuf {
    let folder = house.home().join(".claude/projects/p");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{SESSION}.jsonl"));
    let before = fs::read_to_string(&path).unwrap_or_default();
    fs::write(&path, before + text).unwrap();
    path
}

fn backfill(house: &House) -> Value {
    serde_json::from_str(&house.ok(&["backfill", "--all", "--json"])).unwrap()
}

#[test]
fn a_private_turn_stays_private_when_its_transcript_is_read_in_two_pieces() {
    let house = House::new();
    grow(&house, &person(1, "Explain the zebra crossing to me, please."));
    grow(&house, &says(2, "The zebra crossing is a publicword of the road."));
    grow(&house, &person(3, "<private>My diary: hiddenprompt</private>"));
    backfill(&house);
    let archived = || house.run(&["session", "transcript", SESSION]).stdout;
    eventually("the first piece is archived", || String::from_utf8_lossy(&archived()).contains("publicword"));
    grow(&house, &says(4, "About your diary: hiddenanswer."));
    grow(&house, &call(5, "cat diary", "hiddenoutput"));
    grow(&house, &says(7, "Done with hiddenending."));
    grow(&house, &person(8, "And now the ordinary road again, please."));
    grow(&house, &says(9, "The ordinary road has an openword."));
    backfill(&house);
    eventually("the second piece is archived", || String::from_utf8_lossy(&archived()).contains("openword"));
    let archived = String::from_utf8_lossy(&archived()).into_owned();
    for hidden in ["hiddenprompt", "hiddenanswer", "hiddenoutput", "hiddenending"] {
        assert!(!archived.contains(hidden), "{hidden} is archived");
        let found = house.ok(&["search", hidden, "--json"]);
        assert!(!found.contains(hidden), "{hidden} is found: {found}");
        assert!(house.files_with(hidden).is_empty(), "{hidden}");
    }
}

#[test]
fn what_follows_a_known_public_prompt_is_taken_in_although_a_private_turn_came_before() {
    let house = House::new();
    grow(&house, &person(1, "<private>My diary, please.</private>"));
    grow(&house, &says(2, "Read."));
    grow(&house, &person(3, "Now build the ordinary project, please."));
    grow(&house, &call(4, "make one", "built one"));
    backfill(&house);
    grow(&house, &call(6, "make two", "built two"));
    grow(&house, &call(8, "make three", "built three"));
    backfill(&house);
    let commands: Vec<String> = house
        .events()
        .iter()
        .filter_map(|event| event["envelope"]["tool_input"]["command"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(commands, ["make one", "make two", "make three"]);
}

/// What the journaled events of this name say was said in the turns they end.
fn said(house: &House, name: &str) -> Vec<Vec<(Speaker, String)>> {
    // Also settles what was sent.
    let count = house.events().iter().filter(|event| event["event"] == name).count();
    let journal = store::journal::read_only(&house.place().journal()).unwrap();
    let entries =
        journal.read_from(1).map(|stored| stored.unwrap().entry).filter(|entry| entry.event == name);
    let said: Vec<_> = entries
        .map(|entry| {
            let list = entry.context.get(Said::IN_TURN).map_or("[]", String::as_str);
            let list: Vec<Said> = serde_json::from_str(list).expect("it stays a list");
            list.into_iter().map(|said| (said.by, said.text)).collect()
        })
        .collect();
    assert_eq!(said.len(), count);
    said
}

#[test]
fn what_was_said_in_a_live_turn_comes_with_its_end_redacted_text_by_text() {
    let house = House::new();
    let secret = concat!("gh", "p_Ky9Pf34qY6Nb3wWD25RQ4F5ZR3qa7y3gm1IL");
    house.send(&house.prompt(SESSION, "Why is the road closed?"));
    let path = grow(&house, &person(1, "Why is the road closed?"));
    grow(&house, &says(2, "I found it: the sign says \"closed\", the password is:"));
    grow(&house, &call(3, "cat sign", "closed"));
    grow(&house, &says(5, &format!("The key {secret} opens it.")));
    grow(&house, &call(6, "open", "open"));
    grow(&house, &says(8, "It is open now."));
    let mut stop = house.envelope(SESSION, "Stop");
    stop["transcript_path"] = json!(path);
    stop["last_assistant_message"] = json!("It is open now.");
    house.send(&stop);
    let found = said(&house, "Stop").remove(0);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0].0, Speaker::Agent);
    assert!(found[0].1.starts_with("I found it: the sign says \"closed\""), "{found:?}");
    assert!(found[1].1.starts_with("The key ") && !found[1].1.contains(secret), "{found:?}");
    assert!(house.files_with(secret).is_empty());
}

#[test]
fn the_words_of_a_private_turn_that_was_interrupted_do_not_come_with_what_follows_it() {
    let turn = person(1, "<private>My diary, please.</private>")
        + &says(2, "About your diary: hiddenwords.")
        + &call(3, "cat diary", "hiddenoutput");
    // Live: the markers know of the turn, and so does the transcript.
    let house = House::new();
    let path = grow(&house, &turn);
    for text in ["<private>My diary, please.</private>", "And now the ordinary road again, please."] {
        let mut prompt = house.prompt(SESSION, text);
        prompt["transcript_path"] = json!(path);
        house.send(&prompt);
    }
    assert_eq!(said(&house, "UserPromptSubmit"), [Vec::new()]);
    assert!(house.files_with("hiddenwords").is_empty());
    // The past.
    let house = House::new();
    grow(&house, &(turn + &person(8, "And now the ordinary road again, please.") + &says(9, "An openword.")));
    backfill(&house);
    assert_eq!(said(&house, "UserPromptSubmit"), [Vec::new()]);
    assert!(house.files_with("hiddenwords").is_empty());
}

#[test]
fn a_secret_in_the_session_of_an_import_reaches_no_file() {
    let house = House::new();
    let secret = concat!("gh", "p_Ky9Pf34qY6Nb3wWD25RQ4F5ZR3qa7y3gm1IL");
    let path = house.home().join("docs.jsonl");
    fs::write(&path, json!({ "id": "z", "text": "a text", "session": format!("sess-{secret}") }).to_string())
        .unwrap();
    house.ok(&["import", "--jsonl", path.to_str().unwrap()]);
    fs::remove_file(path).unwrap();
    assert!(house.ok(&["search", "text", "--json"]).contains("a text"));
    assert!(house.files_with(secret).is_empty());
}
