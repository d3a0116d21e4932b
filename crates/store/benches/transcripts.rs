//! How fast a past transcript is taken in: read and replayed through the redactor, and kept in the archive.
//!
//! `cargo bench -p throughline-store --bench transcripts [-- MEGABYTES]` generates a transcript from the records
//! of the real client, filled with this repository's own source. The goal is 100 MB a minute.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a report for people")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use agents::transcript::{Ending, Replay, chunks};
use agents::{Adapter, ClaudeCode};
use model::SessionId;
use redact::{Redactor, Settings};
use serde_json::{Value, json};
use store::archive::{Archive, Key, RawLines};

/// A heavy day's transcript.
const DEFAULT_MEGABYTES: u64 = 200;

fn main() {
    let megabytes = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(DEFAULT_MEGABYTES);
    let world = tempfile::tempdir().unwrap();
    let source = world.path().join("source.jsonl");
    let bytes = generate(&source, megabytes << 20);
    println!("{} MB, peak memory so far {} MB", bytes >> 20, peak());
    let redactor = Redactor::new(Settings::default()).unwrap();

    let report = |what: &str, began: Instant, said: String| {
        let seconds = began.elapsed().as_secs_f64();
        let rate = bytes as f64 / f64::from(1 << 20) / seconds;
        println!("{what:<34} {seconds:>6.2} s {rate:>7.1} MB/s  peak {} MB  {said}", peak());
    };

    let began = Instant::now();
    let mut raw = RawLines::open(&source).unwrap();
    let mut count = 0;
    while let Some(line) = raw.next().unwrap() {
        count += ClaudeCode.lines(line.number, line.bytes).len();
    }
    report("read", began, format!("{count} blocks"));

    let began = Instant::now();
    let mut raw = RawLines::open(&source).unwrap();
    let conversations = ClaudeCode.conversations().unwrap();
    let mut reader = conversations.reader("source.jsonl");
    let mut replay = Replay::new(conversations, "source.jsonl");
    let (mut events, mut redacted) = (0, 0);
    while let Some(line) = raw.next().unwrap() {
        for line in reader.push(line.number, line.bytes) {
            for event in replay.push(line) {
                events += 1;
                redacted += redactor.envelope(&event.body).json.len();
            }
        }
    }
    events += replay.finish(Ending::Over).len();
    report("read, replay, redact (backfill)", began, format!("{events} events, {} MB", redacted >> 20));

    let began = Instant::now();
    let archive = Archive::open(&world.path().join("archive")).unwrap();
    let key = Key { agent: "claude-code".into(), session: SessionId::new("bench"), subagent: None };
    let appended = archive.append(&key, &source, &|line| redactor.envelope(line).json).unwrap();
    report("redact, compress, keep (archive)", began, format!("{} MB on disk", archive.total_bytes() >> 20));

    let began = Instant::now();
    let calls = 1000;
    for _ in 0..calls {
        assert!(
            archive.append(&key, &source, &|_| unreachable!("nothing is new")).unwrap().new_lines.is_empty()
        );
    }
    println!("without news {:.1} us", began.elapsed().as_secs_f64() * 1e6 / f64::from(calls));

    let began = Instant::now();
    let (mut at, mut pieces) = (0, 0);
    while at < appended.new_lines.end {
        let page = archive.read(&key, at..appended.new_lines.end).unwrap();
        at = page.last().unwrap().number + 1;
        let lines: Vec<_> =
            page.iter().flat_map(|line| ClaudeCode.lines(line.number, line.text.as_bytes())).collect();
        pieces += chunks(&lines).len();
    }
    report("decompress, read, cut into pieces", began, format!("{pieces} pieces"));

    let began = Instant::now();
    let one = archive.read(&key, appended.new_lines.end / 2..appended.new_lines.end / 2 + 1).unwrap();
    println!(
        "one line from the middle {:.2} ms ({} bytes)",
        began.elapsed().as_secs_f64() * 1e3,
        one[0].text.len()
    );
}

/// Turns of a prompt, a few calls and an answer; most bytes are what tools gave, twice, as in the client.
fn generate(path: &Path, bytes: u64) -> u64 {
    let sources = sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
    let mut out = BufWriter::new(File::create(path).unwrap());
    let (mut written, mut number) = (0, 0_u64);
    let mut put = |record: Value| {
        let mut line = record.to_string();
        line.push('\n');
        out.write_all(line.as_bytes()).unwrap();
        written += line.len() as u64;
        written
    };
    loop {
        number += 1;
        let text = &sources[number as usize % sources.len()];
        let common = |kind: &str| {
            json!({"type": kind, "sessionId": "bench", "uuid": format!("{kind} {number}"), "cwd": "/project",
                "gitBranch": "main", "timestamp": "2026-11-15T19:33:08.845Z", "isSidechain": false})
        };
        if number % 8 == 1 {
            let mut record = common("user");
            record["message"] = json!({"role": "user", "content": format!("Why does step {number} fail?")});
            put(record);
        }
        let id = format!("toolu_{number}");
        let mut record = common("assistant");
        record["message"] = json!({"id": id, "role": "assistant", "stop_reason": "tool_use", "content":
            [{"type": "text", "text": format!("I read file {number}.")},
             {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": format!("/project/{number}.rs")}}]});
        put(record);
        let mut record = common("user");
        record["message"] = json!({"content": [{"type": "tool_result", "tool_use_id": id, "content": text}]});
        record["toolUseResult"] = json!({"type": "text", "file": {"content": text, "numLines": 10}});
        if put(record) >= bytes {
            break;
        }
        if number % 8 == 0 {
            let mut record = common("assistant");
            record["message"] = json!({"id": format!("end {number}"), "role": "assistant", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": text.chars().take(900).collect::<String>()}]});
            put(record);
        }
    }
    out.flush().unwrap();
    fs::metadata(path).unwrap().len()
}

fn sources(crates: &Path) -> Vec<String> {
    let mut folders: Vec<PathBuf> = vec![crates.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.extend(fs::read_to_string(&path));
            }
        }
    }
    found.sort();
    found
}

/// The most memory this process ever had, in MB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()).unwrap_or(0) / 1024
}
