//! The records of `~/.claude/projects/<slug>/<session>.jsonl` and of the subagents below it, as measured. The
//! format is the client's own and changes: a record we do not know says nothing, a field that is missing or
//! mistyped costs only itself, and a broken line costs only that line.
//!
//! Stateless: one line of the file in, its blocks out. What belongs together over several lines is put
//! together by [`Replay`](crate::transcript::Replay) and by `transcript::chunks`.

mod words;

use std::borrow::Cow;

use model::SessionId;
use serde_json::Value;
use words::Spoken;

use super::ClaudeCode;
use crate::prompt;
use crate::transcript::record::{Object, has_extension};
use crate::transcript::tool::tool_use;
use crate::transcript::{
    Conversations, Folder, Growth, Line, Queued, Reader, Sidechain, Talk, ToolOutcome, Usage, What, time,
};

/// Old transcripts tell that a record is a subagent's and not whose.
const UNNAMED_SIDECHAIN: &str = "sidechain";
/// What the client gives the model for a call that a person refused.
const REFUSED: &[&str] = &["The user doesn't want to proceed with this tool use", "<tool_use_error>"];
/// Results up to this many bytes are read whatever they hold: words may stand beside them.
const SMALL_RECORD: usize = 2048;
/// The client's own messages in the agent's name, for example errors of the network.
const SYNTHETIC_MODEL: &str = "<synthetic>";

impl ClaudeCode {
    /// The blocks of one line of a transcript, none for a line that is broken, empty or unknown. Not redacted.
    pub fn lines(self, number: u64, raw: &[u8]) -> Vec<Line> {
        // Bytes that are no UTF-8 become U+FFFD: the rest of the text is still worth having.
        let text = match String::from_utf8_lossy(raw) {
            Cow::Borrowed(_) => Cow::Borrowed(raw),
            Cow::Owned(mended) => Cow::Owned(mended.into_bytes()),
        };
        read(number, &text).unwrap_or_default()
    }
}

/// `<project>/<session>.jsonl`, and below it `<session>/subagents/agent-<id>.jsonl`.
impl Conversations for ClaudeCode {
    fn folder(&self) -> &'static Folder {
        &Folder { variable: "CLAUDE_CONFIG_DIR", below_variable: "projects", below_home: ".claude/projects" }
    }

    fn is_one(&self, relative: &str) -> bool {
        relative.contains('/') && has_extension(relative, "jsonl")
    }

    fn growth(&self, _: &str) -> Growth {
        Growth::Lines
    }

    fn reader(&self, _: &str) -> Box<dyn Reader> {
        Box::new(*self)
    }

    fn expect(&self, record: &[u8]) -> Talk {
        let has = |mark: &[u8]| memchr::memmem::find(record, mark).is_some();
        if has(br#""type":"tool_result""#) {
            // Of what tools gave only a refusal holds words, a person's.
            let refused = REFUSED.iter().any(|mark| has(mark.as_bytes()));
            return if refused || record.len() <= SMALL_RECORD { Talk::Words } else { Talk::Nothing };
        }
        // A compaction and the start of a process end what was said before them.
        let marks: [&[u8]; 4] =
            [br#""type":"assistant""#, br#""type":"system""#, br#""SessionStart""#, br#""queue-operation""#];
        match has(br#""type":"user""#) {
            true => Talk::Prompt,
            false if marks.into_iter().any(has) => Talk::Words,
            false => Talk::Nothing,
        }
    }

    fn session_path(&self, path: &str) -> String {
        path.rsplit_once("/subagents/")
            .map_or_else(|| path.to_owned(), |(folder, _)| format!("{folder}.jsonl"))
    }
}

impl Reader for ClaudeCode {
    fn push(&mut self, number: u64, bytes: &[u8]) -> Vec<Line> {
        self.lines(number, bytes)
    }
}

/// `None`: nothing we know.
fn read(number: u64, json: &[u8]) -> Option<Vec<Line>> {
    let record = Object::whole(json)?;
    let kind = record.word("type")?;
    let whats = match kind.as_str() {
        "user" => user(&record),
        "assistant" => assistant(&record)?,
        "attachment" => vec![attachment(&record)?],
        "system" => vec![system(&record)],
        "queue-operation" => vec![queue(&record)?],
        // Requests as they were sent, counters: each repeats what the records above say.
        _ => return None,
    };
    let subagent =
        record.word("agentId").or_else(|| record.flag("isSidechain").then(|| UNNAMED_SIDECHAIN.to_owned()));
    let shared = Line {
        number,
        at: record.text("timestamp").and_then(|text| time::millis(&text)),
        uuid: record.word("uuid"),
        parent: record.word("parentUuid").or_else(|| record.word("logicalParentUuid")),
        session: SessionId::new(&record.word("sessionId")?),
        prompt_id: record.word("promptId"),
        cwd: record.path("cwd"),
        // A detached head and no repository at all are both written as `HEAD`.
        branch: record.word("gitBranch").filter(|branch| branch != "HEAD"),
        subagent: subagent.map(|id| Sidechain { id, kind: record.word("attributionAgent") }),
        what: What::Meta,
    };
    Some(whats.into_iter().map(|what| Line { what, ..shared.clone() }).collect())
}

