//! The library's twin of the hook, without a process around it.

use std::fs;
use std::time::{Duration, Instant};

use client::Place;
use client::hook::{Budget, Fallback, run};
use model::{Envelope, Reply};

use crate::house::{House, envelope};

fn settings(place: &Place) -> redact::Settings {
    redact::Settings { key: client::key::load(place).unwrap(), ..redact::Settings::default() }
}

fn call(house: &House, envelope: Envelope) -> Reply {
    let budget = Budget::new(Instant::now(), "", &envelope.body);
    run(
        house.place.clone(),
        envelope,
        budget,
        Fallback {
            settings,
            judge: |_, _| model::Reply::silent(),
            confess: |_, _| model::Reply::silent(),
            executable: None,
        },
    )
}

fn prompt(at: u64, text: &str) -> Envelope {
    let body = format!(r#"{{"session_id":"s-1","hook_event_name":"UserPromptSubmit","prompt":"{text}"}}"#);
    envelope(at, &body)
}

fn tool(at: u64) -> Envelope {
    envelope(at, r#"{"session_id":"s-1","hook_event_name":"PostToolUse","tool_name":"Read"}"#)
}

fn kept(house: &House) -> Vec<u64> {
    house.spooled().iter().map(|envelope| envelope.at).collect()
}

#[test]
fn without_a_daemon_the_envelope_is_redacted_and_kept() {
    let house = House::new();
    assert_eq!(call(&house, prompt(1, "see <private>the hidden part</private> here")), Reply::silent());
    let spooled = house.spooled();
    let text = String::from_utf8(spooled[0].body.clone()).unwrap();
    assert!(text.contains("see ") && text.contains(" here") && !text.contains("hidden"), "{text}");
}

#[test]
fn a_private_turn_keeps_nothing_until_a_person_speaks_again() {
    let house = House::new();
    call(&house, tool(1));
    call(&house, prompt(2, "<private>all of it</private>"));
    call(&house, tool(3));
    call(&house, prompt(4, "<task-notification>a task is done</task-notification>"));
    call(&house, tool(5));
    call(&house, envelope(6, r#"{"session_id":"s-2","hook_event_name":"PostToolUse"}"#));
    call(&house, prompt(7, "in the open again"));
    call(&house, tool(8));
    assert_eq!(kept(&house), [1, 2, 6, 7, 8]);
}

#[test]
fn a_broken_rule_of_the_persons_own_does_not_switch_redaction_off() {
    fn broken(place: &Place) -> redact::Settings {
        redact::Settings { patterns: vec![("mine".to_owned(), "(".to_owned())], ..settings(place) }
    }
    let house = House::new();
    let envelope = prompt(1, "see <private>the hidden part</private> here");
    let budget = Budget::new(Instant::now(), "", &envelope.body);
    run(
        house.place.clone(),
        envelope,
        budget,
        Fallback {
            settings: broken,
            judge: |_, _| model::Reply::silent(),
            confess: |_, _| model::Reply::silent(),
            executable: None,
        },
    );
    let text = String::from_utf8(house.spooled()[0].body.clone()).unwrap();
    assert!(!text.contains("hidden"), "{text}");
}

#[test]
fn a_panic_costs_the_envelope_and_no_more() {
    fn panics(_: &Place) -> redact::Settings {
        panic!("on purpose")
    }
    let house = House::new();
    let envelope = tool(1);
    let budget = Budget::new(Instant::now(), "", &envelope.body);
    let reply = run(
        house.place.clone(),
        envelope,
        budget,
        Fallback {
            settings: panics,
            judge: |_, _| model::Reply::silent(),
            confess: |_, _| model::Reply::silent(),
            executable: None,
        },
    );
    assert_eq!(reply, Reply::silent());
    assert!(house.spooled().is_empty());
}

#[test]
fn a_disk_that_hangs_is_left_behind() {
    fn hangs(_: &Place) -> redact::Settings {
        std::thread::sleep(Duration::from_mins(10));
        redact::Settings::default()
    }
    let house = House::new();
    let envelope = tool(1);
    let started = Instant::now();
    let budget = Budget::new(started, "", &envelope.body);
    let reply = run(
        house.place.clone(),
        envelope,
        budget,
        Fallback {
            settings: hangs,
            judge: |_, _| model::Reply::silent(),
            confess: |_, _| model::Reply::silent(),
            executable: None,
        },
    );
    assert_eq!(reply, Reply::silent());
    assert!(started.elapsed() < Duration::from_mins(1), "{:?}", started.elapsed());
}

#[test]
fn a_home_that_cannot_be_made_is_silence() {
    let house = House::new();
    fs::write(house.root.path().join("home"), "a file").unwrap();
    fn plain(_: &Place) -> redact::Settings {
        redact::Settings::default()
    }
    let envelope = tool(1);
    let budget = Budget::new(Instant::now(), "", &envelope.body);
    let reply = run(
        house.place.clone(),
        envelope,
        budget,
        Fallback {
            settings: plain,
            judge: |_, _| model::Reply::silent(),
            confess: |_, _| model::Reply::silent(),
            executable: None,
        },
    );
    assert_eq!(reply, Reply::silent());
}
