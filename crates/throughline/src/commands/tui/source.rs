//! The thread that reads for the panes: one thing at a time, namely what is on the screen, and again when something was
//! learned. At rest it asks the tables one number four times a second. Text leaves it clean.

use std::os::unix::fs::MetadataExt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use client::ask;
use model::{Millis, SessionId};
use serde::Deserialize;
use serde_json::json;
use store::journal::Reader;
use store::{EventFilter, EventRow, Order, SessionCard, SessionPage, StoreError, Tables};

use super::clean::Clean;
use super::story::{self, StoryLine};
use crate::commands::{reader, show};
use crate::world::World;
use crate::{report, when};

/// Four times a second is as often as anybody looks.
const TICK: Duration = Duration::from_millis(250);
/// Whether the daemon is there, and who is still at work.
const LOOK: Duration = Duration::from_secs(2);
/// A daemon that is there answers in a millisecond; one that is stopped must not hold up the panes.
const PRESENCE: Duration = Duration::from_millis(500);
/// The first question after a start may find the model still asleep.
const SEARCH: Duration = Duration::from_secs(10);
/// A person looks at some of them; the rest is what search is for.
const SESSIONS: usize = 200;
pub(super) const EVENTS: usize = 500;
const HITS: usize = 50;
/// A session that was silent for longer is nobody's who is at work now, whether or not it said that it ended.
const AT_WORK_MS: u64 = 4 * 60 * 60 * 1000;
/// Characters of one line of a list; no terminal shows more.
pub(super) const LINE: usize = 300;

/// What is on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Want {
    Sessions,
    Story(SessionId),
    Live,
    Hits(String),
    Memory(String),
}

