//! Counts over everything recorded.

use clap::Args;
use store::Count;

use super::reader;
use crate::print;
use crate::report::person;
use crate::world::World;

/// Lines of each list a person reads; `--json` has them all.
const SHOWN: usize = 12;

#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Stats {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let stats = reader::tables(world)?.stats().map_err(person)?;
        if self.json {
            return print::json(&stats);
        }
        let mut text = format!(
            "{} events in {} sessions of {} workspaces, {} prompts, {} of envelopes\n",
            stats.events,
            stats.sessions,
            stats.workspaces,
            stats.prompts,
            print::bytes(stats.bytes)
        );
        if let (Some(first), Some(last)) = (stats.first_at, stats.last_at) {
            text.push_str(&format!("from {} to {}\n", print::time(first), print::time(last)));
        }
        for (title, counts) in
            [("events", &stats.by_kind), ("tools", &stats.by_tool), ("redacted", &stats.redactions)]
        {
            text.push_str(&list(title, counts));
        }
        print::text(&text)
    }
}

fn list(title: &str, counts: &[Count]) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let rows = counts
        .iter()
        .take(SHOWN)
        .map(|one| format!("  {:>8}  {}\n", one.count, print::one_line(&one.name, 40)));
    format!("\n{title}\n{}", rows.collect::<String>())
}
