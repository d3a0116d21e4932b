//! Prints what an agent would be told, exactly, and why; or what it was told.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

use clap::Args;
use model::EventKind;
use serde_json::{Value, json};
use store::{InjectionRow, SessionFilter, SessionRow};

use super::reader;
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

/// A first question may load the model.
const PATIENCE: Duration = Duration::from_secs(15);
/// Notes of the past that a person reads at once.
const SHOWN: usize = 20;
/// What explains a line stands below it, set in by so much.
const INDENT: usize = 6;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  throughline context                                  what a session that starts here is told
  throughline context --prompt \"the login test is flaky\"
  throughline context --file src/auth.rs               what is said before this file is read
  throughline context --event PreCompact               what the summary of a compaction is asked to keep
  throughline context --said                           what was said lately, in all sessions")]
pub(crate) struct Context {
    /// As if this were submitted
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["file", "said"])]
    prompt: Option<String>,
    /// As if this file were about to be read
    #[arg(long, value_name = "FILE", conflicts_with = "said")]
    file: Option<String>,
    /// At this event [default: UserPromptSubmit with --prompt, PreToolUse with --file, else SessionStart]
    #[arg(long, value_name = "EVENT", conflicts_with = "said", value_parser = event)]
    event: Option<EventKind>,
    /// How a session starts
    #[arg(long, default_value = "startup", value_parser = ["startup", "resume", "clear", "compact"])]
    source: String,
    /// In this folder [default: this one]
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// In this session: what it has been told is not said again [default: a new one; before a compaction the last
    /// one of the workspace]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// What was said, newest last
    #[arg(long)]
    said: bool,
    /// One JSON object; with --said one a line
    #[arg(long)]
    json: bool,
}

impl Context {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        if self.said {
            return self.show_said(world);
        }
        let cwd = match &self.cwd {
            Some(cwd) => folder(cwd)?,
            None => std::env::current_dir()?,
        };
        reader::start(world)?;
        let session = self.session(world, &cwd)?;
        let mut envelope = json!({
            "hook_event_name": self.event().name(),
            "session_id": session.as_ref().map_or("context-preview", |row| row.id.as_str()),
            "cwd": cwd,
            "source": self.source,
            "trigger": "auto",
        });
        if let Some(transcript) = session.as_ref().and_then(|row| row.transcript.as_deref()) {
            envelope["transcript_path"] = json!(transcript);
        }
        if let Some(prompt) = &self.prompt {
            envelope["prompt"] = json!(prompt);
        }
        if let Some(file) = &self.file {
            envelope["tool_name"] = json!("Read");
            envelope["tool_input"] = json!({ "file_path": cwd.join(file) });
        }
        let answer = reader::answer(world, &json!({ "ask": "context", "envelope": envelope }), PATIENCE)?;
        if self.json {
            return print::json(&answer);
        }
        print::text(&page(&answer, world))
    }

    fn event(&self) -> EventKind {
        match self.event {
            Some(event) => event,
            None if self.prompt.is_some() => EventKind::UserPromptSubmit,
            None if self.file.is_some() => EventKind::PreToolUse,
            None => EventKind::SessionStart,
        }
    }

    /// The one that is named. A session that is compacted has been there for a while, so there it is the last one.
    fn session(&self, world: &World, cwd: &Path) -> anyhow::Result<Option<SessionRow>> {
        if let Some(id) = &self.session {
            return reader::session(&reader::tables(world)?, id).map(Some);
        }
        if self.event() != EventKind::PreCompact {
            return Ok(None);
        }
        let Ok(tables) = reader::tables(world) else { return Ok(None) };
        let workspace = Some(daemon::resolve_workspace(cwd).key);
        let last = SessionFilter { workspace, limit: 1, ..SessionFilter::default() };
        Ok(tables.sessions(&last).map_err(person)?.pop())
    }

    fn show_said(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let session = match &self.session {
            Some(id) => Some(reader::session_id(&tables, id)?),
            None => None,
        };
        let limit = if self.json { 0 } else { SHOWN };
        let mut rows = tables.injections(session.as_ref(), limit).map_err(person)?;
        rows.reverse();
        if self.json {
            return rows.iter().try_for_each(print::json);
        }
        if rows.is_empty() {
            return print::line("Nothing was said to an agent yet.");
        }
        rows.iter().try_for_each(|row| print::text(&told(row, world)))
    }
}

