//! Memories as people and scripts read them: found, put in their order, told as a story, counted, measured.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::house::{House, output, skipped};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A house with a few documents of two projects, an hour apart.
fn zoo() -> House {
    let house = House::new();
    let texts = [
        ("zebra", "The zebra crossing fails when the light is green.", "roads"),
        ("lemur", "Lemurs refused the refresh token after the clock was moved.", "roads"),
        ("otter", "Otters use Postgres 16, decided after the outage.", "river"),
        ("heron", "parse_heron_config panics on an empty file: E0425 in src/heron.rs", "river"),
    ];
    let mut lines = String::new();
    for (at, (id, text, project)) in texts.iter().enumerate() {
        let ts = 1_697_000_000_000_u64 + at as u64 * 3_600_000;
        let line = json!({ "id": id, "text": text, "project": project, "session": "past", "ts": ts });
        lines.push_str(&format!("{line}\n"));
    }
    let file = house.home().join("zoo.jsonl");
    fs::write(&file, lines).unwrap();
    house.ok(&["import", "--jsonl", file.to_str().unwrap()]);
    house
}

fn search(house: &House, args: &[&str]) -> Vec<Value> {
    let answer = parsed(&house.ok(&[&["search", "--json"], args].concat()));
    answer.as_array().expect("one JSON array").clone()
}

fn external(hits: &[Value]) -> Vec<&str> {
    hits.iter().filter_map(|hit| hit["external_id"].as_str()).collect()
}

#[test]
fn a_question_finds_its_answer_in_the_shape_scripts_rely_on() {
    let house = zoo();
    let hits = search(&house, &["why did the refresh token fail?", "--limit", "3"]);
    assert_eq!(external(&hits).first(), Some(&"lemur"));
    assert!(hits.len() <= 3);
    let keys: Vec<_> = hits[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["at", "external_id", "id", "kind", "project", "score", "session", "title"]);
    assert_eq!((&hits[0]["project"], &hits[0]["session"]), (&json!("roads"), &json!("past")));
    assert_eq!(hits[0]["at"], 1_697_003_600_000_u64);
    assert_eq!(
        parsed(&house.ok(&["show", hits[0]["id"].as_str().unwrap(), "--json"]))["external_id"],
        "lemur"
    );
    assert_eq!(external(&search(&house, &["parse_heron_config"])).first(), Some(&"heron"));

    let why = search(&house, &["refresh token", "--explain"]);
    assert!(!why[0]["why"].as_array().unwrap().is_empty());
    let page = house.ok(&["search", "refresh", "token"]);
    assert!(page.starts_with(" 1  ") && page.contains("Lemurs refused") && page.contains("tokens"), "{page}");
}

#[test]
fn what_was_just_said_is_found_and_what_was_forgotten_is_not() {
    let house = House::new();
    let id = house.ok(&["remember", "the capybara queue is drained by cron at noon"]);
    let id = id.trim();
    let found = search(&house, &["capybara queue"]);
    assert_eq!(found[0]["id"], id);
    assert_eq!(found[0]["external_id"], Value::Null);
    house.ok(&["edit", id, "--text", "the tapir queue is drained by cron at noon", "--title", "tapir queue"]);
    assert_eq!(search(&house, &["tapir"])[0]["id"], id);
    house.ok(&["forget", id, "--yes"]);
    assert_eq!(search(&house, &["tapir queue cron noon"]), Vec::<Value>::new());
    let said = house.ok(&["search", "tapir"]);
    assert!(said.contains("nothing matches well") && said.contains("backfill"), "{said}");
}

