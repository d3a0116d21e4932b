//! Starting the daemon: once a second at most, however many ask.

use std::fs::{self, FileTimes};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant, SystemTime};

use client::start_daemon;

use crate::house::House;

/// An executable that leaves one line for each time it ran.
fn trace(house: &House) -> std::path::PathBuf {
    let script = house.root.path().join("daemon.sh");
    fs::write(&script, format!("#!/bin/sh\necho \"$@\" >> {}/trace\n", house.root.path().display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    script
}

fn traces(house: &House) -> String {
    let patience = Instant::now() + Duration::from_mins(1);
    loop {
        let found = fs::read_to_string(house.root.path().join("trace")).unwrap_or_default();
        if !found.is_empty() || Instant::now() > patience {
            return found;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_hundred_who_ask_at_once_start_one() {
    let house = House::new();
    let script = trace(&house);
    let started = std::thread::scope(|scope| {
        let askers: Vec<_> =
            (0..100).map(|_| scope.spawn(|| start_daemon(&house.place, &script).unwrap())).collect();
        askers.into_iter().map(|asker| usize::from(asker.join().unwrap())).sum::<usize>()
    });
    assert_eq!(started, 1);
    assert_eq!(traces(&house), "daemon run\n");
}

#[test]
fn a_second_later_it_is_tried_again() {
    let house = House::new();
    let script = trace(&house);
    assert!(start_daemon(&house.place, &script).unwrap());
    assert!(!start_daemon(&house.place, &script).unwrap());
    let starting = fs::OpenOptions::new().write(true).open(house.place.starting()).unwrap();
    starting.set_times(FileTimes::new().set_modified(SystemTime::now() - Duration::from_secs(2))).unwrap();
    assert!(start_daemon(&house.place, &script).unwrap());
}

#[test]
fn an_executable_that_is_missing_is_not_tried_by_everyone() {
    let house = House::new();
    let missing = house.root.path().join("missing");
    assert!(start_daemon(&house.place, &missing).is_err());
    assert!(!start_daemon(&house.place, &missing).unwrap());
}
