//! Memories on their way in and out: imported, exported, taken in from transcripts. Twice is as once.

use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::house::{House, eventually, signal, spawn};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(parsed).collect()
}

fn write(house: &House, name: &str, text: &str) -> PathBuf {
    let path = house.home().join(name);
    fs::write(&path, text).unwrap();
    path
}

fn documents(count: usize) -> String {
    let line = |at: usize| {
        json!({
            "id": format!("doc-{at}"),
            "text": format!("Document {at} says that the zebra{at} crosses the road."),
            "ts": 1_700_000_000_000_u64 + at as u64,
            "session": format!("s{}", at % 3),
            "project": "zoo",
            "kind": if at == 0 { "decision" } else { "document" },
        })
        .to_string()
            + "\n"
    };
    (0..count).map(line).collect()
}

fn import(house: &House, file: &Path) -> Value {
    parsed(&house.ok(&["import", "--jsonl", file.to_str().unwrap(), "--json"]))
}

#[test]
fn documents_are_imported_once_and_keep_their_ids() {
    let house = House::new();
    let file = write(&house, "documents.jsonl", &documents(1205));
    let first = import(&house, &file);
    assert_eq!(
        (&first["read"], &first["added"], &first["problems"]),
        (&json!(1205), &json!(1205), &json!([]))
    );
    let head = house.status()["journal_head"].clone();
    let second = import(&house, &file);
    assert_eq!((&second["added"], &second["unchanged"]), (&json!(0), &json!(1205)));
    assert_eq!(house.status()["journal_head"], head, "what is here already is not journaled again");
    assert_eq!(parsed(&house.ok(&["stats", "--json"]))["memories"], 1205);

    let one = parsed(&house.ok(&["show", "doc-7", "--json"]));
    assert_eq!(one["external_id"], "doc-7");
    assert_eq!(
        (&one["project"], &one["session"], &one["kind"]),
        (&json!("zoo"), &json!("s1"), &json!("document"))
    );
    assert_eq!(parsed(&house.ok(&["show", "doc-0", "--json"]))["kind"], "decision");

    let changed = documents(1205).replace("zebra7 crosses", "zebra7 avoids");
    let third = import(&house, &write(&house, "documents.jsonl", &changed));
    assert_eq!(
        (&third["added"], &third["changed"], &third["unchanged"]),
        (&json!(1), &json!(0), &json!(1204)),
        "without a label nothing takes another's place"
    );
    let rebuilt = house.ok(&["rebuild"]);
    assert!(rebuilt.contains("1206 memories"), "{rebuilt}");
    assert_eq!(parsed(&house.ok(&["stats", "--json"]))["memories"], 1206);
}

#[test]
fn under_a_label_a_changed_text_replaces_the_earlier_one() {
    let house = House::new();
    let labeled = |text: &str| {
        let file = write(&house, "documents.jsonl", text);
        let args = ["import", "--jsonl", file.to_str().unwrap(), "--label", "zoo", "--json"];
        parsed(&house.ok(&args))
    };
    assert_eq!(labeled(&documents(5))["added"], 5);
    let news = labeled(&documents(5).replace("zebra3 crosses", "zebra3 avoids"));
    assert_eq!((&news["added"], &news["changed"], &news["unchanged"]), (&json!(0), &json!(1), &json!(4)));
    assert!(house.ok(&["show", "doc-3"]).contains("zebra3 avoids the road"));
    assert_eq!(parsed(&house.ok(&["stats", "--json"]))["memories"], 5);
}

