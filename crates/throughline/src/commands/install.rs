//! Attaches to an agent: one handler per event in its settings, everything else untouched.

use std::fs;
use std::path::{Path, PathBuf};

use agents::HookCommand;
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
            if !self.target.apply(&path, &edit)? {
                return Ok(());
            }
            keep_backup(world, &path, edit.before.as_deref(), &edit.after)?;
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

/// What a settings file was before we first touched it, and what we made of it, so that `uninstall` can give
/// back the very bytes.
pub(crate) struct Backup {
    folder: PathBuf,
}

impl Backup {
    pub(crate) fn of(world: &World, settings: &Path) -> Self {
        let name = daemon::workspace_key(settings);
        Self { folder: world.place.data.join("backups").join(name.as_str()) }
    }

    pub(crate) fn original(&self, present: &str) -> Original {
        let read = |name: &str| fs::read_to_string(self.folder.join(name)).ok();
        if read("after").as_deref() != Some(present) {
            return Original::Unknown;
        }
        if self.folder.join("absent").exists() {
            return Original::Absent;
        }
        read("before").map_or(Original::Unknown, Original::Text)
    }

    pub(crate) fn forget(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What stood there before us.
pub(crate) enum Original {
    Text(String),
    /// There was no file.
    Absent,
    /// Somebody else has changed the file since: it is not ours to replace.
    Unknown,
}

fn keep_backup(world: &World, path: &Path, before: Option<&str>, after: &str) -> anyhow::Result<()> {
    let backup = Backup::of(world, path);
    // Re-installing over our own edit keeps the first original.
    let original = match before.map(|text| backup.original(text)) {
        Some(Original::Text(text)) => Some(text),
        Some(Original::Absent) => None,
        Some(Original::Unknown) | None => before.map(str::to_owned),
    };
    client::place::make_folder(&backup.folder)?;
    match original {
        Some(text) => {
            let _ = fs::remove_file(backup.folder.join("absent"));
            settings_file::replace(&backup.folder.join("before"), text.as_bytes())?;
        }
        None => settings_file::replace(&backup.folder.join("absent"), b"")?,
    }
    settings_file::replace(&backup.folder.join("after"), after.as_bytes())
}
