//! Takes memories away for good, after showing which.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use model::{Deed, MemoryId};
use serde_json::json;
use store::{MemoryFilter, MemoryRow, Tables};

use super::reader;
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

/// Lines of the list a person reads before they say yes.
const SHOWN: usize = 20;
/// Ids in one deed: a line of the journal stays readable.
const PER_DEED: usize = 500;

#[derive(Debug, Args)]
#[command(after_help = "Example: throughline forget 0k3v7m2n 9qrs --session 8dcc5c1e")]
pub(crate) struct Forget {
    /// Memories: their ids, or unique beginnings of them
    #[arg(required_unless_present = "sessions", value_name = "ID")]
    ids: Vec<String>,
    /// Everything that was kept of this session; may be given several times
    #[arg(long = "session", value_name = "SESSION")]
    sessions: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// One JSON object with the ids that are gone
    #[arg(long)]
    json: bool,
}

impl Forget {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let rows = self.rows(&tables)?;
        if rows.is_empty() {
            if self.json {
                return print::json(&json!({ "forgotten": [] }));
            }
            return print::line("nothing is kept of it");
        }
        if !self.yes && !is_confirmed(&rows, world.color)? {
            return print::line("nothing was forgotten");
        }
        let ids: Vec<MemoryId> = rows.iter().map(|row| row.memory.id).collect();
        let deeds: Vec<Deed> = ids.chunks(PER_DEED).map(|some| Deed::Forget { ids: some.to_vec() }).collect();
        reader::send(world, &deeds)?;
        if self.json {
            return print::json(&json!({ "forgotten": ids }));
        }
        print::line(&format!("{} forgotten", print::count(ids.len() as u64, "memory is", "memories are")))
    }

    /// All or none: an id that names nothing is a mistake the person wants to hear of first.
    fn rows(&self, tables: &Tables) -> anyhow::Result<Vec<MemoryRow>> {
        let mut rows = Vec::new();
        for id in &self.ids {
            rows.push(reader::memory(tables, id)?);
        }
        for id in &self.sessions {
            let session = reader::session_id(tables, id)?;
            let filter = MemoryFilter { session: Some(session), ..MemoryFilter::default() };
            rows.extend(tables.memories(&filter).map_err(person)?);
        }
        rows.sort_by_key(|row| (row.memory.at, row.n));
        rows.dedup_by_key(|row| row.n);
        Ok(rows)
    }
}

fn is_confirmed(rows: &[MemoryRow], color: bool) -> anyhow::Result<bool> {
    for row in rows.iter().take(SHOWN) {
        let memory = &row.memory;
        let title = print::bold(&print::one_line(&memory.title, 80), color);
        print::line(&format!(
            "{}  {}  {:<9}  {title}",
            memory.id,
            print::time(memory.at),
            memory.kind.name()
        ))?;
    }
    if rows.len() > SHOWN {
        print::line(&format!("and {} more", rows.len() - SHOWN))?;
    }
    if !io::stdin().is_terminal() {
        let next = "add --yes to forget without being asked";
        return Err(hint(Failure::Person, "there is no terminal to ask on", next));
    }
    let mut out = io::stdout().lock();
    let what = print::count(rows.len() as u64, "memory", "memories");
    out.write_all(format!("Forget {what} for good? [y/N] ").as_bytes())?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
