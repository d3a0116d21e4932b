//! Daemons that die, race, are replaced or lose the ground under their feet while events flow. What was
//! acknowledged is there once; what was not is there once, too, as soon as somebody has taken in the spool.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use client::hook::{Budget, Fallback, undelivered};
use client::{Place, Request};
use model::{Context, Envelope, EventId};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde_json::{Value, json};
use wire::{Kind, RequestHeader, Status};

use crate::house::{House, THROUGHLINE, eventually, spawn};

/// What the clients of a load were told of each event they sent.
#[derive(Default)]
struct Ledger {
    acknowledged: Mutex<Vec<EventId>>,
    spooled: Mutex<Vec<EventId>>,
    sent: AtomicU64,
}

/// Sends one numbered event as a hook would, and writes down what came of it.
fn send(place: &Place, fallback: &Fallback, ledger: &Ledger) {
    let number = ledger.sent.fetch_add(1, Ordering::SeqCst);
    let body = json!({
        "session_id": format!("load-{}", number % 7),
        "cwd": "/",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": format!("echo {number}") },
        "tool_response": { "stdout": "x".repeat((number % 50 * 100) as usize) },
    });
    let body = body.to_string().into_bytes();
    let id = client::mint();
    let request =
        Request { kind: Kind::Envelope, id, agent: "claude-code", event: "", context: b"", body: &body };
    if client::call(place, &request, Instant::now() + Duration::from_secs(2)).is_ok() {
        ledger.acknowledged.lock().unwrap().push(id);
        return;
    }
    let envelope = Envelope {
        id,
        at: id.minted_at(),
        agent: "claude-code".to_owned(),
        hint: None,
        context: Context::new(),
        body,
    };
    // A hook leaves after half a second; here nobody waits for it, and a busy disk must not decide the test.
    let now = Instant::now();
    let budget = Budget { delivery: now, end: now + Duration::from_mins(1) };
    undelivered(place.clone(), envelope, budget, fallback.clone(), false);
    ledger.spooled.lock().unwrap().push(id);
    // Or a short-lived daemon would do nothing but take in the spool.
    thread::sleep(Duration::from_millis(25));
}

/// Eight clients send while `meanwhile` runs.
fn under_load(house: &House, fallback: &Fallback, meanwhile: impl FnOnce(&Ledger)) -> Ledger {
    let (ledger, over) = (Ledger::default(), AtomicBool::new(false));
    let place = house.place();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    send(&place, fallback, &ledger);
                    thread::sleep(Duration::from_millis(2));
                }
            });
        }
        let over = Finally(&over);
        meanwhile(&ledger);
        drop(over);
    });
    ledger
}

/// Ends the load also when the test fails, which would otherwise wait for it for ever.
struct Finally<'a>(&'a AtomicBool);

