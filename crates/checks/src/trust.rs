//! Whether code of a project may be run: its build scripts, its plug-ins, its own copy of a tool. A repository that was
//! cloned a minute ago has brought files and nothing else, and nothing of it is run. Once somebody has installed or built
//! it here, its code has run on this machine already, and a check adds nothing to that. What shows it is a folder that
//! such a step makes and that git does not track: whatever git tracks came with the repository.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use providers::process::{self, Bounds};

/// What the person says about code of projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Trust {
    /// It is run where it has run before.
    #[default]
    Installed,
    Always,
    Never,
}

impl Trust {
    pub fn of(word: &str) -> Self {
        match word {
            "always" => Self::Always,
            "never" => Self::Never,
            _ => Self::Installed,
        }
    }
}

/// Git reads its index: milliseconds, and a second where that is very large.
const PATIENCE: Duration = Duration::from_secs(3);
/// One name is enough.
const MAX_NAMES: usize = 64 << 10;

/// Whether code of the project may be run for the sake of `folder`, which shows by `made` that it has run before.
pub(crate) fn allows(trust: Trust, root: &Path, folder: &Path, made: &[&str], path: &OsStr) -> bool {
    match trust {
        Trust::Always => true,
        Trust::Never => false,
        Trust::Installed => {
            let above = folder.ancestors().take_while(|folder| folder.starts_with(root));
            let mut there = above.flat_map(|folder| made.iter().map(move |name| folder.join(name)));
            // A link leads elsewhere and shows nothing of this project.
            let is_folder = |folder: &PathBuf| folder.symlink_metadata().is_ok_and(|about| about.is_dir());
            there.find(is_folder).is_some_and(|made| is_untracked(root, &made, path))
        }
    }
}

/// Whether git says that nothing in there belongs to the repository. Without git, or a repository, nobody can say so.
fn is_untracked(root: &Path, folder: &Path, path: &OsStr) -> bool {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", path).env("GIT_OPTIONAL_LOCKS", "0").env("GIT_CONFIG_NOSYSTEM", "1");
    // A monitor would be a command that a repository's settings name.
    command.args(["-c", "core.fsmonitor=false", "ls-files", "--"]).arg(folder).current_dir(root);
    let bounds = Bounds { output: MAX_NAMES, complaint: 1024, until: Instant::now() + PATIENCE };
    process::run(command, &[], bounds, || false)
        .is_ok_and(|finished| finished.status.success() && finished.output.is_empty())
}
