//! Starts the daemon, detached. Does not wait for it and does not know whether it came up: its own lock decides
//! which of several stays.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};

use crate::Place;
use crate::place::FILE_MODE;

/// A daemon is ready in tens of milliseconds; one that could not start will not do so a moment later either.
const START_INTERVAL: Duration = Duration::from_secs(1);

/// Credentials and the name of the session that happened to start it are nothing for a process that outlives it.
const NOT_FOR_THE_DAEMON: [&str; 3] =
    ["CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_SESSION_ID"];

/// Runs `executable daemon run` with our environment. `false`: somebody else did so within the last second.
pub fn start_daemon(place: &Place, executable: &Path) -> io::Result<bool> {
    crate::place::make_folder(&place.run())?;
    let starting =
        OpenOptions::new().write(true).create(true).truncate(false).mode(FILE_MODE).open(place.starting())?;
    if flock(&starting, FlockOperation::NonBlockingLockExclusive).is_err() || was_touched_lately(&starting)? {
        return Ok(false);
    }
    // Written before the start: a start that fails is not repeated by every hook either.
    // In place: a full disk has no room for it a second time.
    starting.write_all_at(b"1", 0)?;
    let mut command = Command::new(executable);
    command.args(["daemon", "run"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    for variable in NOT_FOR_THE_DAEMON {
        command.env_remove(variable);
    }
    // What a burst of work took is given back: glibc keeps an arena per thread and hands little of it back by itself.
    command.env("MALLOC_ARENA_MAX", "2").env("MALLOC_TRIM_THRESHOLD_", "262144");
    // Its own group: a signal to the agent's group is not for it. Its own folder: it must hold none busy.
    command.process_group(0).current_dir("/").spawn()?;
    Ok(true)
}

/// An empty file was made by ourselves just now. A time in the future (the clock went back) says nothing.
fn was_touched_lately(starting: &File) -> io::Result<bool> {
    let found = starting.metadata()?;
    let age = SystemTime::now().duration_since(found.modified()?);
    Ok(found.len() > 0 && age.is_ok_and(|age| age < START_INTERVAL))
}
