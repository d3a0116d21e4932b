//! What may go wrong at either end of the pipe: a daemon that dies, hangs or speaks another protocol, a client that sends
//! garbage, too much, or leaves.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;

use rustix::process::Signal;
use serde_json::{Value, json};
use wire::{ReplyHeader, Status};

use super::client::{Client, VERSION};
use super::text;
use crate::house::{House, feed, signal};

#[test]
fn a_daemon_that_is_killed_between_two_calls_is_not_noticed() {
    let house = House::punctual();
    let mut client = Client::new(&house);
    let id =
        client.call("mem_save", &json!({ "text": "The lexer is generated from grammar.txt." }))["id"].take();
    for tool in ["mem_get", "mem_search", "mem_save"] {
        signal(house.pid(), Signal::KILL);
        let arguments = match tool {
            "mem_get" => json!({ "ids": [id] }),
            "mem_search" => json!({ "query": "lexer grammar" }),
            _ => json!({ "text": "And the parser by hand." }),
        };
        let said = client.call(tool, &arguments);
        assert!(tool == "mem_save" || said.to_string().contains(text(&id)), "{tool}: {said}");
    }
}

#[test]
fn a_daemon_that_hangs_is_an_answer_and_a_call_can_be_given_up() {
    let house = House::punctual();
    let mut client = Client::new(&house);
    client.call("mem_status", &json!({}));
    let pid = house.pid();
    signal(pid, Signal::STOP);
    let search = json!({
        "name": "mem_search", "arguments": { "query": "x" }, "_meta": { "progressToken": "p-1" },
    });
    let given_up = client.ask("tools/call", &search);
    let progress = client.wait_for(|message| message["method"] == "notifications/progress");
    assert_eq!(progress["params"]["progressToken"], "p-1");
    assert!(progress["params"]["progress"].as_f64().unwrap() > 0.0);
    client.notify("notifications/cancelled", &json!({ "requestId": given_up, "reason": "enough" }));
    let said = client.refused("mem_status", &json!({}));
    assert!(said.contains("did not answer in time") && said.contains("daemon restart"), "{said}");
    signal(pid, Signal::CONT);
    client.call("mem_search", &json!({ "query": "x" }));
    assert!(client.aside.iter().all(|message| message["id"] != given_up), "{:?}", client.aside);
}

#[test]
fn a_daemon_of_another_version_is_named() {
    let house = House::punctual();
    house.place().ensure().unwrap();
    let listener = UnixListener::bind(house.place().socket()).unwrap();
    let stranger = std::thread::spawn(move || {
        let (mut peer, _) = listener.accept().unwrap();
        let mut header = [0; wire::REQUEST_HEADER];
        peer.read_exact(&mut header).unwrap();
        let other = ReplyHeader { status: Status::OtherVersion, exit: 0, stdout_len: 0, stderr_len: 0 };
        let mut bytes = other.encode();
        bytes[3] = wire::PROTOCOL + 1;
        peer.write_all(&bytes).unwrap();
    });
    let said = Client::new(&house).refused("mem_search", &json!({ "query": "x" }));
    assert!(said.contains("protocol") && said.contains("throughline daemon restart"), "{said}");
    stranger.join().unwrap();
}

#[test]
fn garbage_and_giants_are_answered_and_the_session_goes_on() {
    let house = House::punctual();
    let mut client = Client::new(&house);
    client.write(b"no JSON\n\n\xff\xfe\n[]\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard-of\"}\n");
    for code in [-32700, -32700, -32600] {
        let answer = client.next();
        assert_eq!((answer["error"]["code"].as_i64(), &answer["id"]), (Some(code), &Value::Null), "{answer}");
    }
    let before = client.kilobytes("VmHWM");
    let giant = "x".repeat(50 << 20);
    let giant =
        json!({ "method": "tools/call", "params": { "name": "mem_save", "arguments": { "text": giant } } });
    let mut bytes = giant.to_string();
    bytes.truncate(bytes.len() - 1);
    client.write(format!("{bytes},\"jsonrpc\":\"2.0\",\"id\":777}}\n").as_bytes());
    let answer = client.next();
    assert_eq!((answer["error"]["code"].as_i64(), &answer["id"]), (Some(-32600), &json!(777)), "{answer}");
    assert!(text(&answer["error"]["message"]).contains("1048576 bytes"), "{answer}");
    let grown = client.kilobytes("VmHWM") - before;
    assert!(grown < 8 << 10, "{grown} KB for a message that is not kept");
    client.result("ping", &json!({}));
    let deep = "[".repeat(100_000);
    client.write(
        format!("{{\"jsonrpc\":\"2.0\",\"id\":778,\"method\":\"ping\",\"params\":{deep}\n").as_bytes(),
    );
    assert_eq!(client.next()["error"]["code"], -32700);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn what_was_asked_before_the_end_is_answered_and_the_end_is_no_error() {
    let house = House::punctual();
    let nothing = feed(house.command(&["mcp"]), b"");
    assert_eq!((nothing.status.code(), nothing.stdout.len()), (Some(0), 0), "{nothing:?}");
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": VERSION, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let save = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "mem_save", "arguments": { "text": "The end was near." } } });
    // What comes too early is passed over; the last line has no end of its own.
    let all = feed(
        house.command(&["mcp"]),
        format!("{initialized}\n{initialize}\n{initialized}\n{save}").as_bytes(),
    );
    assert_eq!(all.status.code(), Some(0), "{all:?}");
    let answers: Vec<Value> = String::from_utf8(all.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((answers.len(), &answers[1]["id"]), (2, &json!(2)));
    assert_eq!(answers[1]["result"]["isError"], false, "{}", answers[1]);
    assert!(house.ok(&["search", "the end was near"]).contains("The end was near"));
}
