//! What is said beside a prompt, through the real binary and daemon, with the model that reads questions.

use serde_json::{Value, json};

use crate::house::{House, eventually};

const FACTS: &[(&str, &str)] = &[
    (
        "Stripe webhooks need the raw body",
        "The signature is checked against the raw request body; keep it before the JSON parser runs.",
    ),
    (
        "Deploys go through the staging cluster first",
        "A release is promoted to production after an hour without alerts.",
    ),
    (
        "Invoices are numbered per country and year",
        "The counter is a row in the database, locked while a number is taken.",
    ),
    ("Use pnpm, never npm, in this repository", "npm writes a second lock file and the build breaks."),
    ("The search index is rebuilt at night", "A full build takes eleven minutes."),
];

fn house() -> House {
    let house = House::new();
    house.start();
    for (title, text) in FACTS {
        house.ok(&["remember", &format!("{title}. {text}")]);
    }
    eventually("everything is found by meaning, too", || {
        let tables = store::Tables::open_read_only(&house.place().database()).unwrap();
        tables.count_memories().unwrap() == FACTS.len() as u64
            && tables.count_terms_due().unwrap() == 0
            && tables.count_unembedded().unwrap() == 0
    });
    house
}

fn said(answer: &str) -> String {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

const PROMPT: &str = "stripe says the webhook signature is invalid, do we pass the raw body?";

#[test]
fn a_prompt_is_answered_with_what_is_known_in_a_fence_and_only_once() {
    let house = house();
    let first = said(&house.send(&house.prompt("s1", PROMPT)));
    assert!(first.contains("raw request body"), "{first}");
    assert!(first.starts_with("<throughline-note from=\"recall-on-prompt\""), "{first}");
    assert!(!first.contains("pnpm"), "{first}");
    assert_eq!(said(&house.send(&house.prompt("s1", PROMPT))), "", "said already");
    assert!(said(&house.send(&house.prompt("s2", PROMPT))).contains("raw request body"), "another session");
}

#[test]
fn prompts_that_need_nothing_are_answered_with_nothing() {
    let house = house();
    for prompt in [
        "continue",
        "yes, do that please",
        "what is the capital of Kazakhstan",
        "explain the difference between TCP and UDP",
        "write a birthday poem for my colleague who likes climbing",
        "/compact",
    ] {
        assert_eq!(said(&house.send(&house.prompt("s1", prompt))), "", "{prompt}");
    }
    let mut machine = house.prompt("s1", PROMPT);
    machine["prompt"] = json!(format!("<task-notification><summary>{PROMPT}</summary></task-notification>"));
    assert_eq!(said(&house.send(&machine)), "");
}

#[test]
fn what_was_said_is_kept_with_its_reason_and_not_captured_again() {
    let house = house();
    let note = said(&house.send(&house.prompt("s1", PROMPT)));
    house.send(&house.prompt("s1", &format!("look at this: {note} and tell me more")));
    eventually("it is noted", || house.ok(&["context", "--said"]).contains("recall-on-prompt"));
    let found = house.ok(&["events", "--json"]);
    let prompts = found.lines().filter(|line| line.contains("UserPromptSubmit"));
    assert!(prompts.clone().count() >= 2);
    for line in prompts {
        assert!(!line.contains("recall-on-prompt"), "a fenced note was captured: {line}");
    }
}
