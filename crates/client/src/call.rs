//! One question to the daemon and its answer, before a moment in time. Never waits longer, never tries twice;
//! what to do about trouble is the caller's business.

use std::io::{self, IoSlice};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use model::{EventId, Reply};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendFlags, SocketFlags, SocketType, connect, recv, sendmsg,
    socket_with,
};
use wire::{HeaderError, Kind, REPLY_HEADER, ReplyHeader, RequestHeader, Status};

use crate::Place;

/// One variant per reaction. Every one of them means for a hook: spool it.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// Nobody listens: start a daemon.
    #[error("no daemon listens at the socket")]
    Absent,
    /// Something is at the socket's path that we may not or cannot talk to.
    #[error("the socket cannot be used: {0}")]
    Refused(io::Error),
    /// It may be at work, stopped or hung: leave it alone.
    #[error("the daemon did not answer in time")]
    Late,
    /// An older daemon is replaced, a newer one is right.
    #[error("the daemon answers with protocol {0}, this client speaks {ours}", ours = wire::PROTOCOL)]
    OtherVersion(u8),
    /// The daemon could not make it durable.
    #[error("the daemon could not keep the envelope")]
    NotKept,
    /// One side does not understand the other; a retry would not help.
    #[error("the daemon's answer makes no sense")]
    Malformed,
    /// The daemon went away in the middle.
    #[error("the connection broke: {0}")]
    Broken(io::Error),
}

/// What follows the header of a request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub kind: Kind,
    pub id: EventId,
    pub agent: &'a str,
    pub event: &'a str,
    /// As `context::encode` made it.
    pub context: &'a [u8],
    pub body: &'a [u8],
}

/// Sends one envelope and waits for its reply until `deadline`.
pub fn call(place: &Place, request: &Request, deadline: Instant) -> Result<Reply, Trouble> {
    let socket = open(&place.socket(), deadline)?;
    send(&socket, request, deadline)?;
    receive(&socket, deadline)
}

/// Asks the daemon a question of ours, as JSON; its answer is JSON, too.
pub fn ask(place: &Place, json: &[u8], deadline: Instant) -> Result<Vec<u8>, Trouble> {
    let id = crate::mint();
    let request = Request { kind: Kind::Control, id, agent: "", event: "", context: b"", body: json };
    Ok(call(place, &request, deadline)?.stdout)
}

/// Whether somebody accepts connections at the socket. Says nothing about whether they answer.
pub fn is_listening(place: &Place, deadline: Instant) -> bool {
    !matches!(open(&place.socket(), deadline), Err(Trouble::Absent))
}

fn open(path: &Path, deadline: Instant) -> Result<OwnedFd, Trouble> {
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
        .map_err(|error| Trouble::Refused(error.into()))?;
    // A connect to a full backlog waits; this timeout is the only thing that ends the wait.
    let left = remaining(deadline)?;
    set_socket_timeout(&socket, Timeout::Send, Some(left)).map_err(|error| Trouble::Refused(error.into()))?;
    let connected = crate::socket_address(path, |address| connect(&socket, address))
        .map_err(|error| absent_or(error, Trouble::Refused))?;
    match connected {
        Ok(()) => {}
        Err(Errno::AGAIN | Errno::TIMEDOUT | Errno::INPROGRESS) => return Err(Trouble::Late),
        Err(error) => return Err(absent_or(error.into(), Trouble::Refused)),
    }
    rustix::io::ioctl_fionbio(&socket, true).map_err(|error| Trouble::Broken(error.into()))?;
    Ok(socket)
}

fn send(socket: &OwnedFd, request: &Request, deadline: Instant) -> Result<(), Trouble> {
    let left = remaining(deadline)?;
    let (agent, event) = (name(request.agent), name(request.event));
    let context = if request.context.len() > wire::MAX_CONTEXT { b"" } else { request.context };
    let body = &request.body[..request.body.len().min(wire::MAX_BODY)];
    let header = RequestHeader {
        kind: request.kind,
        agent_len: agent.len() as u8,
        event_len: event.len() as u8,
        context_len: context.len() as u32,
        body_len: body.len() as u32,
        wait_ms: left.as_millis() as u32,
        client_version: crate::VERSION,
        id: *request.id.as_bytes(),
    }
    .encode();
    let mut parts = [&header[..], agent, event, context, body].map(IoSlice::new);
    let mut parts = &mut parts[..];
    IoSlice::advance_slices(&mut parts, 0);
    while !parts.is_empty() {
        match sendmsg(socket, parts, &mut SendAncillaryBuffer::default(), no_signal()) {
            Ok(sent) => IoSlice::advance_slices(&mut parts, sent),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait(socket, PollFlags::OUT, deadline)?,
            // A daemon that refuses early has already answered: its reply says why.
            Err(Errno::PIPE | Errno::CONNRESET) => return Ok(()),
            Err(error) => return Err(Trouble::Broken(error.into())),
        }
    }
    Ok(())
}

