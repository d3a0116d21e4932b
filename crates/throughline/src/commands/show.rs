//! Memories in full: what they say, what they rest on, and what has become of them. A session's id works, too.

use clap::Args;
use model::Millis;
use store::{MemoryRow, Tables};

use super::{reader, session};
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

#[derive(Debug, Args)]
#[command(after_help = "Example: throughline show 0k3v7m2n 9qrs")]
pub(crate) struct Show {
    /// Memories or sessions: their ids, unique beginnings of them, or the ids they had elsewhere
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// One JSON object a line, one for each id
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        for (at, id) in self.ids.iter().enumerate() {
            if at > 0 && !self.json {
                print::line("")?;
            }
            match named(&tables, id)? {
                Named::Memory(row) if self.json => print::json(&with_origin(&row)?)?,
                Named::Memory(row) => print::text(&full(&row, world.color))?,
                Named::Session(session) => session::show(world, &tables, *session, self.json)?,
                Named::BroughtIn(session) => session.show(world, self.json)?,
            }
        }
        Ok(())
    }
}

enum Named {
    Memory(Box<MemoryRow>),
    Session(Box<store::SessionRow>),
    BroughtIn(Box<session::BroughtIn>),
}

/// A session's whole id is never taken for the beginning of something else.
fn named(tables: &Tables, id: &str) -> anyhow::Result<Named> {
    let session = tables.session(id);
    if let Ok(Some(session)) = &session
        && session.id.as_str() == id
    {
        return Ok(Named::Session(Box::new(session.clone())));
    }
    if let Some(row) = reader::find_memory(tables, id)? {
        return Ok(Named::Memory(Box::new(row)));
    }
    if let Some(session) = session.map_err(person)? {
        return Ok(Named::Session(Box::new(session)));
    }
    if let Some(session) = session::brought_in(tables, id)? {
        return Ok(Named::BroughtIn(Box::new(session)));
    }
    let what = format!("no memory and no session begins with \"{}\"", print::one_line(id, 40));
    Err(hint(
        Failure::Person,
        what,
        "`throughline search` finds memories, `throughline sessions` lists sessions",
    ))
}

/// When a memory is of. What was brought in may not say.
pub(super) fn time(at: Millis) -> String {
    if at == 0 { "time not known".to_owned() } else { print::time(at) }
}

pub(super) fn full(row: &MemoryRow, color: bool) -> String {
    let memory = &row.memory;
    let mut out = format!("{}\n", print::bold(&print::one_line(&memory.title, 200), color));
    if let Some(subtitle) = &memory.subtitle {
        out.push_str(&format!("{}\n", print::one_line(subtitle, 300)));
    }
    let mut line = |label: &str, value: &str| {
        if !value.is_empty() {
            out.push_str(&format!("{label:<10}{}\n", print::one_line(value, 300)));
        }
    };
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    line("id", &memory.id.to_string());
    line("known as", &text(&memory.external_id));
    line("kind", memory.kind.name());
    line("at", &time(memory.at));
    line("project", &text(&memory.project));
    line("branch", &text(&memory.branch));
    line("session", memory.session.as_ref().map(model::SessionId::as_str).unwrap_or_default());
    line("tools", &memory.tools.join(", "));
    line("marked", &marks(row));
    line("use", &life(row));
    line("cost", &cost(row));
    line("from", &origin(row));
    line("origin", &whose(memory));
    if let Some(newer) = row.superseded_by {
        line("overtaken", &format!("by {newer}"));
    }
    out.push('\n');
    out.push_str(&print::block(&memory.text, 0));
    for (label, items) in [
        ("facts", &memory.facts),
        ("concepts", &memory.concepts),
        ("files changed", &memory.files_modified),
        ("files read", &memory.files_read),
    ] {
        if !items.is_empty() {
            out.push_str(&format!("\n{}\n", print::bold(label, color)));
            for item in items {
                out.push_str(&format!("  {}\n", print::one_line(item, 1000)));
            }
        }
    }
    out
}

fn with_origin(row: &MemoryRow) -> anyhow::Result<serde_json::Value> {
    let mut value = serde_json::to_value(row)?;
    value["origin"] = serde_json::to_value(engine::origin(&row.memory))?;
    Ok(value)
}

/// Whose words it holds. What is from outside is never said to an agent unasked.
fn whose(memory: &model::Memory) -> String {
    let origin = engine::origin(memory);
    let sources = engine::sources(memory);
    match origin {
        engine::Origin::Outside if sources.is_empty() => "outside, said only when asked for".to_owned(),
        engine::Origin::Outside => format!("outside ({}), said only when asked for", sources.join(", ")),
        engine::Origin::Retired => {
            "work that today's rules would not say: said only when asked for".to_owned()
        }
        _ => origin.name().to_owned(),
    }
}

fn marks(row: &MemoryRow) -> String {
    let urgent = row.memory.urgency == model::Urgency::High;
    let marks = [("critical", row.memory.critical), ("pinned", row.memory.pinned), ("urgent", urgent)];
    let marks: Vec<&str> = marks.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    marks.join(", ")
}

fn life(row: &MemoryRow) -> String {
    let mut parts = Vec::new();
    for (number, one, many) in [
        (row.hits, "time cited", "times cited"),
        (row.prevented, "mistake prevented", "mistakes prevented"),
        (row.repeats, "time said again", "times said again"),
    ] {
        if number > 0 {
            parts.push(print::count(number, one, many));
        }
    }
    if let Some(at) = row.last_applied_at {
        parts.push(format!("last on {}", print::time(at)));
    }
    parts.join(", ")
}

fn cost(row: &MemoryRow) -> String {
    let raw = row.memory.provenance.tokens;
    if raw > row.tokens {
        format!("{} tokens, made from {raw}", row.tokens)
    } else {
        format!("{} tokens", row.tokens)
    }
}

fn origin(row: &MemoryRow) -> String {
    let from = &row.memory.provenance;
    let mut parts = vec![from.by.clone()];
    if !from.events.is_empty() {
        parts.push(print::count(from.events.len() as u64, "event", "events"));
    }
    parts.extend(from.place.clone());
    parts.join(", ")
}
