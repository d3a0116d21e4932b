//! Agents without hooks: what they write of a conversation is recorded as they write it, once, and only where a person
//! asked for it.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::house::House;

const SESSION: &str = "01a1e351-3dda-78e2-a91d-aab6bc59c02c";
/// Three turns of Codex 0.166, with a compaction between them.
const ROLLOUT: &str = include_str!(
    "../../../agents/fixtures/codex_transcripts/rollout-2026-11-16T07-45-14-01a1e351-3dda-78e2-a91d-aab6bc59c02c.jsonl"
);
const DOCUMENT: &str = include_str!(
    "../../../agents/fixtures/gemini_cli_transcripts/9f86d0~chats~session-2025-09-30T08-00-4c1d5b7e.json"
);
const FIRST_TURN: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolUseFailure",
    "PostToolUse",
    "Stop",
];
const LATER_TURNS: &[&str] =
    &["UserPromptSubmit", "Stop", "PreCompact", "PostCompact", "SessionStart", "UserPromptSubmit", "Stop"];

/// A look of the watcher is seconds away, and the machine may be busy.
#[track_caller]
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn rollout(house: &House, session: &str) -> PathBuf {
    let folder = house.home().join(".codex/sessions/2026/11/16");
    fs::create_dir_all(&folder).unwrap();
    folder.join(format!("rollout-2026-11-16T07-45-14-{session}.jsonl"))
}

