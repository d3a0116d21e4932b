//! The client's files that name us: a file of hooks that is wholly ours, and its list of MCP servers.

use model::EventKind;
use serde::Serialize;
use serde_json::Value;

use super::powers::REGISTERED;
use crate::document::Document;
use crate::servers::ServersFile;
use crate::{
    Edit, Holds, Installed, Location, Ours, Program, Scope, SettingsError, SettingsFile, json as places,
    shell,
};

/// The hook gives up long before; this is for a machine so busy that it does not even start. Seconds.
const TIMEOUT_SECONDS: u64 = 5;
/// The format of a file of hooks.
const VERSION: u64 = 1;
/// A hook that fails before a tool call denies the call. We may be gone, and that is no reason to stop anybody.
const CANNOT_FAIL: &str = " || :";

/// The client asks which of a server's tools are wanted.
#[derive(Serialize)]
pub(super) struct Entry {
    r#type: &'static str,
    command: String,
    args: Vec<String>,
    tools: [&'static str; 1],
}

fn entry(server: &Program) -> Entry {
    Entry { r#type: "local", command: server.program.clone(), args: server.args.clone(), tools: ["*"] }
}

/// `hooks/throughline.json` in the client's folder, or in a project's `.github`: every file in there counts, so this
/// one needs to share with nobody.
pub(super) struct Hooks;

impl SettingsFile for Hooks {
    fn holds(&self) -> Holds {
        Holds::Hooks
    }

    fn path(&self, scope: Scope, _: bool) -> Option<Location> {
        match scope {
            Scope::User => Some(Location::AgentHome("hooks/throughline.json")),
            Scope::Project => Some(Location::Project(".github/hooks/throughline.json")),
            Scope::Local => None,
        }
    }

    fn add(&self, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError> {
        if let Some(text) = text {
            programs(&Document::parse(text)?)?;
        }
        let after = whole(&ours.hook);
        let summary = match text {
            Some(text) if text == after => Vec::new(),
            Some(_) => vec![format!("update {} hooks", REGISTERED.len())],
            None => vec![format!("add {} hooks", REGISTERED.len())],
        };
        Ok(Edit { before: text.map(str::to_owned), after, summary })
    }

    fn remove(&self, text: &str) -> Result<Edit, SettingsError> {
        let ours = !programs(&Document::parse(text)?)?.is_empty();
        let summary = ours.then(|| format!("remove {} hooks", REGISTERED.len())).into_iter().collect();
        let after = if ours { String::new() } else { text.to_owned() };
        Ok(Edit { before: Some(text.to_owned()), after, summary })
    }

    fn installed(&self, text: &str) -> Result<Installed, SettingsError> {
        let document = Document::parse(text)?;
        let found = programs(&document)?;
        let is_present = |kind: &&EventKind| found.iter().any(|(named, _)| named == *kind);
        let mut names: Vec<String> = Vec::new();
        for (_, hook) in &found {
            if !names.contains(&hook.program) {
                names.push(hook.program.clone());
            }
        }
        let disabled = document.member(&document.root(), "disableAllHooks");
        Ok(Installed {
            present: REGISTERED.iter().filter(is_present).copied().collect(),
            missing: REGISTERED.iter().filter(|kind| !is_present(kind)).copied().collect(),
            stale: found.first().is_some_and(|(_, hook)| whole(hook) != text),
            hooks_disabled: disabled.is_some_and(|span| &document.bytes()[span] == b"true"),
            programs: names,
            ..Installed::default()
        })
    }
}

/// The file as we write it.
fn whole(hook: &Program) -> String {
    let lines: Vec<String> = REGISTERED
        .iter()
        .map(|kind| {
            let command = Value::from(shell::line(hook, kind.name()) + CANNOT_FAIL);
            let fields =
                format!("\"type\": \"command\", \"command\": {command}, \"timeoutSec\": {TIMEOUT_SECONDS}");
            format!("    \"{}\": [{{{fields}}}]", kind.name())
        })
        .collect();
    format!("{{\n  \"version\": {VERSION},\n  \"hooks\": {{\n{}\n  }}\n}}\n", lines.join(",\n"))
}

/// What the file starts of us, with the event it does it on.
fn programs(document: &Document) -> Result<Vec<(EventKind, Program)>, SettingsError> {
    let root = document.root();
    if document.members(&root).is_none() {
        return Err(document.wrong_shape(&root, "the file", "an object"));
    }
    let Some(hooks) = document.member(&root, "hooks") else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for event in document.members(&hooks).unwrap_or_default() {
        let Some(name) = document.string(&event.key) else { continue };
        let kind = EventKind::from_name(&name);
        for handler in document.items(&event.value).unwrap_or_default() {
            let Some(handler) = places::value(document.bytes(), &handler) else { continue };
            found.extend(program(&handler, kind.name()).map(|hook| (kind, hook)));
        }
    }
    Ok(found)
}

/// What a handler starts, if it is one of ours.
fn program(handler: &Value, event: &str) -> Option<Program> {
    let line = handler.get("command")?.as_str()?;
    let mut hook = shell::program(line.strip_suffix(CANNOT_FAIL).unwrap_or(line))?;
    if hook.args.last().is_some_and(|last| last == event) {
        hook.args.pop();
    }
    hook.is_hook().then_some(hook)
}

/// `mcp-config.json` in the client's folder; in a project `.github/mcp.json`, since `.mcp.json` is also read by
/// others, who would find our entry there twice.
pub(super) const SERVERS: ServersFile<Entry> = ServersFile { entry, path: servers_path };

fn servers_path(scope: Scope, _: bool) -> Option<Location> {
    match scope {
        Scope::User => Some(Location::AgentHome("mcp-config.json")),
        Scope::Project => Some(Location::Project(".github/mcp.json")),
        Scope::Local => None,
    }
}
