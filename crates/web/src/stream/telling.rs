//! Turns what was acknowledged or learned into messages. Every text in them is bounded: a stream is for noticing, and
//! whoever wants the whole asks for it by its id.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use model::{Deed, Entry, Injection, Item, Millis, OURSELVES, SessionId, Told};
use serde::Serialize;
use store::{MemoryRow, SessionCard, Stored};

use super::hub::{Cursor, News, Topic};
use crate::House;
use crate::api::{MemoryCard, Session, now};

/// Characters of a text that was injected, or of a reason: four lines of a list.
const SHOWN_CHARS: usize = 400;
/// Parts of one note, and ids of one change; more are counted by whoever asks for the whole.
const SHOWN_ITEMS: usize = 100;
/// Sessions whose project is remembered, so that every event can say it. A person has a few at a time.
const MAX_PROJECTS: usize = 512;

/// An event as it was acknowledged.
#[derive(Serialize)]
struct Happened<'a> {
    seq: u64,
    id: String,
    at: Millis,
    agent: &'a str,
    session: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subagent: Option<String>,
    bytes: usize,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<String>,
}

#[derive(Serialize)]
struct Injected<'a> {
    seq: u64,
    number: usize,
    at: Millis,
    session: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subagent: Option<&'a str>,
    event: &'a str,
    behavior: &'a str,
    text: &'a str,
    cut: bool,
    tokens: u32,
    items: &'a [Item],
}

#[derive(Serialize)]
struct Ruled<'a> {
    seq: u64,
    at: Millis,
    session: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subagent: Option<&'a str>,
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    behavior: &'a str,
    verdict: &'a model::Ruling,
    reason: &'a str,
}

#[derive(Serialize)]
struct Changed {
    deed: &'static str,
    ids: Vec<String>,
}

/// What is known of sessions, so that an event says its project before it is learned.
#[derive(Debug, Default)]
pub(super) struct Projects(HashMap<SessionId, Option<String>>);

impl Projects {
    fn of(&mut self, house: &dyn House, session: &SessionId) -> Option<String> {
        if let Some(known) = self.0.get(session) {
            return known.clone();
        }
        let mut found = None;
        // What cannot be read is not known.
        let _ = house.read(&mut |tables| {
            found = tables.session_card(session)?;
            Ok(())
        });
        let project = found.as_ref().and_then(|card| card.row.project.clone());
        if found.is_some() {
            self.note(session, project.clone());
        }
        project
    }

    fn note(&mut self, session: &SessionId, project: Option<String>) {
        if self.0.len() >= MAX_PROJECTS && !self.0.contains_key(session) {
            self.0.clear();
        }
        self.0.insert(session.clone(), project);
    }
}

/// The messages of one entry. The last of them moves the cursor: who is cut off before it hears them all again.
pub(super) fn entry(house: &dyn House, projects: &mut Projects, stored: &Stored, told: Cursor) -> Vec<News> {
    let session = Some(Arc::from(stored.entry.session.as_str()));
    let mut drafts = if stored.entry.agent == OURSELVES {
        deed(stored)
    } else {
        vec![(Topic::Event, json(&happened(house, projects, stored)))]
    };
    let after = Cursor { seq: stored.seq, ..told };
    let last = drafts.pop();
    let draft = |(topic, data): (Topic, String), cursor: Option<Cursor>| News {
        topic,
        session: Option::clone(&session).filter(|session: &Arc<str>| !session.is_empty()),
        cursor: cursor.unwrap_or(told),
        text: message(topic, cursor, &data),
    };
    let mut news: Vec<News> = drafts.into_iter().map(|one| draft(one, None)).collect();
    news.extend(last.map(|one| draft(one, Some(after))));
    news
}

/// What says that a memory is new.
pub(super) fn memory(row: MemoryRow, told: Cursor) -> News {
    let cursor = Cursor { n: row.n, ..told };
    let session = row.memory.session.as_ref().map(|session| Arc::from(session.as_str()));
    let text = message(Topic::Memory, Some(cursor), &json(&MemoryCard::from(row)));
    News { topic: Topic::Memory, session, cursor, text }
}

/// What says how a session is now.
pub(super) fn session(projects: &mut Projects, card: SessionCard, told: Cursor) -> News {
    projects.note(&card.row.id, card.row.project.clone());
    let session = Some(Arc::from(card.row.id.as_str()));
    let text = message(Topic::Session, Some(told), &json(&Session::of(card, now())));
    News { topic: Topic::Session, session, cursor: told, text }
}

