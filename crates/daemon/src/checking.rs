//! Runs a project's own compilers and linters while agents edit it: in the background, few at once, warm, called off by
//! newer edits. Which tools there are, how one is run and what of its words is new is decided in `checks`; what is said of
//! it in `engine`. No thread and no process is left when nothing is due.

mod cache;
mod project;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use checks::{Check, Failure, Finding, Lines, Trust};
use engine::config::Config;
use engine::{Act, Checked, Step, Wrong};

use self::project::{Job, Project};
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
        Arc::new(Self { folder: data.join("checks"), log, state: Mutex::default(), ended: Condvar::new() })
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
        let trust = Trust::of(config.text("checks.project-code"));
        let by = step.subagent.as_deref();
        match &step.act {
            Act::Look { file } => {
                if let Some(found) = self.tools(&step.root, file, trust) {
                    self.project(&step.root, |project| project.look(&step.session, file, found));
                }
                Checked::default()
            }
            Act::Begin { file } => {
                if let Some(found) = self.tools(&step.root, file, trust) {
                    let before = lines(&step.root.join(file));
                    self.project(&step.root, |project| {
                        project.begin(&step.session, by, file, before, found, step.call.as_deref());
                    });
                }
                Checked::default()
            }
            Act::Edit { file, before } => {
                let Some(found) = self.tools(&step.root, file, trust) else {
                    return self.say(step, hears);
                };
                let names: Vec<String> = found.iter().map(project::key).collect();
                let before = before.as_deref().map(Lines::of);
                self.project(&step.root, |project| {
                    project.edit(&step.session, by, file, before, found, step.call.as_deref());
                });
                if hears == Hears::Notes {
                    self.wait(&step.root, until, |project, left| project.is_expected(&names, left));
                }
                self.say(step, hears)
            }
            Act::Command => {
                self.known(&step.root, Project::begin_command);
                Checked::default()
            }
            Act::Pass => {
                self.known(&step.root, |project| project.pass(&step.session, step.call.as_deref()));
                self.say(step, hears)
            }
            Act::Stop { again } => {
                if hears == Hears::Nothing
                    || self.known(&step.root, |project| project.stop(&step.session)).is_none()
                {
                    return Checked::default();
                }
                self.wait(&step.root, until, |project, _| project.is_busy(&step.session));
                let stopping = self.known(&step.root, |project| project.stopping(&step.session, by, *again));
                let (findings, hold) =
                    stopping.flatten().map(|stopping| (stopping.findings, stopping.hold)).unwrap_or_default();
                Checked { wrong: findings.into_iter().map(wrong).collect(), hold }
            }
        }
    }

    fn say(&self, step: &Step, hears: Hears) -> Checked {
        if hears != Hears::Notes {
            return Checked::default();
        }
        let said = self
            .state()
            .projects
            .get_mut(&step.root)
            .map(|project| project.say(&step.session, step.subagent.as_deref()));
        Checked { wrong: said.unwrap_or_default().into_iter().map(wrong).collect(), hold: false }
    }

    /// The tools for a file, as they were found a moment ago or are found now. `None`: there is none.
    fn tools(self: &Arc<Self>, root: &Path, file: &str, trust: Trust) -> Option<Vec<Check>> {
        if !checks::concerns(Path::new(file)) {
            return None;
        }
        let path = root.join(file);
        let key = (path.parent()?.to_owned(), path.extension()?.to_owned(), trust);
        let known = self.state().projects.get(root).and_then(|project| project.tools.get(&key).cloned());
        let found = if let Some((_, found)) = known.filter(|(at, _)| at.elapsed() < LOOKED_FOR) {
            found
        } else {
            // Looks at files, and asks git: nobody waits for that but this call.
            let found = checks::find(root, &path, &std::env::var_os("PATH").unwrap_or_default(), trust);
            if !found.is_empty() {
                self.project(root, |project| {
                    project.tools.retain(|_, (at, _)| at.elapsed() < LOOKED_FOR);
                    project.tools.insert(key, (Instant::now(), found.clone()));
                });
            }
            found
        };
        (!found.is_empty()).then_some(found)
    }

    /// With the project, which is made if it is not known; begins what is due then.
    fn project<T>(self: &Arc<Self>, root: &Path, with: impl FnOnce(&mut Project) -> T) -> T {
        let mut state = self.state();
        if !state.projects.contains_key(root) {
            if state.projects.len() >= MAX_PROJECTS {
                let oldest = state.projects.iter().min_by_key(|(_, project)| project.used_at);
                if let Some(oldest) = oldest.map(|(root, _)| root.clone()) {
                    // What runs there finds nobody to tell.
                    state.projects.remove(&oldest).iter().for_each(Project::call_off);
                }
            }
            state.projects.insert(root.to_owned(), Project::new(root, cache::of(&self.folder, root)));
        }
        let project = state.projects.get_mut(root).expect("it was put there");
        project.used_at = Instant::now();
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

fn wrong(finding: Finding) -> Wrong {
    let Finding { tool, file, line, column, code, message, fix, .. } = finding;
    Wrong { tool, file, line, column, code, message, fix }
}

#[cfg(test)]
mod tests;
