//! What the commands share: settle what is under way and open the tables and the journal to read; ask the daemon
//! what only it knows; find what an id names.

use std::io;
use std::time::{Duration, Instant};

use client::{Trouble, ask};
use daemon::DaemonLock;
use model::{Deed, SessionId};
use serde_json::{Value, json};
use store::journal::Reader;
use store::{MemoryFilter, MemoryRow, SessionRow, StoreError, Tables};

use super::room;
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

/// A settled answer usually takes a millisecond; a backlog after a long absence takes longer.
const SETTLE: Duration = Duration::from_secs(10);
/// A daemon is ready in tens of milliseconds; a disk that is busy elsewhere may make it seconds.
const START: Duration = Duration::from_secs(10);
/// Where there is no room: it has nothing to make, and comes up at once or not at all.
const START_WITHOUT_ROOM: Duration = Duration::from_secs(2);
/// A daemon that is there answers at once; a stranger at the socket must not use up all the time there is.
const ANSWER: Duration = Duration::from_secs(1);
/// A thousand deeds are journaled and learned in this, also on a busy machine.
const LEARN: Duration = Duration::from_secs(30);
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// The tables as of now: whatever was acknowledged or spooled before this call is in them.
pub(crate) fn tables(world: &World) -> anyhow::Result<Tables> {
    if !world.place.data.exists() {
        return Err(nothing_yet());
    }
    // A place that cannot be written (a backup, a full disk) is read as it is.
    let is_served = settle(world).is_ok();
    let database = world.place.database();
    let until = Instant::now() + START;
    loop {
        let found = if database.exists() {
            Tables::open_read_only(&database)
                .and_then(|tables| tables.memory_at(0).map(|_| tables))
                .map_err(person)
        } else {
            Err(nothing_yet())
        };
        // A daemon that was called a moment ago may still be making them.
        if found.is_ok() || !is_served || Instant::now() >= until {
            return found;
        }
        std::thread::sleep(PAUSE);
    }
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
        // It comes up on a full disk, too, unless its folders were never made; then waiting for it would only hide why.
        if started
            && Instant::now() + START >= until + START_WITHOUT_ROOM
            && let Some(what) = room::trouble(&world.place)
        {
            return Err(hint(Failure::Person, what, "run `throughline doctor`"));
        }
        if !is_served(world)? {
            started |= client::start_daemon(&world.place, &world.executable).map_err(|error| {
                let what = format!("the daemon cannot be started in {}: {error}", world.place.data.display());
                hint(Failure::Person, what, "make that folder writable for you, or set THROUGHLINE_HOME")
            })?;
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

/// A question that is answered at once, by a daemon that is started if there is none. What the daemon answers
/// with `error` is an error.
pub(crate) fn answer(world: &World, question: &Value, patience: Duration) -> anyhow::Result<Value> {
    let bytes = question.to_string();
    let asked = ask(&world.place, bytes.as_bytes(), Instant::now() + patience);
    let answer = match asked {
        // One that dies while it is asked takes the question along. Every question may be asked twice: what a deed
        // makes has its name already.
        Err(Trouble::Absent | Trouble::Broken(_)) => {
            start(world)?;
            ask(&world.place, bytes.as_bytes(), Instant::now() + patience)
        }
        asked => asked,
    };
    let answer: Value = serde_json::from_slice(&answer.map_err(|trouble| explain(&trouble))?)?;
    match answer["error"].as_str() {
        // Errors of the store end with their own next step.
        Some(what) if what.contains("`throughline ") => Err(person(what)),
        Some(what) => Err(hint(Failure::Person, what, "run `throughline doctor`")),
        None => Ok(answer),
    }
}

/// Deeds are journaled before this returns, and in the tables unless a long backlog is before them or the tables cannot
/// be written: then `waits_for` says why, and a person is told that they are kept. What the daemon says of them.
pub(crate) fn send(world: &World, deeds: &[Deed]) -> anyhow::Result<Value> {
    let answer = answer(world, &json!({ "ask": "deeds", "deeds": deeds }), LEARN)?;
    if let Some(what) = answer["waits_for"]["what"].as_str() {
        let repair = answer["waits_for"]["repair"].as_str().unwrap_or("throughline doctor");
        print::remark(&format!(
            "it is kept, and will be found once the tables can be written: {what} Repair: {repair}"
        ));
    } else if answer["learned"] != true {
        settle(world)?;
    }
    Ok(answer)
}

/// By its id, the beginning of it, or the id it had where it was brought in from.
pub(crate) fn memory(tables: &Tables, id: &str) -> anyhow::Result<MemoryRow> {
    find_memory(tables, id)?.ok_or_else(|| {
        let what = format!("no memory is called \"{}\"", print::one_line(id, 40));
        hint(Failure::Person, what, "`throughline search` finds memories and says their ids")
    })
}

pub(crate) fn find_memory(tables: &Tables, id: &str) -> anyhow::Result<Option<MemoryRow>> {
    tables.memory(as_copied(id)).map_err(|error| match error {
        StoreError::Ambiguous(id) => {
            let what = format!("more than one memory begins with \"{}\"", print::one_line(&id, 40));
            hint(Failure::Person, what, "give more of the id; all of it are twelve characters")
        }
        other => person(other),
    })
}

/// By its id, or the beginning of it.
pub(crate) fn session(tables: &Tables, id: &str) -> anyhow::Result<SessionRow> {
    tables.session(as_copied(id)).map_err(person)?.ok_or_else(|| {
        let what = format!("no session begins with \"{}\"", print::one_line(id, 40));
        hint(Failure::Person, what, "`throughline sessions` lists them")
    })
}

/// Without the sign that says that a list has cut it: who copies an id from a list copies that, too.
pub(crate) fn as_copied(id: &str) -> &str {
    id.trim().trim_end_matches('…').trim_end_matches("...")
}

/// A session's id from its beginning, also when all that is known of it are memories that were brought in.
pub(crate) fn session_id(tables: &Tables, id: &str) -> anyhow::Result<SessionId> {
    let named = SessionId::new(as_copied(id));
    let of_it = MemoryFilter { session: Some(named.clone()), limit: 1, ..MemoryFilter::default() };
    match session(tables, id) {
        Ok(row) => Ok(row.id),
        Err(_) if !tables.memories(&of_it).map_err(person)?.is_empty() => Ok(named),
        Err(error) => Err(error),
    }
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
