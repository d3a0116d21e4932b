//! Lends behaviors what they may use while an agent waits: readers of the tables that are kept open, search, the
//! end of a conversation, what each conversation has been shown. Nothing here writes.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

use client::Place;
use engine::config::Config;
use engine::rules::Ruled;
use engine::search::{Ask, Hit};
use engine::{EngineError, Fault, Surroundings};
use model::{Event, MemoryId, SessionId, Tail};
use rustix::fs::{Mode, OFlags};
use store::Tables;

use crate::embedding::Embedding;
use crate::faults::Faults;
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
    pub(crate) rules: Arc<Rules>,
    readers: Mutex<Readers>,
    shown: Mutex<Shown>,
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
    pub(crate) fn new(
        place: Place,
        embedding: &Arc<Embedding>,
        faults: Arc<Faults>,
        rules: Arc<Rules>,
    ) -> Arc<Self> {
        let embedding = Arc::downgrade(embedding);
        Arc::new(Self { place, embedding, faults, rules, readers: Mutex::default(), shown: Mutex::default() })
    }

    /// Whoever copies or repairs the database must find no reader of ours.
    pub(crate) fn let_go(&self) {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner).idle.clear();
    }

    /// What a conversation was shown is no longer in front of its agent.
    pub(crate) fn forget_shown(&self, session: &SessionId) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.memories.retain(|conversation, _| conversation.0 != *session);
        // Emptied, not unknown: the tables hear of it later than we do.
        let conversation = (session.clone(), None);
        shown.known.retain(|known| known.0 != *session);
        shown.known.push_back(conversation.clone());
        shown.memories.insert(conversation, HashSet::new());
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

    fn is_alive(&self, pid: u32) -> bool {
        is_alive(pid)
    }

    fn data(&self) -> &Path {
        &self.place.data
    }

    fn faults(&self) -> Vec<Fault> {
        self.faults.list()
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
fn end_of(path: &Path, bytes: u64) -> Option<Vec<u8>> {
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
}

impl Preview {
    /// For whoever only looks.
    pub(crate) fn new(lender: &Arc<Lender>) -> Self {
        Self { lender: Arc::clone(lender), rules: Running::Rehearsal }
    }

    /// For an event whose agent hears no notes but may be held or refused.
    pub(crate) fn unheard(lender: &Arc<Lender>) -> Self {
        Self { lender: Arc::clone(lender), rules: Running::Real }
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

    fn data(&self) -> &Path {
        self.lender.data()
    }

    fn faults(&self) -> Vec<Fault> {
        self.lender.faults()
    }

    fn past_conversations(&self, transcript: &str) -> u64 {
        self.lender.past_conversations(transcript)
    }

    fn rules(&self, config: &Config, event: &Event, until: Instant) -> Vec<Ruled> {
        self.lender.rules.run(config, event, until, self.rules)
    }
}

/// Whether a process of this id lives on this machine.
pub fn is_alive(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else {
        return false;
    };
    // Signal 0 asks without touching.
    !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}
