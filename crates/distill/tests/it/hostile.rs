//! Whatever a tool is given and gives: no panic, and nothing without bound.

use distill::{State, Step, Turn};
use model::{Author, Context, Detail, Event, EventId, EventKind, Outcome, SessionId, ToolCall};
use proptest::prelude::*;
use serde_json::{Value, json};

const TOOLS: &[&str] = &[
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookEdit",
    "Bash",
    "Grep",
    "Glob",
    "Read",
    "WebFetch",
    "WebSearch",
    "mcp__a__create_b",
    "mcp__",
    "Task",
    "Agent",
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "AskUserQuestion",
    "ExitPlanMode",
    "Something",
    "",
];
const KEYS: &[&str] = &[
    "file_path",
    "old_string",
    "new_string",
    "edits",
    "content",
    "structuredPatch",
    "lines",
    "oldStart",
    "originalFile",
    "filePath",
    "command",
    "stdout",
    "stderr",
    "file",
    "startLine",
    "numLines",
    "filenames",
    "pattern",
    "url",
    "result",
    "text",
    "todos",
    "status",
    "taskId",
    "task",
    "subject",
    "answers",
    "plan",
    "questions",
    "type",
    "notebook_path",
    "new_source",
    "agentId",
    "description",
    "interrupted",
];
const TEXTS: &[&str] = &[
    "",
    "a",
    "cargo test 2>&1 | tail",
    "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"",
    "error[E0382]: borrow\n --> src/a.rs:1:2",
    "[main 1a2b3c4] é",
    "-old",
    "+fn new() {",
    " fn é() {",
    "Traceback\n  File \"a.py\", line 3\nValueError: 日本",
    "'\"\\",
    "a && b | c; (d) <<",
    "completed",
    "\u{1b}[31m\u{1b}[",
    "thread 'x' panicked at",
    "test a ... FAILED",
    "We decided to use é instead of b because c.",
    "/project/a.rs",
    "`",
    "**",
    "x: y: z",
    "test result: 99999999999999999999 passed",
    "(((((",
    "\u{0}",
    "e\u{301}—“quoted”",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        proptest::sample::select(TEXTS).prop_map(Value::from),
        "\\PC{0,60}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            proptest::collection::vec((proptest::sample::select(KEYS), inner), 0..8).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::collection::vec(proptest::sample::select(TEXTS), 0..6).prop_map(|parts| parts.join(" ")),
        "\\PC{0,200}",
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let call = (proptest::sample::select(TOOLS), value(), value(), text(), 0..4_u8).prop_map(
        |(name, input, response, error, outcome)| {
            let outcome = match outcome {
                0 | 1 => Outcome::Succeeded { response, duration_ms: None },
                2 => Outcome::Failed { error, interrupted: false, duration_ms: None },
                _ => Outcome::Denied { reason: error },
            };
            let kind = match outcome {
                Outcome::Failed { .. } => EventKind::PostToolUseFailure,
                Outcome::Denied { .. } => EventKind::PermissionDenied,
                _ => EventKind::PostToolUse,
            };
            (kind, Detail::Tool(ToolCall { name: name.to_owned(), use_id: None, input, outcome }))
        },
    );
    let prompt = (text(), any::<bool>()).prop_map(|(text, machine)| {
        let author = if machine { Author::Machine } else { Author::Person };
        (EventKind::UserPromptSubmit, Detail::Prompt { text, author })
    });
    let stop =
        text().prop_map(|text| (EventKind::Stop, Detail::Stop { again: false, last_message: Some(text) }));
    (prop_oneof![6 => call, 1 => prompt, 1 => stop], any::<[u8; 10]>())
        .prop_map(|((kind, detail), random)| of(kind, detail, random))
}

fn of(kind: EventKind, detail: Detail, random: [u8; 10]) -> Event {
    Event {
        id: EventId::mint(1_760_000_000_000, random),
        at: 1_760_000_000_000,
        agent: "claude-code",
        session: SessionId::new("hostile"),
        kind,
        name: kind.name().to_owned(),
        cwd: Some("/project".to_owned()),
        transcript: None,
        prompt_id: None,
        permission_mode: None,
        subagent: None,
        context: Context::new(),
        detail,
    }
}

