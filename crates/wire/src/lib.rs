//! The frame a hook and the daemon exchange over the Unix socket. Layout only: no I/O, no
//! allocation, no panic, no standard library, so that the raw hook client can share it.
//!
//! One request, one reply, then the connection closes. All numbers are little-endian.
//!
//! ```text
//! request  0..3  magic "TLN"      3  protocol version
//!          4     kind             5  length of the agent's name
//!          6     length of the event's name       7  reserved, 0
//!          8..12 length of the context            12..16 length of the body
//!          16..20 time the client will wait, ms   20..24 client version (see `version_code`)
//!          24..40 event id (UUIDv7, minted by the client)
//!          then: agent name, event name, context, body
//! reply    0..3  magic "TLN"      3  protocol version of the daemon
//!          4     status           5  exit code for the hook process
//!          6..8  reserved, 0
//!          8..12 length of stdout 12..16 length of stderr
//!          then: stdout, stderr
//! ```
//!
//! The context is a list of `KEY=VALUE` pairs, each ended by a NUL byte: what the client knows from
//! its environment and the daemon cannot (see `CONTEXT_KEYS`).
#![no_std]

pub mod peek;
mod shape;

pub use shape::Shape;

/// Changes when a frame of the old layout would be misread. A daemon that sees another version
/// answers `Status::OtherVersion` in its own layout; the first sixteen bytes of a reply never change.
pub const PROTOCOL: u8 = 1;
pub const MAGIC: [u8; 3] = *b"TLN";
pub const REQUEST_HEADER: usize = 40;
pub const REPLY_HEADER: usize = 16;

/// No agent sends more; a larger envelope is cut here and kept as unreadable rather than refused.
pub const MAX_BODY: usize = 64 << 20;
pub const MAX_NAME: usize = 64;
/// A few variables, some of them paths; longer ones are left out by the client.
pub const MAX_CONTEXT: usize = 8 << 10;
/// Ten thousand characters are the most a client accepts; four bytes each, and room for the JSON around.
pub const MAX_REPLY: usize = 1 << 20;

/// The file name of the daemon's socket inside the run folder.
pub const SOCKET_NAME: &str = "daemon.sock";
pub const DEFAULT_NAMESPACE: &str = "default";
pub const HOME_FOLDER: &str = ".throughline";

/// One long variable leaves room for the others.
pub const MAX_PAIR: usize = 6 << 10;

/// The environment variables a hook passes on. `CLAUDE_CODE_MESSAGING_TOKEN` and its like are not here, on purpose. The
/// last two tell where the session's programs and the agent's own files are; they are used and not kept.
pub const CONTEXT_KEYS: [&str; 9] = [
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_CODE_AUTO_COMPACT_WINDOW",
    PATH,
    CONFIG_FOLDER,
];
pub const PATH: &str = "PATH";
pub const CONFIG_FOLDER: &str = "CLAUDE_CONFIG_DIR";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// An agent's envelope: journaled, then answered.
    Envelope = 1,
    /// A JSON question from our own command line: status, stop, settle, drain.
    Control = 2,
}

impl Kind {
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(Self::Envelope),
            2 => Some(Self::Control),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// The envelope is durable (or needed no keeping); print the reply.
    Kept = 0,
    /// The daemon could not keep it: spool it.
    NotKept = 1,
    /// The daemon speaks another protocol version: spool it.
    OtherVersion = 2,
    /// The frame made no sense. Spool it; a person will want to see it.
    Malformed = 3,
    /// It is durable, and the answer takes longer than usual: another header follows. `stdout_len` is how long the client
    /// may wait for it from here, in milliseconds; nothing else comes with this one. Late then is silence: the envelope
    /// is kept.
    Longer = 4,
}

