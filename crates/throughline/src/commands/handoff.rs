//! The note for whoever sits down here next: shown, written, listed.

use std::io::{self, IsTerminal, Read};

use clap::{Args, Subcommand};
use model::{Deed, HandOff, SessionId};
use serde_json::json;
use store::{HandOffRow, Tables};

use super::{at_work, reader, remember};
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

/// Far more than a hand-off holds; who pipes more is told how much it was.
const MAX_INPUT: u64 = 16 << 20;
/// More than one sign of so many that steers a terminal is no text.
const NOISE_SHARE: usize = 10;
/// Characters of a session's id in a list: enough to name it.
const SESSION_CHARS: usize = 8;
/// Characters of the goal in a list.
const GOAL_CHARS: usize = 60;

#[derive(Debug, Args)]
pub(crate) struct Handoff {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What a session leaves for the next one: goal, next steps, decisions, open files, last words
    #[command(after_help = "Example: throughline handoff show 8dcc5c1e")]
    Show {
        /// The session's id, or a unique beginning of it [default: the last one of this workspace]
        session: Option<String>,
        /// The last one of this workspace
        #[arg(long, conflicts_with = "session")]
        here: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Write what the next one must know; it is said after a compaction and on a resume
    #[command(
        after_help = "Example: throughline handoff write \"The parser is ported; next: its tests in tests/it\""
    )]
    Write {
        /// What to hand over; without it, or with `-`, it is read from stdin
        #[arg(value_name = "TEXT")]
        text: Vec<String>,
        /// The session's id, or a unique beginning of it [default: the one this runs in]
        #[arg(long)]
        session: Option<String>,
        /// Take back what was written
        #[arg(long, conflicts_with = "text")]
        clear: bool,
        /// One JSON object with the session
        #[arg(long)]
        json: bool,
    },
    /// List hand-offs, the latest first
    List {
        /// Only those of this workspace
        #[arg(long)]
        here: bool,
        /// The last so many; 0 for all [default: 20, with --json all]
        #[arg(long)]
        limit: Option<usize>,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
}

impl Handoff {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        match self.command {
            Command::Show { session, json, here: _ } => show(world, session.as_deref(), json),
            Command::Write { text, session, clear, json } => {
                let text = if clear { String::new() } else { given(world, &text)? };
                write(world, session.as_deref(), text, json)
            }
            Command::List { here, limit, json } => {
                list(world, here, limit.unwrap_or(if json { 0 } else { 20 }), json)
            }
        }
    }
}

fn show(world: &World, session: Option<&str>, as_json: bool) -> anyhow::Result<()> {
    let tables = reader::tables(world)?;
    let found = match session {
        Some(id) => tables.hand_off(&reader::session(&tables, id)?.id).map_err(person)?,
        None => handed_over(&tables, Some(world), 0)?.into_iter().next(),
    };
    let row = found.filter(|row| row.hand_off != HandOff::default()).ok_or_else(|| {
        let what = match session {
            Some(id) => format!("session \"{}\" has handed nothing over", print::one_line(id, 40)),
            None => "no session of this workspace has handed anything over".to_owned(),
        };
        hint(Failure::Person, what, "`throughline handoff list` lists those that have")
    })?;
    if as_json { print::json(&row) } else { print::text(&engine::hand_off_page(&row)) }
}

/// The session a text was handed over for.
pub(crate) fn hand_over(world: &World, session: Option<&str>, text: &str) -> anyhow::Result<SessionId> {
    let text = fitting(world, text)?;
    let session = at_work::named_or_found(world, &reader::tables(world)?, session)?;
    reader::send(world, &[Deed::HandOff { session: session.clone(), text }])?;
    Ok(session)
}

fn write(world: &World, session: Option<&str>, text: String, as_json: bool) -> anyhow::Result<()> {
    let session = at_work::named_or_found(world, &reader::tables(world)?, session)?;
    let is_cleared = text.is_empty();
    reader::send(world, &[Deed::HandOff { session: session.clone(), text }])?;
    if as_json {
        return print::json(&json!({ "session": session }));
    }
    print::line(&if is_cleared {
        format!("what was written for session {session} is taken back")
    } else {
        format!("handed over for session {session}")
    })
}

