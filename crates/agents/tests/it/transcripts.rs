//! Real transcripts and what we make of them: their lines, their events, their pieces. `UPDATE_FIXTURES=1`
//! writes the readings anew, for review.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use agents::ClaudeCode;
use agents::transcript::{Ending, Line, PastEvent, Replay, Twin, What, chunks, events_of};
use model::EventKind;
use serde_json::{Value, json};

use crate::{fixture, read};

const HOME: &str = "/home/user/.claude/projects/-project";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude_code_transcripts")
}

fn lines_of(transcript: &[u8]) -> Vec<Line> {
    let raw = transcript.split(|byte| *byte == b'\n');
    raw.enumerate().flat_map(|(number, raw)| ClaudeCode.lines(number as u64, raw)).collect()
}

fn recorded(name: &str) -> Vec<Line> {
    lines_of(&std::fs::read(folder().join(name).with_extension("jsonl")).expect("a fixture"))
}

fn events(lines: Vec<Line>, path: &str) -> Vec<PastEvent> {
    events_of(lines, Replay::new(&ClaudeCode, path), Ending::Over).collect()
}

fn past(name: &str, path: &str) -> Vec<PastEvent> {
    events(recorded(name), &format!("{HOME}/{path}"))
}

fn body(event: &PastEvent) -> Value {
    serde_json::from_slice(&event.body).expect("a fixture")
}

#[test]
fn every_transcript_reads_as_it_was_reviewed() {
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut found = 0;
    for file in std::fs::read_dir(folder()).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        found += 1;
        let lines = lines_of(&std::fs::read(&path).unwrap());
        let reading = render(&lines, Replay::new(&ClaudeCode, "projects/x.jsonl"));
        let recorded = path.with_extension("reading");
        if update {
            std::fs::write(&recorded, reading).unwrap();
        } else {
            assert_eq!(std::fs::read_to_string(&recorded).unwrap(), reading, "{}", path.display());
        }
    }
    assert!(found >= 4);
}

/// The captured hooks and the captured transcripts are of the same sessions.
#[test]
fn the_past_gives_the_events_that_the_hooks_gave() {
    let tools = past("tools", "8dcc5c1e-5996-4055-8d51-9334035847e7.jsonl");
    let names = |events: &[PastEvent]| events.iter().map(|event| event.kind.name()).collect::<Vec<_>>();
    let mut expected = vec!["SessionStart", "UserPromptSubmit"];
    expected.extend(["PostToolUse"; 6]);
    expected.extend(["PostToolUseFailure", "PostToolUseFailure", "Stop", "SessionEnd"]);
    assert_eq!(names(&tools), expected);
    let hooks = [
        "SessionStart-1",
        "UserPromptSubmit-1",
        "PostToolUse-1",
        "PostToolUse-2",
        "PostToolUse-3",
        "PostToolUse-4",
        "PostToolUse-5",
        "PostToolUse-6",
        "PostToolUseFailure-1",
        "PostToolUseFailure-2",
        "Stop-1",
        "SessionEnd-1",
    ];
    for (event, hook) in tools.iter().zip(hooks) {
        same_as_hook(event, hook);
    }

    let compact = past("compact-manual", "639cfba2-e4c1-4ee3-95ab-3390cff3e789.jsonl");
    assert_eq!(
        names(&compact),
        [
            "SessionStart",
            "UserPromptSubmit",
            "Stop",
            "PreCompact",
            "PostCompact",
            "SessionStart",
            "UserPromptSubmit",
            "Stop",
            "SessionEnd"
        ]
    );
    same_as_hook(&compact[3], "PreCompact-1");
    assert_eq!(body(&compact[4])["compact_summary"], "SUMMARY-OF-THE-PAST");
    assert_eq!(body(&compact[5])["source"], "compact");
    assert_eq!(body(&compact[1])["prompt"], "one");
    assert_eq!(body(&compact[6])["prompt"], "two");

    let subagent =
        past("subagent", "462bd627-b1c2-468a-9503-15d2bdcd3b66/subagents/agent-a44b10ed607470b03.jsonl");
    assert_eq!(names(&subagent), ["PostToolUse", "SubagentStop", "SubagentStop"]);
    assert_eq!(body(&subagent[0])["agent_id"], "a44b10ed607470b03");
    assert_eq!(body(&subagent[0])["tool_response"], "1\tx", "no structured result was kept");
    same_as_hook(&subagent[1], "SubagentStop-1");
    same_as_hook(&subagent[2], "SubagentStop-2");
}

