//! What distilling a thousand events costs one core, beside what reading the same events costs: the adapter turns
//! bytes into events, distilling turns events into steps and turns into memories.
//!
//! `cargo bench -p throughline-distill --bench distilling [-- quick]`: a line for each thing that was measured, its
//! name and its times in nanoseconds. `cargo xtask bench distilling` reads it and judges.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::time::Instant;

use agents::{Adapter, Incoming};
use distill::{State, Step, Turn};
use model::{Context, Detail, Event, EventId};
use serde_json::{Value, json};

const EVENTS: usize = 1000;
const ROUNDS: usize = 50;
const QUICK_ROUNDS: usize = 10;
/// Events between a prompt and its answer; a long session has both shorter and longer turns.
const TURN: usize = 25;
const BEGINNING: u64 = 1_760_000_000_000;

fn main() {
    let rounds = if std::env::args().any(|word| word == "quick") { QUICK_ROUNDS } else { ROUNDS };
    let adapter = agents::by_name("claude-code").expect("the first agent that was known");
    let envelopes: Vec<Vec<u8>> =
        (0..EVENTS).map(|number| envelope(number).to_string().into_bytes()).collect();
    let (mut reading, mut distilling) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let start = Instant::now();
        let events: Vec<Event> =
            envelopes.iter().enumerate().map(|(at, json)| read(adapter, at, json)).collect();
        let read = start.elapsed().as_nanos();
        let start = Instant::now();
        let found = distilled(&events);
        let took = start.elapsed().as_nanos();
        assert!(found > EVENTS / TURN, "a turn that repairs something is worth more than one memory");
        // The first fills caches.
        if round > 0 {
            reading.push(read.to_string());
            distilling.push(took.to_string());
        }
    }
    println!("{EVENTS} events read\t{}", reading.join(" "));
    println!("{EVENTS} events distilled\t{}", distilling.join(" "));
}

fn read(adapter: &dyn Adapter, number: usize, json: &[u8]) -> Event {
    let at = BEGINNING + number as u64 * 20_000;
    let id = EventId::mint(at, [(number % 251) as u8; 10]);
    adapter.read(&Incoming { id, at, hint: None, context: &Context::new(), json })
}

/// As the daemon does it: a step per event, a turn at each end. How many memories it gave.
fn distilled(events: &[Event]) -> usize {
    let (mut state, mut steps, mut found) = (State::default(), Vec::<Step>::new(), 0);
    for event in events {
        steps.extend(distill::step(event));
        if let Detail::Stop { last_message, .. } = &event.detail {
            let last_message = last_message.as_deref();
            let turn = Turn {
                prompt: None,
                steps: &steps,
                last_message,
                said: &[],
                ended_by: None,
                ended_at: event.at,
            };
            let distilled = distill::turn(&mut state, &turn);
            found += distilled.observations.len() + usize::from(distilled.summary.is_some());
            steps.clear();
        }
    }
    found
}

/// A turn asks for a repair, looks around, sees a test fail, edits until it passes, commits and explains.
fn envelope(number: usize) -> Value {
    let (turn, place) = (number / TURN, number % TURN);
    let file = format!("/project/crates/store/src/part_{}.rs", turn % 13);
    let mut envelope = match place {
        0 => json!({"hook_event_name": "UserPromptSubmit",
            "prompt": format!("The parser loses the last record of batch {turn}. Find out why and fix it.")}),
        24 => json!({"hook_event_name": "Stop", "stop_hook_active": false,
            "last_assistant_message": format!("The cause was that `flush_{turn}` returned before the buffer was written. \
                I decided to sync in `close` instead of in every write, because writers are many. The test passes now.")}),
        6 | 14 => json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "is_interrupt": false,
            "tool_input": {"command": "cargo test -p store"},
            "error": format!("Exit code 101\n{}\ntest keeps_the_last_record_{turn} ... FAILED\n\
                assertion `left == right` failed\n  left: {turn}\n right: {}", output(number), turn + 1)}),
        23 => tool(
            "Bash",
            json!({"command": format!("git commit -am 'store: keep the last record of batch {turn}'")}),
            json!({"stdout": format!("[main 4be1f{turn:02}] store: keep the last record\n 2 files changed"), "stderr": "",
                "interrupted": false, "isImage": false}),
        ),
        22 => tool(
            "Bash",
            json!({"command": "cargo test -p store"}),
            json!({"stdout": format!("{}\ntest result: ok. 41 passed; 0 failed", output(number)), "stderr": "",
                "interrupted": false, "isImage": false}),
        ),
        8 | 10 | 16 | 18 => edit(&file, number),
        place if place % 3 == 1 => tool(
            "Grep",
            json!({"pattern": format!("fn flush_{turn}")}),
            json!({"mode": "files_with_matches", "numFiles": 1, "filenames": [file]}),
        ),
        place if place % 3 == 2 => tool(
            "Bash",
            json!({"command": format!("ls -l crates/store/src | head -{place}")}),
            json!({"stdout": output(number), "stderr": "", "interrupted": false, "isImage": false}),
        ),
        _ => tool(
            "Read",
            json!({"file_path": file}),
            json!({"type": "text", "file": {"filePath": file, "content": output(number), "numLines": 40,
                "startLine": 1, "totalLines": 40}}),
        ),
    };
    envelope["session_id"] = json!("bench");
    envelope["cwd"] = json!("/project");
    envelope
}

fn edit(file: &str, number: usize) -> Value {
    let (old, new) = (format!("    self.flush_{number}();"), format!("    self.sync_{number}()?;"));
    let lines = [" fn close(&mut self) -> Result<()> {".to_owned(), format!("-{old}"), format!("+{new}")];
    tool(
        "Edit",
        json!({"file_path": file, "old_string": old, "new_string": new}),
        json!({"filePath": file, "oldString": old, "newString": new, "userModified": false, "replaceAll": false,
            "structuredPatch": [{"oldStart": 12, "newStart": 12, "oldLines": 2, "newLines": 2, "lines": lines}]}),
    )
}

#[expect(clippy::needless_pass_by_value, reason = "made for the call and nothing else")]
fn tool(name: &str, input: Value, response: Value) -> Value {
    json!({"hook_event_name": "PostToolUse", "tool_name": name, "tool_input": input, "tool_response": response,
        "duration_ms": 12})
}

/// About two kilobytes, as most output of tools is.
fn output(number: usize) -> String {
    let line = |line| format!("test part_{line}::keeps_what_was_written_{} ... ok", number * 40 + line);
    (0..40).map(line).collect::<Vec<_>>().join("\n")
}
