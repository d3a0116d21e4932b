//! Runs behaviors' advice away from the thread that answers the hook, so that a panic or a delay costs that
//! behavior alone. Bounded: a behavior that hangs is not asked again until it has come back. What comes late is kept for
//! the conversation's next event where its behavior says that it may be.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use engine::config::Config;
use engine::{Behavior, Context, Part, Surroundings, Tentative, advise};
use model::{Advice, BehaviorCost, Event};
use serde_json::{Value, json};

use crate::late::{LateNotes, Truth};
use crate::metrics::{Flow, Series};

/// Calls of one behavior under way at once; more means it hangs, and then it is passed over.
const MAX_RUNNING: usize = 8;
/// Threads over all behaviors. Each is a stack and nothing else while it waits.
const MAX_THREADS: usize = 32;

/// Something for the pool to do.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// Where the facts of an event are noted stands no behavior.
const FACTS: usize = usize::MAX;

pub(crate) struct Advisor {
    pool: Arc<Pool>,
    records: Arc<Vec<Record>>,
    late: Arc<LateNotes>,
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

/// Advice that is being made. Dropping it loses nothing that may be late.
#[derive(Debug)]
pub(crate) struct Pending {
    table: Arc<Table>,
    asked: Vec<usize>,
    until: Instant,
    records: Arc<Vec<Record>>,
}

/// Where behaviors put their advice, until whoever collects it leaves.
#[derive(Debug, Default)]
struct Table {
    state: Mutex<TableState>,
    came: Condvar,
}

#[derive(Debug, Default)]
struct TableState {
    parts: Vec<(usize, Part)>,
    /// How many have answered, with something or nothing.
    answered: usize,
    is_left: bool,
}

impl Table {
    fn state(&self) -> MutexGuard<'_, TableState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives it back where nobody is there any more.
    fn put(&self, at: usize, part: Part) -> Option<Part> {
        let mut state = self.state();
        if state.is_left {
            return Some(part);
        }
        state.parts.push((at, part));
        state.answered += 1;
        self.came.notify_all();
        None
    }

    fn leave(&self) -> Vec<(usize, Part)> {
        let mut state = self.state();
        state.is_left = true;
        std::mem::take(&mut state.parts)
    }
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
        Self { pool: Arc::default(), records: Arc::new(records), late: Arc::default() }
    }

    /// Starts every switched-on behavior that may speak on this event, and what is to be noted of it; `None` if there is
    /// neither, at no cost.
    pub(crate) fn ask(&self, cx: &Context, event: &Arc<Event>, facts: Option<Job>) -> Option<Pending> {
        let hears = |record: &Record| {
            record.behavior.on().contains(&event.kind)
                && record.behavior.speaks_on(event.kind)
                && cx.config.is_on(record.behavior.name())
        };
        let hearers: Vec<usize> = (0..self.records.len()).filter(|&at| hears(&self.records[at])).collect();
        if hearers.is_empty() && facts.is_none() {
            return None;
        }
        let table = Arc::new(Table::default());
        let mut asked = Vec::with_capacity(hearers.len() + 1);
        if let Some(note) = facts {
            asked.push(FACTS);
            let table = Arc::clone(&table);
            self.pool.run(Box::new(move || {
                // Its panic must not keep anybody waiting.
                let _ = catch_unwind(AssertUnwindSafe(note));
                table.put(FACTS, Part::default());
            }));
        }
        for at in hearers {
            if self.start(at, cx, event, &table) {
                asked.push(at);
            }
        }
        Some(Pending { table, asked, until: cx.until, records: Arc::clone(&self.records) })
    }

    fn start(&self, at: usize, cx: &Context, event: &Arc<Event>, table: &Arc<Table>) -> bool {
        let record = &self.records[at];
        if record.running.fetch_add(1, Ordering::Relaxed) >= MAX_RUNNING {
            record.running.fetch_sub(1, Ordering::Relaxed);
            record.late.add(1);
            return false;
        }
        let (records, event, table) = (Arc::clone(&self.records), Arc::clone(event), Arc::clone(table));
        let late = Arc::clone(&self.late);
        let around = Tentative::new(&cx.around);
        let cx = Context { around: Arc::clone(&around) as Arc<dyn Surroundings>, ..cx.clone() };
        self.pool.run(Box::new(move || {
            let record = &records[at];
            let began = Instant::now();
            let asked = catch_unwind(AssertUnwindSafe(|| {
                let truth = Truth::of(record.behavior.late(&cx, &event));
                (truth, advise(record.behavior, &cx, &event))
            }));
            let (truth, advice) = match asked {
                Ok((truth, Ok(mut advice))) => {
                    advice.by = Some(record.behavior.name())
                        .filter(|_| advice.verdict.is_some() || advice.hold.is_some());
                    (truth, advice)
                }
                Ok((_, Err(_))) => {
                    record.failed.add(1);
                    (Truth::Never, Advice::silent())
                }
                Err(_) => {
                    record.panicked.add(1);
                    (Truth::Never, Advice::silent())
                }
            };
            // Whoever says nothing has said nothing: what it noted meanwhile is taken back with the rest of it.
            let mut part = Part { advice, once: around.noted() };
            if part.advice.is_silent() {
                part = Part::default();
            }
            record.advice.since(began);
            record.running.fetch_sub(1, Ordering::Relaxed);
            // Nobody may be listening any more; then it was late and is counted there.
            if let Some(part) = table.put(at, part) {
                late.keep(&event, truth, part);
            }
        }));
        true
    }

