//! Hooks go in, events come out: once, in order, under the agent's own id, redacted.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::house::{House, eventually};

/// Looks like a token to a scanner only when the test runs.
fn canary() -> String {
    format!("gh{}_{}", "p", "R4nd0mC4n4ryF0rTh3R3d4ct10nT3sts1234")
}

fn password() -> &'static str {
    "v3ry-S3cret-Canary!"
}

#[test]
fn a_session_is_recorded_once_in_order_under_the_agents_own_id() {
    let house = House::new();
    let session = "8dcc5c1e-5996-4055-8d51-9334035847e7";
    house.send(&house.envelope(session, "SessionStart"));
    house.send(&house.prompt(session, "fix the login"));
    house.send(&house.tool(session, "Bash", "done"));
    house.send(&house.envelope(session, "Stop"));
    let mut end = house.envelope(session, "SessionEnd");
    end["reason"] = json!("prompt_input_exit");
    house.send(&end);

    let heard: Vec<_> = house.heard().into_iter().map(|(_, event)| event).collect();
    assert_eq!(heard, ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"]);
    let sessions: Value = serde_json::from_str(house.ok(&["sessions", "--json"]).trim()).unwrap();
    assert_eq!(sessions["id"], session);
    assert_eq!(sessions["end_reason"], "prompt_input_exit");
    assert_eq!(sessions["prompts"], 1);
    assert_eq!(sessions["project"], "work");
    assert!(house.ok(&["show", "8dcc"]).contains("#1 fix the login"));
    house.assert_private();
}

#[test]
fn every_real_envelope_is_recorded_once_with_its_fields() {
    let house = House::new();
    house.start();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/fixtures/claude_code");
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|end| end == "json"));
    names.sort();
    assert!(names.len() >= 130, "{}", names.len());
    let sent: Vec<Value> =
        names.iter().map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap()).collect();
    for path in &names {
        let said = house.hook(&fs::read(path).unwrap());
        // The sessions of the fixtures hear of each other; nobody else has anything to say.
        assert!(
            said.is_empty() || path.to_string_lossy().contains("SessionStart"),
            "{}: {said}",
            path.display()
        );
    }
    let events = house.events();
    assert_eq!(events.len(), sent.len());
    for (event, sent) in events.iter().zip(&sent) {
        assert_eq!(event["event"], sent["hook_event_name"]);
        assert_eq!(event["session"], sent["session_id"]);
        assert_eq!(event["tool"], sent.get("tool_name").cloned().unwrap_or_default());
        assert_eq!(&event["envelope"], sent, "nothing but secrets is changed");
    }
}

#[test]
fn nothing_unredacted_is_written_anywhere() {
    let house = House::new();
    let (token, password) = (canary(), password());
    let text =
        format!("export GITHUB_TOKEN={token}\nPGPASSWORD='{password}' psql\nmysql -uroot -p'{password}'\n");
    // The first goes to the spool, the rest to the daemon.
    for round in 0..5 {
        house.send(&house.prompt("s", &format!("{round} {text}")));
        house.send(&house.tool("s", "Bash", &text));
    }
    let mut odd = house.tool(&format!("s-{token}"), "Bash", "x");
    odd["cwd"] = json!(format!("/srv/{token}"));
    odd[&format!("key {token}")] = json!(1);
    house.send(&odd);
    house.hook(format!("{{\"prompt\": \"{token}").as_bytes());
    assert_eq!(house.events().len(), 12);
    for needle in [token.as_str(), password] {
        assert_eq!(house.files_with(needle), Vec::<std::path::PathBuf>::new(), "{needle}");
    }
    assert!(house.ok(&["stats"]).contains("github"), "people see what was redacted");
}

