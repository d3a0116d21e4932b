//! What the pipeline makes of a recorded envelope: the same steps as for a hook, each with its decision and its time,
//! and no consequence: nothing is journaled, nothing counts as said, no marker is set. What one event changes for the
//! next (a private turn, what was said already) is remembered beside the real state, for one replay.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use client::{pause, private};
use engine::config::Config;
use engine::rules::{Outcome, Ruled};
use engine::search::{Ask, Hit};
use engine::{Fault, Surroundings, fence, merge};
use model::{
    Advice, Author, Detail, Envelope, Event, EventId, EventKind, MemoryId, Reply, SessionId, StartSource,
    Tail, Verdict, estimate_tokens,
};
use redact::RedactedEnvelope;
use serde_json::{Value, json};
use store::Tables;

use crate::deeds;
use crate::door::{Answer, Request};
use crate::intake::{Intake, PRIVATE, REPLY_MARGIN, Seen, nonce, now};
use crate::lender::Preview;
use crate::preview::{PATIENCE, Part, ask_each};

/// The name of the question. Its body is one line of JSON (`agent`, `hint`, `behavior`, `context`), then the envelope
/// as it was recorded, which may be anything. All questions of one replay have the same id.
pub(crate) const QUESTION: &str = "replay";
/// Replays remembered at once: people run one.
const MAX_REPLAYS: usize = 4;
/// Sessions, memories and marks remembered of one; beyond it they are forgotten, and something may be said twice. What
/// is private stays so, unless so many sessions are private at once.
const MAX_REMEMBERED: usize = 10_000;

/// The replays that are under way.
#[derive(Default)]
pub(crate) struct Replays(Mutex<VecDeque<(EventId, Arc<Overlay>)>>);

/// What one replay has changed for itself alone.
#[derive(Default)]
struct Overlay(Mutex<Changed>);

#[derive(Default)]
struct Changed {
    private: HashSet<SessionId>,
    shown: HashSet<(SessionId, Option<String>, MemoryId)>,
    /// Their conversations were compacted: what was shown before, really or here, is out of sight.
    compacted: HashSet<SessionId>,
    marks: HashSet<String>,
}

impl Replays {
    pub(crate) fn answer(&self, intake: &Intake, request: &Request) -> Answer {
        let overlay = self.overlay(request.id);
        let end = request.body.iter().position(|byte| *byte == b'\n').unwrap_or(request.body.len());
        let (header, body) = request.body.split_at(end);
        let header: Value = serde_json::from_slice(header).unwrap_or_default();
        let said = replay(intake, &overlay, &header, body.get(1..).unwrap_or_default());
        Answer::kept(Reply { stdout: said.to_string().into_bytes(), ..Reply::silent() })
    }

    fn overlay(&self, of: EventId) -> Arc<Overlay> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, overlay)) = all.iter().find(|(id, _)| *id == of) {
            return Arc::clone(overlay);
        }
        if all.len() >= MAX_REPLAYS {
            all.pop_front();
        }
        let overlay: Arc<Overlay> = Arc::default();
        all.push_back((of, Arc::clone(&overlay)));
        overlay
    }
}

impl Overlay {
    fn changed(&self) -> MutexGuard<'_, Changed> {
        let mut changed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if changed.shown.len() + changed.compacted.len() + changed.marks.len() > MAX_REMEMBERED {
            *changed = Changed { private: std::mem::take(&mut changed.private), ..Changed::default() };
        }
        if changed.private.len() > MAX_REMEMBERED {
            changed.private.clear();
        }
        changed
    }

    /// As the intake decides it, without its markers.
    fn is_private(&self, event: &Event, private_prompt: bool) -> bool {
        let mut changed = self.changed();
        match (&event.kind, &event.detail) {
            (EventKind::UserPromptSubmit, Detail::Prompt { author: Author::Person, .. }) => {
                if private_prompt {
                    changed.private.insert(event.session.clone());
                } else {
                    changed.private.remove(&event.session);
                }
                private_prompt
            }
            (EventKind::SessionEnd, _) => {
                changed.private.remove(&event.session);
                false
            }
            _ => private::covers(&event.name) && changed.private.contains(&event.session),
        }
    }

    fn compact(&self, session: &SessionId) {
        let mut changed = self.changed();
        changed.shown.retain(|(of, _, _)| of != session);
        changed.compacted.insert(session.clone());
    }

    /// Whether all of these are new; from now on they are not.
    fn mark(&self, marks: &[String]) -> bool {
        let mut changed = self.changed();
        let known = !marks.is_empty() && marks.iter().all(|mark| changed.marks.contains(mark));
        changed.marks.extend(marks.iter().cloned());
        !known
    }
}

