//! Keeps transcripts, makes the talk in them findable and credits the memories it names: after a turn, in its own
//! time, only what is new. Reads an agent's file through its adapter; what a private turn said is not even archived.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use agents::transcript::{Chunk, Conversations, Growth, Line, Reader, What, chunks};
use engine::Wrote;
use model::{Memory, MemoryId, MemoryKind, Millis, Provenance, SessionId, WorkspaceKey};
use redact::Redactor;
use serde_json::{Value, json};
use store::archive::{Archive, Key};
use store::{ARCHIVE_DUE, StoreError, Tables};

use crate::bell::{Bell, Woken};
use crate::intake::Intake;
use crate::keeping;

/// How far a session's archive is cut into pieces: a line number.
const CHUNKED: &str = "chunked-lines";
/// What stands in the archive for a line of a private turn.
const PRIVATE_LINE: &str = r#"{"private":true}"#;
/// Sessions looked after in one go.
const MAX_DUE: usize = 100;
/// Lines cut at once: a long session is not in memory as a whole.
const LINES: u64 = 4000;

pub(crate) struct Transcripts {
    intake: Arc<Intake>,
    pub(crate) bell: Arc<Bell>,
    /// Rung when there are new memories.
    embedding: Arc<Bell>,
    archive: Mutex<Option<Arc<Archive>>>,
}

impl Transcripts {
    pub(crate) fn new(intake: Arc<Intake>, embedding: Arc<Bell>) -> Arc<Self> {
        Arc::new(Self { intake, bell: Arc::default(), embedding, archive: Mutex::default() })
    }

    /// Returns when the bell is closed.
    pub(crate) fn run(&self) {
        // Whatever was due when the last daemon left.
        self.bell.ring();
        while self.bell.wait(None) != Woken::Closed {
            if let Err(error) = self.look() {
                self.intake.log.warn(format_args!("transcripts wait: {error}"));
            }
        }
    }

    /// The archive, opened when it is first needed.
    pub(crate) fn archive(&self) -> Result<Arc<Archive>, StoreError> {
        let mut held = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(archive) = held.as_ref() {
            return Ok(Arc::clone(archive));
        }
        let archive = Arc::new(Archive::open(&self.intake.place.archive())?);
        *held = Some(Arc::clone(&archive));
        Ok(archive)
    }

    pub(crate) fn enforce(&self, keep_bytes: u64) {
        let dropped = self.archive().and_then(|archive| archive.enforce(keep_bytes));
        if let Err(error) = dropped {
            self.intake.log.warn(format_args!("archive: {error}"));
        }
    }

    fn look(&self) -> Result<(), StoreError> {
        let mut tables = Tables::open(&self.intake.place.database())?;
        for (session, wish, at) in tables.states(ARCHIVE_DUE, MAX_DUE)? {
            if self.bell.is_closed() {
                return Ok(());
            }
            let wish: Value = serde_json::from_str(&wish).unwrap_or_default();
            let pieces = self.keep(&mut tables, &session, &wish)?;
            tables.write(|batch| {
                // A later turn may have asked again meanwhile.
                if batch.state_at(&session, ARCHIVE_DUE)? == Some(at) {
                    batch.drop_state(&session, ARCHIVE_DUE)?;
                }
                Ok(())
            })?;
            if pieces > 0 {
                self.embedding.ring();
            }
        }
        Ok(())
    }

