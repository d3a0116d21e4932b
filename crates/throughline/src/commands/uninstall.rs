//! Detaches from an agent. Where nothing else has changed the settings since, the original bytes come back;
//! elsewhere only our handlers go.

use std::fs;

use agents::Edit;
use clap::Args;

use super::install::{Backup, Original};
use super::settings_file::{self, Target};
use super::{daemon, reader};
use crate::print;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Uninstall {
    #[command(flatten)]
    target: Target,
    /// Also delete everything that was recorded
    #[arg(long)]
    purge: bool,
}

impl Uninstall {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        self.detach(world)?;
        if reader::status(world).is_some() {
            daemon::stop(world)?;
        }
        if self.purge {
            fs::remove_dir_all(&world.place.data)?;
            return print::line(&format!("{} is deleted", world.place.data.display()));
        }
        print::line(&format!("what was recorded stays in {}", world.place.data.display()))
    }

    fn detach(&self, world: &World) -> anyhow::Result<()> {
        let adapter = self.target.adapter()?;
        let path = self.target.path(world, adapter)?;
        let Some(text) = settings_file::read(&path)? else {
            return print::line(&format!("{} does not exist; there is nothing to remove", path.display()));
        };
        let backup = Backup::of(world, &path);
        let edit = match backup.original(&text) {
            Original::Absent => {
                // We made the file: it goes.
                let edit = Edit { before: Some(text), after: String::new(), summary: Vec::new() };
                if self.target.apply(&path, &edit)? {
                    fs::remove_file(&path)?;
                    backup.forget();
                }
                return Ok(());
            }
            Original::Text(original) => Edit { before: Some(text), after: original, summary: Vec::new() },
            Original::Unknown => {
                adapter.plan_uninstall(&text).map_err(|error| settings_file::refused(&path, &error))?
            }
        };
        if !edit.changes() {
            return print::line(&format!("{} does not name us; nothing was changed", path.display()));
        }
        if self.target.apply(&path, &edit)? {
            backup.forget();
        }
        Ok(())
    }
}
