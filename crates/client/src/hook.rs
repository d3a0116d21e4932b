//! One hook call: stdin to the daemon, its reply to stdout. Cannot fail: every trouble ends in the spool, in
//! silence and in exit 0. The same protocol as the tiny executable, which hands over to this one with
//! `--undelivered` when it has trouble.

mod arguments;
mod keep;
mod stdio;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use model::{Envelope, EventId, Reply};
use wire::Kind;

use crate::call::{Request, Trouble, call};
use crate::{Place, context};

pub use arguments::Arguments;

/// Past its deadline a hook is noticed; past this much more it is given up. In between, a loaded machine gets
/// the chance to finish the write: an envelope dropped here is gone for good.
pub const GRACE: Duration = Duration::from_millis(500);
/// The same for what is large, per full MiB: 64 of them are redacted and synced on a busy machine before an
/// agent's own five seconds are over.
const GRACE_MS_PER_MIB: u32 = 40;
/// Of an agent's timeout: for the reply to be printed and the process to end.
const LEAVE: Duration = Duration::from_millis(150);
/// The events whose answer would be missed: what a session must know is said on them, and on no other.
const MISSED: [&[u8]; 4] = [b"SessionStart", b"SubagentStart", b"UserPromptSubmit", b"PreCompact"];
/// A daemon that was just started is ready in tens of milliseconds. One that is not by then is left to itself.
const COMING: Duration = Duration::from_millis(400);
/// Between two knocks at its door.
const KNOCK_EVERY: Duration = Duration::from_millis(4);
/// Larger envelopes are kept and not sent a second time.
const MOST_AGAIN: usize = 1 << 20;

/// What the large executable can do about an envelope that was not delivered.
#[derive(Debug, Clone)]
pub struct Fallback {
    /// The redactor's settings for a place. A function, so that delivered envelopes pay nothing for it.
    pub settings: fn(&Place) -> redact::Settings,
    /// What guards say about a call that no daemon has heard of. A function, too: who is answered has been judged.
    pub judge: fn(Option<&Place>, &Envelope) -> Reply,
    /// What a session that begins says about events that could not be kept, where no daemon says it.
    pub confess: fn(&Place, &Envelope) -> Reply,
    /// What to run as `<executable> daemon run`; `None` starts nothing.
    pub executable: Option<PathBuf>,
}

/// By how much a test multiplies the deadlines of a build without optimization.
const STRETCH: &str = "THROUGHLINE_TEST_STRETCH";

/// What became of an envelope that was not delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Aside {
    /// It is in the spool, or was not to be kept. Otherwise it is nowhere, and never will be.
    pub kept: bool,
    /// A daemon was started.
    pub started: bool,
}

/// Nobody has decided yet.
const OPEN: u8 = 0;
/// The envelope is going to be in the spool.
const TAKEN: u8 = 1;
/// The time was over before: it is lost.
const GIVEN_UP: u8 = 2;

/// How long one call may take, from what the command line and the envelope say.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Until then the daemon may answer.
    pub delivery: Instant,
    /// Then we leave, whatever is unfinished.
    pub end: Instant,
}

impl Budget {
    /// To be made when stdin has been read: what came late still gets the least of each share.
    pub fn new(started: Instant, event: &str, body: &[u8]) -> Self {
        let now = Instant::now();
        let name = if event.is_empty() { wire::peek::event_name(body) } else { event.as_bytes() };
        let patience = wire::patience_ms(name, body.len());
        let delivery = started + millis(stretched(wire::delivery_ms(name, body)));
        let end = started + millis(stretched(patience));
        Self {
            delivery: delivery.max(now + millis(wire::LEAST_DELIVERY_MS)),
            end: end.max(now + millis(wire::reserve_ms(patience))) + grace(body.len()),
        }
    }

    /// A call that waits for a guard is left in time, whatever the disk does: an answer behind the agent's timeout is none.
    fn within(self, leave: Instant, event: &str, body: &[u8]) -> Self {
        let name = if event.is_empty() { wire::peek::event_name(body) } else { event.as_bytes() };
        if wire::decides(name) { Self { end: self.end.min(leave), ..self } } else { self }
    }
}

