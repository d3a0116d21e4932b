//! The conversations in `~/.gemini/tmp/<project>/chats/`, as measured with Gemini CLI 0.61 (`session-*.jsonl`, and a
//! folder per session for its subagents) and, for the one JSON document of older releases (`session-*.json`), as its
//! package reads it. The format is the client's own and changes: a record we do not know says nothing.
//!
//! A message is written again under its id whenever it has grown, by the calls of tools above all, so the reader
//! remembers what it has told. Taking messages back (`$rewindTo`) takes nothing back of what happened.

use std::collections::{HashSet, VecDeque};

use model::SessionId;
use serde_json::Value;

use super::tools;
use crate::transcript::record::{Object, has_extension};
use crate::transcript::tool::{result, tool_use};
use crate::transcript::{
    Conversations, Folder, Growth, Line, Reader, Sidechain, ToolOutcome, Usage, What, time,
};

/// Messages and calls that may still be written again: the last ones. A person asks less in a day.
const MAX_TOLD: usize = 4096;
const CONTEXT: &str = "<session_context>";
/// In front of the first folder in the context.
const FOLDERS: &str = "Workspace Directories:**\n  - ";
const SNAPSHOT: &str = "<state_snapshot>";
const SNAPSHOT_END: &str = "</state_snapshot>";
/// Put around what a tool gave, for the model.
const WRAPPER: (&str, &str) = ("<untrusted_context>", "</untrusted_context>");
const PRINTED: &str = "Output: ";
const EXIT_CODE: &str = "\nExit Code: ";
const GROUP: &str = "\nProcess Group PGID: ";
const DENIED: &str = "denied";

/// Gemini CLI's conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chats;

impl Conversations for Chats {
    fn folder(&self) -> &'static Folder {
        &Folder { variable: "GEMINI_CLI_HOME", below_variable: ".gemini/tmp", below_home: ".gemini/tmp" }
    }

    fn is_one(&self, relative: &str) -> bool {
        let Some((_, inside)) = relative.split_once("/chats/") else { return false };
        match inside.split_once('/') {
            None => {
                inside.starts_with("session-")
                    && (has_extension(inside, "jsonl") || has_extension(inside, "json"))
            }
            Some((_, name)) => !name.contains('/') && has_extension(name, "jsonl"),
        }
    }

    fn growth(&self, path: &str) -> Growth {
        if has_extension(path, "json") { Growth::Whole } else { Growth::Lines }
    }

    fn reader(&self, path: &str) -> Box<dyn Reader> {
        Box::new(Chat::new(path))
    }
}

#[derive(Debug)]
struct Chat {
    session: SessionId,
    subagent: Option<Sidechain>,
    cwd: Option<String>,
    /// The session whose folder it is in, if it is a subagent's.
    parent: Option<String>,
    /// The person's last message; what follows belongs to it.
    prompt: Option<String>,
    told: HashSet<String>,
    order: VecDeque<String>,
}

impl Reader for Chat {
    fn push(&mut self, number: u64, bytes: &[u8]) -> Vec<Line> {
        let text = String::from_utf8_lossy(bytes);
        let Some(record) = Object::whole(text.as_bytes()) else { return Vec::new() };
        if let Some(session) = record.word("sessionId") {
            self.name(&session, &record);
            let messages = record.objects("messages").enumerate();
            // Their places, where they are all in one record: in a file of lines there are none of them.
            return messages.flat_map(|(place, message)| self.message(place as u64, &message)).collect();
        }
        if let Some(set) = record.object("$set") {
            return self.set(number, &set);
        }
        self.message(number, &record)
    }
}

impl Chat {
    fn new(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.trim_end_matches(".jsonl").trim_end_matches(".json");
        let inside = path.rsplit_once("/chats/").and_then(|(_, inside)| inside.split_once('/'));
        Self {
            session: SessionId::new(name),
            subagent: None,
            cwd: None,
            parent: inside.map(|(parent, _)| parent.to_owned()),
            prompt: None,
            told: HashSet::new(),
            order: VecDeque::new(),
        }
    }

    fn name(&mut self, session: &str, record: &Object<'_>) {
        self.session = SessionId::new(session);
        if let Some(parent) = &self.parent {
            self.subagent = Some(Sidechain { id: session.to_owned(), kind: None });
            self.session = SessionId::new(parent);
        }
        let folders = record.value("directories");
        let first = folders.as_ref().and_then(|folders| folders.get(0)?.as_str());
        self.cwd = first.map(str::to_owned).or(self.cwd.take());
    }

