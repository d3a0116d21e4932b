//! What guards say about a call, with a daemon or without one: the same function, so that a dead daemon opens no gate. The
//! call is looked at as the agent sent it, because a path is not what it was once it is redacted; nothing of it is kept.

use std::path::Path;

use agents::{Adapter, Incoming};
use engine::Deciding;
use engine::config::Config;
use model::{Advice, Envelope, Event, EventKind, Reply};

/// An agent's name for what comes before a call has one of these words, and a guard hears nothing else. Other envelopes are
/// not read twice.
const BEFORE: &[&[u8]] = &[b"pre", b"before", b"permission"];

/// The event, and what was decided about it; `None` if nothing was.
pub(crate) fn decide(config: &Config, data: Option<&Path>, envelope: &Envelope) -> Option<(Event, Advice)> {
    if !is_before(envelope) {
        return None;
    }
    let event = adapter(envelope).read(&Incoming {
        id: envelope.id,
        at: envelope.at,
        hint: envelope.hint.as_deref(),
        context: &envelope.context,
        json: &envelope.body,
    });
    if !matches!(event.kind, EventKind::PreToolUse | EventKind::PermissionRequest) {
        return None;
    }
    let home = std::env::home_dir();
    let advice = engine::decide(&Deciding { config, data, home: home.as_deref() }, &event);
    (!advice.is_silent()).then_some((event, advice))
}

/// The answer of a hook that has no daemon to ask.
pub fn decide_alone(config: &Config, data: Option<&Path>, envelope: &Envelope) -> Reply {
    reply(envelope, decide(config, data, envelope))
}

pub(crate) fn reply(envelope: &Envelope, decided: Option<(Event, Advice)>) -> Reply {
    decided.map_or_else(Reply::silent, |(event, advice)| adapter(envelope).write(&event, &advice))
}

fn adapter(envelope: &Envelope) -> &'static dyn Adapter {
    agents::by_name(&envelope.agent).unwrap_or(agents::ALL[0])
}

fn is_before(envelope: &Envelope) -> bool {
    let hint = envelope.hint.as_deref().unwrap_or_default().as_bytes();
    let name = if hint.is_empty() { wire::peek::event_name(&envelope.body) } else { hint };
    let name = name.to_ascii_lowercase();
    // An envelope that hides its name is read to the end.
    name.is_empty() || BEFORE.iter().any(|word| name.windows(word.len()).any(|part| part == *word))
}
