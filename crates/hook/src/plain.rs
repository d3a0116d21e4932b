//! The hook with the standard library, for every system the raw one is not made for. Threads stand in for the
//! waits the library has no deadline for; one that is still waiting at the end is left behind.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use wire::{HeaderError, Kind, REPLY_HEADER, ReplyHeader, RequestHeader, Status};

const DEFAULT_AGENT: &str = "claude-code";
/// What one read takes from stdin.
const CHUNK: usize = 64 << 10;
/// An agent that does not read a reply of at most a megabyte will not read it later either.
const PRINT_WAIT: Duration = Duration::from_secs(1);

pub(crate) fn main() -> ExitCode {
    let started = Instant::now();
    let call = Call::read(env::args_os().skip(1));
    let body = Arc::new(read_stdin(started, &call));
    match deliver(started, &call, &body) {
        Ok(reply) => ExitCode::from(print(reply)),
        Err(trouble) => {
            // If this fails, too, silence is all that is left.
            let _ = hand_over(&call, &body, &trouble);
            ExitCode::SUCCESS
        }
    }
}

struct Call {
    id: [u8; 16],
    agent: Vec<u8>,
    /// Empty if none was named.
    event: Vec<u8>,
    /// How long the agent waits, where that is less than what we install.
    timeout: Option<u32>,
}

impl Call {
    fn read(mut words: impl Iterator<Item = OsString>) -> Self {
        let mut call = Self { id: mint(), agent: DEFAULT_AGENT.into(), event: Vec::new(), timeout: None };
        while let Some(word) = words.next() {
            let word = word.into_vec();
            if word == b"--agent" {
                call.agent =
                    words.next().map(OsString::into_vec).filter(|name| is_name(name)).unwrap_or(call.agent);
            } else if word == b"--timeout" {
                call.timeout = words.next().and_then(|ms| ms.to_str()?.parse().ok());
            } else if is_name(&word) {
                call.event = word;
            }
        }
        call
    }
}

fn is_name(word: &[u8]) -> bool {
    !word.starts_with(b"-") && wire::is_namespace(word)
}

/// A `UUIDv7`, so that ids sort by the time they were minted.
fn mint() -> [u8; 16] {
    let mut id = [0; 16];
    // Without randomness (no such system is known) ids of one millisecond collide.
    let _ = File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut id));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
    id[..6].copy_from_slice(&now.to_be_bytes()[2..]);
    id[6] = id[6] & 0x0f | 0x70;
    id[8] = id[8] & 0x3f | 0x80;
    id
}

/// Reads until the end or until the document is whole by its brackets, and no longer than the agent can wait for an answer.
/// What lies beyond the most that is kept is read and dropped, so that the agent's write does not fail.
fn read_stdin(started: Instant, call: &Call) -> Vec<u8> {
    let (send, chunks) = sync_channel::<Vec<u8>>(1);
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        loop {
            let mut chunk = vec![0; CHUNK];
            match stdin.read(&mut chunk) {
                Ok(0) => return,
                Ok(read) => chunk.truncate(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            }
            if send.send(chunk).is_err() {
                return;
            }
        }
    });
    let end = started + millis(wire::stdin_ms(&call.agent, &call.event, call.timeout));
    let mut body = Vec::new();
    let mut shape = wire::Shape::default();
    while !shape.is_whole()
        && let left = end.saturating_duration_since(Instant::now())
        && !left.is_zero()
        && let Ok(chunk) = chunks.recv_timeout(left)
    {
        shape.read(&chunk);
        let room = wire::MAX_BODY - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    body
}

/// Why an envelope was not delivered, as far as the large executable needs to know.
enum Trouble {
    /// Nobody there, late, broken, refused: all the same from here.
    Any,
    OtherVersion(u8),
}

impl From<io::Error> for Trouble {
    fn from(_: io::Error) -> Self {
        Self::Any
    }
}

