//! After an upgrade, distils again by the rules of today what the rules of an earlier release made of old sessions. In the background,
//! a session at a time, those first that are talked about most: the newest. Only what the journal still holds can be distilled
//! again; the rest is judged by its words. May be stopped anywhere: what is done is done, and the rest is found again.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::renew;
use model::{Deed, MemoryId, OURSELVES, SessionId};
use serde_json::{Value, json};
use store::{EventFilter, Order, StoreError, Tables};

use crate::bell::{Bell, Woken};
use crate::intake::{Intake, now};
use crate::learner::Learner;
use crate::transcripts::{self, Transcripts};

/// In the tables: the distiller whose rules made everything that is kept.
const DISTILLED_BY: &str = "distilled-by";
/// Events of one session that are read again; a longer one keeps what it has.
const MAX_EVENTS: usize = 50_000;
/// Memories of one session that are compared.
const MAX_MEMORIES: usize = 20_000;
/// A session that was heard of so lately is at work, and its turns are being distilled anyway.
const AT_WORK_MS: u64 = 60 * 60 * 1000;
/// Before the first look: a daemon that has just come up has hooks to answer.
const FIRST_LOOK: Duration = Duration::from_secs(20);
/// How long the learner may take to catch up before somebody looks again.
const CATCH_UP: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_mins(10);
/// For each second of work so many are left to everybody else.
const REST: u32 = 3;

pub(crate) struct Renewing {
    intake: Arc<Intake>,
    learner: Arc<Learner>,
    transcripts: Arc<Transcripts>,
    pub(crate) bell: Bell,
    /// Rung when memories have other words.
    filing: Arc<Bell>,
    sessions: AtomicU64,
    done: AtomicU64,
}

