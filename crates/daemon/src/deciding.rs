//! What guards say about a call, with a daemon or without one: the same function, so that a dead daemon opens no gate. The
//! call is looked at as the agent sent it, because a path is not what it was once it is redacted; nothing of it is kept.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use agents::{Adapter, Incoming};
use engine::config::Config;
use engine::{Deciding, hearers};
use model::{Advice, Detail, Envelope, Event, EventKind, Reply, StartSource, Verdict};

/// An agent's name for what comes before a call has one of these words, and a guard hears nothing else. Other envelopes are
/// not read twice.
const BEFORE: &[&[u8]] = &[b"pre", b"before", b"permission"];
/// What an envelope is taken for that is cut before it says what it is: of all events the one that must not pass unseen.
const UNNAMED: EventKind = EventKind::PreToolUse;
const NOT_SEEN: &str =
    "No guard has seen this call: what throughline was sent of it is not whole, or cannot be read";

/// The event, and what was decided about it; `None` if nothing was.
pub(crate) fn decide(config: &Config, data: Option<&Path>, envelope: &Envelope) -> Option<(Event, Advice)> {
    let begins = begins(envelope);
    if !begins && !is_before(envelope) {
        return None;
    }
    // Also where reading it panics.
    catch_unwind(AssertUnwindSafe(|| seen(config, data, envelope)))
        .unwrap_or_else(|_| unseen(config, envelope))
}

fn seen(config: &Config, data: Option<&Path>, envelope: &Envelope) -> Option<(Event, Advice)> {
    if !agents::is_whole(&envelope.body) {
        return unseen(config, envelope);
    }
    let event = read(envelope);
    let began = data.and_then(|data| began(data, &event));
    if !is_decided(event.kind) {
        return None;
    }
    let home = std::env::home_dir();
    let advice =
        engine::decide(&Deciding { config, data, home: home.as_deref(), began: began.as_deref() }, &event);
    (!advice.is_silent()).then_some((event, advice))
}

/// A call that is incomplete, or not to be read to its end, passes no guard: it is the person's to decide. An agent that
/// cannot be made to ask is refused; it can send the call again.
fn unseen(config: &Config, envelope: &Envelope) -> Option<(Event, Advice)> {
    let adapter = adapter(envelope);
    let own = agents::event_name(&envelope.body);
    let hint = envelope.hint.as_deref().filter(|hint| !hint.is_empty());
    // By the name alone: of a part of an envelope the adapter would believe the part.
    let read = |name: &str| adapter.read(&Incoming { json: b"{}", ..incoming(envelope, Some(name)) });
    let named = |name: &str| match read(name) {
        event if event.kind == EventKind::Other && says_before(name.as_bytes()) => read(UNNAMED.name()),
        event => event,
    };
    let mut names = [hint, own.as_deref()].into_iter().flatten().peekable();
    let event = match names.peek() {
        None => read(UNNAMED.name()),
        Some(_) => names.map(named).find(|event| is_decided(event.kind))?,
    };
    // A person may have switched all of them off.
    let guard = hearers(config, event.kind).find(|behavior| behavior.is_guard())?;
    let verdict = if adapter.powers(event.kind).verdict.ask {
        Verdict::Ask { reason: format!("{NOT_SEEN}. Please look at it yourself before it runs.") }
    } else {
        Verdict::Deny { reason: format!("{NOT_SEEN}. Make the call again.") }
    };
    Some((event, Advice { verdict: Some(verdict), by: Some(guard.name()), ..Advice::default() }))
}

/// The answer of a hook that has no daemon to ask.
pub fn decide_alone(config: &Config, data: Option<&Path>, envelope: &Envelope) -> Reply {
    reply(envelope, decide(config, data, envelope))
}

/// What a session that begins where no daemon answers says about events that could not be kept. Said once.
pub fn confess_alone(place: &client::Place, envelope: &Envelope) -> Reply {
    let client::losses::Losses { events, since, until, .. } = client::losses::read(place);
    if events == 0 {
        return Reply::silent();
    }
    let event = read(envelope);
    let adapter = adapter(envelope);
    if event.kind != EventKind::SessionStart || !adapter.powers(event.kind).tell {
        return Reply::silent();
    }
    let advice = engine::tell_loss(&engine::Loss { events, since, until });
    // What cannot be noted as told is said again: better than never.
    let _ = client::losses::change(place, |losses| losses.tell(events));
    adapter.write(&event, &advice)
}

fn read(envelope: &Envelope) -> Event {
    adapter(envelope).read(&incoming(envelope, envelope.hint.as_deref()))
}

pub(crate) fn reply(envelope: &Envelope, decided: Option<(Event, Advice)>) -> Reply {
    decided.map_or_else(Reply::silent, |(event, advice)| adapter(envelope).write(&event, &advice))
}

