//! The hook in raw system calls: no libc, no allocation, nothing that can panic. Safe code throughout; the
//! kernel is behind `system`.
//!
//! The usual path is ten calls and a few looks at the clock: randomness, poll and read for stdin, then socket, connect,
//! send, poll and receive.

mod system;

use system::{Address, Errno, Fd, Piece, READABLE, Start, WRITABLE};
use wire::{HeaderError, Kind, REPLY_HEADER, ReplyHeader, RequestHeader, Status};

const STDIN: Fd = 0;
const STDOUT: Fd = 1;
const STDERR: Fd = 2;

const DEFAULT_AGENT: &[u8] = b"claude-code\0";
/// Nearly every envelope fits; a larger one moves into a mapping of `MAX_BODY`, once.
const FIRST_BODY: usize = 64 << 10;
/// How often a full backlog is tried again.
const BACKLOG_PAUSE_US: u64 = 1000;
/// An agent that does not read a reply of at most a megabyte will not read it later either.
const PRINT_WAIT_US: u64 = 1_000_000;
/// A pipe that polls as writable takes this much without blocking.
const PIPE_PIECE: usize = 4096;
/// As long as the kernel lets a path be.
const MAX_PATH: usize = 4096;
/// Header, agent, event, body, and one for each variable of the context.
const PIECES: usize = 4 + wire::CONTEXT_KEYS.len();
/// What is beyond `MAX_BODY` is read in pieces of this size, and dropped.
const BEYOND: usize = 512;
const OUR_FOLDER: &[u8] = b"/.throughline";

/// All memory there is. It costs nothing until it is touched.
#[repr(C)]
struct Memory {
    body: [u8; FIRST_BODY],
    reply: [u8; wire::MAX_REPLY],
    run_folder: [u8; MAX_PATH],
    executable: [u8; MAX_PATH],
}

impl Memory {
    #[expect(clippy::large_stack_arrays, reason = "used for a static alone")]
    const NEW: Self = Self {
        body: [0; FIRST_BODY],
        reply: [0; wire::MAX_REPLY],
        run_folder: [0; MAX_PATH],
        executable: [0; MAX_PATH],
    };
}

/// Why an envelope was not delivered, as far as the large executable needs to know.
enum Trouble {
    /// Nobody there, late, broken, refused: all the same from here.
    Any,
    OtherVersion(u8),
}

/// The whole process; the answer is its exit code.
fn hook(start: &Start, memory: &mut Memory) -> u8 {
    let clock = Clock { started_us: system::steady_us() };
    let call = Call::read(start);
    let Memory { body, reply, run_folder, executable } = memory;
    let body = read_stdin(&clock, &call, body);
    let trouble = match deliver(start, &clock, &call, body, reply, run_folder) {
        Ok(exit) => return exit,
        Err(trouble) => trouble,
    };
    hand_over(start, &call, body, executable, &trouble);
    // The large executable is not there: nothing can be kept, and silence is the rest.
    0
}

struct Clock {
    started_us: u64,
}

impl Clock {
    /// Microseconds until `ms` after the start.
    fn left_us(&self, ms: u32) -> u64 {
        let spent = system::steady_us().wrapping_sub(self.started_us);
        u64::from(ms).wrapping_mul(1000).saturating_sub(spent)
    }
}

/// Who calls, and with what id.
struct Call {
    id: [u8; 16],
    /// With its NUL, like every word of the command line.
    agent: &'static [u8],
    /// Empty if none was named.
    event: &'static [u8],
    /// How long the agent waits, in milliseconds, where that is less than what we install.
    timeout: Option<u32>,
}

impl Call {
    fn read(start: &Start) -> Self {
        let mut read = Self { id: mint(), agent: DEFAULT_AGENT, event: b"", timeout: None };
        let mut words = start.arguments.clone();
        words.next();
        while let Some(word) = words.next() {
            if word == b"--agent\0" {
                read.agent = words.next().filter(|name| is_name(name)).unwrap_or(read.agent);
            } else if word == b"--timeout\0" {
                read.timeout = words.next().and_then(number);
            } else if is_name(word) {
                read.event = word;
            }
        }
        read
    }

