//! Asks a model, where a person has named one, for a better account of turns that were distilled without one. One
//! thread, in the background, within a budget for the day. What the model says is journaled like everything that
//! cannot be repeated; what it is asked about next is in the tables, so that it can be stopped anywhere. Nobody
//! waits for it, and nothing is lost without it.

mod material;
pub(crate) mod settings;
mod shown;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use model::Deed;
use providers::budget::day_of;
use providers::distill::{distill_prompt, parse};
use providers::{Backoff, Completion, Model, Pool, ProviderError, Request};
use serde_json::Value;
use store::{StoreError, Tables};

use self::material::{Next, Work};
use self::settings::Settings;
use self::shown::{Shown, State};
use crate::bell::{Bell, Woken};
use crate::deeds;
use crate::intake::{Intake, now};
use crate::learner::Learner;

/// Where the spending is kept in the tables.
const SPEND: &str = "distill-spend";
/// Answers about one turn that cannot be used, or never come, before it is left as it was distilled.
const MAX_ATTEMPTS: u32 = 4;
/// Requests in a row that are rejected as such: then it is the settings, not the turns.
const MAX_REJECTED: u32 = 3;
/// Between two looks at the tables while nothing is to be asked: every hook rings.
const BREATH: Duration = Duration::from_secs(1);
/// Turns wait for more steps of their session; whether it went quiet is looked at so often.
const HELD: Duration = Duration::from_mins(5);
/// After the tables could not be read.
const TROUBLE: Duration = Duration::from_secs(30);
/// The longest a journaled account may wait to be learned before the next is asked for.
const LEARN_PATIENCE: Duration = Duration::from_secs(30);
/// What a thread in the middle of a request gets when we leave. It holds nothing that must be put away.
const LEAVING: Duration = Duration::from_millis(300);
/// How often it is looked whether a new day has begun.
const BUDGET_LOOK: Duration = Duration::from_hours(1);
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

pub(crate) struct Models {
    intake: Arc<Intake>,
    learner: Arc<Learner>,
    pub(crate) bell: Arc<Bell>,
    pool: Arc<Pool>,
    /// The settings were read again: what was given up for them is tried again.
    reloaded: AtomicBool,
    shown: Mutex<Shown>,
}

/// What one thread keeps between its looks.
#[derive(Default)]
struct Worker {
    client: Option<(Settings, Arc<dyn Model>)>,
    stopped: Option<Settings>,
    failures: u32,
    rejected: u32,
    not_before: Option<Instant>,
}

/// How a piece of work ended.
enum Asked {
    Answered(Vec<Deed>),
    Failed(ProviderError),
    BudgetSpent,
    Leaving,
}

impl Models {
    pub(crate) fn new(intake: Arc<Intake>, learner: Arc<Learner>, bell: Arc<Bell>) -> Arc<Self> {
        let pool = Pool::new(settings::CLIENTS);
        Arc::new(Self {
            intake,
            learner,
            bell,
            pool,
            reloaded: AtomicBool::new(false),
            shown: Mutex::default(),
        })
    }

    /// The settings may be others now.
    pub(crate) fn reload(&self) {
        self.reloaded.store(true, Ordering::SeqCst);
        self.bell.ring();
    }

    /// Ends a client at once, and waits a moment for the thread: one that waits for a server ends with the process.
    pub(crate) fn leave(&self, thread: &JoinHandle<()>) {
        self.bell.close();
        self.pool.close();
        let until = Instant::now() + LEAVING;
        while !thread.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        self.shown().to_json()
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: State) {
        self.shown().state = state;
    }

    /// Returns when the bell is closed.
    pub(crate) fn run(&self) {
        let mut worker = Worker::default();
        loop {
            let patience = self.look(&mut worker).unwrap_or_else(|error| {
                self.intake.log.warn(format_args!("distilling by a model waits: {error}"));
                Some(TROUBLE)
            });
            // Not sooner, however often somebody rings.
            if patience == Some(Duration::ZERO) && !self.bell.is_closed() {
                continue;
            }
            if self.bell.wait(patience) == Woken::Closed {
                return;
            }
        }
    }