#[test]
fn filters_leave_what_they_say() {
    let house = zoo();
    let all = |args: &[&str]| {
        let hits = search(&house, &[&["zebra lemur otter heron"], args].concat());
        let mut ids: Vec<String> = external(&hits).iter().map(|id| (*id).to_owned()).collect();
        ids.sort();
        ids
    };
    assert_eq!(all(&[]), ["heron", "lemur", "otter", "zebra"]);
    assert_eq!(all(&["--project", "river"]), ["heron", "otter"]);
    assert_eq!(all(&["--kind", "decision"]), [""; 0]);
    assert_eq!(all(&["--kind", "document", "--session", "past"]).len(), 4);
    assert_eq!(all(&["--since", "2023-10-11T06:30:00Z"]), ["heron", "otter"]);
    assert_eq!(all(&["--until", "2023-10-11T06:30:00Z"]), ["lemur", "zebra"]);
    assert_eq!(all(&["--since", "yesterday"]), [""; 0]);
    assert_eq!(all(&["--here"]), [""; 0]);
    assert!(house.ok(&["search", "zebra", "--here"]).contains("without --project"));
    let refused = house.run(&["search", "zebra", "--since", "the beginning"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("\"3 weeks\""));
    assert_eq!(house.run(&["search", "zebra", "--session", "nobody"]).status.code(), Some(1));
    assert_eq!(house.run(&["search", "zebra", "--kind", "thing"]).status.code(), Some(2));
}

#[test]
fn many_questions_are_answered_at_once_with_the_ids_that_came_in() {
    let house = zoo();
    let mut lines = String::new();
    for at in 0..600 {
        let query = if at % 2 == 0 { "zebra crossing" } else { "otters postgres" };
        lines.push_str(&format!("{}\n", json!({ "qid": at, "query": query })));
    }
    let file = house.home().join("questions.jsonl");
    fs::write(&file, lines).unwrap();
    let answers = house.ok(&["search", "--batch", file.to_str().unwrap(), "--json", "--limit", "2"]);
    let answers: Vec<Value> = answers.lines().map(parsed).collect();
    assert_eq!(answers.len(), 600);
    for (at, answer) in answers.iter().enumerate() {
        let first = if at % 2 == 0 { "zebra" } else { "otter" };
        assert_eq!((&answer["qid"], &answer["ids"][0]), (&json!(at), &json!(first)));
        assert!(answer["ids"].as_array().unwrap().len() <= 2);
    }
    let piped = house.pipe(
        &["search", "--batch", "-", "--json"],
        b"{\"qid\":\"a\",\"query\":\" \\u0000 \"}\n{\"qid\":{\"x\":1},\"query\":\"heron\"}\n",
    );
    let piped = String::from_utf8(piped.stdout).unwrap();
    let answers: Vec<Value> = piped.lines().map(parsed).collect();
    assert_eq!(answers[0], json!({ "qid": "a", "ids": [] }));
    assert_eq!((&answers[1]["qid"], &answers[1]["ids"][0]), (&json!({ "x": 1 }), &json!("heron")));
    let lines =
        b"{\"qid\":1,\"query\":\"heron\"}\n{\"query\":\"x\"}\n\nnonsense\n{\"qid\":3,\"query\":\"heron\"}\n";
    let some = house.pipe(&["search", "--batch", "-"], lines);
    assert!(some.status.success(), "{some:?}");
    let told = String::from_utf8(some.stderr).unwrap();
    assert!(told.contains("-:2: left out") && told.contains("-:4: left out"), "{told}");
    let answers: Vec<Value> = String::from_utf8(some.stdout).unwrap().lines().map(parsed).collect();
    assert_eq!(answers.len(), 2, "the others are answered");
    assert_eq!((&answers[0]["qid"], &answers[1]["qid"]), (&json!(1), &json!(3)));
    let none = house.pipe(&["search", "--batch", "-"], b"nonsense\n");
    assert_eq!(none.status.code(), Some(1));
}

#[test]
fn whatever_is_asked_is_answered() {
    let house = zoo();
    let long = "zebra ".repeat(2000);
    for query in [
        "\"",
        "'",
        "\"unclosed quote",
        "zebra AND (",
        "NEAR(zebra, 3",
        "-zebra",
        "*",
        "title:zebra",
        "zebra*",
        "🦓",
        "斑马",
        "\u{202e}zebra",
        "%_\\",
        "'; DROP TABLE memories; --",
        "a:b:c",
        "^zebra",
        "zebra\nlemur",
        long.as_str(),
    ] {
        let output = house.run(&["search", "--json", "--", query]);
        assert_eq!(output.status.code(), Some(0), "{query:?}: {output:?}");
        assert!(parsed(&String::from_utf8(output.stdout).unwrap()).is_array());
    }
    assert_eq!(external(&search(&house, &[&long])).first(), Some(&"zebra"));
    for nothing in ["", "  "] {
        let output = house.run(&["search", nothing]);
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8(output.stderr).unwrap().contains("the query is empty"));
    }
    assert_eq!(house.run(&["search"]).status.code(), Some(2));
    assert_eq!(house.run(&["search", "x", "--limit", "0"]).status.code(), Some(2));
}

#[test]
fn a_search_starts_the_daemon_and_an_empty_house_has_no_hits() {
    let house = House::new();
    assert_eq!(search(&house, &["anything at all"]), Vec::<Value>::new());
    assert_eq!(house.status()["running"], true);
}

