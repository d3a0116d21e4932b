//! The protocol behind the door: sessions, the folder somebody works in, and what becomes of those who leave.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::world::{Answer, World};

fn initialize(capabilities: &Value) -> Value {
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": { "name": "t", "version": "1" } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

/// The header that goes on with a session that is begun and greeted.
fn begin(world: &World, capabilities: &Value) -> String {
    let answer = world.say("", &initialize(capabilities));
    assert_eq!(answer.status(), 200, "{}", answer.0);
    let session = format!("Mcp-Session-Id: {}\r\n", answer.header("mcp-session-id").expect("a session"));
    let greeted = world.say(&session, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert_eq!(greeted.status(), 202, "{}", greeted.0);
    session
}

/// The messages in a stream.
fn messages(answer: &Answer) -> Vec<Value> {
    let data = answer.body().lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|text| serde_json::from_str(text.trim()).ok()).collect()
}

fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn a_session_lists_the_same_tools_and_ends_when_it_is_told() {
    let world = World::new();
    let session = begin(&world, &json!({}));
    let listed = world.say(&session, &json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list" }));
    let tools = messages(&listed).pop().unwrap()["result"]["tools"].take();
    assert!(tools.as_array().unwrap().iter().any(|tool| tool["name"] == "mem_search"), "{tools}");
    let ended = world.send(&format!(
        "DELETE /mcp HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nConnection: close\r\n{session}\r\n"
    ));
    assert_eq!(ended.status(), 204, "{}", ended.0);
    assert_eq!(world.say(&session, &json!({ "jsonrpc": "2.0", "id": 6, "method": "ping" })).status(), 404);
}

#[test]
fn the_folder_is_what_the_header_or_the_address_says_and_otherwise_none() {
    let world = World::new();
    let session = begin(&world, &json!({}));
    let asked = call("mem_get", &json!({ "ids": ["x"] }));
    let nowhere = messages(&world.say(&session, &asked)).pop().unwrap();
    assert!(text(&nowhere).contains("asked from None"), "{nowhere}");
    let header = format!("{session}X-Throughline-Folder: /projects/of mine\r\n");
    let there = messages(&world.say(&header, &asked)).pop().unwrap();
    assert!(text(&there).contains("/projects/of mine"), "{there}");
}

#[test]
fn a_client_that_offers_its_roots_is_asked_for_them_once() {
    let world = World::new();
    let session = begin(&world, &json!({ "roots": {} }));
    let body = call("mem_get", &json!({ "ids": ["x"] })).to_string();
    let mut stream = world.connect();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\n{session}X-Throughline-Folder: /of/the/header\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(world.filled(&head).as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut next = || {
        let data = lines.find_map(|line| {
            line.strip_prefix("data:").map(|data| data.trim().to_owned()).filter(|data| !data.is_empty())
        });
        serde_json::from_str::<Value>(&data.expect("a message")).unwrap()
    };
    let question = next();
    assert_eq!(question["method"], "roots/list", "{question}");
    let roots =
        json!({ "roots": [{ "uri": "https://elsewhere" }, { "uri": "file:///srv/a%20person/work" }] });
    let said = world.say(&session, &json!({ "jsonrpc": "2.0", "id": question["id"], "result": roots }));
    assert_eq!(said.status(), 202, "{}", said.0);
    let answer = next();
    assert!(text(&answer).contains("/srv/a person/work"), "{answer}");
    let again = messages(&world.say(&session, &call("mem_get", &json!({ "ids": ["x"] })))).pop().unwrap();
    assert!(text(&again).contains("/srv/a person/work"), "{again}");
}

#[test]
fn a_client_without_a_handshake_needs_no_session() {
    let world = World::new();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
    });
    let mut asked = call("mem_get", &json!({ "ids": ["x"] }));
    asked["params"]["_meta"] = meta;
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: mem_get\r\nX-Throughline-Folder: /there\r\n";
    let answer = world.say(headers, &asked);
    assert_eq!(answer.status(), 200, "{}", answer.0);
    assert!(answer.header("mcp-session-id").is_none());
    assert!(answer.body().contains("/there"), "{}", answer.0);
}

#[test]
fn a_session_outlives_the_daemon_it_began_in() {
    let before = World::new();
    let session = begin(&before, &json!({}));
    drop(before);
    let after = World::new();
    let answer = messages(&after.say(&session, &call("mem_get", &json!({ "ids": ["x"] })))).pop().unwrap();
    // It was asked for its roots meanwhile, which it may have offered to the other one, and did not say them.
    assert!(text(&answer).contains("asked from None"), "{answer}");
}

#[test]
fn a_session_that_made_way_for_others_goes_on_when_it_comes_back() {
    let world = World::new();
    let first = begin(&world, &json!({}));
    let ping = json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" });
    for _ in 0..70 {
        assert_eq!(world.say("", &initialize(&json!({}))).status(), 200);
    }
    let answer = world.say(&first, &ping);
    assert_eq!((answer.status(), messages(&answer).pop().unwrap()["id"].clone()), (200, json!(3)));
}
