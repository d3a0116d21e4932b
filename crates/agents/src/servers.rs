//! Our entry in a list of MCP servers of the shape `{KEY: {NAME: ENTRY}}`, which nearly all agents share. Touches no
//! other server, and takes the list out only where nothing is in it.

use serde::Serialize;
use serde_json::Value;

use crate::document::Document;
use crate::json;
use crate::{Edit, Installed, Ours, Program, SettingsError};

/// The name agents know our server by.
pub(crate) const NAME: &str = "throughline";

/// What is different from agent to agent.
pub(crate) struct List<E> {
    /// The member that holds the servers, `mcpServers` nearly everywhere.
    pub(crate) key: &'static str,
    pub(crate) entry: fn(&Program) -> E,
    /// What an entry starts, whoever wrote it.
    pub(crate) program: fn(&Value) -> Option<Program>,
}

impl<E: Serialize> List<E> {
    pub(crate) fn add(&self, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError> {
        let mut document = Document::parse(text.unwrap_or("{}\n"))?;
        let summary = self.add_to(&mut document, ours)?;
        Ok(edit(text, document, summary))
    }

    /// The same in a document that holds more of us. What changes, in a line for a person.
    pub(crate) fn add_to(
        &self,
        document: &mut Document,
        ours: &Ours,
    ) -> Result<Option<String>, SettingsError> {
        let Some(server) = &ours.server else { return Ok(None) };
        let root = document.root();
        if document.members(&root).is_none() {
            return Err(document.wrong_shape(&root, "the file", "an object"));
        }
        if document.member(&root, self.key).is_none() {
            document.append_member(&root, self.key, "{}");
        }
        let root = document.root();
        let servers = document.member(&root, self.key).unwrap_or(root);
        if document.members(&servers).is_none() {
            return Err(document.wrong_shape(&servers, self.key, "an object"));
        }
        let wanted = (self.entry)(server);
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

    pub(crate) fn remove(&self, text: &str) -> Result<Edit, SettingsError> {
        let mut document = Document::parse(text)?;
        let summary = self.remove_from(&mut document);
        Ok(edit(Some(text), document, summary))
    }

    pub(crate) fn remove_from(&self, document: &mut Document) -> Option<String> {
        let servers = document.member(&document.root(), self.key)?;
        let members = document.members(&servers)?;
        let index =
            members.iter().rposition(|member| document.string(&member.key).as_deref() == Some(NAME))?;
        self.program_at(document)?;
        document.remove_member(&servers, index);
        document.remove_empty(&document.root(), self.key);
        Some(format!("remove the MCP server {NAME}"))
    }

    pub(crate) fn installed(&self, text: &str) -> Result<Installed, SettingsError> {
        let document = Document::parse(text)?;
        Ok(self.installed_in(&document))
    }

    pub(crate) fn installed_in(&self, document: &Document) -> Installed {
        let server = self.program_at(document);
        let word = server.as_ref().and_then(Program::word).map(str::to_owned);
        Installed {
            programs: server.into_iter().map(|server| server.program).collect(),
            word,
            ..Installed::default()
        }
    }

    /// What our entry starts. A server of our name that starts somebody else's program is not ours.
    fn program_at(&self, document: &Document) -> Option<Program> {
        let servers = document.member(&document.root(), self.key)?;
        let entry = json::value(document.bytes(), &document.member(&servers, NAME)?)?;
        (self.program)(&entry).filter(|server| server.args.iter().any(|arg| arg == "mcp"))
    }
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
