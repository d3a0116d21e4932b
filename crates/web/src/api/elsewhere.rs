//! What is served beside the list of endpoints, because it is no JSON or needs no room: described here, so that the
//! document speaks of it.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::endpoint::{Endpoint, Nothing, described};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let document = described::<Nothing, Nothing, Nothing, Map<String, Value>>;
    let figures = described::<Nothing, Nothing, Nothing, ()>;
    let stream = described::<Nothing, Listening, Nothing, Heard>;
    let link = described::<Nothing, Nothing, Nothing, Link>;
    vec![
        document(Method::GET, "/api/v1/openapi.json", "This document").has_no_version(),
        figures(Method::GET, "/metrics", "Figures for Prometheus").speaks("text/plain"),
        stream(
            Method::GET,
            "/api/v1/stream",
            "Events, memories, sessions, injections and verdicts as they come",
        )
        .speaks("text/event-stream"),
        link(Method::POST, "/api/v1/links", "A link that opens the page once, within a minute")
            .has_no_version(),
    ]
}

/// What a listener wants to hear.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "its shape is described; the stream reads it")]
struct Listening {
    /// Of this session alone.
    session: Option<String>,
    /// Of these kinds alone: `event`, `memory`, `session`, `injection`, `verdict`, `change`; with commas between.
    kinds: Option<String>,
    /// Where to go on: the id of the last thing heard. The header `Last-Event-ID` says the same.
    last: Option<String>,
}

/// One thing of the stream, as its lines say it.
#[derive(Debug, Serialize, JsonSchema)]
struct Heard {
    /// `hello`, `event`, `memory`, `session`, `injection`, `verdict`, `change` or `reset`.
    event: String,
    /// JSON, of the shape that lists have.
    data: String,
    /// Where to go on.
    id: Option<String>,
    /// How long to wait before coming back, in milliseconds.
    retry: Option<u64>,
}

/// A way into the page.
#[derive(Debug, Serialize, JsonSchema)]
struct Link {
    url: String,
    /// How long it opens.
    seconds: u64,
}
