//! Follows the conversations of agents whose hooks are not installed, where a person asked for it: what is written in
//! their files becomes events a moment later, in the way of every envelope, and exactly once.
//!
//! Nothing is watched by default, and then the thread sleeps. It polls: a look at some folders and at the files that
//! grew lately costs less than a millisecond, and no system call tells of every change on every file system. It never
//! writes to what it watches, follows no link, and leaves alone what hooks have heard.

mod file;
mod folder;
mod memory;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use agents::transcript::Conversations;
use engine::config::Config;
use serde_json::{Value, json};
use store::StoreError;

use crate::backfill::OVER;
use crate::bell::{Bell, Woken};
use crate::intake::{Intake, now};
use crate::learner::Learner;
use crate::past::{Known, Taken};
use file::Followed;
use folder::{Conversation, Recent, Walk};
use memory::Memory;

pub(crate) use file::read_document;
pub use folder::{Conversation as ConversationFile, find_conversations};

/// Between two looks while somebody is talking, and while nobody is: what is said is here within this.
const AWAKE: Duration = Duration::from_secs(1);
const DROWSY: Duration = Duration::from_millis(2500);
/// Nobody has said anything for this long.
const QUIET: Duration = Duration::from_mins(1);
/// Entries of a folder looked at in one round: some milliseconds.
const ENTRIES: usize = 2_000;
/// Read in one round. What there is beyond it is read in the next, which then comes at once.
const ROUND_BYTES: u64 = 32 << 20;
/// Conversations followed in one folder: those that changed last.
const MAX_FOLLOWED: usize = 512;
/// How far reading may be ahead of learning, as in a backfill.
const MAX_AHEAD: u64 = 20_000;
const AHEAD_PATIENCE: Duration = Duration::from_mins(2);
/// How long the tables of a new house may take to be made before their absence is a trouble, and between two looks.
const MAKING: Duration = Duration::from_secs(5);
const MAKING_LOOK: Duration = Duration::from_millis(20);
/// What is remembered is written this often.
const REMEMBER_EVERY: Duration = Duration::from_mins(1);
/// The file in the data folder that remembers.
const MEMORY_FILE: &str = "watching.json";

pub(crate) struct Watching {
    intake: Arc<Intake>,
    learner: Arc<Learner>,
    pub(crate) bell: Arc<Bell>,
    status: Mutex<Vec<Value>>,
}

/// What a person asked for.
struct Watched {
    /// As it stands in the configuration: `AGENT=FOLDER`.
    key: String,
    agent: &'static str,
    conversations: &'static dyn Conversations,
    root: PathBuf,
}

impl Watching {
    pub(crate) fn new(intake: Arc<Intake>, learner: Arc<Learner>) -> Arc<Self> {
        Arc::new(Self { intake, learner, bell: Arc::default(), status: Mutex::default() })
    }

