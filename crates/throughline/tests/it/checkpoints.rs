//! Checkpoints as a person makes them, lists them and comes back to them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::house::House;

/// A house whose work folder is a repository with one commit.
pub(crate) fn repository() -> House {
    let house = House::new();
    git(&house, &["init", "-q", "-b", "main"]);
    write(&house, "a", "one\n");
    commit(&house);
    house
}

pub(crate) fn git(house: &House, args: &[&str]) -> String {
    let mut command = house.program("git".as_ref(), args);
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn commit(house: &House) {
    git(house, &["add", "-A"]);
    git(house, &["-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-q", "-m", "x"]);
}

pub(crate) fn write(house: &House, path: &str, text: &str) {
    fs::write(house.work().join(path), text).unwrap();
}

pub(crate) fn read(house: &House, path: &str) -> String {
    fs::read_to_string(house.work().join(path)).unwrap()
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(value).collect()
}

fn create(house: &House, args: &[&str]) -> Value {
    value(&house.ok(&[&["checkpoint", "create", "--json"], args].concat()))
}

#[test]
fn a_checkpoint_is_made_listed_shown_restored_and_the_restore_undone() {
    let house = repository();
    write(&house, "a", "changed\n");
    write(&house, "loose", "untracked\n");
    let made = create(&house, &["-m", "before the migration"]);
    let id = made["id"].as_str().unwrap();
    assert_eq!(made["recorded"], true);
    assert_eq!(made["dirty"], json!(["a", "loose"]));
    assert_eq!(made["branch"], "main");
    assert_eq!(made["unembedded"], 0);
    assert_eq!(made["reference"], format!("refs/throughline/checkpoints/{id}"));

    let listed = lines(&house.ok(&["checkpoint", "list", "--json"]));
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0]["id"], &listed[0]["files_kept"]), (&made["id"], &json!(true)));
    let shown = value(&house.ok(&["checkpoint", "show", &id[..5], "--json"]));
    assert_eq!(shown["message"], "before the migration");
    assert_eq!(
        shown["files"],
        json!([{"path": "a", "added": 1, "deleted": 1}, {"path": "loose", "added": 1, "deleted": 0}])
    );
    let text = house.ok(&["checkpoint", "show", id]);
    assert!(text.contains("before the migration") && text.contains("+1 -1"), "{text}");

    write(&house, "a", "since\n");
    write(&house, "new", "since\n");
    let asked = house.run(&["checkpoint", "restore", id]);
    assert_eq!(asked.status.code(), Some(1), "{asked:?}");
    let shown = String::from_utf8(asked.stdout).unwrap();
    assert!(shown.contains("overwrite  a\n") && shown.contains("remove     new\n"), "{shown}");
    let planned = value(&house.ok(&["checkpoint", "restore", id, "--json"]));
    assert_eq!(planned["would_change"][0], json!({"path": "a", "what": "overwrite"}));
    assert_eq!(planned["restored"], Value::Null);
    assert_eq!(read(&house, "a"), "since\n");

    let restored = value(&house.ok(&["checkpoint", "restore", id, "--yes", "--json"]));
    assert_eq!(read(&house, "a"), "changed\n");
    assert!(!house.work().join("new").exists());
    let undone = house.ok(&["checkpoint", "restore", restored["safety"].as_str().unwrap(), "--yes"]);
    assert!(undone.contains("to undo: throughline checkpoint restore "), "{undone}");
    assert_eq!((read(&house, "a").as_str(), read(&house, "new").as_str()), ("since\n", "since\n"));
    assert_eq!(lines(&house.ok(&["checkpoint", "list", "--json"])).len(), 3);
}

#[test]
fn the_hand_off_of_the_session_goes_with_it_and_survives_a_rebuild() {
    let house = repository();
    house.send(&house.envelope("s-1", "SessionStart"));
    house.send(&house.prompt("s-1", "port the parser"));
    let deed = json!({ "ask": "deeds", "deeds": [
        { "deed": "hand-off", "session": "s-1", "text": "Next: the tokenizer's tests" }
    ]});
    let until = std::time::Instant::now() + std::time::Duration::from_mins(1);
    client::ask(&house.place(), deed.to_string().as_bytes(), until).unwrap();
    let made = create(&house, &[]);
    assert_eq!(made["session"], "s-1");
    let id = made["id"].as_str().unwrap();
    house.ok(&["rebuild"]);
    let shown = house.ok(&["checkpoint", "show", id]);
    assert!(shown.contains("Next: the tokenizer's tests"), "{shown}");
    // Another session is named by what the agent sets for the commands it runs.
    house.send(&house.envelope("s-2", "SessionStart"));
    let mut other = house.command(&["checkpoint", "create", "--json"]);
    let other = other.env("CLAUDE_CODE_SESSION_ID", "s-1").output().unwrap();
    assert_eq!(value(&String::from_utf8(other.stdout).unwrap())["session"], "s-1");
}