/// What was read.
#[derive(Debug)]
pub(super) enum News {
    Sessions(Vec<SessionLine>),
    Story(SessionId, Vec<StoryLine>),
    /// All that there are to show, or more of them.
    Events {
        lines: Vec<EventLine>,
        is_all: bool,
    },
    Hits(String, Result<Vec<HitLine>, Clean>),
    Memory(String, Vec<Clean>),
    /// Whether the daemon is there.
    Daemon(bool),
    /// Why nothing can be read now, as long as that is so.
    Trouble(Option<Clean>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionLine {
    pub(super) id: SessionId,
    pub(super) short: Clean,
    pub(super) is_live: bool,
    pub(super) seen_at: Millis,
    pub(super) project: Clean,
    pub(super) branch: Clean,
    pub(super) agent: Clean,
    pub(super) prompts: u64,
    pub(super) tools: u64,
    /// What it was asked first.
    pub(super) about: Clean,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventLine {
    pub(super) seq: u64,
    pub(super) at: Millis,
    pub(super) session: SessionId,
    pub(super) short: Clean,
    pub(super) project: Clean,
    pub(super) kind: Clean,
    pub(super) title: Clean,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct HitLine {
    pub(super) id: String,
    pub(super) kind: Clean,
    pub(super) at: Millis,
    pub(super) project: Clean,
    pub(super) title: Clean,
    /// `None`: it is gone since.
    pub(super) tokens: Option<u64>,
    pub(super) why: Vec<Clean>,
}

pub(super) struct Source {
    world: World,
    tables: Tables,
    /// Of the file the tables are read from: a damaged one is put aside and made anew.
    inode: u64,
    want: Option<Want>,
    /// How far the tables were when they were last read.
    cursor: u64,
    /// The last event that was told.
    told: u64,
    looked: Option<Instant>,
    daemon: Option<bool>,
    is_troubled: bool,
}

impl Source {
    pub(super) fn new(world: World, tables: Tables) -> Self {
        let inode = inode(&world);
        Self {
            world,
            tables,
            inode,
            want: None,
            cursor: 0,
            told: 0,
            looked: None,
            daemon: None,
            is_troubled: false,
        }
    }

    /// Returns when nobody wants anything any more.
    pub(super) fn run(mut self, wanted: &Receiver<Option<Want>>, news: &SyncSender<News>) {
        loop {
            let is_new = match wanted.recv_timeout(TICK) {
                Ok(want) => {
                    self.want = wanted.try_iter().last().unwrap_or(want);
                    true
                }
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if !self.turn(is_new, news) {
                return;
            }
        }
    }

    /// False: nobody listens.
    fn turn(&mut self, is_new: bool, news: &SyncSender<News>) -> bool {
        let is_due = self.looked.is_none_or(|at| at.elapsed() >= LOOK);
        if is_due {
            self.looked = Some(Instant::now());
            let until = Instant::now() + PRESENCE;
            let is_there = ask(&self.world.place, br#"{"ask":"status"}"#, until).is_ok();
            if self.daemon != Some(is_there) {
                self.daemon = Some(is_there);
                if news.send(News::Daemon(is_there)).is_err() {
                    return false;
                }
            }
        }
        let read = self.look(is_new, is_due);
        let trouble = match read {
            Ok(read) => {
                if read.into_iter().any(|read| news.send(read).is_err()) {
                    return false;
                }
                None
            }
            Err(error) => {
                // Opened anew at the next look.
                self.inode = 0;
                Some(Clean::line(&error.to_string(), LINE))
            }
        };
        if trouble.is_some() || self.is_troubled {
            self.is_troubled = trouble.is_some();
            return news.send(News::Trouble(trouble)).is_ok();
        }
        true
    }

    fn look(&mut self, is_new: bool, is_due: bool) -> Result<Vec<News>, StoreError> {
        let inode = inode(&self.world);
        let is_other = inode != self.inode;
        if is_other {
            self.tables = Tables::open_read_only(&self.world.place.database())?;
            self.inode = inode;
        }
        let cursor = self.tables.cursor()?;
        let is_changed = cursor != self.cursor || is_other;
        let mut read = Vec::new();
        match self.want.clone() {
            Some(Want::Sessions) if is_new || is_changed || is_due => {
                read.push(News::Sessions(self.sessions()?));
            }
            Some(Want::Story(id)) if is_new || is_changed => {
                let lines = story::read(&self.tables, self.journal().as_ref(), &id)?;
                read.push(News::Story(id, lines));
            }
            Some(Want::Live) if is_new || is_other || cursor < self.told => read.push(self.last_events()?),
            Some(Want::Live) if is_changed => read.push(self.more_events()?),
            Some(Want::Hits(query)) if is_new => {
                let hits = self.hits(&query);
                read.push(News::Hits(query, hits));
            }
            Some(Want::Memory(id)) if is_new => {
                let lines = match self.tables.memory(&id)? {
                    Some(row) => Clean::lines(&show::full(&row, false)),
                    None => vec![Clean::line("It was forgotten.", LINE)],
                };
                read.push(News::Memory(id, lines));
            }
            _ => {}
        }
        self.cursor = cursor;
        Ok(read)
    }

    fn sessions(&self) -> Result<Vec<SessionLine>, StoreError> {
        let page = SessionPage { limit: SESSIONS, ..SessionPage::default() };
        let now = when::now();
        let mut lines: Vec<SessionLine> =
            self.tables.session_page(&page)?.rows.into_iter().map(|card| session_line(card, now)).collect();
        // Stable: within each half the last seen stays first.
        lines.sort_by_key(|line| !line.is_live);
        Ok(lines)
    }

    fn last_events(&mut self) -> Result<News, StoreError> {
        let filter = EventFilter { limit: EVENTS, order: Order::NewestFirst, ..EventFilter::default() };
        let mut rows = self.tables.events(&filter)?;
        rows.reverse();
        Ok(News::Events { lines: self.told(&rows), is_all: true })
    }

    fn more_events(&mut self) -> Result<News, StoreError> {
        let filter = EventFilter {
            after: Some(self.told),
            limit: EVENTS,
            order: Order::OldestFirst,
            ..EventFilter::default()
        };
        let rows = self.tables.events(&filter)?;
        // More happened than is shown: the last of it.
        if rows.len() >= EVENTS {
            return self.last_events();
        }
        Ok(News::Events { lines: self.told(&rows), is_all: false })
    }

    fn told(&mut self, rows: &[EventRow]) -> Vec<EventLine> {
        let journal = self.journal();
        self.told = rows.last().map_or(self.told, |row| row.seq);
        rows.iter().map(|row| event_line(journal.as_ref(), row)).collect()
    }

    /// Opened anew each time: segments come and go.
    fn journal(&self) -> Option<Reader> {
        reader::journal(&self.world).ok()
    }

    fn hits(&self, query: &str) -> Result<Vec<HitLine>, Clean> {
        let question = json!({
            "ask": "search", "query": query, "limit": HITS, "cwd": self.world.cwd, "explain": true,
        });
        let hits = reader::answer(&self.world, &question, SEARCH)
            .and_then(|mut answer| Ok(serde_json::from_value::<Vec<Hit>>(answer["hits"].take())?));
        match hits {
            Ok(hits) => Ok(hits.into_iter().map(|hit| self.hit_line(hit)).collect()),
            Err(error) => {
                let (what, next) = report::parts(&error);
                Err(Clean::line(&format!("{what}; {next}"), LINE))
            }
        }
    }

    fn hit_line(&self, hit: Hit) -> HitLine {
        let tokens = self.tables.memory(&hit.id).ok().flatten().map(|row| u64::from(row.tokens));
        let factor = |factor: &Factor| {
            let note = factor.note.as_deref().unwrap_or_default();
            Clean::line(&format!("{:<12} {:>8.3}  {note}", factor.name, factor.value), LINE)
        };
        HitLine {
            kind: Clean::line(&hit.kind, LINE),
            at: hit.at,
            project: Clean::line(hit.project.as_deref().unwrap_or("-"), LINE),
            title: Clean::line(&hit.title, LINE),
            tokens,
            why: hit.why.iter().flatten().map(factor).collect(),
            id: hit.id,
        }
    }
}

#[derive(Debug, Deserialize)]
struct Hit {
    id: String,
    kind: String,
    title: String,
    at: Millis,
    project: Option<String>,
    why: Option<Vec<Factor>>,
}

#[derive(Debug, Deserialize)]
struct Factor {
    name: String,
    value: f64,
    note: Option<String>,
}

fn inode(world: &World) -> u64 {
    std::fs::metadata(world.place.database()).map_or(0, |file| file.ino())
}

fn session_line(card: SessionCard, now: Millis) -> SessionLine {
    let row = card.row;
    let or_dash = |text: &Option<String>| Clean::line(text.as_deref().unwrap_or("-"), LINE);
    SessionLine {
        is_live: row.ended_at.is_none() && now.saturating_sub(row.last_seen_at) < AT_WORK_MS,
        short: short(&row.id),
        seen_at: row.last_seen_at,
        project: or_dash(&row.project),
        branch: or_dash(&row.branch),
        agent: Clean::line(&row.agent, LINE),
        prompts: row.prompts,
        tools: row.tools,
        about: Clean::line(card.first_prompt.as_deref().unwrap_or_default(), LINE),
        id: row.id,
    }
}

fn event_line(journal: Option<&Reader>, row: &EventRow) -> EventLine {
    let (title, project) = title_of(journal, row);
    EventLine {
        seq: row.seq,
        at: row.at,
        short: short(&row.session),
        session: row.session.clone(),
        project: Clean::line(&project, LINE),
        kind: Clean::line(&row.kind, LINE),
        title: Clean::line(&title, LINE),
    }
}

/// What an event was about, and where. Of one whose envelope is gone only its name is left.
pub(super) fn title_of(journal: Option<&Reader>, row: &EventRow) -> (String, String) {
    let stored = journal.and_then(|journal| journal.read_at(row.location).ok());
    let Some(entry) = stored.map(|stored| stored.entry) else {
        return (row.tool.clone().unwrap_or_default(), String::new());
    };
    (agents::title(&agents::event_of(&entry)), entry.context.get("project").cloned().unwrap_or_default())
}

fn short(id: &SessionId) -> Clean {
    Clean::line(&id.as_str().chars().take(8).collect::<String>(), 8)
}
