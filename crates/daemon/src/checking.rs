//! Runs a project's own compilers and linters while agents edit it: in the background, few at once, warm, called off by
//! newer edits. Which tools there are, how one is run and what of its words is new is decided in `checks`; what is said of
//! it in `engine`. No thread and no process is left when nothing is due.

mod cache;
mod project;
mod sessions;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use checks::{Check, Failure, Finding, Ground, Kind, Lines, Trust, Trusted};
use engine::config::Config;
use engine::{Act, Checked, Once, Step, Wrong};

use model::SessionId;

use self::project::{Asked, Job, Project};
pub(crate) use self::sessions::Around;
use self::sessions::{Own, Sessions};
use crate::log::Log;

/// Processes at once, over all projects: the machine is the person's.
const MAX_AT_ONCE: usize = 2;
/// Projects that are known; the ones longest ago begin anew.
const MAX_PROJECTS: usize = 16;
/// What the way back takes after a result is there: what is marked as said must be heard.
const MARGIN: Duration = Duration::from_millis(15);
/// For a file's tools to be looked for again: a configuration may come or go.
const LOOKED_FOR: Duration = Duration::from_secs(20);
/// A text with more is written by a machine.
const MAX_TEXT: u64 = 4 << 20;
/// Runs that are called off end within a tick or two of whoever watches them.
const CLOSING_PATIENCE: Duration = Duration::from_millis(500);

pub(crate) struct Checking {
    folder: PathBuf,
    trusted: Trusted,
    sessions: Sessions,
    log: Arc<Log>,
    state: Mutex<State>,
    /// A run has ended.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    projects: HashMap<PathBuf, Project>,
    running: usize,
    closed: bool,
}

/// Who hears what comes of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hears {
    Notes,
    /// Only that a turn is held.
    Holds,
    Nothing,
}

impl Checking {
    /// What tools keep lies in a folder of its own below `data`.
    pub(crate) fn new(data: &Path, log: Arc<Log>) -> Arc<Self> {
        Arc::new(Self {
            folder: data.join("checks"),
            trusted: Trusted::of(data),
            sessions: Sessions::default(),
            log,
            state: Mutex::default(),
            ended: Condvar::new(),
        })
    }

    /// What the environment of a session says.
    pub(crate) fn heard(&self, session: &SessionId, around: &Around) {
        self.sessions.heard(session, around);
    }

    /// Takes a step of a conversation, and says what of its own is wrong by `until`.
    pub(crate) fn step(
        self: &Arc<Self>,
        config: &Config,
        step: &Step,
        until: Instant,
        hears: Hears,
    ) -> Checked {
        let until = until.checked_sub(MARGIN).unwrap_or(until);
        let own = self.sessions.own(step);
        let code = Trust::of(config.text("checks.project-code"));
        let by = step.subagent.as_deref();
        let root = &own.root;
        match &step.act {
            Act::Look { file } => {
                let (file, found) = match self.tools(&own, file, code) {
                    Tools::Found(file, found) => (file, found),
                    other => return other.checked(root),
                };
                self.project(&own, |project| project.look(&step.session, &file, found));
                Checked::default()
            }
            Act::Begin { file } => {
                // What was in it is read first: looking for tools may take longer than the edit.
                let before = checks::concerns(file).then(|| lines(file)).flatten();
                let (file, found) = match self.tools(&own, file, code) {
                    Tools::Found(file, found) => (file, found),
                    other => return other.checked(root),
                };
                self.project(&own, |project| {
                    project.begin(&step.session, by, &file, before, found, step.call.as_deref());
                });
                Checked::default()
            }
            Act::Edit { file, before } => {
                let (file, found) = match self.tools(&own, file, code) {
                    Tools::Found(file, found) => (file, found),
                    Tools::None => return self.say(root, step, hears),
                    other @ Tools::Untrusted => return other.checked(root),
                };
                let names: Vec<String> = found.iter().map(project::key).collect();
                let before = before.as_deref().map(Lines::of);
                self.project(&own, |project| {
                    project.edit(&step.session, by, &file, before, found, step.call.as_deref());
                });
                if hears == Hears::Notes {
                    self.wait(root, until, |project, left| project.is_expected(&names, left));
                }
                self.say(root, step, hears)
            }
            Act::Command => {
                self.known(root, Project::begin_command);
                Checked::default()
            }
            Act::Pass => {
                self.known(root, |project| project.pass(&step.session, step.call.as_deref()));
                self.say(root, step, hears)
            }
            Act::Stop { again } => {
                if hears == Hears::Nothing
                    || self.known(root, |project| project.stop(&step.session)).is_none()
                {
                    return Checked::default();
                }
                self.wait(root, until, |project, _| project.is_busy(&step.session));
                let stopping = self.known(root, |project| project.stopping(&step.session, by, *again));
                let (findings, hold) =
                    stopping.flatten().map(|stopping| (stopping.findings, stopping.hold)).unwrap_or_default();
                Checked { wrong: findings.into_iter().map(wrong).collect(), hold, untrusted: None }
            }
        }
    }

