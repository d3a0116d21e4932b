//! Sees to it that nothing grows without bound and nothing half done stays so: memories within their cap, archives
//! within theirs, turns of sessions that died distilled, the sessions ended, and what was forgotten gone from every file. Decides what
//! goes by what it is worth, never by what it says.

mod ending;
mod forgetting;

pub(crate) use forgetting::{is_forgotten, note};

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use model::MemoryId;
use serde_json::{Value, json};
use store::{StoreError, Tables};

use crate::backfill::Backfill;
use crate::bell::{Bell, Woken};
use crate::intake::{Intake, now};
use crate::learner::Learner;
use crate::memory_files::MemoryFiles;
use crate::transcripts::Transcripts;

/// A start has better things to do first.
const FIRST_LOOK: Duration = Duration::from_secs(5);
/// Often enough that a session that died is distilled before the next one wants to know of it.
const LOOK: Duration = Duration::from_mins(10);
/// Room is a matter of days.
const ROOM_EVERY: Duration = Duration::from_hours(1);
/// How long a look may take for its own work; what is left is done by the next.
const LOOK_PATIENCE: Duration = Duration::from_mins(2);
/// A turn without a step for so long has lost its agent. The longest quiet step known is a build of twenty minutes.
const STALE_MS: u64 = 30 * 60 * 1000;
/// Turns a model never took, and what was carried between turns of a session: after so long nobody asks for them.
const TURNS_KEPT_MS: u64 = 30 * DAY_MS;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Where events come all the time the learner is a moment behind; further behind it makes the tables anew.
const CATCH_UP: Duration = Duration::from_secs(2);
/// Candidates looked up at once: they are sorted by worth, which reads all memories each time.
const CANDIDATES: usize = 20_000;
/// Memories dropped in one transaction; who learns meanwhile waits for one of them.
const DROPPED_AT_ONCE: usize = 500;

pub(crate) struct Keeping {
    intake: Arc<Intake>,
    learner: Arc<Learner>,
    transcripts: Arc<Transcripts>,
    backfill: Arc<Backfill>,
    pub(crate) files: Arc<MemoryFiles>,
    pub(crate) bell: Bell,
    /// One sweeps at a time.
    sweeping: Mutex<()>,
}

impl Keeping {
    pub(crate) fn new(
        intake: Arc<Intake>,
        learner: Arc<Learner>,
        transcripts: Arc<Transcripts>,
        backfill: Arc<Backfill>,
        files: Arc<MemoryFiles>,
    ) -> Arc<Self> {
        let (bell, sweeping) = (Bell::default(), Mutex::default());
        Arc::new(Self { intake, learner, transcripts, backfill, files, bell, sweeping })
    }

    /// Returns when the bell is closed.
    pub(crate) fn run(&self) {
        let mut made_room: Option<Instant> = None;
        let mut patience = FIRST_LOOK;
        while self.bell.wait(Some(patience)) != Woken::Closed {
            patience = LOOK;
            self.note_costs();
            let until = Instant::now() + LOOK_PATIENCE;
            self.told("forgetting", self.sweep(until).map(drop));
            if !self.is_quiet() {
                continue;
            }
            self.told("turns", self.end_stale_turns());
            if made_room.is_none_or(|at| at.elapsed() >= ROOM_EVERY) {
                made_room = Some(Instant::now());
                self.told("room", self.make_room(until).map(drop));
                self.told("turns", self.prune_turns());
                self.told("sessions", self.end_silent_sessions());
                self.transcripts.enforce(self.intake.config().number("archive.keep-bytes"));
            }
        }
        self.note_costs();
    }

    fn note_costs(&self) {
        self.told("costs", self.intake.hours.flush(&self.intake, now(), || self.tables()));
    }

    fn told(&self, what: &str, done: Result<(), StoreError>) {
        if let Err(error) = done {
            self.intake.log.warn(format_args!("{what}: {error}"));
        }
    }

    /// Everything acknowledged is in the tables, and nobody brings in the past: only then does the age of a step
    /// say anything about its session.
    fn is_quiet(&self) -> bool {
        let caught_up = self.learner.wait_until(self.intake.journal.head(), Instant::now() + CATCH_UP);
        caught_up && self.backfill.to_json()["running"] == false
    }

    fn tables(&self) -> Result<Tables, StoreError> {
        Tables::open(&self.intake.place.database())
    }

    fn end_stale_turns(&self) -> Result<(), StoreError> {
        let mut tables = self.tables()?;
        for (session, subagent) in tables.stale_turns(now().saturating_sub(STALE_MS))? {
            if self.bell.is_closed() {
                break;
            }
            tables.write(|batch| match engine::end_stale_turn(batch, &session, subagent.as_deref()) {
                Ok(()) => Ok(()),
                Err(error) => error.into_store().map_or(Ok(()), Err),
            })?;
        }
        Ok(())
    }

    fn prune_turns(&self) -> Result<(), StoreError> {
        self.tables()?.write(|batch| batch.prune_turns(now().saturating_sub(TURNS_KEPT_MS)))
    }