/// Everything the past tells is what the hook told. Not all that the hook told is in a transcript.
#[track_caller]
fn same_as_hook(event: &PastEvent, hook: &str) {
    let live: Value = serde_json::from_slice(&fixture(hook)).expect("an envelope");
    let past = body(event);
    for (name, value) in past.as_object().expect("an envelope") {
        assert_eq!(value, &live[name.as_str()], "{hook}: {name}");
    }
    let untold = ["effort", "duration_ms", "permission_mode", "background_tasks", "session_crons"];
    for name in live.as_object().expect("an envelope").keys() {
        assert!(untold.contains(&name.as_str()) || past.get(name).is_some(), "{hook}: {name} is missing");
    }
}

#[test]
fn reading_twice_gives_the_same_ids_and_growth_adds_only_what_is_new() {
    let path = "8dcc5c1e-5996-4055-8d51-9334035847e7.jsonl";
    let once = past("tools", path);
    assert_eq!(once, past("tools", path));
    let mut ids: Vec<_> = once.iter().map(|event| event.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), once.len(), "no id is given twice");

    let whole = recorded("tools");
    for end in 0..whole.len() {
        for event in events(whole[..end].to_vec(), &format!("{HOME}/{path}")) {
            let known = once.iter().any(|known| known.id == event.id);
            assert!(known, "{:?} at line {} of the first {end} blocks", event.kind, event.line);
        }
    }
}

#[test]
fn a_live_twin_is_named_by_what_both_know() {
    let events = past("tools", "x.jsonl");
    let prompt = Twin::Prompt("8f4e24df-13fe-4ca7-9269-098843deccc6".to_owned());
    assert_eq!(events[0].twin, Twin::Session);
    assert_eq!(events[1].twin, prompt);
    assert_eq!(events[2].twin, Twin::ToolUse("toolu_fake_71a8ee4c5d454eb089da".to_owned()));
    assert_eq!(events[10].twin, prompt);
    let subagent = past("subagent", "x.jsonl");
    assert_eq!(subagent[2].twin, Twin::Subagent("a44b10ed607470b03".to_owned()));
}

#[test]
fn the_adapter_reads_the_past_like_the_present() {
    for event in past("tools", "x.jsonl") {
        let seen = read(&event.body, None);
        assert_eq!((seen.kind, &seen.session), (event.kind, &event.session));
        assert_eq!(seen.cwd.as_deref(), Some("/project"));
        assert_ne!(seen.detail, model::Detail::Plain, "{:?}", event.kind);
    }
    for event in past("subagent", "x.jsonl") {
        let seen = read(&event.body, None);
        assert_eq!(seen.kind, event.kind, "it is no compaction's end");
        assert_eq!(seen.subagent.unwrap().id, "a44b10ed607470b03");
    }
}

#[test]
fn a_turn_that_was_interrupted_or_goes_on_has_no_stop() {
    let kinds = |records: &[Value], ending| -> Vec<EventKind> {
        let lines = lines_of(&transcript(records));
        events_of(lines, Replay::new(&ClaudeCode, "x.jsonl"), ending).map(|event| event.kind).collect()
    };
    let (start, prompt) = (EventKind::SessionStart, EventKind::UserPromptSubmit);
    let asked = user("do it");
    assert_eq!(kinds(&[asked.clone(), agent("Wait", "tool_use")], Ending::Open), [start, prompt]);
    let stopped =
        [asked.clone(), agent("Well", "end_turn"), user("[Request interrupted by user]"), user("so")];
    assert_eq!(kinds(&stopped, Ending::Open), [start, prompt, prompt]);
    let done = [asked, agent("Done", "end_turn")];
    assert_eq!(kinds(&done, Ending::Open), [start, prompt, EventKind::Stop]);
    assert_eq!(kinds(&done, Ending::Over).last(), Some(&EventKind::SessionEnd));
    let said_at = 1_794_770_000_000;
    assert_eq!(
        kinds(&done, Ending::OverBefore(said_at + 1_000_000_000)).last(),
        Some(&EventKind::SessionEnd)
    );
    assert_eq!(kinds(&done, Ending::OverBefore(1)).last(), Some(&EventKind::Stop));
}

