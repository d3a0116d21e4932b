//! The client's envelope to an event: the words of the house are its own.

use model::{Detail, Event, EventKind};

use crate::read::{self, Contents, Fields};
use crate::{Incoming, LAST_WORDS};

pub(super) fn read(agent: &'static str, incoming: &Incoming<'_>, contents: Contents) -> Event {
    let fields = Fields::of(incoming.json, contents);
    let name = read::name(incoming, &fields);
    let kind = EventKind::from_name(&name);
    let event = read::event(agent, incoming, &fields, name, kind);
    // A compaction ends in a SubagentStop for which no subagent ever started; its summary arrives again in
    // PostCompact. It is kept under its name, but it is no subagent's end.
    if kind == EventKind::SubagentStop && fields.text("agent_type").is_some_and(|kind| kind.is_empty()) {
        return Event { kind: EventKind::Other, subagent: None, ..event };
    }
    let mut detail = read::detail(kind, &fields).unwrap_or(event.detail);
    if let (Detail::Stop { last_message, .. }, Some(said)) = (&mut detail, incoming.context.get(LAST_WORDS)) {
        *last_message = Some(said.clone());
    }
    Event { detail, ..event }
}

pub(super) fn subagent_file(incoming: &Incoming<'_>) -> Option<String> {
    Fields::of(incoming.json, Contents::LeftOut).path("agent_transcript_path")
}