    /// What `gc` answers: how many memories went (or would go), how many are left, and how many bytes of text and
    /// of archives that is. Before the deed the bytes are an estimate.
    ///
    /// `free` bytes are wanted beyond that, of what lies in whole files and needs no room to be dropped: archived
    /// conversations first, then what the journal has told the tables already.
    pub(crate) fn gc(&self, dry_run: bool, free: u64, until: Instant) -> Value {
        if free > 0 && !dry_run {
            let freed = self.free(free);
            // The tables may be writable now.
            self.learner.hurry_on();
            return json!({ "freed": freed });
        }
        let done = if dry_run { self.weigh() } else { self.make_room(until) };
        match done {
            Ok(room) => {
                let archive = self.archive_bytes(dry_run);
                json!({ "dropped": room.dropped, "kept": room.kept, "bytes": room.bytes + archive, "dry_run": dry_run })
            }
            Err(error) => json!({ "error": error.to_string() }),
        }
    }

    fn free(&self, wanted: u64) -> u64 {
        let total = || self.transcripts.archive().map_or(0, |archive| archive.total_bytes());
        let before = total();
        self.transcripts.enforce(before.saturating_sub(wanted));
        let freed = before.saturating_sub(total());
        if freed >= wanted {
            return freed;
        }
        let learned = self.learner.learned.load(Ordering::SeqCst);
        match self.intake.journal.make_room(wanted - freed, learned, now()) {
            Ok(dropped) => {
                if dropped.segments > 0 {
                    self.learner.prune.store(true, Ordering::SeqCst);
                }
                freed + dropped.bytes
            }
            Err(error) => {
                self.intake.log.warn(format_args!("room: {error}"));
                freed
            }
        }
    }

    fn archive_bytes(&self, dry_run: bool) -> u64 {
        let keep = self.intake.config().number("archive.keep-bytes");
        let total = || self.transcripts.archive().map_or(0, |archive| archive.total_bytes());
        let before = total();
        if dry_run {
            return before.saturating_sub(keep);
        }
        self.transcripts.enforce(keep);
        before.saturating_sub(total())
    }

    /// The oldest a memory may be, in Unix milliseconds. 0: all may stay.
    fn oldest(&self) -> u64 {
        match self.intake.config().number("memory.keep-days") {
            0 => 0,
            days => now().saturating_sub(days.saturating_mul(DAY_MS)),
        }
    }

    fn weigh(&self) -> Result<Room, StoreError> {
        let tables = self.tables()?;
        let count = tables.count_memories()?;
        let (old, bytes) = tables.weigh_memories(self.oldest())?;
        let cap = self.intake.config().number("memory.keep-count");
        let dropped = old + (count - old.min(count)).saturating_sub(cap);
        let bytes = (bytes as f64 * dropped as f64 / count.max(1) as f64) as u64;
        Ok(Room { dropped, kept: count - dropped.min(count), bytes })
    }

    fn make_room(&self, until: Instant) -> Result<Room, StoreError> {
        let mut tables = self.tables()?;
        let cap = self.intake.config().number("memory.keep-count");
        let oldest = self.oldest();
        let mut room = Room::default();
        loop {
            let count = tables.count_memories()?;
            let over = count.saturating_sub(cap) as usize;
            let mut going = if oldest > 0 { tables.expendable(oldest, CANDIDATES)? } else { Vec::new() };
            if going.is_empty() && over > 0 {
                going = tables.expendable(u64::MAX, over.min(CANDIDATES))?;
                if going.is_empty() {
                    // Only what people wrote, brought in or pinned is left, and it alone is too much.
                    going = tables.expendable_at_last(over.min(CANDIDATES))?;
                }
            }
            let gone = self.drop_all(&mut tables, &going, until, &mut room.bytes)?;
            room.dropped += gone;
            if gone == 0 || gone < going.len() as u64 {
                room.kept = tables.count_memories()?;
                break;
            }
        }
        if room.dropped > 0 {
            let Room { dropped, kept, .. } = room;
            self.intake.log.info(format_args!("{dropped} memories dropped to make room, {kept} kept"));
        }
        Ok(room)
    }

    fn drop_all(
        &self,
        tables: &mut Tables,
        going: &[MemoryId],
        until: Instant,
        bytes: &mut u64,
    ) -> Result<u64, StoreError> {
        let mut dropped = 0;
        for some in going.chunks(DROPPED_AT_ONCE) {
            if self.bell.is_closed() || Instant::now() >= until {
                break;
            }
            let (gone, freed) = tables.write(|batch| {
                let (mut gone, mut freed) = (0, 0);
                for id in some {
                    freed += batch.text_bytes(*id)?;
                    gone += u64::from(engine::memory::drop_for_room(batch, *id)?);
                }
                Ok((gone, freed))
            })?;
            dropped += gone;
            *bytes += freed;
        }
        Ok(dropped)
    }
}

#[derive(Default)]
struct Room {
    dropped: u64,
    kept: u64,
    bytes: u64,
}
