//! Tells a team what may be shared and takes in what others tell. One thread that sleeps until something was learned or
//! somebody else has told something, and one that listens for the latter; neither is ever waited for: whatever cannot be
//! told now waits in the outbox, for days if need be. What may leave is decided in `engine::sharing`, and how it travels
//! in `team`.

mod journey;
mod naming;
mod settings;
mod shown;

use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use engine::sharing::{Leaving, Places};
use serde_json::Value;
use store::shared::{Author, Shared, SharedError};
use store::{OUTBOX_CAP, Tables};
use team::{Team, Woken as Heard};

use self::naming::Naming;
use self::settings::Settings;
use self::shown::{Shown, State};
use crate::bell::{Bell, Woken};
use crate::faults::Trouble;
use crate::intake::{Intake, now};

/// Notices may be lost; what they would have said is asked for after this time at the latest.
const PULL_EVERY: Duration = Duration::from_secs(30);
/// What somebody has told is held back while an older transaction runs, whosever it is: it is asked for again.
const AGAIN: &[Duration] = &[
    Duration::from_millis(20),
    Duration::from_millis(60),
    Duration::from_millis(200),
    Duration::from_millis(600),
    Duration::from_secs(2),
    Duration::from_secs(6),
];
/// The wait after the first failure and the longest, before chance.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(2);
/// After a refusal: only a person changes that, and `reload` says when they have.
const REFUSED_WAIT: Duration = Duration::from_mins(5);
/// One wait of the listener; it looks between two whether it is still wanted.
const LISTEN: Duration = Duration::from_secs(10);
/// What a thread in the middle of a statement gets when we leave. It holds nothing that must be put away.
const LEAVING: Duration = Duration::from_millis(300);
/// Leases and words of others that are older say nothing any more.
const TOLD_KEPT: u64 = 7 * 24 * 60 * 60 * 1000;
/// What is over is taken out of the team's database after this, by whoever comes by: longer than any machine keeps it.
const TEAM_KEPT: u64 = 14 * 24 * 60 * 60 * 1000;
/// Of what the database did not take, so many are tried again at a start: one by one, if they are still not taken.
const RETRIED: usize = 1000;
/// Old leases are looked for this often.
const TIDY_EVERY: Duration = Duration::from_mins(10);

pub(crate) struct Sharing {
    intake: Arc<Intake>,
    pub(crate) bell: Arc<Bell>,
    /// Whoever files what was taken in.
    filing: Arc<Bell>,
    reloaded: AtomicBool,
    shown: Mutex<Shown>,
}

/// What the thread keeps between its looks.
#[derive(Default)]
struct Worker {
    tables: Option<(u64, Tables)>,
    naming: Naming,
    line: Option<Line>,
    failures: u32,
    not_before: Option<Instant>,
    /// When others' news are asked for next; `None`: now.
    pull_at: Option<Instant>,
    /// How often was looked since somebody has told something that was not there yet.
    knocked: Option<usize>,
    tidied: Option<Instant>,
}

/// A connection, and a second one that listens.
struct Line {
    settings: Settings,
    team: Team,
    by: Author,
    /// The outbox whose position the other side was asked for.
    outbox: Option<String>,
    ear: Arc<Ear>,
}

/// Shared with the thread that listens.
#[derive(Default)]
struct Ear {
    told: AtomicBool,
    broken: AtomicBool,
    over: AtomicBool,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.ear.over.store(true, Ordering::SeqCst);
    }
}

impl Sharing {
    pub(crate) fn new(intake: Arc<Intake>, bell: Arc<Bell>, filing: Arc<Bell>) -> Arc<Self> {
        Arc::new(Self { intake, bell, filing, reloaded: AtomicBool::new(false), shown: Mutex::default() })
    }

    /// The settings may be others now.
    pub(crate) fn reload(&self) {
        self.reloaded.store(true, Ordering::SeqCst);
        self.bell.ring();
    }

