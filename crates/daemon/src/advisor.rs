//! Runs behaviors' advice away from the thread that answers the hook, so that a panic or a delay costs that
//! behavior alone. Bounded: a behavior that hangs is not asked again until it has come back.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use engine::config::Config;
use engine::{Behavior, Context, merge};
use model::{Advice, BehaviorCost, Event};
use serde_json::{Value, json};

use crate::metrics::{Flow, Series};

/// Calls of one behavior under way at once; more means it hangs, and then it is passed over.
const MAX_RUNNING: usize = 8;
/// Threads over all behaviors. Each is a stack and nothing else while it waits.
const MAX_THREADS: usize = 32;

type Job = Box<dyn FnOnce() + Send>;

pub(crate) struct Advisor {
    pool: Arc<Pool>,
    records: Arc<Vec<Record>>,
}

/// What is known of one behavior since the daemon started.
pub(crate) struct Record {
    pub(crate) behavior: &'static dyn Behavior,
    running: AtomicUsize,
    failed: Flow,
    late: Flow,
    panicked: Flow,
    pub(crate) advice: Series,
    pub(crate) learning: Series,
    tokens: Flow,
}

impl fmt::Debug for Advisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Advisor").field("behaviors", &self.records.len()).finish_non_exhaustive()
    }
}

/// Advice that is being made. Dropping it loses nothing but the advice.
#[derive(Debug)]
pub(crate) struct Pending {
    from: mpsc::Receiver<(usize, Advice)>,
    asked: Vec<usize>,
    until: Instant,
    records: Arc<Vec<Record>>,
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.behavior.name())
    }
}

