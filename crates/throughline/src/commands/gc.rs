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
    /// Free so many bytes, whatever the settings keep: the oldest archived conversations, then the oldest of the journal
    /// that memories are made of already
    #[arg(long, value_name = "BYTES", conflicts_with = "dry_run")]
    free: Option<u64>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Gc {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let question = json!({ "ask": "gc", "dry_run": self.dry_run, "free": self.free });
        let answer = reader::answer(world, &question, PATIENCE)?;
        if self.json {
            return print::json(&answer);
        }
        let number = |name: &str| answer[name].as_u64().unwrap_or_default();
        if self.free.is_some() {
            return print::line(&format!("freed {}", print::bytes(number("freed"))));
        }
        print::line(&format!(
            "{}{} of {}, {} kept",
            if self.dry_run { "would drop " } else { "dropped " },
            print::count(number("dropped"), "memory", "memories"),
            print::bytes(number("bytes")),
            number("kept"),
        ))
    }
}
