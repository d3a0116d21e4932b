//! Runs a person's own rules: reads their folder when it changed, starts programs, asks a model, and bears what goes
//! wrong. What a rule's files and answers mean is decided in `engine::rules`. Only the data folder is looked at, and no
//! link is followed out of it: a repository cannot bring a rule along.

mod folder;
mod program;
mod question;

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use client::Place;
use engine::Question;
use engine::config::Config;
use engine::rules::{self, Judgment, Kind, Outcome, Ruled};
use model::{Event, EventId, EventKind};
use providers::Request;
use serde_json::{Value, json};

use self::folder::Stamp;
use self::question::{Asker, Late};
use crate::log::Log;

pub use self::folder::{Loaded, load};
pub use self::program::{Failure, run as run_program};
pub use self::question::{ask_now, provider, request};

/// More at once would take the time from each other.
const MAX_AT_ONCE: usize = 16;
/// In a row; then it rests until it is changed.
const MAX_FAILURES: u32 = 3;
/// What the way back takes after the last rule has ended.
const MARGIN: Duration = Duration::from_millis(5);

/// Who asks when a turn ends, among the rules that ask: no rule can be called like it.
const JUDGE: &str = "(judge-stop)";
/// Yes or no, and a sentence.
const MAX_ANSWER_TOKENS: u32 = 120;

/// Prompts that are remembered to have been judged: more than have turns that are under way.
const MAX_JUDGED: usize = 256;

/// Whether anything comes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Real,
    /// Programs run, but failures do not count, and no model is asked: a rehearsal of a thousand events would cost
    /// as much as a day of work.
    Rehearsal,
}

pub(crate) struct Rules {
    folder: PathBuf,
    log: Arc<Log>,
    known: RwLock<Arc<Known>>,
    health: Mutex<HashMap<String, Health>>,
    asker: Arc<Asker>,
    /// Prompts whose turns were judged, oldest first.
    judged: Mutex<VecDeque<EventId>>,
}

/// The folder as it was read last.
#[derive(Default)]
struct Known {
    stamp: Option<Stamp>,
    rules: Vec<Loaded>,
}

/// How a rule has done since it was last changed.
#[derive(Default, Clone)]
struct Health {
    of: Vec<Option<Stamp>>,
    runs: u64,
    failures: u64,
    in_a_row: u32,
    last_trouble: Option<String>,
    last_micros: u64,
}

impl Rules {
    /// Reads them at once: which events are heard must be known before the first comes.
    pub(crate) fn new(place: &Place, log: Arc<Log>) -> Arc<Self> {
        let rules = Self {
            folder: place.data.join(rules::FOLDER),
            log,
            known: RwLock::default(),
            health: Mutex::default(),
            asker: Asker::new(place.data.join("distill")),
            judged: Mutex::default(),
        };
        rules.current();
        Arc::new(rules)
    }

    /// All that concern the event, at once, each until its own time is over and none past `until`.
    pub(crate) fn run(&self, config: &Config, event: &Event, until: Instant, mode: Mode) -> Vec<Ruled> {
        let known = self.current();
        if known.rules.is_empty() {
            return Vec::new();
        }
        let mut ruled = if mode == Mode::Real { self.asker.take_late(event) } else { Vec::new() };
        let concerned = |loaded: &&Loaded| loaded.rule.as_ref().is_ok_and(|rule| rule.concerns(event));
        let mut due: Vec<&Loaded> = known.rules.iter().filter(concerned).collect();
        if due.is_empty() {
            return ruled;
        }
        let crowd = due.split_off(due.len().min(MAX_AT_ONCE));
        ruled.extend(crowd.iter().map(|loaded| Ruled {
            rule: loaded.name.clone(),
            took: Duration::ZERO,
            outcome: Outcome::NotRun(format!("{MAX_AT_ONCE} others concern the same event")),
        }));
        let envelope = rules::envelope(event).to_string();
        let until = until.checked_sub(MARGIN).unwrap_or(until);
        let run = |loaded: &Loaded| self.run_one(loaded, config, event, envelope.as_bytes(), until, mode);
        match due.as_slice() {
            [only] => ruled.push(run(only)),
            all => thread::scope(|scope| {
                let threads: Vec<_> = all.iter().map(|loaded| scope.spawn(|| run(loaded))).collect();
                // Who panics has no answer; the others have theirs.
                ruled.extend(threads.into_iter().filter_map(|thread| thread.join().ok()));
            }),
        }
        ruled
    }

    /// A question of the house's own, to the same model and out of the same tokens.
    pub(crate) fn judge(
        &self,
        config: &Config,
        event: &Event,
        question: &Question,
        until: Instant,
    ) -> Option<Judgment> {
        {
            let mut judged = self.judged.lock().unwrap_or_else(PoisonError::into_inner);
            if judged.contains(&question.about) {
                return None;
            }
            if judged.len() >= MAX_JUDGED {
                judged.pop_front();
            }
            judged.push_back(question.about);
        }
        let request = Request {
            system: engine::JUDGE.to_owned(),
            prompt: question.text.clone(),
            max_output_tokens: MAX_ANSWER_TOKENS,
            schema: Some(rules::schema()),
        };
        let mut hasher = DefaultHasher::new();
        (JUDGE, question.about, &question.text).hash(&mut hasher);
        let until = until.checked_sub(MARGIN).unwrap_or(until);
        self.asker.judge(config, request, hasher.finish(), Late::new(event, JUDGE), until).ok()
    }

    /// What it said late, the last of it.
    pub(crate) fn judged_late(&self, event: &Event) -> Option<String> {
        self.asker.late(event, |rule| rule == JUDGE).pop().map(|late| late.text)
    }

