//! The daemon's HTTP door from outside: where it is, who is told how to reach it, and that no hook ever notices it.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::house::{House, signal};

pub(crate) fn port(house: &House) -> u16 {
    u16::try_from(house.status()["port"].as_u64().expect("a port")).unwrap()
}

pub(crate) fn token(house: &House) -> String {
    fs::read_to_string(house.data().join("run/token")).unwrap().trim().to_owned()
}

/// What is answered to somebody with this token.
pub(crate) fn get(port: u16, path: &str, token: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

pub(crate) fn body(said: &str) -> Value {
    serde_json::from_str(said.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn the_door_says_the_status_to_whoever_has_the_token() {
    let house = House::new();
    house.start();
    let port = port(&house);
    assert_eq!(fs::read_to_string(house.data().join("run/port")).unwrap(), format!("{port}\n"));
    for name in ["port", "token"] {
        let mode = fs::metadata(house.data().join("run").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let status = body(&get(port, "/api/v1/status", &token(&house)));
    assert_eq!((&status["pid"], &status["port"]), (&house.status()["pid"], &json!(port)));
    assert!(get(port, "/api/v1/status", "wrong").starts_with("HTTP/1.1 401"));
    assert_eq!(body(&get(port, "/health", ""))["ok"], true);
    let first = token(&house);
    house.ok(&["daemon", "stop"]);
    assert!(!house.data().join("run/port").exists());
    house.start();
    assert_eq!(token(&house), first, "what was pasted into settings goes on working");
}

#[test]
fn houses_side_by_side_have_a_port_and_a_token_each() {
    let (one, other) = (House::new(), House::new());
    one.start();
    other.start();
    assert_ne!(port(&one), port(&other));
    assert!(get(port(&other), "/api/v1/status", &token(&one)).starts_with("HTTP/1.1 401"));
    assert!(get(port(&other), "/api/v1/status", &token(&other)).starts_with("HTTP/1.1 200"));
}

#[test]
fn a_port_that_a_killed_daemon_left_written_down_is_not_believed() {
    let house = House::new();
    house.start();
    signal(house.pid(), Signal::KILL);
    house.ok(&["config", "set", "http.enabled", "false"]);
    house.start();
    assert_eq!(house.status()["port"], Value::Null);
    assert!(!house.data().join("run/port").exists());
    let said = house.run(&["mcp", "--http"]);
    assert_eq!(said.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&said.stderr).contains("http.enabled"), "{said:?}");
}

#[test]
fn whatever_is_wrong_with_the_door_no_hook_notices() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let taken_port = taken.local_addr().unwrap().port();
    for port in [70_000, u32::from(taken_port)] {
        let house = House::new();
        house.start();
        // By hand: the command line refuses what is no port.
        fs::write(house.place().config_file(), format!("http.port = {port}\n")).unwrap();
        house.ok(&["daemon", "restart"]);
        house.send(&house.prompt("s", "is anybody there?"));
        assert_eq!(house.events().len(), 1, "http.port = {port}");
        assert_ne!(house.status()["port"], json!(taken_port));
    }
    let house = House::new();
    let refused = house.run(&["config", "set", "http.port", "70000"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("a port, 1 to 65535"), "{refused:?}");
    fs::create_dir_all(house.data().join("run/token")).unwrap();
    house.send(&house.prompt("s", "is anybody there?"));
    assert_eq!(house.events().len(), 1);
    assert_eq!(house.status()["port"], Value::Null, "without a token there is no door");
    assert!(house.ok(&["daemon", "logs"]).contains("no HTTP"));
}

#[test]
fn the_token_is_said_only_to_whoever_asks_for_it() {
    let house = House::new();
    let said = house.ok(&["mcp", "--http"]);
    let token = token(&house);
    assert!(said.contains(&format!("http://127.0.0.1:{}/mcp", port(&house))), "{said}");
    assert!(!said.contains(&token) && said.contains("run/token"), "{said}");
    assert!(said.contains("export THROUGHLINE_TOKEN=\"$(cat '"), "{said}");
    assert!(!house.ok(&["mcp", "--http", "--json"]).contains(&token));
    assert!(!house.ok(&["daemon", "status", "--json"]).contains(&token));
    assert!(!house.ok(&["daemon", "logs"]).contains(&token));
    let entry: Value = serde_json::from_str(&house.ok(&["mcp", "--http", "--json", "--show-token"])).unwrap();
    let server = &entry["mcpServers"]["throughline"];
    assert_eq!(server["type"], "http");
    assert_eq!(server["headers"]["Authorization"], format!("Bearer {token}"));
}

/// What a session's process sends along for its agent, asked directly.
#[test]
fn the_daemon_answers_what_a_session_process_hands_over() {
    let house = House::new();
    house.start();
    let ask = |call: &Value| {
        let question = json!({ "ask": "guest", "folder": house.work(), "call": call }).to_string();
        let until = Instant::now() + Duration::from_secs(20);
        let said = client::ask(&house.place(), question.as_bytes(), until).unwrap();
        serde_json::from_slice::<Value>(&said).unwrap()["said"].take()
    };
    let note = json!({ "text": "The lexer is generated." });
    let saved = ask(&json!({ "tool": { "name": "mem_save", "arguments": note } }));
    let id = &saved["answer"]["data"]["id"];
    assert!(id.is_string(), "{saved}");
    let read = ask(&json!({ "tool": { "name": "mem_get", "arguments": { "ids": [id] } } }));
    assert!(read["answer"]["text"].as_str().unwrap().contains("The lexer is generated."), "{read}");
    let listed = ask(&json!({ "list": { "cursor": null } }));
    assert_eq!(listed["page"]["resources"].as_array().unwrap().len(), 1, "{listed}");
    let uri = &listed["page"]["resources"][0]["uri"];
    assert!(ask(&json!({ "read": { "uri": uri } }))["text"].as_str().unwrap().contains("lexer"));
    for nonsense in
        [json!(null), json!({ "tool": { "name": "no such", "arguments": {} } }), json!({ "x": 1 })]
    {
        assert!(ask(&nonsense)["refused"]["what"].is_string(), "{nonsense}");
    }
    let hook = json!({ "word": "", "event": "Stop" });
    let refused = ask(&json!({ "tool": { "name": "hook", "arguments": hook } }));
    assert!(refused["refused"]["what"].is_string(), "hooks have a door of their own: {refused}");
}