    /// Does one piece of work. How long to rest afterwards: `None` is until somebody rings.
    fn look(&self, worker: &mut Worker) -> Result<Option<Duration>, StoreError> {
        let config = self.intake.config();
        let Some(settings) = Settings::read(&config) else {
            *worker = Worker::default();
            let mut shown = self.shown();
            (shown.provider, shown.state) = (None, State::Off);
            return Ok(None);
        };
        if self.reloaded.swap(false, Ordering::SeqCst) {
            *worker = Worker::default();
        }
        if worker.stopped.as_ref() == Some(&settings) {
            return Ok(None);
        }
        if let Some(left) = worker.not_before.map(|at| at.saturating_duration_since(Instant::now()))
            && !left.is_zero()
        {
            return Ok(Some(left));
        }
        // What was answered before a crash may be journaled and not yet learned: it must not be asked again.
        if self.learner.learned.load(Ordering::SeqCst) < self.intake.journal.head() {
            return Ok(Some(BREATH));
        }
        let mut tables = Tables::open(&self.intake.place.database())?;
        let spend = tables.meta(SPEND)?.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        {
            let mut shown = self.shown();
            shown.provider = Some(settings.provider());
            shown.tokens_per_day = settings.budget.tokens_per_day;
            shown.spend = spend;
            shown.waiting = tables.count_waiting()?;
        }
        let client = match worker.client(&settings, &self.intake.place.data.join("distill"), &self.pool) {
            Ok(client) => client,
            Err(error) => {
                self.stop(worker, settings, &error);
                return Ok(None);
            }
        };
        client.name().clone_into(&mut self.shown().model);
        match material::next(&tables, &self.intake.journal, &settings, now())? {
            Next::Nothing | Next::Held if worker.failures == 0 => {
                self.show(State::Idle);
                worker.not_before = Some(Instant::now() + BREATH);
                Ok(Some(HELD))
            }
            Next::Nothing | Next::Held => Ok(Some(HELD)),
            Next::Empty(turn) => {
                tables.write(|batch| batch.end_turn(turn, "nothing to distill"))?;
                Ok(Some(Duration::ZERO))
            }
            Next::Ask(work) => self.take_up(worker, settings, client.as_ref(), &mut tables, &work),
        }
    }

    fn take_up(
        &self,
        worker: &mut Worker,
        settings: Settings,
        client: &dyn Model,
        tables: &mut Tables,
        work: &Work,
    ) -> Result<Option<Duration>, StoreError> {
        // A turn that left nothing has nothing to improve; see `engine::deeds`.
        for turn in &work.turns {
            let empty = tables.write(|batch| {
                let empty = batch.memories_of_turn(&work.session, turn.last_seq)?.is_empty();
                if empty {
                    batch.end_turn(turn.last_seq, "nothing to improve")?;
                }
                Ok(empty)
            })?;
            if empty {
                return Ok(Some(Duration::ZERO));
            }
        }
        self.show(State::Asking);
        match self.ask(&settings, client, tables, work)? {
            Asked::Answered(accounts) => {
                (worker.failures, worker.rejected) = (0, 0);
                let count = accounts.len() as u64;
                let (last, _) = deeds::journal(&self.intake, accounts)?;
                self.learner.wait_until(last, Instant::now() + LEARN_PATIENCE);
                let mut shown = self.shown();
                shown.done += count;
                shown.state = State::Idle;
                Ok(Some(Duration::ZERO))
            }
            Asked::BudgetSpent => {
                self.show(State::BudgetSpent);
                // In pieces: a laptop that sleeps does not count the time.
                let tomorrow = Duration::from_millis(DAY_MS - now() % DAY_MS).min(BUDGET_LOOK);
                worker.not_before = Some(Instant::now() + tomorrow);
                Ok(Some(tomorrow))
            }
            Asked::Leaving => Ok(None),
            Asked::Failed(error) => self.bear(worker, settings, tables, work, &error),
        }
    }

    /// Asks about all of the work, a batch at a time.
    fn ask(
        &self,
        settings: &Settings,
        client: &dyn Model,
        tables: &mut Tables,
        work: &Work,
    ) -> Result<Asked, StoreError> {
        let mut seen = Vec::new();
        let (mut input_tokens, mut output_tokens) = (0, 0);
        let mut spans = work.spans(settings.steps_at_once());
        spans.reverse();
        while let Some(span) = spans.pop() {
            let batch = work.batch(&span);
            let request = distill_prompt(&batch);
            let day = day_of(now());
            if !settings.budget.admits(&self.shown().spend, day, &request) {
                return Ok(Asked::BudgetSpent);
            }
            let answer = client.complete(&request, Instant::now() + settings.patience());
            if self.bell.is_closed() {
                return Ok(Asked::Leaving);
            }
            let parsed = answer.as_ref().map_err(Clone::clone).and_then(|said| parse(&said.text, &batch));
            self.record(tables, answer.as_ref(), parsed.is_err(), &request)?;
            match parsed {
                Ok(parsed) => {
                    let said = answer.as_ref().expect("it was parsed");
                    input_tokens += said.input_tokens;
                    output_tokens += said.output_tokens;
                    seen.extend(work.observed(&span, parsed));
                }
                // Half of it may fit.
                Err(ProviderError::TooLarge) if span.len() > 1 => {
                    let middle = span.start + span.len() / 2;
                    spans.push(middle..span.end);
                    spans.push(span.start..middle);
                }
                Err(error) => return Ok(Asked::Failed(error)),
            }
        }
        let accounts = work.turns.iter().enumerate().map(|(turn, row)| Deed::Distilled {
            by: client.name().to_owned(),
            session: work.session.clone(),
            turn: row.last_seq,
            observations: seen.iter().filter(|(of, _)| *of == turn).map(|(_, seen)| seen.clone()).collect(),
            summary: None,
            // The whole cost once, with the first.
            input_tokens: if turn == 0 { input_tokens } else { 0 },
            output_tokens: if turn == 0 { output_tokens } else { 0 },
        });
        Ok(Asked::Answered(accounts.collect()))
    }

