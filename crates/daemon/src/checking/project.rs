//! One workspace while agents edit it: its tools, what is to be looked at, what runs, and the ledger of each session.
//! Starts nothing itself.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use checks::{Check, Failure, Finding, Ledger, Lines, Noted, Scope, Stopping, Trust};
use model::SessionId;

use super::{CallOff, lines};

/// Edits have settled when none was made for so long and none is on its way: the calls of one message follow each other
/// within less.
const SETTLE: Duration = Duration::from_millis(300);
/// An edit that was announced and refused is never heard of again.
const PENDING_FOR: Duration = Duration::from_secs(10);
/// A command that was announced may hold the locks that a check wants; one that takes longer shares them.
const COMMAND_FOR: Duration = Duration::from_secs(10);
/// Calls whose end is remembered; more are not on their way at once.
const MAX_ENDED: usize = 64;
/// Sessions of one workspace.
const MAX_SESSIONS: usize = 32;
/// Files of one run: what a session has edited, or read before it edits.
const MAX_FILES: usize = 200;
/// In a row; then a tool rests.
const MAX_FAILURES: u32 = 3;
/// A configuration that is broken is broken for a while.
const REST: Duration = Duration::from_mins(2);

pub(super) struct Project {
    root: PathBuf,
    cache: PathBuf,
    pub(super) used_at: Instant,
    pub(super) tools: HashMap<Asked, (Instant, Vec<Check>)>,
    /// The files that Claude Code's word about it may be in.
    pub(super) claude: Vec<PathBuf>,
    watched: Vec<Watched>,
    works: HashMap<SessionId, Work>,
    /// Edits on their way.
    pending: HashMap<String, Instant>,
    /// Calls that have ended, the newest last: on a busy machine their beginning may be heard of after their end.
    ended: VecDeque<String>,
    edited_at: Option<Instant>,
    command_at: Option<Instant>,
}

/// What tools were looked for by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) folder: PathBuf,
    pub(super) ending: OsString,
    pub(super) code: Trust,
    pub(super) path: OsString,
}

/// A session in this workspace.
struct Work {
    ledger: Ledger,
    /// What is younger and not its own is somebody else's.
    began: SystemTime,
    used_at: Instant,
}

/// One tool in one folder.
struct Watched {
    check: Check,
    name: String,
    /// Counts what may have changed a file it is about.
    epoch: u64,
    /// Files to be looked at. A tool that looks at all is due when there is any.
    wanted: BTreeSet<String>,
    running: Option<Run>,
    /// Of the files of sessions, when it last began to look at them.
    stamps: HashMap<String, Stamp>,
    took: Option<Duration>,
    failures: u32,
    rests_until: Option<Instant>,
}

struct Run {
    began: Instant,
    epoch: u64,
    files: Vec<String>,
    call_off: CallOff,
    stamps: HashMap<String, Stamp>,
}

/// Size and time of a change; `None`: it is not there.
type Stamp = Option<(u64, SystemTime)>;

/// One run to be made.
pub(super) struct Job {
    pub(super) root: PathBuf,
    pub(super) cache: PathBuf,
    pub(super) name: String,
    pub(super) check: Check,
    pub(super) files: Vec<PathBuf>,
    pub(super) claude: Vec<PathBuf>,
    call_off: CallOff,
}

impl Job {
    pub(super) fn is_called_off(&self) -> bool {
        self.call_off.has_rung()
    }
}

/// What a ledger knows it by.
pub(super) fn key(check: &Check) -> String {
    format!("{} {}", check.tool.name, check.folder.display())
}

impl Project {
    pub(super) fn new(root: &Path, cache: PathBuf) -> Self {
        Self {
            root: root.to_owned(),
            cache,
            used_at: Instant::now(),
            tools: HashMap::new(),
            claude: Vec::new(),
            watched: Vec::new(),
            works: HashMap::new(),
            pending: HashMap::new(),
            ended: VecDeque::new(),
            edited_at: None,
            command_at: None,
        }
    }

    /// A session reads a file: what is wrong there, or in all of the project, is found out before it edits.
    pub(super) fn look(&mut self, session: &SessionId, file: &str, found: Vec<Check>) {
        self.work(session);
        for at in self.watch(found) {
            let work = &self.works[session];
            let watched = &mut self.watched[at];
            let is_open = match watched.check.tool.scope {
                Scope::Project => watched.wanted.is_empty() && !watched.has_touched(&self.root, &work.ledger),
                Scope::Files | Scope::File => !work.ledger.is_touched(file),
            };
            let is_running = watched.running.as_ref().is_some_and(|run| run.covers(watched, file));
            if is_open
                && !is_running
                && !work.ledger.has_before(&watched.name, file)
                && watched.wanted.len() < MAX_FILES
            {
                watched.wanted.insert(file.to_owned());
            }
        }
    }

