//! Who may come in. Every request is looked at here before any route sees it; a route cannot be reached another way.
//! Localhost is no wall: a page in the person's browser can call us, under our own name or under one that an
//! attacker's name server points at us. Therefore the name, the page and the key are looked at, in this order. There
//! are two keys: the token, for programs; and for the page that we serve the cookie together with what only the page has.

use std::sync::Arc;

use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, HeaderName, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, Method, Uri};

use crate::cookie::{Cookies, Visit};
use crate::pages;
use crate::problem::{self, Problem};
use crate::routes::{KEY, LINKS, OPEN, PROTOCOL};
use crate::token::Token;
use crate::worker;

/// The names we go by. Exact: a name that merely leads here is how a page of somebody else comes in.
const NAMES: &[&str] = &["127.0.0.1", "localhost", "[::1]"];
/// What a browser says of the page that calls.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The page is ours, or it is no page but the person.
const OWN_SITES: &[&str] = &["same-origin", "none"];
/// What a cookie alone cannot do: hand out further keys, and speak the protocol of agents.
pub(crate) const BY_TOKEN_ALONE: &[&str] = &[LINKS, PROTOCOL];
/// Said by our page with everything that changes something. No form and no link can say it, and a script of another
/// page would have to ask first.
const SAID_BY: HeaderName = HeaderName::from_static("x-throughline");
const VIEWER: &str = "viewer";
/// The half of the key that is in the page and in no file of cookies.
const PAGE_KEY: HeaderName = HeaderName::from_static("x-throughline-page");
/// What a browser says of a request that a script of the page makes; a page, a frame or an image says another.
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const BY_SCRIPT: &[&str] = &["cors", "same-origin"];
/// A memory has at most 64 KiB, which escaped to the utmost are 384.
const MAX_BODY: usize = 1 << 20;

/// How large a body may be where this path leads.
pub(crate) fn max_body(path: &str) -> usize {
    worker::max_body(path).unwrap_or(MAX_BODY)
}

#[derive(Debug)]
pub(crate) struct Guard {
    token: Token,
    cookies: Arc<Cookies>,
    port: u16,
    /// Whether programs without a token may walk the paths of the worker API; the name and the page are looked at all
    /// the same.
    worker_is_open: bool,
}

impl Guard {
    pub(crate) fn new(token: Token, cookies: Arc<Cookies>, port: u16) -> Self {
        Self { token, cookies, port, worker_is_open: false }
    }

    pub(crate) fn with_open_worker(self, worker_is_open: bool) -> Self {
        Self { worker_is_open, ..self }
    }

    /// Whoever comes as a page is known by its visit.
    pub(crate) fn admit(&self, request: &Parts) -> Result<Option<Visit>, Problem> {
        let (headers, uri) = (&request.headers, &request.uri);
        let host = only(headers, &HOST)?.ok_or(problem::OTHER_HOST)?;
        // An address that is written out in full counts as well; programs that pass requests on believe either.
        if !self.is_our_name(host) || !authority(uri).is_none_or(|name| self.is_our_name(name)) {
            return Err(problem::OTHER_HOST);
        }
        let origin = only(headers, &ORIGIN)?;
        if !origin.is_none_or(|origin| self.is_our_page(origin)) {
            return Err(problem::FOREIGN_PAGE);
        }
        let site = only(headers, &FETCH_SITE)?;
        if !site.is_none_or(|site| OWN_SITES.contains(&site)) {
            return Err(problem::FOREIGN_PAGE);
        }
        let visit = self.look_at_key(request)?;
        // What a page may send without asking first is told from the rest by it.
        only(headers, &CONTENT_TYPE)?;
        let length = only(headers, &CONTENT_LENGTH)?.map(str::parse::<u64>);
        match length {
            Some(Err(_)) => Err(problem::MALFORMED),
            Some(Ok(length)) if length > max_body(uri.path()) as u64 => Err(problem::TOO_LARGE),
            _ => Ok(visit),
        }
    }

    fn look_at_key(&self, request: &Parts) -> Result<Option<Visit>, Problem> {
        let (headers, path) = (&request.headers, request.uri.path());
        let only_reads = matches!(request.method, Method::GET | Method::HEAD);
        // Whoever has a link is known by its code, which is looked at where it is spent.
        let is_open = OPEN.contains(&path) || path.starts_with(pages::OPENING);
        let is_worker = self.worker_is_open && worker::may_do(&request.method, path);
        if (is_open && only_reads) || is_worker || self.knows_token(headers)? {
            return Ok(None);
        }
        if BY_TOKEN_ALONE.contains(&path) {
            return Err(problem::NO_TOKEN);
        }
        let visit =
            only(headers, &COOKIE)?.and_then(|said| self.cookies.find(said)).ok_or(problem::NO_TOKEN)?;
        // A cookie lies in a file that other programs can read. Alone it opens what anybody may see, and, once, the way
        // to the other half.
        if pages::is_file(path) && only_reads {
            return Ok(Some(visit));
        }
        let by_script = only(headers, &FETCH_MODE)?.is_none_or(|mode| BY_SCRIPT.contains(&mode));
        let has_key =
            path == KEY || only(headers, &PAGE_KEY)?.is_some_and(|key| self.cookies.is_key(&visit, key));
        if !by_script || !has_key {
            return Err(problem::NO_TOKEN);
        }
        if !only_reads && only(headers, &SAID_BY)? != Some(VIEWER) {
            return Err(problem::NOT_BY_VIEWER);
        }
        Ok(Some(visit))
    }

    fn is_our_name(&self, authority: &str) -> bool {
        let Some((name, port)) = authority.rsplit_once(':') else { return false };
        NAMES.iter().any(|ours| name.eq_ignore_ascii_case(ours)) && port == self.port.to_string()
    }

    fn is_our_page(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|authority| self.is_our_name(authority))
    }

    /// In the header alone: what stands in an address is kept in histories and logs.
    fn knows_token(&self, headers: &HeaderMap) -> Result<bool, Problem> {
        let Some((scheme, said)) = only(headers, &AUTHORIZATION)?.and_then(|said| said.split_once(' '))
        else {
            return Ok(false);
        };
        Ok(scheme.eq_ignore_ascii_case("bearer") && self.token.is(said.trim().as_bytes()))
    }
}

fn authority(uri: &Uri) -> Option<&str> {
    uri.authority().map(http::uri::Authority::as_str)
}

/// The value of a header that may be there once: of two, each reader believes another.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| problem::MALFORMED),
        (Some(_), Some(_)) => Err(problem::MALFORMED),
    }
}
