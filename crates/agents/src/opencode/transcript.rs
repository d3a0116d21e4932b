//! OpenCode's sessions, as its source has them: rows of `opencode.db` since early 2026, before that a file for each session, message
//! and part below `storage/`. Either way one session is gathered to the document that `opencode export` prints, and that is
//! read here: `{"info": …, "messages": [{"info": …, "parts": […]}]}`, with the session on top of its parents as `root`.
//! A part we do not know says nothing.

use model::{Millis, SessionId};
use serde_json::Value;

use super::tools;
use crate::transcript::record::{Object, has_extension};
use crate::transcript::tool::{result, tool_use};
use crate::transcript::{Conversations, Folder, Growth, Line, Reader, Sidechain, ToolOutcome, Usage, What};

/// What OpenCode says of a call that a person did not allow, and of one that was cut short.
const REFUSALS: &[&str] = &["rejected permission", "user rejected", "specified a rule which prevents"];
const ABORTED: &[&str] = &["aborted", "interrupted"];

/// OpenCode's conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenCodeSessions;

impl Conversations for OpenCodeSessions {
    fn folder(&self) -> &'static Folder {
        &Folder { variable: "XDG_DATA_HOME", below_variable: "opencode", below_home: ".local/share/opencode" }
    }

    /// A database holds many; each is named by its id behind the database's path.
    fn is_one(&self, relative: &str) -> bool {
        let parts: Vec<&str> = relative.split('/').collect();
        match parts.as_slice() {
            ["storage", "session", _, name] => name.starts_with("ses_") && has_extension(name, "json"),
            [name] => name.starts_with("opencode") && has_extension(name, "db"),
            _ => false,
        }
    }

    fn growth(&self, _: &str) -> Growth {
        Growth::Gathered
    }

    fn reader(&self, _: &str) -> Box<dyn Reader> {
        Box::new(OpenCodeExport)
    }
}

struct OpenCodeExport;

impl Reader for OpenCodeExport {
    fn push(&mut self, _: u64, bytes: &[u8]) -> Vec<Line> {
        let text = String::from_utf8_lossy(bytes);
        let Some(document) = Object::whole(text.as_bytes()) else { return Vec::new() };
        let Some(session) = ExportedSession::of(&document) else { return Vec::new() };
        let mut prompt = None;
        let messages = document.objects("messages").enumerate();
        messages.flat_map(|(place, message)| session.message(place as u64, &message, &mut prompt)).collect()
    }
}

/// What is true of all its messages.
struct ExportedSession {
    id: SessionId,
    subagent: Option<Sidechain>,
    cwd: Option<String>,
}

impl ExportedSession {
    fn of(document: &Object<'_>) -> Option<Self> {
        let info = document.object("info")?;
        let own = info.word("id")?;
        let root = document.word("root").or_else(|| info.word("parentID"));
        let below = root.filter(|root| *root != own);
        Some(Self {
            subagent: below.as_ref().map(|_| Sidechain { id: own.clone(), kind: info.word("agent") }),
            id: SessionId::new(below.as_deref().unwrap_or(&own)),
            cwd: info.path("directory"),
        })
    }

