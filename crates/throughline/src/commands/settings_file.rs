//! An agent's settings file on disk: read, shown, backed up, replaced as a whole.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use agents::{Adapter, Edit, Scope, SettingsError, SettingsFile};
use clap::Args;

use crate::print;
use crate::report::{Failure, hint};
use crate::world::World;

/// Which settings of which agent.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag a person types")]
pub(crate) struct Target {
    /// The agent whose settings they are
    #[arg(long, default_value = "claude-code")]
    client: String,
    /// The project's shared settings instead of your own
    #[arg(long)]
    project: bool,
    /// Your own settings for this project alone
    #[arg(long, conflicts_with = "project")]
    local: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Show the edit and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl Target {
    pub(crate) fn adapter(&self) -> anyhow::Result<&'static dyn Adapter> {
        agents::by_name(&self.client).ok_or_else(|| {
            let known: Vec<_> = agents::ALL.iter().map(|adapter| adapter.name()).collect();
            hint(
                Failure::Person,
                format!("no agent is called \"{}\"", self.client),
                format!("known: {}", known.join(", ")),
            )
        })
    }

    /// The person wants no question, and answers for what would be one.
    pub(crate) fn is_sure(&self) -> bool {
        self.yes
    }

    /// The person wants to see what would be done, and nothing more.
    pub(crate) fn only_looks(&self) -> bool {
        self.dry_run
    }

    /// The agent's files of the scope that was asked for, with what is in them.
    pub(crate) fn files(&self, world: &World, adapter: &dyn Adapter) -> anyhow::Result<Vec<OnDisk>> {
        let scope = match (self.project, self.local) {
            (true, _) => Scope::Project,
            (_, true) => Scope::Local,
            _ => Scope::User,
        };
        let mut found = Vec::new();
        for file in adapter.files() {
            if let Some(path) = world.settings_path(adapter.home(), *file, scope)? {
                found.push(OnDisk { text: read(&path)?, path, file: *file });
            }
        }
        if found.is_empty() {
            let what = format!("{} has no such settings", self.client);
            return Err(hint(Failure::Person, what, "run it without --project and --local"));
        }
        Ok(found)
    }

    /// Shows the edits, asks once unless told not to, and makes them, each after what has to come `first`. False: the
    /// person said no, or only looked.
    pub(crate) fn apply(
        &self,
        edits: &[(PathBuf, Edit)],
        first: impl Fn(&Path, &Edit) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        for (path, edit) in edits {
            print::line(&format!("{}:", path.display()))?;
            print::text(&agents::diff(edit.before.as_deref().unwrap_or_default(), &edit.after))?;
        }
        if self.dry_run || !(self.yes || is_confirmed(edits.len())?) {
            print::line("nothing was changed")?;
            return Ok(false);
        }
        for (path, edit) in edits {
            first(path, edit)?;
            replace(path, edit.after.as_bytes())?;
        }
        Ok(true)
    }
}

/// A settings file as it is now.
pub(crate) struct OnDisk {
    pub(crate) path: PathBuf,
    /// `None`: there is none.
    pub(crate) text: Option<String>,
    pub(crate) file: &'static dyn SettingsFile,
}

pub(crate) fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(hint(
                Failure::Person,
                format!("{} is not UTF-8 and was not changed", path.display()),
                "save it as UTF-8, then try again",
            )),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(hint(
            Failure::Person,
            format!("{}: {error}", path.display()),
            "make the file readable for you",
        )),
    }
}

pub(crate) fn refused(path: &Path, error: &SettingsError) -> anyhow::Error {
    let what = format!("{} was not changed: {error}", path.display());
    hint(Failure::Person, what, "correct that place, then run the command again")
}

/// The whole file at once: a reader sees the old one or the new one. Its mode stays.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mode = fs::metadata(path).map_or(0o600, |file| file.permissions().mode() & 0o777);
    let part = path.with_extension(format!("part{}", std::process::id()));
    let written = (|| {
        let mut file = fs::OpenOptions::new().create_new(true).write(true).mode(mode).open(&part)?;
        // What a mask has taken from it at its making.
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, path)
    })();
    if let Err(error) = written {
        let _ = fs::remove_file(&part);
        let what = format!("{} cannot be written: {error}", path.display());
        return Err(hint(Failure::Person, what, "make the file and its folder writable for you"));
    }
    Ok(())
}

/// Without a terminal there is nobody to ask: the answer is yes only with `--yes`.
fn is_confirmed(edits: usize) -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        let next = "add --yes to make the edit, or --dry-run to only see it";
        return Err(hint(Failure::Person, "there is no terminal to ask on", next));
    }
    let mut out = io::stdout().lock();
    let these = if edits == 1 { "this edit" } else { "these edits" };
    write!(out, "Make {these}? [Y/n] ")?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "" | "y" | "yes"))
}