    /// What waits to be said in this conversation and is still true.
    pub(crate) fn take_late(&self, event: &Event) -> Vec<Part> {
        self.late.take(event)
    }

    /// Some of it may not be true any more.
    pub(crate) fn hear(&self, event: &Event) {
        self.late.hear(event);
    }

    /// Does something that nobody waits for.
    pub(crate) fn later(&self, job: Job) {
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
    /// Waits until all have answered or the deadline is there; what came in time, in registry order.
    pub(crate) fn collect(self) -> Vec<Part> {
        let mut state = self.table.state();
        while state.answered < self.asked.len() {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.table.came.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(state);
        let mut parts = self.table.leave();
        for at in self.asked.iter().filter(|at| parts.iter().all(|(came, _)| came != *at)) {
            if let Some(record) = self.records.get(*at) {
                record.late.add(1);
            }
        }
        parts.sort_by_key(|(at, _)| *at);
        parts.into_iter().map(|(_, part)| part).collect()
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // What was said to nobody is taken back; what comes from now on is late.
        drop(self.table.leave());
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

    fn advised(pending: Option<Pending>) -> Vec<Advice> {
        pending.unwrap().collect().into_iter().map(|part| part.advice).collect()
    }

    #[test]
    fn a_behaviors_panic_or_delay_costs_that_behavior_alone() {
        let advisor = Advisor::new(&[&BROKEN, &HANGING, &SOUND]);
        let event = event();
        // More often than a hanging behavior may run at once: then it is passed over, and nobody waits for it.
        for round in 0..MAX_RUNNING + 3 {
            let advice =
                engine::merge(advised(advisor.ask(&context(Duration::from_millis(200)), &event, None)));
            assert_eq!(advice.notes.len(), 1, "round {round}");
            assert_eq!(advice.notes[0].text, "heard");
        }
        let report = advisor.to_json();
        assert_eq!(report[0]["panicked"], MAX_RUNNING + 3);
        assert_eq!(report[1]["late"], MAX_RUNNING + 3);
        assert_eq!(report[2]["late"], 0);
        RELEASED.store(true, Ordering::SeqCst);
    }

    /// Says something about a file, when it is let go, and may be late with it.
    struct Slow;

    static LET_GO: AtomicBool = AtomicBool::new(false);

    impl Behavior for Slow {
        fn name(&self) -> &'static str {
            "check-imports"
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
        fn late(&self, _: &Context, event: &Event) -> engine::Late {
            engine::Late::Unchanged(event.cwd.clone().unwrap_or_default().into())
        }
        fn advise(&self, cx: &Context, event: &Event) -> engine::Result<Advice> {
            while !LET_GO.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(1));
            }
            let mut is_new = false;
            cx.around.desk(&event.session, None, &mut |desk| is_new = desk.tell("os2".into(), 1));
            Ok(if is_new { Advice::say(self.name(), "there is no os2".into()) } else { Advice::silent() })
        }
    }

    /// Lends a desk, and nothing else.
    #[derive(Default)]
    struct OneDesk(Mutex<engine::Desk>);

    impl engine::Surroundings for OneDesk {
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
        fn desk(&self, _: &SessionId, _: Option<&str>, with: &mut dyn FnMut(&mut engine::Desk)) {
            with(&mut self.0.lock().unwrap());
        }
    }

    #[test]
    fn a_behavior_that_is_late_once_is_heard_at_the_next_event_unless_its_file_has_changed() {
        static SLOW: Slow = Slow;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.py");
        std::fs::write(&file, "import os2\n").unwrap();
        let event = Arc::new(Event { cwd: file.to_str().map(str::to_owned), ..Event::clone(&event()) });
        let advisor = Advisor::new(&[&SLOW]);
        let around = Arc::new(OneDesk::default());
        let ask = || {
            let around = Arc::clone(&around) as Arc<dyn Surroundings>;
            let cx = Context { around, ..context(Duration::ZERO) };
            advised(advisor.ask(&cx, &event, None))
        };
        // It is asked, and nobody waits for it; it answers when it may.
        let late = || {
            LET_GO.store(false, Ordering::SeqCst);
            assert!(ask().is_empty());
            LET_GO.store(true, Ordering::SeqCst);
            while advisor.records[0].running.load(Ordering::SeqCst) > 0 {
                thread::sleep(Duration::from_millis(1));
            }
        };
        late();
        let heard = loop {
            let heard = advisor.take_late(&event);
            if !heard.is_empty() {
                break heard;
            }
            thread::sleep(Duration::from_millis(1));
        };
        assert!(heard[0].advice.notes[0].text.ends_with("there is no os2"), "{heard:?}");
        let is_told = || around.0.lock().unwrap().told("os2").is_some();
        assert!(is_told());
        // Nobody heard it after all.
        drop(heard);
        assert!(!is_told());
        late();
        // It waits there by now, or will in a moment; either way its file is another one.
        std::fs::write(&file, "import os3\n").unwrap();
        while is_told() {
            assert!(advisor.take_late(&event).is_empty());
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(advisor.to_json()[0]["late"], 2);
    }

    #[test]
    fn nobody_to_ask_costs_nothing() {
        let off = Config::default();
        let cx = Context { config: Arc::new(off), ..context(Duration::ZERO) };
        let silent = Event { kind: EventKind::Stop, ..Event::clone(&event()) };
        assert!(Advisor::new(&[&SOUND]).ask(&cx, &Arc::new(silent), None).is_none());
    }
}
