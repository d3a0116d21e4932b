//! The worker API of claude-mem on our port, so that hooks and tools that were written for it find what they look for:
//! its paths, its names, its shapes. What arrives is turned into the events our own hooks deliver, and everything after
//! that is the same: redaction, private turns, the journal. Nothing here is an API of ours, and nothing grows here.
//!
//! With the token all of it can be walked always. Whoever wrote for claude-mem knows no token, so `http.worker-api` may
//! let programs in without one, to these paths and to no other.

mod called;
mod context;
mod dates;
mod deliver;
mod health;
mod lists;
mod numbers;
mod search;
mod settings;
mod shapes;
mod speaker;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{RawPathParams, Request, State};
use axum::routing::{MethodFilter, get, on};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::json;
use tokio::task::spawn_blocking;

use self::called::{Called, Said, Trouble};
use self::deliver::Sessions;
use crate::House;
use crate::problem::Problem;
use crate::routes::Rooms;

/// The setting that lets programs without a token in.
const SETTING: &str = "http.worker-api";
/// What a tool gave may be megabytes, and theirs takes so many of them.
const MAX_OBSERVATION: usize = 5 << 20;

type Work = fn(&Called<'_>) -> Result<Said, Trouble>;

/// Every path of theirs that we know; what is not here is not there. Two paths that differ in what their last part is
/// called are one to the router, so those that take a number are all named `id`.
const PATHS: &[(Method, &str, Work)] = &[
    (Method::GET, "/api/health", health::health),
    (Method::GET, "/api/readiness", health::readiness),
    (Method::GET, "/api/version", health::version),
    (Method::GET, "/api/processing-status", health::processing),
    (Method::POST, "/api/processing", health::processing),
    (Method::GET, "/api/stats", health::stats),
    (Method::GET, "/api/projects", health::projects),
    (Method::POST, "/api/sessions/init", deliver::init),
    (Method::POST, "/api/sessions/observations", deliver::observation),
    (Method::POST, "/api/sessions/summarize", deliver::summarize),
    (Method::GET, "/api/sessions/status", deliver::status),
    (Method::POST, "/api/sessions/complete", deliver::complete),
    (Method::POST, "/api/sessions/session-end", deliver::session_end),
    (Method::POST, "/sessions/{id}/init", deliver::numbered_init),
    (Method::POST, "/sessions/{id}/observations", deliver::numbered_observation),
    (Method::POST, "/sessions/{id}/summarize", deliver::numbered_summarize),
    (Method::POST, "/sessions/{id}/complete", deliver::numbered_complete),
    (Method::GET, "/sessions/{id}/status", deliver::numbered_status),
    (Method::DELETE, "/sessions/{id}", deliver::numbered_delete),
    (Method::GET, "/api/context/inject", context::inject),
    (Method::GET, "/api/context/preview", context::inject),
    (Method::GET, "/api/context/recent", context::recent),
    (Method::GET, "/api/context/timeline", search::timeline),
    (Method::POST, "/api/context/semantic", context::semantic),
    (Method::GET, "/api/search", search::search),
    (Method::GET, "/api/search/observations", search::observations),
    (Method::GET, "/api/search/sessions", search::sessions),
    (Method::GET, "/api/search/prompts", search::prompts),
    (Method::GET, "/api/search/by-file", search::by_file),
    (Method::GET, "/api/search/by-type", search::by_type),
    (Method::GET, "/api/search/by-concept", search::by_concept),
    (Method::GET, "/api/timeline", search::timeline),
    (Method::GET, "/api/timeline/by-query", search::timeline),
    (Method::GET, "/api/observations", lists::observations),
    (Method::GET, "/api/observations/by-file", lists::by_file),
    (Method::POST, "/api/observations/batch", lists::batch),
    (Method::GET, "/api/summaries", lists::summaries),
    (Method::GET, "/api/prompts", lists::prompts),
    (Method::GET, "/api/observation/{id}", lists::observation),
    (Method::GET, "/api/session/{id}", lists::session),
    (Method::GET, "/api/prompt/{id}", lists::prompt),
    (Method::POST, "/api/memory/save", lists::save),
    (Method::GET, SETTINGS, settings::list),
    (Method::POST, SETTINGS, settings::change),
];
const SETTINGS: &str = "/api/settings";
const STREAM: &str = "/stream";

/// Whether a path is one of theirs, or could be. None of ours is.
pub(crate) fn is_theirs(path: &str) -> bool {
    let below_api = path.strip_prefix("/api/").is_some_and(|rest| rest != "v1" && !rest.starts_with("v1/"));
    below_api || path.starts_with("/sessions/") || path == STREAM
}

/// Whether somebody without a token may do this where these paths are open. What is kept is not theirs to decide: no hook
/// sets anything.
pub(crate) fn may_do(method: &Method, path: &str) -> bool {
    is_theirs(path) && (path != SETTINGS || matches!(*method, Method::GET | Method::HEAD))
}

/// How large a body may be where it may be larger than elsewhere.
pub(crate) fn max_body(path: &str) -> Option<usize> {
    let is_observation = (path.starts_with("/api/sessions/") || path.starts_with("/sessions/"))
        && path.ends_with("/observations");
    is_observation.then_some(MAX_OBSERVATION)
}

/// Whether programs without a token may walk these paths.
pub(crate) fn is_open(house: &dyn House) -> bool {
    house.settings().iter().any(|setting| setting["key"] == SETTING && setting["value"] == "open")
}

/// What we refuse, said as they say it.
pub(crate) fn refused(problem: &Problem) -> Response<Body> {
    let mut response = answer(Err(Trouble {
        status: problem.status,
        error: format!("{}; {}", problem.title, problem.detail),
    }));
    if problem.status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

pub(crate) fn routes(router: Router<Rooms>) -> Router<Rooms> {
    let sessions = Arc::new(Sessions::default());
    let router = PATHS.iter().fold(router, |router, (method, path, work)| {
        let sessions = Arc::clone(&sessions);
        let filter = MethodFilter::try_from(method.clone()).expect("methods of HTTP itself");
        let handler = move |State(rooms): State<Rooms>, path: RawPathParams, request: Request| async move {
            let id = path.iter().next().map(|(_, value)| value.to_owned());
            let (parts, body) = request.into_parts();
            // It was read before it came here, so this cannot wait or fail.
            let body =
                body.collect().await.map_or_else(|_| Bytes::new(), http_body_util::Collected::to_bytes);
            let answered = spawn_blocking(move || {
                answer(Called::read(&rooms, &sessions, id, &parts, &body).and_then(|called| work(&called)))
            });
            answered.await.unwrap_or_else(|_| answer(Err(Trouble::out_of_order())))
        };
        router.route(path, on(filter, handler))
    });
    router.route(STREAM, get(stream::listen))
}

fn answer(said: Result<Said, Trouble>) -> Response<Body> {
    let (status, kind, body) = match said {
        Ok(Said::Json(value)) => (StatusCode::OK, "application/json; charset=utf-8", value.to_string()),
        Ok(Said::Text(text)) => (StatusCode::OK, "text/plain; charset=utf-8", text),
        Err(trouble) => {
            (trouble.status, "application/json; charset=utf-8", json!({ "error": trouble.error }).to_string())
        }
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_of_ours_is_taken_for_one_of_theirs() {
        for ours in
            ["/", "/health", "/mcp", "/metrics", "/api/v1", "/api/v1/status", "/api/v1/stream", "/open/x"]
        {
            assert!(!is_theirs(ours), "{ours}");
        }
        for (_, theirs, _) in PATHS {
            assert!(is_theirs(theirs), "{theirs}");
        }
        assert!(is_theirs(STREAM) && is_theirs("/api/v10"));
    }

    #[test]
    fn nobody_sets_anything_without_a_key() {
        assert!(may_do(&Method::GET, SETTINGS) && may_do(&Method::POST, "/api/sessions/init"));
        assert!(!may_do(&Method::POST, SETTINGS) && !may_do(&Method::GET, "/api/v1/settings"));
    }

    #[test]
    fn only_what_tools_gave_may_be_large() {
        assert_eq!(max_body("/api/sessions/observations"), Some(MAX_OBSERVATION));
        assert_eq!(max_body("/sessions/7/observations"), Some(MAX_OBSERVATION));
        assert_eq!(max_body("/api/observations"), None);
        assert_eq!(max_body("/api/memory/save"), None);
    }
}
