//! What is said once must have been heard. A behavior notes what it says while it makes up its mind (a memory is claimed,
//! a line counts as told), so that two events of one moment do not both say it; whether anybody hears it is known later.
//! Until then all of it is noted on condition: unless the words are delivered, it is taken back.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use model::{Event, EventId, MemoryId, Millis, SessionId, Tail};
use store::Tables;

use crate::behaviors::{Checked, Edited, Question, Step, Wrong};
use crate::config::Config;
use crate::desk::Desk;
use crate::rules::{Judgment, Outcome, Ruled};
use crate::search::{Ask, Hit};
use crate::{Fault, Loss, Reading, Result, Surroundings};

/// What was noted as said. Dropped, it is taken back, whichever way it got lost: an answer that came late, a behavior that
/// panicked after it had noted something, a part that had no room.
#[derive(Default)]
#[must_use = "what is dropped is taken back"]
pub struct Once {
    take_back: Vec<Box<dyn FnOnce() + Send>>,
}

impl Once {
    pub fn new(take_back: impl FnOnce() + Send + 'static) -> Self {
        Self { take_back: vec![Box::new(take_back)] }
    }

    pub fn add(&mut self, mut other: Self) {
        self.take_back.append(&mut other.take_back);
    }

    /// Nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.take_back.is_empty()
    }

    /// The words were delivered: it counts as said for good.
    pub fn heard(mut self) {
        self.take_back.clear();
    }
}

impl Drop for Once {
    fn drop(&mut self) {
        // The last first: what was noted twice is as it was before the first time.
        for take_back in self.take_back.drain(..).rev() {
            take_back();
        }
    }
}

impl std::fmt::Debug for Once {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Once").field(&self.take_back.len()).finish()
    }
}

/// The surroundings of one behavior on one event: what it notes as said is remembered, so that it can be taken back.
pub struct Tentative {
    around: Arc<dyn Surroundings>,
    noted: Mutex<Once>,
}

impl std::fmt::Debug for Tentative {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tentative").field("noted", &self.noted).finish_non_exhaustive()
    }
}

impl Tentative {
    pub fn new(around: &Arc<dyn Surroundings>) -> Arc<Self> {
        Arc::new(Self { around: Arc::clone(around), noted: Mutex::default() })
    }

    /// All that was noted up to now.
    pub fn noted(&self) -> Once {
        std::mem::take(&mut *self.noted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, once: Once) {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).add(once);
    }
}

impl Surroundings for Tentative {
    fn claim(&self, session: &SessionId, subagent: Option<&str>, memory: MemoryId) -> bool {
        let is_new = self.around.claim(session, subagent, memory);
        if is_new {
            let (around, session) = (Arc::clone(&self.around), session.clone());
            let subagent = subagent.map(str::to_owned);
            self.note(Once::new(move || around.unclaim(&session, subagent.as_deref(), memory)));
        }
        is_new
    }

    fn take_to_say(&self, what: &str, by: &str, hold: Duration) -> Option<String> {
        let other = self.around.take_to_say(what, by, hold);
        if other.is_none() {
            let (around, what, by) = (Arc::clone(&self.around), what.to_owned(), by.to_owned());
            self.note(Once::new(move || around.give_back(&what, &by)));
        }
        other
    }

    fn note_checked(&self, step: &Step, named: &[Wrong], hold: bool) -> Option<Once> {
        self.note(self.around.note_checked(step, named, hold)?);
        Some(Once::default())
    }

    fn judge(&self, config: &Config, event: &Event, question: &Question, until: Instant) -> Option<Judgment> {
        let judgment = self.around.judge(config, event, question, until);
        if let Some(Judgment::Yes(missing)) = &judgment {
            // A model is asked once: where its answer holds nobody, it waits for the next prompt.
            let (around, event, missing) = (Arc::clone(&self.around), event.clone(), missing.clone());
            self.note(Once::new(move || around.judged_unheard(&event, missing)));
        }
        judgment
    }

    fn judged_late(&self, event: &Event) -> Option<String> {
        let missing = self.around.judged_late(event)?;
        let (around, event, unheard) = (Arc::clone(&self.around), event.clone(), missing.clone());
        self.note(Once::new(move || around.judged_unheard(&event, unheard)));
        Some(missing)
    }

    fn rules(&self, config: &Config, event: &Event, until: Instant) -> Vec<Ruled> {
        let ruled = self.around.rules(config, event, until);
        let is_late = |ruled: &&Ruled| ruled.is_late() && matches!(ruled.outcome, Outcome::Said(_));
        for late in ruled.iter().filter(is_late).cloned() {
            let (around, event) = (Arc::clone(&self.around), event.clone());
            self.note(Once::new(move || around.ruled_unheard(&event, late)));
        }
        ruled
    }