fn replay(intake: &Intake, overlay: &Arc<Overlay>, header: &Value, body: &[u8]) -> Value {
    let Some(lender) = intake.lender() else { return json!({ "error": "the daemon is still starting" }) };
    let began = Instant::now();
    let redacted = intake.redactor().envelope(body);
    let redacting = began.elapsed();
    let text = |key: &str| header[key].as_str().map(str::to_owned);
    let context = header["context"].as_object().into_iter().flatten();
    let known = |name: &str| wire::CONTEXT_KEYS.contains(&name);
    let envelope = Envelope {
        id: client::mint(),
        at: now(),
        agent: text("agent").unwrap_or_else(|| agents::ALL[0].name().to_owned()),
        hint: text("hint"),
        context: context
            .filter_map(|(key, value)| Some((key.clone(), value.as_str().filter(|_| known(key))?.to_owned())))
            .collect(),
        // Clean already, so that the daemon's own counters do not see it.
        body: redacted.json.clone(),
    };
    let nonce = nonce(envelope.id.as_bytes());
    let reading = Instant::now();
    let seen = intake.see_only(envelope);
    let reading = reading.elapsed();
    let is_private = overlay.is_private(&seen.event, redacted.private_prompt);
    if matches!(seen.event.detail, Detail::Start { source: StartSource::Compact, .. }) {
        overlay.compact(&seen.event.session);
    }
    let around = Arc::new(Rehearsal {
        real: Preview::new(lender),
        overlay: Arc::clone(overlay),
        ruled: Mutex::default(),
    });
    let cx = engine::Context {
        config: Arc::clone(&seen.config),
        now: seen.entry.at,
        until: Instant::now() + PATIENCE,
        workspace: seen.workspace.clone(),
        around: Arc::clone(&around) as Arc<dyn Surroundings>,
    };
    // Nobody speaks in a private turn.
    let mut parts =
        if is_private { Vec::new() } else { ask_each(&cx, &seen.event, header["behavior"].as_str()) };
    let repeated: Vec<bool> = parts
        .iter_mut()
        .map(|part| {
            let repeated = !overlay.mark(&part.advice.marks);
            if repeated {
                part.advice = Advice::silent();
            }
            repeated
        })
        .collect();
    let allowed = allowed(&seen, body.len());
    let behaviors: Vec<Value> =
        parts.iter().zip(&repeated).map(|(part, repeated)| behavior(part, *repeated, allowed)).collect();
    let merging = Instant::now();
    let mut advice = merge(parts.into_iter().map(|part| part.advice));
    let redactor = intake.redactor();
    for note in &mut advice.notes {
        deeds::clean(&redactor, &mut note.text);
        note.text = fence(note.from, nonce, &note.text);
    }
    let reply = seen.adapter.write(&seen.event, &advice);
    let merging = merging.elapsed();
    let leave = if is_private { Some(PRIVATE) } else { seen.leave };
    json!({
        "event": seen.event.name,
        "known": seen.event.kind != EventKind::Other,
        "tool": seen.entry.tool,
        "agent": seen.entry.agent,
        "session": seen.event.session.as_str(),
        "project": seen.workspace.as_ref().map(|at| &at.project),
        "readable": redacted.parsed,
        "paused": pause::is_paused(&intake.place),
        "redactions": redactions(&redacted),
        "kept": leave.is_none(),
        "left": leave,
        "behaviors": behaviors,
        "rules": around.ruled().iter().map(ruled).collect::<Vec<_>>(),
        "reply": { "stdout": String::from_utf8_lossy(&reply.stdout), "exit": reply.exit },
        "allowed_micros": micros(allowed),
        "micros": {
            "redact": micros(redacting),
            "read": micros(reading),
            "write": micros(merging),
            "all": micros(began.elapsed()),
        },
    })
}

/// What a hook leaves behaviors on this event.
fn allowed(seen: &Seen, len: usize) -> Duration {
    let patience = wire::patience_ms(seen.event.kind.name().as_bytes(), len);
    let delivery = patience.saturating_sub(wire::reserve_ms(patience));
    Duration::from_millis(delivery.into()).saturating_sub(REPLY_MARGIN)
}