impl Drop for Finally<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Every event once, whatever its client was told.
#[track_caller]
fn assert_complete(house: &House, ledger: &Ledger) {
    eventually("the spool is taken in", || {
        house.run(&["sessions"]);
        house.spooled().is_empty()
    });
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for event in house.events() {
        *seen.entry(event["id"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let (acknowledged, spooled) = (ledger.acknowledged.lock().unwrap(), ledger.spooled.lock().unwrap());
    say(&format!("{} acknowledged, {} spooled", acknowledged.len(), spooled.len()));
    for (told, ids) in [("acknowledged", &acknowledged), ("spooled", &spooled)] {
        let lost: Vec<_> = ids.iter().filter(|id| !seen.contains_key(&id.to_string())).collect();
        assert!(lost.is_empty(), "{} {told} events are lost: {lost:?}", lost.len());
    }
    assert_eq!(seen.values().filter(|count| **count > 1).count(), 0, "duplicates");
    assert_eq!(seen.len() as u64, ledger.sent.load(Ordering::SeqCst));
}

#[expect(clippy::print_stderr, reason = "what was measured is for whoever reads a failed run")]
fn say(what: &str) {
    eprintln!("{what}");
}

fn settings(place: &Place) -> redact::Settings {
    redact::Settings { key: client::key::load(place).unwrap(), ..redact::Settings::default() }
}

/// Spools, and starts nothing.
fn spooling() -> Fallback {
    Fallback {
        settings,
        judge: |_, _| model::Reply::silent(),
        confess: |_, _| model::Reply::silent(),
        executable: None,
    }
}

/// Spools and starts daemons, in the house's environment instead of the test's.
fn restarting(house: &House) -> Fallback {
    let script = house.home().join("start.sh");
    let home = house.home().display();
    fs::write(
        &script,
        format!("#!/bin/sh\nexec env -i HOME='{home}' PATH=/usr/bin:/bin '{THROUGHLINE}' \"$@\"\n"),
    )
    .unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    Fallback {
        settings,
        judge: |_, _| model::Reply::silent(),
        confess: |_, _| model::Reply::silent(),
        executable: Some(script),
    }
}

/// A handle on whoever listens at the socket: it cannot mean another process later.
fn listener(place: &Place) -> Option<OwnedFd> {
    let stream = UnixStream::connect(place.socket()).ok()?;
    pidfd_open(socket_peercred(&stream).ok()?.pid, PidfdFlags::empty()).ok()
}

/// Xorshift: small, and the same again from the printed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn no_kill_at_any_moment_loses_or_doubles_an_event() {
    let rounds = variable("THROUGHLINE_KILL_ROUNDS").unwrap_or(20);
    let seed = variable("THROUGHLINE_KILL_SEED")
        .unwrap_or_else(|| u64::from_le_bytes(client::mint().as_bytes()[8..].try_into().unwrap()) | 1);
    say(&format!("THROUGHLINE_KILL_SEED={seed} THROUGHLINE_KILL_ROUNDS={rounds}"));
    let mut random = Random(seed);
    let house = House::new();
    let place = house.place();
    let ledger = under_load(&house, &restarting(&house), |_| {
        for _ in 0..rounds {
            let mut daemon = None;
            eventually("hooks have started a daemon", || {
                daemon = listener(&place);
                daemon.is_some()
            });
            let daemon = daemon.unwrap();
            thread::sleep(Duration::from_millis(1 + random.below(150)));
            pidfd_send_signal(&daemon, Signal::KILL).unwrap();
            poll(&mut [PollFd::new(&daemon, PollFlags::IN)], None).unwrap();
            // Hooks start one a second at most. Let a second have passed.
            let _ = fs::remove_file(place.starting());
        }
    });
    assert_complete(&house, &ledger);
    let doctor = house.run(&["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    for finding in report["findings"].as_array().unwrap() {
        assert_ne!(finding["state"], "fail", "{finding}");
    }
    house.assert_private();
}

fn daemon(house: &House, program: &Path) -> Child {
    spawn(house.program(program, &["daemon", "run"]).stdin(Stdio::null()))
}

#[test]
fn of_forty_daemons_that_race_one_serves_and_the_others_leave_in_peace() {
    let house = House::new();
    let mut daemons: Vec<Child> = (0..40).map(|_| daemon(&house, THROUGHLINE.as_ref())).collect();
    let ledger = under_load(&house, &spooling(), |_| {
        let until = Instant::now() + Duration::from_secs(40);
        while daemons.len() > 1 {
            assert!(Instant::now() < until, "{} daemons run", daemons.len());
            daemons.retain_mut(|child| match child.try_wait().unwrap() {
                Some(status) => {
                    assert_eq!(status.code(), Some(0), "{child:?}");
                    false
                }
                None => true,
            });
            thread::sleep(Duration::from_millis(20));
        }
    });
    let mut last = daemons.pop().expect("one serves");
    assert_eq!(house.pid(), last.id());
    assert_complete(&house, &ledger);
    house.ok(&["daemon", "stop"]);
    assert_eq!(last.wait().unwrap().code(), Some(0));
}

#[test]
fn a_daemon_that_waits_takes_over_from_one_that_dies() {
    let house = House::new();
    house.start();
    let first = house.pid();
    let mut second = daemon(&house, THROUGHLINE.as_ref());
    let ledger = under_load(&house, &spooling(), |_| {
        thread::sleep(Duration::from_millis(100));
        pidfd_send_signal(listener(&house.place()).unwrap(), Signal::KILL).unwrap();
        eventually("the second serves", || house.status()["pid"] == second.id());
    });
    assert_ne!(first, second.id());
    assert_complete(&house, &ledger);
    house.ok(&["daemon", "stop"]);
    assert_eq!(second.wait().unwrap().code(), Some(0));
}

#[test]
fn stops_and_restarts_under_load_lose_nothing() {
    let house = House::new();
    house.start();
    let ledger = under_load(&house, &restarting(&house), |_| {
        for _ in 0..3 {
            house.ok(&["daemon", "stop"]);
            thread::sleep(Duration::from_millis(30));
            house.ok(&["daemon", "restart"]);
            thread::sleep(Duration::from_millis(30));
        }
    });
    assert_complete(&house, &ledger);
}

#[test]
fn a_run_folder_deleted_under_a_living_daemon_makes_no_second_writer() {
    let house = House::new();
    house.start();
    let first = house.holder().unwrap();
    let ledger = under_load(&house, &restarting(&house), |ledger| {
        thread::sleep(Duration::from_millis(50));
        // A hook may put something into it while it goes.
        let run = house.place().run();
        eventually("the folder is gone", || fs::remove_dir_all(&run).is_ok() || !run.exists());
        let before = ledger.acknowledged.lock().unwrap().len();
        eventually("hooks are acknowledged again", || {
            ledger.acknowledged.lock().unwrap().len() > before + 20
        });
    });
    let second = house.holder().unwrap();
    assert_ne!(first, second, "the one that cannot be reached has left");
    assert_eq!(house.pid(), second);
    assert_complete(&house, &ledger);
    house.assert_private();
}

/// A copy of the binary that can be replaced under a running daemon.
fn copied(house: &House, name: &str) -> PathBuf {
    let copy = house.home().join(name);
    fs::copy(THROUGHLINE, &copy).unwrap();
    copy
}

/// One frame written by hand, and the status that came back.
fn frame(house: &House, change: impl Fn(&mut RequestHeader), protocol: u8) -> u8 {
    let body = house.tool("by-hand", "Bash", "x").to_string().into_bytes();
    let mut header = RequestHeader {
        kind: Kind::Envelope,
        agent_len: 0,
        event_len: 0,
        context_len: 0,
        body_len: body.len() as u32,
        wait_ms: 1000,
        client_version: client::VERSION,
        id: *client::mint().as_bytes(),
    };
    change(&mut header);
    let mut bytes = header.encode().to_vec();
    bytes[3] = protocol;
    bytes.extend_from_slice(&body);
    let mut stream = UnixStream::connect(house.place().socket()).unwrap();
    stream.write_all(&bytes).unwrap();
    let mut reply = [0; wire::REPLY_HEADER];
    stream.read_exact(&mut reply).unwrap();
    reply[4]
}

#[test]
fn a_newer_client_makes_a_replaced_daemon_become_the_new_file() {
    let newer = |header: &mut RequestHeader| header.client_version += 1;
    for (protocol, answer) in [(wire::PROTOCOL, Status::Kept), (wire::PROTOCOL + 1, Status::OtherVersion)] {
        let house = House::new();
        let executable = copied(&house, "installed");
        let mut child = daemon(&house, &executable);
        eventually("it serves", || house.status()["pid"] == child.id());
        let started = house.status()["started_at"].clone();
        // Nobody has replaced it: a newer client is served by the older daemon.
        assert_eq!(frame(&house, newer, protocol), answer as u8);
        thread::sleep(Duration::from_millis(50));
        assert_eq!(house.status()["started_at"], started);

        fs::rename(copied(&house, "downloaded"), &executable).unwrap();
        let ledger = under_load(&house, &spooling(), |_| {
            thread::sleep(Duration::from_millis(30));
            assert_eq!(frame(&house, newer, protocol), answer as u8);
            eventually("the new file serves", || {
                let status = house.status();
                status["running"] == true && status["started_at"] != started
            });
        });
        assert_eq!(house.pid(), child.id(), "the same process, another program");
        if let Ok(program) = fs::read_link(format!("/proc/{}/exe", child.id())) {
            assert_eq!(program, executable);
        }
        let by_hand = if answer == Status::Kept { 2 } else { 0 };
        ledger.sent.fetch_add(by_hand, Ordering::SeqCst);
        assert_complete(&house, &ledger);
        house.ok(&["daemon", "stop"]);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

/// User and system time of a process in clock ticks.
fn ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
fn an_idle_daemon_uses_no_time_at_all() {
    let house = House::new();
    house.send(&house.tool("s", "Bash", "x"));
    house.ok(&["sessions"]);
    let pid = house.pid();
    thread::sleep(Duration::from_millis(200));
    let before = ticks(pid);
    thread::sleep(Duration::from_secs(2));
    let used = ticks(pid) - before;
    say(&format!("{used} ticks in 2 s"));
    assert!(used <= 1, "{used} ticks");
}
