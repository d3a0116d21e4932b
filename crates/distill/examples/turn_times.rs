//! What distilling costs a turn of real conversations of Claude Code or Codex: its steps and the turn itself. A busy machine counts: read the
//! smallest of some runs.
//!
//! ```sh
//! cargo run --release -p throughline-distill --example turn_times -- FILE...
//! ```

use std::io::Write;
use std::time::Instant;

use agents::Incoming;
use agents::transcript::{Ending, Replay, events_of};
use distill::{State, Step, Turn};
use model::{Author, Detail, EventKind, Said};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut ends, mut whole) = (Vec::new(), Vec::new());
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path)?;
        for (steps, end) in turns(&path, &text) {
            ends.push(end);
            whole.push(steps + end);
        }
    }
    tell("a turn at its end", ends)?;
    tell("with its steps, as they came in", whole)?;
    Ok(())
}

fn tell(what: &str, mut times: Vec<u64>) -> std::io::Result<()> {
    times.sort_unstable();
    let Some(last) = times.len().checked_sub(1) else { return Ok(()) };
    let at = |share: f64| times[(last as f64 * share) as usize] as f64 / 1e6;
    let (half, most, all) = (at(0.5), at(0.99), at(1.0));
    let count = times.len();
    writeln!(
        std::io::stdout(),
        "{count} turns, {what}: p50 {half:.2} ms, p99 {most:.2} ms, at most {all:.2} ms"
    )
}

/// Nanoseconds for the steps of each turn, and for its end.
fn turns(path: &str, text: &[u8]) -> Vec<(u64, u64)> {
    let is_codex = String::from_utf8_lossy(&text[..text.len().min(400)]).contains("session_meta");
    let name = if is_codex { "codex" } else { "claude-code" };
    let Some(conversations) = agents::by_name(name).and_then(agents::Adapter::conversations) else {
        return Vec::new();
    };
    let mut reader = conversations.reader(path);
    let mut lines = Vec::new();
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        lines.extend(reader.push(number as u64, line));
    }
    let house = agents::by_name("claude-code").expect("the first one is known");
    let (mut state, mut steps, mut prompt): (State, Vec<Step>, Option<String>) = Default::default();
    let (mut times, mut spent) = (Vec::new(), 0);
    for past in events_of(lines, Replay::new(conversations, path), Ending::Over) {
        let (id, at) = (past.id, past.at);
        let event = house.read(&Incoming { id, at, hint: None, context: &past.context, json: &past.body });
        if event.subagent.is_some() {
            continue;
        }
        let asked = match (&event.kind, &event.detail) {
            (EventKind::UserPromptSubmit, Detail::Prompt { text, author: Author::Person }) => Some(text),
            _ => None,
        };
        let began = Instant::now();
        if asked.is_none() {
            steps.extend(distill::step(&event));
        }
        spent += began.elapsed().as_nanos() as u64;
        let ends = matches!(event.kind, EventKind::Stop | EventKind::PreCompact | EventKind::SessionEnd);
        if (ends || asked.is_some()) && !steps.is_empty() {
            let said = Said::in_turn(&event.context);
            let last_message = match &event.detail {
                Detail::Stop { last_message, .. } => last_message.as_deref(),
                _ => None,
            };
            let began = Instant::now();
            let turn = Turn {
                prompt: prompt.as_deref(),
                steps: &steps,
                last_message,
                said: &said,
                ended_by: Some(event.id),
                ended_at: event.at,
            };
            let _ = distill::turn(&mut state, &turn);
            times.push((spent, began.elapsed().as_nanos() as u64));
            spent = 0;
            steps.clear();
        }
        if let Some(text) = asked {
            prompt = Some(text.clone());
            steps.extend(distill::step(&event));
        }
    }
    times
}
