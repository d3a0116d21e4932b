//! Keeps transcripts, makes the talk in them findable and credits the memories it names: after a turn, in its own
//! time, only what is new. Reads an agent's file through its adapter; what a private turn said is not even archived.

mod cutting;
mod recutting;

use std::cell::{Cell, RefCell};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use agents::transcript::{Conversations, Growth, Reader, What};
use model::{Millis, SessionId};
use redact::Redactor;
use serde_json::{Value, json};
use store::archive::{Archive, Key};
use store::{ARCHIVE_DUE, StoreError, Tables};

use crate::bell::{Bell, Woken};
use crate::intake::Intake;
use crate::keeping;
use crate::watching::read_document;
use cutting::{Cutting, PiecePlace, public_lines};

pub use cutting::memory_of_chunk;
pub(crate) use recutting::cut_by_others;

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
        let mut due = tables.states(ARCHIVE_DUE, MAX_DUE)?;
        while !due.is_empty() && !self.bell.is_closed() {
            self.keep_all(&mut tables, due)?;
            due = tables.states(ARCHIVE_DUE, MAX_DUE)?;
        }
        Ok(())
    }

    fn keep_all(&self, tables: &mut Tables, due: Vec<(SessionId, String, Millis)>) -> Result<(), StoreError> {
        for (session, wish, at) in due {
            if self.bell.is_closed() {
                return Ok(());
            }
            let wish: Value = serde_json::from_str(&wish).unwrap_or_default();
            let pieces = self.keep(tables, &session, &wish)?;
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
        let Some(conversations) = agents::by_name(&agent).and_then(agents::Adapter::conversations) else {
            return Ok(0);
        };
        let mut cutting = Cutting::of(tables, session, wish, self.intake.config().is_on("credit-memories"))?;
        self.cut(tables, conversations, &path, &mut cutting)?;
        Ok(cutting.kept.len())
    }

    fn cut(
        &self,
        tables: &mut Tables,
        conversations: &dyn Conversations,
        path: &str,
        cutting: &mut Cutting<'_>,
    ) -> Result<(), StoreError> {
        match conversations.growth(path) {
            Growth::Lines => self.cut_lines(tables, conversations, path, cutting),
            Growth::Whole => self.cut_document(tables, conversations, path, read_document, cutting),
            Growth::Gathered => {
                let gather = |path: &Path| store::opencode_document(path).map(|(document, _)| document);
                self.cut_document(tables, conversations, path, gather, cutting)
            }
        }
    }

    fn cut_lines(
        &self,
        tables: &mut Tables,
        conversations: &dyn Conversations,
        path: &str,
        cutting: &mut Cutting<'_>,
    ) -> Result<(), StoreError> {
        let archive = self.archive()?;
        let agent = cutting.wish["agent"].as_str().unwrap_or_default().to_owned();
        let key = Key { agent, session: cutting.session.clone(), subagent: None };
        if !path.is_empty() {
            let redactor = self.intake.redactor();
            let private = Cell::new(ends_in_private(&archive, &self.intake.place.archive(), &key)?);
            let reader = RefCell::new(conversations.reader(path));
            let appended = archive.append(&key, Path::new(path), &|line| {
                clean_line(&redactor, &private, &mut **reader.borrow_mut(), line)
            });
            if let Err(error) = appended {
                // Gone or not ours to read; what was archived before is still cut below.
                self.intake.log.warn(format_args!("a transcript is not kept: {error}"));
            }
        }
        let here = store::archive::span(&self.intake.place.archive(), &key)?;
        let mut from = here.start.max(cutting.turn_line());
        while from < here.end {
            let lines = archive.read(&key, from..here.end.min(from + LINES))?;
            let Some(next) = lines.last().map(|line| line.number + 1) else { break };
            // A reader that has seen a record before says nothing when it meets it again.
            let mut reader = conversations.reader(path);
            let read: Vec<_> =
                lines.iter().flat_map(|line| reader.push(line.number, line.text.as_bytes())).collect();
            let turn = read.iter().rfind(|line| line.begins_turn()).map_or(from, |line| line.number);
            cutting.keep(tables, &read, PiecePlace::Line { next, turn })?;
            // A turn is cut as a whole, also where one reading ends in its middle.
            from = if next < here.end && turn > from { turn } else { next };
        }
        Ok(())
    }

    /// Whether the archive has a session from its first line on.
    fn holds_all(&self, agent: &str, session: &SessionId) -> Result<bool, StoreError> {
        let key = Key { agent: agent.to_owned(), session: session.clone(), subagent: None };
        Ok(store::archive::span(&self.intake.place.archive(), &key)?.start == 0)
    }

    /// One document is read anew each time and not archived: its records have names, and pieces go by these.
    fn cut_document(
        &self,
        tables: &mut Tables,
        conversations: &dyn Conversations,
        path: &str,
        read: impl Fn(&Path) -> io::Result<Vec<u8>>,
        cutting: &mut Cutting<'_>,
    ) -> Result<(), StoreError> {
        if path.is_empty() {
            return Ok(());
        }
        let document = match read(Path::new(path)) {
            Ok(document) => document,
            Err(error) => {
                self.intake.log.warn(format_args!("a conversation is not searchable: {error}"));
                return Ok(());
            }
        };
        let lines = public_lines(&self.intake.redactor(), conversations, path, &document);
        let from = lines.iter().position(|line| line.uuid.is_some() && line.uuid == cutting.turn_record());
        let lines = &lines[from.unwrap_or(0)..];
        let turn = lines.iter().rfind(|line| line.begins_turn()).and_then(|line| line.uuid.clone());
        let last = lines.last().and_then(|line| line.uuid.clone());
        if lines.is_empty() {
            return Ok(());
        }
        let places = PiecePlace::Record { last: last.unwrap_or_default(), turn: turn.unwrap_or_default() };
        cutting.keep(tables, lines, places)
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
