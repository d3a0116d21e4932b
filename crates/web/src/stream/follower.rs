//! The one thread that follows the journal for everybody who listens, and sleeps while nobody does. What was
//! acknowledged is told at once, without waiting for the tables; what is learned of it is told when it is there.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle, sleep};
use std::time::Duration;

use model::SessionId;
use store::{MemoryRow, SessionCard};

use super::hub::{Cursor, Hub, News};
use super::telling::{self, Projects};

/// Without news: how soon it is noticed that nobody listens any more, or that we close.
const NAP: Duration = Duration::from_millis(250);
/// While something is being learned: how late it may be told that it was.
const TICK: Duration = Duration::from_millis(10);
/// Between the head's move and the bytes behind it, and how often to look for them before passing over what never comes.
const MOMENT: Duration = Duration::from_millis(1);
const MOMENTS: u32 = 100;
/// Read in one go. Envelopes may be megabytes each and are in memory together.
pub(super) const AT_ONCE: usize = 16;
/// Memories told in one go; a rebuild brings back thousands.
const MEMORIES_AT_ONCE: usize = 128;
/// Sessions that wait to be told; a backfill touches hundreds, and a page that hears of so many reads its list anew.
const MAX_TOUCHED: usize = 64;

/// Ends when its hub is closed.
#[derive(Debug)]
pub(crate) struct Follower(JoinHandle<()>);

impl Follower {
    pub(crate) fn start(hub: &Arc<Hub>) -> io::Result<Self> {
        let hub = Arc::clone(hub);
        Builder::new().name("web-stream".into()).spawn(move || follow(&hub)).map(Self)
    }

    /// Waits for it; the hub is closed.
    pub(crate) fn end(self) {
        let _ = self.0.join();
    }
}

fn follow(hub: &Hub) {
    let mut following =
        Following { hub, learned: 0, touched: BTreeSet::new(), projects: Projects::default(), empty: 0 };
    while let Some(told) = hub.wait_for_listeners() {
        following.round(told);
    }
}

struct Following<'a> {
    hub: &'a Hub,
    /// How far the tables were when they were last looked at.
    learned: u64,
    /// Sessions of which something was told that is not learned yet, with its position.
    touched: BTreeSet<(u64, SessionId)>,
    projects: Projects,
    /// How often in a row there was nothing to read before the head.
    empty: u32,
}

impl Following<'_> {
    fn round(&mut self, told: Cursor) {
        let is_behind = self.learned < told.seq || !self.touched.is_empty();
        let head = self.hub.house.wait_beyond(told.seq, if is_behind { TICK } else { NAP });
        let told = if head > told.seq { self.tell_acknowledged(told, head) } else { Some(told) };
        if let Some(told) = told {
            self.tell_learned(told);
        }
    }

    /// How far everybody has been told by now. `None`: those who came meanwhile begin elsewhere.
    fn tell_acknowledged(&mut self, told: Cursor, head: u64) -> Option<Cursor> {
        let house = &*self.hub.house;
        let entries = house.entries(told.seq + 1, AT_ONCE);
        let Some(last) = entries.last() else {
            self.empty += 1;
            if self.empty < MOMENTS {
                sleep(MOMENT);
                return Some(told);
            }
            // Damaged, or dropped since: there is nothing to tell of it.
            self.empty = 0;
            let to = Cursor { seq: head, ..told };
            return self.hub.tell(told, to, Vec::new()).then_some(to);
        };
        self.empty = 0;
        let to = Cursor { seq: last.seq, ..told };
        let mut news = Vec::with_capacity(entries.len());
        for stored in &entries {
            news.extend(telling::entry(
                house,
                &mut self.projects,
                stored,
                Cursor { seq: stored.seq - 1, ..told },
            ));
            if !stored.entry.session.as_str().is_empty() && self.touched.len() < MAX_TOUCHED {
                self.touched.retain(|(_, session)| *session != stored.entry.session);
                self.touched.insert((stored.seq, stored.entry.session.clone()));
            }
        }
        self.hub.tell(told, to, news).then_some(to)
    }

    fn tell_learned(&mut self, told: Cursor) {
        // Also where nothing was learned: tables may be made anew beside us.
        self.learned = self.hub.house.wait_learned(0, Duration::ZERO);
        let mut found = Learned::default();
        let touched: Vec<SessionId> =
            self.touched.iter().filter(|(seq, _)| *seq <= self.learned).map(|(_, id)| id.clone()).collect();
        let read = self.hub.house.read(&mut |tables| {
            found = Learned { newest: tables.newest_number()?, ..Learned::default() };
            if found.newest > told.n {
                found.memories = tables.memories_beyond(told.n, MEMORIES_AT_ONCE)?;
            }
            for session in &touched {
                found.sessions.extend(tables.session_card(session)?);
            }
            Ok(())
        });
        if read.is_err() {
            // They are busy or being made anew; what is new in them is told in a later round.
            return;
        }
        self.touched.retain(|(seq, _)| *seq > self.learned);
        let (to, news) = self.news_of(found, told);
        if to != told || !news.is_empty() {
            self.hub.tell(told, to, news);
        }
    }

    fn news_of(&mut self, found: Learned, told: Cursor) -> (Cursor, Vec<News>) {
        let mut to = told;
        let mut news = Vec::with_capacity(found.memories.len() + found.sessions.len() + 1);
        if found.newest < told.n {
            // Made anew: what was told under these numbers is something else now.
            to.n = found.newest;
            news.push(telling::reset(to));
        }
        for row in found.memories {
            let one = telling::memory(row, to);
            to = one.cursor;
            news.push(one);
        }
        news.extend(found.sessions.into_iter().map(|card| telling::session(&mut self.projects, card, to)));
        (to, news)
    }
}

#[derive(Default)]
struct Learned {
    newest: u64,
    memories: Vec<MemoryRow>,
    sessions: Vec<SessionCard>,
}
