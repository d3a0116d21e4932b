//! Which event a rule concerns, beyond its kind: the tool, and what the tool was given.

use std::path::Path;

use model::{Detail, Event};
use regex_automata::meta::Regex;
use serde_json::Value;

use super::RuleError;
use crate::paths::without_detours;

/// A pattern of a person's own hand is shorter.
pub(super) const MAX_PATTERN: usize = 2000;
/// What a compiled pattern may take. Hundreds of words or a class of all letters fit.
const MAX_COMPILED: usize = 1 << 20;

/// All that is given must hold. What an event does not have matches nothing.
#[derive(Debug, Clone, Default)]
pub struct Match {
    /// Any of these; none: every event, also one without a tool.
    pub(super) tools: Vec<Regex>,
    pub(super) command: Option<Regex>,
    pub(super) file: Option<Regex>,
    pub(super) prompt: Option<Regex>,
}

impl Match {
    pub(super) fn covers(&self, event: &Event) -> bool {
        let call = match &event.detail {
            Detail::Tool(call) => Some(call),
            _ => None,
        };
        let holds = |wanted: Option<&Regex>, found: Option<&str>| {
            wanted.is_none_or(|wanted| found.is_some_and(|found| wanted.is_match(found)))
        };
        let is_tool = self.tools.is_empty()
            || call.is_some_and(|call| self.tools.iter().any(|name| name.is_match(&call.name)));
        is_tool
            && holds(self.command.as_ref(), command(event))
            && holds(self.prompt.as_ref(), prompt(event))
            && self.file.as_ref().is_none_or(|glob| is_of(glob, event))
    }
}

/// Linear in the length of what it is matched with, whatever it says.
pub(super) fn pattern(text: &str) -> Result<Regex, RuleError> {
    let config = Regex::config().nfa_size_limit(Some(MAX_COMPILED)).hybrid_cache_capacity(MAX_COMPILED);
    if text.len() > 2 * MAX_PATTERN {
        return Err(RuleError(format!("a pattern has at most {MAX_PATTERN} bytes")));
    }
    Regex::builder().configure(config).build(text).map_err(|error| {
        let said = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
        // The last line says what, the ones before it draw where.
        RuleError(said.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned())
    })
}

pub(super) fn command(event: &Event) -> Option<&str> {
    input(event)?.get("command")?.as_str()
}

pub(super) fn prompt(event: &Event) -> Option<&str> {
    match &event.detail {
        Detail::Prompt { text, .. } => Some(text),
        _ => None,
    }
}

/// As the agent named it.
pub(super) fn file(event: &Event) -> Option<&str> {
    let input = input(event)?;
    ["file_path", "notebook_path", "path"].iter().find_map(|key| input.get(key)?.as_str())
}

fn input(event: &Event) -> Option<&Value> {
    match &event.detail {
        Detail::Tool(call) => Some(&call.input),
        _ => None,
    }
}

/// As a whole path, and as one below the event's folder. Dots are resolved first: `src/../.env` is `.env`.
fn is_of(glob: &Regex, event: &Event) -> bool {
    let Some(file) = file(event) else { return false };
    let cwd = Path::new(event.cwd.as_deref().unwrap_or("/"));
    let whole = without_detours(&cwd.join(file));
    let below = whole.strip_prefix(cwd).ok().map(Path::to_string_lossy);
    glob.is_match(whole.to_string_lossy().as_bytes())
        || below.is_some_and(|below| glob.is_match(below.as_bytes()))
}
