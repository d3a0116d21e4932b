//! How far a session's talk is cut into pieces, and the pieces as they are kept.

use std::collections::HashSet;

use agents::transcript::{Chunk, Conversations, Line, What, chunks};
use engine::Wrote;
use model::{Memory, MemoryId, MemoryKind, Millis, Provenance, SessionId, WorkspaceKey};
use redact::Redactor;
use serde_json::Value;
use store::{StoreError, Tables};

use super::is_private;

/// How far a session's talk is cut into pieces, and where its last turn began: numbers of lines, or names of records.
pub(super) const CHUNKED: &str = "chunked-lines";

/// One session whose talk is cut into pieces, and how far it is. The last turn is cut again as a whole when it has grown: the same
/// pieces have the same ids.
pub(super) struct Cutting<'a> {
    pub(super) session: &'a SessionId,
    pub(super) wish: &'a Value,
    credits: bool,
    /// What the last look read to its end, and where the turn began that was the last one then.
    done: String,
    turn: String,
    /// The pieces that there are.
    pub(super) kept: Vec<MemoryId>,
}

/// How far a conversation is cut.
pub(super) enum PiecePlace {
    Line { next: u64, turn: u64 },
    Record { last: String, turn: String },
}

impl<'a> Cutting<'a> {
    pub(super) fn of(
        tables: &Tables,
        session: &'a SessionId,
        wish: &'a Value,
        credits: bool,
    ) -> Result<Self, StoreError> {
        let state = tables.state(session, CHUNKED)?.unwrap_or_default();
        // Earlier releases noted the end alone and left holes: their sessions are cut from the beginning, unless pieces that a person has
        // forgotten would come back under other names.
        let turn_unknown = if tables.has_forgotten()? { state.as_str() } else { "" };
        let (done, turn) = state.split_once(' ').unwrap_or((&state, turn_unknown));
        let (done, turn) = (done.to_owned(), turn.to_owned());
        Ok(Self { session, wish, credits, done, turn, kept: Vec::new() })
    }

    fn done_line(&self) -> u64 {
        self.done.parse().unwrap_or(0)
    }

    pub(super) fn turn_line(&self) -> u64 {
        self.turn.parse().unwrap_or(0)
    }

    fn done_record(&self) -> Option<String> {
        Some(self.done.clone()).filter(|record| !record.is_empty())
    }

    pub(super) fn turn_record(&self) -> Option<String> {
        Some(self.turn.clone()).filter(|record| !record.is_empty())
    }

    pub(super) fn keep(
        &mut self,
        tables: &mut Tables,
        read: &[Line],
        place: PiecePlace,
    ) -> Result<(), StoreError> {
        let known = match &place {
            PiecePlace::Line { .. } => {
                let done = self.done_line();
                read.partition_point(|line| line.number < done)
            }
            PiecePlace::Record { .. } => {
                let done = self.done_record();
                read.iter().rposition(|line| done.is_some() && line.uuid == done).map_or(0, |at| at + 1)
            }
        };
        let wrote = if self.credits { own_words(&read[known..]) } else { Vec::new() };
        let by_line = matches!(place, PiecePlace::Line { .. });
        (self.done, self.turn) = match place {
            // What is read again was credited then.
            PiecePlace::Line { next, turn } => (next.max(self.done_line()).to_string(), turn.to_string()),
            PiecePlace::Record { last, turn } => (last, turn),
        };
        let cut = chunks(read);
        let state = format!("{} {}", self.done, self.turn);
        tables.write(|batch| {
            if let Err(error) = engine::credit(batch, self.session, &wrote) {
                error.into_store().map_or(Ok(()), Err)?;
            }
            for chunk in &cut {
                let memory = memory_of_chunk(self.session, self.wish, chunk, by_line);
                engine::memory::keep(batch, &memory)?;
                self.kept.push(memory.id);
            }
            batch.set_state(self.session, CHUNKED, &state, crate::intake::now())
        })
    }
}

/// What a document says, without secrets and without private turns.
pub(super) fn public_lines(
    redactor: &Redactor,
    conversations: &dyn Conversations,
    path: &str,
    document: &[u8],
) -> Vec<Line> {
    let mut private = false;
    let mut hidden = HashSet::new();
    for line in conversations.reader(path).push(0, document) {
        if let What::Person { text } = &line.what {
            private = is_private(redactor, text);
        }
        if private {
            hidden.insert(line.number);
        }
    }
    let mut lines = conversations.reader(path).push(0, &redactor.envelope(document).json);
    lines.retain(|line| !hidden.contains(&line.number));
    lines
}

/// What the agent itself wrote, on the main thread and in subagents. Reminders, notes and results of tools are none of
/// it, by the shape of their records.
fn own_words(read: &[Line]) -> Vec<(Millis, Wrote<'_>)> {
    fn wrote(line: &Line) -> Option<(Millis, Wrote<'_>)> {
        let at = line.at.unwrap_or(0);
        match &line.what {
            What::Agent { text, .. } => Some((at, Wrote::Text(text))),
            What::ToolUse { name, input, .. } => Some((at, Wrote::Call { tool: name, input })),
            _ => None,
        }
    }
    read.iter().filter_map(wrote).collect()
}

/// A piece of a session's talk as it is kept; `wish` says where the session was. It goes by its line where the conversation grows by lines,
/// else by the record it begins in.
pub fn memory_of_chunk(session: &SessionId, wish: &Value, chunk: &Chunk, by_line: bool) -> Memory {
    let said = |name: &str| wish[name].as_str().map(str::to_owned);
    let agent = said("agent").unwrap_or_default();
    let line = chunk.record.clone().filter(|_| !by_line).unwrap_or_else(|| chunk.first_line.to_string());
    let part = chunk.part.to_string();
    let first: [&str; 4] = ["chunk", &agent, session.as_str(), &line];
    // The first piece of a line is named as it was when a line had one.
    let id = if chunk.part == 0 {
        MemoryId::of(&first)
    } else {
        MemoryId::of(&[first.as_slice(), &[&part]].concat())
    };
    let title = engine::memory::title_of(&chunk.text);
    Memory {
        session: Some(session.clone()),
        workspace: said("workspace").map(WorkspaceKey::from_hex),
        project: said("project"),
        project_key: said("project-key"),
        branch: said("branch"),
        provenance: Provenance {
            by: "transcript".to_owned(),
            place: Some(format!(
                "transcript, {} {} to {}",
                if by_line { "lines" } else { "messages" },
                chunk.first_line + 1,
                chunk.last_line + 1
            )),
            ..Provenance::default()
        },
        ..Memory::new(id, MemoryKind::Chunk, chunk.at.unwrap_or(0), title, chunk.text.clone())
    }
}
