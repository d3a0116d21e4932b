//! What happens, while it happens: server-sent events with resume. Whoever listens is told what is beyond the place they
//! have reached; nobody is waited for, and nothing is kept for anybody beyond a bound.

mod follower;
mod hub;
mod telling;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use bytes::Bytes;
use futures_util::stream;
use http::header::{CONNECTION, CONTENT_TYPE, HeaderName};
use http::{HeaderValue, Method, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::Receiver;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use self::follower::AT_ONCE;
pub(crate) use self::follower::Follower;
pub(crate) use self::hub::Hub;
use self::hub::{Cursor, Missed, News, Topic};
use self::telling::Projects;
use crate::House;
use crate::places::Place;
use crate::problem::{self, Problem};
use crate::routes::Rooms;

/// Entries, and memories, that are told again to somebody who comes back; who missed more reads everything anew, which
/// is a few pages.
const MAX_MISSED: u64 = 1000;
/// So often a stream says that it is alive: whoever is gone is noticed by it, and nobody in between hangs up.
const ALIVE: Duration = Duration::from_secs(15);
/// What a browser waits before it comes back.
const RETRY_MS: u32 = 1000;
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// What to tell.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wish {
    /// Only what concerns this session.
    session: Option<String>,
    /// Only these kinds of messages; repeated or separated by commas. Without: all of them.
    kinds: Vec<String>,
    /// The last id that was heard, for whoever cannot send the header.
    last: Option<String>,
}

/// Says how far things are to whoever begins to listen.
#[derive(Serialize)]
struct Hello<'a> {
    version: &'a str,
    head: u64,
    learned: u64,
}

pub(crate) async fn listen(State(rooms): State<Rooms>, request: Request) -> Response<Body> {
    match begin(rooms, request).await {
        Ok(response) => response,
        Err(problem) => problem.response(),
    }
}

async fn begin(rooms: Rooms, request: Request) -> Result<Response<Body>, Problem> {
    let wish: Wish = serde_html_form::from_str(request.uri().query().unwrap_or_default())
        .map_err(|error| Problem::refused("the query cannot be read", error.to_string()))?;
    let filter = Filter::read(&wish)?;
    if request.method() == Method::HEAD {
        return Ok(answer(Body::empty()));
    }
    // A browser that comes back says the header, and still the address it began with.
    let header = request.headers().get(&LAST_EVENT_ID).and_then(|last| last.to_str().ok());
    let last = header.map(str::to_owned).or(wish.last).filter(|last| !last.is_empty());
    let place = request.extensions().get::<Place>().and_then(Place::to_listen).ok_or(problem::FULL)?;
    let hub = Arc::clone(&rooms.stream);
    let listener = spawn_blocking(move || Listener::new(hub, filter, last.as_deref(), place)).await;
    let listener = listener.ok().flatten().ok_or(problem::OUT_OF_ORDER)?;
    let told = stream::unfold(listener, |mut listener| async move {
        let bytes = listener.next().await?;
        Some((Ok::<_, Infallible>(bytes), listener))
    });
    Ok(answer(Body::from_stream(told)))
}

