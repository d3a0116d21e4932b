//! The panes in a real terminal, over a real daemon, with what strangers may have stored.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use crate::house::{House, signal};
use crate::terminal::Terminal;

const ENTER: &str = "\r";
const ESCAPE: &str = "\u{1b}";

fn edit(house: &House, session: &str, file: &str) -> serde_json::Value {
    let mut envelope = house.envelope(session, "PostToolUse");
    envelope["tool_name"] = json!("Edit");
    envelope["tool_input"] =
        json!({ "file_path": house.work().join(file), "old_string": "a", "new_string": "b" });
    envelope["tool_response"] = json!({ "filePath": house.work().join(file) });
    envelope
}

fn opened(house: &House, rows: u16, columns: u16) -> Terminal {
    Terminal::new(&mut house.command(&["tui"]), rows, columns)
}

#[test]
fn a_session_is_listed_opened_and_read() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("first-session", "SessionStart"));
    house.send(&house.prompt("first-session", "repair the login form"));
    house.send(&edit(&house, "first-session", "login.rs"));
    house.send(&house.envelope("second-session", "SessionStart"));
    house.send(&house.prompt("second-session", "write the release notes"));
    house.send(&house.envelope("second-session", "SessionEnd"));
    let mut terminal = opened(&house, 24, 80);
    let screen = terminal.shows("write the release notes");
    let line = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap();
    assert!(
        line("repair the login form") < line("write the release notes"),
        "who is at work is first\n{screen}"
    );
    assert!(screen.lines().nth(line("repair the login form")).unwrap().contains('●'), "{screen}");
    terminal.press(ENTER);
    let screen = terminal.shows("Edit login.rs");
    assert!(screen.contains("prompt") && screen.contains("repair the login form"), "{screen}");
    terminal.press(&format!("g{ENTER}"));
    terminal.shows("Esc back  q quit");
    terminal.press(ESCAPE);
    terminal.shows("Enter read");
    terminal.press(ESCAPE);
    terminal.shows("Enter timeline");
    terminal.press("q");
    assert!(terminal.ends().success());
    terminal.assert_given_back();
}

#[test]
fn what_a_guard_decided_stands_in_the_timeline_with_its_reason() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("guarded", "SessionStart"));
    // As the daemon journals it once the agent was answered.
    let verdict = json!({
        "deed": "verdict", "session": "guarded", "event": "PreToolUse", "tool": "Bash", "behavior": "run-rules",
        "verdict": "deny", "reason": "We do not rewrite \u{1b}[2Jhistory here.",
    });
    let question = json!({ "ask": "deeds", "deeds": [verdict] }).to_string();
    client::ask(&house.place(), question.as_bytes(), Instant::now() + Duration::from_secs(10)).unwrap();
    let mut terminal = opened(&house, 24, 80);
    terminal.shows("guarded");
    terminal.press(ENTER);
    let screen = terminal.shows("deny by run-rules: We do not rewrite history here.");
    assert!(screen.lines().any(|line| line.contains("guard ") && line.contains("deny")), "{screen}");
    terminal.press(&format!("G{ENTER}"));
    terminal.shows("deny by run-rules (Bash)");
    terminal.press("q");
    assert!(terminal.ends().success());
}

#[test]
fn what_happens_is_seen_as_it_arrives_and_a_pause_loses_nothing() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    let mut terminal = opened(&house, 24, 100);
    terminal.shows("Sessions");
    terminal.press("2");
    terminal.shows("Session starts");
    house.send(&house.prompt("s1", "count the bolts"));
    terminal.shows("count the bolts");
    terminal.press(" ");
    terminal.shows("Paused; 0 more");
    house.send(&house.prompt("s1", "count the nuts"));
    let screen = terminal.shows("Paused; 1 more");
    assert!(!screen.contains("count the nuts"), "{screen}");
    terminal.press(" ");
    terminal.shows("count the nuts");
    terminal.press(ENTER);
    terminal.shows("Enter read");
    terminal.press("\u{3}");
    assert!(terminal.ends().success());
    terminal.assert_given_back();
}

#[test]
fn a_question_is_typed_answered_read_and_explained() {
    let house = House::new();
    house.start();
    house.ok(&["remember", "--kind", "decision", "The gateway talks to the billing service over port 8443."]);
    house.ok(&["remember", "Lunch is at noon."]);
    let mut terminal = opened(&house, 24, 100);
    terminal.shows("Sessions");
    terminal.press("/");
    terminal.shows("What are you looking for?");
    terminal.press("billing gateway");
    let screen = terminal.shows("talks to the billing service");
    assert!(screen.contains("decision") && screen.contains(" tk"), "{screen}");
    terminal.press(ENTER);
    terminal.shows("Enter read  w why");
    terminal.press(ENTER);
    terminal.shows("origin");
    terminal.press(ESCAPE);
    terminal.shows("w why");
    terminal.press("w");
    terminal.shows("Why: ");
    terminal.press(ESCAPE);
    terminal.shows("w why");
    terminal.press("1");
    terminal.shows("Enter timeline");
    terminal.press("q");
    assert!(terminal.ends().success());
    terminal.assert_given_back();
}

