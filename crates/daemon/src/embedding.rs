//! Files new memories for search, in its own time: words at once, vectors when there is a moment. Owns the search
//! everybody asks. One thread; asleep while nothing is due, and then without a model in memory.

mod pace;
mod remote;

use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use embed::{EmbedError, Embedder, Identity, Kernel, MiniLm, StaticModel};
use engine::config::Config;
use engine::search::{Model, Search};
use engine::{EngineError, Reading};
use serde_json::{Value, json};
use store::{StoreError, Tables};

use crate::bell::{Bell, Woken};
use crate::faults::Trouble;
use crate::intake::Intake;
use pace::Pace;

/// Memories filed by their words in one transaction.
const INDEX_BATCH: usize = 256;
/// Memories given to the model at once: about a third of a second of one core.
const EMBED_BATCH: usize = 16;
/// What is filed before a question is answered, and how much of it at once: more comes a moment later.
const FILING_PATIENCE: Duration = Duration::from_millis(25);
const SMALL_BATCH: usize = 64;
/// A model nobody has asked for this long gives its memory back.
const IDLE: Duration = Duration::from_mins(1);
/// After a remote model did not answer.
const BACK_OFF: Duration = Duration::from_mins(1);
/// After somebody else held the database: an import writes in its own time, and ours comes in between.
const SOON: Duration = Duration::from_secs(1);
/// Whoever waits for an answer goes before the background, also on the processor.
const NICE: i32 = 10;
/// For readers of other processes, when we leave.
const LAST_PATIENCE: Duration = Duration::from_millis(200);
/// The names of the built-in models.
pub(crate) const BUILTIN: &str = "minilm-l6";
pub(crate) const BUILTIN_STATIC: &str = "static-128";

pub(crate) struct Embedding {
    intake: Arc<Intake>,
    pub(crate) bell: Arc<Bell>,
    paused: AtomicBool,
    desk: Mutex<Desk>,
    /// For what must be filed before a question: opening a database takes longer than most answers.
    writer: Mutex<Option<(u64, Tables)>>,
}

/// What is opened when it is first needed.
#[derive(Default)]
struct Desk {
    search: Option<Arc<Search>>,
    /// The file that is searched: a damaged one is put aside and derived anew under the same name.
    inode: u64,
    /// The name of the model that search reads by, as the configuration says it.
    model: Option<String>,
    trouble: Option<String>,
    pace: Pace,
    last_used: Option<Instant>,
}

impl Embedding {
    pub(crate) fn new(intake: Arc<Intake>, bell: Arc<Bell>) -> Arc<Self> {
        Arc::new(Self {
            intake,
            bell,
            paused: AtomicBool::new(false),
            desk: Mutex::default(),
            writer: Mutex::default(),
        })
    }

    /// Returns when the bell is closed.
    pub(crate) fn run(&self) {
        // Where it cannot be had, small batches alone have to do.
        let _ = rustix::process::nice(NICE);
        // Whatever was due when the last daemon left.
        self.bell.ring();
        let mut patience = None;
        loop {
            match self.bell.wait(patience) {
                Woken::Closed => return,
                Woken::Late => self.release(),
                Woken::Rung => {}
            }
            patience = match self.work() {
                Ok(()) => self.in_use().then_some(IDLE),
                // Nothing is wrong: somebody writes just now, and what is due is due a moment later.
                Err(error) if is_busy(&error) => Some(SOON),
                Err(error) => {
                    self.intake.log.warn(format_args!("search waits: {error}"));
                    self.desk().trouble = Some(error.to_string());
                    Some(BACK_OFF)
                }
            };
            self.note_trouble();
        }
    }

    /// Search, with every memory filed by its words that the tables have, as far as a moment suffices. A disk that
    /// is full, or an import under way, costs what is newest and not the answer.
    pub(crate) fn ready(&self) -> Result<Arc<Search>, EngineError> {
        let mut held = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let inode = self.inode();
        let mut tables = match held.take() {
            Some((same, tables)) if same == inode => tables,
            _ => Tables::open(&self.intake.place.database())?,
        };
        let search = self.search(&mut tables)?;
        if !is_remote(&self.intake.config()) {
            self.ensure_model(&search, &mut tables)?;
        }
        if let Err(error) = file_for_a_moment(&search, &mut tables) {
            self.intake.log.warn(format_args!("search answers without what is new: {error}"));
        }
        *held = Some((self.inode(), tables));
        drop(held);
        self.note_use();
        Ok(search)
    }

    /// Search goes on without what is in trouble; a person should know.
    fn note_trouble(&self) {
        match &self.desk().trouble {
            Some(trouble) => {
                self.intake
                    .faults
                    .raise(Trouble::Search, &format!("Search does with less than it should: {trouble}"));
            }
            None => self.intake.faults.clear(Trouble::Search),
        }
    }

