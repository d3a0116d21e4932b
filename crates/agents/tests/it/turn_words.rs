//! What is said in the middle of a turn: the end of a file that is being written gives what the whole file gives later.

use agents::ClaudeCode;
use agents::transcript::{Ending, InTurn, Replay, TurnEnd, chunks, events_of, said_in_turn};
use model::{EventKind, Said, SessionId, Speaker};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::transcript_properties::records;

const PATH: &str = "/home/user/.claude/projects/-project/s.jsonl";

fn user(text: &str) -> Value {
    json!({"type": "user", "sessionId": "s", "message": {"role": "user", "content": text}})
}

fn says(text: &str, stop_reason: &str) -> Value {
    json!({"type": "assistant", "sessionId": "s", "message": {"stop_reason": stop_reason,
        "content": [{"type": "text", "text": text}]}})
}

fn call(id: &str) -> Value {
    json!({"type": "assistant", "sessionId": "s", "message": {"stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}}]}})
}

fn gives(id: &str, text: &str) -> Value {
    json!({"type": "user", "sessionId": "s", "toolUseResult": {"stdout": text}, "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "content": text}]}})
}

fn refuses(id: &str, words: &str) -> Value {
    let text = format!(
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, \
         the user said:\n{words}\n\nNote: The user's next message may contain a correction or preference."
    );
    json!({"type": "user", "sessionId": "s", "message": {"content": [
        {"type": "tool_result", "tool_use_id": id, "is_error": true, "content": text}]}})
}

fn file(records: &[Value]) -> Vec<u8> {
    records.iter().map(|record| record.to_string() + "\n").collect::<String>().into_bytes()
}

fn live(records: &[Value], kind: EventKind, next_prompt: Option<&str>) -> InTurn {
    let session = SessionId::new("s");
    let end = TurnEnd { kind, session: &session, at: 1, next_prompt };
    said_in_turn(&ClaudeCode, PATH, &file(records), &end)
}

fn texts(turn: &InTurn) -> Vec<(Speaker, &str)> {
    turn.said.iter().map(|said| (said.by, said.text.as_str())).collect()
}

/// A turn with talk, a refusal and an answer; a second one that is interrupted.
fn story() -> Vec<Value> {
    vec![
        user("why does the build stop?"),
        says("I look at the makefile first.", "tool_use"),
        call("1"),
        gives("1", &"a line that make printed\n".repeat(400)),
        says("Found it: the folder is not made before it is written to.", "tool_use"),
        call("2"),
        refuses("2", "never run the release target, use check"),
        says("Understood.", "tool_use"),
        call("3"),
        gives("3", "ok"),
        says("The folder is made now.", "end_turn"),
        user("and the tests?"),
        says("The tests need the same folder.", "tool_use"),
        call("4"),
        user("[Request interrupted by user]"),
    ]
}

#[test]
fn what_was_said_between_calls_and_when_one_was_refused_is_told_with_the_end_of_the_turn() {
    let story = story();
    let wanted = [
        (Speaker::Agent, "I look at the makefile first."),
        (Speaker::Agent, "Found it: the folder is not made before it is written to."),
        (Speaker::Person, "never run the release target, use check"),
        (Speaker::Agent, "Understood."),
    ];
    let turn = live(&story[..11], EventKind::Stop, None);
    assert_eq!((turn.prompt.as_deref(), texts(&turn)), (Some("why does the build stop?"), wanted.to_vec()));
    let early = live(&story[..10], EventKind::Stop, None);
    assert_eq!(texts(&early), wanted, "the file may not have the last words yet");
    assert_eq!(texts(&live(&story[..11], EventKind::SessionEnd, None)), [], "its Stop has told it");
    assert_eq!(texts(&live(&story[..6], EventKind::PreCompact, None)), wanted[..2]);
}

#[test]
fn an_interrupted_turn_is_told_with_the_next_prompt_whether_the_file_has_that_or_not() {
    let mut story = story();
    let wanted = [(Speaker::Agent, "The tests need the same folder.")];
    for next in ["go on", "/review the tests"] {
        let turn = live(&story, EventKind::UserPromptSubmit, Some(next));
        assert_eq!((turn.prompt.as_deref(), texts(&turn)), (Some("and the tests?"), wanted.to_vec()));
    }
    assert_eq!(texts(&live(&story, EventKind::SessionEnd, None)), wanted);
    story.push(user("go on"));
    let turn = live(&story, EventKind::UserPromptSubmit, Some("go on"));
    assert_eq!((turn.prompt.as_deref(), texts(&turn)), (Some("and the tests?"), wanted.to_vec()));
    assert_eq!(texts(&live(&story, EventKind::Stop, None)), [], "that is of the turn before");
}

/// What is typed while the agent works stands in a queue until the agent is told.
#[test]
fn what_a_person_types_while_the_agent_works_is_said_once_the_agent_is_told() {
    let queue = |operation: &str, content: Option<&str>| json!({"type": "queue-operation", "operation": operation, "content": content, "sessionId": "s"});
    let story = vec![
        user("tidy up the branch"),
        says("I look at the commits first.", "tool_use"),
        call("1"),
        queue("enqueue", Some("please don't amend commits, others have them")),
        gives("1", "ok"),
        queue("remove", None),
        queue("enqueue", Some("/help")),
        queue("remove", None),
        queue("enqueue", Some("<agent-notification>\n<agent-id>a</agent-id>\n</agent-notification>")),
        queue("remove", None),
        queue("enqueue", Some("wait, stop")),
        queue("popAll", Some("wait, stop")),
        says("I leave them.", "tool_use"),
        call("2"),
        queue("enqueue", Some("and then the tests")),
        gives("2", "ok"),
        says("Done.", "end_turn"),
        queue("dequeue", None),
        user("and then the tests"),
    ];
    let wanted = [
        (Speaker::Agent, "I look at the commits first."),
        (Speaker::Person, "please don't amend commits, others have them"),
        (Speaker::Agent, "I leave them."),
    ];
    assert_eq!(texts(&live(&story[..17], EventKind::Stop, None)), wanted);
    let found = pairs(&story);
    assert!(found.len() == 3 && found.iter().all(|(_, live, past)| live == past), "{found:?}");
    let lines: Vec<_> = story
        .iter()
        .zip(0..)
        .flat_map(|(record, at)| ClaudeCode.lines(at, record.to_string().as_bytes()))
        .collect();
    let text: String = chunks(&lines).into_iter().map(|chunk| chunk.text).collect();
    assert!(text.contains("please don't amend commits") && !text.contains("wait, stop"), "{text}");
}

#[test]
fn a_file_of_another_session_a_torn_one_and_later_lines_say_nothing() {
    let mut story = story();
    let session = SessionId::new("another");
    let end = TurnEnd { kind: EventKind::Stop, session: &session, at: 1, next_prompt: None };
    assert_eq!(said_in_turn(&ClaudeCode, PATH, &file(&story), &end), InTurn::default());
    assert_eq!(
        said_in_turn(
            &ClaudeCode,
            PATH,
            b"{torn\n\xff\xfe\n\n",
            &TurnEnd { session: &SessionId::new("s"), ..end }
        ),
        InTurn::default()
    );
    for record in &mut story[11..] {
        record["timestamp"] = json!("2026-01-02T03:04:05.000Z");
    }
    let turn = live(&story, EventKind::Stop, None);
    assert_eq!((turn.prompt.as_deref(), turn.said.len()), (Some("why does the build stop?"), 4));
}

/// The words of every event of the past that ends a turn, and what a hook would have found at that moment.
fn pairs(records: &[Value]) -> Vec<(EventKind, Vec<Said>, Vec<Said>)> {
    let lines = records.iter().enumerate();
    let lines: Vec<_> =
        lines.flat_map(|(at, record)| ClaudeCode.lines(at as u64, record.to_string().as_bytes())).collect();
    let past = events_of(lines, Replay::new(&ClaudeCode, PATH), Ending::Open);
    let mut pairs = Vec::new();
    for event in past {
        let body: Value = serde_json::from_slice(&event.body).expect("an envelope");
        let by_main = body.get("agent_id").is_none() && body.get("prompt_source").is_none();
        let until = match event.kind {
            EventKind::Stop if by_main => event.line as usize + 1,
            EventKind::UserPromptSubmit | EventKind::PreCompact if by_main => event.line as usize,
            _ => continue,
        };
        let found = live(&records[..until], event.kind, body["prompt"].as_str());
        pairs.push((event.kind, found.said, Said::in_turn(&event.context)));
    }
    pairs
}

#[test]
fn the_story_gives_the_same_live_and_later() {
    let found = pairs(&story());
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|(_, live, past)| live == past), "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn live_and_later_give_the_same_words(records in records()) {
        for (kind, live, past) in pairs(&records) {
            prop_assert_eq!(live, past, "{:?}", kind);
        }
    }
}
