//! Where listeners and the one who tells meet. A piece of news is made once and shared by all; it is kept for a while
//! for those who read slower than others, and whoever is slower still is told so instead of being waited for.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::broadcast::{self, Receiver, Sender};

use crate::House;

/// News a listener may be behind. A burst of an agent is dozens; a page that is behind by a thousand is told to read
/// anew, which is quicker for it as well. They take about a megabyte, once.
const MAX_BEHIND: usize = 1024;

/// How far somebody has been told: in the journal, and among the memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cursor {
    pub(super) seq: u64,
    pub(super) n: u64,
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.seq, self.n)
    }
}

impl Cursor {
    /// As it was given out before.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (seq, n) = text.trim().split_once('-')?;
        Some(Self { seq: seq.parse().ok()?, n: n.parse().ok()? })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Event,
    Memory,
    Session,
    Injection,
    Verdict,
    Change,
    Reset,
}

impl Topic {
    /// Those that can be asked for.
    pub(super) const ALL: &[Self] =
        &[Self::Event, Self::Memory, Self::Session, Self::Injection, Self::Verdict, Self::Change];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Memory => "memory",
            Self::Session => "session",
            Self::Injection => "injection",
            Self::Verdict => "verdict",
            Self::Change => "change",
            Self::Reset => "reset",
        }
    }
}

/// One message, as it is sent to everybody who wants it.
#[derive(Debug, Clone)]
pub(super) struct News {
    pub(super) topic: Topic,
    pub(super) session: Option<Arc<str>>,
    /// How far whoever has read it has been told.
    pub(super) cursor: Cursor,
    pub(super) text: Bytes,
}

pub(crate) struct Hub {
    pub(super) house: Arc<dyn House>,
    meeting: Mutex<Meeting>,
    /// Somebody came, or we close.
    changed: Condvar,
}

struct Meeting {
    /// None: we are closed.
    news: Option<Sender<News>>,
    /// How far those who listen have been told; without meaning while nobody does.
    told: Cursor,
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub").finish_non_exhaustive()
    }
}

impl Hub {
    pub(crate) fn new(house: Arc<dyn House>) -> Self {
        let meeting = Meeting { news: Some(Sender::new(MAX_BEHIND)), told: Cursor::default() };
        Self { house, meeting: Mutex::new(meeting), changed: Condvar::new() }
    }

    /// Sends everybody home.
    pub(crate) fn close(&self) {
        self.meet().news = None;
        self.changed.notify_all();
    }

    /// From here on a listener hears everything beyond the cursor. Blocks for as long as a table is asked one number.
    /// `None`: we close.
    pub(super) fn join(&self) -> Option<(Receiver<News>, Cursor)> {
        // Before anybody is kept waiting; whoever comes first is told from here on.
        let now = self.now();
        let mut meeting = self.meet();
        let news = meeting.news.as_ref()?;
        let is_first = news.receiver_count() == 0;
        let listener = news.subscribe();
        if is_first {
            meeting.told = now;
            self.changed.notify_all();
        }
        Some((listener, meeting.told))
    }

    /// The same for a listener who was too slow, whose place is warm. Never blocks for long.
    pub(super) fn rejoin(&self) -> Option<(Receiver<News>, Cursor)> {
        let meeting = self.meet();
        Some((meeting.news.as_ref()?.subscribe(), meeting.told))
    }

    /// How many listen now.
    pub(crate) fn listeners(&self) -> usize {
        self.meet().news.as_ref().map_or(0, Sender::receiver_count)
    }

    /// Sleeps until somebody listens; how far they have been told. `None`: we close.
    pub(super) fn wait_for_listeners(&self) -> Option<Cursor> {
        let mut meeting = self.meet();
        loop {
            if meeting.news.as_ref()?.receiver_count() > 0 {
                return Some(meeting.told);
            }
            meeting = self.changed.wait(meeting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Tells everybody what leads from one cursor to the next. False: meanwhile others came, who begin elsewhere.
    pub(super) fn tell(&self, from: Cursor, to: Cursor, all: Vec<News>) -> bool {
        let mut meeting = self.meet();
        let Some(news) = meeting.news.clone().filter(|_| meeting.told == from) else { return false };
        for one in all {
            // Nobody listens any more: as good.
            let _ = news.send(one);
        }
        meeting.told = to;
        true
    }

    fn now(&self) -> Cursor {
        let mut n = 0;
        // Without tables there are no memories that could be new.
        let _ = self.house.read(&mut |tables| {
            n = tables.newest_number()?;
            Ok(())
        });
        Cursor { seq: self.house.head(), n }
    }

    fn meet(&self) -> MutexGuard<'_, Meeting> {
        self.meeting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) type Missed = broadcast::error::RecvError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_as_it_was_given_out() {
        let cursor = Cursor { seq: 12, n: 7 };
        assert_eq!(Cursor::read(&cursor.to_string()), Some(cursor));
        for wrong in ["", "-", "1", "1-", "-1", "a-b", "1-2-3", "18446744073709551616-0"] {
            assert_eq!(Cursor::read(wrong), None, "{wrong}");
        }
    }
}