    fn agent(&self) -> &'static [u8] {
        without_nul(self.agent)
    }

    fn event(&self) -> &'static [u8] {
        without_nul(self.event)
    }

    /// The id as a word, with its NUL.
    fn write_id<'a>(&self, into: &'a mut [u8; 37]) -> Option<&'a [u8]> {
        let mut text = Text::new(into);
        for (at, byte) in self.id.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                text.push(b"-");
            }
            text.push(&[digit(byte >> 4), digit(byte & 15)]);
        }
        text.push(&[0]).whole().map(drop)?;
        Some(into)
    }
}

fn digit(value: u8) -> u8 {
    if value < 10 { b'0'.wrapping_add(value) } else { b'a'.wrapping_add(value).wrapping_sub(10) }
}

/// A `UUIDv7`, so that ids sort by the time they were minted.
fn mint() -> [u8; 16] {
    let mut id = [0; 16];
    system::random(&mut id);
    let [_, _, time @ ..] = system::wall_ms().to_be_bytes();
    for (slot, byte) in id.iter_mut().zip(&time) {
        *slot = *byte;
    }
    let [_, _, _, _, _, _, version, _, variant, ..] = &mut id;
    *version = *version & 0x0f | 0x70;
    *variant = *variant & 0x3f | 0x80;
    id
}

/// A number of at most nine digits, with its NUL.
fn number(word: &[u8]) -> Option<u32> {
    let digits = word.strip_suffix(&[0])?;
    if digits.is_empty() || digits.len() > 9 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = |sum: u32, digit: &u8| sum.wrapping_mul(10).wrapping_add((digit & 15).into());
    Some(digits.iter().fold(0, value))
}

fn is_name(word: &[u8]) -> bool {
    !word.starts_with(b"-") && wire::is_namespace(without_nul(word))
}

fn without_nul(text: &[u8]) -> &[u8] {
    text.strip_suffix(&[0]).unwrap_or(text)
}

/// What the environment says: where the daemon's socket is, and the context it wants.
struct House {
    home: &'static [u8],
    /// Below `home`, with its slash; empty if `home` is ours already.
    folder: &'static [u8],
    namespace: &'static [u8],
    context: [Piece<'static>; wire::CONTEXT_KEYS.len()],
}

impl House {
    fn find(start: &Start) -> Option<Self> {
        let (mut ours, mut home, mut namespace) = (None, None, None);
        let mut context = [Piece::EMPTY; wire::CONTEXT_KEYS.len()];
        let mut room = wire::MAX_CONTEXT;
        for pair in start.environment.clone() {
            note(&mut ours, pair, b"THROUGHLINE_HOME=");
            note(&mut home, pair, b"HOME=");
            note(&mut namespace, pair, b"THROUGHLINE_NAMESPACE=");
            for (piece, key) in context.iter_mut().zip(&wire::CONTEXT_KEYS) {
                let is_it = pair.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.starts_with(b"="));
                if is_it && piece.len() == 0 && pair.len() <= room.min(wire::MAX_PAIR) {
                    room = room.saturating_sub(pair.len());
                    *piece = Piece::new(pair);
                }
            }
        }
        let (home, folder): (_, &[u8]) = match ours {
            Some(ours) => (ours, b""),
            None => (home?, OUR_FOLDER),
        };
        let namespace = match namespace {
            Some(name) if wire::is_namespace(name) => name,
            _ => wire::DEFAULT_NAMESPACE.as_bytes(),
        };
        // A relative folder would be another one for every hook.
        home.starts_with(b"/").then_some(Self { home, folder, namespace, context })
    }

    fn push_run_folder(&self, path: &mut Text) {
        path.push(self.home).push(self.folder).push(b"/").push(self.namespace).push(b"/run");
    }
}

/// The first value that is not empty counts.
fn note(value: &mut Option<&'static [u8]>, pair: &'static [u8], key: &[u8]) {
    if let Some(text) = pair.strip_prefix(key)
        && value.is_none()
        && text != [0]
    {
        *value = Some(without_nul(text));
    }
}