fn event(name: &str) -> Result<EventKind, String> {
    match EventKind::from_name(name) {
        EventKind::Other => {
            let known: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
            Err(format!("known events: {}", known.join(", ")))
        }
        kind => Ok(kind),
    }
}

fn folder(named: &str) -> anyhow::Result<std::path::PathBuf> {
    let folder = std::path::absolute(named)?;
    if folder.is_dir() {
        return Ok(folder);
    }
    let trouble = if folder.exists() { "is no folder" } else { "does not exist" };
    let what = format!("{} {trouble}", folder.display());
    Err(hint(Failure::Person, what, "name a folder with --cwd, or leave it out for this one"))
}

fn page(answer: &Value, world: &World) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut out = String::new();
    // Fenced and clean by whoever made it; a second pass would break the fence.
    let said = text(&answer["text"]);
    if !said.is_empty() {
        out.push_str(&format!("{said}\n"));
    }
    if let Some(instructions) = answer["instructions"].as_str() {
        out.push_str(&format!("{}\n", print::bold("instructions for the summary", world.color)));
        out.push_str(&print::block(instructions, 0));
    }
    for tell in answer["tells"].as_array().into_iter().flatten() {
        let told = print::block(&text(tell), 0);
        out.push_str(&format!("{}\n{told}", print::bold("the person is told", world.color)));
    }
    let event = text(&answer["event"]);
    if out.is_empty() {
        let asked = answer["behaviors"].as_array().map_or(0, Vec::len);
        let behaviors = print::count(asked as u64, "behavior has", "behaviors have");
        return format!(
            "Nothing would be said on {event}: {behaviors} nothing that is new and to the point.\n"
        );
    }
    let items = answer["items"].as_array().cloned().unwrap_or_default();
    let total = format!(
        "{event}: {} tokens in {}",
        answer["tokens"],
        print::count(items.len() as u64, "part", "parts")
    );
    out.push_str(&format!("\n{}\n", print::bold(&total, world.color)));
    // Whoever reads from a pipe wants all of it.
    let width = if io::stdout().is_terminal() { world.width } else { usize::MAX };
    for item in &items {
        let id = item["id"].as_str().unwrap_or("-");
        let head = format!("  {id:<12}  {:<9} {:>5}  ", text(&item["part"]), item["tokens"].to_string());
        let room = width.saturating_sub(head.chars().count() + 1).max(20);
        out.push_str(&format!("{head}{}\n", print::one_line(&text(&item["title"]), room)));
        out.push_str(&wrapped(&text(&item["why"]), width));
    }
    out
}

/// Set in, and on as many lines as it takes.
fn wrapped(text: &str, width: usize) -> String {
    let room = width.saturating_sub(INDENT);
    let mut lines: Vec<String> = Vec::new();
    for word in print::one_line(text, usize::MAX).split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let set_in: Vec<String> = lines.iter().map(|line| format!("{:INDENT$}{line}\n", "")).collect();
    set_in.concat()
}

fn told(row: &InjectionRow, world: &World) -> String {
    let id: String = row.session.as_str().chars().take(8).collect();
    let whom = row.subagent.as_ref().map_or_else(String::new, |agent| format!(", subagent {agent}"));
    let when = print::time(row.at);
    let head = format!("{when}  {id}{whom}  {} by {}, {} tokens", row.event, row.behavior, row.tokens);
    let mut out = format!("{}\n", print::bold(&print::one_line(&head, 200), world.color));
    out.push_str(&print::block(&row.text, 2));
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_wrapped_to_the_terminal_and_whole_in_a_pipe() {
        let why = "matches the prompt by meaning and by words";
        assert_eq!(wrapped(why, usize::MAX), format!("      {why}\n"));
        let narrow = wrapped(why, 26);
        assert_eq!(narrow, "      matches the prompt\n      by meaning and by\n      words\n");
        assert_eq!(wrapped("", 40), "");
    }
}
