//! What an agent keeps of a conversation, in our words: who said what, which tool was used and what it gave.
//! Pure text to values. Files are walked and archived in `store`; secrets are taken out by whoever writes, and
//! nothing here does it, so nothing here may be written as it is.
//!
//! One record of a file is none, one or several [`Line`]s: an agent may put several blocks into one record. An
//! agent's [`Reader`] makes them, and nothing else of a new agent is needed here: [`chunks`] cuts the
//! conversation into pieces for search, [`tail`] tells its end, and [`Replay`] makes the events that hooks would
//! have sent, in the words of the house.

mod calls;
mod chunk;
pub(crate) mod record;
mod replay;
mod tail;
pub(crate) mod time;
pub(crate) mod tool;
mod turn_words;

use std::collections::VecDeque;

use model::{Context, Envelope, EventId, EventKind, Millis, SessionId};
use serde_json::Value;

pub use crate::codex::transcript::Rollouts;
pub use crate::copilot::transcript::SessionStates;
pub use crate::gemini_cli::transcript::Chats;
pub use crate::opencode::transcript::OpenCodeSessions;
pub use chunk::{Chunk, LEAST_ARGUMENTS, MAX_CHUNK_CHARS, MAX_CHUNKS, TARGET_CHUNK_CHARS, Voice, chunks};
pub use replay::Replay;
pub use tail::{last_words, tail};
pub use turn_words::{InTurn, TurnEnd, said_in_turn};

/// Where an agent keeps its conversations, and how they are read.
pub trait Conversations: Send + Sync {
    fn folder(&self) -> &'static Folder;

    /// Whether the file at this path below the folder (separated by `/`) is a conversation.
    fn is_one(&self, relative: &str) -> bool;

    fn growth(&self, path: &str) -> Growth;

    /// For the file at `path`, from its beginning. Only the path's text is looked at.
    fn reader(&self, path: &str) -> Box<dyn Reader>;

    /// What a record may be of a talk, at a glance: what tools were given and gave is most of a file, and whoever asks for words
    /// alone need not decode it. To expect more of a record than it holds costs time and nothing else.
    fn expect(&self, _: &[u8]) -> Talk {
        Talk::Prompt
    }

    /// The file of the session that the conversation at `path` belongs to: itself, unless it is a subagent's.
    fn session_path(&self, path: &str) -> String {
        path.to_owned()
    }
}

/// `$variable/below_variable` where the variable is set, `~/below_home` where it is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folder {
    pub variable: &'static str,
    pub below_variable: &'static str,
    pub below_home: &'static str,
}

/// How a conversation's file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// JSON Lines: what is written stays, and more follows.
    Lines,
    /// One JSON document, written anew as a whole.
    Whole,
    /// Rows of a database, or a folder of small files. Whoever reads it gathers it to one document first.
    Gathered,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Talk {
    /// Nobody said anything in it.
    Nothing,
    /// Words, or a call that shows that the agent goes on.
    Words,
    /// The same, or a prompt.
    Prompt,
}

/// Reads one file. May remember: an agent names the session once, in its first record, say. One that is begun
/// in the middle gives what each record says by itself.
pub trait Reader: Send {
    /// The blocks of record `number`, none for one that is broken, empty or unknown. Not redacted. A file that
    /// [grows by lines](Growth::Lines) is pushed line by line, in order; any other at once, as record 0.
    fn push(&mut self, number: u64, bytes: &[u8]) -> Vec<Line>;
}

