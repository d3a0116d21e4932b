//! Lends behaviors what they may use while an agent waits: readers of the tables that are kept open, search, the
//! end of a conversation, what each conversation has been shown. Nothing here writes.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use atlas::Atlas;
use client::Place;
use engine::config::Config;
use engine::facts::Edits;
use engine::rules::{Judgment, Ruled};
use engine::search::{Ask, Hit};
use engine::{
    Checked, Desk, Edited, EngineError, Fault, Loss, Once, Question, Reading, Step, Surroundings, Wrong,
};
use model::{Event, EventId, MemoryId, Millis, SessionId, Tail};
use rustix::fs::{Mode, OFlags};
use store::Tables;

use crate::checking::{Around, Checking, Hears};
use crate::checkpoints::Checkpoints;
use crate::embedding::Embedding;
use crate::faults::Faults;
use crate::holding::Holding;
use crate::learner::Learner;
use crate::losses::LossBook;
use crate::mapping::Mapping;
use crate::process;
use crate::rules::{Mode as Running, Rules};

/// Readers kept open: opening a database takes longer than most answers.
const READERS: usize = 4;
/// Conversations of which we know by heart what they were shown; the others are looked up.
const MAX_CONVERSATIONS: usize = 256;
/// A folder with more conversations has more than anybody counts at a start.
const MAX_PAST: usize = 1000;
/// Of the end of a conversation nobody needs more.
const MAX_TAIL: u64 = 4 << 20;

pub(crate) struct Lender {
    place: Place,
    /// Not ours to keep: it has the journal, which must be closed when the daemon leaves.
    embedding: Weak<Embedding>,
    faults: Arc<Faults>,
    losses: Arc<LossBook>,
    pub(crate) rules: Arc<Rules>,
    mapping: Arc<Mapping>,
    checkpoints: Arc<Checkpoints>,
    checking: Arc<Checking>,
    readers: Mutex<Readers>,
    shown: Mutex<Shown>,
    desks: Mutex<Desks>,
    edits: Mutex<Edits>,
    /// Not ours to keep either.
    learner: OnceLock<Weak<Learner>>,
    holding: Holding,
}

/// What conversations have in front of them, as far as we were there.
#[derive(Default)]
struct Desks {
    of: HashMap<Conversation, Desk>,
    /// Oldest first.
    known: VecDeque<Conversation>,
}

#[derive(Default)]
struct Readers {
    /// The file they read: a damaged one is put aside and derived anew under the same name.
    inode: u64,
    idle: Vec<Tables>,
}

type Conversation = (SessionId, Option<String>);

#[derive(Default)]
struct Shown {
    memories: HashMap<Conversation, HashSet<MemoryId>>,
    /// Oldest first.
    known: VecDeque<Conversation>,
}

