//! Sockets and threads: one process per user and namespace that hears every hook. No SQL, no ranking, no
//! agent's JSON here; if you need them you are in the wrong room.
//!
//! Threads, all asleep while nothing happens: a few at the door, one learner, one for signals, one that looks
//! after things once a minute, and advisors when a behavior wants to speak.

mod advisor;
mod backfill;
mod bell;
mod checking;
mod checkpoints;
mod control;
mod deciding;
mod deeds;
mod delivery;
mod door;
mod embedding;
mod faults;
mod holding;
mod inside;
mod intake;
mod keeping;
mod last_words;
mod late;
mod learner;
mod lender;
mod lifecycle;
mod log;
mod losses;
mod mapping;
mod memory_files;
mod metrics;
mod models;
mod past;
mod preview;
mod process;
mod renewing;
mod replay;
pub mod rules;
mod searching;
mod sharing;
mod side_door;
mod spool_watch;
mod transcripts;
mod twins;
mod verdicts;
mod watching;
mod workspace;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use client::Place;
use engine::config::{Config, ConfigError};
use redact::Redactor;
use serde_json::Value;
use store::{Journal, StoreError, Tables};

use crate::backfill::Backfill;
use crate::bell::Bell;
use crate::checking::Checking;
use crate::checkpoints::Checkpoints;
use crate::control::Daemon;
use crate::door::Door;
use crate::embedding::Embedding;
use crate::faults::{Faults, Trouble};
use crate::intake::{Intake, now};
use crate::keeping::Keeping;
use crate::learner::Learner;
use crate::lender::Lender;
use crate::lifecycle::{Bound, Lock};
use crate::log::Log;
use crate::mapping::Mapping;
use crate::memory_files::MemoryFiles;
use crate::models::Models;
use crate::renewing::Renewing;
use crate::replay::Replays;
use crate::rules::Rules;
use crate::sharing::Sharing;
use crate::side_door::Announced;
use crate::transcripts::Transcripts;
use crate::watching::Watching;

pub use crate::checkpoints::record_of as checkpoint_record;
pub use crate::deciding::{confess_alone, decide_alone};
pub use crate::inside::Inside;
pub use crate::intake::Taken;
pub use crate::lifecycle::Lock as DaemonLock;
pub use crate::losses::to_json as losses_json;
pub use crate::process::is_running;
pub use crate::sharing::options as team_options;
pub use crate::side_door::SideDoor;
pub use crate::transcripts::memory_of_chunk;
pub use crate::watching::{ConversationFile, find_conversations};
pub use crate::workspace::{ProjectIdentity, key as workspace_key, project_of, resolve as resolve_workspace};

/// How often the spool, the socket and the journal's size are looked at when nothing happens.
const LOOK_AROUND: Duration = Duration::from_mins(1);
/// Retention is a matter of days.
const RETENTION_EVERY: Duration = Duration::from_hours(1);
/// Between two looks at a journal that somebody else still holds.
const BETWEEN_TRIES: Duration = Duration::from_millis(5);
/// Opening the tables takes milliseconds; a database that takes longer is made anew, and the door says so meanwhile.
const TABLES_PATIENCE: Duration = Duration::from_secs(2);
/// The envelopes being answered when we are told to stop get this long.
const CLOSING_PATIENCE: Duration = Duration::from_secs(2);

/// Reads the configuration anew: the binary knows where it lies.
pub type LoadConfig = Box<dyn Fn() -> (Config, Vec<ConfigError>) + Send + Sync>;

/// Answers calls of processes that have nothing of ours in memory: the binary knows what they may ask.
pub type Guests = Box<dyn Fn(&Value) -> Value + Send + Sync>;

