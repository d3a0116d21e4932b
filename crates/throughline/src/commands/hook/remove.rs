//! Takes a rule away, after asking.

use std::fs;
use std::io::{self, IsTerminal, Write};

use clap::Args;

use crate::commands::rules;
use crate::print;
use crate::report::{Failure, hint};
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Remove {
    name: String,
    /// Without being asked
    #[arg(long, short)]
    yes: bool,
}

impl Remove {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let loaded = rules::named(world, &self.name)?;
        let shown = loaded.folder.display();
        if !self.yes && !is_confirmed(&shown.to_string())? {
            return print::line("Nothing was removed.");
        }
        // A link is removed and not what it points to.
        let removed = if fs::symlink_metadata(&loaded.folder)?.is_dir() {
            fs::remove_dir_all(&loaded.folder)
        } else {
            fs::remove_file(&loaded.folder)
        };
        removed.map_err(|error| {
            hint(Failure::Person, format!("{shown}: {error}"), format!("rm -r '{shown}'"))
        })?;
        print::line(&format!("Removed {shown}"))
    }
}

fn is_confirmed(folder: &str) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        let next = "add --yes to remove without being asked";
        return Err(hint(Failure::Person, "there is no terminal to ask on", next));
    }
    let mut out = io::stdout().lock();
    write!(out, "Remove {folder} and all in it? [y/N] ")?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