fn bounded(state: &mut State, steps: &[Step], prompt: Option<&str>, message: Option<&str>) {
    let distilled = distill::turn(
        state,
        &Turn { prompt, steps, last_message: message, said: &[], ended_by: None, ended_at: 7 },
    );
    assert!(distilled.observations.len() <= 24);
    for one in &distilled.observations {
        let lists = [&one.facts, &one.concepts, &one.files_read, &one.files_modified, &one.tools];
        let bytes = one.title.len()
            + one.narrative.len()
            + lists.iter().flat_map(|list| list.iter()).map(String::len).sum::<usize>();
        assert!(bytes < 16 * 1024, "{bytes}");
        assert!(!one.events.is_empty() && !one.title.is_empty());
    }
    let learnings = distill::learnings(state, &distilled.observations);
    assert!(learnings.len() <= 16 && learnings.iter().all(|learning| !learning.events.is_empty()));
    assert!(serde_json::to_string(state).unwrap().len() < 128 * 1024);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tool_result_is_a_small_step_or_none(events in proptest::collection::vec(event(), 0..24), message in text()) {
        let mut steps = Vec::new();
        for event in &events {
            if let Some(step) = distill::step(event) {
                let json = serde_json::to_string(&step).unwrap();
                prop_assert!(json.len() <= Step::MAX_BYTES, "{} bytes: {}", json.len(), json);
                prop_assert_eq!(&serde_json::from_str::<Step>(&json).unwrap(), &step);
                prop_assert!(step.to_string().len() < 2048);
                steps.push(step);
            }
        }
        let mut state = State::default();
        bounded(&mut state, &steps, None, Some(&message));
        bounded(&mut state, &steps, Some(&message), None);
    }
}

fn tool(name: &str, input: Value, response: Value) -> Event {
    let outcome = Outcome::Succeeded { response, duration_ms: None };
    of(
        EventKind::PostToolUse,
        Detail::Tool(ToolCall { name: name.to_owned(), use_id: None, input, outcome }),
        [1; 10],
    )
}

#[test]
fn fifty_megabytes_of_output_and_a_million_lines_of_patch_cost_little() {
    let output = "warning: nothing of note in this line of text\n".repeat(1_100_000);
    let lines: Vec<Value> = (0..1_000_000).map(|line| json!(format!("+fn f{line}() {{}}"))).collect();
    let events = [
        tool("Bash", json!({"command": "cargo test"}), json!({"stdout": output, "stderr": output})),
        tool(
            "Edit",
            json!({"file_path": "/project/a.rs"}),
            json!({"filePath": "/project/a.rs", "structuredPatch": [{"oldStart": 1, "lines": lines}]}),
        ),
        tool(
            "Write",
            json!({"file_path": "/project/b.rs", "content": "x\n".repeat(2_000_000)}),
            json!({"type": "create", "filePath": "/project/b.rs"}),
        ),
        tool("WebFetch", json!({"url": "https://a.example"}), json!({"result": output})),
    ];
    let began = std::time::Instant::now();
    let steps: Vec<Step> = events.iter().filter_map(distill::step).collect();
    assert_eq!(steps.len(), 4);
    for step in &steps {
        assert!(serde_json::to_string(step).unwrap().len() <= Step::MAX_BYTES);
    }
    bounded(&mut State::default(), &steps, Some(&output), Some(&output));
    // Unoptimized, on a busy machine; what it must not be is minutes.
    assert!(began.elapsed() < std::time::Duration::from_mins(2), "{:?}", began.elapsed());
}

#[test]
fn a_session_that_fails_for_ever_stays_small() {
    let mut state = State::default();
    for turn in 0..200_u8 {
        let error = format!("Exit code 1\nValueError: kind {turn} of trouble {}", "x".repeat(400));
        let detail = Detail::Tool(ToolCall {
            name: "Bash".to_owned(),
            use_id: None,
            input: json!({"command": format!("pytest tests/test_{turn}.py")}),
            outcome: Outcome::Failed { error, interrupted: false, duration_ms: None },
        });
        let steps: Vec<Step> = (0..20)
            .filter_map(|number| {
                distill::step(&of(EventKind::PostToolUseFailure, detail.clone(), [number; 10]))
            })
            .collect();
        bounded(&mut state, &steps, Some("go on"), None);
    }
    assert!(serde_json::to_string(&state).unwrap().len() < 64 * 1024);
}