    /// How it goes, folder by folder.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "watched": *self.status.lock().unwrap_or_else(PoisonError::into_inner) })
    }

    /// Returns when the bell is closed.
    pub(crate) fn run(&self) {
        let mut folders: Vec<Folder> = Vec::new();
        let mut memory = Memory::load(&self.memory_file());
        let mut remembered = Instant::now();
        loop {
            let wanted = wanted(&self.intake.config());
            // What is known is asked of the tables: they must have caught up before anything is read again.
            if folders.is_empty() && !wanted.is_empty() && !self.catch_up() {
                return;
            }
            folders.retain(|folder| wanted.iter().any(|wanted| wanted.key == folder.watched.key));
            for watched in wanted {
                if !folders.iter().any(|folder| folder.watched.key == watched.key) {
                    let since = memory.looked_at.get(&watched.key).copied();
                    folders.push(Folder::new(watched, since));
                }
            }
            let patience = self.round(&mut folders, &mut memory);
            *self.status.lock().unwrap_or_else(PoisonError::into_inner) =
                folders.iter().map(Folder::to_json).collect();
            if !folders.is_empty() && remembered.elapsed() >= REMEMBER_EVERY {
                remembered = Instant::now();
                self.remember(&folders, &mut memory);
            }
            if self.bell.wait(patience) == Woken::Closed {
                if !folders.is_empty() {
                    self.remember(&folders, &mut memory);
                }
                return;
            }
        }
    }

    /// Looks once at everything, and says how long to wait until the next time. `None`: until something changes.
    fn round(&self, folders: &mut [Folder], memory: &mut Memory) -> Option<Duration> {
        if folders.is_empty() {
            return None;
        }
        let paused = client::pause::is_paused(&self.intake.place);
        if memory.note_pause(paused, now()) {
            self.remember(folders, memory);
        }
        if paused {
            return Some(DROWSY);
        }
        let mut budget = ROUND_BYTES;
        let mut taken = Taken::default();
        for folder in &mut *folders {
            match folder.look(&self.intake, memory, &mut budget) {
                Ok(more) => {
                    folder.refused = None;
                    taken.add(more);
                }
                Err(error) => {
                    folder.refused = Some(error.to_string());
                    self.intake.log.warn(format_args!("watching {}: {error}", folder.watched.agent));
                }
            }
        }
        if taken.last > 0 {
            let until = Instant::now() + AHEAD_PATIENCE;
            self.learner.wait_until(taken.last.saturating_sub(MAX_AHEAD), until);
        }
        let behind = folders.iter().any(Folder::is_behind);
        let quiet = folders.iter().all(|folder| folder.changed.elapsed() > QUIET);
        Some(if behind {
            Duration::ZERO
        } else if quiet {
            DROWSY
        } else {
            AWAKE
        })
    }

    /// False: there is nothing to wait for any more.
    fn catch_up(&self) -> bool {
        let head = self.intake.journal.head();
        while !self.learner.wait_until(head, Instant::now() + AWAKE) {
            if self.bell.is_closed() {
                return false;
            }
        }
        // Where nothing was ever recorded there is nothing to catch up with, and perhaps nothing to ask yet.
        let until = Instant::now() + MAKING;
        while !Known::is_there(&self.intake) && Instant::now() < until {
            if self.bell.is_closed() {
                return false;
            }
            std::thread::sleep(MAKING_LOOK);
        }
        true
    }

    fn remember(&self, folders: &[Folder], memory: &mut Memory) {
        memory.looked_at.retain(|key, _| folders.iter().any(|folder| folder.watched.key == *key));
        for folder in folders.iter().filter(|folder| !folder.is_behind()) {
            if let Some(at) = folder.complete_since {
                memory.looked_at.insert(folder.watched.key.clone(), millis(at));
            }
        }
        if let Err(error) = memory.store(&self.memory_file()) {
            self.intake.log.warn(format_args!("how far was watched is not kept: {error}"));
        }
    }

    fn memory_file(&self) -> PathBuf {
        self.intake.place.data.join(MEMORY_FILE)
    }
}

/// One agent's conversations in one folder.
struct Folder {
    watched: Watched,
    walk: Walk,
    walk_began: SystemTime,
    /// When the last walk that came to its end began: everything older was seen.
    complete_since: Option<SystemTime>,
    /// Conversations that have not changed since are left to a backfill, until the first walk has come to its end.
    horizon: SystemTime,
    recent: Recent,
    followed: HashMap<PathBuf, Followed>,
    /// When something was last read.
    changed: Instant,
    new: usize,
    /// Why the last look could not be kept.
    refused: Option<String>,
    /// The file that could not be read last, and why.
    trouble: Option<(PathBuf, String)>,
}

impl Folder {
    fn new(watched: Watched, looked_at: Option<u64>) -> Self {
        let now = SystemTime::now();
        let looked_at = looked_at.map_or(now, |at| UNIX_EPOCH + Duration::from_millis(at)).min(now);
        Self {
            walk: Walk::new(&watched.root),
            watched,
            walk_began: now,
            complete_since: None,
            horizon: looked_at - OVER,
            recent: Recent::default(),
            followed: HashMap::new(),
            changed: Instant::now(),
            new: 0,
            refused: None,
            trouble: None,
        }
    }

