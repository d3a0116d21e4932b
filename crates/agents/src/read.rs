//! An envelope to an event, as far as agents say it alike: the fields, and what each event of the house is about.
//! Only the fields we use are decoded, each on its own, so that one that is missing, mistyped or too deep costs
//! nothing but itself. What one agent alone says is read in that agent's room.

use model::{Author, Detail, Event, EventKind, Outcome, SessionId, StartSource, Subagent, ToolCall};
use serde_json::Value;

use crate::Incoming;
use crate::json::{self, Member};
use crate::prompt;

/// Names and ids are UUIDs and words; this is room for ten UUIDs, as in [`SessionId::MAX_CHARS`].
const MAX_WORD_CHARS: usize = 400;
/// The longest path Linux takes. A longer one is absent, since a cut path is another path.
const MAX_PATH_BYTES: usize = 4096;
/// An event that names itself nowhere is kept under this name.
const UNNAMED: &str = "unknown";

/// Who wrote a prompt, where that is told beside it, and what is told of one that no person wrote.
pub(crate) const PROMPT_SOURCE: &str = "prompt_source";
pub(crate) const SYSTEM: &str = "system";

/// What to do about a tool's input and result, which are nearly all of an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    Decoded,
    LeftOut,
}

/// The event's name as the envelope says it, or as the command line does.
pub(crate) fn name(incoming: &Incoming<'_>, fields: &Fields<'_>) -> String {
    fields
        .word("hook_event_name")
        .or_else(|| incoming.hint.filter(|hint| !hint.is_empty()).map(|hint| cut(hint.to_owned())))
        .unwrap_or_else(|| UNNAMED.to_owned())
}

/// What every event says, under the name it was sent with. Its detail is still to be read.
pub(crate) fn event(
    agent: &'static str,
    incoming: &Incoming<'_>,
    fields: &Fields<'_>,
    name: String,
    kind: EventKind,
) -> Event {
    Event {
        id: incoming.id,
        at: incoming.at,
        agent,
        session: SessionId::new(&fields.word("session_id").unwrap_or_default()),
        kind,
        name,
        cwd: fields.path("cwd"),
        transcript: fields.path("transcript_path"),
        prompt_id: fields.word("prompt_id"),
        permission_mode: fields.word("permission_mode"),
        // The agent's type alone is the main thread under `--agent`.
        subagent: fields
            .word("agent_id")
            .map(|id| Subagent { id, kind: fields.word("agent_type").unwrap_or_default() }),
        context: incoming.context.clone(),
        detail: Detail::Plain,
    }
}

/// In the words of the house. `None`: the field that the detail is about is absent.
pub(crate) fn detail(kind: EventKind, fields: &Fields<'_>) -> Option<Detail> {
    #[allow(clippy::enum_glob_use, reason = "a table of every kind")]
    use EventKind::*;
    Some(match kind {
        SessionStart => Detail::Start { source: start_source(fields), model: fields.word("model") },
        UserPromptSubmit | UserPromptExpansion => {
            let text = fields.text("prompt")?;
            if fields.word(PROMPT_SOURCE).is_some_and(|source| source == SYSTEM) {
                return Some(Detail::Prompt { text, author: Author::Machine });
            }
            let (author, words) = prompt::author(&text);
            Detail::Prompt { author, text: words.into_owned() }
        }
        PreToolUse | PermissionRequest => tool(fields, Outcome::Pending)?,
        PermissionDenied => {
            tool(fields, Outcome::Denied { reason: fields.text("reason").unwrap_or_default() })?
        }
        PostToolUse => {
            let response = fields.contents("tool_response");
            tool(fields, Outcome::Succeeded { response, duration_ms: fields.number("duration_ms") })?
        }
        PostToolUseFailure => {
            let outcome = Outcome::Failed {
                error: fields.text("error").unwrap_or_default(),
                interrupted: fields.flag("is_interrupt"),
                duration_ms: fields.number("duration_ms"),
            };
            tool(fields, outcome)?
        }
        Stop | SubagentStop => Detail::Stop {
            again: fields.flag("stop_hook_active"),
            last_message: fields.text("last_assistant_message"),
        },
        StopFailure => Detail::StopFailure { error: fields.text("error").unwrap_or_default() },
        Notification => Detail::Notification {
            kind: fields.word("notification_type").unwrap_or_default(),
            title: fields.text("title"),
            message: fields.text("message")?,
        },
        PreCompact => compaction(fields, "custom_instructions"),
        PostCompact => compaction(fields, "compact_summary"),
        SessionEnd => Detail::End { reason: fields.word("reason").unwrap_or_default() },
        InstructionsLoaded | ConfigChange | FileChanged => Detail::Path { path: fields.path("file_path")? },
        CwdChanged => Detail::Path { path: fields.path("new_cwd")? },
        DirectoryAdded => Detail::Path { path: fields.path("directory")? },
        WorktreeRemove => Detail::Path { path: fields.path("worktree_path")? },
        PostToolBatch => batch(fields),
        // WorktreeCreate has a name and no path yet.
        Setup | MessageDisplay | SubagentStart | TaskCreated | TaskCompleted | TeammateIdle
        | PreModelSwitch | PostModelSwitch | WorktreeCreate | Elicitation | ElicitationResult | Other => {
            Detail::Plain
        }
    })
}