    /// The whole history, replaced: when it begins, and when it was made shorter.
    fn set(&mut self, number: u64, set: &Object<'_>) -> Vec<Line> {
        let mut lines = Vec::new();
        for message in set.objects("messages") {
            let text = words(&message, "content");
            if text.trim_start().starts_with(CONTEXT) {
                self.look_around(&text);
            } else if let Some((_, snapshot)) = text.split_once(SNAPSHOT)
                && let Some(id) = message.word("id")
                && self.is_new(&id)
            {
                let summary = snapshot.split_once(SNAPSHOT_END).map_or(snapshot, |(inside, _)| inside);
                let summary = summary.trim().to_owned();
                for what in [What::Boundary { trigger: String::new() }, What::Compaction { summary }] {
                    lines.push(self.line(number, &message, what));
                }
            }
        }
        lines
    }

    fn message(&mut self, number: u64, message: &Object<'_>) -> Vec<Line> {
        let (Some(id), Some(kind)) = (message.word("id"), message.word("type")) else { return Vec::new() };
        match kind.as_str() {
            "user" => {
                let shown = words(message, "displayContent");
                let text = if shown.trim().is_empty() { words(message, "content") } else { shown };
                let text = text.trim();
                if text.starts_with(CONTEXT) {
                    self.look_around(text);
                }
                if text.is_empty() || is_clients(text) || !self.is_new(&id) {
                    return Vec::new();
                }
                let what = match text.strip_prefix('/') {
                    // Nobody but its parent speaks to a subagent.
                    _ if self.subagent.is_some() => What::Machine { text: text.to_owned() },
                    Some(command) if !command.starts_with([' ', '/']) => {
                        let (name, arguments) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
                        What::Command { name: name.to_owned(), arguments: arguments.trim().to_owned() }
                    }
                    _ => What::Person { text: text.to_owned() },
                };
                self.prompt = Some(id);
                vec![self.line(number, message, what)]
            }
            "gemini" => self.answer(number, &id, message),
            _ => Vec::new(),
        }
    }

    fn answer(&mut self, number: u64, id: &str, message: &Object<'_>) -> Vec<Line> {
        let mut lines = Vec::new();
        let calls: Vec<Object<'_>> = message.objects("toolCalls").collect();
        let text = words(message, "content");
        if !text.trim().is_empty() && self.is_new(id) {
            let what = What::Agent { text, message: None, ends_turn: calls.is_empty() };
            lines.push(self.line(number, message, what));
        }
        for call in calls {
            let (Some(call_id), Some(name)) = (call.word("id"), call.word("name")) else { continue };
            let status = call.word("status").unwrap_or_default();
            let over = matches!(status.as_str(), "success" | "error" | "cancelled");
            if !over || !self.is_new(&call_id) {
                continue;
            }
            let (name, input) = tools::call(&name, &call.value("args").unwrap_or(Value::Null));
            let given = given(&call);
            let (body, exit) = if name == "Bash" { printed(&given) } else { (given.as_str(), None) };
            let outcome = match status.as_str() {
                "error" => ToolOutcome::Failed,
                "cancelled" if given.contains(DENIED) => ToolOutcome::Refused,
                "cancelled" => ToolOutcome::Interrupted,
                _ => ToolOutcome::Succeeded,
            };
            let ended = result(&call_id, &name, &input, outcome, body, exit);
            let mut use_line = self.line(number, message, tool_use(&call_id, name, input));
            use_line.at = call.text("timestamp").and_then(|text| time::millis(&text)).or(use_line.at);
            lines.push(use_line.clone());
            lines.push(Line { what: ended, ..use_line });
        }
        if let Some(tokens) = message.object("tokens") {
            let count = |name| tokens.value(name).and_then(|value| value.as_u64()).unwrap_or(0);
            let cache_read = count("cached");
            let usage = Usage {
                input: count("input").saturating_sub(cache_read),
                cache_read,
                cache_creation: 0,
                output: count("output").saturating_add(count("thoughts")),
            };
            let what = What::Usage { message: Some(id.to_owned()), model: message.word("model"), usage };
            lines.push(self.line(number, message, what));
        }
        lines
    }