fn append(path: &PathBuf, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn meta(session: &str, at: &str) -> String {
    let payload = json!({ "id": session, "cwd": "/project", "cli_version": "0.166.0" });
    json!({ "timestamp": at, "type": "session_meta", "payload": payload }).to_string() + "\n"
}

fn says(kind: &str, text: &str, at: &str) -> String {
    let payload = json!({ "type": kind, "message": text });
    json!({ "timestamp": at, "type": "event_msg", "payload": payload }).to_string() + "\n"
}

fn heard(house: &House, session: &str) -> Vec<String> {
    house.heard().into_iter().filter(|(of, _)| of == session).map(|(_, event)| event).collect()
}

fn prompts(house: &House) -> Vec<String> {
    let events = house.events();
    let prompts = events.iter().filter(|event| event["event"] == "UserPromptSubmit");
    prompts.map(|event| event["envelope"]["prompt"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_conversation_that_grows_line_by_line_is_recorded_once_over_restarts_and_replacements() {
    let house = House::new();
    house.ok(&["watch", "add", "codex"]);
    let path = rollout(&house, SESSION);
    for (number, line) in ROLLOUT.split_inclusive('\n').enumerate() {
        // A line is torn for a moment, as a reader may find it.
        let (head, rest) = line.split_at(line.len() / 2);
        append(&path, head);
        append(&path, rest);
        match number {
            5 => eventually("the folder is found", || {
                house.ok(&["watch", "list", "--json"]).contains("\"following\":1")
            }),
            20 => eventually("the first words are heard", || heard(&house, SESSION).len() >= 4),
            28 | 50 => {
                house.ok(&["daemon", "restart"]);
            }
            38 => eventually("a turn's end is heard before the next begins", || {
                heard(&house, SESSION) == FIRST_TURN
            }),
            _ => {}
        }
    }
    let all = [FIRST_TURN, LATER_TURNS].concat();
    eventually("everything is heard", || heard(&house, SESSION) == all);
    assert!(house.events().iter().all(|event| event["agent"] == "codex"));

    // Written anew under the same name, then shortened, then longer than ever: each time from its beginning.
    let whole = fs::read(&path).unwrap();
    fs::write(path.with_extension("new"), &whole).unwrap();
    fs::rename(path.with_extension("new"), &path).unwrap();
    append(&path, &says("user_message", "and after the replacement", "2026-11-16T07:50:00.000Z"));
    eventually("what follows a replacement is heard", || heard(&house, SESSION).len() == all.len() + 1);
    File::create(&path).unwrap().write_all(&whole[..whole.len() / 2]).unwrap();
    let rest = [&whole[whole.len() / 2..]].concat();
    append(&path, &String::from_utf8(rest).unwrap());
    append(&path, &says("user_message", "and after the replacement", "2026-11-16T07:50:00.000Z"));
    append(&path, &says("user_message", "and once more", "2026-11-16T07:51:00.000Z"));
    eventually("what follows a shortening is heard", || heard(&house, SESSION).len() == all.len() + 2);
    assert_eq!(prompts(&house).len(), 5);

    eventually("what was said is found", || {
        house.ok(&["search", "why does the parser strip its parts"]).contains("exporter pads")
    });
    house.assert_private();
}

#[test]
fn the_first_look_in_a_new_house_finds_conversations_and_no_trouble() {
    let house = House::new();
    append(&rollout(&house, SESSION), ROLLOUT);
    house.ok(&["watch", "add", "codex"]);
    let state = || serde_json::from_str::<Value>(&house.ok(&["watch", "list", "--json"])).unwrap();
    let harmless = ["the daemon does not run", "not looked at yet", "reading", "ok"];
    eventually("it is followed", || {
        let now = state();
        assert!(harmless.contains(&now["state"].as_str().unwrap()), "{now}");
        now["events"] == 16
    });
    assert_eq!(state()["state"], "ok");
}

#[test]
fn an_uninstall_leaves_the_daemon_to_those_who_are_watched() {
    let house = House::new();
    house.ok(&["install", "--client", "gemini-cli", "--yes"]);
    house.ok(&["watch", "add", "codex"]);
    house.start();
    let pid = house.pid();
    house.ok(&["uninstall", "--client", "gemini-cli", "--yes"]);
    assert_eq!(house.pid(), pid);
    append(&rollout(&house, SESSION), ROLLOUT);
    eventually("it is heard", || !heard(&house, SESSION).is_empty());
}

#[test]
fn a_trouble_with_a_file_ends_with_its_end() {
    let house = House::new();
    let folder = house.home().join(".gemini/tmp/9f86d0/chats");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("session-2025-09-30T08-00-4c1d5b7e.json");
    // Beyond what is read of one document, and nothing on the disk.
    File::create(&path).unwrap().set_len(65 << 20).unwrap();
    house.ok(&["watch", "add", "gemini-cli"]);
    let state = || {
        let said: Value = serde_json::from_str(&house.ok(&["watch", "list", "--json"])).unwrap();
        said["state"].as_str().unwrap().to_owned()
    };
    eventually("the document is told of", || state().contains("4c1d5b7e"));
    fs::write(&path, DOCUMENT).unwrap();
    eventually("it is well again", || state() == "ok");
}

#[test]
fn a_document_that_is_written_anew_is_recorded_once() {
    let house = House::new();
    let folder = house.home().join(".gemini/tmp/9f86d0/chats");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("session-2025-09-30T08-00-4c1d5b7e.json");
    fs::write(&path, DOCUMENT).unwrap();
    house.ok(&["watch", "add", "gemini-cli"]);
    eventually("the first turn is heard", || prompts(&house) == ["why is the export padded?"]);

    let mut document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let more = json!({ "id": "m6", "timestamp": "2025-09-30T08:02:00.000Z", "type": "user", "content": "and why 20?" });
    document["messages"].as_array_mut().unwrap().push(more);
    fs::write(&path, document.to_string()).unwrap();
    eventually("the second is heard", || prompts(&house).len() == 2);
    assert_eq!(prompts(&house), ["why is the export padded?", "and why 20?"]);

    // Half of a document says nothing; a whole one says what it said.
    fs::write(&path, &DOCUMENT[..DOCUMENT.len() / 2]).unwrap();
    let more =
        json!({ "id": "m7", "timestamp": "2025-09-30T08:03:00.000Z", "type": "user", "content": "thanks" });
    document["messages"].as_array_mut().unwrap().push(more);
    fs::write(&path, document.to_string()).unwrap();
    eventually("the third is heard", || prompts(&house).len() == 3);
    assert_eq!(prompts(&house).iter().filter(|prompt| *prompt == "and why 20?").count(), 1);
}

#[test]
fn what_hooks_have_heard_is_not_recorded_a_second_time() {
    let house = House::new();
    house.start();
    let mut live = house.prompt("heard", "said to a hook");
    live["hook_event_name"] = json!("UserPromptSubmit");
    house.pipe(&["hook", "--agent", "codex", "UserPromptSubmit"], live.to_string().as_bytes());
    eventually("the hook is heard", || heard(&house, "heard").len() == 1);
    let path = rollout(&house, "00000000-0000-4000-8000-000000000001");
    append(&path, &meta("heard", "2001-01-01T00:00:00.000Z"));
    append(&path, &says("user_message", "before the hooks were there", "2001-01-01T00:00:01.000Z"));
    append(&path, &says("user_message", "said to a hook", "2999-01-01T00:00:01.000Z"));
    house.ok(&["watch", "add", "codex"]);
    let other = rollout(&house, "00000000-0000-4000-8000-000000000002");
    append(&other, &meta("unheard", "2001-01-01T00:00:00.000Z"));
    append(&other, &says("user_message", "nobody heard this", "2999-01-01T00:00:01.000Z"));
    eventually("both files are read", || prompts(&house).len() >= 3);
    let mut found = prompts(&house);
    found.sort();
    assert_eq!(found, ["before the hooks were there", "nobody heard this", "said to a hook"]);
}

#[test]
fn a_start_that_is_written_before_the_hooks_are_told_is_one_start() {
    let house = House::new();
    house.start();
    let start = json!({ "session_id": "heard", "hook_event_name": "SessionStart", "source": "startup", "cwd": "/project" });
    house.pipe(&["hook", "--agent", "codex", "SessionStart"], start.to_string().as_bytes());
    eventually("the hook is heard", || heard(&house, "heard").len() == 1);
    let at = house.events()[0]["at"].as_i64().unwrap();
    let path = rollout(&house, "00000000-0000-4000-8000-000000000001");
    let written = jiff::Timestamp::from_millisecond(at - 100).unwrap().to_string();
    append(&path, &meta("heard", &written));
    append(&path, &says("user_message", "before the hooks were there", &written));
    house.ok(&["watch", "add", "codex"]);
    eventually("the file is read", || prompts(&house).len() == 1);
    assert_eq!(heard(&house, "heard"), ["SessionStart", "UserPromptSubmit"]);
}

#[test]
fn a_private_turn_leaves_no_trace_and_the_next_one_is_recorded() {
    let house = House::new();
    house.ok(&["watch", "add", "codex"]);
    let path = rollout(&house, SESSION);
    append(&path, &meta(SESSION, "2026-05-01T10:00:00.000Z"));
    append(&path, &says("user_message", "<private>hiddenprompt</private>", "2026-05-01T10:00:01.000Z"));
    append(&path, &says("agent_message", "hiddenanswer", "2026-05-01T10:00:02.000Z"));
    append(&path, &says("task_complete", "", "2026-05-01T10:00:03.000Z"));
    house.ok(&["daemon", "restart"]);
    append(&path, &says("user_message", "openprompt", "2026-05-01T10:00:04.000Z"));
    append(&path, &says("agent_message", "openanswer", "2026-05-01T10:00:05.000Z"));
    append(&path, &says("task_complete", "", "2026-05-01T10:00:06.000Z"));
    eventually("the open turn is heard", || {
        heard(&house, SESSION) == ["SessionStart", "UserPromptSubmit", "Stop"]
    });
    eventually("it is archived", || house.run(&["session", "transcript", SESSION]).status.success());
    let archived = house.ok(&["session", "transcript", SESSION]);
    assert!(archived.contains("openanswer"), "{archived}");
    for hidden in ["hiddenprompt", "hiddenanswer"] {
        assert!(!archived.contains(hidden), "{archived}");
        assert_eq!(house.files_with(hidden), Vec::<PathBuf>::new());
    }
}

#[test]
fn nothing_is_watched_unless_a_person_asks_and_no_link_leads_out_of_the_folder() {
    let house = House::new();
    assert!(house.ok(&["watch", "list"]).contains("nothing is watched"));
    let outside = house.home().join("outside.jsonl");
    append(&outside, &meta("linked", "2026-05-01T10:00:00.000Z"));
    append(&outside, &says("user_message", "behind a link", "2026-05-01T10:00:01.000Z"));
    let path = rollout(&house, SESSION);
    std::os::unix::fs::symlink(&outside, rollout(&house, "00000000-0000-4000-8000-00000000000a")).unwrap();
    append(&path, &meta(SESSION, "2026-05-01T10:00:00.000Z"));
    append(&path, &says("user_message", "in the folder", "2026-05-01T10:00:01.000Z"));
    // Longer than a line may be: it is passed over, and what follows it is not.
    append(&path, &("x".repeat(9 << 20) + "\n"));
    append(&path, &says("user_message", "behind a giant", "2026-05-01T10:00:02.000Z"));
    house.start();
    house.send(&house.prompt("claude", "a daemon that watches nothing"));
    assert_eq!(house.heard().len(), 1);

    house.ok(&["watch", "add", "codex"]);
    eventually("the folder is read", || heard(&house, SESSION).len() == 3);
    assert!(heard(&house, "linked").is_empty());
    // Long after the last word the session is over.
    let long_ago = SystemTime::now() - Duration::from_hours(48);
    File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    eventually("its end is told", || {
        heard(&house, SESSION).last().is_some_and(|event| event == "SessionEnd")
    });

    house.ok(&["watch", "remove", "codex"]);
    assert!(house.ok(&["watch", "list"]).contains("nothing is watched"));
    let refused = house.run(&["watch", "add", "nobody"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8(refused.stderr).unwrap().contains("known:"));
}

#[test]
fn the_past_of_another_agent_is_taken_in_once() {
    let house = House::new();
    fs::write(rollout(&house, SESSION), ROLLOUT).unwrap();
    let backfill = || -> Value {
        serde_json::from_str(&house.ok(&["backfill", "--client", "codex", "--json"])).unwrap()
    };
    let first = backfill();
    let second = backfill();
    // And the end of a conversation that fell silent long ago.
    assert_eq!(first["events"], FIRST_TURN.len() + LATER_TURNS.len() + 1, "{first}");
    assert_eq!((&second["events"], &second["already_known"]), (&json!(0), &first["events"]));
    assert_eq!(prompts(&house).len(), 3);
}

#[test]
fn what_is_said_in_a_pause_is_not_taken_in_later() {
    let house = House::new();
    let now = || jiff::Timestamp::now().to_string();
    let memory = || fs::read_to_string(house.data().join("watching.json")).unwrap_or_default();
    house.ok(&["watch", "add", "codex"]);
    let path = rollout(&house, SESSION);
    append(&path, &meta(SESSION, &now()));
    house.ok(&["pause"]);
    eventually("the pause is noticed", || memory().contains("null"));
    append(&path, &says("user_message", "said in the pause", &now()));
    house.ok(&["resume"]);
    eventually("its end is noticed", || !memory().contains("null"));
    append(&path, &says("user_message", "said after it", &now()));
    eventually("what follows is heard", || prompts(&house) == ["said after it"]);
    house.ok(&["daemon", "restart"]);
    append(&path, &says("user_message", "and after a restart", &now()));
    eventually("the rest is heard", || prompts(&house).len() > 1);
    assert_eq!(prompts(&house), ["said after it", "and after a restart"]);
}