    /// What was spent is kept before anything is made of the answer.
    fn record(
        &self,
        tables: &mut Tables,
        answer: Result<&Completion, &ProviderError>,
        failed: bool,
        request: &Request,
    ) -> Result<(), StoreError> {
        let mut spend = self.shown().spend;
        spend.record(day_of(now()), answer, request);
        // Paid for, and of no use.
        spend.failures += u64::from(failed && answer.is_ok());
        self.shown().spend = spend;
        let text = serde_json::to_string(&spend).expect("counters are plain data");
        tables.write(|batch| batch.set_meta(SPEND, &text))
    }

    /// What a failure means for the turns, and for asking at all.
    fn bear(
        &self,
        worker: &mut Worker,
        settings: Settings,
        tables: &mut Tables,
        work: &Work,
        error: &ProviderError,
    ) -> Result<Option<Duration>, StoreError> {
        let given_up = match error {
            ProviderError::Unauthorized { .. } => {
                self.stop(worker, settings, error);
                return Ok(None);
            }
            // The provider's trouble, not the turns': they wait as long as it takes.
            ProviderError::Busy { .. } | ProviderError::Unreachable { .. } => Vec::new(),
            ProviderError::Timeout | ProviderError::Garbage { .. } => {
                tables.write(|batch| {
                    work.turns.iter().try_for_each(|turn| batch.count_attempt(turn.last_seq))
                })?;
                work.turns.iter().filter(|turn| turn.attempts + 1 >= MAX_ATTEMPTS).collect()
            }
            ProviderError::Refused | ProviderError::TooLarge => work.turns.iter().collect(),
            ProviderError::Rejected { .. } => {
                worker.rejected += 1;
                if worker.rejected >= MAX_REJECTED {
                    self.stop(worker, settings, error);
                    return Ok(None);
                }
                work.turns.iter().collect()
            }
        };
        let reason = format!("given up: {error}");
        tables.write(|batch| given_up.iter().try_for_each(|turn| batch.end_turn(turn.last_seq, &reason)))?;
        self.shown().given_up += given_up.len() as u64;
        if !error.is_worth_repeating() {
            return Ok(Some(Duration::ZERO));
        }
        worker.failures = worker.failures.saturating_add(1);
        let backoff = Backoff::default();
        let failures = worker.failures.min(backoff.attempts - 1);
        let wait = backoff.wait(failures, error, chance()).unwrap_or(backoff.longest);
        worker.not_before = Some(Instant::now() + wait);
        self.show(State::Waiting(error.to_string()));
        self.intake.log.info(format_args!("the model is asked again in {} s: {error}", wait.as_secs()));
        Ok(Some(wait))
    }

    /// A person has to do something. Told once.
    fn stop(&self, worker: &mut Worker, settings: Settings, error: &ProviderError) {
        self.intake.log.warn(format_args!(
            "no model is asked any more: {error}; change the settings under `distill` with `throughline config set`"
        ));
        worker.client = None;
        worker.stopped = Some(settings);
        self.show(State::Stopped(error.to_string()));
    }
}

impl Worker {
    fn client(
        &mut self,
        settings: &Settings,
        folder: &std::path::Path,
        pool: &Arc<Pool>,
    ) -> Result<Arc<dyn Model>, ProviderError> {
        if let Some((known, client)) = &self.client
            && known == settings
        {
            return Ok(Arc::clone(client));
        }
        *self = Self::default();
        let client = settings.client(folder, pool)?;
        self.client = Some((settings.clone(), Arc::clone(&client)));
        Ok(client)
    }
}

/// Any number: the last bytes of an id are as good as a die.
fn chance() -> u32 {
    let id = client::mint();
    id.as_bytes().iter().rev().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte))
}
