//! One run of one tool: its own process group, a clean environment, bounded time and output, no standard input. What it
//! keeps for its next run lies in a folder of ours; in the workspace it writes nothing that git would show.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use providers::process::{self, Bounds, Unfinished};

use crate::find::Check;
use crate::finding::Finding;
use crate::tool::{Asked, Said, Scope};

/// A compiler that prints more has lost its way; nobody reads the thousandth error.
const MAX_OUTPUT: usize = 16 << 20;
const MAX_COMPLAINT: usize = 256 << 10;
/// More findings than anybody counts; the rest is not compared with anything.
const MAX_FINDINGS: usize = 5_000;
/// A message is a sentence.
const MAX_MESSAGE: usize = 600;
/// Of the environment, which may be an agent's with its keys, a tool gets where programs, toolchains and their caches
/// are, and nothing that opens a door.
const ENVIRONMENT: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TZ",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTFLAGS",
    "RUSTC_WRAPPER",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "JAVA_HOME",
    "GRADLE_USER_HOME",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "NVM_BIN",
    "VOLTA_HOME",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "RBENV_ROOT",
    "GEM_HOME",
];

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    NotStarted,
    Late,
    TooMuch,
    CalledOff,
    /// Nobody trusts its workspace any more, or another repository lies there by now.
    NotAllowed,
    /// It ended, and has not done its work: a broken configuration, a dependency that is not there.
    Unread(Option<i32>),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted => f.write_str("it cannot be started"),
            Self::Late => f.write_str("it took too long and was ended"),
            Self::TooMuch => f.write_str("it printed too much and was ended"),
            Self::CalledOff => f.write_str("it was called off"),
            Self::NotAllowed => {
                f.write_str("its workspace is not trusted, or it does not belong to it any more")
            }
            Self::Unread(Some(code)) => write!(f, "it left with code {code} and without findings to be read"),
            Self::Unread(None) => f.write_str("it was ended by a signal"),
        }
    }
}

/// What a tool finds wrong with `files`, or with all of its folder. `root` and `files` are real paths.
pub fn run(
    check: &Check,
    root: &Path,
    files: &[PathBuf],
    cache: &Path,
    is_called_off: impl Fn() -> bool,
) -> Result<Vec<Finding>, Failure> {
    let mut found = match check.tool.scope {
        Scope::Project | Scope::Files => run_once(check, root, files, cache, &is_called_off)?,
        Scope::File => {
            let mut found = Vec::new();
            for file in files {
                found.extend(run_once(check, root, std::slice::from_ref(file), cache, &is_called_off)?);
            }
            found
        }
    };
    // What it says of files it was not asked about it did not look at as a whole.
    if check.tool.scope != Scope::Project {
        found.retain(|finding| {
            files
                .iter()
                .any(|file| file.strip_prefix(root).is_ok_and(|file| file == Path::new(&finding.file)))
        });
    }
    found.truncate(MAX_FINDINGS);
    found.sort_by(|one, other| one.place().cmp(&other.place()));
    Ok(found)
}

fn run_once(
    check: &Check,
    root: &Path,
    files: &[PathBuf],
    cache: &Path,
    is_called_off: &dyn Fn() -> bool,
) -> Result<Vec<Finding>, Failure> {
    // Without it the run is slower, or fails and is silent.
    let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(cache);
    let mut command = Command::new(&check.program);
    let passed: Vec<(&str, OsString)> =
        ENVIRONMENT.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect();
    command.env_clear().envs(passed).env("PATH", &check.path).env("NO_COLOR", "1").current_dir(&check.folder);
    (check.tool.ask)(&mut command, &Asked { folder: &check.folder, files, cache });
    let until = Instant::now() + check.tool.bound;
    let bounds = Bounds { output: MAX_OUTPUT, complaint: MAX_COMPLAINT, until };
    let finished =
        process::run(command, &[], bounds, is_called_off).map_err(|unfinished| match unfinished {
            Unfinished::NotStarted(_) | Unfinished::Broken(_) => Failure::NotStarted,
            Unfinished::Late => Failure::Late,
            Unfinished::TooMuch => Failure::TooMuch,
            Unfinished::CalledOff => Failure::CalledOff,
        })?;
    let said = Said {
        root,
        folder: &check.folder,
        code: finished.status.code(),
        output: &finished.output,
        complaint: &finished.complaint,
    };
    // A tool that crashed may have printed a part of what it would have said.
    let read = finished.status.code().and_then(|_| (check.tool.read)(&said));
    let mut found = read.ok_or(Failure::Unread(finished.status.code()))?;
    for finding in &mut found {
        shorten(&mut finding.message);
        finding.fix.as_mut().map(shorten);
    }
    Ok(found)
}

fn shorten(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(MAX_MESSAGE) {
        text.truncate(at);
        text.push('…');
    }
}
