//! A stream over real sockets, from a real journal: who is slow, who is silent, and who stays long.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use model::{Context, Entry, EventId, SessionId};

use crate::world::World;

fn entry(number: u64, event: &str) -> Entry {
    Entry {
        id: EventId::from_bytes(u128::from(number).to_be_bytes()),
        at: number,
        agent: "claude-code".to_owned(),
        session: SessionId::new("s"),
        event: event.to_owned(),
        tool: None,
        context: Context::new(),
        envelope: b"{}".to_vec(),
    }
}

/// Somebody who listens; the greeting is heard.
fn listen(world: &World) -> BufReader<TcpStream> {
    let mut stream = world.connect();
    let head = "GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\n\r\n";
    stream.write_all(world.filled(head).as_bytes()).unwrap();
    let mut stream = BufReader::new(stream);
    line_with(&mut stream, "event: hello");
    stream
}

/// The next line that contains this.
fn line_with(stream: &mut BufReader<TcpStream>, wanted: &str) -> String {
    loop {
        let mut line = String::new();
        assert_ne!(stream.read_line(&mut line).unwrap(), 0, "no {wanted} before the end");
        if line.contains(wanted) {
            return line;
        }
    }
}

#[test]
fn who_is_too_slow_is_told_to_read_anew_and_costs_the_others_nothing() {
    let world = World::new();
    let (mut slow, mut quick) = (listen(&world), listen(&world));
    // More than sockets hold: each title is one that this house says in full.
    let long = "x".repeat(16 << 10);
    for number in 1..=3000 {
        world.journal.append(&entry(number, &long)).unwrap();
        line_with(&mut quick, &format!("\"seq\":{number},"));
    }
    line_with(&mut slow, "event: reset");
    world.journal.append(&entry(3001, "afterwards")).unwrap();
    assert!(
        line_with(&mut slow, "\"seq\":").contains("\"seq\":3001,"),
        "nothing older than what is read anew"
    );
}

#[test]
fn a_stream_on_which_nothing_happens_outlives_the_patience_for_headers_and_says_where_it_is() {
    let world = World::new();
    let mut stream = listen(&world);
    world.journal.append(&entry(1, "something")).unwrap();
    line_with(&mut stream, "\"seq\":1,");
    line_with(&mut stream, ": alive");
    assert_eq!(line_with(&mut stream, "id: ").trim(), "id: 1-0");
    world.journal.append(&entry(2, "something else")).unwrap();
    line_with(&mut stream, "\"seq\":2,");
}

#[test]
fn a_head_of_a_stream_is_answered_and_no_stream() {
    let world = World::new();
    let answer = world.send(
        "HEAD /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nConnection: close\r\n\r\n",
    );
    assert_eq!((answer.status(), answer.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}
