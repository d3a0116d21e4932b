//! What an agent would be told, exactly, and why: the same behaviors and the same bytes as `throughline context`.
//! Nothing counts as said.

use std::path::Path;
use std::time::Duration;

use model::EventKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::endpoint::{Asked, Endpoint, Given, Nothing, post};
use super::named;
use super::reading::read;
use super::words::Words;
use crate::House;
use crate::problem::{self, Problem};

/// A first question may load the model.
const PATIENCE: Duration = Duration::from_secs(15);
/// Bytes of a path; the kernel takes no longer one.
const MAX_PATH: usize = 4096;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![post("/api/v1/context", "What an agent would be told, and why", context)]
}

/// The moment of which is asked.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Moment {
    /// Without it: `UserPromptSubmit` with a prompt, `PreToolUse` with a file or a tool, else `SessionStart`.
    event: Option<EventName>,
    /// As if this were submitted.
    prompt: Option<Words<100_000>>,
    /// In this folder.
    #[schemars(length(max = 4096), regex(pattern = "^/"))]
    cwd: Option<String>,
    /// Instead of a folder: in the one where this project was last seen.
    project: Option<String>,
    /// As if this tool were about to be used; without it `Read`.
    tool: Option<String>,
    /// As if this file were about to be read: from the top, or from the folder.
    #[schemars(length(max = 4096))]
    file: Option<String>,
    /// In this session: what it has been told is not said again.
    session: Option<String>,
    /// How a session starts; without it `startup`.
    source: Option<Source>,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Source {
    #[default]
    Startup,
    Resume,
    Clear,
    Compact,
}

/// An event, as it is named by most agents.
#[derive(Debug, Clone, Copy)]
struct EventName(EventKind);

impl<'de> Deserialize<'de> for EventName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match EventKind::from_name(&name) {
            EventKind::Other => Err(serde::de::Error::custom("this event is not known")),
            kind => Ok(Self(kind)),
        }
    }
}

impl JsonSchema for EventName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EventName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let known = EventKind::ALL.iter().filter(|kind| **kind != EventKind::Other);
        let names: Vec<&str> = known.map(|kind| kind.name()).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

/// What would be said.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Preview {
    event: String,
    project: Option<String>,
    tokens: u64,
    /// The parts of all notes.
    items: Vec<Piece>,
    notes: Vec<Note>,
    /// What the person is told.
    tells: Vec<String>,
    /// What the summary of a compaction is asked to keep.
    instructions: Option<String>,
    /// All notes, as the model reads them.
    text: String,
    /// The bytes that the agent's hook would print.
    delivered: String,
    behaviors: Vec<Behavior>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Piece {
    /// The memory it shows, if it is one.
    id: Option<String>,
    /// The behavior.
    from: String,
    part: String,
    title: String,
    tokens: u32,
    why: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Note {
    /// The behavior.
    from: String,
    tokens: u32,
    text: String,
    items: Vec<Item>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Item {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<String>,
    part: String,
    title: String,
    tokens: u32,
    why: String,
}

/// A behavior that was asked.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AskedBehavior")]
struct Behavior {
    name: String,
    tokens: u32,
    silent: bool,
    micros: u64,
    trouble: Option<String>,
}

fn context(house: &dyn House, asked: Asked<Nothing, Nothing, Moment>) -> Result<Given<Preview>, Problem> {
    let moment = asked.body;
    let cwd = moment.folder(house)?;
    let mut envelope = json!({
        "hook_event_name": moment.event().name(),
        "session_id": "context-preview",
        "source": moment.source.unwrap_or_default(),
        "trigger": "auto",
    });
    if let Some(cwd) = &cwd {
        envelope["cwd"] = json!(cwd);
    }
    if let Some(session) = &moment.session {
        let row = named::session(house, session)?;
        envelope["session_id"] = json!(row.id);
        if let Some(transcript) = row.transcript {
            envelope["transcript_path"] = json!(transcript);
        }
    }
    if let Some(prompt) = &moment.prompt {
        envelope["prompt"] = json!(prompt.as_str());
    }
    if moment.tool.is_some() || moment.file.is_some() {
        envelope["tool_name"] = json!(moment.tool.as_deref().unwrap_or("Read"));
        envelope["tool_input"] = match &moment.file {
            Some(file) => json!({ "file_path": Path::new(cwd.as_deref().unwrap_or("/")).join(file) }),
            None => json!({}),
        };
    }
    let said = house.ask(&json!({ "ask": "context", "envelope": envelope }), PATIENCE);
    serde_json::from_value::<Preview>(said).map(Into::into).map_err(|_| problem::OUT_OF_ORDER)
}

impl Moment {
    fn event(&self) -> EventKind {
        match self.event {
            Some(EventName(kind)) => kind,
            None if self.prompt.is_some() => EventKind::UserPromptSubmit,
            None if self.file.is_some() || self.tool.is_some() => EventKind::PreToolUse,
            None => EventKind::SessionStart,
        }
    }

    /// Where it happens. Nowhere: nothing that belongs to a folder is said.
    fn folder(&self, house: &dyn House) -> Result<Option<String>, Problem> {
        let is_path = |text: &String| text.len() <= MAX_PATH && !text.contains('\0');
        if !self.cwd.iter().chain(&self.file).all(is_path) || self.cwd.iter().any(|cwd| !cwd.starts_with('/'))
        {
            let next = "name a folder from the top, beginning with a slash";
            return Err(Problem::refused("this is no path", next));
        }
        match (&self.cwd, &self.project) {
            (Some(_), Some(_)) => {
                Err(Problem::refused("a folder has a project already", "send either `cwd` or `project`"))
            }
            (Some(cwd), None) => Ok(Some(cwd.clone())),
            (None, Some(project)) => last_seen(house, project).map(Some),
            (None, None) => Ok(None),
        }
    }
}

fn last_seen(house: &dyn House, project: &str) -> Result<String, Problem> {
    let workspaces = read(house, store::Tables::workspaces)?;
    let of_it = workspaces.into_iter().filter(|row| row.project.as_deref() == Some(project));
    let last = of_it.max_by_key(|row| row.last_seen_at).map(|row| row.root);
    last.ok_or(Problem::not_found("no folder of this project is known", "send `cwd` instead"))
}
