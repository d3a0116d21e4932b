//! Detaches from an agent: our handlers go and nothing else does, so that the original bytes come back where
//! nobody has changed the settings since.

use std::fs;
use std::path::Path;

use clap::Args;

use super::install::backup_path;
use super::settings_file::{self, OnDisk, Target};
use super::{daemon, reader, watch};
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
        // Who only looks, or says no, keeps a running daemon and everything that was recorded.
        if !self.detach(world)? {
            return Ok(());
        }
        // Nobody starts it for an agent that is only watched.
        if (self.purge || watch::entries(world).is_empty()) && reader::status(world).is_some() {
            daemon::stop(world)?;
        }
        if self.purge {
            fs::remove_dir_all(&world.place.data)?;
            return print::line(&format!("{} is deleted", world.place.data.display()));
        }
        print::line(&format!("what was recorded stays in {}", world.place.data.display()))
    }

    /// False: the person said no, or only looked.
    fn detach(&self, world: &World) -> anyhow::Result<bool> {
        let adapter = self.target.adapter()?;
        let (mut edits, mut looked_at) = (Vec::new(), Vec::new());
        for OnDisk { path, text, file } in self.target.files(world, adapter)? {
            looked_at.push(path.display().to_string());
            let Some(text) = text else { continue };
            let edit = file.remove(&text).map_err(|error| settings_file::refused(&path, &error))?;
            if edit.changes() {
                edits.push((path, edit));
            }
        }
        if edits.is_empty() {
            let places = looked_at.join(" or ");
            print::line(&format!("there is nothing to remove: we are not named in {places}"))?;
            return Ok(!self.target.only_looks());
        }
        if !self.target.apply(&edits, |_, _| Ok(()))? {
            return Ok(false);
        }
        edits.iter().try_for_each(|(path, edit)| tidy_up(path, &edit.after))?;
        Ok(true)
    }
}

/// What we made goes where nothing else is in it, and the copy of the original goes where the original is back.
fn tidy_up(path: &Path, after: &str) -> anyhow::Result<()> {
    let backup = backup_path(path);
    match settings_file::read(&backup)? {
        // There was no file before us, and nobody has put anything else into it since.
        None if matches!(after.trim(), "" | "{}") => fs::remove_file(path)?,
        None => {}
        Some(original) if original == after => fs::remove_file(&backup)?,
        // The same but for empty lists, which we cannot tell from those we made: as it was, to the byte.
        Some(original) if agents::say_the_same(&original, after) => {
            settings_file::replace(path, original.as_bytes())?;
            fs::remove_file(&backup)?;
        }
        Some(_) => {
            let kept = backup.display();
            print::line(&format!("the settings changed since; as they were before us they are in {kept}"))?;
        }
    }
    Ok(())
}
