//! What hooks of theirs tell: turned into the events that our own hook of the same agent delivers. Both generations are
//! understood: the session's id in the body, under either name it has had, or a number in the path.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use model::{Millis, SessionId};
use serde_json::{Map, Value, json};

use super::called::{Called, Said, Trouble};
use super::numbers;
use super::speaker::{self, DELIVERED_BY, WORKER};
use crate::Taken;

/// Whose events they are: theirs are hooks of this agent, and its envelopes hold all that they tell.
const AGENT: &str = "claude-code";
/// Tools whose calls their hooks and their worker leave out, whatever `capture.skip-tools` says.
const SKIPPED_TOOLS: &[&str] =
    &["ListMcpResourcesTool", "SlashCommand", "Skill", "TodoWrite", "AskUserQuestion"];
/// Sessions that are remembered here between two requests; the tables know the others.
const MAX_SESSIONS: usize = 256;
/// What a prompt without words, a picture for instance, is called there.
const NO_WORDS: &str = "[media prompt]";

/// What was told here a moment ago and may not be in the tables yet.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<VecDeque<Known>>);

#[derive(Debug, Clone)]
struct Known {
    id: SessionId,
    cwd: Option<String>,
    /// The last prompt, for clients that send it once to begin a session and again to begin to work on it.
    prompt: Option<String>,
    prompts: u64,
    has_ended: bool,
}

impl Known {
    fn new(id: SessionId) -> Self {
        Self { id, cwd: None, prompt: None, prompts: 0, has_ended: false }
    }
}

impl Sessions {
    fn find(&self, is: impl Fn(&Known) -> bool) -> Option<Known> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|known| is(known)).cloned()
    }

    fn note(&self, known: Known) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.id != known.id);
        all.truncate(MAX_SESSIONS - 1);
        all.push_front(known);
    }
}

pub(super) fn init(called: &Called<'_>) -> Result<Said, Trouble> {
    let session = session(called)?;
    let prompt = called.text(&["prompt", "userPrompt"]);
    begin(called, &session, prompt)
}

fn begin(called: &Called<'_>, session: &SessionId, prompt: Option<&str>) -> Result<Said, Trouble> {
    let number = numbers::of_session(session.as_str());
    let known = know(called, session);
    let is_new = known.is_none();
    let mut known = known.unwrap_or_else(|| Known::new(session.clone()));
    known.cwd = folder(called, known.cwd);
    let skipped = |reason: &str, prompts: u64| {
        json!({ "sessionDbId": number, "promptNumber": prompts, "skipped": true, "reason": reason,
            "contextInjected": false, "status": "skipped" })
    };
    if speaker::is_heard_otherwise(&**called.house, session, now()) {
        let prompts = known.prompts;
        called.sessions.note(known);
        return Ok(Said::Json(skipped("heard by the hooks of throughline", prompts)));
    }
    // Some versions end a session with each of its turns.
    if is_new || known.has_ended {
        let source = if is_new { "startup" } else { "resume" };
        take(called, &known, "SessionStart", Map::from_iter([("source".to_owned(), json!(source))]))?;
        known.has_ended = false;
    }
    let words = prompt.filter(|prompt| !prompt.trim().is_empty() && *prompt != NO_WORDS);
    if let Some(prompt) = words {
        let said = Map::from_iter([("prompt".to_owned(), json!(prompt))]);
        if !take(called, &known, "UserPromptSubmit", said)? {
            let prompts = known.prompts;
            called.sessions.note(known);
            return Ok(Said::Json(skipped("private", prompts + 1)));
        }
        known.prompts += 1;
        known.prompt = Some(prompt.to_owned());
    }
    let prompts = known.prompts;
    called.sessions.note(known);
    Ok(Said::Json(json!({
        "sessionDbId": number, "promptNumber": prompts, "skipped": false, "contextInjected": !is_new,
        "status": "initialized", "port": called.port,
    })))
}

pub(super) fn observation(called: &Called<'_>) -> Result<Said, Trouble> {
    observe(called, &session(called)?)
}

