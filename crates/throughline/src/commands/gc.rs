//! Makes room: what is expendable goes, what is pinned, critical or in use stays.

use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::reader;
use crate::print;
use crate::world::World;

/// A large database is compacted meanwhile.
const PATIENCE: Duration = Duration::from_mins(5);

#[derive(Debug, Args)]
#[command(after_help = "Example: throughline gc --dry-run")]
pub(crate) struct Gc {
    /// Only say what would go
    #[arg(long)]
    dry_run: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Gc {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let question = json!({ "ask": "gc", "dry_run": self.dry_run });
        let answer = reader::answer(world, &question, PATIENCE)?;
        if self.json {
            return print::json(&answer);
        }
        let number = |name: &str| answer[name].as_u64().unwrap_or_default();
        print::line(&format!(
            "{}{} of {}, {} kept",
            if self.dry_run { "would drop " } else { "dropped " },
            print::count(number("dropped"), "memory", "memories"),
            print::bytes(number("bytes")),
            number("kept"),
        ))
    }
}