#[test]
fn files_of_one_name_and_streams_with_the_same_ids_are_all_kept() {
    let house = House::new();
    for name in ["one", "two"] {
        fs::create_dir(house.home().join(name)).unwrap();
        let line = json!({ "id": "1", "text": format!("the {name} flamingo") }).to_string();
        let file = write(&house, &format!("{name}/docs.jsonl"), &line);
        assert_eq!(import(&house, &file)["added"], 1);
        let renamed = write(&house, &format!("{name}/renamed.jsonl"), &line);
        assert_eq!(import(&house, &renamed)["unchanged"], 1);
        let piped = house.pipe(&["import", "--jsonl", "-", "--json"], line.as_bytes());
        assert_eq!(parsed(&String::from_utf8(piped.stdout).unwrap())["unchanged"], 1);
        let stream = json!({ "id": "1", "text": format!("the {name} heron") }).to_string();
        let piped = house.pipe(&["import", "--jsonl", "-", "--json"], stream.as_bytes());
        assert_eq!(parsed(&String::from_utf8(piped.stdout).unwrap())["added"], 1);
    }
    assert_eq!(parsed(&house.ok(&["stats", "--json"]))["memories"], 4);
}

#[test]
fn odd_times_and_long_texts_are_told_and_break_no_page() {
    let house = House::new();
    let text = [
        json!({ "id": "none", "text": "nobody says when" }),
        json!({ "id": "odd", "text": "far in the future", "ts": 1e300 }),
        json!({ "id": "old", "text": "a long time ago", "ts": 86400 }),
        json!({ "id": "new", "text": "not long ago", "ts": 1_700_000_000 }),
        json!({ "id": "long", "text": "é".repeat(40 << 10), "ts": 1_700_100_000 }),
    ];
    let text = text.map(|line| line.to_string() + "\n").concat();
    let said = import(&house, &write(&house, "odd.jsonl", &text));
    let effects: Vec<_> = said["problems"].as_array().unwrap().iter().map(|told| &told["effect"]).collect();
    assert_eq!((&said["added"], effects), (&json!(5), vec![&json!("undated"), &json!("shortened")]));
    assert_eq!(parsed(&house.ok(&["show", "long", "--json"]))["text"].as_str().unwrap().len(), 64 << 10);
    for id in ["none", "odd"] {
        assert_eq!(parsed(&house.ok(&["show", id, "--json"]))["at"], 0);
        assert!(house.ok(&["show", id]).contains("time not known"));
        assert!(house.ok(&["timeline", id]).contains("▶ time not known"));
    }
    let stats = house.ok(&["stats"]);
    assert!(stats.contains("since 2023-11-1") && stats.contains("3 of another or unknown time"), "{stats}");

    let export = house.ok(&["export", "--memories"]);
    let far = export.lines().find(|line| line.contains("not long ago")).unwrap();
    let far = far.replace("1700000000000", "9007199254740993000");
    let other = House::new();
    let said = import(&other, &write(&other, "export.jsonl", &far));
    assert_eq!((&said["added"], &said["problems"][0]["effect"]), (&json!(1), &json!("undated")));
}