    /// A session is about to change a file. What runs meanwhile may see it half changed.
    pub(super) fn begin(
        &mut self,
        session: &SessionId,
        by: Option<&str>,
        file: &str,
        before: Option<Lines>,
        found: Vec<Check>,
        call: Option<&str>,
    ) {
        self.work(session).ledger.touch(file, by, before);
        for at in self.watch(found) {
            self.watched[at].epoch += 1;
        }
        if call.is_none_or(|call| !self.ended.iter().any(|ended| ended == call)) {
            self.pending.insert(call.unwrap_or(file).to_owned(), Instant::now());
        }
    }

    /// A session has changed a file: it is looked at, and what was begun before is of no use.
    pub(super) fn edit(
        &mut self,
        session: &SessionId,
        by: Option<&str>,
        file: &str,
        before: Option<Lines>,
        found: Vec<Check>,
        call: Option<&str>,
    ) {
        self.work(session).ledger.touch(file, by, before);
        self.pending.remove(call.unwrap_or(file));
        self.end(call);
        self.edited_at = Some(Instant::now());
        for at in self.watch(found) {
            self.watched[at].want(file);
        }
    }

    pub(super) fn begin_command(&mut self) {
        self.command_at = Some(Instant::now());
        for watched in self.watched.iter().filter(|watched| watched.check.tool.locks) {
            if let Some(run) = &watched.running {
                run.call_off.ring();
            }
        }
    }

    /// Something of a session has ended; a command, perhaps, that has changed its files.
    pub(super) fn pass(&mut self, session: &SessionId, call: Option<&str>) {
        match call {
            Some(name) => {
                self.pending.remove(name);
                self.end(call);
            }
            // A prompt: what was announced before it and not made was refused.
            None => self.pending.clear(),
        }
        self.command_at = None;
        self.notice_changes(session);
    }

    fn end(&mut self, call: Option<&str>) {
        let Some(call) = call else { return };
        if self.ended.len() >= MAX_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back(call.to_owned());
    }

    /// Nothing of a session that ends its turn is on its way.
    pub(super) fn stop(&mut self, session: &SessionId) {
        self.pass(session, None);
    }

    /// Files of a session that are not as they were when they were looked at.
    fn notice_changes(&mut self, session: &SessionId) {
        let Some(work) = self.works.get(session) else { return };
        for file in work.ledger.touched() {
            let now = stamp(&self.root.join(file));
            for watched in &mut self.watched {
                let is_known = watched.stamps.get(file).is_some_and(|known| *known != now);
                let is_old = watched
                    .running
                    .as_ref()
                    .and_then(|run| run.stamps.get(file))
                    .is_some_and(|known| *known != now);
                if watched.running.is_some() && is_old
                    || watched.running.is_none() && is_known && !watched.wanted.contains(file)
                {
                    watched.want(file);
                }
            }
        }
    }

    /// Whether one of these tools will probably have answered by then.
    pub(super) fn is_expected(&self, names: &[String], left: Duration) -> bool {
        self.watched.iter().any(|watched| {
            let since = watched.running.as_ref().map_or(Duration::ZERO, |run| run.began.elapsed());
            let is_quick =
                watched.took.map_or(watched.check.tool.quick, |took| took.saturating_sub(since) < left);
            names.contains(&watched.name) && watched.is_busy() && is_quick
        })
    }

    /// Whether anything about files of the session runs or is to be run.
    pub(super) fn is_busy(&self, session: &SessionId) -> bool {
        let Some(work) = self.works.get(session) else { return false };
        self.watched.iter().any(|watched| watched.is_busy() && watched.has_touched(&self.root, &work.ledger))
    }

    pub(super) fn say(&mut self, session: &SessionId, by: Option<&str>) -> Vec<Finding> {
        let is_quiet = self.edited_at.is_none_or(|at| at.elapsed() >= SETTLE);
        let is_settled = is_quiet && self.pending.values().all(|at| at.elapsed() >= PENDING_FOR);
        let Some(work) = self.works.get(session) else { return Vec::new() };
        if work.ledger.is_clean() {
            return Vec::new();
        }
        let current: BTreeSet<&str> = current(&self.watched);
        work.ledger.say(by, is_settled, &|name| current.contains(name))
    }