    /// Waits a moment for the thread: one that hangs at a server ends with the process, and has lost nothing.
    pub(crate) fn leave(&self, thread: &JoinHandle<()>) {
        self.bell.close();
        let until = Instant::now() + LEAVING;
        while !thread.is_finished() && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        self.shown().to_json(now())
    }

    /// Returns when the bell is closed.
    pub(crate) fn run(&self) {
        let mut worker = Worker::default();
        // What waited when the last daemon left.
        self.bell.ring();
        let mut patience = None;
        while self.bell.wait(patience) != Woken::Closed {
            if self.reloaded.swap(false, Ordering::SeqCst) {
                (worker.not_before, worker.failures) = (None, 0);
            }
            if let Some(left) = worker.left_to_wait() {
                patience = Some(left);
                continue;
            }
            let settings = Settings::read(&self.intake.config());
            patience = match self.look(&mut worker, settings.as_ref()) {
                Ok(()) => {
                    (worker.failures, worker.not_before) = (0, None);
                    self.note_aside();
                    worker.line.is_some().then(|| worker.left_to_pull())
                }
                Err(error) => Some(self.note_failure(&mut worker, settings.as_ref(), &error)),
            };
        }
    }

    /// One look at everything: what is shared, what waits, what others have told.
    fn look(&self, worker: &mut Worker, settings: Option<&Settings>) -> Result<(), SharedError> {
        let inode = std::fs::metadata(self.intake.place.database()).map_or(0, |file| file.ino());
        if worker.tables.as_ref().is_none_or(|(same, _)| *same != inode) {
            if inode == 0 {
                // Nothing was learned yet; whoever makes the tables rings.
                return Ok(());
            }
            let mut tables = Tables::open(&self.intake.place.database())?;
            // A newer throughline, or a newer database, may take what was not taken.
            tables.write(|batch| batch.retry_aside(RETRIED))?;
            worker.tables = Some((inode, tables));
        }
        let Some((_, tables)) = &mut worker.tables else { return Ok(()) };
        let known = tables.meta("author")?.unwrap_or_default();
        let Some(settings) = settings.filter(|settings| !settings.projects.is_empty()) else {
            if !tables.shared_projects()?.is_empty() {
                tables.write(|batch| batch.share_projects(&known, &[]))?;
            }
            worker.line = None;
            let mut shown = self.shown();
            shown.state = if settings.is_some() { State::NothingShared } else { State::Off };
            (shown.aside, shown.aside_why) = (0, None);
            return Ok(());
        };
        if tables.shared_projects()? != settings.projects {
            // Before there is a connection: what happens meanwhile waits.
            tables.write(|batch| batch.share_projects(&known, &settings.projects))?;
            worker.pull_at = None;
        }
        worker.naming.look(tables, &self.bell)?;
        self.shown().waiting = tables.count_outbox()?;
        let is_whole = |line: &Line| line.settings == *settings && !line.ear.broken.load(Ordering::SeqCst);
        if !worker.line.as_ref().is_some_and(is_whole) {
            worker.line = None;
            worker.line = Some(self.connect(settings)?);
            worker.pull_at = None;
        }
        let Some(line) = &mut worker.line else { return Ok(()) };
        if known != line.by.user {
            tables.write(|batch| batch.share_projects(&line.by.user, &settings.projects))?;
        }
        self.ship(tables, line)?;
        let is_told = line.ear.told.swap(false, Ordering::SeqCst);
        if is_told {
            worker.knocked = Some(0);
        }
        if is_told || worker.pull_at.is_none_or(|at| at <= Instant::now()) {
            let taken = self.pull(tables, line)?;
            let again = worker.knocked.filter(|_| taken == 0).and_then(|looked| AGAIN.get(looked));
            worker.knocked = again.and(worker.knocked).map(|looked| looked + 1);
            worker.pull_at = Some(Instant::now() + *again.unwrap_or(&PULL_EVERY));
        }
        if worker.tidied.is_none_or(|tidied| tidied.elapsed() >= TIDY_EVERY) {
            tables.write(|batch| batch.expire_told(now().saturating_sub(TOLD_KEPT)))?;
            // Somebody else may do it as well, another time.
            let gone = line.team.prune(now().saturating_sub(TEAM_KEPT)).unwrap_or(0);
            // A little at a time; whoever found something looks again.
            worker.tidied = (gone == 0).then(Instant::now);
            if gone > 0 {
                self.bell.ring();
            }
        }
        let (aside, last) = tables.outbox_aside()?;
        let mut shown = self.shown();
        shown.waiting = tables.count_outbox()?;
        (shown.aside, shown.aside_why) = (aside, last.map(|last| format!("{}: {}", last.kind, last.why)));
        (shown.state, shown.trouble, shown.next) = (State::Connected, None, None);
        Ok(())
    }

