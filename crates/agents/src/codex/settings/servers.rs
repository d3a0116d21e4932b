//! Our entry `[mcp_servers.throughline]` in Codex's configuration, which is TOML that people write by hand: only our
//! own lines are written and taken out, every other byte stays. The text is parsed to find places, never printed.
//!
//! Taking out gives back the old text because putting in always adds exactly one line break and whole lines at the
//! end, also where the last line had none.

use std::ops::Range;

use toml_edit::{Document, Item, Table, TableLike, Value};

use crate::servers::NAME;
use crate::{Edit, Holds, Installed, Location, Ours, Program, Scope, SettingsError, SettingsFile};

const SERVERS: &str = "mcp_servers";
/// Codex starts servers with little of the person's environment; this says where we keep things.
const PASSED_ON: &str = "env_vars = [\"THROUGHLINE_HOME\"]";

/// `config.toml` in Codex's folder, and in a project's `.codex`, which Codex reads once the project is trusted.
pub(in crate::codex) struct Servers;

impl SettingsFile for Servers {
    fn holds(&self) -> Holds {
        Holds::Server
    }

    fn path(&self, scope: Scope, _: bool) -> Option<Location> {
        match scope {
            Scope::User => Some(Location::AgentHome("config.toml")),
            Scope::Project => Some(Location::Project(".codex/config.toml")),
            Scope::Local => None,
        }
    }

    fn add(&self, text: Option<&str>, ours: &Ours) -> Result<Edit, SettingsError> {
        let before = text.unwrap_or_default();
        let (mut after, mut summary) = (before.to_owned(), Vec::new());
        let Some(server) = &ours.server else { return Ok(edit(text, after, summary)) };
        match entry(before)? {
            None => {
                append(&mut after, server);
                summary.push(format!("add the MCP server {NAME}"));
            }
            Some(entry) if entry.program.as_ref() == Some(server) => {}
            Some(entry) => {
                entry.set(&mut after, server);
                summary.push(format!("update the MCP server {NAME}"));
            }
        }
        Ok(edit(text, after, summary))
    }

    fn remove(&self, text: &str) -> Result<Edit, SettingsError> {
        let (mut after, mut summary) = (text.to_owned(), Vec::new());
        if let Some(entry) = entry(text)?.filter(Entry::is_ours) {
            // From the end, so that the places before stay where they are.
            for place in entry.places.iter().rev() {
                after.replace_range(with_line_break_before(&after, place), "");
            }
            summary.push(format!("remove the MCP server {NAME}"));
        }
        Ok(edit(Some(text), after, summary))
    }

    fn installed(&self, text: &str) -> Result<Installed, SettingsError> {
        let entry = entry(text)?.filter(Entry::is_ours);
        let programs = entry.and_then(|entry| entry.program).map(|server| server.program);
        Ok(Installed { programs: programs.into_iter().collect(), ..Installed::default() })
    }
}

/// A server of our name.
struct Entry {
    /// What it starts, where it starts a program at all.
    program: Option<Program>,
    /// Its lines, in the order of the text: its table, and those below it that a person or Codex has added.
    places: Vec<Range<usize>>,
    /// Where the two values are that we write, if they are there as they would be written by us.
    values: Option<[Range<usize>; 2]>,
    /// Written as `throughline = { … }`.
    inline: Option<Range<usize>>,
}

impl Entry {
    /// One that starts somebody else's program is not ours.
    fn is_ours(&self) -> bool {
        self.program.as_ref().is_some_and(|server| server.args.iter().any(|arg| arg == "mcp"))
    }

    /// Makes it start `server`, and leaves what else is in it where it is.
    fn set(&self, text: &mut String, server: &Program) {
        let (command, args) = (quoted(&server.program), list(&server.args));
        if let Some(place) = &self.inline {
            text.replace_range(
                place.clone(),
                &format!("{{ command = {command}, args = {args}, {PASSED_ON} }}"),
            );
        } else if let Some([command_at, args_at]) = &self.values {
            let mut both = [(command_at, command), (args_at, args)];
            both.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
            for (place, value) in both {
                text.replace_range(place.clone(), &value);
            }
        } else if let Some(place) = self.places.first() {
            let lines = lines(server, newline(text));
            text.replace_range(place.clone(), &lines);
        }
    }
}