    fn message(&self, place: u64, message: &Object<'_>, prompt: &mut Option<String>) -> Vec<Line> {
        let Some(info) = message.object("info") else { return Vec::new() };
        let (Some(id), Some(role)) = (info.word("id"), info.word("role")) else { return Vec::new() };
        let made = info.object("time").and_then(|time| millis(&time, "created"));
        let parts: Vec<Object<'_>> = message.objects("parts").collect();
        let asks = role == "user";
        if asks {
            *prompt = Some(id.clone());
        }
        let line = |part: Option<&Object<'_>>, at: Option<Millis>, what: What| Line {
            number: place,
            at: at.or(made),
            uuid: part.and_then(|part| part.word("id")).or_else(|| Some(id.clone())),
            parent: None,
            session: self.id.clone(),
            prompt_id: prompt.clone(),
            cwd: info.object("path").and_then(|path| path.path("cwd")).or_else(|| self.cwd.clone()),
            branch: None,
            subagent: self.subagent.clone(),
            what,
        };
        if asks {
            return self.asked(&parts).map(|what| line(None, None, what)).into_iter().collect();
        }
        let summary = info.flag("summary");
        let mut lines = Vec::new();
        let goes_on =
            |from: usize| parts[from..].iter().any(|part| part.word("type").as_deref() == Some("tool"));
        for (at, part) in parts.iter().enumerate() {
            match part.word("type").as_deref() {
                Some("text") if summary => {
                    let summary = said(part).unwrap_or_default();
                    for what in [What::Boundary { trigger: String::new() }, What::Compaction { summary }] {
                        lines.push(line(Some(part), None, what));
                    }
                }
                Some("text") => {
                    let (Some(text), time) = (said(part), part.object("time")) else { continue };
                    let what = What::Agent { text, message: Some(id.clone()), ends_turn: !goes_on(at) };
                    lines.push(line(Some(part), time.and_then(|time| millis(&time, "start")), what));
                }
                Some("tool") => {
                    let Some((called, ended, start, end)) = call(part) else { continue };
                    lines.push(line(Some(part), start, called));
                    lines.push(line(Some(part), end, ended));
                }
                _ => {}
            }
        }
        if info.object("error").and_then(|error| error.word("name")).as_deref() == Some("MessageAbortedError")
        {
            lines.push(line(None, None, What::Interrupted));
        }
        if let Some(tokens) = info.object("tokens") {
            let count = |of: &Object<'_>, name| of.value(name).and_then(|value| value.as_u64()).unwrap_or(0);
            let cache = tokens.object("cache");
            let usage = Usage {
                input: count(&tokens, "input"),
                cache_read: cache.as_ref().map_or(0, |cache| count(cache, "read")),
                cache_creation: cache.as_ref().map_or(0, |cache| count(cache, "write")),
                output: count(&tokens, "output").saturating_add(count(&tokens, "reasoning")),
            };
            let what = What::Usage { message: Some(id.clone()), model: info.word("modelID"), usage };
            lines.push(line(None, None, what));
        }
        lines
    }

    /// What was typed; what OpenCode and plugins put beside it is none of the person's words.
    fn asked(&self, parts: &[Object<'_>]) -> Option<What> {
        let text = parts
            .iter()
            .filter(|part| part.word("type").as_deref() == Some("text"))
            .filter_map(said)
            .collect::<Vec<_>>()
            .join("\n");
        let text = text.trim().to_owned();
        // Nobody but its parent speaks to a subagent.
        let of_machine = self.subagent.is_some();
        (!text.is_empty()).then_some(if of_machine { What::Machine { text } } else { What::Person { text } })
    }
}

fn said(part: &Object<'_>) -> Option<String> {
    let put_there = part.flag("synthetic") || part.flag("ignored");
    part.text("text").filter(|text| !put_there && !text.trim().is_empty())
}

/// A call that is over, what came of it, and when it began and ended.
fn call(part: &Object<'_>) -> Option<(What, What, Option<Millis>, Option<Millis>)> {
    let (id, tool, state) = (part.word("callID")?, part.word("tool")?, part.object("state")?);
    let input = state.value("input").unwrap_or(Value::Null);
    let (name, input) = tools::call(&tool, &input);
    let (outcome, given) = match state.word("status").as_deref() {
        Some("completed") => (ToolOutcome::Succeeded, state.text("output").unwrap_or_default()),
        Some("error") => {
            let error = state.text("error").unwrap_or_default();
            let says = |words: &[&str]| words.iter().any(|word| error.contains(word));
            let outcome = match () {
                () if says(REFUSALS) => ToolOutcome::Refused,
                () if says(ABORTED) => ToolOutcome::Interrupted,
                () => ToolOutcome::Failed,
            };
            (outcome, error)
        }
        _ => return None,
    };
    let exit = state.object("metadata").and_then(|of| of.value("exit")?.as_i64()).filter(|_| name == "Bash");
    let time = state.object("time");
    let at = |name| time.as_ref().and_then(|time| millis(time, name));
    let ended = result(&id, &name, &input, outcome, &given, exit);
    Some((tool_use(&id, name, input), ended, at("start"), at("end")))
}

fn millis(time: &Object<'_>, name: &str) -> Option<Millis> {
    time.value(name).and_then(|at| at.as_u64().or_else(|| at.as_f64().map(|at| at as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_told_from_what_lies_beside_them() {
        let yes = ["storage/session/global/ses_4f.json", "opencode.db", "opencode-dev.db"];
        assert!(yes.iter().all(|path| OpenCodeSessions.is_one(path)));
        let no = [
            "storage/message/ses_4f/msg_1.json",
            "storage/session_diff/ses_4f.json",
            "opencode.db-wal",
            "auth.json",
            "log/opencode.db",
        ];
        assert!(no.iter().all(|path| !OpenCodeSessions.is_one(path)));
    }
}