#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The record of the file it was in, from 0: a line, where the file has lines. Then also the line in the
    /// archive, which keeps every line.
    pub number: u64,
    pub at: Option<Millis>,
    /// The agent's own name of the record, unique in its session.
    pub uuid: Option<String>,
    pub parent: Option<String>,
    pub session: SessionId,
    /// Groups the records of one prompt, where the agent says so.
    pub prompt_id: Option<String>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    /// Whose conversation it is in; `None` on the main thread.
    pub subagent: Option<Sidechain>,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sidechain {
    pub id: String,
    /// The subagent's type; not every record tells it.
    pub kind: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A person's own words, and nothing that was put around them.
    Person {
        text: String,
    },
    /// A command a person typed; `name` has its slash.
    Command {
        name: String,
        arguments: String,
    },
    /// A prompt that no person wrote: a subagent's task, the end of a background task.
    Machine {
        text: String,
    },
    /// What a person typed while the agent worked, and what became of it.
    Queue(Queued),
    /// Lines of one reply share `message`. `ends_turn` is false where a tool's use must follow.
    Agent {
        text: String,
        message: Option<String>,
        ends_turn: bool,
    },
    /// `file` is the one file it is about, where there is one.
    ToolUse {
        id: String,
        name: String,
        input: Value,
        file: Option<String>,
    },
    /// `structured` is what a hook would have been given; `text` is what the model was given.
    ToolResult {
        id: String,
        outcome: ToolOutcome,
        text: String,
        structured: Option<Value>,
    },
    /// The conversation before this was replaced by a summary, which follows.
    Boundary {
        trigger: String,
    },
    Compaction {
        summary: String,
    },
    /// Repeated on every line of one reply: count once per `message`.
    Usage {
        message: Option<String>,
        model: Option<String>,
        usage: Usage,
    },
    /// The agent's process began here, as far as hooks left a trace of it.
    Start {
        source: String,
    },
    /// A hook made the turn go on.
    Held,
    /// A person stopped the turn.
    Interrupted,
    /// The agent says that its turn is over, where it says so.
    TurnOver,
    /// The agent's process said goodbye, where it does.
    SessionOver {
        reason: String,
    },
    /// What a local command printed for the person.
    Printed,
    /// Belongs to the conversation and says nothing: reminders, injected context, errors of the network.
    Meta,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queued {
    /// It waits.
    Typed { text: String },
    /// The oldest that waits was told to the agent, in the middle of its turn.
    Told,
    /// The oldest that waits becomes a prompt of its own.
    Asked,
    /// The person took everything back.
    TakenBack,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolOutcome {
    Succeeded,
    Failed,
    Interrupted,
    /// It never ran: a person, a rule or the check of its input refused it.
    Refused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub input: u64,
    pub cache_read: u64,
    pub cache_creation: u64,
    pub output: u64,
}

impl Line {
    /// Whether nothing before it belongs to the same turn: cutting pieces may begin anew here.
    pub fn begins_turn(&self) -> bool {
        let speaks = matches!(self.what, What::Person { .. } | What::Command { .. } | What::Machine { .. });
        speaks && self.subagent.is_none()
    }
}

impl Usage {
    /// Tokens of the context window that were taken after this reply.
    pub fn context(&self) -> u64 {
        self.input
            .saturating_add(self.cache_read)
            .saturating_add(self.cache_creation)
            .saturating_add(self.output)
    }
}

/// An event of the past, in the words of the house (those of Claude Code's hooks). **Not redacted**: feed it through the intake, like
/// an envelope that just arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastEvent {
    /// The same for the same record of the same session, however often it is read.
    pub id: EventId,
    pub at: Millis,
    pub session: SessionId,
    pub kind: EventKind,
    /// The line that shows it.
    pub line: u64,
    pub twin: Twin,
    /// What the transcript knows of the place: `branch`, the one of that day and not of today.
    pub context: Context,
    pub body: Vec<u8>,
}

impl PastEvent {
    pub fn into_envelope(self, agent: &str) -> Envelope {
        Envelope {
            id: self.id,
            at: self.at,
            agent: agent.to_owned(),
            hint: None,
            context: self.context,
            body: self.body,
        }
    }
}

/// How an event that a live hook sent is told to be the same as one of the past: their ids differ, since the
/// client minted the one and the transcript gave the other. Skip a past event whose twin is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Twin {
    /// Known if any event has this tool use. Look in all sessions: a resumed or forked session may carry the
    /// records of its origin under an id of its own.
    ToolUse(String),
    /// Known if the session has an event of this kind for this prompt.
    Prompt(String),
    /// Known if the session has a SubagentStop of this subagent.
    Subagent(String),
    /// Nothing finer to go by: known if the session has an event of this kind.
    Session,
}

/// The events of a whole transcript, in its order, made as they are asked for.
pub fn events_of(
    lines: impl IntoIterator<Item = Line>,
    replay: Replay,
    ending: Ending,
) -> impl Iterator<Item = PastEvent> {
    let mut lines = lines.into_iter();
    let mut replay = Some(replay);
    let mut ready = VecDeque::new();
    std::iter::from_fn(move || {
        while ready.is_empty() {
            match lines.next() {
                Some(line) => ready.extend(replay.as_mut()?.push(line)),
                None => ready.extend(replay.take()?.finish(ending)),
            }
        }
        ready.pop_front()
    })
}

/// What the end of a file means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The session is over, as far as anyone can tell (its file has not changed for a day, say).
    Over,
    /// The same if its last record is from before this moment: a file that was copied looks young.
    OverBefore(Millis),
    /// More may be written: no SessionEnd.
    Open,
}