fn receive(socket: &OwnedFd, deadline: Instant) -> Result<Reply, Trouble> {
    let header = receive_header(socket, deadline)?;
    if header.status != Status::Longer {
        return receive_rest(socket, header, deadline);
    }
    // It is kept: what is late or broken from here on is silence.
    let longer = Instant::now() + Duration::from_millis(header.stdout_len.min(wire::MOST_LONGER_MS).into());
    let answer = receive_header(socket, longer).and_then(|header| receive_rest(socket, header, longer));
    Ok(answer.unwrap_or_else(|_| Reply::silent()))
}

fn receive_header(socket: &OwnedFd, deadline: Instant) -> Result<ReplyHeader, Trouble> {
    let mut header = [0; REPLY_HEADER];
    fill(socket, &mut header, deadline)?;
    ReplyHeader::decode(&header).map_err(|error| match error {
        HeaderError::OtherVersion(version) => Trouble::OtherVersion(version),
        HeaderError::NotOurs | HeaderError::TooLarge => Trouble::Malformed,
    })
}

fn receive_rest(socket: &OwnedFd, header: ReplyHeader, deadline: Instant) -> Result<Reply, Trouble> {
    match header.status {
        Status::Kept => {}
        Status::NotKept => return Err(Trouble::NotKept),
        Status::OtherVersion => return Err(Trouble::OtherVersion(wire::PROTOCOL)),
        // To be asked to wait once is enough.
        Status::Malformed | Status::Longer => return Err(Trouble::Malformed),
    }
    let mut stdout = vec![0; header.stdout_len as usize];
    fill(socket, &mut stdout, deadline)?;
    let mut stderr = vec![0; header.stderr_len as usize];
    fill(socket, &mut stderr, deadline)?;
    Ok(Reply { exit: header.exit, stdout, stderr })
}

fn fill(socket: &OwnedFd, into: &mut [u8], deadline: Instant) -> Result<(), Trouble> {
    let mut filled = 0;
    while filled < into.len() {
        match recv(socket, &mut into[filled..], rustix::net::RecvFlags::empty()) {
            Ok((_, 0)) => return Err(Trouble::Broken(io::ErrorKind::UnexpectedEof.into())),
            Ok((_, received)) => filled += received,
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait(socket, PollFlags::IN, deadline)?,
            Err(error) => return Err(Trouble::Broken(error.into())),
        }
        // A peer that drips is late, too, although every single wait is short.
        remaining(deadline)?;
    }
    Ok(())
}

fn wait(socket: &OwnedFd, what: PollFlags, deadline: Instant) -> Result<(), Trouble> {
    let left = remaining(deadline)?;
    match poll(&mut [PollFd::new(socket, what)], Some(&timespec(left))) {
        Ok(0) => Err(Trouble::Late),
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(Trouble::Broken(error.into())),
    }
}

fn remaining(deadline: Instant) -> Result<Duration, Trouble> {
    let left = deadline.saturating_duration_since(Instant::now());
    // Below a millisecond the wait on the wire would read as 0, "does not wait".
    if left < Duration::from_millis(1) { Err(Trouble::Late) } else { Ok(left) }
}

pub(crate) fn timespec(left: Duration) -> Timespec {
    Timespec { tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: left.subsec_nanos().into() }
}

fn absent_or(error: io::Error, other: fn(io::Error) -> Trouble) -> Trouble {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused | io::ErrorKind::NotADirectory => {
            Trouble::Absent
        }
        _ => other(error),
    }
}

fn name(text: &str) -> &[u8] {
    if text.len() > wire::MAX_NAME { b"" } else { text.as_bytes() }
}

#[cfg(target_os = "linux")]
fn no_signal() -> SendFlags {
    SendFlags::NOSIGNAL
}

/// Rust's own start-up ignores the signal; where the flag does not exist that is enough.
#[cfg(not(target_os = "linux"))]
fn no_signal() -> SendFlags {
    SendFlags::empty()
}
