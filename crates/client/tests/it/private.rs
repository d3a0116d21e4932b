//! Markers of private turns.

use std::fs;

use client::private::{begin, covers, end, is_private};

use crate::house::{House, mode};

#[test]
fn a_private_turn_lasts_from_its_prompt_to_the_next() {
    let house = House::new();
    assert!(!is_private(&house.place, "a"));
    begin(&house.place, "a").unwrap();
    begin(&house.place, "a").unwrap();
    assert!(is_private(&house.place, "a") && !is_private(&house.place, "b"));
    end(&house.place, "a").unwrap();
    end(&house.place, "a").unwrap();
    assert!(!is_private(&house.place, "a"));
}

#[test]
fn a_hostile_session_id_stays_in_its_folder() {
    let house = House::new();
    for session in ["../../../../tmp/x", "/etc/passwd", "a\0b", &"x".repeat(100_000), ""] {
        begin(&house.place, session).unwrap();
        assert!(is_private(&house.place, session));
    }
    for entry in fs::read_dir(house.place.private()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!((mode(&path), path.file_name().unwrap().len()), (0o600, 64));
    }
    assert_eq!(fs::read_dir(house.place.private()).unwrap().count(), 5);
}

#[test]
fn in_doubt_a_turn_is_private() {
    let house = House::new();
    house.place.ensure().unwrap();
    fs::remove_dir(house.place.private()).unwrap();
    // A loop of links cannot be looked into.
    std::os::unix::fs::symlink(house.place.private(), house.place.private()).unwrap();
    assert!(is_private(&house.place, "a"));
}

#[test]
fn everything_that_could_quote_the_turn_is_covered() {
    assert!(covers("PostToolUse") && covers("Stop") && covers("Notification") && covers("Unheard"));
    assert!(!covers("SessionStart") && !covers("SessionEnd"));
}
