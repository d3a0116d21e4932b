//! Shows what has changed since a checkpoint, as git writes it.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use checkpoint::Form;
use clap::Args;

use super::super::reader;
use super::restore;
use crate::print;
use crate::world::World;

#[derive(Debug, Args)]
#[command(after_help = "\
From the checkpoint to the files as they are now, untracked ones too: what `checkpoint restore` would undo. Nothing is \
changed.

Example: throughline checkpoint diff 7c41 --stat src")]
pub(crate) struct Diff {
    /// Its id, or the beginning of it
    id: String,
    /// Only of this file or folder
    path: Option<PathBuf>,
    /// Which files, and how much of each
    #[arg(long)]
    stat: bool,
}

impl Diff {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let here = super::look(&world.cwd)?;
        let tables = reader::tables(world).ok();
        let found = super::find(tables.as_ref(), here.as_ref().ok(), &self.id)?;
        let repository = restore::place_of(&found, here)?;
        let form = if self.stat { Form::Stat } else { Form::Patch };
        let text =
            repository.difference_since(&found.id, form, self.path.as_deref()).map_err(super::explain)?;
        if io::stdout().is_terminal() {
            return print::text(&engine::sanitize(&String::from_utf8_lossy(&text)));
        }
        // Byte for byte: somebody may want to apply it.
        io::stdout().lock().write_all(&text)?;
        Ok(())
    }
}
