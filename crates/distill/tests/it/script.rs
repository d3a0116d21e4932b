//! Sessions as compact text: each block becomes the envelope Claude Code sends for it, and is read by its adapter.
//!
//! ```text
//! cwd /srv/ledger
//! > what the person asks            (up to a line with a single dot)
//! read src/a.rs                     read src/a.rs 40+60: lines 40 to 99
//! grep pattern = a.rs b.rs          grep with the files it hits
//! edit src/a.rs                     then lines with ' ', '-' or '+'; `@ 12` begins a hunk at line 12
//! write src/b.rs                    then the file
//! bash cargo test                   then its output; `! 101` as first line: the exit code
//! web https://…                     then the answer; search words: the same without a scheme
//! mcp server tool {"json": "input"} then the answer; `!` as first line: it failed
//! agent id task                     then the result; `in id` before a block: inside that subagent
//! ask question = answer
//! todo done item | open: other item
//! ~ what the agent says between two calls, `no` what the person types when refusing one (each up to a line with a single dot)
//! < the agent's last words          (up to a line with a single dot), ends the turn
//! ```
//! Blocks end with a line that holds a single dot; `read`, `grep`, `ask` and `todo` are one line.

use distill::{Distilled, State, Step, Turn};
use model::{Context, Event, EventId, Learning, Observation, Said, Speaker};
use serde_json::{Value, json};

pub(crate) struct Played {
    pub events: usize,
    pub turns: Vec<Distilled>,
    pub learnings: Vec<Learning>,
    pub state: State,
}

impl Played {
    pub(crate) fn observations(&self) -> Vec<&Observation> {
        self.turns.iter().flat_map(|turn| &turn.observations).collect()
    }
}

/// Plays a session as the daemon does: a state and steps that went through JSON, one turn at each Stop.
pub(crate) fn play(script: &str) -> Played {
    let events = events(script);
    let mut played =
        Played { events: events.len(), turns: Vec::new(), learnings: Vec::new(), state: State::default() };
    let mut state = State::default();
    let mut steps: Vec<Step> = Vec::new();
    for event in &events {
        if let Some(step) = distill::step(event) {
            let json = serde_json::to_string(&step).unwrap();
            assert!(json.len() <= Step::MAX_BYTES, "{} bytes: {json}", json.len());
            let read: Step = serde_json::from_str(&json).unwrap();
            assert_eq!(read, step);
            steps.push(read);
        }
        if let model::Detail::Stop { last_message, .. } = &event.detail
            && event.subagent.is_none()
        {
            let turn = Turn {
                prompt: None,
                steps: &steps,
                last_message: last_message.as_deref(),
                said: &model::Said::in_turn(&event.context),
                ended_by: Some(event.id),
                ended_at: event.at,
            };
            let distilled = distill::turn(&mut state, &turn);
            check_evidence(&distilled, &events);
            played.turns.push(distilled);
            steps.clear();
            let json = serde_json::to_string(&state).unwrap();
            state = serde_json::from_str(&json).unwrap();
        }
    }
    let observations: Vec<Observation> = played.observations().into_iter().cloned().collect();
    played.learnings = distill::learnings(&state, &observations);
    played.state = state;
    played
}

/// Nothing without an event, and no event that was not there.
pub(crate) fn check_evidence(distilled: &Distilled, events: &[Event]) {
    for observation in &distilled.observations {
        assert!(observation.kind.is_observation());
        assert!(!observation.events.is_empty(), "{}", observation.title);
        assert!(observation.events.len() <= model::Provenance::MAX_EVENTS);
        assert!(
            !observation.title.is_empty()
                && observation.title.len() <= 196
                && observation.title.chars().count() <= 140
        );
        let shown: Vec<&Event> =
            events.iter().filter(|event| observation.events.contains(&event.id)).collect();
        assert_eq!(shown.len(), observation.events.len(), "{}", observation.title);
        let raw = shown
            .iter()
            .map(|event| format!("{:?} {:?}", event.detail, event.context))
            .collect::<Vec<_>>()
            .join("\n");
        let claims = observation.facts.iter().chain([&observation.title]).chain(&observation.subtitle);
        for claim in claims.chain(&observation.files_modified) {
            for name in names(claim) {
                assert!(raw.contains(name), "{name} of {claim:?} is in none of its events");
            }
        }
    }
}