#[test]
fn sessions_of_claude_mem_are_listed_with_the_memories_they_left() {
    let house = House::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/fixtures");
    let database = house.home().join("claude-mem.db");
    let connection = rusqlite::Connection::open(&database).unwrap();
    connection.pragma_update(None, "foreign_keys", "OFF").unwrap();
    for name in ["claude-mem-35.sql", "claude-mem-rows.sql"] {
        connection.execute_batch(&fs::read_to_string(fixtures.join(name)).unwrap()).unwrap();
    }
    drop(connection);
    let said = house.ok(&["import", "--from", "claude-mem", database.to_str().unwrap()]);
    assert!(said.contains("\n2 sessions added\n"), "{said}");
    let again = house.ok(&["import", "--from", "claude-mem", database.to_str().unwrap()]);
    assert!(again.contains("\n0 sessions added, 2 here already\n"), "{again}");
    let listed = lines(&house.ok(&["sessions", "--json"]));
    let listed: HashSet<_> =
        listed.iter().map(|row| (row["id"].as_str(), row["end_reason"].as_str())).collect();
    let expected = ["0a1b-agent", "0a1c-agent"].map(|id| (Some(id), Some("imported")));
    assert_eq!(listed, expected.into_iter().collect());
    assert!(house.ok(&["sessions", "--live"]).lines().count() <= 1, "what ran elsewhere is over");
    for command in [&["session", "show"][..], &["show"]] {
        let page = house.ok(&[command, &["0a1b-agent"]].concat());
        for part in ["project   shop", "brought in", "and test it", "Token refresh raced", "summary"] {
            assert!(page.contains(part), "{part:?} is not in {page}");
        }
        let story = parsed(&house.ok(&[command, &["0a1b-agent", "--json"]].concat()));
        assert_eq!(
            (&story["session"]["id"], &story["session"]["brought_in"]),
            (&json!("0a1b-agent"), &json!(true))
        );
        assert!(house.ok(&[command, &["0a1c-agent"]].concat()).contains("known by  0 memories"));
    }
    let kept = lines(&house.ok(&["export", "--memories"]));
    let prompts: Vec<_> = kept.iter().filter(|row| row["kind"] == "prompt").collect();
    assert!(!prompts.is_empty() && prompts.iter().all(|row| row["project"] == "shop"), "{prompts:?}");

    let missing = house.run(&["import", "--from", "claude-mem", "/nowhere.db"]);
    let error = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(error.matches("/nowhere.db").count(), 1, "{error}");
    assert_eq!(error.lines().count(), 2, "what happened, and one next step: {error}");
    assert!(error.contains("hint: give the path of claude-mem.db"), "{error}");
}

#[test]
fn a_compressed_file_and_a_pipe_are_read_like_the_plain_file() {
    let house = House::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(documents(5).as_bytes()).unwrap();
    let path = house.home().join("documents.jsonl.gz");
    fs::write(&path, packed.finish().unwrap()).unwrap();
    assert_eq!(import(&house, &path)["added"], 5);
    let plain = write(&house, "documents.jsonl", &documents(5));
    assert_eq!(import(&house, &plain)["unchanged"], 5, "the ids are the same, compressed or not");
    let piped = house.pipe(&["import", "--jsonl", "-", "--json"], b"{\"text\":\"from a pipe\"}\n");
    assert_eq!(parsed(&String::from_utf8(piped.stdout).unwrap())["added"], 1);
}