    fn line(&self, number: u64, message: &Object<'_>, what: What) -> Line {
        Line {
            number,
            at: message.text("timestamp").and_then(|text| time::millis(&text)),
            uuid: message.word("id"),
            parent: None,
            session: self.session.clone(),
            prompt_id: self.prompt.clone(),
            cwd: self.cwd.clone(),
            branch: None,
            subagent: self.subagent.clone(),
            what,
        }
    }

    /// The client tells the model where it is; its records do not say it otherwise.
    fn look_around(&mut self, context: &str) {
        let folder = context.split_once(FOLDERS).and_then(|(_, rest)| rest.lines().next()).map(str::trim);
        self.cwd = folder.filter(|folder| folder.starts_with('/')).map(str::to_owned).or(self.cwd.take());
    }

    fn is_new(&mut self, id: &str) -> bool {
        if !self.told.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > MAX_TOLD
            && let Some(oldest) = self.order.pop_front()
        {
            self.told.remove(&oldest);
        }
        true
    }
}

/// A text, or the texts of a list of parts. Thoughts are not the agent's answer.
fn words(message: &Object<'_>, field: &str) -> String {
    message.text(field).unwrap_or_else(|| {
        let parts = message.objects(field).filter(|part| !part.flag("thought"));
        parts.filter_map(|part| part.text("text")).collect::<String>()
    })
}

/// Written by the client in the person's place.
fn is_clients(text: &str) -> bool {
    [CONTEXT, "<hook_context>"].iter().any(|tag| text.starts_with(tag)) || text.contains(SNAPSHOT)
}

/// What the model was given for a call, without what is put around it.
fn given(call: &Object<'_>) -> String {
    let said = call.text("result").unwrap_or_else(|| {
        let parts =
            call.objects("result").filter_map(|part| part.object("functionResponse")?.object("response"));
        parts
            .filter_map(|response| response.text("output").or_else(|| response.text("error")))
            .collect::<Vec<_>>()
            .join("\n")
    });
    let trimmed = said.trim();
    let inside = trimmed.strip_prefix(WRAPPER.0).and_then(|rest| rest.strip_suffix(WRAPPER.1));
    inside.map_or_else(|| said.clone(), |inside| inside.trim_matches('\n').to_owned())
}

/// What a command printed, and how it ended where that is told.
fn printed(given: &str) -> (&str, Option<i64>) {
    let body = match given.find(PRINTED) {
        Some(0) => &given[PRINTED.len()..],
        Some(at) if given[..at].ends_with('\n') => &given[at + PRINTED.len()..],
        _ => given,
    };
    let (body, rest) = body.rfind(EXIT_CODE).map_or((body, ""), |at| body.split_at(at));
    let exit = rest.get(EXIT_CODE.len()..).and_then(|rest| rest.lines().next()?.trim().parse().ok());
    let body = body.rfind(GROUP).map_or(body, |at| &body[..at]);
    (body, exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_are_told_from_what_lies_beside_them() {
        let yes = [
            "project/chats/session-2026-11-16T07-51-b6539479.jsonl",
            "9f86d0/chats/session-2025-09-01T10-00-ab12cd34.json",
            "project/chats/b6539479-9da3-4211-a692-0754f455deb4/explorer.jsonl",
        ];
        assert!(yes.iter().all(|path| Chats.is_one(path)));
        let no = [
            "project/logs.json",
            "project/chats/notes.txt",
            "project/chats/session-1.jsonl.tmp-77",
            "project/chats/session-1.jsonl.unreadable-5",
            "project/chats/a/b/c.jsonl",
            "chats/session-1.jsonl",
        ];
        assert!(no.iter().all(|path| !Chats.is_one(path)));
    }

    #[test]
    fn what_a_command_printed_is_told_from_what_is_said_about_it() {
        let new = "Output: no module\nExit Code: 1\nProcess Group PGID: 12966";
        assert_eq!(printed(new), ("no module", Some(1)));
        let old = "Command: ls\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: 0\nSignal: 0";
        assert_eq!(printed(old), ("a\nb\nError: (none)", Some(0)));
        assert_eq!(printed("Output: a\nProcess Group PGID: 1"), ("a", None));
        assert_eq!(printed("just so"), ("just so", None));
    }
}