impl Status {
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Kept),
            1 => Some(Self::NotKept),
            2 => Some(Self::OtherVersion),
            3 => Some(Self::Malformed),
            4 => Some(Self::Longer),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestHeader {
    pub kind: Kind,
    pub agent_len: u8,
    pub event_len: u8,
    pub context_len: u32,
    pub body_len: u32,
    pub wait_ms: u32,
    pub client_version: u32,
    pub id: [u8; 16],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderError {
    NotOurs,
    OtherVersion(u8),
    TooLarge,
}

impl RequestHeader {
    pub fn encode(&self) -> [u8; REQUEST_HEADER] {
        let mut out = [0; REQUEST_HEADER];
        put(&mut out, 0, &MAGIC);
        put(&mut out, 3, &[PROTOCOL, self.kind as u8, self.agent_len, self.event_len, 0]);
        put(&mut out, 8, &self.context_len.to_le_bytes());
        put(&mut out, 12, &self.body_len.to_le_bytes());
        put(&mut out, 16, &self.wait_ms.to_le_bytes());
        put(&mut out, 20, &self.client_version.to_le_bytes());
        put(&mut out, 24, &self.id);
        out
    }

    pub fn decode(bytes: &[u8; REQUEST_HEADER]) -> Result<Self, HeaderError> {
        check_magic(bytes)?;
        let kind = Kind::from_byte(bytes[4]).ok_or(HeaderError::NotOurs)?;
        let mut id = [0; 16];
        put(&mut id, 0, &bytes[24..40]);
        let header = Self {
            kind,
            agent_len: bytes[5],
            event_len: bytes[6],
            context_len: number(bytes, 8),
            body_len: number(bytes, 12),
            wait_ms: number(bytes, 16),
            client_version: number(bytes, 20),
            id,
        };
        if header.agent_len as usize > MAX_NAME
            || header.event_len as usize > MAX_NAME
            || header.context_len as usize > MAX_CONTEXT
            || header.body_len as usize > MAX_BODY
        {
            return Err(HeaderError::TooLarge);
        }
        Ok(header)
    }

    /// The bytes that follow the header.
    pub const fn rest_len(&self) -> usize {
        self.agent_len as usize + self.event_len as usize + self.context_len as usize + self.body_len as usize
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyHeader {
    pub status: Status,
    pub exit: u8,
    pub stdout_len: u32,
    pub stderr_len: u32,
}

impl ReplyHeader {
    pub fn encode(&self) -> [u8; REPLY_HEADER] {
        let mut out = [0; REPLY_HEADER];
        put(&mut out, 0, &MAGIC);
        put(&mut out, 3, &[PROTOCOL, self.status as u8, self.exit]);
        put(&mut out, 8, &self.stdout_len.to_le_bytes());
        put(&mut out, 12, &self.stderr_len.to_le_bytes());
        out
    }

    pub fn decode(bytes: &[u8; REPLY_HEADER]) -> Result<Self, HeaderError> {
        check_magic(bytes)?;
        let status = Status::from_byte(bytes[4]).ok_or(HeaderError::NotOurs)?;
        let header =
            Self { status, exit: bytes[5], stdout_len: number(bytes, 8), stderr_len: number(bytes, 12) };
        // Added as u64: two lengths from a stranger may wrap.
        if u64::from(header.stdout_len) + u64::from(header.stderr_len) > MAX_REPLY as u64 {
            return Err(HeaderError::TooLarge);
        }
        Ok(header)
    }
}

/// How long an agent waits for us, by the event's name, in milliseconds. Past it a person notices.
/// An unknown event is one we only record.
pub fn deadline_ms(event: &[u8]) -> u32 {
    if is_in(b"PreToolUse PermissionRequest PostToolUse PostToolUseFailure", event) {
        150
    } else if is_in(b"UserPromptSubmit UserPromptExpansion Stop SubagentStop SubagentStart", event) {
        400
    } else if is_in(b"SessionStart PreCompact Setup", event) {
        1000
    } else {
        50
    }
}

/// Whether `name` is one of the words. A `match` over names becomes ten times the code, and the raw hook is to stay small.
#[inline(never)]
fn is_in(words: &[u8], name: &[u8]) -> bool {
    words.split(|byte| *byte == b' ').any(|word| word == name)
}

/// An envelope cannot be read, redacted and synced in no time: each full MiB earns this much more.
pub const ALLOWANCE_MS_PER_MIB: u32 = 20;

/// How long one hook call may take in all.
pub fn patience_ms(event: &[u8], body_len: usize) -> u32 {
    let body_len = if body_len > MAX_BODY { MAX_BODY } else { body_len };
    deadline_ms(event).saturating_add((body_len >> 20) as u32 * ALLOWANCE_MS_PER_MIB)
}

/// The longest a client waits when it is told to: agents give a hook five seconds, and it must be gone before.
pub const MOST_LONGER_MS: u32 = 4000;

/// The part of `patience_ms` the client keeps for itself: starting the large executable, redacting, one
/// sync. The rest is the daemon's; a record-only event leaves it 20 ms, ten times a group commit.
pub const fn reserve_ms(patience_ms: u32) -> u32 {
    if patience_ms <= 50 { 30 } else { 50 }
}

/// How long after the start of the client the daemon may answer. `event` is what the command line names; empty,
/// the envelope is asked.
pub fn delivery_ms(event: &[u8], body: &[u8]) -> u32 {
    let event = if event.is_empty() { peek::event_name(body) } else { event };
    let patience = patience_ms(event, body.len());
    patience.saturating_sub(reserve_ms(patience))
}

/// An envelope that reached us late, by the agent's doing, still gets this much of the daemon's time.
pub const LEAST_DELIVERY_MS: u32 = 20;

/// How long an agent waits for a hook before it goes on without one, in milliseconds: what `install` writes into its
/// settings. Of an agent that is not known the shortest is assumed.
pub fn timeout_ms(agent: &[u8], event: &[u8]) -> u32 {
    if event == b"SessionEnd" {
        // Claude Code gives a plugin's handlers no more there, whatever they ask for.
        1500
    } else if is_in(b"claude-code gemini-cli opencode copilot cursor", agent) {
        5000
    } else {
        // Codex, and nobody waits less.
        3000
    }
}

/// What of an agent's timeout is left for an answer when stdin is given up: behind it the agent goes on, and a call that
/// nobody has judged is made.
pub const ANSWER_MS: u32 = 500;

/// How long after the start of the client an envelope may still be arriving. `shorter` is the timeout that the command line
/// names: where a person has set one of their own. It never makes the wait longer.
pub fn stdin_ms(agent: &[u8], event: &[u8], shorter: Option<u32>) -> u32 {
    answered_ms(agent, event, shorter).saturating_sub(ANSWER_MS)
}

/// When the agent goes on without an answer, in milliseconds after the start of the client.
pub fn answered_ms(agent: &[u8], event: &[u8], shorter: Option<u32>) -> u32 {
    let timeout = timeout_ms(agent, event);
    match shorter {
        Some(shorter) if shorter < timeout => shorter,
        _ => timeout,
    }
}

/// Whether a call waits for what a guard says: by its name, and also where it has none.
pub fn decides(event: &[u8]) -> bool {
    matches!(event, b"" | b"PreToolUse" | b"PermissionRequest")
}

/// A namespace is one folder name of ours. Anything that could leave the home folder is not one.
pub const fn is_namespace(name: &[u8]) -> bool {
    if name.len() > MAX_NAME {
        return false;
    }
    match name {
        [] | [b'.', ..] => false,
        _ => {
            let mut rest = name;
            while let [byte, after @ ..] = rest {
                if *byte == b'/' {
                    return false;
                }
                rest = after;
            }
            true
        }
    }
}

/// A release as one comparable number: 1.2.3 is `0x01_0002_03`.
pub const fn version_code(major: u8, minor: u16, patch: u8) -> u32 {
    ((major as u32) << 24) | ((minor as u32) << 8) | patch as u32
}

fn check_magic(bytes: &[u8]) -> Result<(), HeaderError> {
    match bytes {
        [a, b, c, version, ..] if [*a, *b, *c] == MAGIC => {
            if *version == PROTOCOL {
                Ok(())
            } else {
                Err(HeaderError::OtherVersion(*version))
            }
        }
        _ => Err(HeaderError::NotOurs),
    }
}

/// Copies without a bounds check that could panic: what does not fit is left out.
fn put(into: &mut [u8], at: usize, from: &[u8]) {
    for (slot, byte) in into.iter_mut().skip(at).zip(from) {
        *slot = *byte;
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    let mut raw = [0; 4];
    for (slot, byte) in raw.iter_mut().zip(bytes.iter().skip(at)) {
        *slot = *byte;
    }
    u32::from_le_bytes(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: RequestHeader = RequestHeader {
        kind: Kind::Envelope,
        agent_len: 11,
        event_len: 4,
        context_len: 77,
        body_len: 1 << 20,
        wait_ms: 150,
        client_version: version_code(0, 1, 0),
        id: [9; 16],
    };

    #[test]
    fn a_request_header_survives_the_trip() {
        assert_eq!(RequestHeader::decode(&HEADER.encode()), Ok(HEADER));
    }

    #[test]
    fn a_reply_header_survives_the_trip() {
        let reply = ReplyHeader { status: Status::NotKept, exit: 2, stdout_len: 10, stderr_len: 20 };
        assert_eq!(ReplyHeader::decode(&reply.encode()), Ok(reply));
    }

    #[test]
    fn strangers_other_versions_and_giants_are_told_apart() {
        let mut bytes = HEADER.encode();
        bytes[3] = 9;
        assert_eq!(RequestHeader::decode(&bytes), Err(HeaderError::OtherVersion(9)));
        bytes[0] = b'G';
        assert_eq!(RequestHeader::decode(&bytes), Err(HeaderError::NotOurs));
        let giant = RequestHeader { body_len: u32::MAX, ..HEADER };
        assert_eq!(RequestHeader::decode(&giant.encode()), Err(HeaderError::TooLarge));
        let liar = ReplyHeader { status: Status::Kept, exit: 0, stdout_len: u32::MAX, stderr_len: 2 };
        assert_eq!(ReplyHeader::decode(&liar.encode()), Err(HeaderError::TooLarge));
    }

    #[test]
    fn a_large_envelope_earns_time_and_the_daemon_always_gets_some() {
        assert_eq!(patience_ms(b"Stop", 1000), 400);
        assert_eq!(patience_ms(b"Stop", 50 << 20), 1400);
        assert_eq!(patience_ms(b"Stop", usize::MAX), 400 + 64 * ALLOWANCE_MS_PER_MIB);
        for event in [&b"Stop"[..], b"PreToolUse", b"SessionStart", b"Unheard"] {
            let patience = patience_ms(event, 0);
            assert!(reserve_ms(patience) < patience);
        }
    }

    #[test]
    fn stdin_is_waited_for_until_there_is_just_time_for_an_answer() {
        assert_eq!(stdin_ms(b"claude-code", b"PreToolUse", None), 4500);
        assert_eq!(stdin_ms(b"codex", b"PermissionRequest", None), 2500);
        assert_eq!(stdin_ms(b"claude-code", b"SessionEnd", None), 1000);
        assert_eq!(stdin_ms(b"somebody-else", b"PreToolUse", None), 2500);
        assert_eq!(stdin_ms(b"claude-code", b"PreToolUse", Some(1200)), 700);
        assert_eq!(stdin_ms(b"claude-code", b"PreToolUse", Some(100)), 0);
        assert_eq!(stdin_ms(b"codex", b"PreToolUse", Some(600_000)), 2500, "never longer");
    }

    #[test]
    fn a_namespace_cannot_leave_the_home_folder() {
        assert!(is_namespace(b"default") && is_namespace(b"team a"));
        for name in [&b""[..], b".", b"..", b".hidden", b"a/b", b"/", &[b'x'; MAX_NAME + 1]] {
            assert!(!is_namespace(name));
        }
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert!(version_code(0, 10, 0) > version_code(0, 9, 200));
        assert!(version_code(1, 0, 0) > version_code(0, 999, 255));
    }
}