impl Lender {
    #[expect(
        clippy::too_many_arguments,
        reason = "everything that behaviors are lent, named once where the daemon starts"
    )]
    pub(crate) fn new(
        place: Place,
        embedding: &Arc<Embedding>,
        faults: Arc<Faults>,
        losses: Arc<LossBook>,
        rules: Arc<Rules>,
        mapping: Arc<Mapping>,
        checkpoints: Arc<Checkpoints>,
        checking: Arc<Checking>,
    ) -> Arc<Self> {
        let embedding = Arc::downgrade(embedding);
        let (readers, shown, desks) = (Mutex::default(), Mutex::default(), Mutex::default());
        let learner = OnceLock::new();
        let holding = Holding::default();
        Arc::new(Self {
            place,
            embedding,
            faults,
            losses,
            rules,
            mapping,
            checkpoints,
            checking,
            readers,
            shown,
            desks,
            edits: Mutex::default(),
            learner,
            holding,
        })
    }

    /// Whoever derives the tables, so that an answer can wait for what happened a moment ago.
    pub(crate) fn follow(&self, learner: &Arc<Learner>) {
        let _ = self.learner.set(Arc::downgrade(learner));
    }

    /// What the environment of a session says.
    pub(crate) fn heard(&self, session: &SessionId, around: &Around) {
        self.checking.heard(session, around);
    }

    /// Whoever copies or repairs the database must find no reader of ours.
    pub(crate) fn let_go(&self) {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).idle.clear();
    }

    /// What a conversation was shown is no longer in front of its agent.
    pub(crate) fn forget_shown(&self, session: &SessionId) {
        let mut desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        desks.of.retain(|conversation, _| conversation.0 != *session);
        desks.known.retain(|conversation| conversation.0 != *session);
        drop(desks);
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.memories.retain(|conversation, _| conversation.0 != *session);
        // Emptied, not unknown: the tables hear of it later than we do.
        let conversation = (session.clone(), None);
        shown.known.retain(|known| known.0 != *session);
        shown.known.push_back(conversation.clone());
        shown.memories.insert(conversation, HashSet::new());
    }

    /// Files that a session has changed.
    pub(crate) fn note_edits(&self, session: &SessionId, files: Vec<String>, at: Millis) {
        self.edits.lock().unwrap_or_else(PoisonError::into_inner).note(session, files, at);
    }

    /// Whether a conversation has been shown this memory.
    pub(crate) fn is_shown(&self, session: &SessionId, subagent: Option<&str>, memory: MemoryId) -> bool {
        self.with_shown(session, subagent, |shown| shown.contains(&memory))
    }

    fn with_shown<T>(
        &self,
        session: &SessionId,
        subagent: Option<&str>,
        ask: impl FnOnce(&mut HashSet<MemoryId>) -> T,
    ) -> T {
        let conversation = (session.clone(), subagent.map(str::to_owned));
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if !shown.memories.contains_key(&conversation) {
            let mut before = HashSet::new();
            let looked_up = self.read(&mut |tables| {
                before.extend(tables.injected(session, subagent)?);
                Ok(())
            });
            // Without tables nothing was shown yet.
            drop(looked_up);
            if shown.known.len() >= MAX_CONVERSATIONS
                && let Some(oldest) = shown.known.pop_front()
            {
                shown.memories.remove(&oldest);
            }
            shown.known.push_back(conversation.clone());
            shown.memories.insert(conversation.clone(), before);
        }
        ask(shown.memories.entry(conversation).or_default())
    }

    fn with_desk(&self, session: &SessionId, subagent: Option<&str>, with: &mut dyn FnMut(&mut Desk)) {
        let conversation = (session.clone(), subagent.map(str::to_owned));
        let mut desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        if !desks.of.contains_key(&conversation) {
            if desks.known.len() >= MAX_CONVERSATIONS
                && let Some(oldest) = desks.known.pop_front()
            {
                desks.of.remove(&oldest);
            }
            desks.known.push_back(conversation.clone());
        }
        with(desks.of.entry(conversation).or_default());
    }

    /// The same desk for whoever only looks at it.
    fn copy_of_desk(&self, session: &SessionId, subagent: Option<&str>) -> Desk {
        let conversation = (session.clone(), subagent.map(str::to_owned));
        let desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        desks.of.get(&conversation).cloned().unwrap_or_default()
    }

    fn inode(&self) -> u64 {
        std::fs::metadata(self.place.database()).map_or(0, |file| file.ino())
    }
}

impl Surroundings for Lender {
    fn read(&self, with: &mut dyn FnMut(&Tables) -> engine::Result<()>) -> engine::Result<()> {
        let inode = self.inode();
        let idle = {
            let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
            if readers.inode != inode {
                *readers = Readers { inode, idle: Vec::new() };
            }
            readers.idle.pop()
        };
        let tables = match idle {
            Some(tables) => tables,
            None => Tables::open_read_only(&self.place.database())?,
        };
        let answer = with(&tables);
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.inode == inode && readers.idle.len() < READERS {
            readers.idle.push(tables);
        }
        answer
    }

    fn find(&self, ask: &Ask, until: Instant) -> engine::Result<Vec<Hit>> {
        // Gone only while the daemon leaves.
        let Some(embedding) = self.embedding.upgrade() else { return Ok(Vec::new()) };
        let search = embedding.ready()?;
        if Instant::now() >= until {
            return Ok(Vec::new());
        }
        search.run(ask)
    }

    fn tail(&self, event: &Event, bytes: u64) -> Option<Tail> {
        let adapter = agents::by_name(event.agent)?;
        let text = end_of(Path::new(event.transcript.as_deref()?), bytes.min(MAX_TAIL))?;
        Some(adapter.tail(&text))
    }

    fn claim(&self, session: &SessionId, subagent: Option<&str>, memory: MemoryId) -> bool {
        self.with_shown(session, subagent, |shown| shown.insert(memory))
    }

    fn unclaim(&self, session: &SessionId, subagent: Option<&str>, memory: MemoryId) {
        self.with_shown(session, subagent, |shown| shown.remove(&memory));
    }

    fn edits(&self, session: &SessionId, since: Millis) -> Vec<String> {
        self.edits.lock().unwrap_or_else(PoisonError::into_inner).since(session, since)
    }

