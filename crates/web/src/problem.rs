//! What somebody is told who is not let in or asks for what is not there (RFC 9457): what happened, and what to do. It
//! never repeats what was sent.

use std::borrow::Cow;

use axum::body::Body;
use http::header::{ALLOW, CONNECTION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};
use mcp::Refusal;
use serde_json::json;

/// Bytes of a detail: a message may quote what was sent, and that may be a megabyte.
const MAX_DETAIL: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) title: &'static str,
    /// The next step.
    pub(crate) detail: Cow<'static, str>,
}

pub(crate) const MALFORMED: Problem = Problem {
    status: StatusCode::BAD_REQUEST,
    title: "this request says one thing twice, or nonsense",
    detail: Cow::Borrowed(
        "send one Host and at most one Authorization, Cookie, Origin, Content-Type and Content-Length",
    ),
};
pub(crate) const NO_TOKEN: Problem = Problem {
    status: StatusCode::UNAUTHORIZED,
    title: "the token is missing or wrong",
    detail: Cow::Borrowed(
        "send \"Authorization: Bearer TOKEN\"; `throughline mcp --http` says where the token is",
    ),
};
pub(crate) const NOT_BY_VIEWER: Problem = Problem {
    status: StatusCode::FORBIDDEN,
    title: "what changes something says that it comes from our page",
    detail: Cow::Borrowed("send the header \"X-Throughline: viewer\""),
};
pub(crate) const FULL: Problem = Problem {
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "too many listen already",
    detail: Cow::Borrowed("close a page that nobody reads, then try again"),
};
pub(crate) const FOREIGN_PAGE: Problem = Problem {
    status: StatusCode::FORBIDDEN,
    title: "this request comes from a page of somebody else",
    detail: Cow::Borrowed("call from a program, or from a page that this daemon serves"),
};
pub(crate) const NOTHING_HERE: Problem = Problem {
    status: StatusCode::NOT_FOUND,
    title: "nothing is here",
    detail: Cow::Borrowed("GET /api/v1/openapi.json says what there is"),
};
pub(crate) const NO_TEXT: Problem = Problem {
    status: StatusCode::BAD_REQUEST,
    title: "the path is no text",
    detail: Cow::Borrowed("escape what stands in it as UTF-8"),
};
pub(crate) const OTHER_VERSION: Problem = Problem {
    status: StatusCode::PRECONDITION_FAILED,
    title: "it is not what it was when you read it",
    detail: Cow::Borrowed("GET it again, then send the change with the ETag it has now"),
};
pub(crate) const NOT_JSON: Problem = Problem {
    status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
    title: "what changes something is sent as JSON",
    detail: Cow::Borrowed("send the header \"Content-Type: application/json\""),
};
pub(crate) const OTHER_METHOD: Problem = Problem {
    status: StatusCode::METHOD_NOT_ALLOWED,
    title: "this is not done here",
    detail: Cow::Borrowed("the header Allow says what is"),
};
pub(crate) const SLOW_BODY: Problem = Problem {
    status: StatusCode::REQUEST_TIMEOUT,
    title: "the body did not come in time",
    detail: Cow::Borrowed("send it at once"),
};
pub(crate) const TOO_LARGE: Problem = Problem {
    status: StatusCode::PAYLOAD_TOO_LARGE,
    title: "the body is too large",
    detail: Cow::Borrowed("send at most 1 MiB; `throughline import` takes in what is larger"),
};
pub(crate) const OTHER_HOST: Problem = Problem {
    status: StatusCode::MISDIRECTED_REQUEST,
    title: "this daemon does not go by that name",
    detail: Cow::Borrowed(
        "use 127.0.0.1, localhost or [::1] with the port that `throughline daemon status --json` says",
    ),
};
pub(crate) const NOT_YET: Problem = Problem {
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "it is kept, and not in the lists yet",
    detail: Cow::Borrowed("look again in a moment; `throughline daemon status` says how far the daemon is"),
};
pub(crate) const NO_MAP_YET: Problem = Problem {
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "the map of this workspace is being made",
    detail: Cow::Borrowed("look again in a moment; `throughline code index` shows how far it is"),
};
pub(crate) const OUT_OF_ORDER: Problem = Problem {
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "the daemon does not answer",
    detail: Cow::Borrowed("run `throughline doctor`, then try again"),
};

impl Problem {
    /// Somebody who may come in has asked what cannot be answered. Only they are told what in it is wrong.
    pub(crate) fn refused(title: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, title, detail: bounded(detail.into()) }
    }

    /// It cannot be done to what is there, or what is meant is not clear.
    pub(crate) fn conflict(title: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { status: StatusCode::CONFLICT, title, detail: bounded(detail.into()) }
    }

    /// What a command would say to a person.
    pub(crate) fn refusal(title: &'static str, refusal: &Refusal) -> Self {
        let Refusal { what, next } = refusal;
        Self::refused(title, if next.is_empty() { what.clone() } else { format!("{what}; {next}") })
    }

    /// What is asked for is not there, or no longer.
    pub(crate) fn not_found(title: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { status: StatusCode::NOT_FOUND, title, detail: bounded(detail.into()) }
    }

    pub(crate) fn response(self) -> Response<Body> {
        let said = json!({ "type": "about:blank", "title": self.title, "status": self.status.as_u16(), "detail": self.detail });
        let mut response = Response::new(Body::from(said.to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"throughline\""));
        }
        if self.status == StatusCode::PAYLOAD_TOO_LARGE || self.status == StatusCode::REQUEST_TIMEOUT {
            // What is left of the body is not read.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// The same, in the place of an answer of the router, which knows what is allowed.
    pub(crate) fn instead_of(self, answer: &Response<Body>) -> Response<Body> {
        let mut response = self.response();
        if let Some(allowed) = answer.headers().get(ALLOW) {
            response.headers_mut().insert(ALLOW, allowed.clone());
        }
        response
    }
}

fn bounded(detail: Cow<'static, str>) -> Cow<'static, str> {
    if detail.len() <= MAX_DETAIL {
        return detail;
    }
    format!("{}…", &detail[..detail.floor_char_boundary(MAX_DETAIL)]).into()
}
