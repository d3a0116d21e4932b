//! What strangers send: giants, depths, broken bytes, hostile names. Every one of them ends as an event or as
//! nothing; the next plain event is stored, and no file appears outside the data folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::house::{House, eventually, feed, files};

/// Envelopes that are no JSON, or not to their end, and name no event.
const NAMELESS: &[&str] = &[
    "empty",
    "white space",
    "no JSON",
    "NUL bytes",
    "random bytes",
    "nothing but depth",
    "[]",
    "\"text\"",
    "7",
    "null",
];

/// Without the data folder, where all of ours belongs.
fn outside(house: &House) -> BTreeSet<PathBuf> {
    files(house.home()).into_iter().filter(|path| !path.starts_with(house.throughline_home())).collect()
}

/// Sends them through every hook, with the daemon and through the spool; a plain event follows each time.
#[track_caller]
fn survive(envelopes: &[(&str, Vec<u8>)]) -> House {
    let house = House::new();
    let before = outside(&house);
    let mut plain = 0;
    for daemon in [true, false] {
        if daemon {
            house.start();
        } else {
            // A folder in the socket's place: no daemon can come up.
            house.ok(&["daemon", "stop"]);
            fs::create_dir(house.place().socket()).unwrap();
        }
        for (what, envelope) in envelopes {
            for hook in house.hooks() {
                let output = feed(hook, envelope);
                assert_eq!(output.status.code(), Some(0), "{what}: {output:?}");
                // What cannot be read and says nowhere what it is may have been a call: then the person is asked.
                let asks = String::from_utf8_lossy(&output.stdout).contains("\"permissionDecision\":\"ask\"");
                assert_eq!(asks, NAMELESS.contains(what), "{what}: {output:?}");
                assert!(asks || output.stdout.is_empty(), "{what}: {output:?}");
                house.send(&house.tool("plain", "Bash", "x"));
                plain += 1;
            }
        }
    }
    fs::remove_dir(house.place().socket()).unwrap();
    eventually("the spool is taken in", || {
        house.run(&["sessions"]);
        house.spooled().is_empty()
    });
    assert_eq!(stored(&house, "plain"), plain);
    assert_eq!(outside(&house), before);
    house.assert_private();
    house
}

/// How often the envelope itself was stored under this session.
fn stored(house: &House, session: &str) -> usize {
    house.ok(&["events", "--session", session, "--limit", "0"]).lines().skip(1).count()
}

fn tool(session: &str, output: &str) -> Vec<u8> {
    House::new().tool(session, "Bash", output).to_string().into_bytes()
}

fn times(house: &House) -> usize {
    house.hooks().len() * 2
}

#[test]
fn fifty_megabytes_are_kept_with_a_daemon_and_without() {
    let mut output = "a line of ordinary build output, nothing to see here\n".repeat(1 << 20);
    output.truncate(50 << 20);
    let house = survive(&[("50 MB", tool("giant", &output))]);
    assert_eq!(stored(&house, "giant"), times(&house));
}

#[test]
fn more_than_the_largest_is_cut_and_stays_in_its_session() {
    let house = survive(&[("70 MB", tool("beyond", &"0123456789".repeat(7 << 20)))]);
    assert_eq!(stored(&house, "beyond"), times(&house));
}

#[test]
fn a_hundred_thousand_levels_are_kept_under_their_session() {
    let deep = |open: &str, close: &str| {
        let hole = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        String::from_utf8(tool("deep", "DEEP")).unwrap().replace("\"DEEP\"", &hole).into_bytes()
    };
    let house = survive(&[
        ("lists", deep("[", "]")),
        ("objects", deep("{\"a\":", "}")),
        ("never closed", deep("[{\"a\":", "")),
        ("nothing but depth", "[".repeat(100_000).into_bytes()),
    ]);
    assert_eq!(stored(&house, "deep"), 3 * times(&house));
}