fn start_source(fields: &Fields<'_>) -> StartSource {
    match fields.word("source").as_deref() {
        Some("startup") => StartSource::Startup,
        Some("resume") => StartSource::Resume,
        Some("clear") => StartSource::Clear,
        Some("compact") => StartSource::Compact,
        Some("fork") => StartSource::Fork,
        _ => StartSource::Other,
    }
}

fn tool(fields: &Fields<'_>, outcome: Outcome) -> Option<Detail> {
    Some(Detail::Tool(ToolCall {
        name: fields.word("tool_name")?,
        use_id: fields.word("tool_use_id"),
        input: fields.contents("tool_input"),
        outcome,
    }))
}

/// A batch repeats calls that were reported one by one; of those that failed some were not.
fn batch(fields: &Fields<'_>) -> Detail {
    let calls = fields.contents("tool_calls");
    let failed: Vec<ToolCall> = calls.as_array().into_iter().flatten().filter_map(failed_call).collect();
    if failed.is_empty() { Detail::Plain } else { Detail::Batch { failed } }
}

fn failed_call(call: &Value) -> Option<ToolCall> {
    let error = call.get("tool_response")?.as_str()?.strip_prefix("<tool_use_error>")?;
    let error = error.trim_end().trim_end_matches("</tool_use_error>").to_owned();
    Some(ToolCall {
        name: call.get("tool_name")?.as_str()?.to_owned(),
        use_id: call.get("tool_use_id").and_then(Value::as_str).map(str::to_owned),
        input: call.get("tool_input")?.clone(),
        outcome: Outcome::Failed { error, interrupted: false, duration_ms: None },
    })
}

fn compaction(fields: &Fields<'_>, text: &str) -> Detail {
    Detail::Compaction { trigger: fields.word("trigger").unwrap_or_default(), text: fields.text(text) }
}

/// The top level of an envelope. Of a field sent twice the last counts, as in the agents.
pub(crate) struct Fields<'a> {
    json: &'a [u8],
    members: Vec<(String, Member)>,
    contents: Contents,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(json: &'a [u8], contents: Contents) -> Self {
        let whole = json::skip_space(json, 0)..json.len();
        let members = json::members(json, &whole)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|member| Some((json::string(json, &member.key)?, member)))
            .collect();
        Self { json, members, contents }
    }

    fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().rev().find(|(key, _)| key == name).map(|(_, member)| member)
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        json::string(self.json, &self.member(name)?.value)
    }

    /// A name or an id: not empty, and bounded.
    pub(crate) fn word(&self, name: &str) -> Option<String> {
        self.text(name).filter(|word| !word.is_empty()).map(cut)
    }

    pub(crate) fn path(&self, name: &str) -> Option<String> {
        self.text(name)
            .filter(|path| !path.is_empty() && path.len() <= MAX_PATH_BYTES && !path.contains('\0'))
    }

    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        json::value(self.json, &self.member(name)?.value)
    }

    /// A member of the object `name`, without the others of it.
    pub(crate) fn value_in(&self, name: &str, inner: &str) -> Option<Value> {
        let members = json::members(self.json, &self.member(name)?.value)?;
        let named = |member: &&Member| json::string(self.json, &member.key).as_deref() == Some(inner);
        json::value(self.json, &members.iter().rev().find(named)?.value)
    }

    /// Null also where it is absent.
    pub(crate) fn contents(&self, name: &str) -> Value {
        match self.contents {
            Contents::Decoded => self.value(name).unwrap_or(Value::Null),
            Contents::LeftOut => Value::Null,
        }
    }

    /// What was decoded for another reason, where contents are wanted at all.
    pub(crate) fn content(&self, value: Option<Value>) -> Value {
        match self.contents {
            Contents::Decoded => value.unwrap_or(Value::Null),
            Contents::LeftOut => Value::Null,
        }
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.value(name)?.as_u64()
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.value(name) == Some(Value::Bool(true))
    }
}

fn cut(mut word: String) -> String {
    if let Some((end, _)) = word.char_indices().nth(MAX_WORD_CHARS) {
        word.truncate(end);
    }
    word
}
