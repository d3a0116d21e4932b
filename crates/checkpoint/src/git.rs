//! Runs the program `git`: bounded in time and output, in an environment that cannot lead it elsewhere, without
//! hooks, prompts, pagers, background work or the network. Knows nothing of checkpoints.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::CheckpointError;

/// One operation of ours, all its git commands together. Compressing the most a snapshot takes is the longest.
pub(crate) const TIME_LIMIT: Duration = Duration::from_mins(3);
/// Half a million paths; a list past that belongs to a tree that nobody means to keep file by file.
const MAX_OUTPUT: u64 = 64 << 20;
/// What a person reads of git's complaint.
const MAX_COMPLAINT: u64 = 4096;
/// Between two looks whether git has ended: most of its commands take a few milliseconds.
const LOOK: Duration = Duration::from_millis(1);

/// Settings of a person that would write more than we mean, run programs, or leave one behind.
const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.logAllRefUpdates=false",
    "core.safecrlf=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "protocol.allow=never",
];

/// Where a person's settings are found. Everything else that begins with `GIT_` would lead git elsewhere.
const KEPT_VARIABLES: &[&str] = &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/// Who is named in the commits. Nobody's name: they are made for a person, not by one.
const AUTHOR: &str = "throughline";
const ADDRESS: &str = "throughline@localhost";

#[derive(Debug, Clone)]
pub(crate) struct Git {
    folder: PathBuf,
    /// `--git-dir` and `--work-tree`, once they are known: nothing is searched for twice.
    found: Option<PathBuf>,
    index: Option<PathBuf>,
    date: Option<String>,
    until: Instant,
}

#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) output: Vec<u8>,
    pub(crate) complaint: String,
}

impl Git {
    /// Finds its repository by itself, as it does for a person who stands there.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        let until = Instant::now() + TIME_LIMIT;
        Self { folder: folder.to_owned(), found: None, index: None, date: None, until }
    }

    pub(crate) fn of(top: &Path, git_dir: &Path) -> Self {
        Self { found: Some(git_dir.to_owned()), ..Self::in_folder(top) }
    }

    /// The same, with an index that is not the person's.
    pub(crate) fn with_index(&self, index: &Path) -> Self {
        Self { index: Some(index.to_owned()), ..self.clone() }
    }

    /// The same, at a given second.
    pub(crate) fn at(&self, second: u64) -> Self {
        Self { date: Some(format!("@{second} +0000")), ..self.clone() }
    }

    /// What it printed; anything but success is an error in git's words.
    pub(crate) fn run(&self, args: &[&str]) -> Result<Vec<u8>, CheckpointError> {
        self.feed(args, b"")
    }

    pub(crate) fn feed(&self, args: &[&str], input: &[u8]) -> Result<Vec<u8>, CheckpointError> {
        let finished = self.tell(args, input)?;
        if finished.status.success() { Ok(finished.output) } else { Err(finished.refused(args)) }
    }

    /// One line: the name of an object.
    pub(crate) fn hash(&self, args: &[&str], input: &[u8]) -> Result<String, CheckpointError> {
        let text = String::from_utf8_lossy(&self.feed(args, input)?).trim_end().to_owned();
        let is_hash = (40..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let strange = || CheckpointError::Refused(format!("`git {}` named no object", args.join(" ")));
        if is_hash { Ok(text) } else { Err(strange()) }
    }

    /// One path, whatever bytes it has.
    pub(crate) fn path(&self, args: &[&str]) -> Result<PathBuf, CheckpointError> {
        let mut bytes = self.run(args)?;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        Ok(PathBuf::from(OsString::from_vec(bytes)))
    }

    /// However it ends.
    pub(crate) fn tell(&self, args: &[&str], input: &[u8]) -> Result<Finished, CheckpointError> {
        let name = || args.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        let mut child = self.command(args, !input.is_empty()).spawn().map_err(|error| {
            if error.kind() == io::ErrorKind::NotFound && self.folder.is_dir() {
                CheckpointError::NoGit
            } else {
                CheckpointError::io(format!("git could not be started in {}", self.folder.display()), error)
            }
        })?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (ended, output, complaint) = thread::scope(|scope| {
            // A git that reads no further ends with its own complaint.
            scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(input)));
            let output = scope.spawn(move || read(stdout, MAX_OUTPUT + 1, false));
            let complaint = scope.spawn(move || read(stderr, MAX_COMPLAINT, true));
            let ended = wait(&mut child, self.until);
            let joined = "a reader of a pipe does not panic";
            (ended, output.join().expect(joined), complaint.join().expect(joined))
        });
        let status = ended.map_err(|error| CheckpointError::io(format!("git {}", name()), error))?;
        if output.len() as u64 > MAX_OUTPUT {
            return Err(CheckpointError::TooMuch(name()));
        }
        if status.signal() == Some(Signal::KILL.as_raw()) && Instant::now() >= self.until {
            return Err(CheckpointError::Late(name()));
        }
        let complaint = String::from_utf8_lossy(&complaint).trim().to_owned();
        Ok(Finished { status, output, complaint })
    }

    fn command(&self, args: &[&str], has_input: bool) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            let leads = name.as_encoded_bytes().starts_with(b"GIT_");
            if leads && !KEPT_VARIABLES.iter().any(|kept| name == OsStr::new(kept)) {
                command.env_remove(name);
            }
        }
        command
            .current_dir(&self.folder)
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .envs([("GIT_AUTHOR_NAME", AUTHOR), ("GIT_COMMITTER_NAME", AUTHOR)])
            .envs([("GIT_AUTHOR_EMAIL", ADDRESS), ("GIT_COMMITTER_EMAIL", ADDRESS)])
            .args(["--no-pager", "--no-replace-objects", "--literal-pathspecs"])
            .stdin(if has_input { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        if let Some(date) = &self.date {
            command.env("GIT_AUTHOR_DATE", date).env("GIT_COMMITTER_DATE", date);
        }
        if let Some(index) = &self.index {
            // Ours is a file of its own, whatever the person's is made of.
            command.env("GIT_INDEX_FILE", index).args(["-c", "core.splitIndex=false"]);
        }
        if let Some(git_dir) = &self.found {
            command.arg("--git-dir").arg(git_dir).arg("--work-tree").arg(&self.folder);
        }
        command.args(args);
        command
    }
}