fn behavior(part: &Part, repeated: bool, allowed: Duration) -> Value {
    let advice = &part.advice;
    let said: Vec<&str> = advice.notes.iter().map(|note| note.text.as_str()).collect();
    let tokens: u32 = said.iter().map(|text| estimate_tokens(text)).sum();
    let (verdict, reason) = match &advice.verdict {
        Some(Verdict::Allow { reason }) => (Some("allow"), Some(reason)),
        Some(Verdict::Ask { reason }) => (Some("ask"), Some(reason)),
        Some(Verdict::Deny { reason }) => (Some("deny"), Some(reason)),
        None => (None, None),
    };
    json!({
        "name": part.name,
        "speaks": part.speaks,
        "silent": advice.notes.is_empty()
            && advice.tells.is_empty()
            && advice.verdict.is_none()
            && advice.hold.is_none()
            && advice.instructions.is_none(),
        "repeated": repeated,
        "tokens": tokens,
        "says": said,
        "tells": advice.tells,
        "verdict": verdict,
        "reason": reason,
        "hold": advice.hold,
        "instructions": advice.instructions,
        "trouble": part.trouble,
        "micros": micros(part.took),
        "late": part.took > allowed,
    })
}

fn ruled(ruled: &Ruled) -> Value {
    let (outcome, what) = match &ruled.outcome {
        Outcome::Silent => ("silent", None),
        Outcome::Said(said) => {
            let parts: Vec<&str> = said.parts().iter().map(|(name, _)| *name).collect();
            ("said", Some(parts.join(", ")))
        }
        Outcome::Trouble(what) => ("trouble", Some(what.clone())),
        Outcome::NotRun(why) => ("not run", Some(why.clone())),
    };
    json!({ "rule": ruled.rule, "outcome": outcome, "what": what, "micros": micros(ruled.took) })
}

/// How many of each kind.
fn redactions(redacted: &RedactedEnvelope) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for finding in &redacted.findings {
        *counts.entry(finding.kind.as_ref()).or_default() += 1;
    }
    counts
}

fn micros(time: Duration) -> u64 {
    time.as_micros() as u64
}

/// The real surroundings; what is noted is noted in the overlay.
struct Rehearsal {
    real: Preview,
    overlay: Arc<Overlay>,
    ruled: Mutex<Vec<Ruled>>,
}

impl Rehearsal {
    fn ruled(&self) -> MutexGuard<'_, Vec<Ruled>> {
        self.ruled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Surroundings for Rehearsal {
    fn read(&self, with: &mut dyn FnMut(&Tables) -> engine::Result<()>) -> engine::Result<()> {
        self.real.read(with)
    }

    fn find(&self, ask: &Ask, until: Instant) -> engine::Result<Vec<Hit>> {
        self.real.find(ask, until)
    }

    fn tail(&self, event: &Event, bytes: u64) -> Option<Tail> {
        self.real.tail(event, bytes)
    }

    fn claim(&self, session: &SessionId, subagent: Option<&str>, memory: MemoryId) -> bool {
        let is_compacted = self.overlay.changed().compacted.contains(session);
        if !is_compacted && !self.real.claim(session, subagent, memory) {
            return false;
        }
        self.overlay.changed().shown.insert((session.clone(), subagent.map(str::to_owned), memory))
    }

    fn is_alive(&self, pid: u32) -> bool {
        self.real.is_alive(pid)
    }

    fn is_running(&self, pid: u32, began: Option<&str>) -> bool {
        self.real.is_running(pid, began)
    }

    fn data(&self) -> &Path {
        self.real.data()
    }

    fn faults(&self) -> Vec<Fault> {
        self.real.faults()
    }

    fn reading(&self) -> Option<engine::Reading> {
        self.real.reading()
    }

    fn loss(&self) -> Option<engine::Loss> {
        self.real.loss()
    }

    fn past_conversations(&self, transcript: &str) -> u64 {
        self.real.past_conversations(transcript)
    }

    fn rules(&self, config: &Config, event: &Event, until: Instant) -> Vec<Ruled> {
        let ruled = self.real.rules(config, event, until);
        self.ruled().clone_from(&ruled);
        ruled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_forgotten_when_it_is_too_much_and_a_private_turn_is_not() {
        let overlay = Overlay::default();
        overlay.changed().private.insert(SessionId::new("s"));
        let marks: Vec<String> = (0..=MAX_REMEMBERED).map(|at| at.to_string()).collect();
        assert!(overlay.mark(&marks));
        assert!(overlay.mark(&marks[..1]), "it was forgotten");
        assert!(overlay.changed().private.contains(&SessionId::new("s")));
    }
}
