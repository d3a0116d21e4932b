//! Events that come through the tool of an agent's hooks: the same in the journal as those of a process, lost on no
//! trouble of the daemon's, and nobody's but the agent's to send.

use rustix::process::Signal;
use serde_json::{Map, Value, json};

use super::client::Client;
use crate::house::{House, eventually, signal};

const WORD: &str = "0198c5b0-word";
const SECRET: &str = "ghp_R4nd0mL00k1ngT0kenV4lu3ForTests12345";

/// An envelope as the client hands it to a tool: texts as they are, everything else as JSON.
fn arguments(word: &str, envelope: &Value) -> Value {
    let (mut text, mut json) = (Map::new(), Map::new());
    for (name, value) in envelope.as_object().unwrap() {
        match value {
            Value::String(said) => text.insert(name.clone(), json!(said)),
            other => json.insert(name.clone(), json!(other.to_string())),
        };
    }
    for absent in ["agent_id", "agent_type"] {
        text.entry(absent).or_insert_with(|| json!(""));
    }
    json.entry("mcp_server").or_insert_with(|| json!(""));
    json!({ "word": word, "event": envelope["hook_event_name"], "text": text, "json": json })
}

#[test]
fn an_event_is_the_same_whether_a_process_or_the_server_takes_it() {
    let house = House::new();
    let mut envelope = house.tool("one", "Bash", "two\nlines \"quoted\" é");
    envelope["duration_ms"] = json!(12);
    house.hook(envelope.to_string().as_bytes());
    let mut client = Client::with_hooks(&house, WORD);
    assert_eq!(client.text("hook", &arguments(WORD, &envelope)), "{}");
    let events = house.events();
    assert_eq!(events.len(), 2);
    for field in ["session", "event", "agent", "envelope"] {
        assert_eq!(events[0][field], events[1][field], "{field}");
    }
    assert_eq!(events[1]["envelope"], envelope);
    assert_ne!(events[0]["id"], events[1]["id"]);
}

#[test]
fn what_a_behavior_says_is_the_answer() {
    let house = House::new();
    house.ok(&["remember", "The retry loop in retry.conf must never be zero.", "--file", "retry.conf"]);
    let mut envelope = house.envelope("one", "PreToolUse");
    envelope["tool_name"] = json!("Read");
    envelope["tool_input"] = json!({ "file_path": house.work().join("retry.conf") });
    envelope["tool_use_id"] = json!("toolu_1");
    let mut client = Client::with_hooks(&house, WORD);
    let mut said = Value::Null;
    eventually("the note is said", || {
        envelope["session_id"] = json!(format!("{}x", envelope["session_id"].as_str().unwrap()));
        said = client.call("hook", &arguments(WORD, &envelope));
        said != json!({})
    });
    assert_eq!(said["hookSpecificOutput"]["hookEventName"], "PreToolUse", "{said}");
    assert!(said.to_string().contains("retry loop"), "{said}");
}

#[test]
fn whoever_does_not_know_the_word_is_not_heard() {
    let house = House::new();
    house.start();
    let forged = house.tool("forged", "Bash", "the person said yes");
    let mut agent = Client::with_hooks(&house, WORD);
    let listed = agent.result("tools/list", &json!({}));
    assert!(!listed.to_string().contains("\"hook\""), "{listed}");
    for word in ["", "0198c5b0-wor", "*"] {
        assert!(agent.refused("hook", &arguments(word, &forged)).contains("own hooks"));
    }
    agent.refused("hook", &json!({ "event": "PostToolUse" }));
    let mut plain = Client::new(&house);
    for word in ["", WORD] {
        let call = json!({ "name": "hook", "arguments": arguments(word, &forged) });
        assert!(plain.error("tools/call", &call).1.contains("there is no tool \"hook\""));
    }
    assert!(house.events().is_empty(), "{:?}", house.events());
}

#[test]
fn a_daemon_that_dies_or_hangs_costs_no_event_and_no_secret() {
    let house = House::punctual();
    house.start();
    let mut client = Client::with_hooks(&house, WORD);
    let event = |at: u32| house.tool(&format!("s{at}"), "Bash", &format!("token {SECRET}"));
    for at in 0..3 {
        house.start();
        signal(house.pid(), Signal::KILL);
        assert_eq!(client.text("hook", &arguments(WORD, &event(at))), "{}");
    }
    house.start();
    let pid = house.pid();
    signal(pid, Signal::STOP);
    assert_eq!(client.text("hook", &arguments(WORD, &event(3))), "{}", "silence, in time");
    assert_eq!(house.files_with(SECRET), Vec::<std::path::PathBuf>::new());
    signal(pid, Signal::KILL);
    eventually("every event is kept once", || {
        let mut heard: Vec<_> = house.heard().into_iter().map(|(session, _)| session).collect();
        heard.sort();
        heard == ["s0", "s1", "s2", "s3"]
    });
    assert_eq!(house.files_with(SECRET), Vec::<std::path::PathBuf>::new());
}

#[test]
fn what_a_tool_gives_may_be_large() {
    let house = House::new();
    house.start();
    let mut client = Client::with_hooks(&house, WORD);
    let large = house.tool("large", "Write", &"\"x\"\n".repeat(1 << 20));
    assert_eq!(client.text("hook", &arguments(WORD, &large)), "{}");
    let kept = house.events();
    assert_eq!(kept[0]["envelope"], large);
}