fn answer(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    // Its place among those who ask is given back, so it asks nothing more.
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

#[derive(Debug)]
struct Filter {
    session: Option<String>,
    topics: Vec<Topic>,
}

impl Filter {
    fn read(wish: &Wish) -> Result<Self, Problem> {
        let names = wish.kinds.iter().flat_map(|kinds| kinds.split(',')).filter(|name| !name.is_empty());
        let topics: Option<Vec<Topic>> =
            names.map(|name| Topic::ALL.iter().copied().find(|topic| topic.name() == name)).collect();
        let known = || Topic::ALL.iter().map(|topic| topic.name()).collect::<Vec<_>>().join(", ");
        let topics = topics
            .ok_or_else(|| Problem::refused("the query cannot be read", format!("kinds are {}", known())))?;
        Ok(Self { session: wish.session.clone().filter(|session| !session.is_empty()), topics })
    }

    fn wants(&self, news: &News) -> bool {
        if news.topic == Topic::Reset {
            return true;
        }
        let is_topic = self.topics.is_empty() || self.topics.contains(&news.topic);
        let is_session =
            self.session.as_deref().is_none_or(|session| news.session.as_deref() == Some(session));
        is_topic && is_session
    }
}

struct Listener {
    hub: Arc<Hub>,
    filter: Filter,
    /// What is said before what is new.
    first: VecDeque<Bytes>,
    news: Receiver<News>,
    cursor: Cursor,
    _place: OwnedSemaphorePermit,
}

impl Listener {
    /// Reads what was missed. `None`: we close.
    fn new(hub: Arc<Hub>, filter: Filter, last: Option<&str>, place: OwnedSemaphorePermit) -> Option<Self> {
        let (news, cursor) = hub.join()?;
        let learned = hub.house.wait_learned(0, Duration::ZERO);
        let hello = Hello { version: hub.house.version(), head: cursor.seq, learned };
        let hello = serde_json::to_string(&hello).expect("texts and numbers are JSON");
        let missed = match last.map(Cursor::read) {
            None => Vec::new(),
            Some(last) => last
                .and_then(|last| missed(&*hub.house, last, cursor))
                .unwrap_or_else(|| vec![telling::reset(cursor)]),
        };
        let mut first = VecDeque::with_capacity(missed.len() + 1);
        // Without an id: who is cut off before what was missed has still missed it.
        let id = if missed.is_empty() { format!("id: {cursor}\n") } else { String::new() };
        first.push_back(Bytes::from(format!("retry: {RETRY_MS}\n{id}event: hello\ndata: {hello}\n\n")));
        first.extend(missed.into_iter().filter(|news| filter.wants(news)).map(|news| news.text));
        Some(Self { hub, filter, first, news, cursor, _place: place })
    }

    /// `None`: we close.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(bytes) = self.first.pop_front() {
            if self.first.is_empty() {
                self.first.shrink_to_fit();
            }
            return Some(bytes);
        }
        loop {
            match timeout(ALIVE, self.news.recv()).await {
                // The id moves also where all that happened is not wanted here.
                Err(_) => return Some(Bytes::from(format!(": alive\nid: {}\n\n", self.cursor))),
                Ok(Ok(news)) => {
                    self.cursor = news.cursor;
                    if self.filter.wants(&news) {
                        return Some(news.text);
                    }
                }
                Ok(Err(Missed::Lagged(_))) => {
                    (self.news, self.cursor) = self.hub.rejoin()?;
                    return Some(telling::reset(self.cursor).text);
                }
                Ok(Err(Missed::Closed)) => return None,
            }
        }
    }
}

/// What leads from the last that somebody heard to now. `None`: it is too much, or was never said here.
fn missed(house: &dyn House, last: Cursor, now: Cursor) -> Option<Vec<News>> {
    let within = |last: u64, now: u64| now.checked_sub(last).is_some_and(|missed| missed <= MAX_MISSED);
    if !within(last.seq, now.seq) || !within(last.n, now.n) {
        return None;
    }
    let (mut news, mut told, mut projects) = (Vec::new(), last, Projects::default());
    while told.seq < now.seq {
        let entries = house.entries(told.seq + 1, AT_ONCE);
        let Some(end) = entries.last().map(|stored| stored.seq) else { break };
        for stored in entries.iter().filter(|stored| stored.seq <= now.seq) {
            let before = Cursor { seq: stored.seq - 1, ..told };
            news.extend(telling::entry(house, &mut projects, stored, before));
        }
        told.seq = end;
    }
    told.seq = now.seq;
    house
        .read(&mut |tables| {
            let rows = tables.memories_beyond(last.n, (now.n - last.n) as usize)?;
            for row in rows.into_iter().filter(|row| row.n <= now.n) {
                let one = telling::memory(row, told);
                told = one.cursor;
                news.push(one);
            }
            Ok(())
        })
        .ok()?;
    Some(news)
}