/// Escape sequences, invisible signs and turned-around text, as an agent's output or a prompt may hold them.
const HOSTILE: &[&str] = &[
    "\u{1b}[2J\u{1b}[Hcleared",
    "\u{1b}]0;owned-title\u{7}renamed",
    "\u{1b}]52;c;b3duZWQ=\u{7}copied",
    "\u{1b}]8;;http://owned.example\u{1b}\\linked\u{1b}]8;;\u{1b}\\",
    "\u{9b}31mcolored",
    "\u{9d}0;owned-title\u{9c}renamed-again",
    "\u{1b}P1;1|17/owned\u{1b}\\defined",
    "\u{1b}c\u{1b}[?1049lleft",
    "\u{1b}[6n\u{5}asked",
    "abc\u{202e}desrever\u{2066}x",
    "ze\u{200b}\u{feff}ro\u{2060}",
    "bell\u{7}back\u{8}return\rhome",
];

#[test]
fn nothing_that_is_stored_reaches_the_terminal_but_as_text() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("h1", "SessionStart"));
    for (at, text) in HOSTILE.iter().enumerate() {
        house.send(&house.prompt("h1", &format!("hostile {at} {text} until here")));
        house.ok(&["remember", &format!("memory {at} {text} until here")]);
    }
    let mut terminal = opened(&house, 40, 120);
    terminal.shows("hostile 0");
    terminal.press(ENTER);
    terminal.shows("hostile 11");
    terminal.press("2");
    terminal.shows("hostile 11");
    terminal.press("/");
    terminal.shows("What are you looking for?");
    terminal.press("memory until here");
    terminal.shows("memory 1");
    terminal.press(&format!("{ENTER}{ENTER}"));
    terminal.shows("origin");
    terminal.press("q");
    assert!(terminal.ends().success());
    let sent = String::from_utf8_lossy(terminal.sent()).into_owned();
    for forbidden in [
        "\u{1b}]",
        "\u{1b}P",
        "\u{1b}c",
        "\u{1b}[2J\u{1b}[Hcleared",
        "\u{7}",
        "\u{8}",
        "\u{5}",
        "[6n",
        "\u{202e}",
        "\u{200b}",
    ] {
        assert!(!sent.contains(forbidden), "{forbidden:?} was sent");
    }
    assert!(!sent.chars().any(|c| ('\u{80}'..='\u{9f}').contains(&c)), "a control character was sent");
    assert_eq!(sent.matches("\u{1b}[?1049l").count(), 1, "the screen was left once, by us");
    terminal.assert_given_back();
}

#[test]
fn a_daemon_that_goes_is_missed_and_one_that_comes_back_is_found() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    // What to do about it can be read as a whole in the narrowest terminal.
    let mut terminal = opened(&house, 24, 60);
    terminal.press("2");
    terminal.shows("Session starts");
    house.ok(&["daemon", "stop"]);
    terminal.shows("The daemon is not there: run `throughline daemon start`");
    house.start();
    terminal.until("the daemon is back", |screen| !screen.contains("The daemon is not there"));
    house.send(&house.prompt("s1", "are you there"));
    terminal.shows("are you there");
    terminal.press("q");
    assert!(terminal.ends().success());
}

#[test]
fn tables_made_anew_under_it_are_read_anew() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    let mut terminal = opened(&house, 24, 100);
    terminal.press("2");
    terminal.shows("Session starts");
    house.ok(&["rebuild"]);
    house.send(&house.prompt("s1", "after the rebuilding"));
    terminal.shows("after the rebuilding");
    terminal.press("q");
    assert!(terminal.ends().success());
}

#[test]
fn sixty_columns_no_colors_and_any_size_are_enough() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    house.send(
        &house
            .prompt("s1", "a question that is much longer than any line of a narrow terminal could ever be"),
    );
    let mut terminal = Terminal::new(house.command(&["tui"]).env("NO_COLOR", "1"), 20, 60);
    let screen = terminal.shows("a question that is much");
    assert!(screen.lines().all(|line| line.chars().count() <= 60), "{screen}");
    terminal.press("2");
    terminal.shows("space pause");
    for (rows, columns) in [(3, 20), (1, 1), (50, 200), (24, 80)] {
        terminal.resize(rows, columns);
    }
    terminal.shows("a question that is much longer");
    signal(terminal.pid(), Signal::TERM);
    assert!(terminal.ends().success());
    terminal.assert_given_back();
    let sent = String::from_utf8_lossy(terminal.sent()).into_owned();
    for color in ["\u{1b}[38;5;", "\u{1b}[32m", "\u{1b}[36m", "\u{1b}[33m"] {
        assert!(!sent.contains(color), "{color:?} was sent");
    }
}

#[test]
fn without_a_terminal_it_says_what_prints_to_a_pipe() {
    let house = House::new();
    house.start();
    let output = house.run(&["tui"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("needs a terminal") && said.contains("hint: "), "{said}");
}