    fn inode(&self) -> u64 {
        std::fs::metadata(self.intake.place.database()).map_or(0, |file| file.ino())
    }

    /// The worker sleeps without an end while no model is in memory; from now on it has to look after one.
    fn note_use(&self) {
        if self.desk().last_used.replace(Instant::now()).is_none() {
            self.bell.ring();
        }
    }

    pub(crate) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::SeqCst);
        self.bell.ring();
    }

    /// The configuration may name another model now.
    pub(crate) fn reconsider(&self) {
        self.desk().model = None;
        self.bell.ring();
    }

    /// What compares meanings; none while words alone are compared.
    pub(crate) fn model(&self) -> Option<String> {
        self.desk().model.clone()
    }

    pub(crate) fn to_json(&self) -> Value {
        let tables = Tables::open_read_only(&self.intake.place.database()).ok();
        let count = |read: fn(&Tables) -> Result<u64, StoreError>| tables.as_ref().and_then(|t| read(t).ok());
        let (memories, waiting) = (count(Tables::count_memories), count(Tables::count_unembedded));
        let done = memories.zip(waiting).map(|(memories, waiting)| memories.saturating_sub(waiting));
        let desk = self.desk();
        let rate = desk.pace.rate();
        json!({
            "model": desk.model.clone().unwrap_or_else(|| name(&self.intake.config())),
            "loaded": desk.last_used.is_some(),
            "paused": self.paused.load(Ordering::SeqCst),
            "memories": memories,
            "done": done,
            "waiting": waiting,
            "per_second": rate.map(|rate| (rate * 10.0).round() / 10.0),
            "seconds_left": waiting.zip(rate).map(|(waiting, rate)| seconds(waiting, rate)),
            "trouble": desk.trouble,
        })
    }

    /// How far the vectors are, for whoever greets a person. `None`: all are there, or none are being made.
    pub(crate) fn reading(&self) -> Option<Reading> {
        let seconds_left = {
            let desk = self.desk();
            let rate = desk.pace.rate();
            desk.last_used?;
            move |waiting| rate.map(|rate| seconds(waiting, rate))
        };
        let tables = Tables::open_read_only(&self.intake.place.database()).ok()?;
        let (memories, waiting) = (tables.count_memories().ok()?, tables.count_unembedded().ok()?);
        let is_made = waiting > 0 && !self.paused.load(Ordering::SeqCst);
        is_made.then(|| Reading { memories, waiting, seconds_left: seconds_left(waiting) })
    }

    fn work(&self) -> Result<(), EngineError> {
        let worked = self.work_off();
        self.desk().pace.stop();
        worked
    }

    fn work_off(&self) -> Result<(), EngineError> {
        let database = self.intake.place.database();
        if !database.exists() {
            return Ok(());
        }
        let mut tables = Tables::open(&database)?;
        if tables.count_terms_due()? == 0 && tables.count_unembedded()? == 0 {
            return Ok(());
        }
        let search = self.search(&mut tables)?;
        while !self.bell.is_closed() && search.index_due(&mut tables, INDEX_BATCH)? == INDEX_BATCH {}
        self.ensure_model(&search, &mut tables)?;
        loop {
            while !self.bell.is_closed() && search.index_due(&mut tables, INDEX_BATCH)? == INDEX_BATCH {}
            if self.bell.is_closed() || self.paused.load(Ordering::SeqCst) {
                return Ok(());
            }
            self.note_use();
            self.desk().pace.start(Instant::now());
            let done = search.embed_due(&mut tables, EMBED_BATCH)?;
            let mut desk = self.desk();
            if done == 0 {
                desk.trouble = None;
                return Ok(());
            }
            desk.pace.done(done, Instant::now());
        }
    }

    fn search(&self, tables: &mut Tables) -> Result<Arc<Search>, EngineError> {
        let mut desk = self.desk();
        let inode = self.inode();
        if desk.inode != inode {
            *desk = Desk { inode, ..Desk::default() };
        }
        let search = if let Some(search) = &desk.search {
            Arc::clone(search)
        } else {
            Search::check_way(tables)?;
            let search = Arc::new(Search::open(&self.intake.place.database())?);
            desk.search = Some(Arc::clone(&search));
            search
        };
        Ok(search)
    }

    /// Sees that search reads by the model the configuration names. Finding a remote one takes its time, so no lock
    /// is held and no question waits for it; until it is there, words answer.
    fn ensure_model(&self, search: &Search, tables: &mut Tables) -> Result<(), EngineError> {
        let wanted = name(&self.intake.config());
        if self.desk().model.as_ref() == Some(&wanted) {
            return Ok(());
        }
        match model(&self.intake) {
            Ok(model) => {
                search.use_model(tables, model)?;
                let mut desk = self.desk();
                desk.model = Some(wanted);
                desk.trouble = None;
                Ok(())
            }
            Err(error) if is_remote(&self.intake.config()) => Err(error.into()),
            // Ours to have or not to have: asking again would not change it, and words answer.
            Err(error) => {
                let mut desk = self.desk();
                desk.model = Some(wanted);
                desk.trouble = Some(error.to_string());
                Ok(())
            }
        }
    }

    /// Lets go of the database and leaves it as one file: a reader that closes last cannot write the log back.
    pub(crate) fn let_go(&self) {
        *self.desk() = Desk::default();
        self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        let database = self.intake.place.database();
        if database.exists()
            && let Ok(tables) = Tables::open(&database)
        {
            // Somebody who reads all the time may keep it; then it is written back at the next start.
            let _ = tables.empty_log(Instant::now() + LAST_PATIENCE);
        }
    }

    fn in_use(&self) -> bool {
        self.desk().last_used.is_some()
    }

    /// Gives back what only a model at work needs.
    fn release(&self) {
        let mut desk = self.desk();
        if desk.last_used.is_some_and(|at| at.elapsed() >= IDLE) {
            desk.last_used = None;
            MiniLm::builtin().release();
        }
    }

    fn desk(&self) -> std::sync::MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether another holds the database for a moment, which is no trouble to tell a person of.
