//! Their stream: our own, message by message in their names. One thread follows the journal for all who listen to either.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::extract::{Request, State};
use bytes::Bytes;
use futures_util::stream::unfold;
use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderValue, Response, Uri};
use http_body_util::BodyExt;
use model::MemoryKind;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::called::tables;
use super::{health, numbers, shapes};
use crate::House;
use crate::routes::Rooms;

/// A message that is alive.
const ALIVE: &[u8] = b": alive\n\n";

pub(super) async fn listen(State(rooms): State<Rooms>, request: Request) -> Response<Body> {
    let house = Arc::clone(&rooms.house);
    let (mut parts, body) = request.into_parts();
    // Theirs has no filter, and whoever comes back begins with what is new.
    parts.uri = Uri::from_static("/api/v1/stream");
    parts.headers.remove("last-event-id");
    let ours = crate::stream::listen(State(rooms), Request::from_parts(parts, body)).await;
    if !ours.status().is_success() {
        return ours;
    }
    let told = unfold((ours.into_body(), house), |(mut ours, house)| async move {
        loop {
            let bytes = ours.frame().await?.ok()?.into_data().unwrap_or_default();
            let lent = Arc::clone(&house);
            // Reading the tables blocks.
            let said = spawn_blocking(move || translated(&*lent, &bytes)).await.unwrap_or_default();
            if !said.is_empty() {
                return Some((Ok::<_, Infallible>(Bytes::from(said)), (ours, house)));
            }
        }
    });
    let mut response = Response::new(Body::from_stream(told));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// What one message of ours is in theirs, which have no name but a type.
fn translated(house: &dyn House, ours: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(ours);
    let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let (Some(topic), Some(data)) = (line("event:"), line("data:")) else { return ALIVE.to_vec() };
    let data: Value = serde_json::from_str(data).unwrap_or_default();
    let said = match topic {
        "hello" => hello(house),
        "event" => event(house, &data),
        "memory" => memory(house, &data),
        _ => Vec::new(),
    };
    let mut bytes = Vec::new();
    for mut message in said {
        message["timestamp"] = json!(now());
        bytes.extend_from_slice(format!("data: {message}\n\n").as_bytes());
    }
    bytes
}

fn hello(house: &dyn House) -> Vec<Value> {
    const MAX_PROJECTS: usize = 500;
    let names = tables(house, |tables| tables.project_names(MAX_PROJECTS)).unwrap_or_default();
    let mut first = health::catalog(&names);
    first["type"] = json!("initial_load");
    vec![json!({ "type": "connected" }), first, status(house)]
}

fn status(house: &dyn House) -> Value {
    let depth = health::queue(house);
    json!({ "type": "processing_status", "isProcessing": depth > 0, "queueDepth": depth })
}

fn event(house: &dyn House, data: &Value) -> Vec<Value> {
    let session = data["session"].as_str().unwrap_or_default();
    let number = numbers::of_session(session);
    match data["kind"].as_str().unwrap_or_default() {
        "SessionStart" => {
            vec![json!({ "type": "session_started", "sessionDbId": number, "project": data["project"] })]
        }
        "SessionEnd" => vec![json!({ "type": "session_completed", "sessionDbId": number }), status(house)],
        "PostToolUse" | "PostToolUseFailure" => {
            vec![json!({ "type": "observation_queued", "sessionDbId": number }), status(house)]
        }
        "UserPromptSubmit" => prompt(house, data).into_iter().collect(),
        "Stop" => vec![status(house)],
        _ => Vec::new(),
    }
}

/// A prompt is told before it is learned; the beginning of its words is in the message.
fn prompt(house: &dyn House, data: &Value) -> Option<Value> {
    let id: model::EventId = data["id"].as_str()?.parse().ok()?;
    let known = tables(house, |tables| tables.prompt(id)).ok().flatten();
    let prompt = match known {
        Some(row) => shapes::prompt(&row, data["project"].as_str()),
        None => json!({
            "id": numbers::of_prompt(id),
            "content_session_id": data["session"],
            "claude_session_id": data["session"],
            "project": data["project"].as_str().unwrap_or_default(),
            "prompt_number": null,
            "prompt_text": data["title"],
            "created_at_epoch": data["at"],
        }),
    };
    Some(json!({ "type": "new_prompt", "prompt": prompt }))
}

fn memory(house: &dyn House, data: &Value) -> Vec<Value> {
    let Some(id) = data["id"].as_str().and_then(|id| id.parse().ok()) else { return Vec::new() };
    let found = tables(house, |tables| {
        let Some(row) = tables.memories_by_id(&[id])?.pop() else { return Ok(None) };
        let said = tables.summary_of(id)?;
        Ok(Some((row, said)))
    });
    let Ok(Some((row, said))) = found else { return Vec::new() };
    match row.memory.kind {
        MemoryKind::Summary => {
            vec![json!({ "type": "new_summary", "summary": shapes::summary(&row, said.as_ref()) })]
        }
        // Prompts are told when they are asked, and pieces of conversations are no observations.
        MemoryKind::Prompt | MemoryKind::Chunk => Vec::new(),
        _ => vec![json!({ "type": "new_observation", "observation": shapes::observation(&row) })],
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
