//! The records of `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`, as measured with Codex 0.166 and,
//! for older releases, as its sources write them. The format is the client's own and changes: a record we do not
//! know says nothing, and a broken line costs only that line.
//!
//! The first record names the session and where it runs; later ones rely on it, so the reader remembers. A turn is
//! written twice, as the model saw it (`response_item`) and as people saw it (`event_msg`): words are taken from
//! the latter, which have nothing of the client's own in them, calls from whichever tells of them first.

mod output;

use std::collections::VecDeque;

use model::SessionId;
use serde_json::{Value, json};

use super::tools;
use crate::transcript::record::{Object, has_extension};
use crate::transcript::tool::{result, tool_use};
use crate::transcript::{
    Conversations, Folder, Growth, Line, Reader, Sidechain, Talk, ToolOutcome, Usage, What, time,
};

/// Calls whose result has not come. An agent makes a few at once; more are calls that never ended.
const MAX_OPEN: usize = 256;
/// A UUID, with which a rollout's name ends.
const THREAD_CHARS: usize = 36;
/// What an editor puts in front of a person's words.
const EDITOR_REQUEST: &str = "## My request for Codex:";
/// Ends what is written for the model around the summary of a compaction.
const SUMMARY_BEGINS: &str = "to assist with your own analysis:\n";

/// Codex's conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rollouts;

impl Conversations for Rollouts {
    fn folder(&self) -> &'static Folder {
        &Folder { variable: "CODEX_HOME", below_variable: "sessions", below_home: ".codex/sessions" }
    }

    /// Those that Codex has compressed (`.jsonl.zst`) are weeks old and left alone.
    fn is_one(&self, relative: &str) -> bool {
        let name = relative.rsplit('/').next().unwrap_or(relative);
        name.starts_with("rollout-") && has_extension(name, "jsonl")
    }

    fn growth(&self, _: &str) -> Growth {
        Growth::Lines
    }

    fn expect(&self, record: &[u8]) -> Talk {
        let has = |mark: &[u8]| memchr::memmem::find(record, mark).is_some();
        match has(br#""user_message""#) || has(br#""UserMessage""#) {
            true => Talk::Prompt,
            false if has(br#"_call_output""#) || has(br#""reasoning""#) => Talk::Nothing,
            false => Talk::Words,
        }
    }

    fn reader(&self, path: &str) -> Box<dyn Reader> {
        Box::new(Rollout::new(path))
    }
}

#[derive(Debug)]
struct Rollout {
    /// As the file is called, until the first record says more.
    session: SessionId,
    subagent: Option<Sidechain>,
    named: bool,
    cwd: Option<String>,
    branch: Option<String>,
    model: Option<String>,
    turn: Option<String>,
    open: VecDeque<Open>,
    /// The last words, by whom: releases between the two forms write both.
    said: Option<(bool, String)>,
}

/// One call as the agent made it, and what it is in the house: several, where it changes several files.
#[derive(Debug)]
struct Open {
    id: String,
    calls: Vec<(String, String, Value)>,
}

impl Reader for Rollout {
    fn push(&mut self, number: u64, bytes: &[u8]) -> Vec<Line> {
        let text = String::from_utf8_lossy(bytes);
        let Some(record) = Object::whole(text.as_bytes()) else { return Vec::new() };
        let at = record.text("timestamp").and_then(|text| time::millis(&text));
        let whats = self.read(&record).unwrap_or_default();
        let shared = Line {
            number,
            at,
            // Ids of records are not unique in old releases; the place in a file that only grows is.
            uuid: None,
            parent: None,
            session: self.session.clone(),
            prompt_id: self.turn.clone(),
            cwd: self.cwd.clone(),
            branch: self.branch.clone(),
            subagent: self.subagent.clone(),
            what: What::Meta,
        };
        whats.into_iter().map(|what| Line { what, ..shared.clone() }).collect()
    }
}

