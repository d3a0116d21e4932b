//! What is said in a turn before its last words: by the agent between two calls, by the person who refuses one or types while the
//! agent works. Hooks do not tell it. A past conversation ([`Replay`]) and the one that goes on ([`said_in_turn`]) are read by the same rules,
//! so that the same turn gives the same words.

use std::collections::VecDeque;

use model::{Author, EventKind, Millis, Said, SessionId, Speaker};

use super::{Conversations, Growth, Line, Queued, Replay, Talk, ToolOutcome, What};
use crate::prompt;

/// Texts of one turn, and the bytes of one of them. A turn of hundreds of calls says what it found near its end.
const MAX_SAID: usize = 120;
const MAX_SAID_BYTES: usize = 4000;

/// What was said since the last turn ended.
#[derive(Debug, Default)]
pub(super) struct TurnWords {
    /// The last thing the agent said, if nothing came after it.
    answer: Option<Answer>,
    said: VecDeque<Said>,
    queue: Queue,
}

/// What a person typed while the agent worked and that nobody was told yet.
#[derive(Debug, Default)]
pub(super) struct Queue(VecDeque<String>);

/// More that waits is a machine's.
const MAX_QUEUED: usize = 32;

impl Queue {
    /// What is said by this.
    pub(super) fn hear(&mut self, queued: &Queued) -> Option<String> {
        match queued {
            Queued::Typed { text } => {
                if self.0.len() == MAX_QUEUED {
                    self.0.pop_front();
                }
                self.0.push_back(text.clone());
                None
            }
            // Commands to the client and messages of other agents wait there, too.
            Queued::Told => self.0.pop_front().filter(|text| {
                !text.trim_start().starts_with('/') && prompt::author(text).0 == Author::Person
            }),
            Queued::Asked => {
                self.0.pop_front();
                None
            }
            Queued::TakenBack => {
                self.0.clear();
                None
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Answer {
    /// The last line of it.
    pub(super) line: Line,
    pub(super) text: String,
    message: Option<String>,
    ends_turn: bool,
}

impl TurnWords {
    pub(super) fn hear(&mut self, line: &Line) {
        match &line.what {
            What::Agent { text, message, ends_turn } => match &mut self.answer {
                Some(answer) if message.is_some() && answer.message == *message => {
                    answer.text.push('\n');
                    answer.text.push_str(text);
                    answer.line = line.clone();
                }
                _ => {
                    self.goes_on();
                    let (text, message) = (text.clone(), message.clone());
                    self.answer = Some(Answer { line: line.clone(), text, message, ends_turn: *ends_turn });
                }
            },
            What::ToolResult { outcome: ToolOutcome::Refused, text, .. } => {
                self.goes_on();
                if let Some(words) = words_at_refusal(text) {
                    self.keep(Speaker::Person, words);
                }
            }
            What::ToolUse { .. } | What::ToolResult { .. } | What::Interrupted => self.goes_on(),
            What::Queue(queued) => {
                if let Some(words) = self.queue.hear(queued) {
                    self.goes_on();
                    self.keep(Speaker::Person, &words);
                }
            }
            _ => {}
        }
    }

    /// The agent's last words, if they end its turn.
    pub(super) fn answer(&mut self) -> Option<Answer> {
        if self.answer.as_ref().is_some_and(|answer| !answer.ends_turn) {
            self.goes_on();
        }
        self.answer.take()
    }

    /// All that was said and is no answer, oldest first.
    pub(super) fn take(&mut self) -> Vec<Said> {
        self.goes_on();
        std::mem::take(&mut self.said).into()
    }

    /// The last thing the agent said was not the end of its turn.
    fn goes_on(&mut self) {
        if let Some(answer) = self.answer.take() {
            self.keep(Speaker::Agent, &answer.text);
        }
    }

    fn keep(&mut self, by: Speaker, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if self.said.len() == MAX_SAID {
            self.said.pop_front();
        }
        let text = text[..text.floor_char_boundary(MAX_SAID_BYTES)].to_owned();
        self.said.push_back(Said { by, text });
    }
}

/// What a person typed when they refused a call: the client gives the model its own sentences first.
pub(super) fn words_at_refusal(text: &str) -> Option<&str> {
    const LEADS: &[&str] = &["the user said:", "The user provided the following reason for the rejection:"];
    let (at, lead) = LEADS.iter().find_map(|lead| Some((text.find(lead)?, lead)))?;
    let words = &text[at + lead.len()..];
    // The client's own note to the model about what comes next.
    let end = words.find("\n\nNote: ").unwrap_or(words.len());
    Some(words[..end].trim()).filter(|words| !words.is_empty())
}

/// The event that ends a turn, as its hook told it.
#[derive(Debug, Clone, Copy)]
pub struct TurnEnd<'a> {
    pub kind: EventKind,
    pub session: &'a SessionId,
    pub at: Millis,
    /// The prompt that begins the next turn, where that is what ends this one: the file may have it already.
    pub next_prompt: Option<&'a str>,
}

/// What the end of a conversation's file says of the turn that ends now.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct InTurn {
    /// The prompt that began it; `None`: it lies further back than the file was read.
    pub prompt: Option<String>,
    /// Oldest first, not redacted.
    pub said: Vec<Said>,
}

/// What was said in the turn that `end` ends, by the end of the conversation's file: whole lines where it grows by
/// lines, else the whole document. Lines of other sessions, of subagents and of a later time say nothing.
pub fn said_in_turn(conversations: &dyn Conversations, path: &str, file: &[u8], end: &TurnEnd<'_>) -> InTurn {
    let counts = |line: &Line| {
        line.session == *end.session && line.subagent.is_none() && line.at.is_none_or(|at| at <= end.at)
    };
    let mut reader = conversations.reader(path);
    let mut replay = Replay::new(conversations, path);
    let mut prompt = None;
    // A command is a prompt once the agent answers it.
    let mut command = None;
    // The turn before the last prompt, until something follows that prompt.
    let mut before: Option<InTurn> = None;
    let records = match conversations.growth(path) {
        Growth::Whole | Growth::Gathered => vec![file],
        Growth::Lines => records_of_turn(conversations, path, file, end, &counts),
    };
    for line in records.into_iter().flat_map(|record| reader.push(0, record)).filter(counts) {
        let mut asked = None;
        match &line.what {
            What::Person { text } => asked = Some(text.clone()),
            What::Command { name, arguments } => {
                command = Some(format!("{name} {arguments}").trim_end().to_owned());
            }
            What::Printed => command = None,
            What::Agent { .. } | What::ToolUse { .. } | What::ToolResult { .. } => {
                before = None;
                prompt = command.take().or(prompt);
            }
            _ => {}
        }
        let events = replay.push(without_contents(line));
        if asked.is_some() {
            let event = events.iter().rfind(|event| event.kind == EventKind::UserPromptSubmit);
            let said = event.map(|event| Said::in_turn(&event.context)).unwrap_or_default();
            before = Some(InTurn { prompt: std::mem::replace(&mut prompt, asked), said });
        }
    }
    match before {
        Some(before) if prompt.as_deref() == end.next_prompt.map(str::trim) => before,
        _ => InTurn { prompt, said: replay.said_by_now(end.kind) },
    }
}

/// The records of a turn that may hold words, from the prompt that began it, or all if that lies further back.
fn records_of_turn<'a>(
    conversations: &dyn Conversations,
    path: &str,
    mut file: &'a [u8],
    end: &TurnEnd<'_>,
    counts: &dyn Fn(&Line) -> bool,
) -> Vec<&'a [u8]> {
    let mut reader = conversations.reader(path);
    let mut next = end.next_prompt.map(str::trim);
    let mut records = Vec::new();
    // From the end: what lies before the turn is not even looked through.
    while !file.is_empty() && !records.last().is_some_and(|(_, begins)| *begins) {
        let start = memchr::memrchr(b'\n', file).map_or(0, |at| at + 1);
        let record = &file[start..];
        file = &file[..start.saturating_sub(1)];
        let begins = match conversations.expect(record) {
            Talk::Nothing => continue,
            Talk::Words => false,
            Talk::Prompt => reader.push(0, record).iter().filter(|line| counts(line)).any(|line| {
                // The prompt that ends the turn may be there already.
                matches!(&line.what, What::Person { text } if next.take() != Some(text.as_str()))
            }),
        };
        records.push((record, begins));
    }
    records.into_iter().rev().map(|(record, _)| record).collect()
}

/// What tools were given and gave is no part of what was said, and most of a file.
fn without_contents(mut line: Line) -> Line {
    match &mut line.what {
        What::ToolUse { input, .. } => *input = serde_json::Value::Null,
        What::ToolResult { structured, outcome, text, .. } => {
            *structured = None;
            if *outcome != ToolOutcome::Refused {
                text.clear();
            }
        }
        _ => {}
    }
    line
}