#[test]
fn a_timeline_tells_what_was_before_and_after() {
    let house = zoo();
    let told = |args: &[&str]| -> Vec<Value> {
        parsed(&house.ok(&[&["timeline", "--json"], args].concat())).as_array().unwrap().clone()
    };
    let ids = |rows: &[Value]| external(rows).join(" ");
    assert_eq!(ids(&told(&["lemur"])), "zebra lemur otter heron");
    let around = told(&["lemur", "--before", "0", "--after", "1"]);
    assert_eq!(ids(&around), "lemur otter");
    assert_eq!((&around[0]["center"], &around[1]["center"]), (&json!(true), &json!(false)));
    assert_eq!(ids(&told(&["empty", "heron", "config", "--before", "1"])), "otter heron");
    let page = house.ok(&["timeline", "lemur"]);
    assert_eq!(page.lines().count(), 4);
    assert!(page.lines().nth(1).unwrap().starts_with('▶'), "{page}");
    let empty = House::new();
    empty.start();
    let refused = empty.run(&["timeline", "nothing", "at", "all"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("nothing is called or says"));
}

#[test]
fn the_story_of_a_session_tells_what_was_asked_and_what_came_of_it() {
    let house = House::new();
    house.send(&house.envelope("tale", "SessionStart"));
    house.send(&house.prompt("tale", "make the login work again"));
    let mut edit = house.tool("tale", "Edit", "");
    edit["tool_input"] =
        json!({ "file_path": house.work().join("login.rs"), "old_string": "a", "new_string": "b" });
    house.send(&edit);
    house.send(&house.tool("tale", "Bash", "ok"));
    house.send(&house.envelope("tale", "Stop"));
    house.send(&house.prompt("tale", "and now the logout \u{1b}[31m"));
    let mut end = house.envelope("tale", "SessionEnd");
    end["reason"] = json!("logout");
    house.send(&end);
    let story = house.ok(&["session", "show", "ta"]);
    for part in [
        "session   tale\n",
        "#1 make the login work again",
        "2 calls: ",
        "Bash 1",
        "#2 and now the logout",
        "(logout)",
    ] {
        assert!(story.contains(part), "{part:?} is not in {story}");
    }
    assert!(story.find("#1").unwrap() < story.find("2 calls").unwrap());
    assert!(story.find("2 calls").unwrap() < story.find("#2").unwrap());
    assert!(!story.contains('\u{1b}'));
    assert_eq!(house.ok(&["show", "tale"]), story);
    let whole = parsed(&house.ok(&["session", "show", "tale", "--json"]));
    assert_eq!(whole["prompts"].as_array().unwrap().len(), 2);
    for list in ["events", "memories", "summaries"] {
        assert!(whole[list].is_array(), "{list}");
    }
    let refused = house.run(&["session", "show", "nobody"]);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn counts_are_drawn_for_people_and_told_to_scripts() {
    let house = zoo();
    house.send(&house.tool("s", "Bash", "x"));
    let stats = parsed(&house.ok(&["stats", "--json"]));
    assert_eq!(stats["memories"], 4);
    for field in
        ["by_kind", "memories_by_kind", "memories_by_day", "memory_tokens", "raw_tokens", "tokens_saved"]
    {
        assert!(!stats[field].is_null(), "{field}");
    }
    let page = house.ok(&["stats"]);
    for part in ["4 memories of ", "memories a day, since 2023-10-11", "█", "document"] {
        assert!(page.contains(part), "{part:?} is not in {page}");
    }
    assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
}

#[test]
fn search_is_measured_on_a_store_that_is_thrown_away() {
    let house = House::new();
    let (documents, queries) = (house.home().join("d.jsonl"), house.home().join("q.jsonl"));
    fs::write(&documents, "{\"id\":\"a\",\"text\":\"zebras cross the road\"}\n{\"id\":\"b\",\"text\":\"otters swim in rivers\"}\n").unwrap();
    fs::write(&queries, "{\"query\":\"where do otters swim\",\"relevant\":[\"b\"]}\n{\"query\":\"zebra\",\"relevant\":[\"a\"]}\n").unwrap();
    let (documents, queries) = (documents.to_str().unwrap(), queries.to_str().unwrap());
    let args = ["eval", "--documents", documents, "--queries", queries, "--legs", "words"];
    let report = parsed(&house.ok(&[&args[..], &["--json"]].concat()));
    let keys: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["hit@1", "hit@5", "mrr", "p50_ms", "p95_ms", "queries", "recall@10", "recall@20"]);
    assert_eq!((&report["queries"], &report["hit@1"], &report["mrr"]), (&json!(2), &json!(1.0), &json!(1.0)));
    assert!(house.ok(&args).contains("hit@5      1.0000"));
    assert!(!house.data().exists(), "nothing of ours is touched");
    let refused = house.run(&["eval", "--documents", queries, "--queries", documents]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("q.jsonl:1: "));
}

#[test]
fn a_reader_that_has_seen_enough_and_colors_nobody_wants() {
    let house = zoo();
    for command in [
        "search zebra otter",
        "search --json zebra",
        "export --memories",
        "timeline lemur",
        "show lemur",
        "stats",
    ] {
        let line = format!("\"$0\" {command} | head -1; echo ${{PIPESTATUS[0]}}");
        let done =
            output(&mut house.program("/bin/bash".as_ref(), &["-c", &line, crate::house::THROUGHLINE]));
        assert_eq!(String::from_utf8(done.stderr).unwrap(), "", "{command}");
        assert_eq!(String::from_utf8(done.stdout).unwrap().lines().last(), Some("0"), "{command}");
        let words: Vec<&str> = command.split(' ').collect();
        let plain = house.command(&words).stdin(Stdio::null()).output().unwrap();
        assert!(!plain.stdout.contains(&0x1b), "{command}");
    }
    if !std::path::Path::new("/usr/bin/script").exists() {
        skipped("no `script` to make a terminal with");
        return;
    }
    let on_terminal = |colors: bool| {
        let line = format!("'{}' search zebra", crate::house::THROUGHLINE);
        let mut script = house.program("/usr/bin/script".as_ref(), &["-qec", &line, "/dev/null"]);
        if !colors {
            script.env("NO_COLOR", "1");
        }
        output(&mut script).stdout
    };
    assert!(on_terminal(true).contains(&0x1b));
    assert!(!on_terminal(false).contains(&0x1b));
}

#[test]
fn the_models_in_the_binary_are_listed_with_size_and_license() {
    let house = House::new();
    let models = parsed(&house.ok(&["model", "list", "--json"]));
    let models = models.as_array().unwrap();
    assert_eq!(models.len(), 2);
    assert_eq!(models.iter().filter(|model| model["current"] == true).count(), 1);
    for model in models {
        assert!(model["bytes"].as_u64().unwrap() > 1 << 20 && model["dims"].as_u64().unwrap() > 0, "{model}");
        assert_eq!(model["license"], "Apache-2.0");
    }
    assert!(house.ok(&["model", "list"]).contains("minilm-l6"));
    assert_eq!(house.run(&["model", "use", "no-such-model"]).status.code(), Some(1));
    house.ok(&["model", "use", "static-128"]);
    assert_eq!(parsed(&house.ok(&["model", "list", "--json"]))[1]["current"], true);
    house.ok(&["model", "use", "minilm-l6"]);
    house.ok(&["model", "pause"]);
    assert_eq!(parsed(&house.ok(&["model", "status", "--json"]))["paused"], true);
    house.ok(&["model", "resume"]);
    assert_eq!(parsed(&house.ok(&["model", "status", "--json"]))["paused"], false);
}

#[test]
fn a_model_is_installed_by_its_hash_or_not_at_all() {
    let house = House::new();
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../weights-static/static.stv");
    let hash = "0".repeat(64);
    let refused =
        house.run(&["model", "install", file.to_str().unwrap(), "--sha256", &hash, "--name", "tiny"]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{error}");
    let found = error.split("SHA-256 ").nth(1).unwrap().split(',').next().unwrap();
    let said = house.ok(&["model", "install", file.to_str().unwrap(), "--sha256", found, "--name", "tiny"]);
    assert!(said.starts_with("tiny is here: 4.4 MB, 128 dimensions"), "{said}");
    let models = parsed(&house.ok(&["model", "list", "--json"]));
    assert!(models.as_array().unwrap().iter().any(|model| model["name"] == "tiny"));
    house.assert_private();

    let garbage = house.home().join("garbage.stv");
    fs::write(&garbage, "no model").unwrap();
    let of_garbage = "c5c35ea42ac86d02ed1a4a1ea5d1b0e3d3a8e9a4a5c3d1f3d8d3f0d8a0e9f0aa";
    assert_eq!(
        house.run(&["model", "install", garbage.to_str().unwrap(), "--sha256", of_garbage]).status.code(),
        Some(1)
    );
    for source in ["http://example.org/x.stv", "ftp://example.org/x", "/nowhere.stv", "../../etc/passwd"] {
        assert_eq!(
            house.run(&["model", "install", source, "--sha256", &hash]).status.code(),
            Some(1),
            "{source}"
        );
    }
    let taken =
        house.run(&["model", "install", file.to_str().unwrap(), "--sha256", found, "--name", "minilm-l6"]);
    assert_eq!(taken.status.code(), Some(1));
}

#[test]
fn making_room_says_what_it_would_drop() {
    let house = zoo();
    let dry = parsed(&house.ok(&["gc", "--dry-run", "--json"]));
    assert_eq!((&dry["dropped"], &dry["kept"]), (&json!(0), &json!(4)));
    assert!(house.ok(&["gc"]).starts_with("dropped 0 memories"));
    assert_eq!(parsed(&house.ok(&["stats", "--json"]))["memories"], 4);
}