/// What a claim names: words that are no prose. Where one is cut, its beginning has to do.
fn names(claim: &str) -> impl Iterator<Item = &str> {
    let word = |char: char| char.is_alphanumeric() || char == '_';
    let coined = |name: &&str| {
        let inner = name.get(1..).unwrap_or("");
        name.len() > 3 && inner.chars().any(|char| char == '_' || char.is_uppercase() || char.is_numeric())
    };
    claim.split(move |char| !word(char)).filter(coined)
}

pub(crate) fn events(script: &str) -> Vec<Event> {
    let mut cwd = "/project".to_owned();
    let mut inside: Option<String> = None;
    let mut said = Vec::new();
    let mut found = Vec::new();
    let mut lines = script.lines();
    while let Some(line) = lines.next() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut body = || {
            let lines: Vec<&str> = lines.by_ref().take_while(|line| *line != ".").collect();
            lines.join("\n")
        };
        let text = |first: &str, body: String| {
            if body.is_empty() { first.to_owned() } else { format!("{first}\n{body}") }
        };
        let envelope = match word {
            "" | "#" => continue,
            "cwd" => {
                rest.clone_into(&mut cwd);
                continue;
            }
            "in" => {
                inside = Some(rest.to_owned());
                continue;
            }
            "~" | "no" => {
                let by = if word == "no" { Speaker::Person } else { Speaker::Agent };
                said.push(Said { by, text: text(rest, body()) });
                continue;
            }
            ">" => json!({"hook_event_name": "UserPromptSubmit", "prompt": text(rest, body())}),
            "<" => {
                json!({"hook_event_name": "Stop", "stop_hook_active": false, "last_assistant_message": text(rest, body())})
            }
            "read" => {
                let (file, range) = rest.split_once(' ').unwrap_or((rest, ""));
                let (from, count) = range
                    .split_once('+')
                    .map_or((1, 300), |(from, count)| (from.parse().unwrap(), count.parse().unwrap()));
                let total = if range.is_empty() { count } else { 2000 };
                let file = format!("{cwd}/{file}");
                tool(
                    "Read",
                    json!({"file_path": file}),
                    json!({"type": "text", "file": {"filePath": file, "content": "…", "numLines": count, "startLine": from, "totalLines": total}}),
                )
            }
            "grep" => {
                let (pattern, files) = rest.split_once(" = ").unwrap_or((rest, ""));
                let files: Vec<&str> = files.split_whitespace().collect();
                tool(
                    "Grep",
                    json!({"pattern": pattern}),
                    json!({"mode": "files_with_matches", "numFiles": files.len(), "filenames": files}),
                )
            }
            "edit" => edit(&format!("{cwd}/{rest}"), &body()),
            "write" => {
                let content = body();
                let file = format!("{cwd}/{rest}");
                tool(
                    "Write",
                    json!({"file_path": file, "content": content}),
                    json!({"type": "create", "filePath": file, "content": content, "structuredPatch": [], "originalFile": null}),
                )
            }
            "bash" => bash(rest, &body()),
            "web" => {
                let said = body();
                if rest.contains("://") {
                    tool(
                        "WebFetch",
                        json!({"url": rest, "prompt": "what does it say"}),
                        json!({"bytes": said.len(), "code": 200, "codeText": "OK", "result": said, "url": rest}),
                    )
                } else {
                    tool("WebSearch", json!({"query": rest}), json!({"query": rest, "results": [said]}))
                }
            }
            "mcp" => {
                let mut words = rest.splitn(3, ' ');
                let name = format!("mcp__{}__{}", words.next().unwrap(), words.next().unwrap());
                let input: Value = serde_json::from_str(words.next().unwrap_or("{}")).unwrap();
                let said = body();
                match said.strip_prefix("!\n") {
                    Some(error) => {
                        json!({"hook_event_name": "PostToolUseFailure", "tool_name": name, "tool_input": input, "error": error, "is_interrupt": false})
                    }
                    None => tool(&name, input, json!([{"type": "text", "text": said}])),
                }
            }
            "agent" => {
                let (id, task) = rest.split_once(' ').unwrap();
                let said = body();
                tool(
                    "Agent",
                    json!({"description": task, "prompt": task, "subagent_type": "general-purpose"}),
                    json!({"status": "completed", "agentId": id, "agentType": "general-purpose", "content": [{"type": "text", "text": said}], "totalToolUseCount": 3}),
                )
            }
            "ask" => {
                let (question, answer) = rest.split_once(" = ").unwrap();
                tool(
                    "AskUserQuestion",
                    json!({"questions": [{"question": question}]}),
                    json!({"questions": [{"question": question}], "answers": {question: answer}}),
                )
            }
            "todo" => {
                let todos: Vec<Value> = rest
                    .split(" | ")
                    .map(|item| match item.strip_prefix("open: ") {
                        Some(open) => json!({"content": open, "status": "pending", "activeForm": open}),
                        None => json!({"content": item, "status": "completed", "activeForm": item}),
                    })
                    .collect();
                tool("TodoWrite", json!({"todos": todos}), json!({"oldTodos": [], "newTodos": []}))
            }
            other => panic!("unknown block {other:?}: {line}"),
        };
        let mut envelope = envelope;
        let fields = envelope.as_object_mut().unwrap();
        fields.insert("session_id".into(), json!("scripted"));
        fields.insert("cwd".into(), json!(cwd));
        if let Some(agent) = inside.take() {
            fields.insert("agent_id".into(), json!(agent));
            fields.insert("agent_type".into(), json!("general-purpose"));
        }
        let mut event = event(&envelope, found.len());
        if matches!(event.detail, model::Detail::Stop { .. }) && event.subagent.is_none() {
            Said::note_in_turn(&mut event.context, &std::mem::take(&mut said));
        }
        found.push(event);
    }
    found
}