impl Advisor {
    pub(crate) fn new(behaviors: &[&'static dyn Behavior]) -> Self {
        let records = behaviors
            .iter()
            .map(|&behavior| Record {
                behavior,
                running: AtomicUsize::new(0),
                failed: Flow::default(),
                late: Flow::default(),
                panicked: Flow::default(),
                advice: Series::default(),
                learning: Series::default(),
                tokens: Flow::default(),
            })
            .collect();
        Self { pool: Arc::default(), records: Arc::new(records) }
    }

    /// Starts every switched-on behavior that may speak on this event; `None` if there is none, at no cost.
    pub(crate) fn ask(&self, cx: &Context, event: &Arc<Event>) -> Option<Pending> {
        let hears = |record: &Record| {
            record.behavior.on().contains(&event.kind)
                && record.behavior.speaks_on(event.kind)
                && cx.config.is_on(record.behavior.name())
        };
        let hearers: Vec<usize> = (0..self.records.len()).filter(|&at| hears(&self.records[at])).collect();
        if hearers.is_empty() {
            return None;
        }
        let (to, from) = mpsc::channel();
        let mut asked = Vec::with_capacity(hearers.len());
        for at in hearers {
            if self.start(at, cx, event, to.clone()) {
                asked.push(at);
            }
        }
        Some(Pending { from, asked, until: cx.until, records: Arc::clone(&self.records) })
    }

    fn start(&self, at: usize, cx: &Context, event: &Arc<Event>, to: mpsc::Sender<(usize, Advice)>) -> bool {
        let record = &self.records[at];
        if record.running.fetch_add(1, Ordering::Relaxed) >= MAX_RUNNING {
            record.running.fetch_sub(1, Ordering::Relaxed);
            record.late.add(1);
            return false;
        }
        let (records, cx, event) = (Arc::clone(&self.records), cx.clone(), Arc::clone(event));
        self.pool.run(Box::new(move || {
            let record = &records[at];
            let began = Instant::now();
            let advice = match catch_unwind(AssertUnwindSafe(|| record.behavior.advise(&cx, &event))) {
                Ok(Ok(mut advice)) => {
                    advice.by = Some(record.behavior.name())
                        .filter(|_| advice.verdict.is_some() || advice.hold.is_some());
                    advice
                }
                Ok(Err(_)) => {
                    record.failed.add(1);
                    Advice::silent()
                }
                Err(_) => {
                    record.panicked.add(1);
                    Advice::silent()
                }
            };
            record.advice.since(began);
            record.running.fetch_sub(1, Ordering::Relaxed);
            // Nobody may be listening any more; then it was late and is counted there.
            let _ = to.send((at, advice));
        }));
        true
    }

    /// Does something that nobody waits for.
    pub(crate) fn later(&self, job: Box<dyn FnOnce() + Send>) {
        self.pool.run(job);
    }

    /// A behavior has learned from an event, after its agent was answered.
    pub(crate) fn note_learned(&self, behavior: &str, began: Instant) {
        if let Some(record) = self.record(behavior) {
            record.learning.since(began);
        }
    }

    /// A behavior's words go to an agent.
    pub(crate) fn note_told(&self, behavior: &str, tokens: u64) {
        if let Some(record) = self.record(behavior) {
            record.tokens.add(tokens);
        }
    }

    /// They are few, and told apart by their first letters.
    fn record(&self, behavior: &str) -> Option<&Record> {
        self.records.iter().find(|record| record.behavior.name() == behavior)
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }

    pub(crate) fn to_json(&self) -> Value {
        let one = |record: &Record| {
            json!({
                "name": record.behavior.name(),
                "failed": record.failed.windows().all,
                "late": record.late.windows().all,
                "panicked": record.panicked.windows().all,
                "advice": record.advice.to_json(),
            })
        };
        self.records.iter().map(one).collect()
    }
}

impl Record {
    pub(crate) fn cost(&self, config: &Config) -> BehaviorCost {
        BehaviorCost {
            name: self.behavior.name().to_owned(),
            on: config.is_on(self.behavior.name()),
            advice: self.advice.windows(),
            learning: self.learning.windows(),
            failed: self.failed.windows(),
            late: self.late.windows(),
            panicked: self.panicked.windows(),
            tokens: self.tokens.windows(),
        }
    }
}

impl Pending {
    /// Waits until all have answered or the deadline is there; what came in time is merged in registry order.
    pub(crate) fn collect(self) -> Advice {
        let mut parts: Vec<Option<Advice>> = vec![None; self.asked.len()];
        let mut missing = self.asked.len();
        while missing > 0 {
            let left = self.until.saturating_duration_since(Instant::now());
            let Ok((at, advice)) = self.from.recv_timeout(left) else { break };
            if let Some(slot) = self.asked.iter().position(|asked| *asked == at) {
                parts[slot] = Some(advice);
                missing -= 1;
            }
        }
        for (slot, part) in parts.iter().enumerate() {
            if part.is_none() {
                self.records[self.asked[slot]].late.add(1);
            }
        }
        merge(parts.into_iter().flatten())
    }
}

#[derive(Default)]
struct Pool {
    state: Mutex<PoolState>,
    wake: Condvar,
}

#[derive(Default)]
struct PoolState {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: usize,
}

impl Pool {
    fn run(self: &Arc<Self>, job: Job) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.jobs.push_back(job);
        if state.idle >= state.jobs.len() || state.threads >= MAX_THREADS {
            self.wake.notify_one();
            return;
        }
        state.threads += 1;
        drop(state);
        let pool = Arc::clone(self);
        let spawned = thread::Builder::new().name("advisor".into()).spawn(move || pool.work());
        if spawned.is_err() {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).threads -= 1;
        }
    }

    fn work(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            } else {
                state.idle += 1;
                state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use engine::config::Config;
    use model::{Detail, EventId, EventKind, SessionId};

    use super::*;

    /// Names of real behaviors, so that their switches exist.
    struct Fake(&'static str, fn() -> engine::Result<Advice>);

    impl Behavior for Fake {
        fn name(&self) -> &'static str {
            self.0
        }
        fn manual(&self) -> &'static str {
            ""
        }
        fn on(&self) -> &'static [EventKind] {
            &[EventKind::SessionStart]
        }
        fn speaks_on(&self, _: EventKind) -> bool {
            true
        }
        fn advise(&self, _: &Context, _: &Event) -> engine::Result<Advice> {
            self.1()
        }
    }

    static RELEASED: AtomicBool = AtomicBool::new(false);
    static BROKEN: Fake = Fake("register-session", || panic!("on purpose"));
    static HANGING: Fake = Fake("record-prompt", || {
        while !RELEASED.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(Advice::say("record-prompt", "too late".into()))
    });
    static SOUND: Fake = Fake("capture", || Ok(Advice::say("capture", "heard".into())));

    /// Nobody here asks for anything.
    struct Nothing;

    impl engine::Surroundings for Nothing {
        fn read(&self, _: &mut dyn FnMut(&store::Tables) -> engine::Result<()>) -> engine::Result<()> {
            Ok(())
        }
        fn find(&self, _: &engine::search::Ask, _: Instant) -> engine::Result<Vec<engine::search::Hit>> {
            Ok(Vec::new())
        }
        fn tail(&self, _: &Event, _: u64) -> Option<model::Tail> {
            None
        }
        fn claim(&self, _: &SessionId, _: Option<&str>, _: model::MemoryId) -> bool {
            true
        }
        fn is_alive(&self, _: u32) -> bool {
            false
        }
        fn data(&self) -> &std::path::Path {
            std::path::Path::new("/nowhere")
        }
        fn faults(&self) -> Vec<engine::Fault> {
            Vec::new()
        }
        fn past_conversations(&self, _: &str) -> u64 {
            0
        }
    }

    fn context(patience: Duration) -> Context {
        Context {
            config: Arc::new(Config::default()),
            now: 0,
            until: Instant::now() + patience,
            workspace: None,
            around: Arc::new(Nothing),
        }
    }

    fn event() -> Arc<Event> {
        Arc::new(Event {
            id: EventId::mint(1, [0; 10]),
            at: 1,
            agent: "claude-code",
            session: SessionId::new("s"),
            kind: EventKind::SessionStart,
            name: "SessionStart".into(),
            cwd: None,
            transcript: None,
            prompt_id: None,
            permission_mode: None,
            subagent: None,
            context: model::Context::new(),
            detail: Detail::Plain,
        })
    }

    #[test]
    fn a_behaviors_panic_or_delay_costs_that_behavior_alone() {
        let advisor = Advisor::new(&[&BROKEN, &HANGING, &SOUND]);
        let event = event();
        // More often than a hanging behavior may run at once: then it is passed over, and nobody waits for it.
        for round in 0..MAX_RUNNING + 3 {
            let advice = advisor.ask(&context(Duration::from_millis(200)), &event).unwrap().collect();
            assert_eq!(advice.notes.len(), 1, "round {round}");
            assert_eq!(advice.notes[0].text, "heard");
        }
        let report = advisor.to_json();
        assert_eq!(report[0]["panicked"], MAX_RUNNING + 3);
        assert_eq!(report[1]["late"], MAX_RUNNING + 3);
        assert_eq!(report[2]["late"], 0);
        RELEASED.store(true, Ordering::SeqCst);
    }

    #[test]
    fn nobody_to_ask_costs_nothing() {
        let off = Config::default();
        let cx = Context { config: Arc::new(off), ..context(Duration::ZERO) };
        let silent = Event { kind: EventKind::Stop, ..Event::clone(&event()) };
        assert!(Advisor::new(&[&SOUND]).ask(&cx, &Arc::new(silent)).is_none());
    }
}
