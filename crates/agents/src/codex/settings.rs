//! Codex's files that name us: the hooks of all events, and the configuration with its list of MCP servers.

mod servers;

use model::EventKind;
use serde_json::{Value, json};

use super::powers::REGISTERED;
use crate::hooks::{self, Form};
use crate::{Edit, Holds, Installed, Location, Ours, Scope, SettingsError, SettingsFile, shell};

pub(super) use servers::Servers;

/// The hook gives up long before; this is for a machine so busy that it does not even start. Seconds; of the end of
/// a session Codex takes no more, and says so to the person.
const TIMEOUT_SECONDS: u64 = 3;

const FORM: Form = Form { events: REGISTERED, name: EventKind::name, handler, program, marked: true };

/// A handler is a line for the person's login shell.
fn handler(ours: &Ours, kind: EventKind) -> Vec<(&'static str, Value)> {
    vec![
        ("type", json!("command")),
        ("command", json!(shell::line(&ours.hook, kind.name()))),
        ("timeout", json!(TIMEOUT_SECONDS)),
    ]
}

fn program(handler: &Value) -> Option<crate::Program> {
    shell::program(handler.get("command")?.as_str()?)
}

/// `hooks.json` in Codex's folder, and in a project's `.codex`. The configuration can hold hooks, too, but a person
/// who has both is warned at every start.
pub(super) struct Hooks;

impl SettingsFile for Hooks {
    fn holds(&self) -> Holds {
        Holds::Hooks
    }

    fn path(&self, scope: Scope, _: bool) -> Option<Location> {
        match scope {
            Scope::User => Some(Location::AgentHome("hooks.json")),
            Scope::Project => Some(Location::Project(".codex/hooks.json")),
            Scope::Local => None,
        }
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
