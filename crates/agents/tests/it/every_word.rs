//! Nothing that a person or an agent said is in no piece: conversations are made up and written down in the shape of every agent, each
//! paragraph with a word of its own.

use agents::transcript::{
    Chats, Conversations, Growth, Line, OpenCodeSessions, Rollouts, SessionStates, chunks,
};
use agents::{Adapter, ClaudeCode};
use proptest::prelude::*;
use serde_json::{Value, json};

const TIME: &str = "2026-05-01T10:00:00.000Z";
const SESSION: &str = "0199a3f0-1111-7222-8333-444455556666";

/// A paragraph: about how many characters stand around its word, and what is between it and the next.
type Paragraph = (usize, u8);

#[derive(Debug, Clone)]
struct Turn {
    asked: Vec<Paragraph>,
    /// Texts of the agent, each before a call or not.
    said: Vec<(Vec<Paragraph>, bool)>,
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let paragraphs = || prop::collection::vec((0..2600_usize, 0..4_u8), 1..7);
    let said = prop::collection::vec((paragraphs(), any::<bool>()), 0..5);
    let turn = (paragraphs(), said).prop_map(|(asked, said)| Turn { asked, said });
    prop::collection::vec(turn, 1..5)
}

/// Makes texts, and remembers the word of each paragraph.
#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn text(&mut self, paragraphs: &[Paragraph]) -> String {
        let mut text = String::new();
        for (length, between) in paragraphs {
            let word = format!("w{}ord", self.0.len());
            let filler = "lorem ipsum dolor. ".repeat(length / 19);
            let half = filler.len() / 2;
            text.push_str(&format!("{}{word} {}", &filler[..half], &filler[half..]));
            text.push_str(["\n\n", "\n", "\n\n\n- ", "\n\n```\n"][usize::from(*between)]);
            self.0.push(word);
        }
        text
    }
}

/// A conversation in our own words, with texts made.
enum SaidInTalk {
    Asked(String),
    Answer { text: String, calls: bool },
}

fn talk(turns: &[Turn], words: &mut Words) -> Vec<SaidInTalk> {
    let mut talk = Vec::new();
    for turn in turns {
        talk.push(SaidInTalk::Asked(words.text(&turn.asked)));
        for (text, calls) in &turn.said {
            talk.push(SaidInTalk::Answer { text: words.text(text), calls: *calls });
        }
    }
    talk
}

fn lines(records: Vec<Value>) -> Vec<u8> {
    records.into_iter().map(|record| record.to_string() + "\n").collect::<String>().into_bytes()
}

fn claude_code(talk: &[SaidInTalk]) -> Vec<u8> {
    let mut records = Vec::new();
    for (at, said) in talk.iter().enumerate() {
        let mut push = |kind: &str, message: Value| {
            let uuid = format!("u{}", records.len());
            records.push(
                json!({ "type": kind, "uuid": uuid, "sessionId": SESSION, "timestamp": TIME, "cwd": "/w",
                "version": "2.1.0", "message": message }),
            );
        };
        match said {
            SaidInTalk::Asked(text) => push("user", json!({ "role": "user", "content": text })),
            SaidInTalk::Answer { text, calls } => {
                let reason = if *calls { "tool_use" } else { "end_turn" };
                let message = |content: Value| json!({ "id": format!("m{at}"), "role": "assistant", "content": [content], "stop_reason": reason });
                push("assistant", message(json!({ "type": "text", "text": text })));
                if *calls {
                    let id = format!("t{at}");
                    let call = json!({ "type": "tool_use", "id": id, "name": "Read", "input": { "file_path": "/w/a" } });
                    push("assistant", message(call));
                    let result = json!({ "type": "tool_result", "tool_use_id": id, "content": "x" });
                    push("user", json!({ "role": "user", "content": [result] }));
                }
            }
        }
    }
    lines(records)
}

fn codex(talk: &[SaidInTalk]) -> Vec<u8> {
    let record = |kind: &str, payload: Value| json!({ "timestamp": TIME, "type": kind, "payload": payload });
    let mut records = vec![record("session_meta", json!({ "id": SESSION, "cwd": "/w" }))];
    for (at, said) in talk.iter().enumerate() {
        match said {
            SaidInTalk::Asked(text) => {
                records.push(record("event_msg", json!({ "type": "user_message", "message": text })));
            }
            SaidInTalk::Answer { text, calls } => {
                records.push(record("event_msg", json!({ "type": "agent_message", "message": text })));
                if *calls {
                    let id = format!("call{at}");
                    let call = json!({ "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": id });
                    records.push(record("response_item", call));
                    let output = json!({ "type": "function_call_output", "call_id": id, "output": "x" });
                    records.push(record("response_item", output));
                }
            }
        }
    }
    lines(records)
}

fn gemini_messages(talk: &[SaidInTalk]) -> Vec<Value> {
    let one = |(at, said): (usize, &SaidInTalk)| match said {
        SaidInTalk::Asked(text) => {
            json!({ "id": format!("g{at}"), "timestamp": TIME, "type": "user", "content": [{ "text": text }] })
        }
        SaidInTalk::Answer { text, calls } => {
            let call = json!({ "id": format!("c{at}"), "name": "read_file", "args": {}, "status": "success", "result": "x" });
            let calls = if *calls { vec![call] } else { Vec::new() };
            json!({ "id": format!("g{at}"), "timestamp": TIME, "type": "gemini", "content": text, "toolCalls": calls })
        }
    };
    talk.iter().enumerate().map(one).collect()
}

