//! Takes in transcripts of sessions that ran before we were there: as the events their hooks would have sent, in
//! the way of every envelope. One at a time, in the background; may be stopped and begun again anywhere.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use agents::transcript::{Conversations, Ending, PastEvent, Replay, events_of};
use model::{EventKind, Millis, SessionId};
use serde_json::{Value, json};
use store::archive::RawLines;
use store::{StoreError, Tables};

use crate::intake::Intake;
use crate::keeping;
use crate::learner::Learner;

/// Events in one commit.
const BATCH: usize = 256;
/// A file that has not changed for so long belongs to a session that is over.
const OVER: Duration = Duration::from_hours(24);
/// How far reading may be ahead of learning: what is not learned yet is not known to be there already.
const MAX_AHEAD: u64 = 20_000;
const AHEAD_PATIENCE: Duration = Duration::from_mins(2);

#[derive(Debug, Default)]
pub(crate) struct Backfill {
    running: AtomicBool,
    stopping: AtomicBool,
    files: AtomicU64,
    files_done: AtomicU64,
    bytes: AtomicU64,
    bytes_done: AtomicU64,
    events: AtomicU64,
    known: AtomicU64,
    troubles: Mutex<Vec<String>>,
}

/// Troubles told to the person; more of the same say nothing new.
const MAX_TROUBLES: usize = 20;

impl Backfill {
    pub(crate) fn to_json(&self) -> Value {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        json!({
            "running": self.running.load(Ordering::SeqCst),
            "files": read(&self.files),
            "files_done": read(&self.files_done),
            "bytes": read(&self.bytes),
            "bytes_done": read(&self.bytes_done),
            "events": read(&self.events),
            "already_known": read(&self.known),
            "troubles": *self.troubles.lock().unwrap_or_else(PoisonError::into_inner),
        })
    }

    /// Begins in the background. False: one is under way.
    pub(crate) fn start(self: &Arc<Self>, intake: Arc<Intake>, learner: Arc<Learner>, past: Past) -> bool {
        if self.running.swap(true, Ordering::SeqCst) {
            return false;
        }
        let Past { agent, conversations, paths } = past;
        self.stopping.store(false, Ordering::SeqCst);
        for counter in [&self.files_done, &self.bytes_done, &self.events, &self.known] {
            counter.store(0, Ordering::Relaxed);
        }
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |meta| meta.len());
        self.files.store(paths.len() as u64, Ordering::Relaxed);
        self.bytes.store(paths.iter().map(size).sum(), Ordering::Relaxed);
        let work = Arc::clone(self);
        let begun = std::thread::Builder::new().name("backfill".into()).spawn(move || {
            for path in paths {
                if work.stopping.load(Ordering::SeqCst) {
                    break;
                }
                if let Err(error) = work.take_file(&intake, &learner, (agent, conversations), &path) {
                    work.trouble(format!("{}: {error}", path.display()));
                }
                work.files_done.fetch_add(1, Ordering::Relaxed);
            }
            work.running.store(false, Ordering::SeqCst);
        });
        if begun.is_err() {
            self.running.store(false, Ordering::SeqCst);
        }
        begun.is_ok()
    }

    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    fn trouble(&self, what: String) {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        if troubles.len() < MAX_TROUBLES {
            troubles.push(what);
        }
    }

    fn take_file(
        &self,
        intake: &Intake,
        learner: &Learner,
        (agent, conversations): (&str, &dyn Conversations),
        path: &Path,
    ) -> Result<(), BackfillError> {
        let name = path.to_string_lossy();
        let mut reader = conversations.reader(&name);
        let mut raw = RawLines::open(path)?;
        let still =
            std::fs::metadata(path)?.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        let ending = if still.is_some_and(|age| age > OVER) { Ending::Over } else { Ending::Open };
        let (mut read, mut trouble) = (0, None);
        let lines = std::iter::from_fn(|| match raw.next() {
            Ok(line) => line.map(|line| {
                self.bytes_done.fetch_add(line.end - read, Ordering::Relaxed);
                read = line.end;
                reader.push(line.number, line.bytes)
            }),
            Err(error) => {
                trouble = Some(error);
                None
            }
        })
        .flatten();
        let replay = Replay::new(conversations, &name);
        let (mut batch, mut private) = (Vec::new(), false);
        let mut known = Known::open(intake)?;
        for event in events_of(lines, replay, ending) {
            if self.stopping.load(Ordering::SeqCst) {
                return Ok(());
            }
            if known.has(&event)? {
                self.known.fetch_add(1, Ordering::Relaxed);
                // What is recorded was not private, and neither is what follows it.
                if private || event.kind == EventKind::UserPromptSubmit {
                    self.commit(intake, learner, agent, std::mem::take(&mut batch), &mut private)?;
                    private = false;
                }
                continue;
            }
            batch.push(event);
            if batch.len() >= BATCH {
                self.commit(intake, learner, agent, std::mem::take(&mut batch), &mut private)?;
            }
        }
        self.commit(intake, learner, agent, batch, &mut private)?;
        trouble.map_or(Ok(()), |error| Err(error.into()))
    }

    fn commit(
        &self,
        intake: &Intake,
        learner: &Learner,
        agent: &str,
        events: Vec<PastEvent>,
        private: &mut bool,
    ) -> Result<(), BackfillError> {
        let envelopes = events.into_iter().map(|event| event.into_envelope(agent)).collect();
        let (last, kept) = intake.take_past(envelopes, private)?;
        self.events.fetch_add(kept as u64, Ordering::Relaxed);
        learner.wait_until(last.saturating_sub(MAX_AHEAD), std::time::Instant::now() + AHEAD_PATIENCE);
        Ok(())
    }
}

/// The conversations of one agent that are to be taken in.
pub(crate) struct Past {
    pub(crate) agent: &'static str,
    pub(crate) conversations: &'static dyn Conversations,
    pub(crate) paths: Vec<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum BackfillError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is recorded already: by an earlier backfill, under the same id, or by the hooks of the session itself,
/// from some moment on.
struct Known {
    tables: Tables,
    live_since: Option<(SessionId, Option<Millis>)>,
}

impl Known {
    fn open(intake: &Intake) -> Result<Self, StoreError> {
        Ok(Self { tables: Tables::open_read_only(&intake.place.database())?, live_since: None })
    }

    fn has(&mut self, event: &PastEvent) -> Result<bool, StoreError> {
        if self.tables.event(event.id)?.is_some() {
            return Ok(true);
        }
        if self.live_since.as_ref().is_none_or(|(session, _)| *session != event.session) {
            // What a person wanted gone is as good as known.
            let forgotten = keeping::is_forgotten(&self.tables, &event.session)?;
            let live = if forgotten { Some(0) } else { self.tables.heard_at(&event.session)? };
            self.live_since = Some((event.session.clone(), live));
        }
        let live = self.live_since.as_ref().and_then(|(_, live)| *live);
        Ok(live.is_some_and(|live| event.at >= live))
    }
}
