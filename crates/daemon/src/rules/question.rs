//! Asks a model what a prompt rule wants to know. A model rarely answers while an agent waits: what comes in time
//! counts at once, what comes late is said at the conversation's next event, and the same question is never asked
//! twice. The model, its key and its tokens for a day are those of `distill.provider`.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use engine::config::Config;
use engine::rules::{self, Judgment, Outcome, Ruled, Said, Template, Then, judgment};
use model::{Event, SessionId};
use providers::budget::day_of;
use providers::{Model, Pool, ProviderError, Request, Spend};

use super::folder::Loaded;
use super::{LATE_EVENTS, MAX_ANSWER_TOKENS};
use crate::intake::now;
use crate::models::settings::{CLIENTS, Settings};

/// Past this nobody remembers what it was about.
const PATIENCE: Duration = Duration::from_secs(30);
/// Questions under way at once, over all sessions.
const MAX_ASKING: usize = 2;
/// Answers remembered, and answers that wait for their conversation.
const MAX_REMEMBERED: usize = 256;
const MAX_LATE: usize = 32;

pub(super) struct Asker {
    /// Nobody's project, for a client that is a process.
    folder: PathBuf,
    pool: Arc<Pool>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    asking: usize,
    spend: Spend,
    /// Oldest first.
    answers: VecDeque<(u64, Judgment)>,
    late: VecDeque<Late>,
}

/// What was said when the agent had gone on.
pub(super) struct Late {
    session: SessionId,
    subagent: Option<String>,
    rule: String,
    pub(super) text: String,
}

impl Late {
    pub(super) fn new(event: &Event, rule: &str) -> Self {
        Self {
            session: event.session.clone(),
            subagent: event.subagent.as_ref().map(|agent| agent.id.clone()),
            rule: rule.to_owned(),
            text: String::new(),
        }
    }

    pub(super) fn saying(event: &Event, rule: &str, text: String) -> Self {
        Self { text, ..Self::new(event, rule) }
    }
}

/// Why there is no judgment.
pub(super) enum Unjudged {
    /// It was answered otherwise than asked.
    Rule(String),
    /// Nobody was asked, or nobody has answered yet.
    NotAsked(String),
}

impl Asker {
    pub(super) fn new(folder: PathBuf) -> Arc<Self> {
        Arc::new(Self { folder, pool: Pool::new(CLIENTS), state: Mutex::default() })
    }

