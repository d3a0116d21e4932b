//! What one client may cost the others: nothing that they notice.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::world::World;

const HEALTH: &str = "GET /health HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n";

fn is_closed(stream: &mut TcpStream, within: Duration) -> bool {
    stream.set_read_timeout(Some(within)).unwrap();
    let mut bytes = Vec::new();
    // Reset counts: it may never have got past the backlog.
    let open = [ErrorKind::WouldBlock, ErrorKind::TimedOut];
    stream.read_to_end(&mut bytes).map_or_else(|error| !open.contains(&error.kind()), |_| true)
}

#[test]
fn who_dawdles_over_headers_or_a_body_is_left_and_others_are_served_meanwhile() {
    let world = World::new();
    let began = Instant::now();
    let mut silent = world.connect();
    let mut slow = world.connect();
    slow.write_all(world.filled("GET /health HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX-").as_bytes()).unwrap();
    let mut body = world.connect();
    let head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nContent-Length: 100\r\n\r\n{";
    body.write_all(world.filled(head).as_bytes()).unwrap();
    assert_eq!(world.send(HEALTH).status(), 200);
    // Those who dawdle are left after ten seconds; whoever had to wait for them would be served after that.
    assert!(began.elapsed() < Duration::from_secs(10), "nobody waits for those who dawdle");
    let mut said = String::new();
    body.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 408") && said.contains("send it at once"), "{said}");
    assert!(is_closed(&mut silent, Duration::from_mins(1)) && is_closed(&mut slow, Duration::from_mins(1)));
}

#[test]
fn a_body_in_pieces_is_bounded_like_any_other() {
    let world = World::new();
    let mut stream = world.connect();
    let head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(world.filled(head).as_bytes()).unwrap();
    let piece = format!("10000\r\n{}\r\n", "x".repeat(0x1_0000));
    for _ in 0..17 {
        // It may have heard enough before the last.
        let _ = stream.write_all(piece.as_bytes());
    }
    let mut said = vec![0; 12];
    stream.read_exact(&mut said).unwrap();
    assert_eq!(said, b"HTTP/1.1 413");
}

#[test]
fn more_connections_than_there_are_places_wait_and_are_served_later() {
    let world = World::new();
    let many: Vec<TcpStream> = (0..128).map(|_| world.connect()).collect();
    let mut late = world.connect();
    late.write_all(world.filled(HEALTH).as_bytes()).unwrap();
    late.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(late.read(&mut [0; 1]).is_err(), "there is no place yet");
    drop(many);
    late.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    let mut said = String::new();
    late.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
}

#[test]
fn one_connection_carries_many_requests_and_each_is_looked_at() {
    let world = World::new();
    let mut stream = world.connect();
    let mut ask = |head: &str| {
        stream.write_all(world.filled(head).as_bytes()).unwrap();
        let mut said = [0; 4096];
        let length = stream.read(&mut said).unwrap();
        String::from_utf8_lossy(&said[..length]).into_owned()
    };
    let good = "GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer TOKEN\r\n\r\n";
    assert!(ask(good).starts_with("HTTP/1.1 200"));
    assert!(ask("GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n").starts_with("HTTP/1.1 401"));
    assert!(ask("GET /health HTTP/1.1\r\nHost: attacker.example:PORT\r\n\r\n").starts_with("HTTP/1.1 421"));
    assert!(ask(good).starts_with("HTTP/1.1 200"));
}

#[test]
fn a_closed_door_lets_go_of_everybody_at_once() {
    let mut world = World::new();
    let mut idle = world.connect();
    let began = Instant::now();
    world.close();
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    assert!(is_closed(&mut idle, Duration::from_mins(1)));
    assert!(TcpStream::connect(("127.0.0.1", world.port)).is_err());
}
