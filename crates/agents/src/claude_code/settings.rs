//! The client's files that name us: the settings with one handler per event, and its list of MCP servers.

use model::EventKind;
use serde_json::{Value, json};

use super::powers::REGISTERED;
use crate::hooks::{self, Form};
use crate::servers::{self, ServersFile, Stdio};
use crate::{Edit, FastHooks, Holds, Installed, Location, Ours, Scope, SettingsError, SettingsFile};

/// The hook gives up long before; this is for a machine so busy that it does not even start. Seconds.
/// `SessionEnd` needs it said: unsaid, all its hooks together get a second and a half.
const TIMEOUT_SECONDS: u64 = 5;

const FORM: Form = Form {
    events: REGISTERED,
    name: EventKind::name,
    handler,
    program: servers::command_and_args,
    marked: true,
};

/// The events of every tool call, which happen one after the other while the model waits. The rest stays with a
/// process each, although the client could do the same with all but `SessionStart`, `Setup` and `SessionEnd`: they are
/// rare, and a call to a server that is just not there is lost. With a prompt would go the mark that a turn is private.
pub(super) const FAST: FastHooks = FastHooks {
    program: "claude",
    since: [2, 1, 118],
    events: &[
        EventKind::PreToolUse,
        EventKind::PostToolUse,
        EventKind::PostToolUseFailure,
        EventKind::PostToolBatch,
    ],
};

/// The fields of these events that are texts. There is no word for the whole envelope; one that is absent comes empty.
const TEXTS: &[&str] = &[
    "session_id",
    "transcript_path",
    "cwd",
    "prompt_id",
    "permission_mode",
    "agent_id",
    "agent_type",
    "hook_event_name",
];
const TOOL_TEXTS: &[&str] = &["tool_name", "tool_use_id"];
const TOOL_JSON: &[&str] = &["tool_input", "mcp_server"];

fn handler(ours: &Ours, kind: EventKind) -> Vec<(&'static str, Value)> {
    match ours.word() {
        Some(word) if ours.fast && FAST.events.contains(&kind) => tool_handler(word, kind),
        _ => command_handler(ours, kind),
    }
}

/// Without a shell: it would cost a process more than we do.
fn command_handler(ours: &Ours, kind: EventKind) -> Vec<(&'static str, Value)> {
    let args: Vec<&str> = ours.hook.args.iter().map(String::as_str).chain([kind.name()]).collect();
    vec![
        ("type", json!("command")),
        ("command", json!(ours.hook.program)),
        ("args", json!(args)),
        ("timeout", json!(TIMEOUT_SECONDS)),
    ]
}

/// Without a process at all. The client writes texts as they are and everything else as JSON, so the fields are given
/// in two heaps; the server puts the envelope together again.
fn tool_handler(word: &str, kind: EventKind) -> Vec<(&'static str, Value)> {
    let (texts, jsons): (&[&str], &[&str]) = match kind {
        EventKind::PreToolUse => (&[], &[]),
        EventKind::PostToolUse => (&[], &["tool_response", "duration_ms"]),
        EventKind::PostToolUseFailure => (&["error"], &["is_interrupt", "duration_ms"]),
        _ => (&[], &["tool_calls"]),
    };
    let (tool_texts, tool_jsons) =
        if kind == EventKind::PostToolBatch { (&[][..], &[][..]) } else { (TOOL_TEXTS, TOOL_JSON) };
    let input = json!({
        "word": word,
        "event": kind.name(),
        "text": named(&[TEXTS, tool_texts, texts]),
        "json": named(&[&["effort"], tool_jsons, jsons]),
    });
    vec![
        ("type", json!(hooks::TOOL_HANDLER)),
        ("server", json!(servers::NAME)),
        ("tool", json!(hooks::TOOL)),
        ("input", input),
        ("timeout", json!(TIMEOUT_SECONDS)),
    ]
}

fn named(fields: &[&[&str]]) -> Value {
    fields.concat().into_iter().map(|name| (name.to_owned(), json!(format!("${{{name}}}")))).collect()
}

/// `settings.json` in the client's folder, and in a project's root `.claude/settings.json` for everyone and
/// `.claude/settings.local.json` for this person alone.
pub(super) struct Hooks;

impl SettingsFile for Hooks {
    fn holds(&self) -> Holds {
        Holds::Hooks
    }

    fn path(&self, scope: Scope, _: bool) -> Option<Location> {
        Some(match scope {
            Scope::User => Location::AgentHome("settings.json"),
            Scope::Project => Location::Project(".claude/settings.json"),
            Scope::Local => Location::Project(".claude/settings.local.json"),
        })
    }

    fn add(&self, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError> {
        hooks::add(&FORM, text, ours)
    }

    fn remove(&self, text: &str) -> Result<Edit, SettingsError> {
        hooks::remove(&FORM, text)
    }

    fn installed(&self, text: &str) -> Result<Installed, SettingsError> {
        Ok(Installed { plugin: enables_plugin(text), ..hooks::installed(&FORM, text)? })
    }
}

/// The client names what it has enabled `plugin@marketplace`.
fn enables_plugin(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    let Ok(settings) = serde_json::from_str::<Value>(text) else { return false };
    let enabled = settings["enabledPlugins"].as_object();
    enabled.into_iter().flatten().any(|(name, on)| name.starts_with("throughline@") && *on != json!(false))
}

/// `.claude.json` beside the client's folder, and inside it where the folder is named by a variable; `.mcp.json` in
/// a project's root. A person's own servers of one project are deep in the first, under the project's path: left to
/// the client.
pub(super) const SERVERS: ServersFile<Stdio> = ServersFile { entry: servers::stdio, path: servers_path };

fn servers_path(scope: Scope, moved: bool) -> Option<Location> {
    match scope {
        Scope::User if moved => Some(Location::AgentHome(".claude.json")),
        Scope::User => Some(Location::Home(".claude.json")),
        Scope::Project => Some(Location::Project(".mcp.json")),
        Scope::Local => None,
    }
}