    fn connect(&self, settings: &Settings) -> Result<Line, SharedError> {
        {
            let mut shown = self.shown();
            shown.state = State::Connecting;
            shown.url = settings.shown_url();
            shown.projects = settings.projects.len();
        }
        let machine = settings::machine(&self.intake.place).map_err(|error| SharedError::Refused {
            says: format!("this machine's name cannot be kept: {error}"),
            next: "make the data folder writable for you: `throughline doctor` says which it is",
        })?;
        let mut team = Team::connect(&settings.options()?)?;
        let by = Author { user: team.me().user.clone(), machine };
        let mut listener = team.listen(&by.machine)?;
        let ear: Arc<Ear> = Arc::default();
        let (heard, bell) = (Arc::clone(&ear), Arc::clone(&self.bell));
        let listening = thread::Builder::new().name("sharing-ear".into()).spawn(move || {
            while !heard.over.load(Ordering::SeqCst) && !bell.is_closed() {
                match listener.wait(LISTEN) {
                    Ok(Heard::Quiet) => continue,
                    Ok(Heard::Told) => heard.told.store(true, Ordering::SeqCst),
                    Err(_) => heard.broken.store(true, Ordering::SeqCst),
                }
                bell.ring();
                if heard.broken.load(Ordering::SeqCst) {
                    return;
                }
            }
        });
        if let Err(error) = listening {
            self.intake.log.warn(format_args!("nobody listens for the team: {error}"));
        }
        let mut shown = self.shown();
        (shown.user, shown.team) = (Some(by.user.clone()), Some(team.me().team.clone()));
        shown.machine = Some(by.machine.clone());
        drop(shown);
        self.intake.log.info(format_args!("sharing with the team at {}", settings.shown_url()));
        Ok(Line { settings: settings.clone(), team, by, outbox: None, ear })
    }

    fn ship(&self, tables: &mut Tables, line: &mut Line) -> Result<(), SharedError> {
        let outbox = tables.outbox_name()?;
        if line.outbox.as_ref() != Some(&outbox) {
            journey::catch_up(tables, &mut line.team, &line.by)?;
            line.outbox = Some(outbox);
        }
        let redactor = self.intake.redactor();
        let places = places();
        let leaving = Leaving { redactor: &redactor, places: &places };
        while !self.bell.is_closed() {
            let told = journey::ship(tables, &mut line.team, &line.by, &leaving, now())?;
            if let Some(why) = &told.aside {
                self.intake.log.warn(format_args!("the team's database does not take something: {why}"));
            }
            let mut shown = self.shown();
            shown.told += told.new;
            if told.new > 0 {
                shown.told_at = Some(now());
            }
            drop(shown);
            if told.looked_at == 0 {
                break;
            }
        }
        Ok(())
    }

    /// How many changes others have told.
    fn pull(&self, tables: &mut Tables, line: &mut Line) -> Result<u64, SharedError> {
        let redactor = self.intake.redactor();
        let mut changes = 0;
        while !self.bell.is_closed() {
            let projects = &line.settings.projects;
            let taken = journey::pull(tables, &mut line.team, &line.by, projects, &redactor)?;
            let mut shown = self.shown();
            shown.taken += taken.changes;
            shown.heard_at = Some(now());
            drop(shown);
            changes += taken.changes;
            if taken.changes > 0 {
                self.filing.ring();
            }
            if !taken.more {
                break;
            }
        }
        Ok(changes)
    }