pub struct Options {
    pub place: Place,
    pub namespace: String,
    pub version: &'static str,
    /// How long to wait for a predecessor to leave.
    pub patience: Duration,
    pub load_config: LoadConfig,
    pub side_door: Option<Box<dyn SideDoor>>,
    pub guests: Option<Guests>,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("place", &self.place).finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    #[error("{}: {source}", path.display())]
    Place { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Told to.
    Stopped,
    /// Another daemon holds the lock: that one serves.
    AlreadyRunning,
    /// A newer release has taken our place in the file system; it should be started.
    Superseded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    Stop,
    HandOver,
    /// Something happened where our socket lies.
    LookAround,
}

/// Serves until told to stop. The order matters: the lock, then the journal, then the socket (hooks may now
/// wait in its backlog), then what was spooled, then the door.
pub fn run(options: Options) -> Result<Ended, DaemonError> {
    let Options { place, namespace, version, patience, load_config, side_door, guests } = options;
    lifecycle::harden();
    let at = |path: PathBuf| move |source| DaemonError::Place { path, source };
    place.ensure().map_err(at(place.data.clone()))?;
    let Some(_lock) = Lock::take(&place.lock(), patience).map_err(at(place.lock()))? else {
        return Ok(Ended::AlreadyRunning);
    };

    let began = Instant::now();
    let (config, errors) = load_config();
    let log = Arc::new(Log::open(&place.logs(), config.number("logs.keep-bytes")));
    for error in &errors {
        log.warn(format_args!("configuration: {error}"));
    }
    silence_panics(&log);
    let redactor = redactor(&place, &config, &log);
    // The run folder, and with it the lock, may be removed under a living daemon: the journal has its own.
    // A predecessor may have let the one go and not yet the other.
    let until = Instant::now() + patience;
    let (journal, recovery) = loop {
        match Journal::open(&place.journal(), config.journal()) {
            Err(StoreError::Busy(_)) if Instant::now() < until => thread::sleep(BETWEEN_TRIES),
            Err(StoreError::Busy(_)) => return Ok(Ended::AlreadyRunning),
            opened => break opened?,
        }
    };
    log.info(format_args!("version {version} opened the journal: {recovery:?}"));
    let intake = Arc::new(Intake::new(place.clone(), Arc::new(journal), Arc::clone(&log), config, redactor));

    note_errors(&intake.faults, &errors);
    let load_config = noting(load_config, Arc::clone(&intake.faults));

    let bound = Bound::bind(&place.socket()).map_err(at(place.socket()))?;
    // For people and scripts: a disk that is full is no reason not to serve.
    if let Err(error) = lifecycle::write_number(&place.pid_file(), std::process::id()) {
        log.warn(format_args!("{}: {error}", place.pid_file().display()));
    }
    intake.drain_spool();

    let (wish, wishes) = mpsc::channel();
    let embedding = Embedding::new(Arc::clone(&intake), Arc::default());
    let rules = Rules::new(&place, Arc::clone(&log));
    let mapping = Mapping::new(place.clone());
    let checking = Checking::new(&place.data, Arc::clone(&log));
    let lender = Lender::new(
        place.clone(),
        &embedding,
        Arc::clone(&intake.faults),
        Arc::clone(&intake.losses),
        Arc::clone(&rules),
        Arc::clone(&mapping),
        Checkpoints::new(&intake),
        Arc::clone(&checking),
    );
    intake.lend(lender);
    let mapped = {
        let mapping = Arc::clone(&mapping);
        thread::Builder::new()
            .name("mapping".into())
            .spawn(move || mapping.run())
            .map_err(at(place.data.clone()))?
    };
    let transcripts = Transcripts::new(Arc::clone(&intake), Arc::clone(&embedding.bell));
    let (asking, filed, sharing): (Arc<Bell>, Arc<Bell>, Arc<Bell>) = Default::default();
    let bells = [&transcripts.bell, &embedding.bell, &asking, &filed, &sharing].map(Arc::clone).to_vec();
    let sharing = Sharing::new(Arc::clone(&intake), sharing, Arc::clone(&embedding.bell));
    let learner = Learner::new(Arc::clone(&intake), bells);
    if let Some(lender) = intake.lender() {
        lender.follow(&learner);
    }
    let learning = {
        let learner = Arc::clone(&learner);
        thread::Builder::new()
            .name("learner".into())
            .spawn(move || learner.run())
            .map_err(at(place.data.clone()))?
    };
    let archiving = {
        let transcripts = Arc::clone(&transcripts);
        thread::Builder::new()
            .name("transcripts".into())
            .spawn(move || transcripts.run())
            .map_err(at(place.data.clone()))?
    };
    let filing = {
        let embedding = Arc::clone(&embedding);
        thread::Builder::new()
            .name("embedding".into())
            .spawn(move || embedding.run())
            .map_err(at(place.data.clone()))?
    };
    let backfill: Arc<Backfill> = Arc::default();
    let watching = Watching::new(Arc::clone(&intake), Arc::clone(&learner));
    let following = {
        let watching = Arc::clone(&watching);
        thread::Builder::new()
            .name("watching".into())
            .spawn(move || watching.run())
            .map_err(at(place.data.clone()))?
    };
    let models = Models::new(Arc::clone(&intake), Arc::clone(&learner), asking);
    let asking = {
        let models = Arc::clone(&models);
        thread::Builder::new()
            .name("models".into())
            .spawn(move || models.run())
            .map_err(at(place.data.clone()))?
    };
    let telling = {
        let sharing = Arc::clone(&sharing);
        thread::Builder::new()
            .name("sharing".into())
            .spawn(move || sharing.run())
            .map_err(at(place.data.clone()))?
    };
    let files = MemoryFiles::new(Arc::clone(&intake), Arc::clone(&learner), filed);
    let syncing = {
        let files = Arc::clone(&files);
        thread::Builder::new()
            .name("memory-files".into())
            .spawn(move || files.run())
            .map_err(at(place.data.clone()))?
    };
    let keeping = {
        let (intake, learner) = (Arc::clone(&intake), Arc::clone(&learner));
        Keeping::new(intake, learner, Arc::clone(&transcripts), Arc::clone(&backfill), Arc::clone(&files))
    };
    let tidying = {
        let keeping = Arc::clone(&keeping);
        thread::Builder::new()
            .name("keeping".into())
            .spawn(move || keeping.run())
            .map_err(at(place.data.clone()))?
    };
    let renewing = Renewing::new(
        Arc::clone(&intake),
        Arc::clone(&learner),
        Arc::clone(&transcripts),
        Arc::clone(&embedding.bell),
    );
    let renewed = {
        let renewing = Arc::clone(&renewing);
        thread::Builder::new()
            .name("renewing".into())
            .spawn(move || renewing.run())
            .map_err(at(place.data.clone()))?
    };
    let mut side_door = side_door.and_then(|door| Announced::bind(door, &place, &intake.config(), &log));
    let daemon = Arc::new(Daemon {
        keeping: Arc::clone(&keeping),
        models: Arc::clone(&models),
        sharing: Arc::clone(&sharing),
        renewing: Arc::clone(&renewing),
        replays: Replays::default(),
        backfill: Arc::clone(&backfill),
        watching: Arc::clone(&watching),
        embedding: Arc::clone(&embedding),
        mapping: Arc::clone(&mapping),
        intake: Arc::clone(&intake),
        learner: Arc::clone(&learner),
        wish: wish.clone(),
        load_config,
        namespace,
        version,
        started_at: now(),
        guests,
        at_table: AtomicUsize::new(0),
        port: side_door.as_ref().map(Announced::port).unwrap_or_default(),
    });
    let listener = bound.listener.try_clone().map_err(at(place.socket()))?;
    let door = Door::open(listener, Arc::clone(&daemon) as _, Arc::clone(&intake.counters))
        .map_err(at(place.socket()))?;
    // Without it we look once a minute.
    if let Err(error) = lifecycle::watch(&place.run(), wish.clone()) {
        log.warn(format_args!("the run folder is not watched: {error}"));
    }
    hear_signals(wish).map_err(at(place.data.clone()))?;
    log.info(format_args!("ready after {} ms", began.elapsed().as_millis()));
    if let Some(door) = &mut side_door {
        // Whoever knocks waits in the backlog meanwhile, and finds tables.
        let _ = learner.wait_open(Instant::now() + TABLES_PATIENCE);
        door.open(Inside::new(daemon), &log);
    }

    let wished = look_after(&intake, &learner, &bound, &wishes);
    log.info(format_args!("leaving: {wished:?}"));
    // First, while what it asks of us is still answered.
    if let Some(door) = &mut side_door {
        door.close();
    }
    bound.remove();
    door.close(CLOSING_PATIENCE);
    backfill.stop();
    watching.bell.close();
    learner.stop();
    transcripts.bell.close();
    embedding.bell.close();
    mapping.bell.close();
    keeping.bell.close();
    renewing.bell.close();
    files.bell().close();
    models.leave(&asking);
    sharing.leave(&telling);
    rules.close();
    checking.close();
    // The learner stops between two transactions; what it has not derived it derives after the next start.
    let _ = learning.join();
    let _ = following.join();
    let _ = archiving.join();
    let _ = filing.join();
    let _ = mapped.join();
    let _ = syncing.join();
    let _ = tidying.join();
    let _ = renewed.join();
    embedding.let_go();
    if let Some(lender) = intake.lender() {
        lender.let_go();
    }
    leave_whole(&place);
    let _ = std::fs::remove_file(place.pid_file());
    Ok(if wished == Wish::HandOver { Ended::Superseded } else { Ended::Stopped })
}

/// Whoever copies or repairs the database finds all of it in one file, also where a connection outlives its owner.
fn leave_whole(place: &Place) {
    let database = place.database();
    if database.exists()
        && let Ok(tables) = Tables::open(&database)
    {
        let _ = tables.empty_log(Instant::now() + CLOSING_PATIENCE);
    }
}

/// Waits for the wish to stop; once a minute takes in what was spooled and sees that we can be reached.
fn look_after(intake: &Intake, learner: &Learner, bound: &Bound, wishes: &mpsc::Receiver<Wish>) -> Wish {
    let mut enforced: Option<Instant> = None;
    loop {
        if enforced.is_none_or(|at| at.elapsed() >= RETENTION_EVERY) {
            enforced = Some(Instant::now());
            match intake.journal.enforce(now()) {
                Ok(dropped) if dropped.segments > 0 => {
                    intake.log.info(format_args!("retention: {dropped:?}"));
                    learner.prune.store(true, Ordering::SeqCst);
                }
                Ok(_) => {}
                Err(error) => intake.log.warn(format_args!("retention: {error}")),
            }
        }
        match wishes.recv_timeout(LOOK_AROUND) {
            Ok(wish @ (Wish::Stop | Wish::HandOver)) => return wish,
            Err(RecvTimeoutError::Disconnected) => return Wish::Stop,
            Ok(Wish::LookAround) | Err(RecvTimeoutError::Timeout) => {}
        }
        intake.drain_spool();
        if !bound.is_reachable() {
            intake.log.warn("the socket is no longer ours");
            return Wish::Stop;
        }
    }
}

/// Whoever reads the configuration anew changes what is wrong with it.
fn noting(load_config: LoadConfig, faults: Arc<Faults>) -> LoadConfig {
    Box::new(move || {
        let (config, errors) = load_config();
        note_errors(&faults, &errors);
        (config, errors)
    })
}

fn note_errors(faults: &Faults, errors: &[ConfigError]) {
    faults.clear(Trouble::Configuration);
    for error in errors {
        faults.raise(Trouble::Configuration, &format!("A setting is not taken: {error}"));
    }
}

/// A bad user rule must not switch redaction off, and must not stop capture: the built-in rules go on alone.
fn redactor(place: &Place, config: &Config, log: &Log) -> Redactor {
    let key = client::key::load(place).unwrap_or_else(|error| {
        log.warn(format_args!("the install's key cannot be kept: {error}"));
        client::key::passing()
    });
    let (settings, errors) = config.redaction(key);
    for error in errors {
        log.warn(format_args!("redaction rules: {error}"));
    }
    Redactor::new(settings).expect("every user rule was tried before")
}

fn hear_signals(wish: mpsc::Sender<Wish>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            // A closed terminal is no reason to forget.
            if signal != SIGHUP && wish.send(Wish::Stop).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}

/// A panic's message may quote what it choked on; its place says enough.
fn silence_panics(log: &Arc<Log>) {
    let log = Arc::clone(log);
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map_or_else(|| "somewhere".to_owned(), ToString::to_string);
        log.warn(format_args!("panic at {place}"));
    }));
}