/// The adapter's reading of an envelope, `number` × 20 s after a beginning.
pub(crate) fn event(envelope: &Value, number: usize) -> Event {
    let at = 1_760_000_000_000 + number as u64 * 20_000;
    let id = EventId::mint(at, [number as u8; 10]);
    let json = serde_json::to_vec(envelope).unwrap();
    let incoming = agents::Incoming { id, at, hint: None, context: &Context::new(), json: &json };
    agents::by_name("claude-code").unwrap().read(&incoming)
}

#[expect(clippy::needless_pass_by_value, reason = "made for the call and nothing else")]
fn tool(name: &str, input: Value, response: Value) -> Value {
    json!({"hook_event_name": "PostToolUse", "tool_name": name, "tool_input": input, "tool_response": response, "duration_ms": 12})
}

fn bash(command: &str, output: &str) -> Value {
    if let Some(rest) = output.strip_prefix("! ") {
        return json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": command}, "error": format!("Exit code {rest}"), "is_interrupt": false});
    }
    tool(
        "Bash",
        json!({"command": command}),
        json!({"stdout": output, "stderr": "", "interrupted": false, "isImage": false}),
    )
}

fn edit(file: &str, body: &str) -> Value {
    let mut hunks: Vec<Value> = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut start = 1;
    let mut close = |lines: &mut Vec<&str>, start: usize| {
        if !lines.is_empty() {
            hunks.push(json!({"oldStart": start, "newStart": start, "oldLines": lines.len(), "newLines": lines.len(), "lines": lines}));
            lines.clear();
        }
    };
    for line in body.lines() {
        if let Some(number) = line.strip_prefix("@ ") {
            close(&mut lines, start);
            start = number.parse().unwrap();
        } else {
            lines.push(line);
        }
    }
    close(&mut lines, start);
    let side = |sign: char| {
        body.lines()
            .filter(|line| line.starts_with([' ', sign]))
            .map(|line| &line[1..])
            .collect::<Vec<_>>()
            .join("\n")
    };
    let (old, new) = (side('-'), side('+'));
    tool(
        "Edit",
        json!({"file_path": file, "old_string": old, "new_string": new}),
        json!({"filePath": file, "oldString": old, "newString": new, "structuredPatch": hunks, "userModified": false, "replaceAll": false}),
    )
}