impl Finished {
    pub(crate) fn refused(&self, args: &[&str]) -> CheckpointError {
        let said = if self.complaint.is_empty() { self.status.to_string() } else { self.complaint.clone() };
        CheckpointError::Refused(format!("`git {}`: {said}", args.first().unwrap_or(&"")))
    }
}

/// Looks without reaping, so that the group is killed while its number is still its own: whoever git has left
/// behind holds our pipes open.
fn wait(child: &mut Child, until: Instant) -> io::Result<ExitStatus> {
    let group = Pid::from_child(child);
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let looked = loop {
        match waitid(WaitId::Pid(group), options) {
            Ok(None) | Err(Errno::INTR) if Instant::now() < until => thread::sleep(LOOK),
            Ok(_) | Err(Errno::INTR) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    // Fails only when nobody is left, which is what is wanted.
    let _ = kill_process_group(group, Signal::KILL);
    let status = child.wait()?;
    looked?;
    Ok(status)
}

/// What is past the bound is dropped, or refused by closing the pipe. A pipe that breaks has said what it had to.
fn read(pipe: Option<impl Read>, most: u64, drains: bool) -> Vec<u8> {
    let mut kept = Vec::new();
    let Some(pipe) = pipe else { return kept };
    let mut bounded = pipe.take(most);
    let _ = bounded.read_to_end(&mut kept);
    if drains {
        let _ = io::copy(&mut bounded.into_inner(), &mut io::sink());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_git_that_hangs_is_ended_with_everybody_it_has_started() {
        let git =
            Git { until: Instant::now() + Duration::from_millis(100), ..Git::in_folder(Path::new("/")) };
        let ended = git.run(&["-c", "alias.hang=!sleep 600 & sleep 600", "hang"]);
        assert!(matches!(ended, Err(CheckpointError::Late(_))), "{ended:?}");
    }

    #[test]
    fn a_git_that_does_not_stop_talking_is_cut_off() {
        let ended = Git::in_folder(Path::new("/")).run(&["-c", "alias.talk=!cat /dev/zero", "talk"]);
        assert!(matches!(ended, Err(CheckpointError::TooMuch(_))), "{ended:?}");
    }

    #[test]
    fn what_it_complains_of_is_told_and_bounded() {
        let alias = "alias.complain=!head -c 100000 /dev/zero | tr '\\0' x >&2; exit 3";
        let Err(CheckpointError::Refused(said)) =
            Git::in_folder(Path::new("/")).run(&["-c", alias, "complain"])
        else {
            panic!("it ends with 3");
        };
        assert!(said.contains("xxx") && said.len() < MAX_COMPLAINT as usize + 100, "{}", said.len());
    }
}
