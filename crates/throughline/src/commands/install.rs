//! Attaches to an agent: one handler per event in its settings, everything else untouched.

use std::path::{Path, PathBuf};

use agents::{Adapter, HookCommand};
use clap::Args;

use super::reader;
use super::settings_file::{self, Target};
use crate::print;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Install {
    #[command(flatten)]
    target: Target,
}

impl Install {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let adapter = self.target.adapter()?;
        let path = self.target.path(world, adapter)?;
        let text = settings_file::read(&path)?;
        let (program, args) = world.hook_program();
        let hook = HookCommand { program: program.display().to_string(), args };
        let edit = adapter
            .plan_install(text.as_deref(), &hook)
            .map_err(|error| settings_file::refused(&path, &error))?;
        if edit.changes() {
            if !self.target.apply(&path, &edit, || match &edit.before {
                Some(before) => keep_backup(&path, before, is_attached(adapter, before)),
                None => Ok(()),
            })? {
                return Ok(());
            }
        } else {
            print::line(&format!("{} is as it should be", path.display()))?;
        }
        world.place.ensure()?;
        reader::start(world)?;
        print::line(
            "attached; the next session is recorded. See `throughline sessions`, `throughline doctor`.",
        )
    }
}

fn is_attached(adapter: &dyn Adapter, text: &str) -> bool {
    adapter.installed(text).is_ok_and(|installed| !installed.present.is_empty())
}

/// The settings as they were before us, beside the settings: what is in them is the person's, not ours to move.
pub(crate) fn backup_path(settings: &Path) -> PathBuf {
    let mut name = settings.as_os_str().to_owned();
    name.push(".throughline-backup");
    PathBuf::from(name)
}

/// Kept once: installing over our own edit must not replace the original by it.
fn keep_backup(path: &Path, before: &str, was_attached: bool) -> anyhow::Result<()> {
    let backup = backup_path(path);
    if was_attached && backup.exists() {
        return Ok(());
    }
    settings_file::replace(&backup, before.as_bytes())
}
