//! Questions of our own, and the troubles by their names.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::{Duration, Instant};

use client::{Trouble, ask};
use wire::{Kind, REQUEST_HEADER, ReplyHeader, RequestHeader, Status};

use crate::house::House;

/// Answers one question with these bytes and tells what it was asked.
fn answer_once(house: &House, reply: Vec<u8>) -> thread::JoinHandle<(RequestHeader, Vec<u8>)> {
    house.place.ensure().unwrap();
    let listener = UnixListener::bind(house.place.socket()).unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut header = [0; REQUEST_HEADER];
        stream.read_exact(&mut header).unwrap();
        let header = RequestHeader::decode(&header).unwrap();
        let mut rest = vec![0; header.rest_len()];
        stream.read_exact(&mut rest).unwrap();
        stream.write_all(&reply).unwrap();
        (header, rest)
    })
}

fn reply(status: Status, stdout: &[u8]) -> Vec<u8> {
    let header = ReplyHeader { status, exit: 0, stdout_len: stdout.len() as u32, stderr_len: 0 };
    [&header.encode(), stdout].concat()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

#[test]
fn a_question_gets_its_answer() {
    let house = House::new();
    let daemon = answer_once(&house, reply(Status::Kept, b"{\"pid\":1}"));
    assert_eq!(ask(&house.place, b"{\"ask\":\"status\"}", soon()).unwrap(), b"{\"pid\":1}");
    let (header, body) = daemon.join().unwrap();
    assert_eq!((header.kind, body.as_slice()), (Kind::Control, &b"{\"ask\":\"status\"}"[..]));
}

#[test]
fn every_trouble_has_its_name() {
    let house = House::new();
    assert!(matches!(ask(&house.place, b"{}", soon()), Err(Trouble::Absent)));
    let check = |bytes: Vec<u8>, expected: fn(&Trouble) -> bool| {
        let house = House::new();
        let daemon = answer_once(&house, bytes);
        let trouble = ask(&house.place, b"{}", soon()).unwrap_err();
        assert!(expected(&trouble), "{trouble:?}");
        daemon.join().unwrap();
    };
    check(reply(Status::NotKept, b""), |trouble| matches!(trouble, Trouble::NotKept));
    check(reply(Status::Malformed, b""), |trouble| matches!(trouble, Trouble::Malformed));
    check(b"GET / HTTP/1.1\r\n".to_vec(), |trouble| matches!(trouble, Trouble::Malformed));
    check(b"TL".to_vec(), |trouble| matches!(trouble, Trouble::Broken(_)));
    let mut other = reply(Status::Kept, b"");
    other[3] = 7;
    check(other, |trouble| matches!(trouble, Trouble::OtherVersion(7)));
}

#[test]
fn a_daemon_that_does_not_answer_is_late_and_not_later() {
    let house = House::new();
    house.place.ensure().unwrap();
    let listener = UnixListener::bind(house.place.socket()).unwrap();
    let started = Instant::now();
    let trouble = ask(&house.place, b"{}", started + Duration::from_millis(50)).unwrap_err();
    assert!(matches!(trouble, Trouble::Late), "{trouble:?}");
    // Nobody ever answers: that it returned at all is the deadline, on however busy a machine.
    assert!(started.elapsed() >= Duration::from_millis(50), "{:?}", started.elapsed());
    drop(listener);
}

#[test]
fn a_deadline_that_has_passed_asks_nobody() {
    let house = House::new();
    assert!(matches!(ask(&house.place, b"{}", Instant::now()), Err(Trouble::Late)));
}