#[test]
fn a_command_the_agent_answers_is_a_prompt_and_a_local_one_is_not() {
    let command = user(
        "<command-message>hello</command-message>\n<command-name>/hello</command-name>\n<command-args>world</command-args>",
    );
    let replay = |records: &[Value]| events(lines_of(&transcript(records)), "x.jsonl");
    let answered = replay(&[command.clone(), agent("Hello, world", "end_turn")]);
    assert_eq!(body(&answered[1])["prompt"], "/hello world");
    let local = replay(&[command, user("<local-command-stdout>done</local-command-stdout>"), user("next")]);
    let prompts: Vec<Value> =
        local.iter().filter(|event| event.kind == EventKind::UserPromptSubmit).map(body).collect();
    assert_eq!(prompts.len(), 1);
    assert_eq!(prompts[0]["prompt"], "next");
}

#[test]
fn a_refused_call_is_no_event_and_no_failure() {
    let call = json!({"type": "assistant", "sessionId": "s", "uuid": "c", "message": {"id": "m", "content":
        [{"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "/a"}}]}});
    for refusal in [
        json!({"content": "The user doesn't want to proceed with this tool use. STOP", "is_error": true}),
        json!({"content": "<tool_use_error>String to replace not found</tool_use_error>", "is_error": true}),
    ] {
        let mut block = refusal;
        block["type"] = json!("tool_result");
        block["tool_use_id"] = json!("t1");
        let result = json!({"type": "user", "sessionId": "s", "uuid": "r", "message": {"content": [block]}});
        let kinds: Vec<_> = events(lines_of(&transcript(&[call.clone(), result])), "x.jsonl")
            .iter()
            .map(|event| event.kind)
            .collect();
        assert_eq!(kinds, [EventKind::SessionStart, EventKind::SessionEnd]);
    }
}

#[test]
fn a_branch_is_the_one_of_that_day() {
    let mut record = user("hello");
    record["gitBranch"] = json!("fix/parser");
    let events = events(lines_of(&transcript(&[record])), "x.jsonl");
    assert!(events.iter().all(|event| event.context["branch"] == "fix/parser"));
}

#[test]
fn broken_lines_cost_only_themselves() {
    let mut bytes = b"\xff\xfe not json\n{\"type\":\"user\"\n\n[1,2]\n{\"type\":5}\nnull\n".to_vec();
    bytes.extend_from_slice(br#"{"type":"user","sessionId":"s","message":{"content":"caf"#);
    bytes.push(0xe9);
    bytes.extend_from_slice(b" is closed\"}}\n");
    bytes.extend(transcript(&[user("whole")]));
    bytes.extend_from_slice(br#"{"type":"user","sessionId":"s","message":{"content":"torn"#);
    let texts: Vec<What> = lines_of(&bytes).into_iter().map(|line| line.what).collect();
    let person = |text: &str| What::Person { text: text.to_owned() };
    assert_eq!(texts, [person("caf\u{fffd} is closed"), person("whole")]);
}

fn transcript(records: &[Value]) -> Vec<u8> {
    records.iter().map(|record| record.to_string() + "\n").collect::<String>().into_bytes()
}

fn user(text: &str) -> Value {
    json!({"type": "user", "sessionId": "s", "uuid": format!("u {text}"), "timestamp": "2026-11-15T19:33:08.845Z",
        "message": {"role": "user", "content": text}})
}

fn agent(text: &str, stop_reason: &str) -> Value {
    json!({"type": "assistant", "sessionId": "s", "uuid": format!("a {text}"),
        "message": {"id": text, "content": [{"type": "text", "text": text}], "stop_reason": stop_reason}})
}

/// Lines that say nothing are counted; the others, the events and the pieces are shown.
pub(crate) fn render(lines: &[Line], replay: Replay) -> String {
    let mut out = String::from("LINES\n");
    let meta = lines.iter().filter(|line| line.what == What::Meta).count();
    for line in lines.iter().filter(|line| line.what != What::Meta) {
        let who = line.subagent.as_ref().map_or("main", |subagent| subagent.id.as_str());
        writeln!(out, "{:>3} {} {who} {:?}", line.number, line.at.unwrap_or(0), line.what).expect("memory");
    }
    writeln!(out, "and {meta} that say nothing\n\nEVENTS").expect("memory");
    for event in events_of(lines.to_vec(), replay, Ending::Over) {
        let text = String::from_utf8(event.body).expect("memory");
        writeln!(out, "{:>3} {} {} {:?}\n    {text}", event.line, event.id, event.at, event.twin)
            .expect("memory");
    }
    writeln!(out, "\nPIECES").expect("memory");
    for chunk in chunks(lines) {
        writeln!(out, "{}-{} {:?}\n{}\n", chunk.first_line, chunk.last_line, chunk.voice, chunk.text)
            .expect("memory");
    }
    out
}
