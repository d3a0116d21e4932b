//! A throw-away home with the real daemon in it. The daemon ends with the value.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use super::exchange;

/// Far more than any start takes; a daemon that needs it is broken.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(crate) struct House {
    // Before the folder, so that the daemon is gone when the folder goes.
    daemon: Daemon,
    home: TempDir,
}

#[derive(Debug)]
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended by itself; the folder it wrote into goes with us either way.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl House {
    /// A daemon in a new home, and the time from its start to the first envelope it kept.
    pub(crate) fn start(throughline: &Path, first: &[u8]) -> Result<(Self, Duration)> {
        Self::start_with(throughline, first, &[])
    }

    /// The same, with more in its environment.
    pub(crate) fn start_with(
        throughline: &Path,
        first: &[u8],
        environment: &[(&'static str, OsString)],
    ) -> Result<(Self, Duration)> {
        let home = TempDir::with_prefix("throughline-bench-")?;
        let mut command = Command::new(throughline);
        command.args(["daemon", "run"]).env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin");
        command.envs(environment.iter().cloned());
        command.env("THROUGHLINE_HOME", home.path()).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let start = Instant::now();
        let mut daemon = Daemon(command.spawn().context("cannot start the daemon")?);
        let socket = exchange::socket_in(home.path());
        loop {
            if exchange::exchange(&socket, first).is_ok() {
                let took = start.elapsed();
                return Ok((Self { daemon, home }, took));
            }
            if let Some(status) = daemon.0.try_wait()? {
                bail!("the daemon ended with {status} before it answered");
            }
            ensure!(start.elapsed() < PATIENCE, "the daemon does not answer");
            // Finer than anything judged here.
            thread::sleep(Duration::from_micros(100));
        }
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.daemon.0.id()
    }

    /// How many events of a session the daemon can show, once it has caught up.
    pub(crate) fn kept(&self, throughline: &Path, session: &str, wanted: usize) -> Result<usize> {
        let start = Instant::now();
        loop {
            let mut command = Command::new(throughline);
            command.args(["events", "--json", "--session", session]).env_clear().env("HOME", self.home());
            command.env("THROUGHLINE_HOME", self.home()).env("PATH", "/usr/bin:/bin");
            let lines = crate::run::read(&mut command)?.lines().count();
            if lines >= wanted || start.elapsed() > PATIENCE {
                return Ok(lines);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}
