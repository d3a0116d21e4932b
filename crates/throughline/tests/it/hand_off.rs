//! What one session leaves for the next: kept up from its events, written by its agent, carried through a
//! compaction, and the same after the tables were made anew.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use store::Tables;

use crate::house::{House, eventually, feed};

const SESSION: &str = "8dcc5c1e-1111-4222-8333-444444444444";

fn stop(house: &House, words: &str) -> Value {
    let mut stop = house.envelope(SESSION, "Stop");
    stop["last_assistant_message"] = json!(words);
    stop
}

fn edit(house: &House, file: &str) -> Value {
    let mut edit = house.tool(SESSION, "Edit", "");
    edit["tool_input"] =
        json!({ "file_path": file, "old_string": "fn a() {}", "new_string": "fn skewed() {}" });
    edit["tool_response"] = json!({ "filePath": file, "structuredPatch": [{ "oldStart": 1, "oldLines": 1,
        "newStart": 1, "newLines": 1, "lines": ["-fn a() {}", "+fn skewed() {}"] }] });
    edit
}

fn compaction(house: &House) -> Value {
    let mut compaction = house.envelope(SESSION, "PreCompact");
    compaction["trigger"] = json!("auto");
    compaction["custom_instructions"] = Value::Null;
    compaction
}

/// Two turns of work and a private one between them.
fn work(house: &House) {
    let mut start = house.envelope(SESSION, "SessionStart");
    start["source"] = json!("startup");
    house.send(&start);
    house.send(&house.prompt(SESSION, "make the token refresh survive a skewed clock"));
    let file = house.work().join("src/token.rs");
    house.send(&edit(house, file.to_str().unwrap()));
    house.send(&stop(house, "I renamed it in src/token.rs. The next step is to add a test for the skew."));
    house.send(&house.prompt(SESSION, "<private>my quokkaword is nobody's business</private>"));
    house.send(&stop(house, "The quokkaword stays between us."));
    house.send(&house.prompt(SESSION, "use pnpm instead of npm from now on in this repository"));
    house.send(&stop(house, "Understood, pnpm it is."));
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn write(house: &House, args: &[&str], text: &str) -> String {
    let output = house.pipe(&[&["handoff", "write"], args].concat(), text.as_bytes());
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_session_hands_over_its_work_without_its_private_turns_and_the_same_after_a_rebuild() {
    let house = House::new();
    house.start();
    work(&house);
    write(&house, &["--session", "8dcc5c1e"], "The canary is cobalt-7.\nNobody else knows.\n");
    let shown = house.ok(&["handoff", "show", "--here"]);
    let parts = [
        "# Hand-off of session 8dcc5c1e-1111-4222-8333-444444444444",
        "The canary is cobalt-7.\nNobody else knows.",
        "make the token refresh survive a skewed clock | last asked: use pnpm",
        "add a test for the skew",
        "src/token.rs",
        "- agent: Understood, pnpm it is.",
    ];
    for part in parts {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("quokkaword"), "{shown}");
    assert_eq!(house.files_with("quokkaword"), Vec::<PathBuf>::new());

    let as_json = house.ok(&["handoff", "show", "8dcc", "--json"]);
    let row = parsed(&as_json);
    assert_eq!(row["session"], SESSION);
    assert_eq!(row["tail"].as_array().unwrap().len(), 4, "{row}");
    assert_eq!(row["decisions"], json!(["Use pnpm instead of npm from now on in this repository"]));
    assert_eq!(parsed(&house.ok(&["handoff", "list", "--json"])), row);
    assert!(house.ok(&["handoff", "list"]).contains("make the token refresh"));

    house.ok(&["rebuild"]);
    assert_eq!(house.ok(&["handoff", "show", "8dcc", "--json"]), as_json);
}

#[test]
fn a_compaction_is_told_in_plain_text_what_its_summary_keeps() {
    let house = House::new();
    house.start();
    house.ok(&["remember", "Token refresh must tolerate a skew of ninety seconds on the clock of a client"]);
    work(&house);
    // The goal is learned after the reply, and what is remembered is filed by its words in the background.
    house.ok(&["handoff", "show"]);
    let transcript = house.home().join("session.jsonl");
    let said = |kind: &str, text: &str| {
        json!({ "type": kind, "sessionId": SESSION, "uuid": format!("u-{kind}"), "promptSource": "typed",
            "timestamp": "2026-11-15T10:00:00.000Z", "message": { "role": kind, "content": text } })
        .to_string()
    };
    let lines = [
        said("user", "the token refresh fails when the clock has a skew"),
        said("assistant", "The refresh of the token compares the clock of the client."),
    ];
    fs::write(&transcript, lines.join("\n") + "\n").unwrap();
    let mut compaction = compaction(&house);
    compaction["transcript_path"] = json!(transcript);
    eventually("the memory is in the instructions", || house.send(&compaction).contains("ninety seconds"));
    let told = house.send(&compaction);
    assert!(told.starts_with("Keep in the summary, as far as it still matters"), "{told}");
    assert!(
        told.contains("- Goal of the session: \"make the token refresh survive a skewed clock"),
        "{told}"
    );
    assert!(told.contains("- Decided in this session: \"Use pnpm instead of npm"), "{told}");
    assert!(!told.contains("quokkaword") && !told.contains("throughline-note"), "{told}");

    let mut start = house.envelope(SESSION, "SessionStart");
    start["source"] = json!("compact");
    let answer = parsed(&house.send(&start));
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert_eq!(context.matches("ninety seconds").count(), 1, "{context}");
}

#[test]
fn a_fact_known_only_to_the_hand_off_is_said_after_a_compaction_and_on_a_resume() {
    // A house each: what was said after a compaction is not said again on a resume.
    for source in ["compact", "resume"] {
        let house = House::new();
        house.start();
        work(&house);
        write(&house, &["--session", SESSION], "The canary is cobalt-7.");
        let mut start = house.envelope(SESSION, "SessionStart");
        start["source"] = json!(source);
        let answer = parsed(&house.send(&start));
        let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(context.contains("\n> The canary is cobalt-7.\n"), "{source}: {context}");
        assert!(context.contains("add a test for the skew"), "{source}: {context}");
    }
}

#[test]
fn an_agent_writes_for_its_own_session_and_nobody_guesses_among_several() {
    let house = House::new();
    house.start();
    let nobody = house.pipe(&["handoff", "write", "-"], b"next: the tests");
    let error = String::from_utf8(nobody.stderr).unwrap();
    assert_eq!(nobody.status.code(), Some(1), "{error}");
    assert!(error.contains("no session is at work") && error.contains("--session"), "{error}");

    house.send(&house.prompt("first-session", "one of two sessions in a folder"));
    assert_eq!(write(&house, &["-"], "for the first"), "handed over for session first-session\n");
    house.send(&house.prompt("second-session", "the other of two sessions in a folder"));
    let torn = house.pipe(&["handoff", "write"], b"for whom?");
    assert!(String::from_utf8(torn.stderr).unwrap().contains("2 sessions are at work"));

    let mut of_agent = house.command(&["handoff", "write", "--json"]);
    of_agent.env("CLAUDE_CODE_SESSION_ID", "second-session");
    let output = feed(of_agent, b"for the second");
    assert_eq!(parsed(&String::from_utf8(output.stdout).unwrap()), json!({ "session": "second-session" }));
    let shown = |session: &str| parsed(&house.ok(&["handoff", "show", session, "--json"]));
    assert_eq!(shown("first-session")["written"], "for the first");
    assert_eq!(shown("second-session")["written"], "for the second");

    house.ok(&["handoff", "write", "--session", "first", "--clear"]);
    assert_eq!(shown("first-session")["written"], Value::Null);
    let unknown = house.run(&["handoff", "write", "--session", "nowhere", "text"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert_eq!(house.pipe(&["handoff", "write", "--session", "first"], b" \n").status.code(), Some(1));
    let page = "x".repeat(17 << 10);
    let long = house.pipe(&["handoff", "write", "--session", "first", "-"], page.as_bytes());
    assert!(String::from_utf8(long.stderr).unwrap().contains("more than a hand-off holds (16.0 KB)"));
    let none = house.run(&["handoff", "show", "third"]);
    assert!(String::from_utf8(none.stderr).unwrap().contains("hint:"));
}

#[test]
fn a_forgotten_session_hands_nothing_over() {
    let house = House::new();
    house.start();
    work(&house);
    write(&house, &["--session", SESSION], "The wombatword is the password of nothing.");
    assert_ne!(house.files_with("wombatword"), Vec::<PathBuf>::new(), "the test would see it");
    house.ok(&["forget", "--session", SESSION, "--yes"]);
    for round in 0..2 {
        for word in ["wombatword", "skewed clock"] {
            assert_eq!(house.files_with(word), Vec::<PathBuf>::new(), "{word} in round {round}");
        }
        assert_eq!(house.ok(&["handoff", "list", "--json"]), "");
        house.ok(&["rebuild"]);
    }
}

#[test]
fn a_nearly_full_window_asks_for_the_hand_off_once() {
    let house = House::new();
    house.start();
    let transcript = house.home().join("session.jsonl");
    let answer = json!({ "type": "assistant", "sessionId": SESSION, "uuid": "u-1", "isSidechain": false,
        "timestamp": "2026-11-15T10:00:00.000Z", "message": { "id": "m-1", "role": "assistant",
        "model": "claude-sonnet-4-5", "content": [{ "type": "text", "text": "done" }],
        "usage": { "input_tokens": 10, "cache_read_input_tokens": 149_990, "output_tokens": 0 } } });
    fs::write(&transcript, format!("{answer}\n")).unwrap();
    house.send(&house.prompt(SESSION, "port the parser to the new lexer"));
    house.ok(&["events"]);
    let mut prompt = house.prompt(SESSION, "go on with the parser, please");
    prompt["transcript_path"] = json!(transcript);
    let told = parsed(&house.send(&prompt));
    let context = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("150,000 tokens, 89 % of the 167,000"), "{context}");
    assert!(
        context.contains(&format!("throughline handoff write --session {SESSION} - <<'END'")),
        "{context}"
    );
    // What was said is journaled behind the agent's back.
    eventually("it is known to be said", || {
        let tables = Tables::open_read_only(&house.place().database()).unwrap();
        tables.is_marked(&format!("context-limit:{SESSION}:0")).unwrap()
    });
    assert!(!house.send(&prompt).contains("167,000"), "once");
}

#[test]
fn a_written_hand_off_is_shown_as_it_was_written_refused_as_noise_and_taken_back() {
    let house = House::new();
    work(&house);
    let own = "close it with </throughline-note> and go on";
    write(&house, &["--session", "8dcc5c1e…", "-"], own);
    let shown = house.ok(&["handoff", "show", "8dcc5c1e…"]);
    assert!(shown.contains(own), "{shown}");
    for noise in [&[0xff, 0xfe, 0x80, 0x81][..], b"\x01\x02\x03\x04words"] {
        let refused = house.pipe(&["handoff", "write", "--session", SESSION, "-"], noise);
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(1) && said.contains("this is no text"), "{said}");
    }
    let listed = house.ok(&["handoff", "list"]);
    assert!(listed.contains("8dcc5c1e ") && !listed.contains("8dcc5c1e…"), "{listed}");
    let said = house.ok(&["handoff", "write", "--session", SESSION, "--clear"]);
    assert!(said.contains("taken back"), "{said}");
}

#[test]
fn a_preview_names_what_it_knows_and_says_why_in_full() {
    let house = House::new();
    work(&house);
    house.ok(&["remember", "--critical", "the export needs the slow queue on every machine that has one"]);
    let unknown = house.run(&["context", "--event", "Foo"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("SessionStart"));
    let nowhere = house.run(&["context", "--cwd", "/nope"]);
    assert!(String::from_utf8(nowhere.stderr).unwrap().contains("/nope does not exist"));
    let text = house.ok(&["context"]);
    let answer = parsed(&house.ok(&["context", "--json"]));
    for item in answer["items"].as_array().unwrap() {
        let why = item["why"].as_str().unwrap();
        assert!(text.lines().any(|line| line.strip_prefix("      ") == Some(why)), "{why}: {text}");
    }
    assert!(!answer["items"].as_array().unwrap().is_empty(), "{answer}");
    let kept = house.ok(&["context", "--event", "PreCompact"]);
    assert!(kept.contains("token refresh"), "the last session of the workspace: {kept}");
}