    fn to_json(&self) -> Value {
        let unread = self.trouble.as_ref().map(|(path, why)| format!("{}: {why}", path.display()));
        json!({
            "agent": self.watched.agent,
            "folder": self.watched.root,
            "exists": self.watched.root.is_dir(),
            "following": self.followed.len(),
            "behind": self.is_behind(),
            "events": self.new,
            "trouble": self.refused.clone().or(unread),
        })
    }

    fn is_behind(&self) -> bool {
        self.followed.values().any(Followed::is_behind)
    }

    fn look(&mut self, intake: &Intake, memory: &Memory, budget: &mut u64) -> Result<Taken, StoreError> {
        let now = SystemTime::now();
        self.discover(now);
        let (mut known, mut all) = (None, Taken::default());
        let paths: Vec<PathBuf> = self.followed.keys().cloned().collect();
        for path in paths {
            let Some(followed) = self.followed.get_mut(&path) else { continue };
            let events = match followed.look(now, budget) {
                Ok(events) => events,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    self.followed.remove(&path);
                    self.trouble.take_if(|(unread, _)| *unread == path);
                    continue;
                }
                Err(error) => {
                    self.trouble = Some((path, error.to_string()));
                    continue;
                }
            };
            if events.is_empty() {
                continue;
            }
            self.trouble.take_if(|(unread, _)| *unread == path);
            self.changed = Instant::now();
            let events = events.into_iter().filter(|event| !memory.was_paused(event.at)).collect();
            let opened = known.take().map_or_else(|| Known::open(intake), Ok);
            let taken = opened.and_then(|mut opened| {
                let taken = followed.take(intake, &mut opened, self.watched.agent, events);
                known = Some(opened);
                taken
            });
            match taken {
                Ok(taken) => {
                    self.new += taken.new;
                    all.add(taken);
                }
                Err(error) => {
                    // Begun anew when it is met again: nothing is lost, since nothing of it is known yet.
                    self.followed.remove(&path);
                    return Err(error);
                }
            }
        }
        self.followed.retain(|_, followed| !followed.is_over());
        Ok(all)
    }

    fn discover(&mut self, now: SystemTime) {
        let conversations = self.watched.conversations;
        let (mut found, folders) = self.walk.step(conversations, ENTRIES);
        found.extend(self.recent.look(&self.watched.root, conversations, ENTRIES));
        self.recent.note(folders);
        found.retain(|found| found.modified >= self.horizon);
        for conversation in found {
            self.follow(conversation);
        }
        if self.walk.is_done() {
            self.complete_since = Some(self.walk_began);
            self.walk = Walk::new(&self.watched.root);
            self.walk_began = now;
            self.horizon = now - OVER;
        }
    }

    fn follow(&mut self, found: Conversation) {
        if self.followed.contains_key(&found.path) {
            return;
        }
        if self.followed.len() >= MAX_FOLLOWED {
            let quietest = self.followed.values().min_by_key(|followed| followed.modified());
            let Some((path, modified)) = quietest.map(|one| (one.path().to_owned(), one.modified())) else {
                return;
            };
            if found.modified.duration_since(UNIX_EPOCH).map_or(0, |at| at.as_secs() as i64) <= modified.0 {
                return;
            }
            self.followed.remove(&path);
        }
        let followed = Followed::new(self.watched.conversations, &found.path);
        self.followed.insert(found.path, followed);
    }
}

/// Entries that are none of ours are told by `throughline watch list`.
fn wanted(config: &Config) -> Vec<Watched> {
    let entries = config.list("watch.agents").iter();
    entries
        .filter_map(|entry| {
            let (agent, folder) = entry.split_once('=')?;
            let adapter = agents::by_name(agent)?;
            let conversations = adapter.conversations()?;
            let root = PathBuf::from(folder);
            root.is_absolute().then(|| Watched {
                key: entry.clone(),
                agent: adapter.name(),
                conversations,
                // The person named it: if it is a link, it is theirs.
                root: std::fs::canonicalize(&root).unwrap_or(root),
            })
        })
        .collect()
}

fn millis(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
