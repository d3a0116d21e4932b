//! Everything as JSON lines, oldest first: for backups and other tools.

use clap::Args;
use store::{EventFilter, MemoryFilter, Order};

use super::exported::Exported;
use super::{events, reader};
use crate::print;
use crate::report::person;
use crate::world::World;

/// Rows held at once; an export of years runs in this much memory.
const PAGE: usize = 1000;

#[derive(Debug, Args)]
#[command(after_help = "Example: throughline export --memories > memories.jsonl")]
pub(crate) struct Export {
    /// Only what came after this sequence number
    #[arg(long, default_value_t = 0, conflicts_with = "memories")]
    after: u64,
    /// The memories instead of the journaled events; `import --jsonl` takes them back
    #[arg(long)]
    memories: bool,
}

impl Export {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        if self.memories { memories(world) } else { self.events(world) }
    }

    fn events(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let journal = reader::journal(world)?;
        let mut after = self.after;
        loop {
            let filter = EventFilter {
                after: Some(after),
                order: Order::OldestFirst,
                limit: PAGE,
                ..EventFilter::default()
            };
            let rows = tables.events(&filter).map_err(person)?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.seq;
            rows.iter().try_for_each(|row| events::print_json(&journal, row))?;
        }
    }
}

/// Page by page in their own order; one that is kept meanwhile comes at the end.
fn memories(world: &World) -> anyhow::Result<()> {
    let tables = reader::tables(world)?;
    let numbers = MemoryFilter { since: Some(0), ..MemoryFilter::default() };
    for n in tables.numbers(&numbers).map_err(person)?.unwrap_or_default() {
        if let Some(row) = tables.memory_at(n).map_err(person)? {
            print::json(&Exported::from(row))?;
        }
    }
    Ok(())
}
