//! The conversation of a hook and the daemon, held in this process: what is left of a hook when the start of its
//! process is taken away, and a partner that answers at once.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use wire::{Kind, REPLY_HEADER, REQUEST_HEADER, ReplyHeader, RequestHeader, Status};

const AGENT: &[u8] = b"claude-code";
const EVENT: &[u8] = b"PostToolUse";

pub(crate) fn socket_in(home: &Path) -> PathBuf {
    home.join(wire::DEFAULT_NAMESPACE).join("run").join(wire::SOCKET_NAME)
}

/// Answers every envelope in `home` with "kept" and keeps nothing. Lives as long as this process.
pub(crate) fn serve_nothing(home: &Path) -> Result<()> {
    /// One is enough for hooks that come one by one; the second hides the first one's way back to accept.
    const THREADS: usize = 2;
    let socket = socket_in(home);
    fs::create_dir_all(socket.parent().context("a socket lies in a folder")?)?;
    let listener = UnixListener::bind(&socket)?;
    for _ in 0..THREADS {
        let listener = listener.try_clone()?;
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 20];
            for stream in listener.incoming().flatten() {
                // A client that went away is its own business.
                let _ = answer(stream, &mut buffer);
            }
        });
    }
    Ok(())
}

fn answer(mut stream: UnixStream, buffer: &mut [u8]) -> io::Result<()> {
    let mut have = stream.read(buffer)?;
    while have < REQUEST_HEADER {
        match stream.read(&mut buffer[have..])? {
            0 => return Ok(()),
            more => have += more,
        }
    }
    let header = buffer.first_chunk().map(RequestHeader::decode);
    let Some(Ok(header)) = header else { return Ok(()) };
    let whole = REQUEST_HEADER + header.rest_len();
    while have < whole {
        match stream.read(&mut buffer[have..])? {
            0 => return Ok(()),
            more => have += more,
        }
    }
    stream.write_all(&ReplyHeader { status: Status::Kept, exit: 0, stdout_len: 0, stderr_len: 0 }.encode())
}

/// Sends one envelope and reads the whole reply; what it took. The frame is laid out before the clock starts, as
/// in the hook's own buffer.
pub(crate) fn exchange(socket: &Path, body: &[u8]) -> Result<Duration> {
    exchange_of(EVENT, socket, body)
}

/// The same for another event.
pub(crate) fn exchange_of(event: &[u8], socket: &Path, body: &[u8]) -> Result<Duration> {
    let header = RequestHeader {
        kind: Kind::Envelope,
        agent_len: AGENT.len() as u8,
        event_len: event.len() as u8,
        context_len: 0,
        body_len: body.len() as u32,
        wait_ms: 5_000,
        client_version: wire::version_code(0, 1, 0),
        id: mint()?,
    };
    let frame = [&header.encode()[..], AGENT, event, body].concat();
    let start = Instant::now();
    let mut stream = UnixStream::connect(socket)?;
    stream.write_all(&frame)?;
    let mut reply = [0; REPLY_HEADER];
    stream.read_exact(&mut reply)?;
    let Ok(reply) = ReplyHeader::decode(&reply) else { bail!("the reply makes no sense") };
    let mut rest = vec![0; (reply.stdout_len + reply.stderr_len) as usize];
    stream.read_exact(&mut rest)?;
    let took = start.elapsed();
    ensure!(reply.status == Status::Kept, "not kept: {:?}", reply.status);
    Ok(took)
}

/// A `UUIDv7`, as clients mint them.
fn mint() -> Result<[u8; 16]> {
    let mut id = [0; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut id)?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis() as u64;
    id[..6].copy_from_slice(&now.to_be_bytes()[2..]);
    id[6] = (id[6] & 0x0f) | 0x70;
    id[8] = (id[8] & 0x3f) | 0x80;
    Ok(id)
}
