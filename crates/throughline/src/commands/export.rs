//! All journaled events as JSON lines, oldest first: for backups and other tools.

use clap::Args;
use store::{EventFilter, Order};

use super::{events, reader};
use crate::report::person;
use crate::world::World;

/// Rows held at once; an export of years runs in this much memory.
const PAGE: usize = 1000;

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// Only what came after this sequence number
    #[arg(long, default_value_t = 0)]
    after: u64,
}

impl Export {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
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