impl Renewing {
    pub(crate) fn new(
        intake: Arc<Intake>,
        learner: Arc<Learner>,
        transcripts: Arc<Transcripts>,
        filing: Arc<Bell>,
    ) -> Arc<Self> {
        let (sessions, done) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { intake, learner, transcripts, bell: Bell::default(), filing, sessions, done })
    }

    pub(crate) fn to_json(&self) -> Value {
        let (sessions, done) = (self.sessions.load(Ordering::Relaxed), self.done.load(Ordering::Relaxed));
        json!({ "sessions": sessions, "done": done, "running": done < sessions })
    }

    /// Returns when everything is of the rules of today, or the bell is closed.
    pub(crate) fn run(&self) {
        let mut patience = FIRST_LOOK;
        while self.bell.wait(Some(patience)) != Woken::Closed {
            match self.look() {
                Ok(true) => {
                    if let Err(error) = self.cut_again() {
                        self.intake.log.warn(format_args!("old talk keeps its holes for now: {error}"));
                    }
                    return;
                }
                Ok(false) => {}
                Err(error) => {
                    self.intake.log.warn(format_args!("old sessions keep their words for now: {error}"));
                }
            }
            patience = LOOK_AGAIN;
        }
    }

    /// Whether nothing is left to do.
    fn look(&self) -> Result<bool, StoreError> {
        // What is not learned yet would be taken for missing.
        if !self.learner.wait_for_all(Instant::now() + CATCH_UP) {
            return Ok(false);
        }
        let mut tables = Tables::open(&self.intake.place.database())?;
        if tables.meta(DISTILLED_BY)?.as_deref() == Some(renew::RULES) {
            return Ok(true);
        }
        let sessions = tables.sessions_distilled_by_others(renew::RULES)?;
        self.sessions.store(sessions.len() as u64, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        let mut left = 0;
        for session in &sessions {
            let began = Instant::now();
            match self.renew(&mut tables, session) {
                Ok(true) => {}
                Ok(false) => left += 1,
                Err(error) => {
                    left += 1;
                    self.intake.log.warn(format_args!("session {session} keeps its old words: {error}"));
                }
            }
            self.done.fetch_add(1, Ordering::Relaxed);
            self.filing.ring();
            if self.bell.wait(Some(began.elapsed() * REST)) == Woken::Closed {
                return Ok(false);
            }
        }
        if left == 0 {
            tables.write(|batch| batch.set_meta(DISTILLED_BY, renew::RULES))?;
        }
        Ok(left == 0)
    }

    /// The pieces of old sessions' talk, a session at a time.
    fn cut_again(&self) -> Result<(), StoreError> {
        let mut tables = Tables::open(&self.intake.place.database())?;
        for session in transcripts::cut_by_others(&tables)? {
            let began = Instant::now();
            self.transcripts.cut_again(&mut tables, &session)?;
            self.filing.ring();
            if self.bell.wait(Some(began.elapsed() * REST)) == Woken::Closed {
                break;
            }
        }
        Ok(())
    }

    /// False: not now, the session is at work.
    fn renew(&self, tables: &mut Tables, session: &SessionId) -> Result<bool, StoreError> {
        let filter = EventFilter {
            session: Some(session.clone()),
            order: Order::OldestFirst,
            limit: MAX_EVENTS + 1,
            ..EventFilter::default()
        };
        let rows = tables.events(&filter)?;
        if rows.last().is_some_and(|last| now().saturating_sub(last.at) < AT_WORK_MS) {
            return Ok(false);
        }
        let mut events = Vec::new();
        if rows.len() <= MAX_EVENTS {
            // An entry that is gone, or cannot be read, is an event that shows nothing any more.
            let read = |row: &store::EventRow| self.intake.journal.read_at(row.location).ok();
            events.extend(rows.iter().filter_map(read).map(|one| (one.seq, agents::event_of(&one.entry))));
        }
        let old = tables.memories_of_session(session, MAX_MEMORIES)?;
        // A model has read these turns: its words stand before ours, and ours may stay behind them.
        if old.iter().any(|row| row.superseded_by.is_some() && row.memory.kind.is_observation()) {
            events.clear();
        }
        let scratch = Scratch::new(self.intake.place.data.join("renewing"))?;
        let derived = renew::derive(&mut Tables::open(&scratch.0.join("derived.db"))?, &events)?;
        let shown = events.iter().map(|(_, event)| event.id).collect();
        // Where a person ever wanted something gone, nothing comes back.
        let adds = !tables.has_forgotten()?;
        let renewal = renew::compare(&old, &derived.memories, &shown, adds);
        let mut edited = BTreeSet::new();
        for row in &old {
            if self.is_edited(tables, row.memory.id)? {
                edited.insert(row.memory.id);
            }
        }
        tables.write(|batch| {
            if adds {
                renew::learn_fixes(batch, &events)?;
            }
            renew::apply(batch, &derived, &renewal, &edited)
        })?;
        Ok(true)
    }

    /// Whether a person has given a memory other words.
    fn is_edited(&self, tables: &Tables, id: MemoryId) -> Result<bool, StoreError> {
        let is_edit = |seq: u64| {
            let stored = self.intake.journal.read_from(seq).next().and_then(Result::ok);
            stored.filter(|stored| stored.seq == seq && stored.entry.agent == OURSELVES).is_some_and(
                |stored| {
                    let deed = serde_json::from_slice::<Deed>(&stored.entry.envelope);
                    matches!(deed, Ok(Deed::Edit { id: of, .. }) if of == id)
                },
            )
        };
        Ok(tables.deeds_of(id)?.into_iter().any(is_edit))
    }
}

/// A folder that is gone when nobody needs it any more.
struct Scratch(PathBuf);

impl Scratch {
    fn new(folder: PathBuf) -> Result<Self, StoreError> {
        // Of a daemon that was killed.
        let _ = std::fs::remove_dir_all(&folder);
        let made =
            std::os::unix::fs::DirBuilderExt::mode(&mut std::fs::DirBuilder::new(), 0o700).create(&folder);
        made.map_err(|source| StoreError::Io { path: folder.clone(), source })?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is removed by the next one.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
