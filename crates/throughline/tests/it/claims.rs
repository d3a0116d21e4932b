//! Two sessions and one file: who holds it, who hears of it, and how it is given back.

use serde_json::{Value, json};

use crate::house::{House, eventually};

fn edit(house: &House, event: &str, session: &str, file: &str) -> Value {
    let mut envelope = house.envelope(session, event);
    envelope["tool_name"] = json!("Edit");
    envelope["tool_input"] =
        json!({ "file_path": house.work().join(file), "old_string": "a", "new_string": "b" });
    envelope["tool_use_id"] = json!(format!("toolu_{session}_{file}_{event}"));
    envelope
}

fn claims(house: &House) -> Vec<Value> {
    let lines = house.ok(&["claims", "list", "--json"]);
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_second_editor_is_told_once_and_the_edit_goes_on() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.send(&house.prompt("first-session", "Port the parser\nto the new grammar"));
    assert_eq!(house.send(&edit(&house, "PreToolUse", "first-session", "parser.rs")), "");
    let held = claims(&house);
    assert_eq!(held.len(), 1);
    assert_eq!(held[0]["path"], json!(house.work().join("parser.rs")));
    assert_eq!(held[0]["session"], "first-session");

    let told = house.send(&edit(&house, "PreToolUse", "second-session", "parser.rs"));
    let answer: Value = serde_json::from_str(&told).unwrap();
    let said = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(said.contains("session first-se (claude-code)"), "{said}");
    assert!(said.contains("Port the parser to the new grammar"), "{said}");
    assert_eq!(answer["hookSpecificOutput"].get("permissionDecision"), None, "it forbids nothing");

    // What was said is written down after the answer, and learned before it is asked for again.
    eventually("it is known what was said", || house.ok(&["context", "--said"]).contains("claim-files"));
    assert_eq!(house.send(&edit(&house, "PreToolUse", "second-session", "parser.rs")), "", "once is enough");
    assert_eq!(house.send(&edit(&house, "PreToolUse", "second-session", "lexer.rs")), "");
}

#[test]
fn a_claim_is_taken_and_given_back_by_hand_and_survives_the_daemon() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    let said = house.ok(&["claims", "take", "./src/../a.rs", "b.rs", "--note", "both at once"]);
    assert!(said.contains("holds 2 files"), "{said}");
    house.ok(&["daemon", "restart"]);
    let held = claims(&house);
    assert_eq!(held.len(), 2, "{held:?}");
    assert!(held.iter().all(|claim| claim["goal"] == "both at once"), "{held:?}");
    let table = house.ok(&["claims", "list"]);
    assert!(table.contains("a.rs") && table.contains("both at once"), "{table}");

    assert!(house.ok(&["claims", "release", "a.rs"]).contains("1 claim given back"));
    assert!(house.ok(&["claims", "release", "a.rs"]).contains("nobody held that"));
    house.send(&house.envelope("first-session", "SessionEnd"));
    assert!(claims(&house).is_empty(), "they end with the session");
    let ended = house.run(&["claims", "take", "a.rs", "--session", "first-session"]);
    let error = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{error}");
    assert!(error.contains("session first-se has ended") && error.contains("sessions --live"), "{error}");
    let unclear = house.run(&["claims", "take", "a.rs"]);
    assert_eq!(unclear.status.code(), Some(1), "nobody is at work here any more");
    assert_eq!(house.run(&["claims", "release"]).status.code(), Some(2));
}

#[test]
fn who_takes_a_file_hears_who_else_holds_it() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.ok(&["claims", "take", "a.rs", "b.rs", "--note", "porting"]);
    house.send(&house.envelope("second-session", "SessionStart"));
    let said = house.ok(&["claims", "take", "a.rs", "--session", "second-session"]);
    assert!(said.contains("a.rs is held by session first-se, too, for: porting"), "{said}");
    assert!(!said.contains("b.rs"), "{said}");
    std::fs::create_dir(house.work().join("src")).unwrap();
    let folder = house.run(&["claims", "take", "src", "--session", "second-session"]);
    let error = String::from_utf8_lossy(&folder.stderr).into_owned();
    assert!(folder.status.code() == Some(1) && error.contains("src is a folder"), "{error}");
    assert!(house.ok(&["claims", "release", "a.rs"]).contains("2 claims given back"));
}

#[test]
fn a_rebuild_knows_the_same_claims() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.send(&edit(&house, "PreToolUse", "first-session", "parser.rs"));
    house.ok(&["claims", "take", "lexer.rs", "--note", "later"]);
    let before = claims(&house);
    assert_eq!(before.len(), 2);
    house.ok(&["rebuild"]);
    assert_eq!(claims(&house), before);
}

