//! What agents other than Claude Code keep of their conversations, and what we make of it. `UPDATE_FIXTURES=1` writes
//! the readings anew, for review. Where each file comes from is told in its folder's README.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use agents::transcript::{
    Chats, Conversations, Ending, Growth, Line, OpenCodeSessions, PastEvent, Replay, Rollouts, SessionStates,
    events_of,
};

use crate::transcripts::render;

const KEPT: &[(&str, &dyn Conversations)] = &[
    ("codex", &Rollouts),
    ("gemini_cli", &Chats),
    ("copilot", &SessionStates),
    ("opencode", &OpenCodeSessions),
];

/// Every recorded conversation: whose it is, where it lies and what is in it.
fn recorded() -> Vec<(&'static dyn Conversations, PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for (agent, conversations) in KEPT {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(format!("{agent}_transcripts"));
        let before = found.len();
        for file in std::fs::read_dir(&folder).expect("a folder of fixtures") {
            let path = file.expect("a fixture").path();
            if path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json") {
                let bytes = std::fs::read(&path).expect("a fixture");
                found.push((*conversations, path, bytes));
            }
        }
        assert!(found.len() > before, "{agent} has no recorded conversation");
    }
    found
}

/// The path below the agent's folder: a fixture's name has `~` where the path has `/`.
fn relative(path: &Path) -> String {
    path.file_name().and_then(|name| name.to_str()).expect("a fixture has a name").replace('~', "/")
}

fn lines_of(conversations: &dyn Conversations, path: &Path, bytes: &[u8]) -> Vec<Line> {
    let mut reader = conversations.reader(&relative(path));
    match conversations.growth(&relative(path)) {
        Growth::Whole | Growth::Gathered => reader.push(0, bytes),
        Growth::Lines => {
            let lines = bytes.split(|byte| *byte == b'\n').enumerate();
            lines.flat_map(|(number, line)| reader.push(number as u64, line)).collect()
        }
    }
}

fn events(conversations: &dyn Conversations, path: &Path, bytes: &[u8]) -> Vec<PastEvent> {
    let replay = Replay::new(conversations, &relative(path));
    events_of(lines_of(conversations, path, bytes), replay, Ending::Open).collect()
}

#[test]
fn every_conversation_reads_as_it_was_reviewed() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    for (conversations, path, bytes) in recorded() {
        // A session in a database is no file of its own.
        let is_row = conversations.growth(&relative(&path)) == Growth::Gathered;
        assert!(is_row || conversations.is_one(&relative(&path)), "{}", path.display());
        let lines = lines_of(conversations, &path, &bytes);
        let reading = render(&lines, Replay::new(conversations, &relative(&path)));
        let reviewed = path.with_extension("reading");
        if update {
            std::fs::write(&reviewed, reading).unwrap();
        } else {
            assert_eq!(std::fs::read_to_string(&reviewed).unwrap(), reading, "{}", path.display());
        }
    }
}

#[test]
fn a_conversation_that_grew_gives_the_same_events_and_only_more() {
    for (conversations, path, bytes) in recorded() {
        let whole: Vec<_> = events(conversations, &path, &bytes).iter().map(|event| event.id).collect();
        let known: HashSet<_> = whole.iter().collect();
        assert_eq!(known.len(), whole.len(), "{}: no id is given twice", path.display());
        if conversations.growth(&relative(&path)) != Growth::Lines {
            continue;
        }
        for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            // The last line may be torn anywhere; a torn line says nothing.
            for end in [at + 1, at + 1 + (bytes.len() - at - 1).min(40)] {
                let part =
                    bytes[..end].rsplit(|byte| *byte == b'\n').next().map_or(end, |torn| end - torn.len());
                for event in events(conversations, &path, &bytes[..part]) {
                    let known = known.contains(&event.id);
                    // What was the end of a turn for now may turn out to be the middle of one.
                    assert!(
                        known || event.kind == model::EventKind::Stop,
                        "{} {end} {event:?}",
                        path.display()
                    );
                }
            }
        }
    }
}

#[test]
fn lines_in_the_middle_of_a_file_say_what_they_say_by_themselves() {
    for (conversations, path, bytes) in recorded() {
        if conversations.growth(&relative(&path)) != Growth::Lines {
            continue;
        }
        let spoken = |line: &Line| {
            use agents::transcript::What::{Agent, Person};
            matches!(line.what, Person { .. } | Agent { .. }).then(|| line.what.clone())
        };
        let whole: Vec<_> = lines_of(conversations, &path, &bytes).iter().filter_map(spoken).collect();
        let cut = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let rest: Vec<_> = lines_of(conversations, &path, &bytes[cut..]).iter().filter_map(spoken).collect();
        assert_eq!(rest, whole, "{}", path.display());
    }
}

#[test]
fn what_is_no_conversation_says_nothing_and_harms_nobody() {
    let hostile: &[&[u8]] = &[
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe{",
        br#"{"type":"event_msg"}"#,
        br#"{"type":5,"payload":[]}"#,
        br#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{","call_id":""}}"#,
        br#"{"type":"session_meta","payload":{"id":"","source":{"subagent":[[]]},"git":7}}"#,
    ];
    for (_, conversations) in KEPT {
        for name in ["", "/", "x", "é.jsonl", "a/b/c.json"] {
            let mut reader = conversations.reader(name);
            for bytes in hostile {
                assert_eq!(reader.push(0, bytes), [], "{}", String::from_utf8_lossy(bytes));
            }
            let deep = [b"{\"a\":".repeat(100_000), b"1".to_vec()].concat();
            assert_eq!(reader.push(0, &deep), []);
        }
    }
}
