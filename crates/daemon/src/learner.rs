//! Follows the journal and derives the tables from it, in its order, after the commit and outside anybody's
//! waiting time. Can be stopped anywhere: the cursor moves in the same transaction as what was derived.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::deeds::Done;
use engine::learners;
use model::{Deed, OURSELVES};
use store::{Batch, EventRow, StoreError, Stored, Tables};

use crate::bell::Bell;
use crate::faults::Trouble;
use crate::intake::Intake;
use crate::keeping;
use crate::metrics::count;

/// Entries in one transaction: large enough to catch up quickly, small enough that readers see progress.
const BATCH: usize = 512;
/// Bytes of envelopes in one transaction: a few giants must not be in memory at once.
const BATCH_BYTES: usize = 16 << 20;
/// The kind in a mark is a few words.
const MAX_KIND: usize = 48;
/// The journal wakes us; this is only for being told to stop on a system that lost a wake-up.
const NAP: Duration = Duration::from_mins(10);
/// Long enough for the hooks of one step of an agent, short enough that nobody sees it.
const BREATH: Duration = Duration::from_millis(40);
/// Between the head's move and the bytes behind it.
const MOMENT: Duration = Duration::from_millis(1);
/// Entries that are not derived within the deadline of any event.
const FAR_BEHIND: u64 = 20_000;
/// After a full disk or a locked database, in steps up to the last.
const BACK_OFF: [Duration; 4] =
    [Duration::from_millis(50), Duration::from_millis(250), Duration::from_secs(1), Duration::from_secs(5)];

/// Somebody waits for what is learned: no breath is taken.
#[derive(Debug, Default)]
pub(crate) struct Hurry {
    asked: Mutex<bool>,
    hurried: Condvar,
}

