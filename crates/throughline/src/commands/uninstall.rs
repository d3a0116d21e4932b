//! Detaches from an agent: our handlers go and nothing else does, so that the original bytes come back where
//! nobody has changed the settings since.

use std::fs;

use clap::Args;

use super::install::backup_path;
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
        let edit = adapter.plan_uninstall(&text).map_err(|error| settings_file::refused(&path, &error))?;
        if !edit.changes() {
            return print::line(&format!("{} does not name us; nothing was changed", path.display()));
        }
        if !self.target.apply(&path, &edit, || Ok(()))? {
            return Ok(());
        }
        let backup = backup_path(&path);
        match settings_file::read(&backup)? {
            // There was no file before us, and nobody has put anything else into it since.
            None if edit.after.trim() == "{}" => fs::remove_file(&path)?,
            None => {}
            Some(original) if original == edit.after => fs::remove_file(&backup)?,
            Some(_) => {
                let kept = backup.display();
                print::line(&format!(
                    "the settings changed since; as they were before us they are in {kept}"
                ))?;
            }
        }
        Ok(())
    }
}