fn adapter(envelope: &Envelope) -> &'static dyn Adapter {
    agents::by_name(&envelope.agent).unwrap_or(agents::ALL[0])
}

fn incoming<'a>(envelope: &'a Envelope, hint: Option<&'a str>) -> Incoming<'a> {
    let Envelope { id, at, context, body, .. } = envelope;
    Incoming { id: *id, at: *at, hint, context, json: body }
}

/// Whether the agent waits for a decision of ours.
pub(crate) fn is_decided(kind: EventKind) -> bool {
    matches!(kind, EventKind::PreToolUse | EventKind::PermissionRequest)
}

/// By what the command line says or the envelope does: one of them is enough. An envelope that hides its name is read.
fn is_before(envelope: &Envelope) -> bool {
    match envelope.hint.as_deref().unwrap_or_default() {
        "" => agents::event_name(&envelope.body).is_none_or(|name| says_before(name.as_bytes())),
        hint => says_before(hint.as_bytes()) || says_before(wire::peek::event_name(&envelope.body)),
    }
}

fn says_before(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    BEFORE.iter().any(|word| name.windows(word.len()).any(|part| part == *word))
}

/// Where the session began, noted with the first event that is heard of it: a scope stays with its session. That it cannot
/// be noted (a full disk) costs this and nothing else.
fn began(data: &Path, event: &Event) -> Option<PathBuf> {
    let session = event.session.as_str();
    if session.is_empty() {
        return None;
    }
    let place = client::Place { data: data.to_owned() };
    let again = match &event.detail {
        Detail::Start { source, .. } => matches!(source, StartSource::Startup | StartSource::Resume),
        _ => false,
    };
    if let Some(cwd) = event.cwd.as_deref() {
        let _ = client::began::note(&place, session, Path::new(cwd), again);
    }
    client::began::of(&place, session)
}

/// An envelope that says that a session begins: the agent's name for it has both words.
fn begins(envelope: &Envelope) -> bool {
    let hint = envelope.hint.as_deref().unwrap_or_default().as_bytes();
    let name = if hint.is_empty() { wire::peek::event_name(&envelope.body) } else { hint };
    let letters: Vec<u8> =
        name.iter().filter(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect();
    letters == b"sessionstart"
}

#[cfg(test)]
mod tests {
    use model::{Context, EventId};

    use super::*;

    const CALL: &str = r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Bash","tool_input":{"command":"ls"}}"#;

    fn envelope(agent: &str, hint: Option<&str>, body: &[u8]) -> Envelope {
        Envelope {
            id: EventId::from_bytes([7; 16]),
            at: 1,
            agent: agent.to_owned(),
            hint: hint.map(str::to_owned),
            context: Context::new(),
            body: body.to_vec(),
        }
    }

    fn said(envelope: &Envelope) -> String {
        String::from_utf8(decide_alone(&Config::default(), None, envelope).stdout).unwrap()
    }

    /// Codex and OpenCode cannot be made to ask.
    #[test]
    fn every_agent_is_told_of_a_call_that_is_not_whole_in_its_own_words() {
        for agent in agents::ALL {
            let name = agent.name();
            assert_eq!(said(&envelope(name, Some("PreToolUse"), CALL.as_bytes())), "", "{name}");
            for cut in [0, 1, 40, CALL.len() - 2, CALL.len() - 1] {
                let said = said(&envelope(name, Some("PreToolUse"), &CALL.as_bytes()[..cut]));
                let expected =
                    if agent.powers(EventKind::PreToolUse).verdict.ask { "\"ask\"" } else { "deny" };
                assert!(
                    said.contains(expected) && said.contains("No guard has seen this call"),
                    "{name}: {said}"
                );
            }
        }
    }

    #[test]
    fn what_decides_nothing_stays_silent_in_part_and_what_has_no_name_does_not() {
        let half = |hint, text: &str| said(&envelope("claude-code", hint, text.as_bytes()));
        assert_eq!(half(Some("PostToolUse"), r#"{"tool_name":"#), "");
        assert_eq!(half(Some("PreCompact"), r#"{"trigger":"#), "");
        assert_eq!(half(None, r#"{"hook_event_name":"Stop","text":"#), "");
        assert!(half(Some("preToolUse"), r#"{"session_id":"#).contains("\"ask\""), "by another's spelling");
        assert!(half(None, r#"{"session_id":"#).contains("\"ask\""));
        assert!(half(None, r#"{"tool_input":{"hook_event_name":"Stop"},"tool"#).contains("\"ask\""));
        assert!(half(Some("Stop"), r#"{"hook_event_name":"PreToolUse","tool"#).contains("\"ask\""));
    }
}
