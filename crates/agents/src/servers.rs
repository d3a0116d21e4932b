//! Our entry in a list of MCP servers of the shape `{KEY: {NAME: ENTRY}}`, which nearly all agents share. Touches no
//! other server, and takes the list out only where nothing is in it.

use serde::Serialize;
use serde_json::Value;

use crate::document::Document;
use crate::json;
use crate::{Edit, Holds, Installed, Location, Ours, Program, Scope, SettingsError, SettingsFile};

/// The name agents know our server by.
pub(crate) const NAME: &str = "throughline";

/// The member that holds the servers, wherever they are kept in JSON.
const KEY: &str = "mcpServers";

/// A file that holds such a list, and nothing else of ours.
pub(crate) struct ServersFile<E> {
    /// Our entry, as the agent writes them.
    pub(crate) entry: fn(&Program) -> E,
    pub(crate) path: fn(Scope, bool) -> Option<Location>,
}

impl<E: Serialize> SettingsFile for ServersFile<E> {
    fn holds(&self) -> Holds {
        Holds::Server
    }

    fn path(&self, scope: Scope, moved: bool) -> Option<Location> {
        (self.path)(scope, moved)
    }

    fn add(&self, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError> {
        let mut document = Document::parse(text.unwrap_or("{}\n"))?;
        let summary = add_to(&mut document, ours, self.entry)?;
        Ok(edit(text, document, summary))
    }

    fn remove(&self, text: &str) -> Result<Edit, SettingsError> {
        let mut document = Document::parse(text)?;
        let summary = remove_from(&mut document);
        Ok(edit(Some(text), document, summary))
    }

    fn installed(&self, text: &str) -> Result<Installed, SettingsError> {
        Ok(installed_in(&Document::parse(text)?))
    }
}

/// Makes a document that may hold more of us name the server once. What changes, in a line for a person.
pub(crate) fn add_to<E: Serialize>(
    document: &mut Document,
    ours: &Ours,
    entry: fn(&Program) -> E,
) -> Result<Option<String>, SettingsError> {
    let Some(server) = &ours.server else { return Ok(None) };
    let root = document.root();
    if document.members(&root).is_none() {
        return Err(document.wrong_shape(&root, "the file", "an object"));
    }
    if document.member(&root, KEY).is_none() {
        document.append_member(&root, KEY, "{}");
    }
    let root = document.root();
    let servers = document.member(&root, KEY).unwrap_or(root);
    if document.members(&servers).is_none() {
        return Err(document.wrong_shape(&servers, KEY, "an object"));
    }
    let wanted = entry(server);
    let rendered = document.render(&wanted);
    let Some(span) = document.member(&servers, NAME) else {
        document.append_member(&servers, NAME, &rendered);
        return Ok(Some(format!("add the MCP server {NAME}")));
    };
    let there = json::value(document.bytes(), &span);
    // A person may have added fields of their own, such as variables: what we wrote is what counts.
    let wanted = serde_json::to_value(&wanted).unwrap_or_default();
    if there.is_some_and(|there| contains(&there, &wanted)) {
        return Ok(None);
    }
    document.replace(&span, &rendered);
    Ok(Some(format!("update the MCP server {NAME}")))
}

pub(crate) fn remove_from(document: &mut Document) -> Option<String> {
    let servers = document.member(&document.root(), KEY)?;
    let members = document.members(&servers)?;
    let index = members.iter().rposition(|member| document.string(&member.key).as_deref() == Some(NAME))?;
    program_at(document)?;
    document.remove_member(&servers, index);
    document.remove_empty(&document.root(), KEY);
    Some(format!("remove the MCP server {NAME}"))
}

pub(crate) fn installed_in(document: &Document) -> Installed {
    let server = program_at(document);
    let word = server.as_ref().and_then(Program::word).map(str::to_owned);
    Installed {
        programs: server.into_iter().map(|server| server.program).collect(),
        word,
        ..Installed::default()
    }
}

/// What our entry starts. A server of our name that starts somebody else's program is not ours.
fn program_at(document: &Document) -> Option<Program> {
    let servers = document.member(&document.root(), KEY)?;
    let entry = json::value(document.bytes(), &document.member(&servers, NAME)?)?;
    command_and_args(&entry).filter(|server| server.args.iter().any(|arg| arg == "mcp"))
}

fn edit(before: Option<&str>, document: Document, summary: Option<String>) -> Edit {
    Edit {
        before: before.map(str::to_owned),
        after: document.into_text(),
        summary: summary.into_iter().collect(),
    }
}

fn contains(there: &Value, wanted: &Value) -> bool {
    match (there, wanted) {
        (Value::Object(there), Value::Object(wanted)) => {
            wanted.iter().all(|(name, value)| there.get(name) == Some(value))
        }
        _ => there == wanted,
    }
}

/// An entry as most agents write it.
#[derive(Serialize)]
pub(crate) struct Stdio {
    r#type: &'static str,
    command: String,
    args: Vec<String>,
}

pub(crate) fn stdio(server: &Program) -> Stdio {
    Stdio { r#type: "stdio", command: server.program.clone(), args: server.args.clone() }
}

/// `command` as one word and `args` as a list.
pub(crate) fn command_and_args(entry: &Value) -> Option<Program> {
    let program = entry.get("command")?.as_str()?.to_owned();
    let args = match entry.get("args") {
        Some(Value::Array(args)) => args.iter().filter_map(|arg| arg.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    };
    Some(Program { program, args })
}
