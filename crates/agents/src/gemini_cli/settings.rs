//! Gemini CLI's one file that names us: hooks and MCP servers are beside each other in its settings.

use model::EventKind;
use serde::Serialize;
use serde_json::{Value, json};

use super::powers::{REGISTERED, own_name};
use crate::document::Document;
use crate::hooks::{self, Form};
use crate::servers;
use crate::{Edit, Holds, Installed, Location, Ours, Program, Scope, SettingsError, SettingsFile, shell};

/// The hook gives up long before; this is for a machine so busy that it does not even start. Milliseconds.
const TIMEOUT_MS: u64 = 5000;
/// What its list of hooks calls ours.
const SHOWN_AS: &str = "throughline";

const FORM: Form = Form { events: REGISTERED, name: own_name, handler, program, marked: true };

/// A handler is a line for a shell.
fn handler(ours: &Ours, kind: EventKind) -> Vec<(&'static str, Value)> {
    vec![
        ("type", json!("command")),
        ("name", json!(SHOWN_AS)),
        ("command", json!(shell::line(&ours.hook, kind.name()))),
        ("timeout", json!(TIMEOUT_MS)),
    ]
}

fn program(handler: &Value) -> Option<Program> {
    shell::program(handler.get("command")?.as_str()?)
}

/// Without a `type`: that is for servers elsewhere.
#[derive(Serialize)]
struct Server {
    command: String,
    args: Vec<String>,
}

fn entry(server: &Program) -> Server {
    Server { command: server.program.clone(), args: server.args.clone() }
}

/// `settings.json` in Gemini CLI's folder, and in a project's `.gemini`.
pub(super) struct Settings;

impl SettingsFile for Settings {
    fn holds(&self) -> Holds {
        Holds::Both
    }

    fn path(&self, scope: Scope, moved: bool) -> Option<Location> {
        match scope {
            Scope::User if moved => Some(Location::AgentHome(".gemini/settings.json")),
            Scope::User => Some(Location::AgentHome("settings.json")),
            Scope::Project => Some(Location::Project(".gemini/settings.json")),
            Scope::Local => None,
        }
    }

    fn add(&self, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError> {
        let mut document = Document::parse(text.unwrap_or("{}\n"))?;
        let mut summary = hooks::add_to(&FORM, &mut document, ours)?.lines();
        summary.extend(servers::add_to(&mut document, ours, entry)?);
        Ok(Edit { before: text.map(str::to_owned), after: document.into_text(), summary })
    }

    fn remove(&self, text: &str) -> Result<Edit, SettingsError> {
        let mut document = Document::parse(text)?;
        // The other way round than they were added, so that what they stood between closes up again.
        let server = servers::remove_from(&mut document);
        let mut summary = hooks::remove_from(&FORM, &mut document).lines();
        summary.extend(server);
        Ok(Edit { before: Some(text.to_owned()), after: document.into_text(), summary })
    }

    fn installed(&self, text: &str) -> Result<Installed, SettingsError> {
        let document = Document::parse(text)?;
        let mut installed = hooks::installed(&FORM, text)?;
        for program in servers::installed_in(&document).programs {
            if !installed.programs.contains(&program) {
                installed.programs.push(program);
            }
        }
        let enabled = document
            .member(&document.root(), "hooksConfig")
            .and_then(|config| document.member(&config, "enabled"));
        installed.hooks_disabled = enabled.is_some_and(|span| &document.bytes()[span] == b"false");
        Ok(installed)
    }
}
