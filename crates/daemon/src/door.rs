//! The Unix-socket door hooks knock on. A small pool of blocking threads accepts, reads one frame, has it
//! answered and writes the reply: no hop between threads on the way of an envelope. Knows frames, not what
//! is in them.

use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use model::{Context, EventId, EventKind, Reply};
use wire::{HeaderError, Kind, REQUEST_HEADER, ReplyHeader, RequestHeader, Status};

use crate::metrics::{Counters, count};

/// Threads that wait for a knock when nothing happens.
const IDLE: usize = 4;
/// Connections served at once; further ones wait in the kernel's backlog.
const MAX_THREADS: usize = 128;
/// A client that has connected sends at once. One that does not is broken, and loses its thread's patience.
const READ_PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of large envelopes in memory at once, over all connections.
const MAX_IN_FLIGHT: usize = 256 << 20;
/// What counts as large.
const LARGE: usize = 1 << 20;
/// Out of file descriptors or memory: wait for some to come back instead of spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);
const STACK: usize = 512 << 10;

/// One frame from a client of our own uid.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) kind: Kind,
    pub(crate) id: EventId,
    pub(crate) agent: String,
    pub(crate) event: String,
    pub(crate) context: Context,
    pub(crate) body: Vec<u8>,
    pub(crate) wait: Duration,
    pub(crate) client_version: u32,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: Status,
    pub(crate) reply: Reply,
    /// What was answered, where it was an event.
    pub(crate) heard: Option<EventKind>,
}

impl Answer {
    pub(crate) fn kept(reply: Reply) -> Self {
        Self { status: Status::Kept, reply, heard: None }
    }
}

/// Tells whoever waits that the envelope is kept, and that the answer takes so long from here.
pub(crate) type Longer<'a> = &'a dyn Fn(Duration);

pub(crate) trait Answerer: Send + Sync {
    fn answer(&self, request: Request, longer: Longer<'_>) -> Answer;

    /// The reply to an event is on its way; its frame was read then.
    fn replied(&self, heard: EventKind, read: Instant);

    /// A client of a later release has called, whose frames we may not even be able to read.
    fn meet_newer(&self);
}

pub(crate) struct Door {
    listener: UnixListener,
    answerer: Arc<dyn Answerer>,
    counters: Arc<Counters>,
    closing: AtomicBool,
    idle: AtomicUsize,
    threads: AtomicUsize,
    in_flight: (Mutex<usize>, Condvar),
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Door").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Door {
    /// Takes a bound listener, so that connections wait in its backlog until somebody serves them.
    pub(crate) fn open(
        listener: UnixListener,
        answerer: Arc<dyn Answerer>,
        counters: Arc<Counters>,
    ) -> io::Result<Arc<Self>> {
        let door = Arc::new(Self {
            listener,
            answerer,
            counters,
            closing: AtomicBool::new(false),
            idle: AtomicUsize::new(0),
            threads: AtomicUsize::new(0),
            in_flight: (Mutex::new(0), Condvar::new()),
        });
        for _ in 0..IDLE {
            door.hire()?;
        }
        Ok(door)
    }

    /// Lets nobody in any more, answers whoever is inside or waits in the backlog, and returns when all are
    /// gone or the patience is at its end. Who knocks later finds no daemon, and spools.
    pub(crate) fn close(&self, patience: Duration) {
        self.closing.store(true, Ordering::SeqCst);
        // Wakes every thread that waits in `accept`; connections made before are still handed out.
        let _ = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Read);
        let until = Instant::now() + patience;
        while self.threads.load(Ordering::SeqCst) > 0 && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn hire(self: &Arc<Self>) -> io::Result<()> {
        if self.threads.fetch_add(1, Ordering::SeqCst) >= MAX_THREADS {
            self.threads.fetch_sub(1, Ordering::SeqCst);
            return Ok(());
        }
        let door = Arc::clone(self);
        let hired = thread::Builder::new().name("door".into()).stack_size(STACK).spawn(move || {
            door.work();
            door.threads.fetch_sub(1, Ordering::SeqCst);
        });
        if let Err(error) = hired {
            self.threads.fetch_sub(1, Ordering::SeqCst);
            return Err(error);
        }
        Ok(())
    }

    fn work(self: &Arc<Self>) {
        loop {
            self.idle.fetch_add(1, Ordering::SeqCst);
            let accepted = self.listener.accept();
            let waiting = self.idle.fetch_sub(1, Ordering::SeqCst) - 1;
            match accepted {
                Ok((stream, _)) => {
                    if waiting == 0 {
                        // Without a further thread the next knock waits for this one; nothing is lost.
                        let _ = self.hire();
                    }
                    count(&self.counters.connections);
                    // A client that went away has spooled or will; there is nobody to tell.
                    let _ = self.serve(&stream);
                }
                Err(_) if self.closing.load(Ordering::SeqCst) => return,
                Err(_) => thread::sleep(ACCEPT_PAUSE),
            }
            if self.idle.load(Ordering::SeqCst) >= IDLE {
                return;
            }
        }
    }

