//! Attaches to an agent: one handler per event and one MCP server in its settings, everything else untouched.

mod fast;

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
    /// Let the hooks of tool calls go through the MCP server instead of starting a process each. In your own settings
    /// only; plain `install` undoes it
    #[arg(long, conflicts_with_all = ["hooks_only", "project", "local"])]
    fast: bool,
}

impl Install {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let adapter = self.target.adapter()?;
        if self.fast {
            fast::check(adapter, self.target.is_sure())?;
        }
        let files = self.target.files(world, adapter)?;
        let ours = self.ours(world, adapter, &files);
        let has_plugin = files.iter().any(enables_plugin);
        if has_plugin {
            print::remark(
                "the plugin is enabled and brings hooks and tools of its own; it steps aside for hooks in your settings",
            );
        }
        let mut edits = Vec::new();
        for OnDisk { path, text, file } in files {
            // A second server beside the plugin's would list every tool twice; fast hooks need the one they name.
            if (self.hooks_only || has_plugin && !self.fast) && file.holds() == Holds::Server {
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

    fn ours(&self, world: &World, adapter: &dyn Adapter, files: &[OnDisk]) -> Ours {
        let (program, mut args) = world.hook_program();
        // What is not said is Claude Code.
        if adapter.name() != agents::ALL[0].name() {
            args.extend(["--agent".to_owned(), adapter.name().to_owned()]);
        }
        let mut server =
            Program { program: world.executable.display().to_string(), args: vec!["mcp".to_owned()] };
        if self.fast {
            server.args.extend([Program::WORD_OPTION.to_owned(), word(files)]);
        }
        Ours {
            hook: Program { program: program.display().to_string(), args },
            server: (!self.hooks_only).then_some(server),
            fast: self.fast,
        }
    }
}

fn enables_plugin(file: &OnDisk) -> bool {
    file.text.as_deref().and_then(|text| file.file.installed(text).ok()).is_some_and(|found| found.plugin)
}

/// The word that is in the files already, so that installing again changes nothing; else one that nobody can guess.
fn word(files: &[OnDisk]) -> String {
    let known = |file: &OnDisk| file.file.installed(file.text.as_deref()?).ok()?.word;
    files.iter().filter_map(known).find(|word| !word.is_empty()).unwrap_or_else(|| client::mint().to_string())
}

/// The settings as they were before us, beside the settings: what is in them is the person's, not ours to move.
pub(crate) fn backup_path(settings: &Path) -> PathBuf {
    let mut name = settings.as_os_str().to_owned();
    name.push(".throughline-backup");
    PathBuf::from(name)
}

/// Of what was there before us: what names us already is our own edit, or a file that is wholly ours.
fn keep_backup(adapter: &dyn Adapter, path: &Path, edit: &Edit) -> anyhow::Result<()> {
    let Some(before) = &edit.before else { return Ok(()) };
    let names_us = |file: &&dyn SettingsFile| {
        file.installed(before).is_ok_and(|installed| !installed.programs.is_empty())
    };
    if adapter.files().iter().any(names_us) {
        return Ok(());
    }
    settings_file::replace(&backup_path(path), before.as_bytes())
}