pub(super) fn reset(told: Cursor) -> News {
    News { topic: Topic::Reset, session: None, cursor: told, text: message(Topic::Reset, Some(told), "{}") }
}

/// One message of the stream. JSON has no line breaks of its own.
pub(super) fn message(topic: Topic, cursor: Option<Cursor>, data: &str) -> Bytes {
    let id = cursor.map_or_else(String::new, |cursor| format!("id: {cursor}\n"));
    Bytes::from(format!("{id}event: {}\ndata: {data}\n\n", topic.name()))
}

fn happened<'a>(house: &dyn House, projects: &mut Projects, stored: &'a Stored) -> Happened<'a> {
    let entry: &Entry = &stored.entry;
    let seen = house.glimpse(entry);
    Happened {
        seq: stored.seq,
        id: entry.id.to_string(),
        at: entry.at,
        agent: &entry.agent,
        session: entry.session.as_str(),
        kind: &entry.event,
        tool: entry.tool.as_deref(),
        subagent: seen.subagent,
        bytes: entry.envelope.len(),
        title: seen.title,
        ok: seen.ok,
        project: seen.project.or_else(|| projects.of(house, &entry.session)),
        cwd: seen.cwd,
    }
}

/// A deed that cannot be read says nothing.
fn deed(stored: &Stored) -> Vec<(Topic, String)> {
    let Ok(deed) = serde_json::from_slice::<Deed>(&stored.entry.envelope) else { return Vec::new() };
    let session = |id: &SessionId| vec![id.as_str().to_owned()];
    let ids = |ids: &[model::MemoryId]| ids.iter().take(SHOWN_ITEMS).map(ToString::to_string).collect();
    let (name, ids) = match &deed {
        Deed::Injected { injection } => return injected(stored, injection),
        Deed::Verdict { session, subagent, event, tool, behavior, verdict, reason } => {
            let ruled = Ruled {
                seq: stored.seq,
                at: stored.entry.at,
                session: session.as_str(),
                subagent: subagent.as_deref(),
                event,
                tool: tool.as_deref(),
                behavior,
                verdict,
                reason: shown(reason).0,
            };
            return vec![(Topic::Verdict, json(&ruled))];
        }
        // What they leave is told when it is learned.
        Deed::Distilled { .. } | Deed::Session { .. } | Deed::Place { .. } => return Vec::new(),
        Deed::Remember { memory } | Deed::Import { memory, .. } => ("remember", ids(&[memory.id])),
        Deed::HandOff { session: of, .. } => ("hand-off", session(of)),
        Deed::Outcome { session: of, .. } => ("outcome", session(of)),
        Deed::Checkpoint { checkpoint } => ("checkpoint", vec![checkpoint.id.clone()]),
        Deed::DropCheckpoints { ids } => ("checkpoint", ids.iter().take(SHOWN_ITEMS).cloned().collect()),
        Deed::Claim { session: of, .. } => ("claim", session(of)),
        Deed::Message { to, .. } => ("message", session(to)),
        Deed::Release { session: of, .. } => ("release", of.as_ref().map(session).unwrap_or_default()),
        Deed::StartPattern { session: of, .. } | Deed::StopPattern { session: of, .. } => {
            ("pattern", session(of))
        }
        Deed::Withdraw { ids: gone } | Deed::Forget { ids: gone } => ("forget", ids(gone)),
        Deed::Edit { id, title: None, text: None, critical: None, pinned: Some(_) } => ("pin", ids(&[*id])),
        Deed::Edit { id, .. } => ("edit", ids(&[*id])),
        Deed::Supersede { older, newer } => ("supersede", ids(&[*older, *newer])),
    };
    vec![(Topic::Change, json(&Changed { deed: name, ids }))]
}

fn injected(stored: &Stored, injection: &Injection) -> Vec<(Topic, String)> {
    let one = |(number, note): (usize, &Told)| {
        let (text, cut) = shown(&note.text);
        let injected = Injected {
            seq: stored.seq,
            number,
            at: stored.entry.at,
            session: injection.session.as_str(),
            subagent: injection.subagent.as_deref(),
            event: &injection.event,
            behavior: &note.from,
            text,
            cut,
            tokens: note.tokens,
            items: &note.items[..note.items.len().min(SHOWN_ITEMS)],
        };
        (Topic::Injection, json(&injected))
    };
    injection.notes.iter().enumerate().map(one).collect()
}

/// The beginning of a text, and whether there is more.
fn shown(text: &str) -> (&str, bool) {
    text.char_indices().nth(SHOWN_CHARS).map_or((text, false), |(end, _)| (&text[..end], true))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers are JSON")
}
