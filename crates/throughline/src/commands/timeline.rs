//! What was kept just before and just after one memory: the story around a hit.

use clap::Args;
use serde_json::{Value, json};
use store::{MemoryRow, Tables};

use super::search::{self, Only};
use super::{reader, show};
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

/// Further away nothing explains anything.
const MAX_AROUND: u64 = 500;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  throughline timeline 0k3v7m2n9qrs
  throughline timeline the login broke --before 10 --after 3")]
pub(crate) struct Timeline {
    /// A memory's id, or words that find one
    #[arg(required = true, value_name = "ID|QUERY")]
    center: Vec<String>,
    /// So many before it
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=MAX_AROUND))]
    before: u64,
    /// So many after it
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=MAX_AROUND))]
    after: u64,
    /// One JSON array, oldest first
    #[arg(long)]
    json: bool,
}

impl Timeline {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let center = self.center(world, &tables)?;
        let rows = tables.around(&center, self.before as usize, self.after as usize).map_err(person)?;
        if self.json {
            let items: Vec<Value> = rows.iter().map(|row| item(row, row.n == center.n)).collect();
            return print::json(&items);
        }
        let mut out = String::new();
        for row in &rows {
            out.push_str(&line(row, row.n == center.n, world));
        }
        print::text(&out)
    }

    /// A single word may be an id; everything else is a query.
    fn center(&self, world: &World, tables: &Tables) -> anyhow::Result<MemoryRow> {
        if let [id] = &self.center[..]
            && let Some(row) = reader::find_memory(tables, id)?
        {
            return Ok(row);
        }
        let query = self.center.join(" ");
        if let Some(hit) = search::find(world, &query, 1, false, &Only::default())?.first() {
            return reader::memory(tables, &hit.id);
        }
        let what = format!("nothing is called or says \"{}\"", print::one_line(&query, 60));
        Err(hint(Failure::Person, what, "try other words, or an id that `throughline search` says"))
    }
}

fn item(row: &MemoryRow, is_center: bool) -> Value {
    let memory = &row.memory;
    json!({
        "id": memory.id,
        "external_id": memory.external_id,
        "kind": memory.kind,
        "title": memory.title,
        "at": memory.at,
        "project": memory.project,
        "session": memory.session,
        "tokens": row.tokens,
        "center": is_center,
    })
}

fn line(row: &MemoryRow, is_center: bool, world: &World) -> String {
    let memory = &row.memory;
    let mark = if is_center { "▶" } else { " " };
    let head = format!("{mark} {:<19}  {}  {:<9}  ", show::time(memory.at), memory.id, memory.kind.name());
    let room = world.width.saturating_sub(head.chars().count() + 14).max(20);
    let title = print::one_line(&memory.title, room);
    let title = if is_center { print::bold(&title, world.color) } else { title };
    format!("{head}{title}  {}\n", print::dim(&format!("{} tokens", row.tokens), world.color))
}
