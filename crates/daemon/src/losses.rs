//! What could not be kept, as far as anybody knows: what clients have counted on the disk, what they have told us where
//! that could not be written either, and what came through doors that have no spool behind them.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use client::Place;
use client::losses::{self, Losses};
use engine::Loss;
use model::{EventId, Millis};
use serde_json::{Value, json};
use store::Journal;

pub(crate) struct LossBook {
    place: Place,
    journal: Arc<Journal>,
    /// Not on the disk yet, for it cannot be written. Bounded by what the file would name.
    unwritten: Mutex<Losses>,
}

impl std::fmt::Debug for LossBook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LossBook")
    }
}

impl LossBook {
    /// Takes the room for the count while there is some.
    pub(crate) fn new(place: &Place, journal: &Arc<Journal>) -> Arc<Self> {
        // Where there is none, it is tried again with the first loss, and memory must do.
        let _ = losses::reserve(place);
        Arc::new(Self { place: place.clone(), journal: Arc::clone(journal), unwritten: Mutex::default() })
    }

    /// Nobody else will bring this event.
    pub(crate) fn add(&self, id: EventId, at: Millis) {
        if losses::add(&self.place, id, at).is_err() {
            self.unwritten().note(id, at);
        }
    }

    /// What nobody was told of. What was counted by a client whose daemon had kept it after all is taken back.
    pub(crate) fn report(&self) -> Losses {
        let kept = |losses: &Losses| -> HashSet<EventId> {
            losses.named.iter().filter(|id| self.journal.knows(id)).copied().collect()
        };
        let mut unwritten = self.unwritten();
        let back = kept(&unwritten);
        unwritten.take_back(&back);
        let mut written = losses::read(&self.place);
        let back = kept(&written);
        if !back.is_empty() || unwritten.events > 0 {
            let waiting = unwritten.clone();
            let changed = losses::change(&self.place, |losses| {
                losses.take_back(&back);
                losses.join(&waiting);
            });
            if let Ok(changed) = changed {
                *unwritten = Losses::default();
                written = changed;
            } else {
                written.take_back(&back);
                written.join(&unwritten);
            }
        }
        written
    }

    /// A person has been told of so many.
    pub(crate) fn told(&self, events: u64) {
        let mut left = events;
        let mut unwritten = self.unwritten();
        let written = losses::change(&self.place, |losses| {
            left = left.saturating_sub(losses.events);
            losses.tell(events);
        });
        // What the disk does not take off now is told again: better than never.
        if written.is_err() {
            left = events;
        }
        unwritten.tell(left);
    }

    /// For behaviors.
    pub(crate) fn loss(&self) -> Option<Loss> {
        let Losses { events, since, until, .. } = self.report();
        (events > 0).then_some(Loss { events, since, until })
    }

    pub(crate) fn to_json(&self) -> Value {
        to_json(&self.report())
    }

    fn unwritten(&self) -> std::sync::MutexGuard<'_, Losses> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `events`, `since` and `until` are of those nobody was told of; `ever` of all.
pub fn to_json(losses: &Losses) -> Value {
    let time = |at: Millis| Some(at).filter(|at| *at > 0);
    json!({
        "events": losses.events,
        "since": time(losses.since),
        "until": time(losses.until),
        "ever": losses.ever,
    })
}

#[cfg(test)]
mod tests {
    use model::{Context, Entry, SessionId};
    use store::journal::JournalPolicy;

    use super::*;

    fn entry(id: EventId) -> Entry {
        Entry {
            id,
            at: id.minted_at(),
            agent: "claude-code".into(),
            session: SessionId::new("s"),
            event: "Stop".into(),
            tool: None,
            context: Context::new(),
            envelope: b"{}".to_vec(),
        }
    }

    #[test]
    fn what_was_kept_after_all_is_not_lost_and_what_was_told_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { data: folder.path().join("data") };
        place.ensure().unwrap();
        let (journal, _) = Journal::open(&place.journal(), JournalPolicy::default()).unwrap();
        let journal = Arc::new(journal);
        let book = LossBook::new(&place, &journal);
        let ids: Vec<EventId> = (1..=4).map(|at| EventId::mint(at * 1000, [at as u8; 10])).collect();
        for id in &ids {
            losses::add(&place, *id, id.minted_at()).unwrap();
        }
        // Its reply did not arrive.
        journal.append(&entry(ids[1])).unwrap();
        assert_eq!(book.loss().map(|loss| (loss.events, loss.since, loss.until)), Some((3, 1000, 4000)));
        assert_eq!(losses::read(&place).events, 3);
        book.told(2);
        assert_eq!(book.report().events, 1);
        book.told(1);
        assert_eq!((book.loss(), book.report().ever), (None, 3));
    }

    #[test]
    fn where_the_count_cannot_be_written_it_is_kept_in_memory_until_it_can() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { data: folder.path().join("data") };
        place.ensure().unwrap();
        let (journal, _) = Journal::open(&place.journal(), JournalPolicy::default()).unwrap();
        // A folder in its place: no file can be opened there.
        std::fs::create_dir(place.losses()).unwrap();
        let book = LossBook::new(&place, &Arc::new(journal));
        for at in 1..=3_u8 {
            book.add(EventId::mint(at.into(), [at; 10]), at.into());
        }
        assert_eq!((book.report().events, losses::read(&place).events), (3, 0));
        book.told(1);
        assert_eq!(book.report().events, 2);
        std::fs::remove_dir(place.losses()).unwrap();
        assert_eq!((book.report().events, losses::read(&place).events), (2, 2));
        book.told(2);
        assert_eq!(book.report().events, 0);
    }
}