    pub(super) fn close(&self) {
        self.pool.close();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the answer until then.
    pub(super) fn ask(
        self: &Arc<Self>,
        config: &Config,
        loaded: &Loaded,
        then: Then,
        event: &Event,
        until: Instant,
    ) -> Outcome {
        let Some(question) = &loaded.question else { return Outcome::Silent };
        let request = request(question, event);
        let mut hasher = DefaultHasher::new();
        (&loaded.name, &loaded.stamps, &request.prompt).hash(&mut hasher);
        let late = Late {
            text: format!("(of a moment ago, at {}) ", event.kind.name()),
            ..Late::new(event, &loaded.name)
        };
        match self.judge(config, request, hasher.finish(), late, until) {
            Ok(judgment) => outcome(then, judgment),
            Err(Unjudged::Rule(what)) => Outcome::Trouble(what),
            Err(Unjudged::NotAsked(why)) => Outcome::NotRun(why),
        }
    }

    /// Whoever asks waits for the answer until then.
    pub(super) fn judge(
        self: &Arc<Self>,
        config: &Config,
        request: Request,
        key: u64,
        late: Late,
        until: Instant,
    ) -> Result<Judgment, Unjudged> {
        let not_asked = |why: &str| Err(Unjudged::NotAsked(why.to_owned()));
        let Some(settings) = Settings::read(config) else {
            return not_asked("`distill.provider` names no model");
        };
        {
            let mut state = self.state();
            if let Some((_, known)) = state.answers.iter().find(|(of, _)| *of == key) {
                return Ok(known.clone());
            }
            if state.asking >= MAX_ASKING {
                return not_asked("other rules are waiting for the model");
            }
            if !settings.budget.admits(&state.spend, day_of(now()), &request) {
                return not_asked("the tokens of the day are spent");
            }
            state.asking += 1;
        }
        let client = match settings.client(&self.folder, &self.pool) {
            Ok(client) => client,
            Err(error) => {
                self.state().asking -= 1;
                return not_asked(&error.to_string());
            }
        };
        let (to, from) = mpsc::channel();
        let asker = Arc::clone(self);
        let spawned = thread::Builder::new().name("rule-question".into()).spawn(move || {
            let answer = complete(client.as_ref(), &request, Instant::now() + PATIENCE);
            asker.record(&request, &answer, key);
            let judged = answer.and_then(|said| judged(&said.text));
            if let Err(mpsc::SendError(judged)) = to.send(judged) {
                asker.keep_late(late, judged);
            }
        });
        if spawned.is_err() {
            self.state().asking -= 1;
            return not_asked("no thread could be started");
        }
        match from.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Ok(judgment)) => Ok(judgment),
            Ok(Err(Fault::Rule(what))) => Err(Unjudged::Rule(what)),
            Ok(Err(Fault::Provider(error))) => not_asked(&error.to_string()),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                not_asked("the model has not answered yet; a yes is said at the next event")
            }
        }
    }

    fn record(&self, request: &Request, answer: &Result<providers::Completion, Fault>, key: u64) {
        let mut state = self.state();
        state.asking -= 1;
        let outcome = match answer {
            Ok(said) => Ok(said),
            Err(Fault::Provider(error)) => Err(error),
            Err(Fault::Rule(_)) => return,
        };
        state.spend.record(day_of(now()), outcome, request);
        let judged = answer.as_ref().ok().and_then(|said| judgment(&said.text).ok());
        if let Some(judged) = judged {
            if state.answers.len() >= MAX_REMEMBERED {
                state.answers.pop_front();
            }
            state.answers.push_back((key, judged));
        }
    }

    fn keep_late(&self, mut late: Late, judged: Result<Judgment, Fault>) {
        let Ok(Judgment::Yes(reason)) = judged else { return };
        late.text.push_str(&reason);
        self.put_back(late);
    }

    /// Waits for its conversation's next event.
    pub(super) fn put_back(&self, late: Late) {
        let mut state = self.state();
        if state.late.len() >= MAX_LATE {
            state.late.pop_front();
        }
        state.late.push_back(late);
    }

    /// What was answered late in this conversation to those who are meant.
    pub(super) fn late(&self, event: &Event, is_meant: impl Fn(&str) -> bool) -> Vec<Late> {
        let mut state = self.state();
        let subagent = event.subagent.as_ref().map(|agent| agent.id.as_str());
        let (due, rest) = std::mem::take(&mut state.late).into_iter().partition::<VecDeque<_>, _>(|late| {
            late.session == event.session && late.subagent.as_deref() == subagent && is_meant(&late.rule)
        });
        state.late = rest;
        due.into()
    }

    /// What was answered late to rules, where it can be said.
    pub(super) fn take_late(&self, event: &Event) -> Vec<Ruled> {
        if !LATE_EVENTS.contains(&event.kind) {
            return Vec::new();
        }
        let due = self.late(event, |rule| rule != super::JUDGE);
        let said = |late: Late| Ruled {
            rule: late.rule,
            took: Duration::ZERO,
            outcome: Outcome::Said(Box::new(Said::of(Then::Say, late.text))),
        };
        due.into_iter().map(said).collect()
    }
}

/// Whose fault it is that there is no judgment.
#[derive(Debug)]
enum Fault {
    Provider(ProviderError),
    Rule(String),
}

fn complete(client: &dyn Model, request: &Request, until: Instant) -> Result<providers::Completion, Fault> {
    client.complete(request, until).map_err(Fault::Provider)
}

fn judged(text: &str) -> Result<Judgment, Fault> {
    judgment(text).map_err(|error| Fault::Rule(error.to_string()))
}

fn outcome(then: Then, judgment: Judgment) -> Outcome {
    match judgment {
        Judgment::Yes(reason) => Outcome::Said(Box::new(Said::of(then, reason))),
        Judgment::No => Outcome::Silent,
    }
}

/// What a model would be sent.
pub fn request(question: &Template, event: &Event) -> Request {
    Request {
        system: rules::SYSTEM.to_owned(),
        prompt: question.render(event),
        max_output_tokens: MAX_ANSWER_TOKENS,
        schema: Some(rules::schema()),
    }
}

/// The provider that prompt rules ask; `None`: nobody.
pub fn provider(config: &Config) -> Option<&'static str> {
    Settings::read(config).map(|settings| settings.provider())
}

/// Asks and waits, for whoever writes a rule. `folder` is nobody's project.
pub fn ask_now(config: &Config, folder: &Path, request: &Request) -> Result<Judgment, String> {
    let settings = Settings::read(config).ok_or("`distill.provider` names no model")?;
    let client = settings.client(folder, &Pool::new(CLIENTS)).map_err(|error| error.to_string())?;
    let answer = client.complete(request, Instant::now() + PATIENCE).map_err(|error| error.to_string())?;
    judgment(&answer.text).map_err(|error| error.to_string())
}
