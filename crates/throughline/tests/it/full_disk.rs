//! A disk that is full, comes and goes: every event that was sent is in the journal or counted as not kept, nobody waits
//! for room, and a person is told, once.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::house::{House, eventually, feed, signal};

/// What hung for half a minute must not come near that, on however busy a machine.
const AT_ONCE: Duration = Duration::from_secs(20);

fn ballast(house: &House) -> PathBuf {
    house.throughline_home().join("ballast")
}

/// Takes all room that is left, to the last block.
fn fill(house: &House) {
    let mut file = File::options().create(true).append(true).open(ballast(house)).unwrap();
    for piece in [1 << 20, 64 << 10, 4096] {
        while file.write_all(&vec![1; piece]).is_ok() {}
    }
}

fn free(house: &House) {
    fs::remove_file(ballast(house)).unwrap();
}

/// One hook call, as an agent makes it: exit 0, and what it says.
#[track_caller]
fn hear(hook: Command, envelope: &Value) -> String {
    let output = feed(hook, envelope.to_string().as_bytes());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn sessions(house: &House) -> HashSet<String> {
    house.heard().into_iter().map(|(session, _)| session).collect()
}

/// What a person reads of a hook's answer, without the box around it.
fn told(answer: &str) -> String {
    let said: Value = serde_json::from_str(answer).unwrap_or_default();
    let text = said["systemMessage"].as_str().unwrap_or_default().replace(['│', '\n'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn on_a_full_disk_every_event_is_kept_or_counted_and_a_person_is_told_once() {
    let Some(house) = House::on_a_disk_of("24m") else { return };
    house.start();
    let page = "y".repeat(30 << 10);
    let mut sent = 0;
    for at in 0..130 {
        for hook in house.hooks() {
            sent += 1;
            let said = hear(hook, &house.tool(&format!("s{sent}"), "Bash", &page));
            assert_eq!(said, "", "event {at}");
        }
        if at == 20 {
            fill(&house);
        }
    }
    let status = house.status();
    let lost = status["lost"]["events"].as_u64().unwrap();
    assert!(lost > 0, "the disk was never full: {status}");
    let spooled = house.spooled().len() as u64;
    assert_eq!(status["envelopes"]["kept"].as_u64().unwrap() + lost + spooled, sent, "{status}");
    assert_eq!(
        status["acknowledged"]["count"], status["envelopes"]["kept"],
        "what is not durable is not acknowledged"
    );
    assert!(house.ok(&["daemon", "status"]).contains(&format!("{lost} events could not be kept")));

    let doctor = house.run(&["doctor", "--json"]);
    assert_eq!(doctor.status.code(), Some(1), "{doctor:?}");
    let doctor: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let disk = doctor["findings"].as_array().unwrap().iter().find(|one| one["check"] == "disk").unwrap();
    assert_eq!(disk["state"], "fail", "{disk}");
    assert!(disk["what"].as_str().unwrap().contains("is full"), "{disk}");
    assert!(disk["repair"].as_str().unwrap().contains("df -h"), "{disk}");

    // Also the count outlives the daemon, on a disk that has no room for anything.
    signal(house.pid(), Signal::KILL);
    eventually("it is gone", || house.holder().is_none());
    let absent: Value = serde_json::from_str(&house.ok(&["daemon", "status", "--json"])).unwrap();
    assert_eq!(absent["lost"]["events"], lost, "{absent}");

    // A session that begins while the disk is full says so, whoever answers it, and once.
    let mut start = house.envelope("tells", "SessionStart");
    start["source"] = "resume".into();
    let said = told(&hear(house.hooks().pop().unwrap(), &start));
    let itself = u64::from(!said.contains(&format!("{lost} events of agents were not kept")));
    assert!(said.contains(&format!("{} events of agents were not kept", lost + itself)), "{said}");
    let again = told(&hear(house.hooks().pop().unwrap(), &start));
    assert!(!again.contains(&format!("{lost} events")), "{again}");

    free(&house);
    house.send(&house.tool("after", "Bash", "x"));
    eventually("everything goes on", || sessions(&house).contains("after"));
    eventually("and is derived", || house.run(&["search", "x"]).status.success());
}

#[test]
fn remember_answers_at_once_with_the_truth() {
    let Some(house) = House::on_a_disk_of("8m") else { return };
    house.ok(&["remember", "There was room for this one."]);
    // No room at all: it is not kept, and is not found later.
    fill(&house);
    let began = Instant::now();
    let mut kept = Vec::new();
    for at in 0..12 {
        let text = format!("Note number {at} of the full disk. {}", "z".repeat(3000));
        let output = house.run(&["remember", &text]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => kept.push(at),
            code => assert!(
                code == Some(1) && said.contains("is full") && said.contains("throughline doctor"),
                "{output:?}"
            ),
        }
    }
    assert!(began.elapsed() < AT_ONCE * 6, "{:?}", began.elapsed());
    assert!(kept.len() < 12, "the disk was never full");
    free(&house);
    let after = house.ok(&["remember", "There is room again."]);
    assert!(!after.trim().is_empty());
    let listed = house.ok(&["export", "--memories"]);
    for at in 0..12 {
        let found = listed.contains(&format!("Note number {at} of the full disk."));
        assert_eq!(found, kept.contains(&at), "note {at}: said to be kept: {kept:?}");
    }
}

#[test]
fn a_note_that_the_tables_have_no_room_for_is_kept_and_said_to_be() {
    let Some(house) = House::on_a_disk_of("16m") else { return };
    house.ok(&["remember", "There was room for this one."]);
    // The tables cannot be written, the journal can: another limit than the disk's, with the same outcome.
    let database = house.place().database();
    house.ok(&["daemon", "stop"]);
    fs::rename(&database, house.data().join("aside.db")).unwrap();
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(house.data().join(format!("derived.db{end}")));
    }
    fs::create_dir(&database).unwrap();
    let began = Instant::now();
    let output = house.run(&["remember", "The tables were not there.", "--json"]);
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["waits"], true, "{said}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("it is kept"), "{output:?}");
    fs::remove_dir(&database).unwrap();
    eventually("it is found", || house.run(&["show", said["id"].as_str().unwrap()]).status.success());
}

/// `ulimit -f`, inodes and a disk that may only be read: other ways of not being able to write.
#[test]
fn whatever_else_keeps_a_disk_from_being_written_is_no_end_and_is_counted() {
    // Files may not grow: without care the system would end whoever writes.
    let house = House::new();
    house.send(&house.tool("before", "Bash", "x"));
    eventually("a daemon runs", || house.status()["running"] == true);
    house.ok(&["daemon", "stop"]);
    for hook in house.hooks() {
        let program = hook.get_program().to_owned();
        let args: Vec<_> = hook.get_args().map(ToOwned::to_owned).collect();
        let mut limited = house.program("/bin/bash".as_ref(), &["-c", "ulimit -f 20; exec \"$0\" \"$@\""]);
        limited.arg(program).args(args);
        hear(limited, &house.tool("limited", "Bash", &"y".repeat(100 << 10)));
    }
    eventually("they are counted or kept", || {
        let lost = house.status()["lost"]["events"].as_u64().unwrap_or_default() as usize;
        let kept = house.heard().iter().filter(|(session, _)| session == "limited").count();
        lost + kept == house.hooks().len()
    });
    house.run(&["daemon", "stop"]);

    let Some(house) = House::on_a_disk_of("16m") else { return };
    house.start();
    house.send(&house.tool("before", "Bash", "x"));
    let mut sent = 1;
    // No inode is left: what exists can grow, and nothing new can be made.
    let room = rustix::fs::statvfs(house.throughline_home()).unwrap();
    house.remount(&format!("nr_inodes={}", room.f_files - room.f_ffree));
    for hook in house.hooks() {
        sent += 1;
        hear(hook, &house.tool("inodes", "Bash", "x"));
    }
    signal(house.pid(), Signal::KILL);
    eventually("it is gone", || house.holder().is_none());
    let _ = fs::remove_file(house.place().socket());
    for hook in house.hooks() {
        sent += 1;
        hear(hook, &house.tool("inodes", "Bash", "x"));
    }
    house.remount("nr_inodes=100k");
    house.start();
    let kept = house.heard().len() as u64;
    let lost = house.status()["lost"]["events"].as_u64().unwrap();
    assert_eq!(kept + lost, sent, "{}", house.status());
}

/// A generator that is the same on every machine.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

#[test]
fn over_full_and_free_phases_and_killed_daemons_what_was_sent_is_kept_or_counted() {
    for seed in [17, 4711] {
        let Some(house) = House::on_a_disk_of("24m") else { return };
        house.start();
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
        let mut sent = 0;
        let mut full = false;
        for _ in 0..40 {
            match dice.throw(10) {
                0..=2 if !full => {
                    fill(&house);
                    full = true;
                }
                0..=2 => {
                    free(&house);
                    full = false;
                }
                3 => {
                    if let Some(pid) = house.holder() {
                        signal(pid, Signal::KILL);
                        eventually("it is gone", || house.holder() != Some(pid));
                    }
                }
                4 => drop(house.run(&["daemon", "stop"])),
                _ => {}
            }
            let size = 1 << dice.throw(16);
            for hook in house.hooks() {
                sent += 1;
                hear(hook, &house.tool(&format!("n{sent}"), "Bash", &"y".repeat(size)));
            }
        }
        if full {
            free(&house);
        }
        house.start();
        let mut account = (0, 0);
        let whole = || {
            let lost = house.status()["lost"]["events"].as_u64().unwrap_or_default();
            (sessions(&house).len() as u64, lost)
        };
        eventually("what was spooled is taken in", || {
            account = whole();
            house.spooled().is_empty()
        });
        account = whole();
        assert_eq!(account.0 + account.1, sent, "seed {seed}: {account:?} of {sent}; {}", house.status());
        assert!(account.1 > 0, "seed {seed}: the disk was never full");
    }
}

#[test]
fn where_nothing_can_be_written_the_daemon_counts() {
    let Some(house) = House::on_a_disk_of("16m") else { return };
    house.start();
    house.send(&house.tool("before", "Bash", "x"));
    let pid = house.pid();
    // The file that counts cannot be opened any more: a folder lies in its place, as on a damaged disk.
    fs::remove_file(house.place().losses()).unwrap();
    fs::create_dir(house.place().losses()).unwrap();
    fill(&house);
    let mut sent = 0;
    let page = "y".repeat(3 << 20);
    while house.status()["lost"]["events"] == 0 {
        sent += 1;
        assert!(sent < 20, "{}", house.status());
        hear(house.command(&["hook"]), &house.tool("s", "Bash", &page));
    }
    assert_eq!(house.pid(), pid);
    fs::remove_dir(house.place().losses()).unwrap();
    free(&house);
    house.send(&house.tool("after", "Bash", "x"));
    let lost = house.status()["lost"]["events"].as_u64().unwrap();
    house.ok(&["daemon", "restart"]);
    assert_eq!(house.status()["lost"]["events"], lost, "it is on the disk as soon as that takes it");
}