/// Reads until the end or until the document is whole by its brackets, and no longer than the agent can wait for an answer.
/// What lies beyond the most that is kept is read and dropped, so that the agent's write does not fail.
fn read_stdin<'a>(clock: &Clock, call: &Call, first: &'a mut [u8]) -> &'a [u8] {
    let end_ms = wire::stdin_ms(call.agent(), call.event(), call.timeout);
    let mut memory = first;
    let mut filled = 0;
    let mut shape = wire::Shape::default();
    while !shape.is_whole() {
        if filled == memory.len() && filled < wire::MAX_BODY {
            let Some(larger) = system::map(wire::MAX_BODY) else { break };
            system::copy(larger, memory);
            memory = larger;
        }
        let Some((_, room)) = memory.split_at_mut_checked(filled) else { break };
        let left = clock.left_us(end_ms);
        if left == 0 || !system::poll(STDIN, READABLE, left) {
            break;
        }
        let mut beyond = [0; BEYOND];
        let full = room.is_empty();
        let into = if full { &mut beyond } else { room };
        match system::read(STDIN, into) {
            Ok(0) => break,
            Ok(read) => {
                shape.read(into.get(..read).unwrap_or_default());
                filled = if full { filled } else { filled.saturating_add(read) };
            }
            Err(Errno::INTERRUPTED | Errno::AGAIN) => {}
            Err(_) => break,
        }
    }
    memory.get(..filled).unwrap_or_default()
}

/// Sends the envelope, prints the reply, and says how to exit.
fn deliver(
    start: &Start,
    clock: &Clock,
    call: &Call,
    body: &[u8],
    reply: &mut [u8],
    run_folder: &mut [u8],
) -> Result<u8, Trouble> {
    let house = House::find(start).ok_or(Trouble::Any)?;
    let ms = wire::delivery_ms(call.event(), body);
    let end = Deadline::after(clock.left_us(ms).max(u64::from(wire::LEAST_DELIVERY_MS) * 1000));
    let socket = open(&house, run_folder, &end)?;
    send_request(socket, call, &house, &end, body)?;
    let (header, rest) = receive_reply(socket, reply, &end)?;
    let (header, rest) = if header.status == Status::Longer {
        let ms = header.stdout_len.min(wire::MOST_LONGER_MS);
        let end = Deadline::after(u64::from(ms).saturating_mul(1000));
        match receive_reply(socket, reply, &end) {
            Ok((header, rest)) if header.status == Status::Kept => (header, rest),
            // It is kept: what is late or broken from here on is silence.
            _ => return Ok(0),
        }
    } else {
        (header, rest)
    };
    let (stdout, stderr) = rest.split_at_checked(header.stdout_len as usize).ok_or(Trouble::Any)?;
    if !rest.is_empty() {
        system::ignore_closed_pipes();
        let end = Deadline::after(PRINT_WAIT_US);
        print(STDOUT, stdout, &end);
        print(STDERR, stderr, &end);
    }
    // 0 is silence or advice, 2 a behavior's decision; no other code is any agent's business.
    Ok(if header.exit == 2 { 2 } else { 0 })
}

struct Deadline {
    at_us: u64,
}

impl Deadline {
    fn after(us: u64) -> Self {
        Self { at_us: system::steady_us().wrapping_add(us) }
    }

    fn left_us(&self) -> u64 {
        self.at_us.saturating_sub(system::steady_us())
    }

    /// Waits for the descriptor; late is trouble.
    fn wait(&self, fd: Fd, what: i16) -> Result<(), Trouble> {
        let left = self.left_us();
        if left > 0 && system::poll(fd, what, left) { Ok(()) } else { Err(Trouble::Any) }
    }
}