    /// These are named to a session, or its turn is held for them.
    pub(super) fn note_heard(&mut self, session: &SessionId, named: &[Finding], hold: bool) -> Option<Noted> {
        let ledger = &mut self.works.get_mut(session)?.ledger;
        if hold { ledger.note_held(named) } else { ledger.note_said(named) }
    }

    pub(super) fn take_back(&mut self, session: &SessionId, noted: Noted) {
        if let Some(work) = self.works.get_mut(session) {
            work.ledger.take_back(noted);
        }
    }

    pub(super) fn stopping(
        &mut self,
        session: &SessionId,
        by: Option<&str>,
        again: bool,
    ) -> Option<Stopping> {
        let others: BTreeSet<String> = self
            .works
            .iter()
            .filter(|(other, _)| *other != session)
            .flat_map(|(_, work)| work.ledger.touched().map(str::to_owned))
            .collect();
        let work = self.works.get_mut(session)?;
        let (root, began) = (&self.root, work.began);
        let is_others = |file: &str| {
            others.contains(file) || stamp(&root.join(file)).is_none_or(|(_, changed)| changed >= began)
        };
        let current: BTreeSet<&str> = current(&self.watched);
        Some(work.ledger.stop(by, again, &|name| current.contains(name), &is_others))
    }

    /// The next run, and how much it hurries.
    pub(super) fn due(&self) -> Option<(u8, usize)> {
        let now = Instant::now();
        if self.pending.values().any(|at| now.duration_since(*at) < PENDING_FOR) {
            return None;
        }
        let is_locked = self.command_at.is_some_and(|at| now.duration_since(at) < COMMAND_FOR);
        let due = self.watched.iter().enumerate().filter(|(_, watched)| {
            !watched.wanted.is_empty()
                && watched.running.is_none()
                && watched.rests_until.is_none_or(|until| until <= now)
                && !(is_locked && watched.check.tool.locks)
        });
        let rank = |watched: &Watched| {
            let is_edit = watched
                .wanted
                .iter()
                .any(|file| self.works.values().any(|work| work.ledger.is_touched(file)));
            u8::from(!watched.check.tool.quick) + 2 * u8::from(!is_edit)
        };
        due.map(|(at, watched)| (rank(watched), at)).min()
    }

    pub(super) fn begin_run(&mut self, at: usize) -> Job {
        let watched = &mut self.watched[at];
        let files: Vec<String> = std::mem::take(&mut watched.wanted).into_iter().collect();
        // Of a tool that looks at all, all that sessions have touched is looked at.
        let mut stamps: HashMap<String, Stamp> = HashMap::new();
        let touched = self.works.values().flat_map(|work| work.ledger.touched());
        let touched = touched.filter(|file| watched.is_about(&self.root, file));
        let is_whole = watched.check.tool.scope == Scope::Project;
        for file in touched.filter(|file| is_whole || files.iter().any(|wanted| wanted == file)) {
            stamps.insert(file.to_owned(), stamp(&self.root.join(file)));
        }
        let call_off = CallOff::default();
        let there = files.iter().map(|file| self.root.join(file)).filter(|path| path.is_file()).collect();
        watched.running = Some(Run {
            began: Instant::now(),
            epoch: watched.epoch,
            files,
            call_off: call_off.clone(),
            stamps,
        });
        Job {
            root: self.root.clone(),
            cache: self.cache.clone(),
            name: watched.name.clone(),
            check: watched.check.clone(),
            files: there,
            claude: self.claude.clone(),
            call_off,
        }
    }

    pub(super) fn end_run(&mut self, name: &str, result: Result<Vec<Finding>, Failure>, took: Duration) {
        let Some(at) = self.watched.iter().position(|watched| watched.name == name) else { return };
        let watched = &mut self.watched[at];
        let Some(run) = watched.running.take() else { return };
        let is_old = run.epoch != watched.epoch;
        if is_old || result == Err(Failure::CalledOff) {
            // What it would have said is not known yet.
            watched.wanted.extend(run.files);
            return;
        }
        watched.stamps.extend(run.stamps);
        let Ok(found) = result else {
            watched.failures += 1;
            if watched.failures >= MAX_FAILURES {
                watched.rests_until = Some(Instant::now() + REST);
                watched.failures = 0;
            }
            return;
        };
        (watched.failures, watched.took) = (0, Some(took));
        let watched = &self.watched[at];
        let root = &self.root;
        let read = |file: &str| lines(&root.join(file));
        for work in self.works.values_mut() {
            watched.note(root, &mut work.ledger, &run.files, &found, &read);
        }
    }