    /// These are named to the conversation of a step, or its turn is held for them; taken back where nobody hears it. `None`:
    /// another event of the same moment has named them all.
    pub(crate) fn note(self: &Arc<Self>, step: &Step, named: &[Wrong], hold: bool) -> Option<Once> {
        let findings: Vec<Finding> = named.iter().cloned().map(finding).collect();
        let root = self.sessions.own(step).root;
        let mut state = self.state();
        let noted = state.projects.get_mut(&root)?.note_heard(&step.session, &findings, hold)?;
        drop(state);
        let (ours, session) = (Arc::clone(self), step.session.clone());
        Some(Once::new(move || {
            if let Some(project) = ours.state().projects.get_mut(&root) {
                project.take_back(&session, noted);
            }
        }))
    }

    fn say(&self, root: &Path, step: &Step, hears: Hears) -> Checked {
        if hears != Hears::Notes {
            return Checked::default();
        }
        let said = self
            .state()
            .projects
            .get_mut(root)
            .map(|project| project.say(&step.session, step.subagent.as_deref()));
        Checked { wrong: said.unwrap_or_default().into_iter().map(wrong).collect(), ..Checked::default() }
    }

    /// The tools for a file of the session's own workspace, as they were found a moment ago or are found now.
    fn tools(self: &Arc<Self>, own: &Own, file: &Path, code: Trust) -> Tools {
        if !checks::concerns(file) {
            return Tools::None;
        }
        let root = &own.root;
        // What a link leads to counts, and not where the link is.
        let Some(path) = checks::real(file) else { return Tools::None };
        let Some(inside) = path.strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned) else {
            return Tools::None;
        };
        if self.trusted.by(root, &own.claude).is_none() {
            return if checks::is_used(root, &path) { Tools::Untrusted } else { Tools::None };
        }
        let (Some(folder), Some(ending)) = (path.parent(), path.extension()) else { return Tools::None };
        let key =
            Asked { folder: folder.to_owned(), ending: ending.to_owned(), code, path: own.path.clone() };
        let known = self.state().projects.get(root).and_then(|project| project.tools.get(&key).cloned());
        // A repository may have come there meanwhile.
        let is_fresh = |at: &Instant| at.elapsed() < LOOKED_FOR && checks::is_ours(root, folder);
        let found = if let Some((_, found)) = known.filter(|(at, _)| is_fresh(at)) {
            found
        } else {
            // Looks at files, and asks git: nobody waits for that but this call.
            let is_trusted = |root: &Path| self.trusted.by(root, &own.claude).is_some();
            let home = std::env::var_os("HOME").map(PathBuf::from);
            let (path_of, home) = (own.path.as_os_str(), home.as_deref());
            let ground = Ground { root, path: path_of, home, code, is_trusted: &is_trusted };
            let found = checks::find(&ground, &path);
            if !found.is_empty() {
                self.project(own, |project| {
                    project.tools.retain(|_, (at, _)| at.elapsed() < LOOKED_FOR);
                    project.tools.insert(key, (Instant::now(), found.clone()));
                });
            }
            found
        };
        if found.is_empty() { Tools::None } else { Tools::Found(inside, found) }
    }

    /// Whether a run that is due may still be made: trust may have been taken back, and another repository may lie there.
    fn is_allowed(&self, job: &Job) -> bool {
        self.trusted.by(&job.root, &job.claude).is_some()
            && checks::is_ours(&job.root, &job.check.folder)
            && job
                .files
                .iter()
                .filter_map(|file| file.parent())
                .all(|folder| checks::is_ours(&job.root, folder))
    }

    /// With the project, which is made if it is not known; begins what is due then.
    fn project<T>(self: &Arc<Self>, own: &Own, with: impl FnOnce(&mut Project) -> T) -> T {
        let root = &own.root;
        let mut state = self.state();
        if !state.projects.contains_key(root) {
            if state.projects.len() >= MAX_PROJECTS {
                let oldest = state.projects.iter().min_by_key(|(_, project)| project.used_at);
                if let Some(oldest) = oldest.map(|(root, _)| root.clone()) {
                    // What runs there finds nobody to tell.
                    state.projects.remove(&oldest).iter().for_each(Project::call_off);
                }
            }
            state.projects.insert(root.clone(), Project::new(root, cache::of(&self.folder, root)));
        }
        let project = state.projects.get_mut(root).expect("it was put there");
        project.used_at = Instant::now();
        project.claude.clone_from(&own.claude);
        let answer = with(project);
        self.begin_due(&mut state);
        answer
    }

    /// The same, for a project that is known.
    fn known<T>(self: &Arc<Self>, root: &Path, with: impl FnOnce(&mut Project) -> T) -> Option<T> {
        let mut state = self.state();
        let answer = state.projects.get_mut(root).map(with)?;
        self.begin_due(&mut state);
        Some(answer)
    }

    /// Until nobody needs to wait any more, and not past `until`.
    fn wait(&self, root: &Path, until: Instant, is_worth_it: impl Fn(&Project, Duration) -> bool) {
        let mut state = self.state();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let is_worth_it = state.projects.get(root).is_some_and(|project| is_worth_it(project, left));
            if left.is_zero() || !is_worth_it || state.closed {
                return;
            }
            state = self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn begin_due(self: &Arc<Self>, state: &mut State) {
        while state.running < MAX_AT_ONCE && !state.closed {
            let due = state.projects.values_mut().filter_map(|project| Some((project.due()?, project)));
            let Some((at, project)) =
                due.min_by_key(|((rank, _), _)| *rank).map(|((_, at), project)| (at, project))
            else {
                return;
            };
            let job = project.begin_run(at);
            let ours = Arc::clone(self);
            let (root, name) = (job.root.clone(), job.name.clone());
            let spawned = thread::Builder::new().name("checking".into()).spawn(move || ours.work(&job));
            if spawned.is_err() {
                if let Some(project) = state.projects.get_mut(&root) {
                    project.end_run(&name, Err(Failure::NotStarted), Duration::ZERO);
                }
                return;
            }
            state.running += 1;
        }
    }

    fn work(self: &Arc<Self>, job: &Job) {
        let began = Instant::now();
        // Its panic must not leave the check running for ever.
        let ran = catch_unwind(AssertUnwindSafe(|| {
            if !self.is_allowed(job) {
                return Err(Failure::NotAllowed);
            }
            cache::touch(&self.folder, &job.cache);
            checks::run(&job.check, &job.root, &job.files, &job.cache.join(cache::name(&job.name)), || {
                job.is_called_off()
            })
        }));
        let result = ran.unwrap_or(Err(Failure::Unread(None)));
        if let Err(failure) = &result
            && *failure != Failure::CalledOff
        {
            self.log.info(format_args!("check {} in {}: {failure}", job.name, job.root.display()));
        }
        let mut state = self.state();
        state.running -= 1;
        if let Some(project) = state.projects.get_mut(&job.root) {
            project.end_run(&job.name, result, began.elapsed());
        }
        self.begin_due(&mut state);
        drop(state);
        self.ended.notify_all();
    }

    /// Ends what runs, and begins nothing more.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.projects.values().for_each(Project::call_off);
        self.ended.notify_all();
        let until = Instant::now() + CLOSING_PATIENCE;
        while state.running > 0 && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            state = self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What came of looking for the tools of a file.
enum Tools {
    /// The file, from the root of the workspace.
    Found(String, Vec<Check>),
    None,
    /// There may be some, in a workspace that nobody trusts.
    Untrusted,
}

impl Tools {
    fn checked(&self, root: &Path) -> Checked {
        let untrusted = matches!(self, Self::Untrusted).then(|| root.to_owned());
        Checked { untrusted, ..Checked::default() }
    }
}

/// Told to a run that nobody waits for any more.
#[derive(Debug, Clone, Default)]
struct CallOff(Arc<AtomicBool>);

impl CallOff {
    fn ring(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn has_rung(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The lines of a file; of one that is not there, none. `None`: nobody can say.
fn lines(path: &Path) -> Option<Lines> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Lines::default()),
        Ok(about) if about.is_file() && about.len() <= MAX_TEXT => {
            Some(Lines::of(&String::from_utf8_lossy(&std::fs::read(path).ok()?)))
        }
        _ => None,
    }
}

/// The finding by which a ledger knows it: how it is to be told of plays no part in that.
fn finding(wrong: Wrong) -> Finding {
    let Wrong { tool, file, line, column, code, message, fix } = wrong;
    Finding { tool, file, line, column, code, message, fix, kind: Kind::Plain }
}

fn wrong(finding: Finding) -> Wrong {
    let Finding { tool, file, line, column, code, message, fix, .. } = finding;
    Wrong { tool, file, line, column, code, message, fix }
}

#[cfg(test)]
mod tests;