#[derive(Default)]
struct Reply {
    exit: u8,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// As `client::hook` does it: a test may give a build without optimization more time. Other builds know no such variable.
fn stretched(ms: u32) -> u32 {
    if !cfg!(debug_assertions) {
        return ms;
    }
    let times = env::var("THROUGHLINE_TEST_STRETCH").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    ms.saturating_mul(times).min(ms.max(wire::MOST_LONGER_MS))
}

fn deliver(started: Instant, call: &Call, body: &Arc<Vec<u8>>) -> Result<Reply, Trouble> {
    let end = (started + millis(stretched(wire::delivery_ms(&call.event, body))))
        .max(Instant::now() + millis(wire::LEAST_DELIVERY_MS));
    let run_folder = run_folder().ok_or(Trouble::Any)?;
    let left = end.saturating_duration_since(Instant::now());
    let context = context();
    let mut head = RequestHeader {
        kind: Kind::Envelope,
        agent_len: call.agent.len() as u8,
        event_len: call.event.len() as u8,
        context_len: context.len() as u32,
        body_len: body.len() as u32,
        wait_ms: left.as_millis().max(1) as u32,
        client_version: crate::VERSION,
        id: call.id,
    }
    .encode()
    .to_vec();
    head.extend_from_slice(&call.agent);
    head.extend_from_slice(&call.event);
    head.extend_from_slice(&context);
    let body = Arc::clone(body);
    let (longer, told) = channel();
    let answer = apart(move || exchange(&run_folder, &head, &body, &longer));
    // Told to wait, or answered, which hangs up.
    match told.recv_timeout(left) {
        // It is kept: what is late or broken from here on is silence.
        Ok(more) => Ok(answer.recv_timeout(more).unwrap_or(Err(Trouble::Any)).unwrap_or_default()),
        Err(RecvTimeoutError::Disconnected) => answer.recv_timeout(left).unwrap_or(Err(Trouble::Any)),
        Err(RecvTimeoutError::Timeout) => Err(Trouble::Any),
    }
}

fn exchange(
    run_folder: &Path,
    head: &[u8],
    body: &[u8],
    longer: &Sender<Duration>,
) -> Result<Reply, Trouble> {
    let mut socket = connect(run_folder)?;
    // A daemon that refuses early has already answered: its reply says why.
    let _ = socket.write_all(head).and_then(|()| socket.write_all(body));
    let mut header = read_header(&mut socket)?;
    if header.status == Status::Longer {
        let _ = longer.send(millis(header.stdout_len.min(wire::MOST_LONGER_MS)));
        header = read_header(&mut socket)?;
    }
    if header.status != Status::Kept {
        return Err(Trouble::Any);
    }
    let mut stdout = vec![0; header.stdout_len as usize];
    socket.read_exact(&mut stdout)?;
    let mut stderr = vec![0; header.stderr_len as usize];
    socket.read_exact(&mut stderr)?;
    Ok(Reply { exit: header.exit, stdout, stderr })
}

fn read_header(socket: &mut UnixStream) -> Result<ReplyHeader, Trouble> {
    let mut header = [0; REPLY_HEADER];
    socket.read_exact(&mut header)?;
    match ReplyHeader::decode(&header) {
        Ok(header) => Ok(header),
        Err(HeaderError::OtherVersion(version)) => Err(Trouble::OtherVersion(version)),
        Err(_) => Err(Trouble::Any),
    }
}

fn connect(run_folder: &Path) -> io::Result<UnixStream> {
    match UnixStream::connect(run_folder.join(wire::SOCKET_NAME)) {
        // The path is too long for an address; the folder, opened, has a short name of its own.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            let folder = File::open(run_folder)?;
            let short = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
            UnixStream::connect(short.join(wire::SOCKET_NAME))
        }
        connected => connected,
    }
}

fn run_folder() -> Option<PathBuf> {
    let set = |key: &str| env::var_os(key).filter(|value| !value.is_empty());
    let home = match set("THROUGHLINE_HOME") {
        Some(home) => PathBuf::from(home),
        None => PathBuf::from(set("HOME")?).join(wire::HOME_FOLDER),
    };
    let namespace = set("THROUGHLINE_NAMESPACE")
        .filter(|name| wire::is_namespace(name.as_bytes()))
        .unwrap_or_else(|| wire::DEFAULT_NAMESPACE.into());
    // A relative folder would be another one for every hook.
    home.is_absolute().then(|| home.join(namespace).join("run"))
}

fn context() -> Vec<u8> {
    let mut context = Vec::new();
    for key in wire::CONTEXT_KEYS {
        let Some(value) = env::var_os(key) else { continue };
        let pair = key.len() + value.len() + 2;
        if pair <= wire::MAX_PAIR && context.len() + pair <= wire::MAX_CONTEXT {
            context.extend_from_slice(key.as_bytes());
            context.push(b'=');
            context.extend_from_slice(value.as_bytes());
            context.push(0);
        }
    }
    context
}

/// Whoever closed the other end does not want it, and that is not our trouble.
fn print(reply: Reply) -> u8 {
    // 0 is silence or advice, 2 a behavior's decision; no other code is any agent's business.
    let exit = if reply.exit == 2 { 2 } else { 0 };
    let printed = apart(move || {
        let _ = io::stdout().write_all(&reply.stdout).and_then(|()| io::stdout().flush());
        let _ = io::stderr().write_all(&reply.stderr);
    });
    let _ = printed.recv_timeout(PRINT_WAIT);
    exit
}

/// Runs `throughline hook --undelivered …` with the envelope as its stdin. It ends by itself in time.
fn hand_over(call: &Call, body: &[u8], trouble: &Trouble) -> io::Result<()> {
    let executable = env::current_exe()?.with_file_name("throughline");
    let mut command = Command::new(executable);
    command.args(["hook", "--undelivered", &format!("{:032x}", u128::from_be_bytes(call.id))]);
    command.arg("--agent").arg(OsString::from_vec(call.agent.clone()));
    if let Trouble::OtherVersion(version) = trouble {
        command.args(["--other-version", &version.to_string()]);
    }
    if !call.event.is_empty() {
        command.arg(OsString::from_vec(call.event.clone()));
    }
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A child that left early has kept what it could.
        let _ = stdin.write_all(body);
    }
    child.wait().map(drop)
}

fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (done, wait) = channel();
    thread::spawn(move || {
        // Nobody listens any more: then it was too late.
        let _ = done.send(work());
    });
    wait
}

fn millis(ms: u32) -> Duration {
    Duration::from_millis(ms.into())
}