/// A build without optimization, as tests use it, may be given more time by `THROUGHLINE_TEST_STRETCH`: stories with a real
/// client are about what is said, and a busy machine makes everything late. Other builds know no such variable.
fn stretched(ms: u32) -> u32 {
    if !cfg!(debug_assertions) {
        return ms;
    }
    let times = std::env::var(STRETCH).ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    ms.saturating_mul(times).min(ms.max(wire::MOST_LONGER_MS))
}

fn millis(ms: u32) -> Duration {
    Duration::from_millis(ms.into())
}

/// How long after its deadline a call is given up.
pub fn grace(body_len: usize) -> Duration {
    GRACE + Duration::from_millis((body_len.min(wire::MAX_BODY) >> 20) as u64 * u64::from(GRACE_MS_PER_MIB))
}

/// The whole process but its exit: `args` are those behind the word `hook`. Returns the exit code.
pub fn main(
    args: impl Iterator<Item = OsString>,
    settings: fn(&Place) -> redact::Settings,
    judge: fn(Option<&Place>, &Envelope) -> Reply,
    confess: fn(&Place, &Envelope) -> Reply,
) -> u8 {
    let mut started = Instant::now();
    let reply = catch_unwind(AssertUnwindSafe(|| {
        let arguments = Arguments::read(args);
        let get = |key: &str| std::env::var_os(key);
        if let Some(id) = arguments.undelivered {
            started = began(started, id);
        }
        let (agent, event) = (arguments.agent.as_bytes(), arguments.event.as_bytes());
        let body = stdio::read(started + millis(wire::stdin_ms(agent, event, arguments.timeout)));
        let leave =
            started + millis(wire::answered_ms(agent, event, arguments.timeout)).saturating_sub(LEAVE);
        let id = arguments.undelivered.unwrap_or_else(crate::mint);
        let envelope = Envelope {
            id,
            at: id.minted_at(),
            agent: arguments.agent,
            hint: Some(arguments.event).filter(|event| !event.is_empty()),
            context: context::from_env(&get),
            body,
        };
        let event = envelope.hint.as_deref().unwrap_or_default();
        let budget = Budget::new(started, event, &envelope.body).within(leave, event, &envelope.body);
        let fallback = Fallback { settings, judge, confess, executable: std::env::current_exe().ok() };
        match (Place::from_env(&get), arguments.undelivered) {
            (None, _) => judge(None, &envelope),
            (Some(place), None) => run(place, envelope, budget, fallback),
            (Some(place), Some(_)) => {
                let outdated = arguments.other_version.is_some_and(|version| version < wire::PROTOCOL);
                keep_and_ask_again(place, envelope, budget, fallback, outdated)
            }
        }
    }));
    match reply {
        Ok(reply) => {
            stdio::print(&reply);
            allowed_exit(reply.exit)
        }
        // A bug of ours looks like silence.
        Err(_) => 0,
    }
}

/// Delivers the envelope or, on any trouble, keeps it.
pub fn run(place: Place, envelope: Envelope, budget: Budget, fallback: Fallback) -> Reply {
    match deliver(&place, &envelope, budget.delivery) {
        Ok(reply) => Reply { exit: allowed_exit(reply.exit), ..reply },
        Err(trouble) => {
            let outdated = matches!(trouble, Trouble::OtherVersion(version) if version < wire::PROTOCOL);
            keep_and_ask_again(place, envelope, budget, fallback, outdated)
        }
    }
}

fn deliver(place: &Place, envelope: &Envelope, until: Instant) -> Result<Reply, Trouble> {
    let context = context::encode(&envelope.context);
    let request = Request {
        kind: Kind::Envelope,
        id: envelope.id,
        agent: &envelope.agent,
        event: envelope.hint.as_deref().unwrap_or_default(),
        context: &context,
        body: &envelope.body,
    };
    call(place, &request, until)
}

