//! The adapters as the daemon and the binary see them.

mod answers;
mod conversations;
mod fixtures;
mod hostile;
mod install;
mod properties;
mod servers;
mod transcript_properties;
mod transcripts;

use std::path::Path;

use agents::{Adapter, ClaudeCode, Incoming};
use model::{Context, Event, EventId};

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
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude_code").join(name).with_extension("json");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