fn open(house: &House, run_folder: &mut [u8], end: &Deadline) -> Result<Fd, Trouble> {
    let mut address = Address::new();
    let mut path = Text::new(&mut address.path);
    house.push_run_folder(&mut path);
    if path.push(b"/").push(wire::SOCKET_NAME.as_bytes()).push(&[0]).whole().is_none() {
        long_address(house, run_folder, &mut address).ok_or(Trouble::Any)?;
    }
    let socket = system::socket().map_err(|_| Trouble::Any)?;
    loop {
        match system::connect(socket, &address) {
            Ok(()) => return Ok(socket),
            // The backlog is full, or a signal came; poll knows nothing of a Unix connect.
            Err(Errno::AGAIN | Errno::INTERRUPTED) if end.left_us() > BACKLOG_PAUSE_US => {
                system::sleep_us(BACKLOG_PAUSE_US);
            }
            Err(_) => return Err(Trouble::Any),
        }
    }
}

/// The folder, opened, has a short name of its own.
fn long_address(house: &House, run_folder: &mut [u8], address: &mut Address) -> Option<()> {
    let mut path = Text::new(run_folder);
    house.push_run_folder(&mut path);
    let folder = system::open_folder(path.push(&[0]).whole()?)?;
    *address = Address::new();
    let mut path = Text::new(&mut address.path);
    path.push(b"/proc/self/fd/").push_number(folder.cast_unsigned());
    path.push(b"/").push(wire::SOCKET_NAME.as_bytes()).push(&[0]).whole().map(drop)
}

fn send_request(socket: Fd, call: &Call, house: &House, end: &Deadline, body: &[u8]) -> Result<(), Trouble> {
    let context_len = house.context.iter().fold(0_usize, |sum, piece| sum.saturating_add(piece.len()));
    let header = RequestHeader {
        kind: Kind::Envelope,
        agent_len: call.agent().len() as u8,
        event_len: call.event().len() as u8,
        context_len: context_len as u32,
        body_len: body.len() as u32,
        // Rounded up: less than a millisecond must not read as "does not wait".
        wait_ms: end.left_us().div_ceil(1000) as u32,
        client_version: crate::VERSION,
        id: call.id,
    }
    .encode();
    let mut pieces = [Piece::EMPTY; PIECES];
    let [first, agent, event, context @ .., last] = &mut pieces;
    *first = Piece::new(&header);
    *agent = Piece::new(call.agent());
    *event = Piece::new(call.event());
    *context = house.context;
    *last = Piece::new(body);
    let mut left = pieces.iter().fold(0_usize, |sum, piece| sum.saturating_add(piece.len()));
    while left > 0 {
        match system::send(socket, &pieces) {
            Ok(sent) => {
                left = left.saturating_sub(sent);
                let mut sent = sent;
                for piece in &mut pieces {
                    let before = piece.len();
                    piece.skip(sent);
                    sent = sent.saturating_sub(before);
                }
            }
            Err(Errno::INTERRUPTED) => {}
            Err(Errno::AGAIN) => end.wait(socket, WRITABLE)?,
            // A daemon that refuses early has already answered: its reply says why.
            Err(Errno::PIPE | Errno::RESET) => return Ok(()),
            Err(_) => return Err(Trouble::Any),
        }
    }
    Ok(())
}

/// The reply's header and what follows it. The header has its place on the stack, so that a silent reply touches
/// no page of the large memory.
fn receive_reply<'a>(
    socket: Fd,
    memory: &'a mut [u8],
    end: &Deadline,
) -> Result<(ReplyHeader, &'a [u8]), Trouble> {
    let mut first = [0; REPLY_HEADER];
    let mut got = 0_usize;
    let mut header = None;
    loop {
        end.wait(socket, READABLE)?;
        let start = first.get_mut(got.min(REPLY_HEADER)..).ok_or(Trouble::Any)?;
        let rest = memory.get_mut(got.saturating_sub(REPLY_HEADER)..).ok_or(Trouble::Any)?;
        // Behind the first header another may follow.
        let rest = if header.is_some() { rest } else { &mut [] };
        match system::receive(socket, start, rest) {
            Ok(0) => return Err(Trouble::Any),
            Ok(received) => got = got.saturating_add(received),
            Err(Errno::INTERRUPTED | Errno::AGAIN) => continue,
            Err(_) => return Err(Trouble::Any),
        }
        if header.is_none() && got >= REPLY_HEADER {
            let read = read_header(&first)?;
            if read.status == Status::Longer {
                return Ok((read, &[]));
            }
            header = Some(read);
        }
        if let Some(header) = header {
            let len = (header.stdout_len as usize).saturating_add(header.stderr_len as usize);
            if got >= len.saturating_add(REPLY_HEADER) {
                return Ok((header, memory.get(..len).ok_or(Trouble::Any)?));
            }
        }
    }
}