fn observe(called: &Called<'_>, session: &SessionId) -> Result<Said, Trouble> {
    let tool = called.text(&["tool_name", "toolName"]).ok_or_else(|| Trouble::bad("Missing tool_name"))?;
    if SKIPPED_TOOLS.contains(&tool) {
        return Ok(skipped("tool_excluded"));
    }
    let mut known = known(called, session);
    known.cwd = folder(called, known.cwd);
    let mut said = Map::from_iter([
        ("tool_name".to_owned(), json!(tool)),
        ("tool_input".to_owned(), opened(&called.body["tool_input"])),
    ]);
    let response = ["tool_response", "tool_output"].iter().map(|name| &called.body[*name]);
    let response = response.into_iter().find(|response| !response.is_null()).unwrap_or(&Value::Null);
    said.insert("tool_response".to_owned(), opened(response));
    for (ours, theirs) in [
        ("tool_use_id", &["tool_use_id", "toolUseId"][..]),
        ("agent_id", &["agentId"]),
        ("agent_type", &["agentType"]),
    ] {
        if let Some(text) = called.text(theirs) {
            said.insert(ours.to_owned(), json!(text));
        }
    }
    tell(called, known, "PostToolUse", said)
}

pub(super) fn summarize(called: &Called<'_>) -> Result<Said, Trouble> {
    stop(called, &session(called)?)
}

fn stop(called: &Called<'_>, session: &SessionId) -> Result<Said, Trouble> {
    if called.text(&["agentId"]).is_some() {
        return Ok(skipped("subagent_context"));
    }
    let known = known(called, session);
    let mut said = Map::from_iter([("stop_hook_active".to_owned(), json!(false))]);
    if let Some(last) = called.text(&["last_assistant_message"]) {
        said.insert("last_assistant_message".to_owned(), json!(last));
    }
    tell(called, known, "Stop", said)
}

pub(super) fn complete(called: &Called<'_>) -> Result<Said, Trouble> {
    let session = session(called)?;
    let number = numbers::of_session(session.as_str());
    if end(called, &session)? {
        Ok(Said::Json(json!({ "status": "completed", "success": true, "sessionDbId": number })))
    } else {
        Ok(Said::Json(json!({ "status": "skipped", "success": true, "reason": "not_active" })))
    }
}

pub(super) fn session_end(called: &Called<'_>) -> Result<Said, Trouble> {
    let was_known = end(called, &session(called)?)?;
    Ok(Said::Json(json!({ "status": if was_known { "accepted" } else { "unknown_session" } })))
}

/// Ends a session that is known. False: it is not, or it has ended.
fn end(called: &Called<'_>, session: &SessionId) -> Result<bool, Trouble> {
    let known = know(called, session).filter(|known| !known.has_ended);
    let Some(mut known) = known else { return Ok(false) };
    known.has_ended = true;
    let reason = called.text(&["reason"]).unwrap_or("other");
    let said = Map::from_iter([("reason".to_owned(), json!(reason))]);
    tell(called, known, "SessionEnd", said)?;
    Ok(true)
}

pub(super) fn numbered_init(called: &Called<'_>) -> Result<Said, Trouble> {
    let session = numbered(called)?;
    let prompt = called.text(&["userPrompt", "prompt"]);
    let known = called.sessions.find(|known| known.id == session);
    // The same client began the session with the same words a moment ago.
    if let Some(known) = known.filter(|known| prompt.is_none() || known.prompt.as_deref() == prompt) {
        let number = called.id()?;
        return Ok(Said::Json(json!({
            "status": "initialized", "sessionDbId": number, "promptNumber": known.prompts, "port": called.port,
        })));
    }
    begin(called, &session, prompt)
}

pub(super) fn numbered_observation(called: &Called<'_>) -> Result<Said, Trouble> {
    observe(called, &numbered(called)?)
}

pub(super) fn numbered_summarize(called: &Called<'_>) -> Result<Said, Trouble> {
    stop(called, &numbered(called)?)
}

pub(super) fn numbered_complete(called: &Called<'_>) -> Result<Said, Trouble> {
    end(called, &numbered(called)?)?;
    Ok(Said::Json(json!({ "success": true, "status": "completed" })))
}

/// Theirs ends the session and forgets nothing, whatever the method is called.
pub(super) fn numbered_delete(called: &Called<'_>) -> Result<Said, Trouble> {
    end(called, &numbered(called)?)?;
    Ok(Said::Json(json!({ "status": "deleted" })))
}

pub(super) fn numbered_status(called: &Called<'_>) -> Result<Said, Trouble> {
    status_of(called, &numbered(called)?)
}

