//! An event as a rule's program reads it: the fields and names of Claude Code's own envelopes, whichever agent it came
//! from, redacted, and bounded.

use model::{Detail, Event, Outcome};
use serde_json::{Map, Value, json};

/// A program has tens of milliseconds: longer texts are cut, the first ones last.
const MAX_TEXT: usize = 1 << 20;
/// Where a text was cut.
const CUT: &str = "…";

pub fn envelope(event: &Event) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        if !value.is_null() {
            out.insert(key.to_owned(), value);
        }
    };
    put("hook_event_name", json!(event.kind.name()));
    put("agent", json!(event.agent));
    put("session_id", json!(event.session.as_str()));
    put("cwd", json!(event.cwd));
    put("transcript_path", json!(event.transcript));
    put("prompt_id", json!(event.prompt_id));
    put("permission_mode", json!(event.permission_mode));
    if let Some(subagent) = &event.subagent {
        put("agent_id", json!(subagent.id));
        put("agent_type", json!(subagent.kind));
    }
    let mut room = MAX_TEXT;
    match &event.detail {
        Detail::Start { source, model } => {
            put("source", json!(source.name()));
            put("model", json!(model));
        }
        Detail::Prompt { text, .. } => put("prompt", text_within(text, &mut room)),
        Detail::Tool(call) => {
            put("tool_name", json!(call.name));
            put("tool_use_id", json!(call.use_id));
            put("tool_input", within(&call.input, &mut room));
            match &call.outcome {
                Outcome::Succeeded { response, duration_ms } => {
                    put("tool_response", within(response, &mut room));
                    put("duration_ms", json!(duration_ms));
                }
                Outcome::Failed { error, interrupted, duration_ms } => {
                    put("error", text_within(error, &mut room));
                    put("is_interrupt", json!(interrupted));
                    put("duration_ms", json!(duration_ms));
                }
                Outcome::Denied { reason } => put("reason", text_within(reason, &mut room)),
                Outcome::Pending => {}
            }
        }
        Detail::Stop { again, last_message } => {
            put("stop_hook_active", json!(again));
            put(
                "last_assistant_message",
                last_message.as_ref().map_or(Value::Null, |text| text_within(text, &mut room)),
            );
        }
        Detail::Compaction { trigger, text } => {
            put("trigger", json!(trigger));
            put(
                "custom_instructions",
                text.as_ref().map_or(Value::Null, |text| text_within(text, &mut room)),
            );
        }
        // No rule hears these.
        Detail::Plain
        | Detail::Batch { .. }
        | Detail::StopFailure { .. }
        | Detail::Notification { .. }
        | Detail::End { .. }
        | Detail::Path { .. } => {}
    }
    Value::Object(out)
}

fn within(value: &Value, room: &mut usize) -> Value {
    match value {
        Value::String(text) => text_within(text, room),
        Value::Array(all) => all.iter().map_while(|one| spend(room, 1).then(|| within(one, room))).collect(),
        Value::Object(all) => {
            // The long ones last: a file's contents must not push out its name.
            let mut members: Vec<_> = all.iter().collect();
            members.sort_by_key(|(_, one)| length(one));
            let kept = members
                .into_iter()
                .map_while(|(key, one)| spend(room, key.len()).then(|| (key.clone(), within(one, room))));
            Value::Object(kept.collect())
        }
        plain => plain.clone(),
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(_) | Value::Object(_) => usize::MAX,
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// `false`: nothing more fits.
fn spend(room: &mut usize, bytes: usize) -> bool {
    let fits = *room > bytes;
    *room = room.saturating_sub(bytes);
    fits
}

fn text_within(text: &str, room: &mut usize) -> Value {
    if text.len() <= *room {
        *room -= text.len();
        return json!(text);
    }
    let end = text.floor_char_boundary(*room);
    *room = 0;
    json!(format!("{}{CUT}", &text[..end]))
}