    fn desk(&self, session: &SessionId, subagent: Option<&str>, with: &mut dyn FnMut(&mut Desk)) {
        let mut said = Vec::new();
        self.around.desk(session, subagent, &mut |desk| said = desk.watched(&mut *with));
        if !said.is_empty() {
            let (around, session) = (Arc::clone(&self.around), session.clone());
            let subagent = subagent.map(str::to_owned);
            self.note(Once::new(move || {
                around.desk(&session, subagent.as_deref(), &mut |desk| desk.take_back(&said));
            }));
        }
    }

    fn read(&self, with: &mut dyn FnMut(&Tables) -> Result<()>) -> Result<()> {
        self.around.read(with)
    }

    fn find(&self, ask: &Ask, until: Instant) -> Result<Vec<Hit>> {
        self.around.find(ask, until)
    }

    fn tail(&self, event: &Event, bytes: u64) -> Option<Tail> {
        self.around.tail(event, bytes)
    }

    fn is_alive(&self, pid: u32) -> bool {
        self.around.is_alive(pid)
    }

    fn caught_up(&self, event: Option<EventId>, until: Instant) -> bool {
        self.around.caught_up(event, until)
    }

    fn is_running(&self, pid: u32, began: Option<&str>) -> bool {
        self.around.is_running(pid, began)
    }

    fn take(&self, what: &str, by: &str, hold: Duration) -> Option<String> {
        self.around.take(what, by, hold)
    }

    fn data(&self) -> &Path {
        self.around.data()
    }

    fn home(&self) -> Option<PathBuf> {
        self.around.home()
    }

    fn faults(&self) -> Vec<Fault> {
        self.around.faults()
    }

    fn reading(&self) -> Option<Reading> {
        self.around.reading()
    }

    fn loss(&self) -> Option<Loss> {
        self.around.loss()
    }

    fn past_conversations(&self, transcript: &str) -> u64 {
        self.around.past_conversations(transcript)
    }

    fn map(&self, root: &Path, until: Instant, with: &mut dyn FnMut(&mut atlas::Atlas)) -> bool {
        self.around.map(root, until, with)
    }

    fn warm_map(&self, root: &Path) {
        self.around.warm_map(root);
    }

    fn edited(&self, edit: &Edited) {
        self.around.edited(edit);
    }

    fn edits(&self, session: &SessionId, since: Millis) -> Vec<String> {
        self.around.edits(session, since)
    }

    fn check(&self, config: &Config, step: &Step, until: Instant) -> Checked {
        self.around.check(config, step, until)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::behaviors::tests::Around;

    #[test]
    fn what_is_not_heard_is_taken_back_in_the_order_of_its_noting_backwards() {
        let order = Arc::new(Mutex::new(Vec::new()));
        let noted = |at: usize| {
            let order = Arc::clone(&order);
            Once::new(move || order.lock().unwrap().push(at))
        };
        let mut once = noted(1);
        once.add(noted(2));
        drop(once);
        assert_eq!(*order.lock().unwrap(), [2, 1]);
        noted(3).heard();
        assert_eq!(order.lock().unwrap().len(), 2);
    }

    #[test]
    fn memories_and_lines_are_free_again_where_nobody_heard_them() {
        let folder = tempfile::tempdir().unwrap();
        let around = Arc::new(Around::new(&folder.path().join("derived.db")));
        let lent: Arc<dyn Surroundings> = Arc::clone(&around) as _;
        let (session, memory) = (SessionId::new("s"), MemoryId::from_u64(7));
        let said = AtomicUsize::new(0);
        let say = || {
            let tentative = Tentative::new(&lent);
            let mut is_new = tentative.claim(&session, None, memory);
            tentative.desk(&session, None, &mut |desk| {
                is_new &= desk.tell("line".into(), 1) && desk.outline("a", 2) && desk.refuse("a", 2);
            });
            said.fetch_add(usize::from(is_new), Ordering::Relaxed);
            (is_new, tentative.noted())
        };
        let (is_new, unheard) = say();
        assert!(is_new && !say().0, "of two at one moment one says it");
        drop(unheard);
        let (is_new, once) = say();
        assert!(is_new, "nobody heard the first");
        once.heard();
        assert!(!say().0);
        assert_eq!(said.load(Ordering::Relaxed), 2);
    }
}
