//! What stands behind the door: one line per path. The guard has let the request in, its body is read and bounded; a
//! handler never sees a stranger. What blocks is done on a thread that is lent for it.

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::{any, get, post};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response};
use http_body_util::{BodyExt, Full};
use mcp::Http;
use serde_json::{Value, json};

use crate::cookie::{Cookies, Visit};
use crate::links::{self, Links};
use crate::stream::{self, Hub};
use crate::{House, api, metrics, pages, problem, worker};

/// Who has no token may walk these, and read there that somebody lives here.
pub(crate) const OPEN: &[&str] = &["/health"];
pub(crate) const LINKS: &str = "/api/v1/links";
/// Where a page that was opened fetches its key.
pub(crate) const KEY: &str = "/api/v1/page-key";
pub(crate) const PROTOCOL: &str = "/mcp";

/// What routes are lent.
#[derive(Clone)]
pub(crate) struct Rooms {
    pub(crate) house: Arc<dyn House>,
    /// The OpenAPI document, as it is sent.
    pub(crate) document: Bytes,
    pub(crate) protocol: Arc<Http>,
    pub(crate) cookies: Arc<Cookies>,
    pub(crate) links: Arc<Links>,
    pub(crate) stream: Arc<Hub>,
    pub(crate) port: u16,
}

pub(crate) fn all(rooms: Rooms) -> Router {
    let router = Router::new()
        .route("/health", get(health))
        .route("/api/v1/openapi.json", get(document))
        .route(LINKS, post(link))
        .route(KEY, post(page_key))
        .route("/api/v1/stream", get(stream::listen))
        .route("/metrics", get(metrics::say))
        .route(PROTOCOL, any(protocol));
    worker::routes(api::routes(pages::routes(router), api::all())).fallback(nothing).with_state(rooms)
}

async fn nothing(request: Request) -> Response<Body> {
    if worker::is_theirs(request.uri().path()) {
        worker::refused(&problem::NOTHING_HERE)
    } else {
        problem::NOTHING_HERE.response()
    }
}

async fn health(State(rooms): State<Rooms>) -> Response<Body> {
    said(&json!({ "ok": true, "version": rooms.house.version() }))
}

async fn document(State(rooms): State<Rooms>) -> Response<Body> {
    json_of(rooms.document)
}

/// For `throughline view`, which gives it to a browser.
async fn link(State(rooms): State<Rooms>) -> Response<Body> {
    let Ok(code) = rooms.links.make(Instant::now()) else { return problem::OUT_OF_ORDER.response() };
    let url = format!("http://127.0.0.1:{}{}{code}", rooms.port, pages::OPENING);
    said(&json!({ "url": url, "seconds": links::LIFE.as_secs() }))
}

/// For the page that a link has just opened, which comes with its cookie alone. Said once: whoever comes second, with a
/// cookie that was copied, gets nothing.
async fn page_key(State(rooms): State<Rooms>, request: Request) -> Response<Body> {
    let visit = request.extensions().get::<Visit>();
    match visit.and_then(|visit| rooms.cookies.fetch_key(visit, Instant::now())) {
        Some(key) => said(&json!({ "key": key })),
        None => problem::NO_TOKEN.response(),
    }
}

async fn protocol(State(rooms): State<Rooms>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    // It was read before it came here, so this cannot wait or fail.
    let body = body.collect().await.map_or_else(|_| Bytes::new(), http_body_util::Collected::to_bytes);
    rooms.protocol.answer(Request::from_parts(parts, Full::new(body))).await.map(Body::new)
}

fn said(value: &Value) -> Response<Body> {
    json_of(value.to_string())
}

fn json_of(body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
