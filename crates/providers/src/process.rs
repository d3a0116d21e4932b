//! Runs one child to its end: its own process group, bounded output, a deadline, and nobody left behind.
//! However this is left, the whole group is killed and the child is reaped. Only our own violent death it outlives,
//! by as long as it takes to find that nobody reads its answer.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How long a child's end may go unnoticed while a grandchild holds its pipes open.
const TICK: Duration = Duration::from_millis(50);
/// A child closes its pipes a moment before its end can be seen.
const CLOSED_TICK: Duration = Duration::from_millis(1);
/// A piece on the stack; a pipe holds four of them.
const PIECE: usize = 16 * 1024;

#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub output: Vec<u8>,
    /// The first bytes of what it complained about.
    pub complaint: Vec<u8>,
}

#[derive(Debug)]
pub enum Unfinished {
    NotStarted(io::Error),
    Late,
    CalledOff,
    TooMuch,
    Broken(io::Error),
}

#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// More than this on its standard output ends it.
    pub output: usize,
    /// More than this on its standard error is read and dropped.
    pub complaint: usize,
    pub until: Instant,
}

/// `is_called_off` is asked at every turn.
pub fn run(
    mut command: Command,
    input: &[u8],
    bounds: Bounds,
    is_called_off: impl Fn() -> bool,
) -> Result<Finished, Unfinished> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.process_group(0).spawn().map_err(Unfinished::NotStarted)?;
    // From here on leaving, also by a panic, ends the group.
    let mut group = Group { child, status: None };
    let mut talk = Talk::new(&mut group.child, input).map_err(Unfinished::Broken)?;
    loop {
        // Asked before the pipes are emptied: what it wrote before its end is then read for certain.
        let has_ended = group.has_ended().map_err(Unfinished::Broken)?;
        talk.go_on(bounds).map_err(Unfinished::Broken)?;
        if talk.output.len() > bounds.output {
            return Err(Unfinished::TooMuch);
        }
        if has_ended {
            break;
        }
        let left = bounds.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Unfinished::Late);
        }
        if is_called_off() {
            return Err(Unfinished::CalledOff);
        }
        talk.wait(left.min(TICK)).map_err(Unfinished::Broken)?;
    }
    let status = group.end().map_err(Unfinished::Broken)?;
    Ok(Finished { status, output: talk.output, complaint: talk.complaint })
}

/// A child that leads a process group.
struct Group {
    child: Child,
    status: Option<ExitStatus>,
}

impl Group {
    /// Looks without reaping: until it is reaped its number cannot become somebody else's.
    fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(Pid::from_child(&self.child)), options) {
            Ok(status) => Ok(status.is_some()),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Kills what is left of the group (a child's children, when it has ended itself), then reaps.
    fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        // Fails only when nobody is left, which is what is wanted.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// The three pipes, none of which may block: a child that reads nothing while it writes much must not hold us.
struct Talk<'a> {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    input: &'a [u8],
    output: Vec<u8>,
    complaint: Vec<u8>,
}

impl<'a> Talk<'a> {
    fn new(child: &mut Child, input: &'a [u8]) -> io::Result<Talk<'a>> {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let pipes = [
            stdin.as_ref().map(AsFd::as_fd),
            stdout.as_ref().map(AsFd::as_fd),
            stderr.as_ref().map(AsFd::as_fd),
        ];
        for pipe in pipes.into_iter().flatten() {
            ioctl_fionbio(pipe, true)?;
        }
        Ok(Talk { stdin, stdout, stderr, input, output: Vec::new(), complaint: Vec::new() })
    }

    /// Writes and reads what can be without waiting.
    fn go_on(&mut self, bounds: Bounds) -> io::Result<()> {
        if let Some(pipe) = &mut self.stdin {
            let is_open = write_some(pipe, &mut self.input)?;
            if !is_open || self.input.is_empty() {
                self.stdin = None;
            }
        }
        if let Some(pipe) = &mut self.stdout
            && !read_some(pipe, &mut self.output, bounds.output + 1)?
        {
            self.stdout = None;
        }
        if let Some(pipe) = &mut self.stderr
            && !read_some(pipe, &mut self.complaint, bounds.complaint)?
        {
            self.stderr = None;
        }
        Ok(())
    }

    /// Until a pipe can go on, at most `longest`.
    fn wait(&self, longest: Duration) -> io::Result<()> {
        let mut pipes = Vec::with_capacity(3);
        if let Some(pipe) = &self.stdin {
            pipes.push(PollFd::new(pipe, PollFlags::OUT));
        }
        if let Some(pipe) = &self.stdout {
            pipes.push(PollFd::new(pipe, PollFlags::IN));
        }
        if let Some(pipe) = &self.stderr {
            pipes.push(PollFd::new(pipe, PollFlags::IN));
        }
        let longest = if pipes.is_empty() { longest.min(CLOSED_TICK) } else { longest };
        let longest = Timespec { tv_sec: longest.as_secs() as _, tv_nsec: longest.subsec_nanos().into() };
        match poll(&mut pipes, Some(&longest)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// `false`: the other side reads no more. That is its right; its end says what it made of it.
fn write_some(pipe: &mut impl Write, input: &mut &[u8]) -> io::Result<bool> {
    while !input.is_empty() {
        match pipe.write(input) {
            Ok(0) => return Ok(false),
            Ok(written) => *input = &input[written..],
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock => return Ok(true),
                ErrorKind::Interrupted => {}
                ErrorKind::BrokenPipe => return Ok(false),
                _ => return Err(error),
            },
        }
    }
    Ok(true)
}

/// `false`: everything was said. Keeps at most `keep` bytes, and one turn reads at most a piece past that, so that
/// a child that never stops talking cannot keep us from the clock.
fn read_some(pipe: &mut impl Read, kept: &mut Vec<u8>, keep: usize) -> io::Result<bool> {
    let mut piece = [0; PIECE];
    loop {
        match pipe.read(&mut piece) {
            Ok(0) => return Ok(false),
            Ok(read) => {
                let room = keep.saturating_sub(kept.len());
                kept.extend_from_slice(&piece[..read.min(room)]);
                if read > room {
                    return Ok(true);
                }
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock => return Ok(true),
                ErrorKind::Interrupted => {}
                _ => return Err(error),
            },
        }
    }
}
