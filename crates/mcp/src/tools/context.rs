//! What a session would be told here without asking, and why.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Call, said};
use crate::answer::{Answer, MAX_TOKENS, TITLE_CHARS, line, part, quoted};
use crate::keeper::{Keeper, Refusal};

/// A first question may load the model.
const PATIENCE: Duration = Duration::from_secs(15);
/// Of an answer, for the list of what was said and why.
const FOR_ITEMS: u32 = 2_000;
/// Events at which something may be said.
const EVENTS: &[&str] = &["SessionStart", "UserPromptSubmit", "PreToolUse", "PreCompact"];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Context {
    /// As if the person had sent this
    prompt: Option<String>,
    /// As if this file were about to be read
    file: Option<String>,
    /// SessionStart (default), UserPromptSubmit (default with prompt), PreToolUse (default with file), PreCompact
    event: Option<String>,
    /// Another folder than the current one, absolute
    cwd: Option<String>,
}

impl Call for Context {
    const NAME: &'static str = "mem_context";
    const TITLE: &'static str = "What a session is told";
    const DESCRIPTION: &'static str = "What memory would say by itself at a session's start, for a prompt or before \
        a file is read, item by item with the reason.";

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let cwd = self.folder(keeper)?;
        let mut envelope = json!({
            "hook_event_name": self.event()?,
            "session_id": "context-preview",
            "cwd": cwd,
            "source": "startup",
            "trigger": "auto",
        });
        if let Some(prompt) = &self.prompt {
            envelope["prompt"] = json!(prompt);
        }
        if let Some(file) = &self.file {
            envelope["tool_name"] = json!("Read");
            envelope["tool_input"] = json!({ "file_path": cwd.join(file) });
        }
        let answer = keeper.ask(&json!({ "ask": "context", "envelope": envelope }), PATIENCE)?;
        Ok(page(&answer))
    }
}

impl Context {
    fn event(&self) -> Result<&str, Refusal> {
        match self.event.as_deref().and_then(said) {
            Some(event) if EVENTS.contains(&event) => Ok(event),
            Some(event) => {
                let what = format!("nothing is said on \"{}\"", line(event, 40));
                Err(Refusal::new(what, format!("the events are {}", EVENTS.join(", "))))
            }
            None if self.prompt.is_some() => Ok("UserPromptSubmit"),
            None if self.file.is_some() => Ok("PreToolUse"),
            None => Ok("SessionStart"),
        }
    }

    fn folder(&self, keeper: &dyn Keeper) -> Result<PathBuf, Refusal> {
        let Some(cwd) = self.cwd.as_deref().and_then(said) else { return Ok(keeper.folder().to_owned()) };
        if Path::new(cwd).is_absolute() {
            return Ok(PathBuf::from(cwd));
        }
        Err(Refusal::new(format!("\"{}\" is no absolute folder", line(cwd, 80)), "give it from / on"))
    }
}

fn page(answer: &Value) -> Answer {
    // Fenced and clean by whoever made it; a second pass would break the fence.
    let whole = answer["text"].as_str().unwrap_or_default();
    let (begun, cut) = part(whole, 0, MAX_TOKENS - FOR_ITEMS);
    let said = if cut.is_some() { quoted(Context::NAME, begun) } else { whole.to_owned() };
    let mut room = FOR_ITEMS;
    let items = answer["items"].as_array().into_iter().flatten().map(item);
    let items: Vec<Value> = items
        .take_while(|item| {
            let cost = model::estimate_tokens(&item.to_string());
            let fits = cost <= room;
            room = room.saturating_sub(cost);
            fits
        })
        .collect();
    let event = line(answer["event"].as_str().unwrap_or_default(), 40);
    if said.is_empty() {
        let text = format!("nothing would be said on {event}");
        return Answer { data: json!({ "event": event, "items": [], "said": "", "tokens": 0 }), text };
    }
    let mut text = format!("{event}, {} tokens:\n{said}\n", answer["tokens"]);
    for item in &items {
        let word = |name: &str| item[name].as_str().unwrap_or("-");
        text.push_str(&format!(
            "{}  {} tokens  {} ({})\n",
            word("id"),
            item["tokens"],
            word("title"),
            word("why")
        ));
    }
    let data = json!({
        "event": event,
        "tokens": answer["tokens"],
        "items": items,
        "said": said,
        "cut": cut.is_some(),
    });
    Answer { text, data }
}

fn item(item: &Value) -> Value {
    let word = |name: &str| item[name].as_str().map(|text| line(text, TITLE_CHARS));
    json!({ "id": item["id"], "title": word("title"), "why": word("why"), "tokens": item["tokens"] })
}
