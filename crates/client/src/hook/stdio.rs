//! Stdin and stdout of a hook, with an end to every wait. No buffer of the standard library in between: what
//! the agent reads is what was written here.

use std::io::{stderr, stdin, stdout};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use model::Reply;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::call::timespec;

/// A read takes at least this much: most envelopes at once, larger ones pipe by pipe.
const READ: usize = 64 << 10;
/// A pipe that polls as writable takes this much without blocking.
const PIPE_PIECE: usize = 4096;
/// An agent that does not read a reply of at most a megabyte will not read it later either.
const PRINT_WAIT: Duration = Duration::from_secs(1);

/// Reads until the end or until the document is whole by its brackets, and not past `end`: then the agent must be answered.
/// What lies beyond the most that is kept is read and dropped, so that the agent's write does not fail.
pub(super) fn read(end: Instant) -> Vec<u8> {
    let stdin = stdin();
    let stdin = stdin.as_fd();
    // Reserved, not touched: an envelope costs the pages it fills and no more.
    let mut body = Vec::with_capacity(READ);
    let mut shape = wire::Shape::default();
    while Instant::now() < end && ready(stdin, PollFlags::IN, end) {
        body.reserve(READ);
        let before = body.len();
        match rustix::io::read(stdin, spare_capacity(&mut body)) {
            Ok(0) => return body,
            Ok(_) => {
                shape.read(&body[before..]);
                body.truncate(wire::MAX_BODY);
                if shape.is_whole() {
                    return body;
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return body,
        }
    }
    body
}

/// Writes what the reply says. Whoever closed the other end does not want it, and that is not our trouble.
pub(super) fn print(reply: &Reply) {
    let end = Instant::now() + PRINT_WAIT;
    write(stdout().as_fd(), &reply.stdout, end);
    write(stderr().as_fd(), &reply.stderr, end);
}

fn write(to: BorrowedFd, mut bytes: &[u8], end: Instant) {
    while !bytes.is_empty() && ready(to, PollFlags::OUT, end) {
        match rustix::io::write(to, &bytes[..bytes.len().min(PIPE_PIECE)]) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => return,
        }
    }
}

/// Also true when the other end is gone or the descriptor is closed: the call that follows finds out.
fn ready(fd: BorrowedFd, what: PollFlags, end: Instant) -> bool {
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match poll(&mut [PollFd::from_borrowed_fd(fd, what)], Some(&timespec(left))) {
            Ok(0) => return false,
            Err(Errno::INTR) => {}
            _ => return true,
        }
    }
}