fn read_header(bytes: &[u8; REPLY_HEADER]) -> Result<ReplyHeader, Trouble> {
    match ReplyHeader::decode(bytes) {
        Ok(header) if matches!(header.status, Status::Kept | Status::Longer) => Ok(header),
        Err(HeaderError::OtherVersion(version)) => Err(Trouble::OtherVersion(version)),
        _ => Err(Trouble::Any),
    }
}

/// Whoever closed the other end does not want it, and that is not our trouble.
fn print(fd: Fd, mut bytes: &[u8], end: &Deadline) {
    while !bytes.is_empty() && end.wait(fd, WRITABLE).is_ok() {
        let piece = bytes.get(..PIPE_PIECE).unwrap_or(bytes);
        match system::write(fd, piece) {
            Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
            Err(Errno::INTERRUPTED | Errno::AGAIN) => {}
            Err(_) => return,
        }
    }
}

/// Becomes `throughline hook --undelivered …` with the envelope as its stdin. Returns only if that cannot be.
fn hand_over(
    start: &Start,
    call: &Call,
    body: &[u8],
    executable: &mut [u8],
    trouble: &Trouble,
) -> Option<()> {
    let file = system::nameless_file()?;
    let mut left = body;
    while !left.is_empty() {
        match system::write(file, left) {
            Ok(written) => left = left.get(written..)?,
            Err(Errno::INTERRUPTED) => {}
            Err(_) => return None,
        }
    }
    if !system::become_stdin(file) {
        return None;
    }
    let mut id = [0; 37];
    let id = call.write_id(&mut id)?;
    let mut version = [0; 4];
    let mut version = Text::new(&mut version);
    let mut words: [&[u8]; 9] =
        [b"throughline\0", b"hook\0", b"--undelivered\0", id, b"--agent\0", call.agent, b"", b"", b""];
    let [_, _, _, _, _, _, last @ ..] = &mut words;
    match trouble {
        Trouble::OtherVersion(number) => {
            version.push_number((*number).into());
            *last = [b"--other-version\0", version.push(&[0]).whole()?, call.event];
        }
        Trouble::Any => *last = [call.event, b"", b""],
    }
    let len = system::own_path(executable)?.iter().rposition(|byte| *byte == b'/')?.checked_add(1)?;
    let mut path = Text { into: executable, len, whole: true };
    system::become_other(path.push(b"throughline\0").whole()?, &words, start);
    None
}

/// A text built piece by piece in a place of fixed size.
struct Text<'a> {
    into: &'a mut [u8],
    len: usize,
    whole: bool,
}

impl<'a> Text<'a> {
    fn new(into: &'a mut [u8]) -> Self {
        Self { into, len: 0, whole: true }
    }

    fn push(&mut self, piece: &[u8]) -> &mut Self {
        let rest = self.into.get_mut(self.len..).unwrap_or_default();
        match rest.split_at_mut_checked(piece.len()) {
            Some((room, _)) => {
                system::copy(room, piece);
                self.len = self.len.saturating_add(piece.len());
            }
            None => self.whole = false,
        }
        self
    }

    fn push_number(&mut self, number: u32) -> &mut Self {
        if number >= 10 {
            self.push_number(number / 10);
        }
        self.push(&[b'0' | (number % 10) as u8])
    }

    /// What was built, if everything had room.
    fn whole(&self) -> Option<&[u8]> {
        if self.whole { self.into.get(..self.len) } else { None }
    }
}
