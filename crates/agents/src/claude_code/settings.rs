//! The client's files that name us: the settings with one handler per event, and its list of MCP servers.

use model::EventKind;
use serde_json::{Value, json};

use super::powers::REGISTERED;
use crate::hooks::{self, Form};
use crate::servers::{self, List, Stdio};
use crate::{Edit, Holds, Installed, Location, Ours, Scope, SettingsError, SettingsFile};

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

const SERVERS: List<Stdio> =
    List { key: "mcpServers", entry: servers::stdio, program: servers::command_and_args };

/// Without a shell: it would cost a process more than we do.
fn handler(ours: &Ours, kind: EventKind) -> Vec<(&'static str, Value)> {
    let args: Vec<&str> = ours.hook.args.iter().map(String::as_str).chain([kind.name()]).collect();
    vec![
        ("type", json!("command")),
        ("command", json!(ours.hook.program)),
        ("args", json!(args)),
        ("timeout", json!(TIMEOUT_SECONDS)),
    ]
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
        hooks::installed(&FORM, text)
    }
}

/// `.claude.json` beside the client's folder, and inside it where the folder is named by a variable; `.mcp.json` in
/// a project's root. A person's own servers of one project are deep in the first, under the project's path: left to
/// the client.
pub(super) struct Servers;

impl SettingsFile for Servers {
    fn holds(&self) -> Holds {
        Holds::Server
    }

    fn path(&self, scope: Scope, moved: bool) -> Option<Location> {
        match scope {
            Scope::User if moved => Some(Location::AgentHome(".claude.json")),
            Scope::User => Some(Location::Home(".claude.json")),
            Scope::Project => Some(Location::Project(".mcp.json")),
            Scope::Local => None,
        }
    }

    fn add(&self, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError> {
        SERVERS.add(text, ours)
    }

    fn remove(&self, text: &str) -> Result<Edit, SettingsError> {
        SERVERS.remove(text)
    }

    fn installed(&self, text: &str) -> Result<Installed, SettingsError> {
        SERVERS.installed(text)
    }
}