    pub(super) fn call_off(&self) {
        for run in self.watched.iter().filter_map(|watched| watched.running.as_ref()) {
            run.call_off.ring();
        }
    }

    fn work(&mut self, session: &SessionId) -> &mut Work {
        if !self.works.contains_key(session) && self.works.len() >= MAX_SESSIONS {
            let oldest = self.works.iter().min_by_key(|(_, work)| work.used_at);
            if let Some(oldest) = oldest.map(|(session, _)| session.clone()) {
                self.works.remove(&oldest);
            }
        }
        let new = || Work { ledger: Ledger::default(), began: SystemTime::now(), used_at: Instant::now() };
        let work = self.works.entry(session.clone()).or_insert_with(new);
        work.used_at = Instant::now();
        work
    }

    /// Where these tools are in the list.
    fn watch(&mut self, found: Vec<Check>) -> Vec<usize> {
        let mut places = Vec::with_capacity(found.len());
        for check in found {
            let known = self.watched.iter().position(|watched| watched.check.is(&check));
            let at = known.unwrap_or_else(|| {
                self.watched.push(Watched::new(check.clone()));
                self.watched.len() - 1
            });
            // It may have been installed anew, elsewhere.
            self.watched[at].check = check;
            places.push(at);
        }
        places
    }
}

/// What is known of the files as they are.
fn current(watched: &[Watched]) -> BTreeSet<&str> {
    watched.iter().filter(|watched| !watched.is_busy()).map(|watched| watched.name.as_str()).collect()
}

fn stamp(path: &Path) -> Stamp {
    let about = path.metadata().ok()?;
    Some((about.len(), about.modified().ok()?))
}

impl Run {
    fn covers(&self, watched: &Watched, file: &str) -> bool {
        watched.check.tool.scope == Scope::Project || self.files.iter().any(|covered| covered == file)
    }
}

impl Watched {
    fn new(check: Check) -> Self {
        Self {
            name: key(&check),
            check,
            epoch: 0,
            wanted: BTreeSet::new(),
            running: None,
            stamps: HashMap::new(),
            took: None,
            failures: 0,
            rests_until: None,
        }
    }

    /// A file has changed.
    fn want(&mut self, file: &str) {
        self.epoch += 1;
        if self.wanted.len() < MAX_FILES {
            self.wanted.insert(file.to_owned());
        }
        if let Some(run) = &self.running {
            run.call_off.ring();
        }
    }

    fn is_busy(&self) -> bool {
        let rests = self.rests_until.is_some_and(|until| until > Instant::now());
        self.running.is_some() || !self.wanted.is_empty() && !rests
    }

    fn is_about(&self, root: &Path, file: &str) -> bool {
        let path = root.join(file);
        let ending = path.extension().and_then(|ending| ending.to_str());
        path.starts_with(&self.check.folder)
            && ending.is_some_and(|ending| self.check.tool.endings.contains(&ending))
    }

    fn has_touched(&self, root: &Path, ledger: &Ledger) -> bool {
        ledger.touched().any(|file| self.is_about(root, file))
    }

    /// What a run means to a session: what was there before it where it has touched nothing, what is there now elsewhere.
    fn note(
        &self,
        root: &Path,
        ledger: &mut Ledger,
        files: &[String],
        found: &[Finding],
        read: &dyn Fn(&str) -> Option<Lines>,
    ) {
        let scope = self.check.tool.scope;
        if scope == Scope::Project {
            if self.has_touched(root, ledger) {
                ledger.note_now(&self.name, scope, files, found, read);
            } else {
                ledger.note_before(&self.name, scope, files, found);
            }
            return;
        }
        let (touched, others): (Vec<String>, Vec<String>) =
            files.iter().cloned().partition(|file| ledger.is_touched(file));
        let of = |files: &[String]| -> Vec<Finding> {
            found.iter().filter(|finding| files.contains(&finding.file)).cloned().collect()
        };
        if !touched.is_empty() {
            ledger.note_now(&self.name, scope, &touched, &of(&touched), read);
        }
        if !others.is_empty() {
            ledger.note_before(&self.name, scope, &others, &of(&others));
        }
    }
}