    fn is_alive(&self, pid: u32) -> bool {
        process::is_running(pid, None)
    }

    fn is_running(&self, pid: u32, began: Option<&str>) -> bool {
        process::is_running(pid, began)
    }

    fn take(&self, what: &str, by: &str, hold: Duration) -> Option<String> {
        self.holding.take(what, by, hold)
    }

    fn give_back(&self, what: &str, by: &str) {
        self.holding.give_back(what, by);
    }

    fn caught_up(&self, event: Option<EventId>, until: Instant) -> bool {
        let Some(learner) = self.learner.get().and_then(Weak::upgrade) else { return false };
        if learner.is_far_behind() || learner.is_stuck() {
            return false;
        }
        let Some(id) = event else { return learner.wait_for_all(until) };
        loop {
            let learned = learner.hurry_on();
            let mut is_known = false;
            let asked = self.read(&mut |tables| {
                is_known = tables.event(id)?.is_some();
                Ok(())
            });
            if is_known {
                return true;
            }
            if asked.is_err() || learner.wait_beyond(learned, until) == learned {
                return false;
            }
        }
    }

    fn home(&self) -> Option<PathBuf> {
        std::env::home_dir()
    }

    fn data(&self) -> &Path {
        &self.place.data
    }

    fn faults(&self) -> Vec<Fault> {
        self.faults.list()
    }

    fn reading(&self) -> Option<Reading> {
        self.embedding.upgrade()?.reading()
    }

    fn loss(&self) -> Option<Loss> {
        self.losses.loss()
    }

    fn past_conversations(&self, transcript: &str) -> u64 {
        let others = conversations_beside(Path::new(transcript));
        let mut unknown = 0;
        let counted = self.read(&mut |tables| {
            for session in &others {
                unknown += u64::from(!tables.has_session(session)?);
            }
            Ok(())
        });
        if counted.is_ok() { unknown } else { 0 }
    }

    fn rules(&self, config: &Config, event: &Event, until: Instant) -> Vec<Ruled> {
        self.rules.run(config, event, until, Running::Real)
    }

    fn map(&self, root: &Path, until: Instant, with: &mut dyn FnMut(&mut Atlas)) -> bool {
        self.mapping.lend(root, until, with)
    }

    fn warm_map(&self, root: &Path) {
        self.mapping.warm(root);
    }

    fn judge(&self, config: &Config, event: &Event, question: &Question, until: Instant) -> Option<Judgment> {
        self.rules.judge(config, event, question, until)
    }

    fn judged_late(&self, event: &Event) -> Option<String> {
        self.rules.judged_late(event)
    }

    fn edited(&self, edit: &Edited) {
        self.checkpoints.edited(edit);
    }

    fn check(&self, config: &Config, step: &Step, until: Instant) -> Checked {
        self.checking.step(config, step, until, Hears::Notes)
    }

    fn note_checked(&self, step: &Step, named: &[Wrong], hold: bool) -> Option<Once> {
        self.checking.note(step, named, hold)
    }

    fn judged_unheard(&self, event: &Event, missing: String) {
        self.rules.judged_unheard(event, missing);
    }

    fn ruled_unheard(&self, event: &Event, late: Ruled) {
        self.rules.ruled_unheard(event, late);
    }

    fn desk(&self, session: &SessionId, subagent: Option<&str>, with: &mut dyn FnMut(&mut Desk)) {
        self.with_desk(session, subagent, with);
    }
}

/// The names of the other conversations of the same folder. An agent keeps each in a file of its session's name.
fn conversations_beside(transcript: &Path) -> Vec<String> {
    let Some(folder) = transcript.parent() else { return Vec::new() };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let files = entries.take(MAX_PAST).filter_map(|entry| {
        let entry = entry.ok().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))?;
        let path = entry.path();
        let is_other = path.extension().is_some_and(|extension| extension == "jsonl") && path != transcript;
        is_other.then(|| path.file_stem()?.to_str().map(str::to_owned)).flatten()
    });
    files.collect()
}

/// The last whole lines of a file. A pipe in its place is not waited for.
pub(crate) fn end_of(path: &Path, bytes: u64) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let about = file.metadata().ok()?;
    if !about.is_file() {
        return None;
    }
    let from = about.len().saturating_sub(bytes);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut text = Vec::with_capacity(bytes.min(about.len()) as usize);
    file.take(bytes).read_to_end(&mut text).ok()?;
    if from > 0 {
        let whole = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| at + 1);
        text.drain(..whole);
    }
    Some(text)
}

