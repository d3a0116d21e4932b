//! The viewer's own files, as they are built into the executable, and the page of somebody who has not opened a link.
//! None of them holds a word of what is remembered: that is fetched by the page, through the same guard.

use std::sync::LazyLock;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::routing::get;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, LOCATION,
    SET_COOKIE, WWW_AUTHENTICATE,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;

use crate::routes::Rooms;
use crate::token::hex;
use crate::visitor::Visitor;

/// Where a link leads, with its code behind it.
pub(crate) const OPENING: &str = "/open/";
pub(crate) const FRONT: &str = "/";

struct File {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

/// What stands under no name here is not served.
const FILES: &[File] = &[
    File { path: FRONT, kind: HTML, bytes: include_bytes!("../assets/index.html") },
    File {
        path: "/assets/app.js",
        kind: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../assets/app.js"),
    },
    File {
        path: "/assets/app.css",
        kind: "text/css; charset=utf-8",
        bytes: include_bytes!("../assets/app.css"),
    },
    File { path: "/assets/icon.svg", kind: "image/svg+xml", bytes: include_bytes!("../assets/icon.svg") },
];

const HTML: &str = "text/html; charset=utf-8";

/// The page may run, show and fetch what comes from here, and nothing that stands in the page itself. No plug-in, no
/// frame around it, no form that leads elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// A page that opened ours, or that ours opened, cannot reach into it.
const OPENER: (HeaderName, &str) = (HeaderName::from_static("cross-origin-opener-policy"), "same-origin");

/// Kept by the browser, and asked for anew each time: another release has another page.
const KEPT: &str = "private, no-cache";

/// What a browser says of a page that it fetches before anybody wants to see it.
const AHEAD: [HeaderName; 3] = [
    HeaderName::from_static("sec-purpose"),
    HeaderName::from_static("purpose"),
    HeaderName::from_static("x-moz"),
];

const NOT_OPENED: &str = include_str!("pages/not_opened.html");
const TOO_LATE: &str = include_str!("pages/too_late.html");

/// What the cookie alone opens: none of it holds a word of what is remembered.
pub(crate) fn is_file(path: &str) -> bool {
    FILES.iter().any(|file| file.path == path)
}

/// Marks an answer that says itself what a browser may do with it and how long it is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnPolicy;

pub(crate) fn routes(router: Router<Rooms>) -> Router<Rooms> {
    let router = FILES.iter().zip(TAGS.iter()).fold(router, |router, (file, tag)| {
        router.route(file.path, get(move |headers: HeaderMap| async move { file.answer(tag, &headers) }))
    });
    router.route("/open/{code}", get(open))
}

/// The front door of somebody we do not know.
pub(crate) fn not_opened() -> Response<Body> {
    let mut response = page(StatusCode::UNAUTHORIZED, NOT_OPENED);
    let realm = HeaderValue::from_static("Bearer realm=\"throughline\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, realm);
    response
}

/// Spends the link: all that a GET ever changes here. One that only looks ahead, or asks for the headers, does not; nor
/// does another user of the machine.
async fn open(State(rooms): State<Rooms>, Path(code): Path<String>, request: Request) -> Response<Body> {
    let is_ahead = AHEAD.iter().any(|name| request.headers().contains_key(name));
    let visitor = request.extensions().get::<Visitor>().copied();
    let port = rooms.port;
    let is_somebody_else =
        spawn_blocking(move || visitor.is_some_and(|visitor| visitor.is_somebody_else(port)));
    let may_spend =
        request.method() == Method::GET && !is_ahead && matches!(is_somebody_else.await, Ok(false));
    if !may_spend || !rooms.links.spend(&code, Instant::now()) {
        return page(StatusCode::GONE, TOO_LATE);
    }
    let Ok(visit) = rooms.cookies.begin() else { return page(StatusCode::GONE, TOO_LATE) };
    let mut response = page(StatusCode::SEE_OTHER, "");
    let headers = response.headers_mut();
    headers.insert(LOCATION, HeaderValue::from_static(FRONT));
    headers.insert(SET_COOKIE, rooms.cookies.to_set(&visit));
    response
}

static TAGS: LazyLock<Vec<HeaderValue>> = LazyLock::new(|| FILES.iter().map(File::tag).collect());

impl File {
    fn tag(&self) -> HeaderValue {
        let hash = hex(&Sha256::digest(self.bytes)[..16]);
        HeaderValue::try_from(format!("\"{hash}\"")).expect("digits are a header")
    }

    fn answer(&self, tag: &HeaderValue, headers: &HeaderMap) -> Response<Body> {
        let known = headers.get(IF_NONE_MATCH).and_then(|known| known.to_str().ok()).unwrap_or_default();
        let is_known =
            known.split(',').any(|known| known.trim().trim_start_matches("W/").as_bytes() == tag.as_bytes());
        let mut response = Response::new(if is_known { Body::empty() } else { Body::from(self.bytes) });
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        } else {
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
        }
        response.headers_mut().insert(ETAG, tag.clone());
        with_policy(response, KEPT)
    }
}

fn page(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    with_policy(response, "no-store")
}

fn with_policy(mut response: Response<Body>, kept: &'static str) -> Response<Body> {
    let (opener, same) = OPENER;
    for (name, value) in [(CONTENT_SECURITY_POLICY, POLICY), (opener, same), (CACHE_CONTROL, kept)] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.extensions_mut().insert(OwnPolicy);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_page_has_a_script_a_style_or_a_resource_of_elsewhere_in_it() {
        let pages = [NOT_OPENED, TOO_LATE, include_str!("../assets/index.html")];
        for page in pages {
            for forbidden in ["style=", "<style", "onload", "onerror", "javascript:", "http:", "https:"] {
                assert!(!page.contains(forbidden), "{forbidden} in {page}");
            }
            for script in page.split("<script").skip(1) {
                assert!(
                    script.split('>').next().is_some_and(|tag| tag.contains("src=\"/assets/")),
                    "{script}"
                );
            }
        }
        assert!(NOT_OPENED.contains("throughline view") && TOO_LATE.contains("throughline view"));
    }
}