/// A hook waits for its summary until nothing is queued; here nothing ever is.
pub(super) fn status(called: &Called<'_>) -> Result<Said, Trouble> {
    let session = called.asked("contentSessionId").or_else(|| called.asked("claudeSessionId"));
    let session = session.ok_or_else(|| Trouble::bad("Missing contentSessionId query parameter"))?;
    status_of(called, &SessionId::new(session))
}

fn status_of(called: &Called<'_>, session: &SessionId) -> Result<Said, Trouble> {
    let card = called.tables(|tables| tables.session_card(session))?;
    let Some(card) = card.filter(|card| card.row.ended_at.is_none()) else {
        return Ok(Said::Json(json!({ "status": "not_found", "queueLength": 0 })));
    };
    Ok(Said::Json(json!({
        "status": "active",
        "sessionDbId": numbers::of_session(session.as_str()),
        "project": card.row.project,
        "queueLength": 0,
        "uptime": now().saturating_sub(card.row.started_at),
    })))
}

/// The session a body names, in either generation's words.
fn session(called: &Called<'_>) -> Result<SessionId, Trouble> {
    let names = ["contentSessionId", "claudeSessionId", "sessionId", "session_id"];
    called.text(&names).map(SessionId::new).ok_or_else(|| Trouble::bad("Missing contentSessionId"))
}

/// The session a path names: one that was begun here, or else one that only its client knows, by the number it has in
/// the client's own database.
fn numbered(called: &Called<'_>) -> Result<SessionId, Trouble> {
    let number = called.id()?;
    let is_it = |id: &str| numbers::of_session(id) == number;
    if let Some(known) = called.sessions.find(|known| is_it(known.id.as_str())) {
        return Ok(known.id);
    }
    let found = called.tables(|tables| tables.session_that(is_it))?;
    Ok(found.unwrap_or_else(|| numbers::foreign(number)))
}

/// Tables that cannot be read, because the daemon is starting, know nobody: nothing that is told may be lost for that.
fn know(called: &Called<'_>, session: &SessionId) -> Option<Known> {
    let known = called.sessions.find(|known| known.id == *session);
    known.or_else(|| {
        let card = called.tables(|tables| tables.session_card(session)).ok().flatten()?;
        Some(Known {
            id: session.clone(),
            cwd: card.row.cwd,
            prompt: None,
            prompts: card.row.prompts,
            has_ended: card.row.ended_at.is_some(),
        })
    })
}

/// What is known of a session, also where nothing is.
fn known(called: &Called<'_>, session: &SessionId) -> Known {
    know(called, session).unwrap_or_else(|| Known::new(session.clone()))
}

/// Where it happens: what is said, else what was said before, else the one folder of ours that bears the project's name.
fn folder(called: &Called<'_>, before: Option<String>) -> Option<String> {
    called.text(&["cwd"]).map(str::to_owned).or(before).or_else(|| {
        let mut roots = super::context::roots(called, called.text(&["project"])?).ok()?;
        if roots.len() == 1 { roots.pop() } else { None }
    })
}

/// Delivers an event and says as theirs does what became of it.
fn tell(called: &Called<'_>, known: Known, event: &str, said: Map<String, Value>) -> Result<Said, Trouble> {
    if speaker::is_heard_otherwise(&**called.house, &known.id, now()) {
        return Ok(skipped("heard by the hooks of throughline"));
    }
    let kept = take(called, &known, event, said)?;
    called.sessions.note(known);
    Ok(if kept { Said::Json(json!({ "status": "queued" })) } else { skipped("private") })
}

fn take(called: &Called<'_>, known: &Known, event: &str, said: Map<String, Value>) -> Result<bool, Trouble> {
    let mut envelope = said;
    envelope.insert("session_id".to_owned(), json!(known.id));
    envelope.insert("hook_event_name".to_owned(), json!(event));
    envelope.insert(DELIVERED_BY.to_owned(), json!(WORKER));
    if let Some(cwd) = &known.cwd {
        envelope.insert("cwd".to_owned(), json!(cwd));
    }
    match called.house.take(AGENT, event, Value::Object(envelope).to_string().into_bytes()) {
        Taken::Kept => Ok(true),
        Taken::Left => Ok(false),
        Taken::NotKept => Err(Trouble::out_of_order()),
    }
}

fn skipped(reason: &str) -> Said {
    Said::Json(json!({ "status": "skipped", "reason": reason }))
}

/// Older hooks send what a tool was given as a text that is JSON.
fn opened(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        other => other.clone(),
    }
}

fn now() -> Millis {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