#[test]
fn a_broken_line_costs_itself_and_is_named() {
    let house = House::new();
    let text =
        "{\"id\":1,\"text\":\"fine\"}\nnot json\n\n{\"id\":2}\n[]\n{\"id\":3,\"text\":\"fine, too\"}\n";
    let file = write(&house, "broken.jsonl", text);
    let said = house.ok(&["import", "--jsonl", file.to_str().unwrap()]);
    assert!(said.starts_with("2 memories added, 3 problems\n"), "{said}");
    for place in ["broken.jsonl:2", "broken.jsonl:4", "broken.jsonl:5"] {
        assert!(said.contains(place), "{place}: {said}");
    }
    let missing = house.run(&["import", "--jsonl", "/nowhere/at/all.jsonl"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("/nowhere/at/all.jsonl"));
    assert_eq!(house.run(&["import", "--jsonl", "/"]).status.code(), Some(1));
    assert_eq!(house.run(&["import"]).status.code(), Some(2));
    assert_eq!(house.run(&["import", "--from", "elsewhere", "/"]).status.code(), Some(2));
    assert_eq!(house.run(&["import", "--from", "claude-mem", "/nowhere.db"]).status.code(), Some(1));
}

#[test]
fn a_secret_in_what_is_imported_is_never_written() {
    let house = House::new();
    let token = format!("gh{}_{}", "p", "R4nd0mC4n4ryF0rTh3R3d4ct10nT3sts1234");
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("secrets.jsonl");
    fs::write(&file, json!({ "id": "a", "text": format!("GITHUB_TOKEN={token}") }).to_string()).unwrap();
    assert_eq!(import(&house, &file)["added"], 1);
    assert_eq!(import(&house, &file)["unchanged"], 1, "compared as it was kept");
    house.ok(&["daemon", "stop"]);
    assert_eq!(house.files_with(&token), Vec::<PathBuf>::new());
}

#[test]
fn notes_in_markdown_are_taken_in_as_memories() {
    let house = House::new();
    let notes = house.home().join("notes");
    fs::create_dir(&notes).unwrap();
    fs::write(notes.join("deploy.md"), "# Deploying\n\nThe flamingo job must run first.\n").unwrap();
    let notes = notes.to_str().unwrap();
    let args = ["import", "--from", "memory-md", notes, "--project", "zoo", "--json"];
    assert!(parsed(&house.ok(&args))["added"].as_u64().unwrap() > 0);
    assert_eq!(parsed(&house.ok(&args))["added"], 0);
    let kept = lines(&house.ok(&["export", "--memories"]));
    assert!(
        kept.iter().any(|row| row["text"].as_str().unwrap().contains("flamingo") && row["project"] == "zoo")
    );
}

#[test]
fn an_export_comes_back_whole_in_another_house_and_changes_nothing_in_its_own() {
    let house = House::new();
    house.ok(&["remember", "We use npm for everything", "--kind", "decision"]);
    house.ok(&["remember", "We moved from npm to pnpm.", "--kind", "decision"]);
    house.ok(&["remember", "the llama is fed at noon", "--file", "zoo/llama.rs", "--critical", "--pin"]);
    import(&house, &write(&house, "documents.jsonl", &documents(3)));
    let export = house.ok(&["export", "--memories"]);
    assert_eq!(export.lines().count(), 6);
    assert_eq!(export.matches("superseded_by").count(), 1);
    for row in lines(&export) {
        for field in ["id", "text", "ts", "kind", "title", "project"] {
            assert!(!row[field].is_null(), "{field}: {row}");
        }
    }
    let file = write(&house, "export.jsonl", &export);
    assert_eq!(import(&house, &file)["unchanged"], 6);

    let other = House::new();
    assert_eq!(import(&other, &file)["added"], 6);
    assert_eq!(other.ok(&["export", "--memories"]), export, "ids, times, files and marks included");
    let half = format!("{}\n{{\"broken\n", export.lines().next().unwrap());
    let said = import(&other, &write(&other, "half.jsonl", &half));
    assert_eq!((&said["unchanged"], &said["problems"][0]["effect"]), (&json!(1), &json!("lost")));
}

/// The fixtures as the agent would have left them.
fn leave_transcripts(house: &House) {
    let folder = house.home().join(".claude/projects/-project");
    fs::create_dir_all(&folder).unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/fixtures/claude_code_transcripts");
    for name in ["tools", "compact-manual"] {
        fs::copy(fixtures.join(name).with_extension("jsonl"), folder.join(name).with_extension("jsonl"))
            .unwrap();
    }
}

/// What was made of the events. The pieces of the conversation come later, in the daemon's own time.
fn told(house: &House) -> Vec<Value> {
    let rows = lines(&house.ok(&["export", "--memories"]));
    rows.into_iter().filter(|row| row["kind"] != "chunk").collect()
}

#[test]
fn past_sessions_are_taken_in_once() {
    let house = House::new();
    leave_transcripts(&house);
    let dry = parsed(&house.ok(&["backfill", "--dry-run", "--json"]));
    assert_eq!(dry["files"], 2);
    assert!(!house.data().exists(), "only looking makes nothing");

    let first = parsed(&house.ok(&["backfill", "--json"]));
    assert_eq!(
        (&first["files"], &first["complete"], &first["troubles"]),
        (&json!(2), &json!(true), &json!([]))
    );
    let events = first["events"].as_u64().unwrap();
    assert!(events > 10, "{first}");
    let kept = told(&house);
    assert!(kept.iter().any(|row| row["kind"] == "change"), "something of it can be found again: {kept:?}");
    assert_eq!(lines(&house.ok(&["sessions", "--json"])).len(), 2);

    let second = parsed(&house.ok(&["backfill", "--json"]));
    assert_eq!((&second["events"], &second["already_known"]), (&json!(0), &json!(events)));
    assert_eq!(told(&house), kept, "nothing is there twice");
    let said = house.ok(&["backfill"]);
    assert!(said.contains("2 transcripts read") && said.contains("0 events new"), "{said}");
}

/// Sessions enough that a person can get impatient.
fn leave_many_transcripts(house: &House, count: usize) {
    let folder = house.home().join(".claude/projects/-project");
    fs::create_dir_all(&folder).unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/fixtures/claude_code_transcripts");
    let one = fs::read_to_string(fixtures.join("tools.jsonl")).unwrap();
    for at in 0..count {
        let session = format!("8dcc5c1e-5996-4055-8d51-{at:012}");
        let text = one.replace("8dcc5c1e-5996-4055-8d51-9334035847e7", &session);
        fs::write(folder.join(&session).with_extension("jsonl"), text).unwrap();
    }
}

#[test]
fn a_backfill_that_is_interrupted_goes_on_where_it_was() {
    let house = House::new();
    let files = 60;
    leave_many_transcripts(&house, files);
    let mut command = house.command(&["backfill", "--json"]);
    let running = spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    eventually("something is read", || {
        let until = Instant::now() + Duration::from_secs(1);
        let status = client::ask(&house.place(), br#"{"ask":"backfill-status"}"#, until).unwrap_or_default();
        let status: Value = serde_json::from_slice(&status).unwrap_or_default();
        status["bytes_done"].as_u64().is_some_and(|bytes| bytes > 0)
    });
    signal(running.id(), Signal::INT);
    let done = running.wait_with_output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let first = parsed(&String::from_utf8(done.stdout).unwrap());
    assert_eq!(first["complete"], false, "{first}");

    let second = parsed(&house.ok(&["backfill", "--json"]));
    assert_eq!(second["complete"], true);
    assert_eq!(second["already_known"], first["events"], "{first} {second}");
    assert_eq!(lines(&house.ok(&["sessions", "--json"])).len(), files);
    let third = parsed(&house.ok(&["backfill", "--json"]));
    assert_eq!((&third["events"], &third["memories"]), (&json!(0), &json!(0)));
    let all = first["events"].as_u64().unwrap() + second["events"].as_u64().unwrap();
    assert_eq!(third["already_known"], all);
}

#[test]
fn one_project_is_taken_in_by_its_folder() {
    let house = House::new();
    let empty = house.run(&["backfill"]);
    assert_eq!(empty.status.code(), Some(1));
    assert!(String::from_utf8(empty.stderr).unwrap().contains("CLAUDE_CONFIG_DIR"));
    leave_transcripts(&house);
    let files = |args: &[&str]| {
        parsed(&house.ok(&[&["backfill", "--dry-run", "--json"], args].concat()))["files"].clone()
    };
    assert_eq!(files(&["--project", "/project"]), 2);
    assert_eq!(files(&["--project", "/proj"]), 0);
    assert_eq!(files(&["--all"]), 2);
    assert!(house.ok(&["backfill", "--project", "/elsewhere"]).contains("no transcript"));
}

#[test]
fn whoever_saves_at_the_same_moment_gets_the_id_of_their_own_words() {
    let house = House::new();
    house.start();
    let words: Vec<String> = (0..24).map(|number| format!("the gate {number} opens at {number}")).collect();
    let saving: Vec<_> = words
        .iter()
        .map(|text| {
            let mut command = house.command(&["remember", text, "--json"]);
            spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()))
        })
        .collect();
    for (text, saving) in words.iter().zip(saving) {
        let said = parsed(&String::from_utf8(saving.wait_with_output().unwrap().stdout).unwrap());
        assert_eq!(said["known"], false, "{text}: {said}");
        let shown = house.ok(&["show", said["id"].as_str().unwrap()]);
        assert!(shown.contains(text), "{text}: {shown}");
    }
}