impl Rollout {
    fn new(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".jsonl");
        let thread = name.len().checked_sub(THREAD_CHARS).and_then(|start| name.get(start..)).unwrap_or(name);
        Self {
            session: SessionId::new(thread),
            subagent: None,
            named: false,
            cwd: None,
            branch: None,
            model: None,
            turn: None,
            open: VecDeque::new(),
            said: None,
        }
    }

    /// `None`: nothing we know.
    fn read(&mut self, record: &Object<'_>) -> Option<Vec<What>> {
        let payload = record.object("payload")?;
        match record.word("type")?.as_str() {
            "session_meta" => self.name(&payload),
            "turn_context" => {
                self.cwd = payload.path("cwd").or(self.cwd.take());
                self.model = payload.word("model").or(self.model.take());
                self.turn = payload.word("turn_id").or(self.turn.take());
                None
            }
            "response_item" => self.item(&payload),
            "event_msg" => self.event(&payload),
            "compacted" => {
                let text = payload.text("message").unwrap_or_default();
                let summary = text.split_once(SUMMARY_BEGINS).map_or(text.as_str(), |(_, summary)| summary);
                let summary = summary.trim().to_owned();
                Some(vec![What::Boundary { trigger: String::new() }, What::Compaction { summary }])
            }
            // The world as it was, counters: each is told by the records above.
            _ => None,
        }
    }

    /// A fork repeats the records of its origin, its first one included: only our own counts.
    fn name(&mut self, payload: &Object<'_>) -> Option<Vec<What>> {
        if std::mem::replace(&mut self.named, true) {
            return None;
        }
        let thread = payload.word("id").unwrap_or_else(|| self.session.as_str().to_owned());
        self.session = SessionId::new(&thread);
        self.cwd = payload.path("cwd");
        self.branch = payload.object("git").and_then(|git| git.word("branch"));
        let source = payload.object("source").and_then(|source| source.value("subagent"));
        if let Some(source) = source {
            let spawn = &source["thread_spawn"];
            let parent = payload
                .word("session_id")
                .filter(|session| *session != thread)
                .or_else(|| spawn["parent_thread_id"].as_str().map(str::to_owned));
            if let Some(parent) = parent {
                let kind = spawn["agent_role"].as_str().or_else(|| source.as_str()).map(str::to_owned);
                self.session = SessionId::new(&parent);
                self.subagent = Some(Sidechain { id: thread, kind });
            }
        }
        None
    }

    fn event(&mut self, payload: &Object<'_>) -> Option<Vec<What>> {
        match payload.word("type")?.as_str() {
            "task_started" | "turn_started" => {
                self.turn = payload.word("turn_id").or(self.turn.take());
                self.said = None;
                None
            }
            "user_message" => {
                // Old releases tell what the client wrote in the person's place.
                let plain = payload.word("kind").is_none_or(|kind| kind == "plain");
                self.person(&payload.text("message").filter(|_| plain)?)
            }
            "agent_message" => self.agent(payload.text("message")?, payload.word("phase").as_deref()),
            "item_completed" => self.completed(&payload.object("item")?),
            "task_complete" | "turn_complete" => Some(vec![What::TurnOver]),
            "turn_aborted" => Some(vec![What::Interrupted]),
            "token_count" => {
                let used = payload.object("info")?.object("last_token_usage")?;
                let count = |name| used.value(name).and_then(|value| value.as_u64()).unwrap_or(0);
                let cache_read = count("cached_input_tokens");
                let usage = Usage {
                    input: count("input_tokens").saturating_sub(cache_read),
                    cache_read,
                    cache_creation: 0,
                    output: count("output_tokens"),
                };
                Some(vec![What::Usage { message: None, model: self.model.clone(), usage }])
            }
            _ => None,
        }
    }

    fn completed(&mut self, item: &Object<'_>) -> Option<Vec<What>> {
        let texts = || -> String {
            let texts: Vec<String> = item.objects("content").filter_map(|part| part.text("text")).collect();
            texts.join("\n")
        };
        match item.word("type")?.as_str() {
            "UserMessage" => self.person(&texts()),
            "AgentMessage" => self.agent(texts(), item.word("phase").as_deref()),
            "CommandExecution" => {
                let words: Vec<String> = item
                    .value("command")
                    .and_then(|words| serde_json::from_value(words).ok())
                    .unwrap_or_default();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let input = json!({ "command": tools::script(&words) });
                let output = item.text("aggregated_output").unwrap_or_default();
                let exit = item.value("exit_code").and_then(|code| code.as_i64());
                Some(self.done(
                    &item.word("id")?,
                    || ("exec_command".to_owned(), input),
                    outcome(item),
                    &output,
                    exit,
                ))
            }
            "McpToolCall" => {
                let name = format!("mcp__{}__{}", item.word("server")?, item.word("tool")?);
                let input = item.value("arguments").unwrap_or(Value::Null);
                let said = item.object("result").or_else(|| item.object("error"));
                let output = said.map(|said| {
                    let texts: Vec<String> =
                        said.objects("content").filter_map(|part| part.text("text")).collect();
                    said.text("message").unwrap_or_else(|| texts.join("\n"))
                });
                let output = output.unwrap_or_default();
                Some(self.done(&item.word("id")?, || (name, input), outcome(item), &output, None))
            }
            "FileChange" => {
                let id = item.word("id")?;
                let output = item.text("stdout").or_else(|| item.text("stderr")).unwrap_or_default();
                let patch = item.value("changes").map(|changes| output::patch(&changes)).unwrap_or_default();
                let call = || ("apply_patch".to_owned(), Value::from(patch));
                Some(self.done(&id, call, outcome(item), &output, None))
            }
            _ => None,
        }
    }

    fn person(&mut self, text: &str) -> Option<Vec<What>> {
        let text = text.split_once(EDITOR_REQUEST).map_or(text, |(_, words)| words).trim().to_owned();
        if text.is_empty() || self.is_repeated(true, &text) {
            return None;
        }
        // Nobody but its parent speaks to a subagent.
        Some(vec![if self.subagent.is_some() { What::Machine { text } } else { What::Person { text } }])
    }

    fn agent(&mut self, text: String, phase: Option<&str>) -> Option<Vec<What>> {
        if text.trim().is_empty() || self.is_repeated(false, &text) {
            return None;
        }
        Some(vec![What::Agent { text, message: None, ends_turn: phase != Some("commentary") }])
    }

    fn is_repeated(&mut self, by_person: bool, text: &str) -> bool {
        let repeated = self.said.as_ref().is_some_and(|(by, said)| *by == by_person && said == text);
        self.said = Some((by_person, text.to_owned()));
        repeated
    }

    fn item(&mut self, payload: &Object<'_>) -> Option<Vec<What>> {
        match payload.word("type")?.as_str() {
            "function_call" => {
                let name = payload.word("name")?;
                let name = match payload.word("namespace") {
                    Some(server) if server.starts_with("mcp__") => {
                        format!("{}__{name}", server.trim_end_matches('_'))
                    }
                    _ => name,
                };
                let arguments = payload.text("arguments").unwrap_or_default();
                let input = serde_json::from_str(&arguments).unwrap_or(Value::Null);
                Some(self.begin(&payload.word("call_id")?, &name, &input))
            }
            "custom_tool_call" => {
                let input = json!({ "input": payload.text("input") });
                Some(self.begin(&payload.word("call_id")?, &payload.word("name")?, &input))
            }
            "local_shell_call" => {
                let input = payload.value("action").unwrap_or(Value::Null);
                let id = payload.word("call_id").or_else(|| payload.word("id"))?;
                Some(self.begin(&id, "local_shell", &input))
            }
            "web_search_call" => {
                // The provider searched; what it found is in the answer alone.
                let input = payload.value("action").unwrap_or(Value::Null);
                let id = payload.word("id").unwrap_or_else(|| format!("web search {}", input["query"]));
                Some(self.done(&id, || ("web_search".to_owned(), input), ToolOutcome::Succeeded, "", None))
            }
            "function_call_output" | "custom_tool_call_output" => {
                let id = payload.word("call_id")?;
                let (text, told) = output::text(payload);
                let output = output::read(&text);
                let outcome = if told == Some(false) { ToolOutcome::Failed } else { output.outcome };
                let open = self.close(&id)?;
                Some(ended(&open, outcome, output.body, output.exit))
            }
            _ => None,
        }
    }

    fn begin(&mut self, id: &str, name: &str, input: &Value) -> Vec<What> {
        self.said = None;
        let calls = tools::calls(name, input, self.cwd.as_deref()).into_iter().enumerate();
        let calls: Vec<_> = calls
            .map(|(place, (name, input))| {
                let id = if place == 0 { id.to_owned() } else { format!("{id}#{}", place + 1) };
                (id, name, input)
            })
            .collect();
        let uses = calls.iter().map(|(id, name, input)| tool_use(id, name.clone(), input.clone())).collect();
        if self.open.len() == MAX_OPEN {
            self.open.pop_front();
        }
        self.open.push_back(Open { id: id.to_owned(), calls });
        uses
    }

    /// The end of a call; also its beginning, where no other record told of it.
    fn done(
        &mut self,
        id: &str,
        call: impl FnOnce() -> (String, Value),
        outcome: ToolOutcome,
        output: &str,
        exit: Option<i64>,
    ) -> Vec<What> {
        let mut whats = Vec::new();
        if !self.open.iter().any(|open| open.id == id) {
            let (name, input) = call();
            whats = self.begin(id, &name, &input);
        }
        if let Some(open) = self.close(id) {
            whats.extend(ended(&open, outcome, output, exit));
        }
        whats
    }

    fn close(&mut self, id: &str) -> Option<Open> {
        let at = self.open.iter().position(|open| open.id == id)?;
        self.open.remove(at)
    }
}

fn ended(open: &Open, outcome: ToolOutcome, output: &str, exit: Option<i64>) -> Vec<What> {
    open.calls.iter().map(|(id, name, input)| result(id, name, input, outcome, output, exit)).collect()
}

fn outcome(item: &Object<'_>) -> ToolOutcome {
    match item.word("status").as_deref() {
        Some("failed") => ToolOutcome::Failed,
        Some("declined") => ToolOutcome::Refused,
        _ => ToolOutcome::Succeeded,
    }
}
