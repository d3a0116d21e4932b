//! Memories as files: Markdown with front matter in a folder that people edit and keep in git, the same as the store
//! within a second in both directions. What a person wrote is theirs: a file is changed only where the memory changed,
//! and a file that is gone takes its memory out of sight and not out of the journal. Ranks nothing, forgets nothing by
//! itself.

mod folder;
mod intaking;
mod merging;
mod state;
mod sync;
mod watch;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use model::{MemoryId, Millis};
use serde_json::{Value, json};
use store::{StoreError, Tables};

use crate::bell::{Bell, Woken};
use crate::faults::Trouble;
use crate::intake::Intake;
use crate::learner::Learner;
use crate::memory_files::folder::Folder;
use crate::memory_files::state::State;
use crate::memory_files::sync::Sync;
use crate::memory_files::watch::{Touched, Watch};

/// Editors save in several steps; this long without one and they are done.
const QUIET: Duration = Duration::from_millis(80);
/// Where somebody writes all the time we look nevertheless: what was said must be found within a second.
const LONGEST_GATHERING: Duration = Duration::from_millis(400);
/// Where nobody tells us of changes.
const POLL: Duration = Duration::from_secs(1);
/// A folder that is away for longer than a minute is away for long.
const POLL_LONG: Duration = Duration::from_secs(10);
const LONG_AWAY: Duration = Duration::from_mins(1);
/// After a failure that may pass: a full disk, tables that are being made anew.
const RETRY: Duration = Duration::from_secs(1);
/// Where events come all the time the learner is a moment behind; further behind it makes the tables anew.
const CATCH_UP: Duration = Duration::from_secs(2);
/// Who wants to leave waits for one of these.
const SLICE: Duration = Duration::from_millis(100);
/// Problems told at once; whoever mends these is told the rest.
const MAX_TOLD: usize = 100;

/// A problem of the folder and not of a file in it: it is told to people, too.
const FOLDER: &str = "";

/// What mends each kind of problem, as a person types it.
const CORRECT: &str = "correct the file; docs/reference/memory-files.md says what is understood";
const NAME_FOLDER: &str = "throughline config set memory.folder /an/absolute/path";
const FORGET_MISSING: &str = "throughline forget --missing-files";

#[derive(Debug, PartialEq, Eq)]
struct Problem {
    what: String,
    repair: &'static str,
}

pub(crate) struct MemoryFiles {
    intake: Arc<Intake>,
    learner: Arc<Learner>,
    touched: Touched,
    rounds: Mutex<Rounds>,
    round_done: Condvar,
    /// By the file's name, or the folder's own.
    problems: Mutex<BTreeMap<String, Problem>>,
}

#[derive(Debug, Default)]
struct Rounds {
    asked: u64,
    done: u64,
    folder: Option<PathBuf>,
    files: usize,
    /// We are told of changes and need not look.
    is_watched: bool,
    /// The folder held files and cannot be opened.
    is_away: bool,
    /// Memories whose files were not there at the last look.
    missing: Vec<MemoryId>,
}

/// What is known of the folder that the settings name.
struct Work {
    named: PathBuf,
    /// Inside of our own: for one person alone.
    is_ours: bool,
    folder: Option<Folder>,
    away_since: Option<Instant>,
    watch: Option<Watch>,
    state: State,
    /// Everything is compared once, before anybody tells us of changes.
    is_compared: bool,
    /// Files that were not there at the last look, and since when.
    missing: HashMap<MemoryId, Instant>,
    /// Whose counters wait, and until when.
    counting: BTreeMap<MemoryId, Millis>,
    /// Memories whose files could not be written at the first try.
    retried: BTreeSet<MemoryId>,
}

impl Rounds {
    fn say(&mut self, folder: Option<&Path>, files: usize, is_watched: bool) {
        self.folder = folder.map(Path::to_owned);
        (self.files, self.is_watched, self.is_away) = (files, is_watched, false);
    }
}

impl MemoryFiles {
    /// `bell` is rung by whoever learns.
    pub(crate) fn new(intake: Arc<Intake>, learner: Arc<Learner>, bell: Arc<Bell>) -> Arc<Self> {
        Arc::new(Self {
            intake,
            learner,
            touched: Touched { bell, flag: Arc::default() },
            rounds: Mutex::default(),
            round_done: Condvar::new(),
            problems: Mutex::default(),
        })
    }

    pub(crate) fn bell(&self) -> &Bell {
        &self.touched.bell
    }