fn gemini_header() -> Value {
    json!({ "sessionId": SESSION, "projectHash": "x", "startTime": TIME, "lastUpdated": TIME })
}

fn gemini_lines(talk: &[SaidInTalk]) -> Vec<u8> {
    let mut records = vec![gemini_header()];
    for mut message in gemini_messages(talk) {
        // Written once without its calls, and again with them.
        let whole = message.clone();
        message["toolCalls"] = json!([]);
        records.extend([message, whole]);
    }
    lines(records)
}

fn gemini_document(talk: &[SaidInTalk]) -> Vec<u8> {
    let mut document = gemini_header();
    document["messages"] = json!(gemini_messages(talk));
    document.to_string().into_bytes()
}

fn copilot(talk: &[SaidInTalk]) -> Vec<u8> {
    let start = json!({ "type": "session.start", "id": "e", "timestamp": TIME, "data": { "sessionId": SESSION, "context": { "cwd": "/w" } } });
    let one = |(at, said): (usize, &SaidInTalk)| {
        let (kind, data) = match said {
            SaidInTalk::Asked(text) => {
                ("user.message", json!({ "content": text, "interactionId": format!("i{at}") }))
            }
            SaidInTalk::Answer { text, calls } => {
                let requests = if *calls { json!([{ "toolCallId": "c" }]) } else { json!([]) };
                let message = format!("m{at}");
                (
                    "assistant.message",
                    json!({ "content": text, "messageId": message, "toolRequests": requests }),
                )
            }
        };
        json!({ "type": kind, "id": format!("e{at}"), "timestamp": TIME, "data": data })
    };
    lines([start].into_iter().chain(talk.iter().enumerate().map(one)).collect())
}

fn opencode(talk: &[SaidInTalk]) -> Vec<u8> {
    let one = |(at, said): (usize, &SaidInTalk)| {
        let info = |role: &str| json!({ "id": format!("msg_{at}"), "role": role, "time": { "created": 1_777_000_000_000_u64 } });
        let text = |text: &str| json!({ "id": format!("prt_{at}a"), "type": "text", "text": text });
        match said {
            SaidInTalk::Asked(asked) => json!({ "info": info("user"), "parts": [text(asked)] }),
            SaidInTalk::Answer { text: answer, calls } => {
                let mut parts =
                    vec![json!({ "id": format!("prt_{at}0"), "type": "step-start" }), text(answer)];
                if *calls {
                    let state = json!({ "status": "completed", "input": { "command": "ls" }, "output": "x", "metadata": {} });
                    parts.push(json!({ "id": format!("prt_{at}b"), "type": "tool", "tool": "bash", "callID": format!("c{at}"), "state": state }));
                }
                json!({ "info": info("assistant"), "parts": parts })
            }
        }
    };
    let messages: Vec<Value> = talk.iter().enumerate().map(one).collect();
    json!({ "info": { "id": "ses_1", "directory": "/w" }, "root": "ses_1", "messages": messages })
        .to_string()
        .into_bytes()
}

type FormatShape = (&'static str, &'static dyn Conversations, &'static str, fn(&[SaidInTalk]) -> Vec<u8>);

fn shapes() -> Vec<FormatShape> {
    let claude = ClaudeCode.conversations().expect("it keeps them");
    vec![
        ("claude-code", claude, "-w/s.jsonl", claude_code),
        ("codex", &Rollouts, "rollout-1.jsonl", codex),
        ("gemini-cli", &Chats, "p/chats/session-1.jsonl", gemini_lines),
        ("gemini-cli, one document", &Chats, "p/chats/session-1.json", gemini_document),
        ("copilot", &SessionStates, "s/events.jsonl", copilot),
        ("opencode", &OpenCodeSessions, "opencode.db/ses_1", opencode),
    ]
}

fn read(conversations: &dyn Conversations, path: &str, file: &[u8]) -> Vec<Line> {
    let mut reader = conversations.reader(path);
    if conversations.growth(path) != Growth::Lines {
        return reader.push(0, file);
    }
    let records = file.split(|byte| *byte == b'\n').enumerate();
    records.flat_map(|(number, record)| reader.push(number as u64, record)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_paragraph_is_in_a_piece_in_the_shape_of_every_agent(turns in turns()) {
        let mut words = Words::default();
        let talk = talk(&turns, &mut words);
        for (agent, conversations, path, write) in shapes() {
            let lines = read(conversations, path, &write(&talk));
            let whole = chunks(&lines);
            let missing: Vec<&String> =
                words.0.iter().filter(|word| !whole.iter().any(|piece| piece.text.contains(*word))).collect();
            prop_assert!(missing.is_empty(), "{agent}: {missing:?}");
            // Pieces of one session have names of their own.
            let mut names: Vec<_> = whole.iter().map(|piece| (piece.first_line, piece.part)).collect();
            names.sort_unstable();
            names.dedup();
            prop_assert_eq!(names.len(), whole.len(), "{}", agent);
            // Cut again from where a turn begins, it gives the same pieces from there on.
            for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.begins_turn()) {
                let again = chunks(&lines[at..]);
                let from = whole.iter().position(|piece| piece.first_line == line.number);
                prop_assert_eq!(Some(&again[..]), from.map(|from| &whole[from..]), "{}", agent);
            }
        }
    }
}