    fn serve(&self, mut stream: &UnixStream) -> io::Result<()> {
        stream.set_read_timeout(Some(READ_PATIENCE))?;
        stream.set_write_timeout(Some(READ_PATIENCE))?;
        if !is_own_user(stream) {
            count(&self.counters.refused_peers);
            return Ok(());
        }
        let mut header = [0; REQUEST_HEADER];
        stream.read_exact(&mut header)?;
        let header = match RequestHeader::decode(&header) {
            Ok(header) => header,
            Err(error) => {
                count(&self.counters.malformed_frames);
                let status = match error {
                    HeaderError::OtherVersion(_) => Status::OtherVersion,
                    HeaderError::NotOurs | HeaderError::TooLarge => Status::Malformed,
                };
                send(stream, &Answer { status, reply: Reply::silent(), heard: None })?;
                if matches!(error, HeaderError::OtherVersion(theirs) if theirs > wire::PROTOCOL) {
                    self.answerer.meet_newer();
                }
                return Ok(());
            }
        };
        let _held = self.hold(header.rest_len());
        let mut rest = vec![0; header.rest_len()];
        stream.read_exact(&mut rest)?;
        let read = Instant::now();
        let answer = self.answerer.answer(request(&header, rest), &|wait| {
            // A client that went away misses the answer, and nothing else.
            let _ = send_longer(stream, wait);
        });
        send(stream, &answer)?;
        if let Some(heard) = answer.heard {
            self.answerer.replied(heard, read);
        }
        Ok(())
    }

    /// Waits until a large envelope fits into memory; small ones pass.
    fn hold(&self, bytes: usize) -> Option<Held<'_>> {
        if bytes < LARGE {
            return None;
        }
        let (lock, freed) = &self.in_flight;
        let mut used = lock.lock().unwrap_or_else(PoisonError::into_inner);
        while *used + bytes > MAX_IN_FLIGHT {
            used = freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        *used += bytes;
        Some(Held { door: self, bytes })
    }
}

struct Held<'a> {
    door: &'a Door,
    bytes: usize,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let (lock, freed) = &self.door.in_flight;
        *lock.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        freed.notify_all();
    }
}

fn request(header: &RequestHeader, mut rest: Vec<u8>) -> Request {
    let agent_end = header.agent_len as usize;
    let event_end = agent_end + header.event_len as usize;
    let context_end = event_end + header.context_len as usize;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let agent = text(&rest[..agent_end]);
    let event = text(&rest[agent_end..event_end]);
    let context = read_context(&rest[event_end..context_end]);
    let body = if context_end == 0 { rest } else { rest.split_off(context_end) };
    Request {
        kind: header.kind,
        id: EventId::from_bytes(header.id),
        agent,
        event,
        context,
        body,
        wait: Duration::from_millis(u64::from(header.wait_ms)),
        client_version: header.client_version,
    }
}

/// Only the keys we ask clients for: the rest of a stranger's list is not ours to keep.
fn read_context(bytes: &[u8]) -> Context {
    bytes
        .split(|byte| *byte == 0)
        .filter_map(|pair| std::str::from_utf8(pair).ok()?.split_once('='))
        .filter(|(key, _)| wire::CONTEXT_KEYS.contains(key))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

fn send_longer(mut stream: &UnixStream, wait: Duration) -> io::Result<()> {
    let header = ReplyHeader {
        status: Status::Longer,
        exit: 0,
        stdout_len: wait.as_millis().min(wire::MOST_LONGER_MS.into()) as u32,
        stderr_len: 0,
    };
    stream.write_all(&header.encode())
}

fn send(mut stream: &UnixStream, answer: &Answer) -> io::Result<()> {
    let Reply { exit, stdout, stderr } = &answer.reply;
    let header = ReplyHeader {
        status: answer.status,
        exit: *exit,
        stdout_len: stdout.len() as u32,
        stderr_len: stderr.len() as u32,
    };
    let mut frame = Vec::with_capacity(wire::REPLY_HEADER + stdout.len() + stderr.len());
    frame.extend_from_slice(&header.encode());
    frame.extend_from_slice(stdout);
    frame.extend_from_slice(stderr);
    stream.write_all(&frame)
}

/// The folder is 0700 and the socket 0600; this holds even where somebody loosened them.
#[cfg(target_os = "linux")]
fn is_own_user(stream: &UnixStream) -> bool {
    rustix::net::sockopt::socket_peercred(stream).is_ok_and(|peer| peer.uid == rustix::process::geteuid())
}

#[cfg(not(target_os = "linux"))]
fn is_own_user(_stream: &UnixStream) -> bool {
    true
}