#[test]
fn a_private_turn_leaves_no_trace_and_the_next_one_is_recorded() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("p", "SessionStart"));
    house.send(&house.prompt("p", "<private>the takeover of CANARYCORP</private>\n"));
    house.send(&house.tool("p", "Bash", "CANARYCORP balance sheet"));
    let mut stop = house.envelope("p", "Stop");
    stop["last_assistant_message"] = json!("CANARYCORP is done");
    house.send(&stop);
    // A report of a background task is no person: the turn stays private.
    house.send(&house.prompt("p", "<task-notification>CANARYCORP task</task-notification>"));
    house.send(&house.tool("p", "Read", "CANARYCORP again"));
    // Another session is not concerned.
    house.send(&house.tool("q", "Read", "plain"));
    house.send(&house.prompt("p", "now in <private>CANARYCORP</private> public"));
    house.send(&house.tool("p", "Read", "plain again"));

    let heard: Vec<_> = house.heard();
    let heard: Vec<_> = heard.iter().map(|(session, event)| (session.as_str(), event.as_str())).collect();
    assert_eq!(
        heard,
        [("p", "SessionStart"), ("q", "PostToolUse"), ("p", "UserPromptSubmit"), ("p", "PostToolUse")]
    );
    assert_eq!(house.files_with("CANARYCORP"), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_private_turn_stays_private_without_a_daemon() {
    let house = House::new();
    // A file where the socket's folder should be keeps any daemon from coming up.
    fs::create_dir_all(house.data().join("run/daemon.sock")).unwrap();
    house.send(&house.prompt("p", "<PRIVATE >CANARYCORP"));
    house.send(&house.tool("p", "Bash", "CANARYCORP"));
    house.send(&house.tool("q", "Bash", "plain"));
    assert_eq!(house.files_with("CANARYCORP"), Vec::<std::path::PathBuf>::new());
    fs::remove_dir(house.data().join("run/daemon.sock")).unwrap();
    assert_eq!(house.heard(), [("q".to_owned(), "PostToolUse".to_owned())]);
}

#[test]
fn what_a_machine_wrote_is_an_event_but_no_prompt() {
    let house = House::new();
    house.start();
    house.send(&house.prompt("m", "<task-notification>\n<task-id>1</task-id></task-notification>"));
    house.send(&house.prompt("m", "thanks"));
    let shown: Value = serde_json::from_str(&house.ok(&["show", "m", "--json"])).unwrap();
    assert_eq!(shown["prompts"].as_array().unwrap().len(), 1);
    assert_eq!(shown["prompts"][0]["text"], "thanks");
    assert_eq!(shown["events"].as_array().unwrap().len(), 2);
}

#[test]
fn switches_and_the_skip_list_work_at_once_and_in_the_project_they_can_only_narrow() {
    let house = House::new();
    house.start();
    house.send(&house.tool("s", "TodoWrite", "x"));
    house.ok(&["config", "set", "capture.skip-tools", "WebFetch"]);
    house.send(&house.tool("s", "WebFetch", "x"));
    house.send(&house.tool("s", "TodoWrite", "kept now"));
    house.ok(&["behaviors", "disable", "capture"]);
    house.send(&house.tool("s", "Bash", "x"));
    house.ok(&["behaviors", "enable", "capture"]);
    house.send(&house.tool("s", "Bash", "kept"));
    fs::create_dir_all(house.work().join(".throughline")).unwrap();
    let narrow = "[capture]\nskip-tools = [\"Bash\"]\n[redact]\nallow = [\"x\"]\n";
    fs::write(house.work().join(".throughline/config.toml"), narrow).unwrap();
    house.send(&house.tool("s", "Bash", "x"));
    house.send(&house.tool("s", "WebFetch", "x"));
    house.send(&house.tool("s", "Read", "kept"));
    let tools: Vec<_> =
        house.events().iter().map(|event| event["tool"].as_str().unwrap().to_owned()).collect();
    assert_eq!(tools, ["TodoWrite", "Bash", "Read"]);
}

#[test]
fn a_pause_records_nothing_and_says_nothing() {
    let house = House::new();
    house.start();
    house.ok(&["pause"]);
    house.send(&house.tool("s", "Bash", "unheard"));
    house.ok(&["resume"]);
    house.send(&house.tool("s", "Bash", "heard"));
    assert_eq!(house.events().len(), 1);
}

#[test]
fn a_second_session_hears_of_the_first_in_a_fence() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("first-one", "SessionStart"));
    house.ok(&["sessions"]);
    let mut said = String::new();
    eventually("the second session hears", || {
        said = house.send(&house.envelope("second", "SessionStart"));
        !said.is_empty()
    });
    let answer: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SessionStart");
    let note = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(note.starts_with("<throughline-note from=\"register-session\""), "{note}");
    assert!(note.contains("session first-on (claude-code)"), "{note}");
    // What we said is not taken in again.
    house.send(&house.prompt("second", &format!("see {note} there")));
    let heard = house.events();
    assert_eq!(heard.last().unwrap()["envelope"]["prompt"], "see  there");
}

#[test]
fn an_event_sent_twice_under_one_id_is_kept_once() {
    let house = House::new();
    house.start();
    let id = "01920000-0000-7000-8000-00000000abcd";
    let envelope = house.tool("s", "Bash", "x").to_string();
    for _ in 0..3 {
        assert!(house.pipe(&["hook", "--undelivered", id], envelope.as_bytes()).status.success());
        assert_eq!(house.events().len(), 1);
    }
    assert_eq!(house.events()[0]["id"], id);
}
