//! The adapters as the daemon and the binary see them.

mod answers;
mod codex;
mod conversations;
mod copilot;
mod cursor;
mod every_word;
mod fixtures;
mod gemini;
mod hostile;
mod install;
mod opencode;
mod properties;
mod servers;
mod titles;
mod transcript_properties;
mod transcripts;
mod turn_words;

use std::path::Path;

use agents::{Adapter, ClaudeCode, Incoming};
use model::{Advice, Context, Event, EventId, Note, Verdict};

/// Reads an envelope as the daemon does, at a fixed time.
fn read(json: &[u8], hint: Option<&str>) -> Event {
    with_incoming(json, hint, |incoming| ClaudeCode.read(incoming))
}

fn with_incoming(json: &[u8], hint: Option<&str>, make: impl FnOnce(&Incoming<'_>) -> Event) -> Event {
    let context = Context::from([("CLAUDE_PID".to_owned(), "42".to_owned())]);
    let id = EventId::mint(1_800_000_000_000, [7; 10]);
    make(&Incoming { id, at: 1_800_000_000_000, hint, context: &context, json })
}

fn fixture(name: &str) -> Vec<u8> {
    fixture_of("claude_code", name)
}

fn fixture_of(agent: &str, name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(agent);
    let path = folder.join(name).with_extension("json");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn say(texts: &[&str]) -> Advice {
    let notes =
        texts.iter().map(|text| Note { from: "test", text: (*text).to_owned(), items: Vec::new() }).collect();
    Advice { notes, ..Advice::default() }
}

/// Everything that can be advised at once.
fn everything() -> Advice {
    Advice {
        tells: vec!["one".into(), "two".into()],
        verdict: Some(Verdict::Deny { reason: "held by a".into() }),
        hold: Some("tests fail".into()),
        instructions: Some("keep the plan".into()),
        ..say(&["a", "b"])
    }
}