    /// All is well, or all but what the database does not take.
    fn note_aside(&self) {
        let shown = self.shown();
        let (aside, why) = (shown.aside, shown.aside_why.clone().unwrap_or_default());
        drop(shown);
        self.intake.faults.clear(Trouble::Sharing);
        if aside > 0 {
            let what = format!("The team's database does not take some of what may be shared: {why}.");
            self.intake.faults.raise(Trouble::Sharing, &what);
        }
    }

    /// How long to wait now. What a person must change is told to them.
    fn note_failure(
        &self,
        worker: &mut Worker,
        settings: Option<&Settings>,
        error: &SharedError,
    ) -> Duration {
        worker.line = None;
        worker.failures = worker.failures.saturating_add(1);
        let wait = match error {
            SharedError::Unreachable(_) | SharedError::Store(_) => back_off(worker.failures),
            // Unfit is what we asked, not what we told: no other way to ask is known here.
            SharedError::Refused { .. } | SharedError::Version { .. } | SharedError::Unfit(_) => REFUSED_WAIT,
        };
        worker.not_before = Some(Instant::now() + wait);
        if worker.failures == 1 {
            self.intake.log.warn(format_args!("sharing waits: {error}"));
        }
        if matches!(error, SharedError::Refused { .. } | SharedError::Version { .. } | SharedError::Unfit(_))
        {
            let next = if let SharedError::Refused { next, .. } = error { *next } else { "" };
            let what = format!("What may be shared with the team waits: {error}. {next}");
            self.intake.faults.raise(Trouble::Sharing, what.trim_end());
        }
        // Days without a network must not fill the disk.
        if let Some((_, tables)) = &mut worker.tables {
            match tables.write(|batch| batch.trim_outbox(OUTBOX_CAP)) {
                Ok(0) => {}
                Ok(gone) => {
                    self.intake.log.warn(format_args!("{gone} old leases are not told to the team"));
                }
                Err(error) => self.intake.log.warn(format_args!("the outbox is not trimmed: {error}")),
            }
            self.shown().waiting = tables.count_outbox().unwrap_or_default();
        }
        if matches!(error, SharedError::Store(_)) {
            worker.tables = None;
        }
        let mut shown = self.shown();
        if let Some(settings) = settings {
            (shown.url, shown.projects) = (settings.shown_url(), settings.projects.len());
        }
        shown.state = match error {
            SharedError::Refused { .. } | SharedError::Version { .. } | SharedError::Unfit(_) => {
                State::Refused
            }
            _ => State::Waiting,
        };
        shown.trouble = Some(error.to_string());
        shown.next = if let SharedError::Refused { next, .. } = error { Some(next) } else { None };
        shown.next_try_at = Some(now().saturating_add(wait.as_millis() as u64));
        wait
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Worker {
    fn left_to_pull(&self) -> Duration {
        self.pull_at.map_or(Duration::ZERO, |at| at.saturating_duration_since(Instant::now()))
    }

    fn left_to_wait(&self) -> Option<Duration> {
        let left = self.not_before?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }
}

/// The way to the team's database, as the settings say it; `None` without a team.
pub fn options(config: &engine::config::Config) -> Option<Result<team::Options, SharedError>> {
    Settings::read(config).map(|settings| settings.options())
}

/// Doubling, spread over the upper half of each step: a team's machines do not come back at one moment.
fn back_off(failures: u32) -> Duration {
    let step = FIRST_WAIT.saturating_mul(1 << failures.saturating_sub(1).min(16)).min(LONGEST_WAIT);
    let chance = client::mint().as_bytes()[15];
    step / 2 + (step / 2).mul_f64(f64::from(chance) / 255.0)
}

fn places() -> Places {
    let said = |name: &str| std::env::var(name).unwrap_or_default();
    let user = ["USER", "LOGNAME"].map(said).into_iter().find(|user| !user.is_empty());
    Places::new(&said("HOME"), &user.unwrap_or_default())
}