    fn keep(&self, tables: &mut Tables, session: &SessionId, wish: &Value) -> Result<usize, StoreError> {
        if keeping::is_forgotten(tables, session)? {
            return Ok(0);
        }
        let said = |name: &str| wish[name].as_str().map(str::to_owned);
        let agent = said("agent").unwrap_or_default();
        let path = said("path").unwrap_or_default();
        let Some(conversations) = kept_by_lines(&agent, &path) else { return Ok(0) };
        let archive = self.archive()?;
        let key = Key { agent, session: session.clone(), subagent: None };
        if !path.is_empty() {
            let redactor = self.intake.redactor();
            let private = Cell::new(ends_in_private(&archive, &self.intake.place.archive(), &key)?);
            let reader = RefCell::new(conversations.reader(&path));
            let appended = archive.append(&key, Path::new(&path), &|line| {
                clean_line(&redactor, &private, &mut **reader.borrow_mut(), line)
            });
            if let Err(error) = appended {
                // Gone or not ours to read; what was archived before is still cut below.
                self.intake.log.warn(format_args!("a transcript is not kept: {error}"));
            }
        }
        let here = store::archive::span(&self.intake.place.archive(), &key)?;
        let done = tables.state(session, CHUNKED)?.and_then(|text| text.parse().ok()).unwrap_or(0);
        let credits = self.intake.config().is_on("credit-memories");
        let mut from = here.start.max(done);
        let mut pieces = 0;
        let mut reader = conversations.reader(&path);
        while from < here.end {
            let lines = archive.read(&key, from..here.end.min(from + LINES))?;
            let Some(next) = lines.last().map(|line| line.number + 1) else { break };
            let read: Vec<_> =
                lines.iter().flat_map(|line| reader.push(line.number, line.text.as_bytes())).collect();
            let cut = chunks(&read);
            pieces += cut.len();
            let wrote = if credits { own_words(&read) } else { Vec::new() };
            tables.write(|batch| {
                if let Err(error) = engine::credit(batch, session, &wrote) {
                    error.into_store().map_or(Ok(()), Err)?;
                }
                for chunk in &cut {
                    let memory = memory_of_chunk(session, wish, chunk);
                    engine::memory::keep(batch, &memory)?;
                }
                batch.set_state(session, CHUNKED, &next.to_string(), crate::intake::now())
            })?;
            from = next;
        }
        Ok(pieces)
    }
}

/// A document that is written anew as a whole has no lines that stay; its events say what was said in it.
fn kept_by_lines(agent: &str, path: &str) -> Option<&'static dyn Conversations> {
    let conversations = agents::by_name(agent)?.conversations()?;
    (conversations.growth(path) == Growth::Lines).then_some(conversations)
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

/// A piece of a session's talk as it is kept; `wish` says where the session was.
pub fn memory_of_chunk(session: &SessionId, wish: &Value, chunk: &Chunk) -> Memory {
    let said = |name: &str| wish[name].as_str().map(str::to_owned);
    let agent = said("agent").unwrap_or_default();
    let line = chunk.first_line.to_string();
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
            place: Some(format!("transcript, lines {} to {}", chunk.first_line + 1, chunk.last_line + 1)),
            ..Provenance::default()
        },
        ..Memory::new(id, MemoryKind::Chunk, chunk.at.unwrap_or(0), title, chunk.text.clone())
    }
}

/// Secrets out, and a private turn as if it had never been: its lines stay as numbers alone.
fn clean_line(redactor: &Redactor, private: &Cell<bool>, reader: &mut dyn Reader, line: &[u8]) -> Vec<u8> {
    for read in reader.push(0, line) {
        if let What::Person { text } = &read.what {
            private.set(is_private(redactor, text));
        }
    }
    if private.get() { PRIVATE_LINE.as_bytes().to_vec() } else { redactor.envelope(line).json }
}

/// Whether what is archived so far ends within a private turn: the rest of that turn comes with the next reading.
fn ends_in_private(archive: &Archive, folder: &Path, key: &Key) -> Result<bool, StoreError> {
    let here = store::archive::span(folder, key)?;
    let last = archive.read(key, here.end.saturating_sub(1)..here.end)?;
    Ok(last.last().is_some_and(|line| line.text == PRIVATE_LINE))
}

/// The redactor's own judgment of a prompt.
pub(crate) fn is_private(redactor: &Redactor, prompt: &str) -> bool {
    let envelope = json!({ "hook_event_name": "UserPromptSubmit", "prompt": prompt });
    redactor.envelope(envelope.to_string().as_bytes()).private_prompt
}