fn user(record: &Object<'_>) -> Vec<What> {
    let Some(message) = record.object("message") else { return Vec::new() };
    if let Some(text) = message.text("content") {
        return vec![spoken(record, &text)];
    }
    let mut whats = Vec::new();
    let mut words = Vec::new();
    for block in message.objects("content") {
        match block.word("type").as_deref() {
            Some("tool_result") => whats.extend(tool_result(record, &block)),
            Some("text") => words.extend(block.text("text")),
            _ => {}
        }
    }
    // One structured result cannot be two tools'.
    if whats.len() > 1 {
        for what in &mut whats {
            if let What::ToolResult { structured, .. } = what {
                *structured = None;
            }
        }
    }
    if whats.is_empty() || !words.is_empty() {
        whats.push(spoken(record, &words.join("\n")));
    }
    whats
}

fn spoken(record: &Object<'_>, text: &str) -> What {
    if record.flag("isCompactSummary") || prompt::is_continued(text) {
        return What::Compaction { summary: words::summary(text) };
    }
    if record.flag("isMeta") {
        return if words::is_held(text) { What::Held } else { What::Meta };
    }
    // The client's own prompts say where they come from; a person's say `sdk`, `typed` or, in old records, nothing.
    let by_machine = record.word("promptSource").as_deref() == Some("system");
    match words::tell(text) {
        Spoken::Person(text) if by_machine || record.flag("isSidechain") => What::Machine { text },
        Spoken::Person(text) => What::Person { text },
        Spoken::Command { name, arguments } => What::Command { name, arguments },
        Spoken::Machine(text) => What::Machine { text },
        Spoken::Interrupted => What::Interrupted,
        Spoken::Printed => What::Printed,
        Spoken::Nothing => What::Meta,
    }
}

fn tool_result(record: &Object<'_>, block: &Object<'_>) -> Option<What> {
    let id = block.word("tool_use_id")?;
    let text = block.text("content").unwrap_or_else(|| {
        let texts: Vec<String> = block.objects("content").filter_map(|part| part.text("text")).collect();
        texts.join("\n")
    });
    // A record names the decision only when there was one to make.
    let accepted = record
        .object("permissionDecision")
        .and_then(|decision| decision.word("decision"))
        .is_none_or(|decision| decision == "accept");
    let outcome = match block.flag("is_error") {
        false => ToolOutcome::Succeeded,
        true if !accepted || REFUSED.iter().any(|mark| text.starts_with(mark)) => ToolOutcome::Refused,
        true if words::is_interrupted(&text) => ToolOutcome::Interrupted,
        true => ToolOutcome::Failed,
    };
    let structured = record.value("toolUseResult").filter(|value| !value.is_null());
    Some(What::ToolResult { id, outcome, text, structured })
}

fn assistant(record: &Object<'_>) -> Option<Vec<What>> {
    let message = record.object("message")?;
    if record.flag("isApiErrorMessage") || message.word("model").as_deref() == Some(SYNTHETIC_MODEL) {
        return Some(vec![What::Meta]);
    }
    let id = message.word("id");
    let ends_turn = message.word("stop_reason").as_deref() != Some("tool_use");
    let mut whats = Vec::new();
    for block in message.objects("content") {
        match block.word("type").as_deref() {
            Some("text") => {
                if let Some(text) = block.text("text").filter(|text| !text.trim().is_empty()) {
                    whats.push(What::Agent { text, message: id.clone(), ends_turn });
                }
            }
            Some("tool_use") => {
                if let (Some(id), Some(name)) = (block.word("id"), block.word("name")) {
                    let input = block.value("input").unwrap_or(Value::Null);
                    whats.push(tool_use(&id, name, input));
                }
            }
            // Thoughts are not the agent's answer.
            _ => {}
        }
    }
    if let Some(usage) = message.object("usage") {
        let count = |name| usage.value(name).and_then(|value| value.as_u64()).unwrap_or(0);
        let usage = Usage {
            input: count("input_tokens"),
            cache_read: count("cache_read_input_tokens"),
            cache_creation: count("cache_creation_input_tokens"),
            output: count("output_tokens"),
        };
        whats.push(What::Usage { message: id, model: message.word("model"), usage });
    }
    Some(whats)
}

/// Attachments are what the client and hooks added; only the traces of a start say when something happened.
fn attachment(record: &Object<'_>) -> Option<What> {
    let attachment = record.object("attachment")?;
    if attachment.word("hookEvent").as_deref() != Some("SessionStart") {
        return Some(What::Meta);
    }
    let source = attachment.word("hookName")?.split_once(':')?.1.to_owned();
    Some(What::Start { source })
}

fn queue(record: &Object<'_>) -> Option<What> {
    Some(What::Queue(match record.word("operation")?.as_str() {
        "enqueue" => Queued::Typed { text: record.text("content")? },
        "remove" => Queued::Told,
        "dequeue" => Queued::Asked,
        "popAll" => Queued::TakenBack,
        _ => return None,
    }))
}

fn system(record: &Object<'_>) -> What {
    if record.word("subtype").as_deref() != Some("compact_boundary") {
        return What::Meta;
    }
    let trigger = record.object("compactMetadata").and_then(|metadata| metadata.word("trigger"));
    What::Boundary { trigger: trigger.unwrap_or_default() }
}
