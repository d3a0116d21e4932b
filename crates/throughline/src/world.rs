//! Everything the process is told from outside: variables, paths, the terminal. Read here and nowhere else.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use agents::{AgentHome, Location, Scope, SettingsFile};
use client::Place;

use crate::report::{Failure, hint};

/// The release, as people read it.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) place: Place,
    pub(crate) namespace: String,
    pub(crate) home: Option<PathBuf>,
    pub(crate) cwd: PathBuf,
    pub(crate) executable: PathBuf,
    /// Colors only where a person looks and has not asked for none.
    pub(crate) color: bool,
    /// Columns of the terminal; where there is none, as many as a page has.
    pub(crate) width: usize,
}

/// Narrower than this nothing fits in a row; wider than this nobody reads to the end.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=160;
const PAGE_WIDTH: usize = 100;

impl World {
    pub(crate) fn look() -> anyhow::Result<Self> {
        let place = Place::from_env(&variable).ok_or_else(|| {
            hint(
                Failure::Person,
                "neither THROUGHLINE_HOME nor HOME names an absolute folder",
                "set THROUGHLINE_HOME to a folder of yours",
            )
        })?;
        let namespace =
            place.data.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self {
            place,
            namespace,
            home: variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute()),
            cwd: env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
            executable: env::current_exe().unwrap_or_else(|_| PathBuf::from("throughline")),
            color: std::io::stdout().is_terminal()
                && variable("NO_COLOR").is_none_or(|value| value.is_empty()),
            width: terminal_width(),
        })
    }

    /// The executable agents are told to run: the tiny one beside us when it is there.
    pub(crate) fn hook_program(&self) -> (PathBuf, Vec<String>) {
        let tiny = self.executable.with_file_name("throughline-hook");
        if tiny.is_file() { (tiny, Vec::new()) } else { (self.executable.clone(), vec!["hook".to_owned()]) }
    }

    /// An agent's own folder: where its variable says, else under the home.
    pub(crate) fn agent_home(&self, agent: &AgentHome) -> anyhow::Result<PathBuf> {
        match named_folder(agent) {
            Some(folder) => Ok(folder),
            None => match (agent.folder.strip_prefix(".config/"), variable("XDG_CONFIG_HOME")) {
                // Who moves the folder of all settings moves this one, too.
                (Some(inside), Some(moved)) if Path::new(&moved).is_absolute() => {
                    Ok(PathBuf::from(moved).join(inside))
                }
                _ => Ok(self.persons_home()?.join(agent.folder)),
            },
        }
    }

    /// Where a file of an agent's is. `None`: it has none for this scope.
    pub(crate) fn settings_path(
        &self,
        agent: &AgentHome,
        file: &dyn SettingsFile,
        scope: Scope,
    ) -> anyhow::Result<Option<PathBuf>> {
        let path = match file.path(scope, named_folder(agent).is_some()) {
            None => return Ok(None),
            Some(Location::AgentHome(path)) => self.agent_home(agent)?.join(path),
            Some(Location::Home(path)) => self.persons_home()?.join(path),
            Some(Location::Project(path)) => self.project_root().join(path),
        };
        // People keep settings in a repository and link to them: the file is replaced, not the link.
        Ok(Some(fs::canonicalize(&path).unwrap_or(path)))
    }

    fn persons_home(&self) -> anyhow::Result<&Path> {
        self.home.as_deref().ok_or_else(|| {
            hint(
                Failure::Person,
                "HOME is not set",
                "set HOME, or name the agent's folder in its own variable",
            )
        })
    }

    /// What edits a text for this person.
    pub(crate) fn editor() -> OsString {
        let named = ["VISUAL", "EDITOR"].iter().filter_map(|name| variable(name));
        named.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "vi".into())
    }

    /// Where `--project` settings belong: the git top level, else the working directory.
    pub(crate) fn project_root(&self) -> PathBuf {
        let top = self.cwd.ancestors().find(|folder| folder.join(".git").exists());
        top.map_or_else(|| self.cwd.clone(), Path::to_owned)
    }
}

fn named_folder(agent: &AgentHome) -> Option<PathBuf> {
    variable(agent.variable).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

fn terminal_width() -> usize {
    let told = rustix::termios::tcgetwinsize(std::io::stdout()).map_or(0, |size| usize::from(size.ws_col));
    if told == 0 { PAGE_WIDTH } else { told.clamp(*WIDTHS.start(), *WIDTHS.end()) }
}

pub(crate) fn variable(name: &str) -> Option<OsString> {
    env::var_os(name)
}