    /// It was said to nobody.
    pub(crate) fn judged_unheard(&self, event: &Event, missing: String) {
        self.asker.put_back(Late::saying(event, JUDGE, missing));
    }

    /// What a model told a rule late was said to nobody.
    pub(crate) fn ruled_unheard(&self, event: &Event, late: Ruled) {
        if let Outcome::Said(said) = late.outcome
            && let Some(text) = said.say
        {
            self.asker.put_back(Late::saying(event, &late.rule, text));
        }
    }

    fn run_one(
        &self,
        loaded: &Loaded,
        config: &Config,
        event: &Event,
        envelope: &[u8],
        until: Instant,
        mode: Mode,
    ) -> Ruled {
        let began = Instant::now();
        let rule = loaded.rule.as_ref().expect("only sound rules concern an event");
        let ended = |outcome| Ruled { rule: rule.name.clone(), took: began.elapsed(), outcome };
        if mode == Mode::Real && self.is_resting(loaded) {
            return ended(Outcome::NotRun(format!("switched off after {MAX_FAILURES} failures in a row")));
        }
        let until = until.min(began + rule.time(event.kind));
        let (outcome, failure) = match (rule.kind, mode) {
            (Kind::Command, _) => match program::run(&loaded.folder, rule, event, envelope, until) {
                Ok(said) if said.is_silent() => (Outcome::Silent, None),
                Ok(said) => (Outcome::Said(Box::new(said)), None),
                Err(failure) => (Outcome::Trouble(failure.to_string()), Some(failure.what)),
            },
            (Kind::Prompt(_), Mode::Rehearsal) => {
                (Outcome::NotRun("no model is asked without need: see `throughline hook test`".into()), None)
            }
            (Kind::Prompt(then), Mode::Real) => {
                let outcome = self.asker.ask(config, loaded, then, event, until);
                let failure = match &outcome {
                    Outcome::Trouble(what) => Some(what.clone()),
                    _ => None,
                };
                (outcome, failure)
            }
        };
        let ruled = ended(outcome);
        if mode == Mode::Real && !matches!(ruled.outcome, Outcome::NotRun(_)) {
            self.note(loaded, &rule.name, ruled.took, failure);
        }
        ruled
    }

    fn is_resting(&self, loaded: &Loaded) -> bool {
        let health = self.health();
        health
            .get(&loaded.name)
            .is_some_and(|health| health.of == loaded.stamps && health.in_a_row >= MAX_FAILURES)
    }

    fn note(&self, loaded: &Loaded, name: &str, took: Duration, failure: Option<String>) {
        let mut all = self.health();
        let health = all.entry(name.to_owned()).or_default();
        if health.of != loaded.stamps {
            *health = Health { of: loaded.stamps.clone(), ..Health::default() };
        }
        health.runs += 1;
        health.last_micros = took.as_micros() as u64;
        let Some(what) = failure else {
            health.in_a_row = 0;
            return;
        };
        health.failures += 1;
        health.in_a_row += 1;
        let rests = if health.in_a_row == MAX_FAILURES { "; it rests until it is changed" } else { "" };
        self.log.warn(format_args!("rule {name}: {what}{rests}"));
        health.last_trouble = Some(what);
    }

    fn health(&self) -> MutexGuard<'_, HashMap<String, Health>> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rules as they are now. While nothing changed this is a look at the folder, and at each rule's files.
    fn current(&self) -> Arc<Known> {
        let known = Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner));
        let stamp = folder::stamp(&self.folder);
        if stamp == known.stamp && known.rules.iter().all(Loaded::is_current) {
            return known;
        }
        let rules = load(&self.folder).unwrap_or_else(|error| {
            self.log.warn(format_args!("rules: {error}"));
            Vec::new()
        });
        rules::hear(heard(&rules));
        let names: Vec<&str> = rules.iter().map(|loaded| loaded.name.as_str()).collect();
        self.health().retain(|name, _| names.contains(&name.as_str()));
        let known = Arc::new(Known { stamp, rules });
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&known);
        known
    }

    /// Every rule and how it does, for whoever asks.
    pub(crate) fn to_json(&self) -> Value {
        let known = self.current();
        let health = self.health();
        let one = |loaded: &Loaded| {
            let health = health.get(&loaded.name).filter(|health| health.of == loaded.stamps);
            let health = health.cloned().unwrap_or_default();
            json!({
                "name": loaded.name,
                "runs": health.runs,
                "failures": health.failures,
                "failures_in_a_row": health.in_a_row,
                "resting": health.in_a_row >= MAX_FAILURES,
                "last_trouble": health.last_trouble,
                "last_micros": health.last_micros,
            })
        };
        json!({ "folder": self.folder, "rules": known.rules.iter().map(one).collect::<Vec<_>>() })
    }

    pub(crate) fn close(&self) {
        self.asker.close();
    }
}

/// What a model says late is said on one of these.
const LATE_EVENTS: &[EventKind] =
    &[EventKind::UserPromptSubmit, EventKind::PreToolUse, EventKind::PostToolUse];

fn heard(loaded: &[Loaded]) -> Vec<EventKind> {
    let sound = loaded.iter().filter_map(|loaded| loaded.rule.as_ref().ok()).filter(|rule| rule.enabled);
    let mut heard = Vec::new();
    for rule in sound {
        heard.extend(&rule.on);
        if matches!(rule.kind, Kind::Prompt(_)) {
            heard.extend(LATE_EVENTS);
        }
    }
    heard
}

/// Where the rules of a namespace lie.
pub fn folder_of(data: &Path) -> PathBuf {
    data.join(rules::FOLDER)
}

#[cfg(test)]
mod tests;
