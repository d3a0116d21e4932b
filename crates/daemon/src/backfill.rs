//! Takes in conversations that were held before we were there: as the events their hooks would have sent, in the way
//! of every envelope. One at a time, in the background; may be stopped and begun again anywhere.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use agents::transcript::{Conversations, Ending, Growth, Line, Replay, events_of};
use serde_json::{Value, json};
use store::StoreError;
use store::archive::RawLines;

use crate::intake::Intake;
use crate::learner::Learner;
use crate::past::{Known, Taken, Taking};
use crate::watching::read_document;

/// A file that has not changed for so long belongs to a session that is over.
pub(crate) const OVER: Duration = Duration::from_hours(24);
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
        let growth = conversations.growth(&name);
        let gathered = if growth == Growth::Gathered { Some(store::opencode_document(path)?) } else { None };
        let modified = match &gathered {
            Some((_, modified)) => *modified,
            None => std::fs::metadata(path)?.modified().ok(),
        };
        let still = modified.and_then(|at| SystemTime::now().duration_since(at).ok());
        let long_ago = crate::intake::now().saturating_sub(OVER.as_millis() as u64);
        let ending =
            if still.is_some_and(|age| age > OVER) { Ending::Over } else { Ending::OverBefore(long_ago) };
        let mut trouble = None;
        let lines: Box<dyn Iterator<Item = Line>> = match growth {
            Growth::Whole | Growth::Gathered => {
                let document = match gathered {
                    Some((document, _)) => document,
                    None => read_document(path)?,
                };
                self.bytes_done.fetch_add(document.len() as u64, Ordering::Relaxed);
                Box::new(reader.push(0, &document).into_iter())
            }
            Growth::Lines => {
                let mut raw = RawLines::open(path)?;
                let (mut read, trouble) = (0, &mut trouble);
                let lines = std::iter::from_fn(move || match raw.next() {
                    Ok(line) => line.map(|line| {
                        self.bytes_done.fetch_add(line.end - read, Ordering::Relaxed);
                        read = line.end;
                        reader.push(line.number, line.bytes)
                    }),
                    Err(error) => {
                        *trouble = Some(error);
                        None
                    }
                });
                Box::new(lines.flatten())
            }
        };
        let replay = Replay::new(conversations, &name);
        let (mut taking, mut known) = (Taking::default(), Known::open(intake)?);
        for event in events_of(lines, replay, ending) {
            if self.stopping.load(Ordering::SeqCst) {
                return Ok(());
            }
            self.count(learner, taking.push(intake, &mut known, agent, event)?);
        }
        self.count(learner, taking.commit(intake, agent)?);
        trouble.map_or(Ok(()), |error| Err(error.into()))
    }

    fn count(&self, learner: &Learner, taken: Taken) {
        self.events.fetch_add(taken.new as u64, Ordering::Relaxed);
        self.known.fetch_add(taken.known as u64, Ordering::Relaxed);
        if taken.last > 0 {
            let until = Instant::now() + AHEAD_PATIENCE;
            learner.wait_until(taken.last.saturating_sub(MAX_AHEAD), until);
        }
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