fn list(world: &World, here: bool, limit: usize, as_json: bool) -> anyhow::Result<()> {
    let tables = reader::tables(world)?;
    let rows = handed_over(&tables, here.then_some(world), limit)?;
    if as_json {
        return rows.iter().try_for_each(print::json);
    }
    let cells = |row: &HandOffRow| {
        let or_dash = |text: Option<&String>| print::one_line(text.map_or("-", String::as_str), 24);
        vec![
            // A beginning that can be pasted, without a sign that it is one.
            print::one_line(row.session.as_str(), SESSION_CHARS).trim_end_matches('…').to_owned(),
            print::time(row.at),
            or_dash(row.project.as_ref()),
            or_dash(row.branch.as_ref()),
            row.hand_off.written_at.map_or_else(|| "-".to_owned(), print::time),
            print::one_line(row.hand_off.goal.as_deref().unwrap_or("-"), GOAL_CHARS),
        ]
    };
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    print::table(&["SESSION", "KEPT UP TO", "PROJECT", "BRANCH", "WRITTEN", "GOAL"], &rows, world.color)
}

/// Newest first, without those from which everything was forgotten.
fn handed_over(tables: &Tables, here: Option<&World>, limit: usize) -> anyhow::Result<Vec<HandOffRow>> {
    let workspace = here.map(|world| daemon::resolve_workspace(&world.cwd).key);
    let mut rows = tables.hand_offs(workspace.as_ref(), limit).map_err(person)?;
    rows.retain(|row| row.hand_off != HandOff::default());
    Ok(rows)
}

/// What was typed, piped or refused.
fn given(world: &World, text: &[String]) -> anyhow::Result<String> {
    let text = if text.is_empty() || text == ["-"] {
        if io::stdin().is_terminal() {
            let next = "pipe it, or give it as an argument: `throughline handoff write \"next: ...\"`";
            return Err(hint(Failure::Usage, "there is no text to hand over", next));
        }
        from_stdin()?
    } else {
        text.join(" ")
    };
    fitting(world, &text)
}

/// Words, or why they are none: a picture or a program piped by mistake is not handed over.
fn from_stdin() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_INPUT).read_to_end(&mut bytes)?;
    let next = "hand over words: `throughline handoff write \"next: ...\"`";
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        hint(Failure::Person, format!("this is no text: it is not UTF-8 at byte {at}"), next)
    })?;
    if is_noise(&text) {
        return Err(hint(Failure::Person, "this is no text: much of it are control characters", next));
    }
    Ok(text)
}

/// Colors of a terminal are a few signs in many words.
fn is_noise(text: &str) -> bool {
    let steers = |c: &char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    text.contains('\0') || text.chars().filter(steers).count() * NOISE_SHARE > text.chars().count()
}

/// As it is kept, or why it is not.
fn fitting(world: &World, text: &str) -> anyhow::Result<String> {
    if text.trim().is_empty() {
        let next = "`throughline handoff write --clear` takes back what was written";
        return Err(hint(Failure::Person, "there is nothing to hand over", next));
    }
    let kept = remember::clean(world, text.trim())?;
    if kept.len() > engine::MAX_HAND_OFF {
        let what = format!(
            "{} are more than a hand-off holds ({})",
            print::bytes(kept.len() as u64),
            print::bytes(engine::MAX_HAND_OFF as u64)
        );
        return Err(hint(Failure::Person, what, "leave out what the repository says already"));
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_no_text_and_colors_are() {
        assert!(is_noise("\u{1}\u{2}ab\u{7}"));
        assert!(is_noise("words with a \0 in them"));
        assert!(!is_noise("\u{1b}[31mred\u{1b}[0m words and more of them\r\n\tnext"));
        assert!(!is_noise("next: the tests"));
    }
}