/// The edit is made: one line became two.
fn edited(house: &House, session: &str, file: &str, line: u32) -> Value {
    let mut envelope = edit(house, "PostToolUse", session, file);
    envelope["tool_response"] = json!({ "structuredPatch": [
        { "oldStart": line, "oldLines": 1, "newStart": line, "newLines": 2, "lines": ["-a", "+b", "+c"] } ] });
    envelope
}

fn said(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn lines_are_known_to_the_next_session_to_the_next_editor_and_after_a_rebuild() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.send(&house.prompt("first-session", "Port the parser to the new grammar"));
    house.send(&edit(&house, "PreToolUse", "first-session", "parser.rs"));
    house.send(&edited(&house, "first-session", "parser.rs", 12));
    let held = claims(&house);
    assert_eq!(held[0]["lines"], json!([[12, 13]]), "{held:?}");
    house.ok(&["rebuild"]);
    assert_eq!(claims(&house), held);
    house.ok(&["daemon", "restart"]);

    // A daemon that has just begun may be late for one answer.
    let mut start = String::new();
    eventually("a start is answered", || {
        start = said(&house.send(&house.envelope("second-session", "SessionStart")));
        !start.is_empty()
    });
    assert!(start.contains("One other agent session is at work in this workspace."), "{start}");
    assert!(start.contains("it works on: \"Port the parser to the new grammar\""), "{start}");
    assert!(start.contains("it holds parser.rs (lines 12-13)"), "{start}");
    let told = said(&house.send(&edit(&house, "PreToolUse", "second-session", "parser.rs")));
    assert!(told.contains("last edit just now on lines 12-13"), "{told}");

    let live = house.ok(&["sessions", "--live", "--json"]);
    let first = live.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let first = first.into_iter().find(|row| row["id"] == "first-session").unwrap();
    assert_eq!(first["goal"], "Port the parser to the new grammar");
    assert_eq!(first["files"][0]["lines"], json!([[12, 13]]), "{first}");
    let table = house.ok(&["sessions", "--live"]);
    assert!(table.contains("parser.rs") && table.contains("Port the parser"), "{table}");
}

#[test]
fn deny_refuses_the_second_edit_and_its_release_lets_it_through() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.send(&edited(&house, "first-session", "parser.rs", 3));
    claims(&house);
    house.ok(&["config", "set", "behaviors.claim-files", "deny"]);
    let wish = edit(&house, "PreToolUse", "second-session", "parser.rs");
    let decision = || {
        let answer = house.send(&wish);
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default();
        (answer["hookSpecificOutput"]["permissionDecision"].clone(), reason.to_owned())
    };
    let (denied, reason) = decision();
    assert_eq!(denied, "deny", "{reason}");
    assert!(reason.contains("session first-se") && reason.contains("its lease ends in"), "{reason}");
    assert_eq!(decision().0, "deny", "as often as it is tried");
    let held = claims(&house);
    assert_eq!(held.len(), 1, "who was refused holds nothing: {held:?}");
    house.ok(&["config", "set", "behaviors.claim-files", "ask"]);
    assert_eq!(decision().0, "ask");
    assert!(house.ok(&["claims", "release", "parser.rs"]).contains("1 claim given back"));
    assert_eq!(decision().0, Value::Null);
}

#[test]
fn a_link_is_the_file_it_leads_to_and_a_worktree_is_another() {
    let house = House::new();
    let git = |args: &[&str]| {
        let done = std::process::Command::new("git").current_dir(house.work()).args(args).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&[
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.invalid",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
    ]);
    git(&["worktree", "add", "-q", "../feature", "-b", "feature"]);
    std::fs::create_dir(house.work().join("src")).unwrap();
    std::fs::write(house.work().join("src/parser.rs"), "a\n").unwrap();
    std::os::unix::fs::symlink("src", house.work().join("link")).unwrap();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.send(&edited(&house, "first-session", "link/parser.rs", 1));
    assert_eq!(claims(&house)[0]["path"], json!(house.work().join("src/parser.rs")));
    let told = said(&house.send(&edit(&house, "PreToolUse", "second-session", "src/parser.rs")));
    assert!(told.contains("Somebody else is working on"), "{told}");

    let feature = house.home().join("feature");
    let mut elsewhere = house.envelope("third-session", "SessionStart");
    elsewhere["cwd"] = json!(feature);
    let start = said(&house.send(&elsewhere));
    assert!(start.contains(&format!("on main in the worktree {}", house.work().display())), "{start}");
    let mut merge = edit(&house, "PreToolUse", "third-session", "x");
    merge["cwd"] = json!(feature);
    merge["tool_input"]["file_path"] = json!(feature.join("src/parser.rs"));
    let told = said(&house.send(&merge));
    assert!(told.contains("that is a merge to come"), "{told}");
    assert!(!told.contains("Somebody else is working on"), "{told}");
    eventually("it is known what was said", || house.ok(&["context", "--said"]).contains("merge to come"));
    assert_eq!(said(&house.send(&merge)), "", "once");

    let mut command = house.envelope("second-session", "PreToolUse");
    command["tool_name"] = json!("Bash");
    command["tool_input"] = json!({ "command": "sed -i s/a/b/ link/lexer.rs" });
    house.send(&command);
    let paths: Vec<Value> = claims(&house).iter().map(|claim| claim["path"].clone()).collect();
    assert!(paths.contains(&json!(house.work().join("src/lexer.rs"))), "{paths:?}");
}

