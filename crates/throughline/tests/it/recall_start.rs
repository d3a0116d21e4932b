//! What a session is told when it starts, through the real binary: in its fence, in its order, and not twice.

use std::fs;

use serde_json::{Value, json};
use store::Tables;

use crate::house::{House, eventually};

fn start(house: &House, session: &str, source: &str) -> Value {
    let mut envelope = house.envelope(session, "SessionStart");
    envelope["source"] = json!(source);
    envelope
}

/// What the model sees; nothing where nothing was said.
fn said(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// What the person sees.
fn told(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    answer["systemMessage"].as_str().unwrap_or_default().to_owned()
}

/// What was said is noted behind the answer.
fn wait_until_noted(house: &House, session: &str, notes: usize) {
    let tables = Tables::open_read_only(&house.place().database()).unwrap();
    let session = model::SessionId::new(session);
    eventually("what was said is noted", || {
        tables.injections(Some(&session), 0).is_ok_and(|rows| rows.len() >= notes)
    });
}

fn remember(house: &House, text: &str, more: &[&str]) -> String {
    let mut args = vec!["remember", text];
    args.extend(more);
    house.ok(&args).trim().to_owned()
}

#[test]
fn a_house_without_memories_says_nothing() {
    let house = House::new();
    house.start();
    for source in ["startup", "clear", "compact", "resume"] {
        assert_eq!(house.send(&start(&house, "s", source)), "");
    }
}

#[test]
fn a_new_session_knows_what_earlier_ones_learned() {
    let house = House::new();
    house.start();
    let rule = remember(&house, "Never force-push to main.", &["--critical"]);
    let note = remember(&house, "The staging host is stage.example.org.", &["--global"]);
    let other = remember(&house, "Another project's business.", &["--project", "elsewhere"]);
    fs::write(house.data().join("USER.md"), "Ana prefers short answers.\n").unwrap();

    let text = said(&house.send(&start(&house, "s1", "startup")));
    let fence = "<throughline-note from=\"recall-on-start\" id=\"";
    assert!(text.starts_with(fence), "{text}");
    let places: Vec<usize> = ["> Ana prefers short answers.", &rule, &note, "throughline show ID"]
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part} is missing: {text}")))
        .collect();
    assert!(places.is_sorted(), "{text}");
    assert!(text.contains(&format!("- [{rule}] ")), "{text}");
    assert!(!text.contains(&other), "{text}");

    // A new conversation in the same place hears it again.
    let cleared = said(&house.send(&start(&house, "s2", "clear")));
    assert!(cleared.contains(&rule) && cleared.contains(&note), "{cleared}");
}

#[test]
fn a_resumed_session_hears_what_is_new_and_a_compacted_one_everything() {
    let house = House::new();
    house.start();
    let first = remember(&house, "The first thing to know.", &[]);
    assert!(said(&house.send(&start(&house, "s", "startup"))).contains(&first));
    wait_until_noted(&house, "s", 1);
    assert_eq!(said(&house.send(&start(&house, "s", "resume"))), "");

    let second = remember(&house, "The second thing to know.", &[]);
    let resumed = said(&house.send(&start(&house, "s", "resume")));
    assert!(resumed.contains(&second) && !resumed.contains(&first), "{resumed}");
    wait_until_noted(&house, "s", 2);
    assert_eq!(said(&house.send(&start(&house, "s", "resume"))), "");

    let compacted = said(&house.send(&start(&house, "s", "compact")));
    assert!(compacted.contains(&first) && compacted.contains(&second), "{compacted}");
}

#[test]
fn what_was_handed_over_comes_first_after_a_compaction() {
    let house = House::new();
    house.start();
    remember(&house, "A rule of the house.", &["--critical"]);
    house.send(&start(&house, "s", "startup"));
    house.send(&house.prompt("s", "make the quince hedge grow"));
    let mut stop = house.envelope("s", "Stop");
    stop["last_assistant_message"] = json!("The hedge is planted; watering comes next.");
    house.send(&stop);
    assert_eq!(house.events().len(), 3, "learned by now");
    let text = said(&house.send(&start(&house, "s", "compact")));
    let (goal, rule) = (text.find("quince hedge"), text.find("A rule of the house."));
    assert!(goal.is_some() && goal < rule, "{text}");
}

#[test]
fn a_subagent_hears_what_is_critical() {
    let house = House::new();
    house.start();
    let rule = remember(&house, "Never force-push to main.", &["--critical"]);
    let note = remember(&house, "The staging host is stage.example.org.", &[]);
    let mut begun = house.envelope("s", "SubagentStart");
    begun["agent_id"] = json!("a1");
    begun["agent_type"] = json!("general-purpose");
    let text = said(&house.send(&begun));
    assert!(text.contains(&rule) && !text.contains(&note), "{text}");
}

#[test]
fn a_person_is_greeted_once_and_hears_what_can_be_taken_in() {
    let house = House::new();
    house.start();
    let folder = house.home().join("projects/-work");
    fs::create_dir_all(&folder).unwrap();
    for name in ["old-1.jsonl", "old-2.jsonl", "s1.jsonl", "notes.txt"] {
        fs::write(folder.join(name), "").unwrap();
    }
    remember(&house, "The first thing to know.", &[]);
    let begin = |session: &str| {
        let mut envelope = start(&house, session, "startup");
        envelope["transcript_path"] = json!(folder.join(format!("{session}.jsonl")));
        told(&house.send(&envelope))
    };
    assert_eq!(
        begin("s1"),
        "throughline remembers 1 memory in this project (to look: throughline view). 2 past conversations of this folder can be taken in: \
         throughline backfill"
    );
    wait_until_noted(&house, "s1", 1);
    assert_eq!(begin("s3"), "");
}

#[test]
fn a_fault_is_told_once_with_its_repair() {
    let house = House::new();
    fs::create_dir_all(house.data()).unwrap();
    fs::write(house.data().join("config.toml"), "[capture]\nskiptools = []\n").unwrap();
    house.start();
    let banner = told(&house.send(&start(&house, "s1", "startup")));
    assert!(banner.starts_with("┌─ throughline ─"), "{banner}");
    assert!(banner.contains("skiptools") && banner.contains("Repair: throughline config list"), "{banner}");
    // Marks are noted behind the answer, and told by nobody until then.
    eventually("the banner is told once", || told(&house.send(&start(&house, "s2", "startup"))).is_empty());
}

#[test]
fn many_critical_memories_leave_room_and_name_a_command_that_lists_them() {
    let house = House::new();
    house.start();
    for number in 0..60 {
        let title =
            format!("Rule {number} of this house is one that takes most of a line to name, as rules do");
        let text = format!("{title}. {}", "It has a reason, and the reason takes a paragraph. ".repeat(6));
        remember(&house, &text, &["--critical"]);
    }
    let plain = remember(&house, "The staging host is stage.example.org.", &[]);
    let text = said(&house.send(&start(&house, "s", "startup")));
    assert!(text.contains(&plain) && text.contains("throughline show ID"), "{text}");
    assert!(text.contains("more that are critical: `throughline export --memories | grep"), "{text}");
    let exported = house.ok(&["export", "--memories"]);
    assert_eq!(exported.lines().filter(|line| line.contains("\"critical\":true")).count(), 60);
}
