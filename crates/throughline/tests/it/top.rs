//! What hooks cost, as a person at a terminal and a script see it.

use rustix::process::Signal;
use serde_json::Value;

use crate::house::{House, signal};
use crate::terminal::Terminal;

fn top(house: &House) -> Value {
    serde_json::from_str(&house.ok(&["top", "--json"])).unwrap()
}

fn hook<'a>(top: &'a Value, event: &str) -> &'a Value {
    let hooks = top["hooks"].as_array().unwrap();
    hooks.iter().find(|hook| hook["event"] == event).unwrap_or(&Value::Null)
}

#[test]
fn every_hook_is_counted_once_under_its_event_with_what_it_took() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    for _ in 0..3 {
        house.send(&house.tool("s1", "Bash", "done"));
    }
    house.ok(&["sessions"]);
    let top = top(&house);
    assert_eq!(top["budget_us"], 1000);
    for window in ["minute", "hour", "start"] {
        assert_eq!(hook(&top, "SessionStart")[window]["count"], 1, "{window}");
        let calls = &hook(&top, "PostToolUse")[window];
        assert_eq!(calls["count"], 3, "{window}");
        let of = |name: &str| calls[name].as_u64().unwrap();
        assert!(0 < of("p50_us") && of("p50_us") <= of("p99_us") && of("p99_us") <= of("max_us"), "{calls}");
    }
    assert_eq!(hook(&top, "Stop"), &Value::Null);
    assert_eq!((&top["sessions_live"], &top["spooled"]), (&Value::from(1), &Value::from(0)));
    let learned = top["behaviors"].as_array().unwrap().iter().find(|one| one["name"] == "capture").unwrap();
    assert_eq!(learned["learning"]["start"]["count"], 3, "{learned}");
    assert!(top["behaviors"].as_array().unwrap().iter().any(|one| one["advice"]["start"]["count"] == 1));
}

#[test]
fn what_was_put_in_front_of_an_agent_is_counted_in_tokens() {
    let house = House::new();
    house.start();
    house.ok(&["remember", "--kind", "decision", "the cache is flushed before the deploy, never after"]);
    let said = house.send(&house.envelope("s1", "SessionStart"));
    assert!(said.contains("flushed"), "{said}");
    let tokens: u64 = top(&house)["behaviors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["tokens"]["minute"].as_u64().unwrap())
        .sum();
    assert!(tokens > 5, "{tokens}");
}

#[test]
fn without_a_terminal_it_is_printed_once() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    let text = house.ok(&["top"]);
    assert!(text.starts_with("throughline ") && text.contains("SessionStart"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    assert!(text.contains("the last minute: 1 hook\np50 ") && text.contains(", budget 1 ms\n"), "{text}");
    let hour = house.ok(&["top", "--once", "--window", "hour", "--sort", "p99"]);
    assert!(hour.contains("the last hour: 1 hook"), "{hour}");
}

#[test]
fn what_does_not_fit_the_terminal_is_scrolled_to() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    // Less than half of the table: at its beginning no LEARNING, at its end no HOOK.
    let mut terminal = Terminal::new(&mut house.command(&["top"]), 14, 60);
    let screen = terminal.shows("j more");
    assert!(screen.contains("SessionStart") && !screen.contains("LEARNING"), "{screen}");
    terminal.press(&"j".repeat(60));
    let screen = terminal.until("the end is seen", |screen| !screen.contains("j more"));
    assert!(screen.contains("LEARNING") && !screen.contains("HOOK"), "{screen}");
    terminal.press(&"k".repeat(60));
    terminal.shows("HOOK");
    terminal.press("q");
    assert!(terminal.ends().success());
    terminal.assert_given_back();
}

#[test]
fn without_a_daemon_it_says_so_and_how_to_start_one() {
    let house = House::new();
    for args in [&["top", "--once"][..], &["top", "--json"]] {
        let output = house.run(args);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("no daemon listens") && said.contains("throughline daemon start"), "{said}");
    }
    assert!(!house.data().join("run/daemon.pid").exists(), "nobody started one");
}

#[test]
fn what_hooks_cost_outlives_the_daemon_by_the_hour() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    house.send(&house.tool("s1", "Bash", "done"));
    house.ok(&["sessions"]);
    house.ok(&["daemon", "stop"]);
    house.start();
    house.send(&house.tool("s1", "Bash", "done"));
    house.ok(&["sessions"]);
    house.ok(&["daemon", "stop"]);
    let tables = store::Tables::open_read_only(&house.place().database()).unwrap();
    let count = |name: &str| -> u64 {
        let rows = tables.latencies(0, u64::MAX, name).unwrap();
        assert!(rows.iter().all(|row| row.count == row.buckets.iter().sum::<u64>()), "{rows:?}");
        rows.iter().map(|row| row.count).sum()
    };
    assert_eq!((count("hook.SessionStart"), count("hook.PostToolUse"), count("learn.capture")), (1, 2, 2));
    assert!(count("advise.") >= 1);
}

#[test]
fn at_a_terminal_the_table_is_refreshed_until_q() {
    let house = House::new();
    house.start();
    house.send(&house.envelope("s1", "SessionStart"));
    let mut terminal = Terminal::new(&mut house.command(&["top"]), 40, 80);
    terminal.shows("SessionStart");
    assert!(terminal.is_raw());
    house.send(&house.prompt("s1", "what now"));
    terminal.shows("UserPromptSubmit");
    terminal.press("s");
    terminal.shows("sort: calls");
    terminal.press("w");
    terminal.shows("the last hour");
    terminal.resize(12, 60);
    terminal.until("a smaller one", |screen| screen.lines().count() <= 12 && screen.contains("q quit"));
    house.ok(&["daemon", "stop"]);
    terminal.shows("no daemon listens");
    house.start();
    terminal.shows("budget 1 ms");
    terminal.press("q");
    assert!(terminal.ends().success());
    terminal.assert_given_back();
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let house = House::new();
    house.start();
    for how in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut terminal = Terminal::new(&mut house.command(&["top"]), 24, 80);
        terminal.shows("HOOK");
        signal(terminal.pid(), how);
        assert!(terminal.ends().success(), "{how:?}");
        terminal.assert_given_back();
    }
}