#[test]
fn a_message_is_heard_with_the_next_event_once_and_over_a_restart() {
    let house = House::new();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.send(&house.envelope("second-session", "SessionStart"));
    let said_to = |session: &str| said(&house.send(&house.prompt(session, "go on please")));
    // Looks like a token to a scanner only when the test runs.
    let token = ["gh", "p_", "R7kPq2mXv9TzL4wNs8JbYc3HdF6gA1eU5oWi"].concat();
    let sent = house.ok(&["message", "first-s", &format!("the key is {token},"), "leave the parser to me"]);
    assert!(sent.contains("session first-se hears it with its next event"), "{sent}");
    let listed = house.ok(&["message", "--list"]);
    assert!(listed.contains("waits") && !listed.contains(&token), "{listed}");
    house.ok(&["daemon", "restart"]);
    assert!(!said_to("second-session").contains("leave the parser"), "it is not for everybody");
    let heard = said_to("first-session");
    assert!(heard.contains("A message for this session:\n- from "), "{heard}");
    assert!(heard.contains("leave the parser to me") && !heard.contains(&token), "{heard}");
    assert!(heard.contains("at the command line"), "{heard}");
    assert!(!said_to("first-session").contains("leave the parser"), "once");
    house.ok(&["daemon", "restart"]);
    assert!(!said_to("first-session").contains("leave the parser"), "and after a restart");
    let rows = house.ok(&["message", "--list", "--json"]);
    let row: Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert!(row["delivered_at"].is_u64(), "{row}");

    let all =
        house.command(&["message", "--all", "lunch"]).env("CLAUDE_CODE_SESSION_ID", "first-session").output();
    assert!(all.unwrap().status.success());
    let heard = said_to("second-session");
    assert!(heard.contains("- from session first-se (claude-code)") && heard.contains("lunch"), "{heard}");
    assert!(!said_to("first-session").contains("lunch"), "not to oneself");

    house.send(&house.envelope("first-session", "SessionEnd"));
    let refused = house.run(&["message", "first-session", "too late"]);
    assert_eq!(refused.status.code(), Some(1));
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(error.contains("session first-se has ended") && error.contains("sessions --live"), "{error}");
    assert_eq!(house.run(&["message"]).status.code(), Some(2));
    house.ok(&["rebuild"]);
    let after = house.ok(&["message", "--list", "--json"]);
    assert!(
        after.lines().all(|line| serde_json::from_str::<Value>(line).unwrap()["delivered_at"].is_u64()),
        "{after}"
    );
}

#[test]
fn a_session_whose_process_is_gone_or_whose_id_was_given_away_is_not_at_work() {
    let house = House::new();
    let mut process = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let pid = process.id().to_string();
    let start = |session: &str, pid: &str| {
        let mut hook = house.command(&["hook"]);
        hook.env("CLAUDE_PID", pid);
        let body = house.envelope(session, "SessionStart").to_string();
        said(&String::from_utf8(crate::house::feed(hook, body.as_bytes()).stdout).unwrap())
    };
    start("first-session", &pid);
    let live = || house.ok(&["sessions", "--live", "--json"]).lines().count();
    assert_eq!(live(), 1);
    assert!(start("second-session", &std::process::id().to_string()).contains("session first-se"));
    assert!(house.run(&["message", "first-session", "are you there"]).status.success());
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(live(), 1, "it did not say that it ends");
    let refused = house.run(&["message", "first-session", "are you there"]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(error.contains("session first-se is gone"), "{error}");
    // A resumed session has its id and another process.
    start("first-session", &std::process::id().to_string());
    assert!(house.ok(&["sessions", "--live"]).contains("first-se"));
}