    /// Returns when the bell is closed.
    pub(crate) fn run(&self) {
        let mut work = None;
        let mut patience = Some(Duration::ZERO);
        while self.touched.bell.wait(patience) != Woken::Closed {
            let touched = self.gather();
            let asked = self.rounds().asked;
            patience = match catch_unwind(AssertUnwindSafe(|| self.round(&mut work, touched))) {
                Ok(Ok(patience)) => patience,
                Ok(Err(error)) => {
                    self.intake.log.warn(format_args!("memory files wait: {error}"));
                    Some(RETRY)
                }
                Err(_) => {
                    work = None;
                    Some(LONG_AWAY)
                }
            };
            self.rounds().done = asked;
            self.round_done.notify_all();
        }
        self.round_done.notify_all();
    }

    /// Waits until everything learned by now is in the files, so that who forgets can be told that it is gone.
    pub(crate) fn settle(&self, until: Instant) -> bool {
        let mut rounds = self.rounds();
        rounds.asked += 1;
        let mine = rounds.asked;
        self.touched.bell.ring();
        while rounds.done < mine {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.touched.bell.is_closed() {
                return false;
            }
            let waited = self.round_done.wait_timeout(rounds, left.min(POLL));
            rounds = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// For `status` and `doctor`.
    pub(crate) fn to_json(&self) -> Value {
        let rounds = self.rounds();
        let problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        let told: Vec<String> = problems.iter().map(|(path, found)| sentence(path, &found.what)).collect();
        let repairs: Vec<&str> = problems.values().map(|found| found.repair).collect();
        json!({
            "folder": rounds.folder,
            "files": rounds.files,
            "watched": rounds.is_watched,
            "problems": told,
            "repairs": repairs,
        })
    }

    /// The memories that have lost their files, for who wants them gone as well. Looks twice, as before a single one
    /// is believed to be gone.
    pub(crate) fn missing(&self, until: Instant) -> Value {
        for before in [Duration::ZERO, intaking::CONFIRMED] {
            thread::sleep(before);
            self.touched.flag.store(true, Ordering::SeqCst);
            if !self.settle(until) {
                return json!({ "error": "the memory files are still being compared" });
            }
        }
        let rounds = self.rounds();
        if rounds.is_away {
            let what = "the folder of memory files is gone; make it again, empty, and repeat `throughline forget --missing-files`";
            return json!({ "error": what });
        }
        json!({ "missing": rounds.missing })
    }

    fn rounds(&self) -> std::sync::MutexGuard<'_, Rounds> {
        self.rounds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets whoever saves finish. Whether files were touched at all.
    fn gather(&self) -> bool {
        let began = Instant::now();
        let mut touched = false;
        while self.touched.flag.swap(false, Ordering::SeqCst) {
            touched = true;
            if began.elapsed() >= LONGEST_GATHERING {
                break;
            }
            thread::sleep(QUIET);
        }
        touched
    }

    /// Compares what may differ. How long nothing will be due by itself; `None`: until somebody rings.
    fn round(&self, held: &mut Option<Work>, touched: bool) -> Result<Option<Duration>, StoreError> {
        let Some(named) = self.named() else {
            *held = None;
            self.rounds().say(None, 0, false);
            let mut tables = self.tables()?;
            if !tables.files_due(1)?.is_empty() {
                tables.write(|batch| {
                    batch.no_files_due()?;
                    Ok(())
                })?;
            }
            return Ok(None);
        };
        let work = match held {
            Some(work) if work.named == named => work,
            held => held.insert(self.begin(named)),
        };
        let looks = touched || !work.is_compared || work.watch.is_none() || work.folder.is_none();
        if looks && !self.find(work) {
            self.rounds().is_away = true;
            let long = work.away_since.is_some_and(|since| since.elapsed() >= LONG_AWAY);
            return Ok(Some(if long { POLL_LONG } else { POLL }));
        }
        if !work.is_compared && !self.is_caught_up() {
            return Ok(Some(RETRY));
        }
        let mut sync = Sync::new(self, work, self.tables()?);
        let done = sync.run(looks);
        let patience = sync.patience();
        let saved = work.state.save(&self.intake.place.memories_state());
        if let Err(error) = saved {
            self.intake.log.warn(format_args!("what the memory files said is not kept: {error}"));
        }
        done?;
        let mut rounds = self.rounds();
        rounds.say(Some(&work.named), work.state.live().count(), work.watch.is_some());
        rounds.missing = work.missing.keys().copied().collect();
        drop(rounds);
        Ok(patience)
    }

    /// The folder the settings name; `None` is no folder.
    fn named(&self) -> Option<PathBuf> {
        let config = self.intake.config();
        match config.text("memory.folder").trim() {
            "" => Some(self.intake.place.memories()),
            "off" => None,
            path if Path::new(path).is_absolute() => Some(PathBuf::from(path)),
            path => {
                let what = format!(
                    "memory.folder is \"{path}\", which is no absolute path; nothing is kept as files"
                );
                self.tell_with(FOLDER, what, NAME_FOLDER);
                None
            }
        }
    }

    fn begin(&self, named: PathBuf) -> Work {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let state = State::load(&self.intake.place.memories_state(), &named.to_string_lossy());
        let is_ours = named.starts_with(&self.intake.place.data);
        Work {
            named,
            is_ours,
            folder: None,
            away_since: None,
            watch: None,
            state,
            is_compared: false,
            missing: HashMap::new(),
            counting: BTreeMap::new(),
            retried: BTreeSet::new(),
        }
    }

    /// Opens the folder, or makes it if it never was there. One that held files and is gone is waited for: it may be
    /// a branch, a disk or a mistake, and none of them is a wish to lose memories.
    fn find(&self, work: &mut Work) -> bool {
        let known = work.state.live().next().is_some();
        let mut found = Folder::open(&work.named);
        if found.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) && !known {
            found = client::place::make_folder(&work.named).and_then(|()| Folder::open(&work.named));
        } else if found.is_ok() && work.is_ours {
            // A loose one is tightened, as every folder of ours.
            let _ = client::place::make_folder(&work.named);
        }
        match found {
            Ok(folder) => {
                if work.folder.is_none() {
                    work.watch = Watch::start(self.touched.clone()).ok();
                    self.untell(FOLDER);
                }
                work.away_since = None;
                work.folder = Some(folder);
                true
            }
            Err(error) => {
                let gone = format!(
                    "{} cannot be opened ({error}); its {} memories stay. Put it back, or name another with `throughline config set memory.folder`",
                    work.named.display(),
                    work.state.live().count()
                );
                self.tell_with(FOLDER, gone, NAME_FOLDER);
                (work.folder, work.watch) = (None, None);
                work.away_since.get_or_insert_with(Instant::now);
                // Whatever changed meanwhile is compared when it is back.
                work.is_compared = false;
                false
            }
        }
    }

    fn tables(&self) -> Result<Tables, StoreError> {
        Tables::open(&self.intake.place.database())
    }

    /// Everything acknowledged is in the tables: only then does a missing row say anything.
    fn is_caught_up(&self) -> bool {
        self.is_learned(self.intake.journal.head(), CATCH_UP)
    }

    /// Waits for the learner, unless we are to leave: it may have left already.
    fn is_learned(&self, seq: u64, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        loop {
            let slice = until.min(Instant::now() + SLICE);
            if self.learner.wait_until(seq, slice) {
                return true;
            }
            if slice >= until || self.touched.bell.is_closed() {
                return false;
            }
        }
    }

    /// Says a problem once, by its file.
    fn tell(&self, path: &str, what: String) {
        self.tell_with(path, what, if path == FOLDER { "throughline doctor" } else { CORRECT });
    }

    fn tell_with(&self, path: &str, what: String, repair: &'static str) {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        if problems.get(path).is_some_and(|told| told.what == what)
            || problems.len() >= MAX_TOLD && !problems.contains_key(path)
        {
            return;
        }
        // A name may say what its file must not.
        let said = self.intake.redactor().bytes(sentence(path, &what).as_bytes()).bytes;
        let said = format!("memory files: {}", String::from_utf8_lossy(&said));
        self.intake.log.warn(&said);
        if path == FOLDER {
            self.intake.faults.clear(Trouble::MemoryFiles);
            self.intake.faults.raise_with(Trouble::MemoryFiles, &said, repair);
        }
        problems.insert(path.to_owned(), Problem { what, repair });
    }

    fn untell(&self, path: &str) {
        let told = self.problems.lock().unwrap_or_else(PoisonError::into_inner).remove(path);
        if told.is_some() && path == FOLDER {
            self.intake.faults.clear(Trouble::MemoryFiles);
        }
    }

    /// Problems of files that are gone are none.
    fn untell_all_but(&self, is_there: impl Fn(&str) -> bool) {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        problems.retain(|path, _| path == FOLDER || is_there(path));
    }
}

fn sentence(path: &str, what: &str) -> String {
    if path == FOLDER { what.to_owned() } else { format!("{path}: {what}") }
}
