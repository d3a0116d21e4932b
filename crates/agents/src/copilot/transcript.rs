//! The records of `~/.copilot/session-state/<session>/events.jsonl`, as measured with Copilot CLI 1.0.102. The format is
//! the client's own and changes: a record we do not know says nothing, and a broken line costs only that line.
//!
//! Every record has an id of its own and a time; the first names the session and where it runs, so the reader
//! remembers. What hooks were told and answered is written there, too, and is none of the conversation.

use std::collections::VecDeque;

use model::SessionId;
use serde_json::Value;

use super::tools;
use crate::transcript::record::Object;
use crate::transcript::tool::{result, tool_use};
use crate::transcript::{
    Conversations, Folder, Growth, Line, Reader, Sidechain, ToolOutcome, Usage, What, time,
};

/// Calls whose result has not come. An agent makes a few at once; more are calls that never ended.
const MAX_OPEN: usize = 256;
const FILE: &str = "/events.jsonl";
/// Begins what the client appends to a result: what hooks said of it.
const GUIDANCE: &str = "\n\nTool \"";
/// Begins the line that tells how a command ended, after what it printed.
const SHELL_ENDED: &str = "<shellId: ";
const DENIED: &str = "denied";

/// Copilot CLI's conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionStates;

impl Conversations for SessionStates {
    fn folder(&self) -> &'static Folder {
        &Folder {
            variable: "COPILOT_HOME",
            below_variable: "session-state",
            below_home: ".copilot/session-state",
        }
    }

    fn is_one(&self, relative: &str) -> bool {
        relative.strip_suffix(FILE).is_some_and(|session| !session.is_empty() && !session.contains('/'))
    }

    fn growth(&self, _: &str) -> Growth {
        Growth::Lines
    }

    fn reader(&self, path: &str) -> Box<dyn Reader> {
        let folder = path.strip_suffix(FILE).unwrap_or(path);
        let session = SessionId::new(folder.rsplit('/').next().unwrap_or(folder));
        Box::new(Events { session, cwd: None, branch: None, prompt: None, open: VecDeque::new() })
    }
}

#[derive(Debug)]
struct Events {
    /// As the folder is called, until the first record says it.
    session: SessionId,
    cwd: Option<String>,
    branch: Option<String>,
    prompt: Option<String>,
    open: VecDeque<(String, String, Value)>,
}

impl Reader for Events {
    fn push(&mut self, number: u64, bytes: &[u8]) -> Vec<Line> {
        let text = String::from_utf8_lossy(bytes);
        let Some(record) = Object::whole(text.as_bytes()) else { return Vec::new() };
        let (Some(kind), Some(data)) = (record.word("type"), record.object("data")) else {
            return Vec::new();
        };
        let whats = self.read(&kind, &data).unwrap_or_default();
        let shared = Line {
            number,
            at: record.text("timestamp").and_then(|text| time::millis(&text)),
            uuid: record.word("id"),
            parent: record.word("parentId"),
            session: self.session.clone(),
            prompt_id: self.prompt.clone(),
            cwd: self.cwd.clone(),
            branch: self.branch.clone(),
            // What a subagent does is told under the call that began it.
            subagent: data.word("parentToolCallId").map(|id| Sidechain { id, kind: None }),
            what: What::Meta,
        };
        whats.into_iter().map(|what| Line { what, ..shared.clone() }).collect()
    }
}

impl Events {
    /// `None`: nothing we know, or nothing of the conversation.
    fn read(&mut self, kind: &str, data: &Object<'_>) -> Option<Vec<What>> {
        match kind {
            "session.start" => {
                self.session =
                    data.word("sessionId").map_or_else(|| self.session.clone(), |id| SessionId::new(&id));
                self.look_around(data);
                Some(vec![What::Start { source: "startup".to_owned() }])
            }
            "session.resume" => {
                self.look_around(data);
                Some(vec![What::Start { source: "resume".to_owned() }])
            }
            "user.message" => {
                let text = data.text("content")?;
                if data.word("parentToolCallId").is_some() {
                    return Some(vec![What::Machine { text }]);
                }
                self.prompt = data.word("interactionId").or(self.prompt.take());
                (!text.trim().is_empty()).then(|| vec![What::Person { text }])
            }
            "assistant.message" => {
                let text = data.text("content").filter(|text| !text.trim().is_empty())?;
                let ends_turn = data.objects("toolRequests").next().is_none();
                Some(vec![What::Agent { text, message: data.word("messageId"), ends_turn }])
            }
            "assistant.turn_end" => Some(vec![What::TurnOver]),
            "tool.execution_start" => {
                let id = data.word("toolCallId")?;
                let input = data.value("arguments").unwrap_or(Value::Null);
                let (name, input) = tools::call(&data.word("toolName")?, &input);
                if self.open.len() == MAX_OPEN {
                    self.open.pop_front();
                }
                self.open.push_back((id.clone(), name.clone(), input.clone()));
                Some(vec![tool_use(&id, name, input)])
            }
            "tool.execution_complete" => {
                let id = data.word("toolCallId")?;
                let at = self.open.iter().position(|(open, ..)| *open == id)?;
                let (_, name, input) = self.open.remove(at)?;
                Some(vec![ended(&id, &name, &input, data)])
            }
            "session.compaction_complete" if data.flag("success") => {
                let summary = data.text("summaryContent").unwrap_or_default();
                let trigger = match data.word("trigger").as_deref() {
                    Some("manual") => "manual",
                    _ => "auto",
                };
                Some(vec![What::Boundary { trigger: trigger.to_owned() }, What::Compaction { summary }])
            }
            "session.usage_record" => {
                let used = data.object("usage")?;
                let count = |name| used.value(name).and_then(|value| value.as_u64()).unwrap_or(0);
                let cache_read = count("cacheReadTokens");
                let usage = Usage {
                    input: count("inputTokens").saturating_sub(cache_read),
                    cache_read,
                    cache_creation: count("cacheWriteTokens"),
                    output: count("outputTokens"),
                };
                Some(vec![What::Usage { message: None, model: used.word("model"), usage }])
            }
            "abort" => Some(vec![What::Interrupted]),
            "session.shutdown" => {
                let reason = data.word("shutdownType").unwrap_or_else(|| "other".to_owned());
                Some(vec![What::SessionOver { reason }])
            }
            _ => None,
        }
    }

    fn look_around(&mut self, data: &Object<'_>) {
        let Some(context) = data.object("context") else { return };
        self.cwd = context.path("cwd").or(self.cwd.take());
        self.branch = context.word("branch").or(self.branch.take());
    }
}

fn ended(id: &str, name: &str, input: &Value, data: &Object<'_>) -> What {
    let error = data.object("error");
    let denied = error.as_ref().and_then(|error| error.word("code")).is_some_and(|code| code == DENIED);
    let outcome = match data.flag("success") {
        true => ToolOutcome::Succeeded,
        false if denied => ToolOutcome::Refused,
        false => ToolOutcome::Failed,
    };
    let said = data.object("result").and_then(|result| result.text("content"));
    let said = said.or_else(|| error?.text("message")).unwrap_or_default();
    let said = said.split_once(GUIDANCE).map_or(said.as_str(), |(said, _)| said);
    // The last line is the client's own.
    let body = match said.rfind(SHELL_ENDED) {
        Some(at) if name == "Bash" => said[..at].trim_end_matches('\n'),
        _ => said,
    };
    let exit = data.object("shellExecution").and_then(|shell| shell.value("exitCode")?.as_i64());
    result(id, name, input, outcome, body, exit)
}
