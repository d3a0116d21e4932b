//! A model that is asked at the end of a turn whether the request is done: a scripted one, through real hooks.

use std::fs;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::house::{House, eventually};
use crate::rules::model;

fn judged_by(url: &str) -> House {
    let house = House::new();
    let settings = format!(
        "[behaviors]\njudge-stop = \"on\"\n\n[distill]\nprovider = \"openai\"\nmodel = \"small\"\nbase-url = \"{url}\"\n"
    );
    fs::create_dir_all(house.place().config_file().parent().unwrap()).unwrap();
    fs::write(house.place().config_file(), settings).unwrap();
    house.start();
    house
}

fn stop(house: &House, again: bool) -> Value {
    let mut envelope = house.envelope("s1", "Stop");
    envelope["stop_hook_active"] = json!(again);
    envelope["last_assistant_message"] = json!("The login is there.");
    envelope
}

/// A turn of its own, from its prompt to its end; what the agent is told at the end.
fn turn(house: &House, at: usize, again: bool) -> String {
    house.send(&house.prompt("s1", &format!("add a login, and tests for it ({at})")));
    let known = format!("tests for it ({at})");
    eventually("the prompt is learned", || house.ok(&["show", "s1"]).contains(&known));
    house.send(&stop(house, again))
}

#[test]
fn a_model_that_answers_in_time_holds_the_turn_and_is_asked_once() {
    let (url, go) = model(r#"{"answer":"yes","reason":"There are no tests."}"#);
    // It never has to wait for us.
    (0..64).for_each(|_| go.send(()).unwrap());
    let house = judged_by(&url);
    let (mut at, mut answer) = (0, String::new());
    // On a busy machine it may be late all the same.
    eventually("a turn is held", || {
        at += 1;
        answer = turn(&house, at, false);
        answer.contains("decision")
    });
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["decision"], "block");
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.starts_with("judge-stop: ") && reason.contains("\"There are no tests.\""), "{reason}");
    assert_eq!(house.send(&stop(&house, false)), "", "it was asked about this prompt");
    assert_eq!(turn(&house, at + 1, true), "", "a turn that was held is not held again");
}

#[test]
fn the_end_of_a_turn_waits_for_a_model_that_takes_longer_than_a_hook_does() {
    let (url, go) = model(r#"{"answer":"yes","reason":"There are no tests."}"#);
    let house = judged_by(&url);
    thread::spawn(move || {
        // Longer than the 0.4 seconds that the end of a turn has by itself.
        thread::sleep(Duration::from_millis(1500));
        (0..8).for_each(|_| go.send(()).unwrap_or_default());
        thread::sleep(Duration::from_mins(1));
    });
    let answer = turn(&house, 1, false);
    assert!(answer.contains("There are no tests."), "{answer:?}");
    let stops = house.events().iter().filter(|event| event["event"] == "Stop").count();
    assert_eq!((stops, house.spooled().len()), (1, 0), "kept once");
}

#[test]
fn an_answer_that_comes_late_is_said_with_the_next_prompt() {
    let (url, go) = model(r#"{"answer":"yes","reason":"There are no tests."}"#);
    let house = judged_by(&url);
    assert_eq!(turn(&house, 1, false), "", "nobody has answered yet");
    go.send(()).unwrap();
    let mut said = String::new();
    eventually("the answer is said", || {
        said = house.send(&house.prompt("s1", "how is it going?"));
        said.contains("There are no tests.")
    });
    assert!(said.contains("throughline-note from=\\\"judge-stop\\\""), "{said}");
    assert!(!house.send(&house.prompt("s1", "and now?")).contains("There are no tests."));
}

#[test]
fn a_model_that_is_content_or_talks_is_silence() {
    for answer in
        [r#"{"answer":"no","reason":"All is done."}"#, "It depends.", r#"{"answer":"yes","reason":""}"#]
    {
        let (url, go) = model(answer);
        (0..8).for_each(|_| go.send(()).unwrap());
        let house = judged_by(&url);
        assert_eq!(turn(&house, 1, false), "", "{answer}");
        assert!(!house.send(&house.prompt("s1", "more")).contains("judge-stop"), "{answer}");
    }
}

#[test]
fn without_a_provider_there_is_silence_and_the_doctor_says_so() {
    let house = House::new();
    house.ok(&["behaviors", "enable", "judge-stop"]);
    house.start();
    assert_eq!(turn(&house, 1, false), "");
    let doctor = house.run(&["doctor"]);
    let text = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(text.contains("judge-stop is on, and `distill.provider` names no model"), "{text}");
}
