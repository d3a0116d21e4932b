//! Attaches to an agent: one handler per event and one MCP server in its settings, everything else untouched.

use std::path::{Path, PathBuf};

use agents::{Adapter, Edit, Holds, Ours, Program, SettingsFile};
use clap::Args;

use super::reader;
use super::settings_file::{self, OnDisk, Target};
use crate::print;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Install {
    #[command(flatten)]
    target: Target,
    /// Attach the hooks alone, without the MCP server
    #[arg(long)]
    hooks_only: bool,
}

impl Install {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let adapter = self.target.adapter()?;
        let ours = self.ours(world, adapter);
        let mut edits = Vec::new();
        for OnDisk { path, text, file } in self.target.files(world, adapter)? {
            if self.hooks_only && file.holds() == Holds::Server {
                continue;
            }
            let edit =
                file.add(text.as_deref(), &ours).map_err(|error| settings_file::refused(&path, &error))?;
            if edit.changes() {
                edits.push((path, edit));
            } else {
                print::line(&format!("{} is as it should be", path.display()))?;
            }
        }
        if !edits.is_empty() && !self.target.apply(&edits, |path, edit| keep_backup(adapter, path, edit))? {
            return Ok(());
        }
        world.place.ensure()?;
        reader::start(world)?;
        if let Some(step) = adapter.last_step() {
            print::line(step)?;
        }
        print::line(
            "attached; the next session is recorded. See `throughline sessions`, `throughline doctor`.",
        )
    }

    fn ours(&self, world: &World, adapter: &dyn Adapter) -> Ours {
        let (program, mut args) = world.hook_program();
        // What is not said is Claude Code.
        if adapter.name() != agents::ALL[0].name() {
            args.extend(["--agent".to_owned(), adapter.name().to_owned()]);
        }
        let server =
            Program { program: world.executable.display().to_string(), args: vec!["mcp".to_owned()] };
        Ours {
            hook: Program { program: program.display().to_string(), args },
            server: (!self.hooks_only).then_some(server),
            fast: false,
        }
    }
}

/// The settings as they were before us, beside the settings: what is in them is the person's, not ours to move.
pub(crate) fn backup_path(settings: &Path) -> PathBuf {
    let mut name = settings.as_os_str().to_owned();
    name.push(".throughline-backup");
    PathBuf::from(name)
}

/// Kept once: installing over our own edit must not replace the original by it.
fn keep_backup(adapter: &dyn Adapter, path: &Path, edit: &Edit) -> anyhow::Result<()> {
    let Some(before) = &edit.before else { return Ok(()) };
    let names_us = |file: &&dyn SettingsFile| {
        file.installed(before).is_ok_and(|installed| !installed.programs.is_empty())
    };
    let backup = backup_path(path);
    if backup.exists() && adapter.files().iter().any(names_us) {
        return Ok(());
    }
    settings_file::replace(&backup, before.as_bytes())
}