#[test]
fn outside_of_a_repository_the_record_alone_is_kept_and_it_says_so() {
    let house = House::new();
    let text = house.ok(&["checkpoint", "create", "-m", "only words"]);
    assert!(text.contains("not kept: this folder is in no git repository"), "{text}");
    let listed = lines(&house.ok(&["checkpoint", "list", "--json"]));
    assert_eq!((&listed[0]["message"], &listed[0]["files_kept"]), (&json!("only words"), &json!(false)));
    let refused = house.run(&["checkpoint", "restore", listed[0]["id"].as_str().unwrap(), "--yes"]);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn without_the_program_git_the_record_is_kept() {
    let house = repository();
    let made = house.command(&["checkpoint", "create"]).env("PATH", "/nowhere").output().unwrap();
    let text = String::from_utf8(made.stdout).unwrap();
    assert!(text.contains("not kept: the program `git` was not found"), "{text}");
    assert!(text.contains("record     kept"), "{text}");
}

#[test]
fn without_a_daemon_the_files_are_kept_and_can_be_brought_back() {
    let house = repository();
    // A data folder that is a file: no daemon can live there.
    fs::write(house.throughline_home(), "").unwrap();
    write(&house, "a", "changed\n");
    let text = house.ok(&["checkpoint", "create"]);
    assert!(text.contains("files      kept, with 1 change"), "{text}");
    assert!(text.contains("record     not kept: "), "{text}");
    let id = text.lines().next().unwrap();
    write(&house, "a", "since\n");
    house.ok(&["checkpoint", "restore", id, "--yes"]);
    assert_eq!(read(&house, "a"), "changed\n");
    fs::remove_file(house.throughline_home()).unwrap();
    let listed = lines(&house.ok(&["checkpoint", "list", "--json"]));
    assert_eq!(listed.len(), 2, "the refs are listed without their records");
}

#[test]
fn variables_that_lead_git_elsewhere_are_not_followed_and_hooks_do_not_run() {
    let house = repository();
    let hook = house.work().join(".git/hooks/reference-transaction");
    fs::write(&hook, "#!/bin/sh\ntouch \"$HOME/hooked\"\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    write(&house, "a", "changed\n");
    let index = fs::read(house.work().join(".git/index")).unwrap();
    let mut command = house.command(&["checkpoint", "create", "--json"]);
    command
        .env("GIT_DIR", "/nowhere")
        .env("GIT_WORK_TREE", "/")
        .env("GIT_INDEX_FILE", house.home().join("elsewhere"))
        .env("GIT_OBJECT_DIRECTORY", house.home().join("objects"));
    let output = command.output().unwrap();
    let made = value(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(made["dirty"], json!(["a"]));
    assert_eq!(fs::read(house.work().join(".git/index")).unwrap(), index);
    assert!(!house.home().join("hooked").exists() && !house.home().join("objects").exists());
}

#[test]
fn a_checkpoint_of_another_work_tree_is_not_poured_into_this_one() {
    let house = repository();
    let made = create(&house, &[]);
    let linked = house.home().join("linked");
    git(&house, &["worktree", "add", "-q", linked.to_str().unwrap()]);
    fs::write(linked.join("mine"), "x").unwrap();
    let mut restore = house.command(&["checkpoint", "restore", made["id"].as_str().unwrap(), "--yes"]);
    let refused = restore.current_dir(&linked).output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("hint: go there"), "{refused:?}");
    assert!(linked.join("mine").exists());
}

#[test]
fn the_oldest_make_room_and_are_named() {
    let house = repository();
    house.start();
    let first = create(&house, &["-m", "the first"]);
    // As many refs as are kept, all older than now.
    let template = first["commit"].as_str().unwrap();
    for number in 0..checkpoint::KEEP {
        git(&house, &["update-ref", &format!("refs/throughline/checkpoints/old{number:02}"), template]);
    }
    let made = create(&house, &[]);
    assert_eq!(made["dropped"].as_array().unwrap().len(), 2);
    let refs = git(&house, &["for-each-ref", "--format=%(refname)", "refs/throughline/"]);
    assert_eq!(refs.lines().count(), checkpoint::KEEP);
    assert!(refs.contains(made["id"].as_str().unwrap()));
}

#[test]
fn a_secret_in_a_message_is_kept_nowhere() {
    let house = repository();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let made = create(&house, &["-m", &format!("the token is {secret} now")]);
    let message = git(&house, &["log", "-1", "--format=%B", made["reference"].as_str().unwrap()]);
    assert!(!message.contains(&secret), "{message}");
    assert!(house.files_with(&secret).is_empty());
}

#[test]
fn a_checkpoint_archives_the_conversation_up_to_here_in_the_middle_of_a_turn() {
    let house = repository();
    let transcript = house.home().join("talk.jsonl");
    let said = json!({
        "type": "user", "sessionId": "s1", "uuid": "u1", "timestamp": "2026-05-01T10:00:00.000Z",
        "message": { "role": "user", "content": "tell the axolotl of the migration" },
        "promptSource": "sdk",
    });
    fs::write(&transcript, format!("{said}\n")).unwrap();
    house.send(&json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": house.work(),
        "transcript_path": transcript, "prompt": "tell the axolotl of the migration",
    }));
    let made = create(&house, &["--session", "s1"]);
    assert_eq!(made["transcript_archived"], true, "{made}");
    assert!(house.ok(&["session", "transcript", "s1"]).contains("axolotl"));
    let hits = value(&house.ok(&["search", "axolotl", "--kind", "chunk", "--json"]));
    assert_eq!(hits.as_array().map(Vec::len), Some(1), "{hits}");
}

#[test]
fn one_that_was_made_outside_of_a_repository_says_that_it_holds_no_files() {
    let house = House::new();
    let made = create(&house, &["-m", "a record"]);
    let refused = house.run(&["checkpoint", "restore", made["id"].as_str().unwrap(), "--yes"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && said.contains("holds no files"), "{said}");
}
