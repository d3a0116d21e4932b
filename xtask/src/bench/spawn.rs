//! Starts a program the way an agent does, with the envelope waiting in a pipe, and says what it cost. The standard
//! library starts it with `posix_spawn`, so our own size does not count.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};

/// What the kernel gives a pipe unasked.
const PIPE: usize = 64 << 10;

#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(&'static str, OsString)>,
    pub(crate) stdin: Arc<[u8]>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

impl Program {
    pub(crate) fn new(path: &Path, arguments: &[&str], stdin: &[u8]) -> Self {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Self { path: path.to_path_buf(), arguments, environment: Vec::new(), stdin: stdin.into() }
    }

    pub(crate) fn at_home(mut self, home: &Path) -> Self {
        self.environment =
            vec![("HOME", home.into()), ("THROUGHLINE_HOME", home.into()), ("PATH", "/usr/bin:/bin".into())];
        self
    }

    /// With another path than the system's: programs are looked for on the session's own.
    pub(crate) fn with_path(mut self, path: &OsStr) -> Self {
        self.environment.retain(|(name, _)| *name != "PATH");
        self.environment.push(("PATH", path.into()));
        self
    }

    /// One start. The CPU time is that of all children since the last look, so nothing else may be started meanwhile.
    pub(crate) fn run(&self) -> Result<Cost> {
        let command = self.prepare()?;
        let before = children()?;
        let wall = start(command)?;
        Ok(Cost { wall, cpu: children()?.saturating_sub(before) })
    }

    /// One start, beside others; its wall time.
    pub(crate) fn wall(&self) -> Result<Duration> {
        start(self.prepare()?)
    }

    /// One start that is not measured; what it prints.
    pub(crate) fn read(&self) -> Result<String> {
        let mut command = self.prepare()?;
        command.stdout(Stdio::piped());
        crate::run::read(&mut command)
    }

    /// Many starts at one moment; the wall time of each.
    pub(crate) fn run_at_once(&self, many: usize) -> Result<Vec<Duration>> {
        let gate = Arc::new(Barrier::new(many));
        let mut threads = Vec::with_capacity(many);
        for _ in 0..many {
            let (gate, command) = (Arc::clone(&gate), self.prepare()?);
            threads.push(thread::spawn(move || {
                gate.wait();
                start(command)
            }));
        }
        threads.into_iter().map(|thread| thread.join().expect("a starter does not panic")).collect()
    }

    fn prepare(&self) -> Result<Command> {
        let (reader, mut writer) = std::io::pipe()?;
        if self.stdin.len() > PIPE {
            rustix::pipe::fcntl_setpipe_size(&writer, self.stdin.len().next_power_of_two())
                .context("cannot make a pipe that holds the envelope")?;
        }
        writer.write_all(&self.stdin)?;
        let mut command = Command::new(&self.path);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(key, value)| (key, value)));
        command.stdin(reader).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(command)
    }
}

fn start(mut command: Command) -> Result<Duration> {
    let start = Instant::now();
    let status = command.spawn()?.wait()?;
    let took = start.elapsed();
    ensure!(status.success(), "{} ended with {status}", command.get_program().display());
    Ok(took)
}

fn children() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = |time: nix::sys::time::TimeVal| (time.tv_sec() * 1_000_000 + time.tv_usec()) as u64;
    Ok(Duration::from_micros(micros(usage.user_time()) + micros(usage.system_time())))
}