#[test]
fn broken_bytes_and_broken_json_are_recorded_as_they_can_be() {
    let latin: Vec<u8> = tool("latin", "caf# au lait")
        .into_iter()
        .map(|byte| if byte == b'#' { 0xe9 } else { byte })
        .collect();
    let mut cut = tool("cut", "the end is missing");
    cut.truncate(cut.len() - 9);
    let broken = [
        ("empty", Vec::new()),
        ("white space", b" \n\t ".to_vec()),
        ("no JSON", b"hello there".to_vec()),
        ("two of them", br#"{"hook_event_name":"Stop"}{"hook_event_name":"Stop"}"#.to_vec()),
        ("NUL bytes", vec![0; 100]),
        ("random bytes", (0..10_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect()),
        ("invalid UTF-8", latin),
        ("truncated", cut),
    ];
    let house = survive(&broken);
    // Whatever stands there, scripts can read it.
    let events = house.events();
    assert_eq!(events.len(), 2 * broken.len() * times(&house));
    for (session, left) in [("latin", " au lait"), ("cut", "the end is ")] {
        assert_eq!(stored(&house, session), times(&house), "{session}");
        let kept = events.iter().find(|event| event["session"] == session).unwrap();
        assert!(kept["envelope"].to_string().contains(left), "{kept}");
    }
}

#[test]
fn wrong_types_everywhere_cost_the_field_alone() {
    let odd = [json!(5), json!([]), json!({ "a": 1 }), json!(null), json!(true), json!(1e308)];
    let mut envelopes = Vec::new();
    for odd in &odd {
        let mut typed: Value = serde_json::from_slice(&tool("typed", "x")).unwrap();
        for key in
            ["cwd", "transcript_path", "tool_name", "tool_input", "tool_response", "tool_use_id", "agent_id"]
        {
            typed[key] = odd.clone();
        }
        envelopes.push(("typed", typed.to_string().into_bytes()));
        let nameless = json!({ "session_id": odd, "hook_event_name": odd, "prompt": odd, "cwd": odd });
        envelopes.push(("nameless", nameless.to_string().into_bytes()));
    }
    for whole in ["[]", "\"text\"", "7", "null", "{}"] {
        envelopes.push((whole, whole.as_bytes().to_vec()));
    }
    let house = survive(&envelopes);
    assert_eq!(stored(&house, "typed"), odd.len() * times(&house));
    assert_eq!(stored(&house, "unknown"), (odd.len() + 5) * times(&house));
}

#[test]
fn hostile_names_are_text_and_never_paths() {
    let long = "x".repeat(1 << 20);
    let hostile = [
        "../../../../escaped",
        "/escaped",
        "a\0b",
        "line\nbreak\r\n",
        "\u{1b}[2J\u{1b}]0;title\u{7}",
        "right\u{202e}left\u{200b}\u{feff}",
        "' OR 1=1; DROP TABLE sessions; --",
        "%s%n%x $(touch escaped) `touch escaped`",
        ".",
        "..",
        long.as_str(),
    ];
    let house = House::new();
    house.start();
    let before = outside(&house);
    for name in hostile {
        let mut envelope = house.tool(name, name, name);
        for key in ["cwd", "transcript_path", "tool_use_id", "agent_id", "prompt_id", "permission_mode"] {
            envelope[key] = json!(name);
        }
        house.send(&envelope);
        envelope["hook_event_name"] = json!(name);
        house.send(&envelope);
        envelope["hook_event_name"] = json!("UserPromptSubmit");
        envelope["prompt"] = json!(format!("<private>{name}</private>"));
        house.send(&envelope);
        let event = name.chars().filter(|c| *c != '\0').take(300).collect::<String>();
        let output = house.pipe(&["hook", "--agent", &event, &event], envelope.to_string().as_bytes());
        assert_eq!(output.status.code(), Some(0));
        let mut hook = house.command(&["hook"]);
        hook.env("CLAUDE_PROJECT_DIR", &event);
        if !wire::is_namespace(event.as_bytes()) {
            hook.env("THROUGHLINE_NAMESPACE", &event);
        }
        assert_eq!(
            feed(hook, house.tool("elsewhere", "Bash", "x").to_string().as_bytes()).status.code(),
            Some(0)
        );
    }
    house.send(&house.tool("plain", "Bash", "x"));
    assert_eq!(stored(&house, "plain"), 1);
    assert_eq!(outside(&house), before);
    for listing in
        [&["sessions"][..], &["events"], &["events", "--json"], &["stats"], &["sessions", "--json"]]
    {
        let shown = house.ok(listing);
        let is_json = listing.contains(&"--json");
        let obeyed = |c: char| (c.is_control() && c != '\n') || (!is_json && c == '\u{202e}');
        assert_eq!(shown.chars().find(|c| obeyed(*c)), None, "{listing:?}: a terminal would obey");
    }
    for name in hostile.iter().filter(|name| !name.contains('\0') && name.len() < 400) {
        assert!(house.run(&["show", name]).status.code().is_some_and(|code| code <= 1));
    }
    assert_eq!(stored(&house, "elsewhere"), hostile.len());
    let homes: Vec<_> =
        fs::read_dir(house.throughline_home()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(homes, ["default"], "no name became a folder");
}

#[test]
fn an_event_nobody_has_heard_of_is_recorded_under_its_name() {
    let house = House::new();
    house.start();
    let mut envelope = house.envelope("s", "QuantumEntangled");
    envelope["unheard_of"] = json!({ "deeply": ["nested", 1, null] });
    house.send(&envelope);
    let events = house.events();
    assert_eq!(events[0]["event"], "QuantumEntangled");
    assert_eq!(events[0]["envelope"], envelope);
}
