//! Files that rot, vanish or lie about the time. What is derived is derived anew; what was journaled and is
//! still readable is listed; the daemon serves all the while.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use model::EventId;
use serde_json::Value;

use crate::house::{House, eventually, files};

/// Three sessions, some prompts, enough pages that a database has a middle.
fn lived_in() -> House {
    let house = House::new();
    house.start();
    for at in 0..60 {
        let session = format!("session-{}", at % 3);
        if at < 3 {
            house.send(&house.envelope(&session, "SessionStart"));
        }
        if at % 10 == 0 {
            house.send(&house.prompt(&session, &format!("question {at} {}", "text ".repeat(400))));
        }
        house.send(&house.tool(&session, "Bash", &format!("output {at}")));
    }
    house
}

/// Everything a script can ask for.
fn told(house: &House) -> Vec<String> {
    let mut told = vec![
        house.ok(&["events", "--json"]),
        house.ok(&["sessions", "--json"]),
        house.ok(&["export"]),
        house.ok(&["stats", "--json"]),
    ];
    for session in 0..3 {
        told.push(house.ok(&["show", &format!("session-{session}"), "--json"]));
    }
    told
}

fn doctor(house: &House) -> Value {
    let output = house.run(&["doctor", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn finding(report: &Value, check: &str) -> Value {
    report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["check"] == check)
        .cloned()
        .unwrap_or_default()
}

fn segment(house: &House) -> PathBuf {
    let mut segments = files(&house.place().journal());
    segments.retain(|path| path.extension().is_some_and(|end| end == "seg"));
    segments.sort();
    segments.remove(0)
}

#[test]
fn a_damaged_or_missing_database_is_derived_anew() {
    let house = lived_in();
    let before = told(&house);
    let database = house.place().database();
    type Harm = fn(&PathBuf);
    let harms: [(&str, Harm); 5] = [
        ("all but its first pages is garbage", |path| {
            let file = OpenOptions::new().write(true).open(path).unwrap();
            let garbage = vec![0xa5; file.metadata().unwrap().len() as usize - 8192];
            file.write_all_at(&garbage, 8192).unwrap();
        }),
        ("it is cut in half", |path| {
            let file = OpenOptions::new().write(true).open(path).unwrap();
            file.set_len(file.metadata().unwrap().len() / 2).unwrap();
        }),
        ("it is empty", |path| fs::write(path, "").unwrap()),
        ("it is something else", |path| fs::write(path, "hello there\n".repeat(999)).unwrap()),
        ("it is gone", |path| fs::remove_file(path).unwrap()),
    ];
    for (what, harm) in harms {
        house.ok(&["daemon", "stop"]);
        for log in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{log}", database.display()));
        }
        harm(&database);
        house.send(&house.tool("later", "Bash", what));
        // The daemon meets the damage when it derives, and derives everything anew.
        eventually(what, || house.run(&["events", "--json"]).stdout.starts_with(before[0].as_bytes()));
        let now = told(&house);
        assert!(now[0].starts_with(&before[0]), "{what}: the same events first");
        assert!(now[1].contains("session-0") && now[1].contains("later"), "{what}");
        assert_eq!(now[4..], before[4..], "{what}");
        let report = doctor(&house);
        assert_eq!(finding(&report, "database")["state"], "ok", "{what}: {report}");
    }
    house.assert_private();
}

#[test]
fn damage_that_only_a_reader_meets_is_repaired_by_the_command_it_names() {
    let house = lived_in();
    let before = told(&house);
    house.ok(&["daemon", "stop"]);
    let file = OpenOptions::new().write(true).open(house.place().database()).unwrap();
    let length = file.metadata().unwrap().len();
    // The middle third: rows of old events, which nothing new touches.
    file.write_all_at(&vec![0xa5; length as usize / 3], length / 3 / 4096 * 4096).unwrap();
    let met = house.run(&["events", "--json"]);
    let found = finding(&doctor(&house), "database");
    if met.status.success() {
        assert_eq!(found["state"], "ok", "{found}");
    } else {
        assert!(String::from_utf8(met.stderr).unwrap().contains("throughline rebuild"));
        assert_eq!(
            (found["state"].as_str(), found["repair"].as_str()),
            (Some("fail"), Some("throughline rebuild"))
        );
    }
    house.ok(&["rebuild"]);
    assert_eq!(told(&house), before);
    assert_eq!(finding(&doctor(&house), "database")["state"], "ok");
}

#[test]
fn a_rebuild_gives_the_same_answers() {
    let house = lived_in();
    let before = told(&house);
    let said = house.ok(&["rebuild"]);
    assert!(said.ends_with("rebuilt: 69 events, 3 sessions, 6 prompts\n"), "{said}");
    assert_eq!(told(&house), before);
    house.assert_private();
}

#[test]
fn a_damaged_segment_costs_what_was_in_it_and_is_told() {
    let house = lived_in();
    let before = house.events();
    house.ok(&["daemon", "stop"]);
    let path = segment(&house);
    let mut file = OpenOptions::new().write(true).open(&path).unwrap();
    // Of its data: zeros behind it are room that was written ahead.
    let last = fs::read(&path).unwrap().iter().rposition(|byte| *byte != 0).unwrap();
    let middle = last as u64 / 2;
    file.seek(SeekFrom::Start(middle)).unwrap();
    file.write_all(&[0xff; 16]).unwrap();
    drop(file);
    house.send(&house.tool("later", "Bash", "x"));
    eventually("it serves", || house.status()["running"] == true);

    // The rows were derived before the damage; only the envelope cannot be shown any more.
    let now = house.events();
    assert_eq!(now.len(), before.len() + 1);
    let gone = now.iter().filter(|event| event["envelope"].is_null()).count();
    assert!((1..=2).contains(&gone), "{gone} envelopes are gone");
    for (then, now) in before.iter().zip(&now).filter(|(_, now)| !now["envelope"].is_null()) {
        assert_eq!(then, now);
    }
    let report = doctor(&house);
    let found = finding(&report, "journal");
    assert_eq!(
        (found["state"].as_str(), found["repair"].as_str()),
        (Some("warn"), Some("throughline rebuild")),
        "{found}"
    );

    house.ok(&["rebuild"]);
    let rebuilt = house.events();
    assert_eq!(rebuilt.len(), now.len() - gone, "what can be read is derived");
    assert!(rebuilt.iter().all(|event| !event["envelope"].is_null()));
    house.send(&house.tool("later still", "Bash", "x"));
    assert_eq!(house.events().len(), rebuilt.len() + 1);
    house.assert_private();
}

#[test]
fn a_clock_that_jumps_changes_no_order_and_expires_nothing() {
    let house = House::new();
    house.start();
    // Ids carry the client's clock: 1970, 2106, now, 1970 again.
    let now = client::mint().minted_at();
    let times = [1_u64, 4_300_000_000_000, now, 2, 0, (1 << 48) - 1];
    for (at, time) in times.iter().enumerate() {
        let id = EventId::mint(*time, [at as u8; 10]).to_string();
        let envelope = house.tool(&format!("clock-{at}"), "Bash", "x").to_string();
        let output = house.pipe(&["hook", "--undelivered", &id], envelope.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        // Into the journal one by one: a spool is sorted by the ids.
        assert_eq!(house.events().len(), at + 1);
    }
    let told = |house: &House| -> Vec<(u64, String)> {
        let events = house.events();
        events
            .iter()
            .map(|event| (event["seq"].as_u64().unwrap(), event["session"].as_str().unwrap().to_owned()))
            .collect()
    };
    let before = told(&house);
    assert!(before.is_sorted());
    let sessions: Vec<_> = before.iter().map(|(_, session)| session.clone()).collect();
    assert_eq!(sessions, (0..times.len()).map(|at| format!("clock-{at}")).collect::<Vec<_>>());
    house.ok(&["daemon", "restart"]);
    house.send(&house.tool("after", "Bash", "x"));
    assert_eq!(told(&house)[..times.len()], before);
    assert_eq!(told(&house).last().unwrap().1, "after");
    for listing in [&["events"][..], &["sessions"], &["stats"], &["show", "clock-1"]] {
        house.ok(listing);
    }
    house.ok(&["rebuild"]);
    assert_eq!(told(&house)[..times.len()], before);
}

#[test]
fn a_spool_file_that_rotted_is_set_aside_and_the_rest_is_taken_in() {
    let house = House::new();
    // A folder in the socket's place keeps any daemon from coming up.
    fs::create_dir_all(house.data().join("run/daemon.sock")).unwrap();
    for at in 0..3 {
        house.send(&house.tool(&format!("s{at}"), "Bash", "x"));
    }
    let mut spooled = house.spooled();
    spooled.sort();
    let path = house.place().spool().join(format!("{}.env", spooled[1]));
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&path, bytes).unwrap();
    fs::remove_dir(house.data().join("run/daemon.sock")).unwrap();
    let sessions: Vec<_> = house.heard().into_iter().map(|(session, _)| session).collect();
    assert_eq!(sessions, ["s0", "s2"]);
    assert_eq!(files(&house.place().spool().join("damaged")).len(), 1);
    house.assert_private();
}