fn is_busy(error: &EngineError) -> bool {
    matches!(error, EngineError::Store(StoreError::Busy(_)))
}

fn seconds(waiting: u64, rate: f64) -> u64 {
    (waiting as f64 / rate).ceil() as u64
}

fn file_for_a_moment(search: &Search, tables: &mut Tables) -> Result<(), EngineError> {
    let until = Instant::now() + FILING_PATIENCE;
    while tables.count_terms_due()? > 0 && Instant::now() < until {
        search.index_due(tables, SMALL_BATCH)?;
    }
    Ok(())
}

fn is_remote(config: &Config) -> bool {
    config.text("embed.provider") != "builtin"
}

/// What the configuration asks for, as one word.
fn name(config: &Config) -> String {
    match config.text("embed.provider") {
        "builtin" => chosen(config.text("embed.model")).to_owned(),
        provider => format!("{provider}:{}:{}", config.text("embed.base-url"), config.text("embed.model")),
    }
}

/// With plain Rust as the only kernel a question would wait a tenth of a second for the larger model.
fn chosen(name: &str) -> &str {
    match name {
        "auto" if Kernel::available().len() == 1 => BUILTIN_STATIC,
        "auto" => BUILTIN,
        name => name,
    }
}

fn model(intake: &Intake) -> Result<Model, EmbedError> {
    let config = intake.config();
    let provider = config.text("embed.provider");
    if provider == "builtin" {
        return builtin(intake, chosen(config.text("embed.model")));
    }
    remote::find(&config)
}

fn builtin(intake: &Intake, name: &str) -> Result<Model, EmbedError> {
    match name {
        BUILTIN => Ok(Arc::new(Lent(MiniLm::builtin()))),
        BUILTIN_STATIC => Ok(Arc::new(Lent(StaticModel::builtin()))),
        _ => installed(intake, name),
    }
}

/// One that `throughline model install` brought. A name is a name of a file there, and nothing else.
fn installed(intake: &Intake, name: &str) -> Result<Model, EmbedError> {
    let missing = || {
        EmbedError::Refused(format!(
            "there is no model \"{name}\"; `throughline model list` shows what there is"
        ))
    };
    if name.contains('/') || name.starts_with('.') {
        return Err(missing());
    }
    let path = intake.place.models().join(format!("{name}.stv"));
    let bytes = std::fs::read(path).map_err(|_| missing())?;
    Ok(Arc::new(StaticModel::from_bytes(bytes.into())?))
}

/// A model that lives as long as the process.
struct Lent(&'static dyn Embedder);

impl Embedder for Lent {
    fn identity(&self) -> &Identity {
        self.0.identity()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.embed(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_another_writes_is_waited_for_and_no_trouble() {
        let path = std::path::PathBuf::from("derived.db");
        assert!(is_busy(&StoreError::Busy(path.clone()).into()));
        assert!(
            !is_busy(&StoreError::Full(path.clone()).into()) && !is_busy(&StoreError::Damaged(path).into())
        );
    }

    #[test]
    fn the_time_left_is_what_waits_at_the_rate_it_goes() {
        assert_eq!((seconds(100, 8.0), seconds(0, 8.0)), (13, 0));
    }
}