/// Keeps the envelope. Where that started a daemon and the answer would be missed, it is asked for once more: the
/// first session after a restart of the machine must not begin without what it should know. The envelope has its id,
/// so it is one event however often it arrives.
fn keep_and_ask_again(
    place: Place,
    envelope: Envelope,
    budget: Budget,
    fallback: Fallback,
    outdated: bool,
) -> Reply {
    let judged = (fallback.judge)(Some(&place), &envelope);
    let confess = fallback.confess;
    let (lost, at) = (keep::Lost::from(&envelope), place.clone());
    let again = is_missed(&envelope).then(|| envelope.clone());
    let aside = undelivered(place, envelope, budget, fallback, outdated);
    let place = at;
    if let Some(envelope) = again.as_ref().filter(|_| aside.started) {
        let until = budget.delivery.min(Instant::now() + COMING);
        while Instant::now() < until {
            match deliver(&place, envelope, until) {
                Ok(reply) => return Reply { exit: allowed_exit(reply.exit), ..reply },
                Err(Trouble::Absent) => std::thread::sleep(KNOCK_EVERY),
                Err(_) => break,
            }
        }
    }
    if !aside.kept {
        keep::count_lost(&place, &lost);
    }
    match again {
        Some(envelope) if judged == Reply::silent() => confess(&place, &envelope),
        _ => judged,
    }
}

fn is_missed(envelope: &Envelope) -> bool {
    let named = envelope.hint.as_deref().unwrap_or_default().as_bytes();
    let name = if named.is_empty() { wire::peek::event_name(&envelope.body) } else { named };
    MISSED.contains(&name) && envelope.body.len() <= MOST_AGAIN
}

/// Redacts and spools the envelope, and starts a daemon if there is none or only an `outdated` one.
/// Returns at the budget's end at the latest: the disk may hang, and a thread that waits for it is left behind.
pub fn undelivered(
    place: Place,
    envelope: Envelope,
    budget: Budget,
    fallback: Fallback,
    outdated: bool,
) -> Aside {
    let (done, wait) = std::sync::mpsc::channel();
    // Who comes first decides: an envelope is never both in the spool and given up.
    let fate = Arc::new(AtomicU8::new(OPEN));
    let decide = |fate: &AtomicU8, what| {
        fate.compare_exchange(OPEN, what, Ordering::SeqCst, Ordering::SeqCst).unwrap_or_else(|was| was)
    };
    let decided = Arc::clone(&fate);
    let work = std::thread::Builder::new().name("keep".to_owned()).spawn(move || {
        let is_wanted = || decide(&decided, TAKEN) != GIVEN_UP;
        // Nobody is left to tell, neither about an error nor about a panic.
        let kept =
            catch_unwind(AssertUnwindSafe(|| keep::keep(&place, envelope, fallback.settings, is_wanted)));
        let kept = matches!(kept, Ok(Ok(())));
        let started = catch_unwind(AssertUnwindSafe(|| keep::start(&place, &fallback, outdated)));
        let _ = done.send(Aside { kept, started: matches!(started, Ok(Ok(true))) });
    });
    let Ok(_) = work else { return Aside::default() };
    wait.recv_timeout(budget.end.saturating_duration_since(Instant::now()))
        .unwrap_or_else(|_| Aside { kept: decide(&fate, GIVEN_UP) == TAKEN, started: false })
}

/// 0 is silence or advice, 2 a behavior's decision; no other code is any agent's business.
fn allowed_exit(exit: u8) -> u8 {
    if exit == 2 { 2 } else { 0 }
}

/// When the process before us was called. Its id says so; a clock that jumped in between does not count.
fn began(now: Instant, id: EventId) -> Instant {
    const LONGEST: u64 = 5000;
    match crate::mint().minted_at().checked_sub(id.minted_at()) {
        Some(elapsed @ ..=LONGEST) => now.checked_sub(Duration::from_millis(elapsed)).unwrap_or(now),
        _ => now,
    }
}