impl Hurry {
    pub(crate) fn ask(&self) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.hurried.notify_all();
    }

    /// Waits this long, or until somebody is in a hurry.
    fn rest(&self, most: Duration) {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if !*asked {
            drop(self.hurried.wait_timeout(asked, most).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Lets a burst gather, so that it costs one transaction and no processor the agent wants.
    fn take_breath(&self) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if !*asked {
            asked = self.hurried.wait_timeout(asked, BREATH).unwrap_or_else(PoisonError::into_inner).0;
        }
        *asked = false;
    }
}

#[derive(Debug)]
pub(crate) struct Learner {
    intake: Arc<Intake>,
    pub(crate) learned: AtomicU64,
    /// Retention has dropped segments: the rows that point at them go, too.
    pub(crate) prune: AtomicBool,
    /// The tables are there.
    is_open: AtomicBool,
    /// How often the tables could not be written, for a reason that a moment does not mend: a full disk, above all.
    failed: AtomicU64,
    /// The last attempt failed, and the next one comes later.
    is_stuck: AtomicBool,
    moved: (Mutex<()>, Condvar),
    stopping: AtomicBool,
    /// Whoever has work when something was learned.
    bells: Vec<Arc<Bell>>,
}

impl Learner {
    pub(crate) fn new(intake: Arc<Intake>, bells: Vec<Arc<Bell>>) -> Arc<Self> {
        Arc::new(Self {
            intake,
            learned: AtomicU64::new(0),
            prune: AtomicBool::new(false),
            is_open: AtomicBool::new(false),
            failed: AtomicU64::new(0),
            is_stuck: AtomicBool::new(false),
            moved: (Mutex::new(()), Condvar::new()),
            stopping: AtomicBool::new(false),
            bells,
        })
    }

    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.intake.hurry.ask();
        self.intake.journal.wake();
    }

    /// Waits until everything up to `seq` is derived. False: it took too long, or the tables cannot be written now.
    pub(crate) fn wait_until(&self, seq: u64, until: Instant) -> bool {
        let failed = self.failed.load(Ordering::SeqCst);
        self.intake.hurry.ask();
        let (lock, moved) = &self.moved;
        let mut held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        while self.learned.load(Ordering::SeqCst) < seq {
            let left = until.saturating_duration_since(Instant::now());
            // One who waited for a disk would wait until somebody has made room.
            if left.is_zero() || self.failed.load(Ordering::SeqCst) > failed {
                return false;
            }
            held = moved.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Waits until there are tables to ask. False: it takes longer, a large database is being changed or rebuilt.
    pub(crate) fn wait_open(&self, until: Instant) -> bool {
        let (lock, moved) = &self.moved;
        let mut held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_open.load(Ordering::SeqCst) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            held = moved.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Waits until more than what is up to `seq` is derived, and hurries nobody; how far it is by then.
    pub(crate) fn wait_beyond(&self, seq: u64, until: Instant) -> u64 {
        let (lock, moved) = &self.moved;
        let mut held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let learned = self.learned.load(Ordering::SeqCst);
            let left = until.saturating_duration_since(Instant::now());
            if learned > seq || left.is_zero() {
                return learned;
            }
            held = moved.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until everything that is kept by now is derived. False: it took too long.
    pub(crate) fn wait_for_all(&self, until: Instant) -> bool {
        self.wait_until(self.intake.journal.head(), until)
    }

    /// What comes next is derived without a breath before it; how far it is now.
    pub(crate) fn hurry_on(&self) -> u64 {
        self.intake.hurry.ask();
        self.learned.load(Ordering::SeqCst)
    }

    /// Whether so much is left to derive that nobody's deadline reaches the end of it: after a rebuild, or an import.
    pub(crate) fn is_far_behind(&self) -> bool {
        self.intake.journal.head().saturating_sub(self.learned.load(Ordering::SeqCst)) > FAR_BEHIND
    }

    fn move_to(&self, seq: u64) {
        let (lock, moved) = &self.moved;
        let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.learned.store(seq, Ordering::SeqCst);
        self.is_stuck.store(false, Ordering::SeqCst);
        moved.notify_all();
    }

    /// Whether the tables could not be written a moment ago: an answer that waited for them would come late.
    pub(crate) fn is_stuck(&self) -> bool {
        self.is_stuck.load(Ordering::SeqCst)
    }

    /// Tells those who wait that they wait in vain.
    fn note_failed(&self) {
        let (lock, moved) = &self.moved;
        let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.failed.fetch_add(1, Ordering::SeqCst);
        self.is_stuck.store(true, Ordering::SeqCst);
        moved.notify_all();
    }

    /// Returns when told to stop.
    pub(crate) fn run(&self) {
        let mut failures = 0;
        while !self.stopping.load(Ordering::SeqCst) {
            match self.follow() {
                Ok(()) => failures = 0,
                Err(error) => {
                    count(&self.intake.counters.learn_failures);
                    self.intake.log.warn(format_args!("learning waits: {error}"));
                    self.intake.faults.raise_store(Trouble::Learning, &error);
                    if matches!(error, StoreError::Damaged(_)) && failures == 0 {
                        // Met after the opening. It is put aside once; if that does not help, waiting may.
                        if let Err(error) = begin_anew(&self.intake) {
                            self.intake.log.warn(error);
                        }
                    }
                    if matches!(error, StoreError::Full(_) | StoreError::ReadOnly(_) | StoreError::Io { .. })
                    {
                        self.note_failed();
                    }
                    std::thread::sleep(BACK_OFF[0]);
                    // Whoever waits for the tables has them tried at once: there may be room again.
                    self.intake.hurry.rest(BACK_OFF[failures.min(BACK_OFF.len() - 1)]);
                    failures += 1;
                }
            }
        }
    }

    fn follow(&self) -> Result<(), StoreError> {
        let mut tables = open_or_rebuild(&self.intake)?;
        let cursor = tables.cursor()?;
        // Entries numbered below the cursor would never be derived.
        self.intake.journal.advance_past(cursor);
        self.is_open.store(true, Ordering::SeqCst);
        self.move_to(cursor);
        while !self.stopping.load(Ordering::SeqCst) {
            let cursor = self.learned.load(Ordering::SeqCst);
            if self.intake.journal.wait_beyond(cursor, NAP) > cursor {
                self.intake.hurry.take_breath();
                self.learn_batch(&mut tables, cursor)?;
            }
        }
        Ok(())
    }

    fn learn_batch(&self, tables: &mut Tables, cursor: u64) -> Result<(), StoreError> {
        let mut entries = self.intake.journal.read_from(cursor + 1);
        let (mut batch, mut bytes) = (Vec::new(), 0);
        for stored in entries.by_ref().take(BATCH) {
            match stored {
                Ok(stored) => {
                    bytes += stored.entry.envelope.len();
                    batch.push(stored);
                    if bytes >= BATCH_BYTES {
                        break;
                    }
                }
                // Damaged bytes are reported once and passed over; what follows them is sound.
                Err(error @ StoreError::Unreadable { .. }) => self.intake.log.warn(error),
                Err(error) => return Err(error),
            }
        }
        // Not the head: it moves a moment before the bytes may be read, and what lies between would be passed
        // over. A gap (retention, a failed batch, damage) is behind the position without an entry.
        let last = entries.position() - 1;
        if last <= cursor {
            std::thread::sleep(MOMENT);
            return Ok(());
        }
        let first = self.prune.swap(false, Ordering::SeqCst).then(|| self.intake.journal.tail());
        tables.write(|tx| {
            if let Some(first) = first {
                tx.prune_events_below(first)?;
                tx.prune_deeds_below(first)?;
                tx.prune_injections_below(first)?;
            }
            for stored in &batch {
                self.learn_one(tx, stored)?;
            }
            tx.set_cursor(last)
        })?;
        self.move_to(last);
        self.intake.faults.clear(Trouble::Learning);
        self.bells.iter().for_each(|bell| bell.ring());
        Ok(())
    }

    /// A deed that cannot be read any more, or was never ours, changes nothing.
    fn learn_deed(&self, tx: &mut Batch<'_>, stored: &Stored) -> Result<(), StoreError> {
        let entry = &stored.entry;
        let Ok(deed) = serde_json::from_slice::<Deed>(&entry.envelope) else {
            count(&self.intake.counters.learn_failures);
            self.intake.log.warn(format_args!("the deed {} cannot be read", entry.id));
            return Ok(());
        };
        keeping::note(tx, stored.seq, &deed)?;
        let done = Done { id: entry.id, at: entry.at };
        match catch_unwind(AssertUnwindSafe(|| engine::deeds::learn(tx, done, &deed))) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => error.into_store().map_or(Ok(()), Err),
            Err(_) => {
                count(&self.intake.counters.learn_failures);
                self.intake.log.warn(format_args!("learning the deed {} panicked", entry.id));
                Ok(())
            }
        }
    }

    fn learn_one(&self, tx: &mut Batch<'_>, stored: &Stored) -> Result<(), StoreError> {
        let entry = &stored.entry;
        tx.set_position(stored.seq);
        if entry.agent == OURSELVES {
            return self.learn_deed(tx, stored);
        }
        let event = agents::event_of(entry);
        let config = self.intake.config();
        for behavior in learners(&config, event.kind) {
            let began = Instant::now();
            let learned = catch_unwind(AssertUnwindSafe(|| behavior.learn(tx, &event)));
            self.intake.advisor.note_learned(behavior.name(), began);
            match learned {
                Ok(Ok(())) => {}
                Ok(Err(error)) => error.into_store().map_or(Ok(()), Err)?,
                Err(_) => {
                    count(&self.intake.counters.learn_failures);
                    self.intake.log.warn(format_args!("{} panicked on {}", behavior.name(), entry.id));
                }
            }
        }
        // After the behaviors: the session it is counted in must be there.
        let is_new = tx.insert_event(&EventRow {
            seq: stored.seq,
            id: entry.id,
            at: entry.at,
            agent: entry.agent.clone(),
            session: entry.session.clone(),
            kind: entry.event.clone(),
            tool: entry.tool.clone(),
            subagent: event.subagent.as_ref().map(|agent| agent.id.clone()),
            bytes: entry.envelope.len() as u64,
            location: stored.location,
        })?;
        if is_new {
            for (kind, count) in masks(&entry.envelope) {
                tx.count_redactions(entry.at, kind, count)?;
            }
        }
        Ok(())
    }
}

/// Counts the redactor's marks in a stored envelope, so that the figures can be rebuilt with the rest.
fn masks(envelope: &[u8]) -> BTreeMap<&str, u64> {
    const OPENING: &str = "[REDACTED:";
    let text = std::str::from_utf8(envelope).unwrap_or_default();
    let mut counts = BTreeMap::new();
    for (at, _) in text.match_indices(OPENING) {
        let rest = &text[at + OPENING.len()..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len());
        if (1..=MAX_KIND).contains(&end) {
            *counts.entry(&rest[..end]).or_default() += 1;
        }
    }
    counts
}

/// A damaged database is put aside and derived anew: it holds nothing the journal does not.
fn open_or_rebuild(intake: &Intake) -> Result<Tables, StoreError> {
    let path = intake.place.database();
    match Tables::open(&path) {
        Err(StoreError::Damaged(damaged)) => {
            intake.log.warn(format_args!("{} is damaged; rebuilding it from the journal", damaged.display()));
            begin_anew(intake)
        }
        opened => opened,
    }
}

/// New tables, with what only the old ones knew as far as they can be read.
fn begin_anew(intake: &Intake) -> Result<Tables, StoreError> {
    let path = intake.place.database();
    let aside = store::move_aside(&path)?;
    let what = format!(
        "The database was damaged. It lies in {} and is made anew from the journal; nothing recorded is lost.",
        aside.display()
    );
    intake.faults.raise(Trouble::Rebuilt, &what);
    let mut tables = Tables::open(&path)?;
    match tables.carry_over(&aside, intake.journal.tail()) {
        Ok(carried) => intake.log.info(format_args!("from the old tables: {carried:?}")),
        Err(error) => intake.log.warn(format_args!("nothing is carried over: {error}")),
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_counted_by_kind_and_strangers_text_is_not() {
        let text = br#"{"a":"[REDACTED:github-pat:7c1e90] [REDACTED:password] [REDACTED:password]","b":"[REDACTED:]"}"#;
        assert_eq!(masks(text), BTreeMap::from([("github-pat", 1), ("password", 2)]));
    }
}
