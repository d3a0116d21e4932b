//! Checkpoints that are made by themselves while an agent edits, in a real repository, through real hooks.

use std::fs;

use serde_json::{Value, json};

use crate::checkpoints::{git, read, repository, write};
use crate::house::{House, eventually};

/// An agent's edit, as its hook tells it.
fn edit(house: &House, session: &str, path: &str, text: &str) {
    write(house, path, text);
    let mut envelope = house.envelope(session, "PostToolUse");
    envelope["tool_name"] = json!("Write");
    envelope["tool_input"] = json!({ "file_path": house.work().join(path), "content": text });
    envelope["tool_response"] = json!({ "type": "update", "structuredPatch": [] });
    assert_eq!(house.send(&envelope), "", "nothing is said");
}

fn automatic(house: &House) -> Vec<Value> {
    let listed = house.ok(&["checkpoint", "list", "--json"]);
    let rows = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["automatic"] == true).collect()
}

fn switched_on(edits: &str) -> House {
    let house = repository();
    house.ok(&["behaviors", "enable", "auto-checkpoint"]);
    house.ok(&["config", "set", "checkpoint.edits", edits]);
    house.start();
    house
}

#[test]
fn every_few_edits_the_work_tree_is_kept_and_comes_back() {
    let house = switched_on("3");
    house.send(&house.prompt("s1", "make the login faster, please"));
    write(&house, "staged", "by the person\n");
    git(&house, &["add", "staged"]);
    let index = fs::read(house.work().join(".git/index")).unwrap();
    for text in ["1\n", "2\n"] {
        edit(&house, "s1", "loose", text);
    }
    assert!(automatic(&house).is_empty());
    edit(&house, "s1", "loose", "3\n");
    eventually("a checkpoint is made", || automatic(&house).len() == 1);
    eventually("and recorded", || automatic(&house)[0]["session"] == "s1");
    let made = automatic(&house).remove(0);
    let id = made["id"].as_str().unwrap();
    assert_eq!(made["prompt"], "make the login faster, please");
    assert_eq!(made["dirty"], json!(["staged", "loose"]));
    assert_eq!(made["files_kept"], true);
    assert_eq!(fs::read(house.work().join(".git/index")).unwrap(), index);
    assert_eq!(git(&house, &["stash", "list"]), "");
    let table = house.ok(&["checkpoint", "list"]);
    assert!(table.contains("s1") && table.contains("automatic: make the login faster"), "{table}");

    edit(&house, "s1", "loose", "spoiled\n");
    write(&house, "mine", "made since\n");
    let patch = house.ok(&["checkpoint", "diff", id]);
    assert!(patch.contains("-3\n+spoiled\n") && patch.contains("+made since\n"), "{patch}");
    let stat = house.ok(&["checkpoint", "diff", id, "--stat", "loose"]);
    assert!(stat.contains("loose") && !stat.contains("mine"), "{stat}");
    let done: Value =
        serde_json::from_str(&house.ok(&["checkpoint", "restore", id, "--yes", "--json"])).unwrap();
    assert_eq!(read(&house, "loose"), "3\n");
    assert!(!house.work().join("mine").exists());
    assert_eq!(fs::read(house.work().join(".git/index")).unwrap(), index, "the index is left alone");
    house.ok(&["checkpoint", "restore", done["safety"].as_str().unwrap(), "--yes"]);
    assert_eq!((read(&house, "loose"), read(&house, "mine")), ("spoiled\n".into(), "made since\n".into()));
}

#[test]
fn nothing_is_kept_unless_somebody_switched_it_on() {
    let house = repository();
    house.ok(&["config", "set", "checkpoint.edits", "1"]);
    house.start();
    for text in ["1\n", "2\n"] {
        edit(&house, "s1", "loose", text);
    }
    house.ok(&["checkpoint", "create"]);
    assert!(automatic(&house).is_empty());
}

#[test]
fn outside_of_a_repository_there_is_silence() {
    let house = House::new();
    house.ok(&["behaviors", "enable", "auto-checkpoint"]);
    house.ok(&["config", "set", "checkpoint.edits", "1"]);
    house.start();
    for text in ["1\n", "2\n"] {
        edit(&house, "s1", "loose", text);
    }
    // Whatever it would do it does within the time of a made one.
    house.ok(&["checkpoint", "create"]);
    assert!(automatic(&house).is_empty());
    let logs = fs::read_dir(house.data().join("logs")).unwrap().flatten();
    let logs: String = logs.filter_map(|log| fs::read_to_string(log.path()).ok()).collect();
    assert!(!logs.contains("no automatic checkpoint"), "{logs}");
}

#[test]
fn before_the_first_commit_and_in_the_middle_of_a_merge_it_is_kept_all_the_same() {
    let house = House::new();
    git(&house, &["init", "-q", "-b", "main"]);
    house.ok(&["behaviors", "enable", "auto-checkpoint"]);
    house.ok(&["config", "set", "checkpoint.edits", "1"]);
    house.start();
    edit(&house, "s1", "a", "one\n");
    eventually("a checkpoint without a commit", || automatic(&house).len() == 1);
    let person = ["-c", "user.name=P", "-c", "user.email=p@example.org"];
    let commit = |message: &str| {
        git(&house, &["add", "-A"]);
        git(&house, &[&person[..], &["commit", "-q", "-m", message]].concat());
    };
    commit("first");
    git(&house, &["checkout", "-q", "-b", "side"]);
    write(&house, "a", "theirs\n");
    commit("side");
    git(&house, &["checkout", "-q", "main"]);
    write(&house, "a", "ours\n");
    commit("main");
    let merge = house.program("git".as_ref(), &[&person[..], &["merge", "-q", "side"]].concat()).output();
    assert!(!merge.unwrap().status.success());
    edit(&house, "s1", "loose", "while it merges\n");
    eventually("a checkpoint in a merge", || automatic(&house).len() == 2);
    let newest = automatic(&house).remove(0);
    let reference = newest["reference"].as_str().unwrap();
    assert!(git(&house, &["show", &format!("{reference}:a")]).contains("<<<<<<<"));
    assert!(house.work().join(".git/MERGE_HEAD").exists());
}
