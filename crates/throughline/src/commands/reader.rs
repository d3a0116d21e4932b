//! What the reading commands share: settle what is under way, then open the tables and the journal to read.

use std::io;
use std::time::{Duration, Instant};

use client::{Trouble, ask};
use daemon::DaemonLock;
use serde_json::{Value, json};
use store::Tables;
use store::journal::Reader;

use crate::report::{Failure, hint, person};
use crate::world::World;

/// A settled answer usually takes a millisecond; a backlog after a long absence takes longer.
const SETTLE: Duration = Duration::from_secs(10);
/// A daemon is ready in tens of milliseconds.
const START: Duration = Duration::from_secs(3);
/// A daemon that is there answers at once; a stranger at the socket must not use up all the time there is.
const ANSWER: Duration = Duration::from_secs(1);
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// The tables as of now: whatever was acknowledged or spooled before this call is in them.
pub(crate) fn tables(world: &World) -> anyhow::Result<Tables> {
    if !world.place.data.exists() {
        return Err(nothing_yet());
    }
    // A place that cannot be written (a backup, a full disk) is read as it is.
    let _ = settle(world);
    let database = world.place.database();
    if !database.exists() {
        return Err(nothing_yet());
    }
    Tables::open_read_only(&database).map_err(person)
}

pub(crate) fn journal(world: &World) -> anyhow::Result<Reader> {
    store::journal::read_only(&world.place.journal()).map_err(person)
}

/// Asks the daemon, starting it if there is none, to take in and derive everything it has.
pub(crate) fn settle(world: &World) -> anyhow::Result<()> {
    start(world)?;
    let wait = Instant::now() + SETTLE;
    let answer = control(world, &json!({ "ask": "settle" }), wait)?;
    if answer["settled"] == true {
        return Ok(());
    }
    Err(hint(
        Failure::Person,
        "the daemon is still deriving the tables",
        "try again, or see `throughline daemon logs`",
    ))
}

/// Starts the daemon unless one answers. True if it was started.
pub(crate) fn start(world: &World) -> anyhow::Result<bool> {
    let until = Instant::now() + START;
    let mut started = false;
    loop {
        let asked = ask(&world.place, br#"{"ask":"status"}"#, until.min(Instant::now() + ANSWER));
        let Err(trouble) = asked else { return Ok(started) };
        if Instant::now() >= until {
            return Err(explain(&trouble));
        }
        if !is_served(world)? {
            started |= client::start_daemon(&world.place, &world.executable)?;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Whether a daemon of ours holds the lock. Whoever else listens at the socket is a stranger, and is replaced.
pub(crate) fn is_served(world: &World) -> anyhow::Result<bool> {
    match DaemonLock::take(&world.place.lock(), Duration::ZERO) {
        Ok(lock) => Ok(lock.is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => {
            let what = format!("{}: {error}", world.place.lock().display());
            Err(hint(Failure::Person, what, "run `throughline doctor`"))
        }
    }
}

pub(crate) fn control(world: &World, question: &Value, until: Instant) -> anyhow::Result<Value> {
    let answer =
        ask(&world.place, question.to_string().as_bytes(), until).map_err(|trouble| explain(&trouble))?;
    Ok(serde_json::from_slice(&answer)?)
}

/// `None` when no daemon runs.
pub(crate) fn status(world: &World) -> Option<Value> {
    let until = Instant::now() + Duration::from_secs(1);
    serde_json::from_slice(&ask(&world.place, br#"{"ask":"status"}"#, until).ok()?).ok()
}

pub(crate) fn explain(trouble: &Trouble) -> anyhow::Error {
    let next = match trouble {
        Trouble::Absent => {
            "run `throughline daemon start`; `throughline daemon logs` says why it may not stay"
        }
        Trouble::OtherVersion(_) | Trouble::Late | Trouble::Malformed | Trouble::Broken(_) => {
            "run `throughline daemon restart`"
        }
        Trouble::Refused(_) | Trouble::NotKept => "run `throughline doctor`",
    };
    hint(Failure::Person, trouble.to_string(), next)
}

fn nothing_yet() -> anyhow::Error {
    hint(
        Failure::Person,
        "nothing is recorded yet",
        "run `throughline install`, then start an agent's session",
    )
}
