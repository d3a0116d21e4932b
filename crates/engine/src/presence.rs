//! Whether a session is at work: while its process lives, or while its hooks were heard a moment ago. An end that nobody
//! told, a crash, a process id that was given to another program and a clock that jumped are all seen here, and nowhere
//! else.

use std::collections::HashSet;

use model::{Event, Millis};
use store::{ClaimRow, SessionRow};

/// A session whose process cannot be told from another of the same id is not at work after so long a silence.
pub const QUIET: Millis = 4 * 60 * 60 * 1000;
/// Without a process to ask, only a recent sign of life counts.
const RECENT: Millis = 15 * 60 * 1000;
/// Sessions that were not heard of for longer are not looked at: nobody leaves a window open for a month and comes back
/// to the same work.
pub const LONGEST: Millis = 30 * 24 * 60 * 60 * 1000;

/// The process of a session, as its hooks told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Process<'a> {
    pub id: u32,
    /// A name for the moment it began; it stays the same when the clock is set, and is another after a reboot.
    pub began: Option<&'a str>,
}

impl<'a> Process<'a> {
    /// Of the session an event is from.
    pub fn of(event: &'a Event) -> Option<Self> {
        let id = event.context.get("CLAUDE_PID")?.parse().ok()?;
        Some(Self { id, began: event.context.get("pid-began").map(String::as_str) })
    }

    pub fn of_session(row: &'a SessionRow) -> Option<Self> {
        Some(Self { id: row.pid?, began: row.pid_began.as_deref() })
    }

    pub fn of_claim(row: &'a ClaimRow) -> Option<Self> {
        Some(Self { id: row.pid?, began: row.pid_began.as_deref() })
    }

    /// Whether it is the same one, as far as both are known.
    pub fn is(self, other: Process<'_>) -> bool {
        self.id == other.id && (self.began.is_none() || other.began.is_none() || self.began == other.began)
    }
}

/// Whether a session that has not ended is at work. A clock that was set back makes a sign of life recent, never late.
pub fn is_at_work(
    now: Millis,
    process: Option<Process<'_>>,
    last_seen_at: Millis,
    is_running: &dyn Fn(u32, Option<&str>) -> bool,
) -> bool {
    let silent = now.saturating_sub(last_seen_at);
    match process {
        // That very process: it may have slept with its machine for as long as it likes.
        Some(Process { id, began: Some(began) }) => is_running(id, Some(began)),
        Some(Process { id, began: None }) => silent < QUIET && is_running(id, None),
        None => silent < RECENT,
    }
}

/// Keeps one session of each process: a program that has begun another conversation has left the one before, also
/// where it did not say so. Last seen first in, last seen stays.
pub fn latest_of_each<T>(rows: &mut Vec<T>, session: impl Fn(&T) -> &SessionRow) {
    let mut known: HashSet<(u32, Option<String>)> = HashSet::new();
    rows.retain(|row| {
        let row = session(row);
        row.pid.is_none_or(|pid| known.insert((pid, row.pid_began.clone())))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_lives_as_long_as_its_own_process_and_no_other_of_the_same_id() {
        let running = |id: u32, began: Option<&str>| id == 7 && began.is_none_or(|began| began == "b-100");
        let at_work = |began, silent| {
            is_at_work(QUIET * 10, Some(Process { id: 7, began }), QUIET * 10 - silent, &running)
        };
        assert!(at_work(Some("b-100"), 0));
        assert!(at_work(Some("b-100"), QUIET * 3), "it slept with the machine");
        assert!(!at_work(Some("b-999"), 0), "the id was given to another program");
        assert!(at_work(None, QUIET - 1) && !at_work(None, QUIET), "nobody can tell: silence counts");
        assert!(!is_at_work(100, Some(Process { id: 8, began: None }), 100, &running));
        assert!(is_at_work(RECENT, None, 1, &running) && !is_at_work(RECENT, None, 0, &running));
        assert!(is_at_work(5, None, 1_000_000, &running), "a clock that was set back");
    }
}