fn entry(text: &str) -> Result<Option<Entry>, SettingsError> {
    let document = Document::parse(text).map_err(|error| {
        let (line, column) = position(text, error.span().map_or(0, |span| span.start));
        SettingsError::Malformed { line, column, what: "this is not TOML" }
    })?;
    let Some(servers) = document.as_table().get(SERVERS) else { return Ok(None) };
    let Some(servers) = servers.as_table() else {
        let (line, column) = position(text, servers.span().map_or(0, |span| span.start));
        let (place, expected) = (SERVERS.to_owned(), "a table of its own");
        return Err(SettingsError::WrongShape { line, column, place, found: "a value", expected });
    };
    let Some((key, item)) = servers.get_key_value(NAME) else { return Ok(None) };
    let Some(found) = item.as_table_like() else { return Ok(None) };
    let program = program(found);
    Ok(Some(if let Item::Table(table) = item {
        let mut places = Vec::new();
        lines_of(text, table, &mut places);
        places.sort_by_key(|place| place.start);
        let value = |name| table.get(name).and_then(Item::span);
        let values = value("command").zip(value("args")).map(|(command, args)| [command, args]);
        Entry { program, places, values, inline: None }
    } else {
        let value = item.span().unwrap_or_default();
        let start = key.span().map_or(value.start, |key| key.start);
        let places = vec![whole_lines(text, start, value.end)];
        Entry { program, places, values: None, inline: Some(value) }
    }))
}

fn program(entry: &dyn TableLike) -> Option<Program> {
    let command = entry.get("command")?.as_str()?.to_owned();
    let args = entry.get("args").and_then(Item::as_array);
    let args = args.map(|args| args.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    Some(Program { program: command, args: args.unwrap_or_default() })
}

/// The lines of a table and of all tables below it. One that is only named in the headers of others has none.
fn lines_of(text: &str, table: &Table, places: &mut Vec<Range<usize>>) {
    let mut own = table.span().filter(|_| !table.is_implicit());
    for (_, item) in table {
        match (item, &mut own) {
            (Item::Table(below), _) => lines_of(text, below, places),
            (Item::ArrayOfTables(list), _) => list.iter().for_each(|below| lines_of(text, below, places)),
            (item, Some(own)) => own.end = own.end.max(item.span().map_or(0, |span| span.end)),
            _ => {}
        }
    }
    places.extend(own.map(|own| whole_lines(text, own.start, own.end)));
}

fn append(text: &mut String, server: &Program) {
    let newline = newline(text);
    if !text.is_empty() {
        text.push_str(newline);
    }
    text.push_str(&lines(server, newline));
}

fn lines(server: &Program, newline: &str) -> String {
    let (command, args) = (quoted(&server.program), list(&server.args));
    let table = format!("[{SERVERS}.{NAME}]{newline}command = {command}{newline}args = {args}{newline}");
    table + PASSED_ON + newline
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn list(args: &[String]) -> String {
    format!("[{}]", args.iter().map(|arg| quoted(arg)).collect::<Vec<_>>().join(", "))
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn whole_lines(text: &str, start: usize, end: usize) -> Range<usize> {
    let first = text[..start].rfind('\n').map_or(0, |at| at + 1);
    first..text[end..].find('\n').map_or(text.len(), |at| end + at + 1)
}

/// With the line break that was put in front of it, unless that is now all there is between two lines.
fn with_line_break_before(text: &str, place: &Range<usize>) -> Range<usize> {
    let before = &text[..place.start];
    let shorter = before.strip_suffix("\r\n").or_else(|| before.strip_suffix('\n')).unwrap_or(before);
    let joins_lines = !shorter.is_empty() && !shorter.ends_with('\n') && place.end < text.len();
    if joins_lines { place.clone() } else { shorter.len()..place.end }
}

/// Line and column of a byte, from 1; columns in characters.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at.min(text.len())];
    let line = before.matches('\n').count() + 1;
    (line, before[before.rfind('\n').map_or(0, |end| end + 1)..].chars().count() + 1)
}

fn edit(before: Option<&str>, after: String, summary: Vec<String>) -> Edit {
    Edit { before: before.map(str::to_owned), after, summary }
}