/// The same surroundings for whoever only wants to see what would be said: nothing is noted.
pub(crate) struct Preview {
    lender: Arc<Lender>,
    rules: Running,
    /// Its agent can be held.
    holds: bool,
}

impl Preview {
    /// For whoever only looks.
    pub(crate) fn new(lender: &Arc<Lender>) -> Self {
        Self { lender: Arc::clone(lender), rules: Running::Rehearsal, holds: false }
    }

    /// For an event whose agent hears no notes but may be held or refused.
    pub(crate) fn unheard(lender: &Arc<Lender>, holds: bool) -> Self {
        Self { lender: Arc::clone(lender), rules: Running::Real, holds }
    }
}

impl Surroundings for Preview {
    fn read(&self, with: &mut dyn FnMut(&Tables) -> engine::Result<()>) -> engine::Result<()> {
        self.lender.read(with)
    }

    fn find(&self, ask: &Ask, until: Instant) -> Result<Vec<Hit>, EngineError> {
        self.lender.find(ask, until)
    }

    fn tail(&self, event: &Event, bytes: u64) -> Option<Tail> {
        self.lender.tail(event, bytes)
    }

    fn claim(&self, session: &SessionId, subagent: Option<&str>, memory: MemoryId) -> bool {
        !self.lender.is_shown(session, subagent, memory)
    }

    fn is_alive(&self, pid: u32) -> bool {
        self.lender.is_alive(pid)
    }

    fn caught_up(&self, event: Option<EventId>, until: Instant) -> bool {
        // Whoever only looks has no event that could be learned.
        self.rules != Running::Real || self.lender.caught_up(event, until)
    }

    fn is_running(&self, pid: u32, began: Option<&str>) -> bool {
        self.lender.is_running(pid, began)
    }

    fn take(&self, what: &str, by: &str, _hold: Duration) -> Option<String> {
        // Who only looks takes nothing, and who is not heard says nothing.
        self.lender.holding.look(what, by)
    }

    fn data(&self) -> &Path {
        self.lender.data()
    }

    fn faults(&self) -> Vec<Fault> {
        self.lender.faults()
    }

    fn reading(&self) -> Option<Reading> {
        self.lender.reading()
    }

    fn loss(&self) -> Option<Loss> {
        self.lender.loss()
    }

    fn past_conversations(&self, transcript: &str) -> u64 {
        self.lender.past_conversations(transcript)
    }

    fn rules(&self, config: &Config, event: &Event, until: Instant) -> Vec<Ruled> {
        self.lender.rules.run(config, event, until, self.rules)
    }

    fn map(&self, root: &Path, until: Instant, with: &mut dyn FnMut(&mut Atlas)) -> bool {
        self.lender.mapping.lend(root, until, with)
    }

    fn warm_map(&self, root: &Path) {
        self.lender.mapping.warm(root);
    }

    fn judge(&self, config: &Config, event: &Event, question: &Question, until: Instant) -> Option<Judgment> {
        // No model is asked without need, and a late answer is not said to whoever only looks.
        if self.rules == Running::Real { self.lender.judge(config, event, question, until) } else { None }
    }

    fn check(&self, config: &Config, step: &Step, until: Instant) -> Checked {
        // A rehearsal runs nothing.
        if self.rules == Running::Rehearsal {
            return Checked::default();
        }
        self.lender.checking.step(config, step, until, if self.holds { Hears::Holds } else { Hears::Nothing })
    }

    fn note_checked(&self, step: &Step, named: &[Wrong], hold: bool) -> Option<Once> {
        // Only a hold is heard, and of a rehearsal nothing.
        if self.rules == Running::Real && self.holds && hold {
            return self.lender.note_checked(step, named, hold);
        }
        Some(Once::default())
    }

    fn judged_unheard(&self, event: &Event, missing: String) {
        self.lender.judged_unheard(event, missing);
    }

    fn ruled_unheard(&self, event: &Event, late: Ruled) {
        self.lender.ruled_unheard(event, late);
    }

    fn edits(&self, session: &SessionId, since: Millis) -> Vec<String> {
        self.lender.edits(session, since)
    }

    fn home(&self) -> Option<PathBuf> {
        self.lender.home()
    }

    fn edited(&self, edit: &Edited) {
        // A rehearsal makes nothing.
        if self.rules == Running::Real {
            self.lender.edited(edit);
        }
    }

    fn desk(&self, session: &SessionId, subagent: Option<&str>, with: &mut dyn FnMut(&mut Desk)) {
        with(&mut self.lender.copy_of_desk(session, subagent));
    }
}
