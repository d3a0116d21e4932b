//! What stands behind the door: one line per path. The guard has let the request in, its body is read and bounded; a
//! handler never sees a stranger. What blocks is done on a thread that is lent for it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::{any, get};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use mcp::{Http, Keepers};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::problem;

/// Who has no token may walk these, and read there that somebody lives here.
pub(crate) const OPEN: &[&str] = &["/health"];

/// The daemon answers in a millisecond.
const STATUS: Duration = Duration::from_secs(2);

/// What routes are lent.
#[derive(Clone)]
pub(crate) struct Rooms {
    pub(crate) keepers: Arc<dyn Keepers>,
    pub(crate) protocol: Arc<Http>,
}

pub(crate) fn all(rooms: Rooms) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/api/v1/status", get(status))
        .route("/mcp", any(protocol))
        .fallback(|| async { problem::NOTHING_HERE.response() })
        .with_state(rooms)
}

async fn health(State(rooms): State<Rooms>) -> Response<Body> {
    said(&json!({ "ok": true, "version": rooms.keepers.version() }))
}

/// What `daemon status --json` prints.
async fn status(State(rooms): State<Rooms>) -> Response<Body> {
    let asked =
        spawn_blocking(move || rooms.keepers.keeper(None::<&Path>).ask(&json!({ "ask": "status" }), STATUS));
    match asked.await {
        Ok(Ok(status)) => said(&status),
        Ok(Err(_)) | Err(_) => problem::OUT_OF_ORDER.response(),
    }
}

async fn protocol(State(rooms): State<Rooms>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    // It was read before it came here, so this cannot wait or fail.
    let body = body.collect().await.map_or_else(|_| Bytes::new(), http_body_util::Collected::to_bytes);
    rooms.protocol.answer(Request::from_parts(parts, Full::new(body))).await.map(Body::new)
}

fn said(value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
