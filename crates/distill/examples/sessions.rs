//! What is distilled from conversations of Claude Code or Codex, as JSON lines, with no daemon and no store: to read while one works on
//! the rules. `throughline eval --sessions` measures the whole way.
//!
//! ```sh
//! cargo run -p throughline-distill --example sessions -- FILE... > memories.jsonl
//! ```

use std::io::Write;

use agents::transcript::{Ending, Replay, events_of};
use agents::{Adapter, Incoming};
use distill::{State, Step, Turn};
use model::{Author, Detail, Event, EventKind, MemoryKind, Observation, Said};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::io::stdout();
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path)?;
        let adapter = adapter_of(&text);
        for memory in memories(adapter, &path, &text) {
            writeln!(out.lock(), "{memory}")?;
        }
    }
    Ok(())
}

/// Codex names itself in the first record.
fn adapter_of(text: &[u8]) -> &'static dyn Adapter {
    let first = String::from_utf8_lossy(&text[..text.len().min(400)]);
    let name = if first.contains("session_meta") { "codex" } else { "claude-code" };
    agents::by_name(name).expect("both are known")
}

/// As the engine does: a fix stands before the failures it resolved, and what says that work was given up before the work.
fn overtake(found: &mut Vec<Value>, observations: &mut Vec<Observation>, newer: &Observation) {
    let given_up = newer.title.strip_prefix(distill::GIVEN_UP).map(|title| title.trim_end_matches('…'));
    forget(found, observations, |older| {
        let shared = older.events.iter().any(|id| newer.events.contains(id));
        let failed = older.kind == MemoryKind::Failure;
        let over = match given_up {
            Some(title) => !failed && older.title.starts_with(title),
            None => failed && newer.kind == MemoryKind::Bugfix,
        };
        shared && over
    });
}

fn forget(found: &mut Vec<Value>, observations: &mut Vec<Observation>, over: impl Fn(&Observation) -> bool) {
    let gone: Vec<(String, u64)> =
        observations.iter().filter(|seen| over(seen)).map(|seen| (seen.title.clone(), seen.at)).collect();
    observations.retain(|seen| !over(seen));
    found.retain(|kept| !gone.iter().any(|(title, at)| kept["title"] == **title && kept["at"] == *at));
}

/// As the daemon does: steps and the state between turns go through JSON, a turn ends with its Stop or the next prompt.
fn memories(adapter: &dyn Adapter, path: &str, text: &[u8]) -> Vec<Value> {
    let Some(conversations) = adapter.conversations() else { return Vec::new() };
    let mut reader = conversations.reader(path);
    let mut lines = Vec::new();
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        lines.extend(reader.push(number as u64, line));
    }
    let mut found = Vec::new();
    let mut observations: Vec<Observation> = Vec::new();
    let mut turns = Vec::new();
    let (mut state, mut steps, mut prompt): (State, Vec<Step>, Option<String>) = Default::default();
    let house = agents::by_name("claude-code").expect("the first one is known");
    for past in events_of(lines, Replay::new(conversations, path), Ending::Over) {
        let event = house.read(&Incoming {
            id: past.id,
            at: past.at,
            hint: None,
            context: &past.context,
            json: &past.body,
        });
        let mut end = |event: &Event, message: Option<&str>, prompt: Option<&str>, steps: &mut Vec<Step>| {
            if steps.is_empty() && message.is_none() {
                return;
            }
            let said = Said::in_turn(&event.context);
            let turn = Turn {
                prompt,
                steps,
                last_message: message,
                said: &said,
                ended_by: Some(event.id),
                ended_at: event.at,
            };
            let distilled = distill::turn(&mut state, &turn);
            steps.clear();
            let session = event.session.as_str();
            let fresh: Vec<u64> = distilled.observations.iter().map(|one| one.at).collect();
            for seen in distilled.observations {
                overtake(&mut found, &mut observations, &seen);
                found.push(json!({ "session": session, "at": seen.at, "kind": seen.kind.name(), "title": seen.title,
                    "subtitle": seen.subtitle, "text": seen.narrative, "facts": seen.facts, "tools": seen.tools,
                    "concepts": seen.concepts, "files": seen.files_modified }));
                observations.push(seen);
            }
            let over = |seen: &Observation| {
                seen.kind == MemoryKind::Failure && seen.events.iter().any(|id| distilled.over.contains(id))
            };
            forget(&mut found, &mut observations, over);
            for old in &distilled.overtaken {
                let title = old.title.trim_end_matches('…');
                let known = |seen: &Observation| {
                    seen.title.starts_with(title)
                        && seen.at < event.at
                        && !fresh.contains(&seen.at)
                        && seen.events.iter().any(|id| old.events.contains(id))
                };
                forget(&mut found, &mut observations, known);
            }
            if let Some(summary) = distilled.summary {
                if !distilled.outside.iter().any(|tool| tool.starts_with(distill::MARK)) {
                    turns.push(summary.clone());
                }
                found.push(
                    json!({ "session": session, "at": event.at, "kind": "summary", "title": summary.request,
                    "tools": distilled.outside, "text": serde_json::to_value(&summary).unwrap_or_default() }),
                );
            }
        };
        match (&event.kind, &event.detail) {
            (EventKind::UserPromptSubmit, Detail::Prompt { text, author: Author::Person }) => {
                end(&event, None, prompt.as_deref(), &mut steps);
                prompt = Some(text.clone());
                steps.extend(distill::step(&event));
            }
            (EventKind::PostToolUse | EventKind::PostToolUseFailure, _) if event.subagent.is_none() => {
                steps.extend(distill::step(&event));
            }
            (EventKind::Stop, Detail::Stop { last_message, .. }) => {
                steps.extend(distill::step(&event));
                end(&event, last_message.as_deref(), prompt.as_deref(), &mut steps);
            }
            (EventKind::PreCompact | EventKind::SessionEnd, _) => {
                end(&event, None, prompt.as_deref(), &mut steps);
            }
            _ => {}
        }
    }
    let own = |tools: &[String]| !tools.iter().any(|tool| tool.starts_with(distill::MARK));
    let mut trusted = observations.clone();
    trusted.retain(|seen| own(&seen.tools));
    if let Some(summary) = distill::session_summary(&state, &turns, &trusted) {
        found.push(json!({ "kind": "session", "title": summary.request, "text": serde_json::to_value(&summary).unwrap_or_default() }));
    }
    for learning in distill::learnings(&state, &observations) {
        found.push(json!({ "kind": "learning", "of": format!("{:?}", learning.kind), "at": learning.at, "title": learning.title,
            "text": learning.text }));
    }
    found
}
