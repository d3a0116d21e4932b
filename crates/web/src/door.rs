//! The thread that serves, and what one connection may cost: a bounded number of them, of headers, of bytes and of time.
//! Every request goes through the guard first and leaves with the headers that tell a browser what it may not do.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, EXPECT, HeaderName, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use mcp::{Http, Keepers};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tower_service::Service;

use crate::cookie::Cookies;
use crate::guard::{Guard, max_body};
use crate::links::Links;
use crate::pages::{self, OwnPolicy};
use crate::places::{Place, Places};
use crate::problem::{self, Problem};
use crate::routes::{self, Rooms};
use crate::stream::{Follower, Hub};
use crate::visitor::Visitor;
use crate::{Bound, House, Token, WebError, worker};

/// A client that has connected asks at once. One that waits between two requests may keep its connection a little longer
/// than the usual clients do (5 s), so that it is they who let go.
const HEADER_PATIENCE: Duration = Duration::from_secs(10);
/// All headers of a request together, and their number. Ours are ten, a browser's twenty.
const MAX_HEADER_BYTES: usize = 16 << 10;
const MAX_HEADERS: usize = 64;
/// A megabyte over loopback takes a millisecond.
const BODY_PATIENCE: Duration = Duration::from_secs(10);
/// Of a body that is too large so much is read all the same, and thrown away: most clients read no answer before they have
/// said everything, and would see a broken connection in its place.
const MAX_DRAINED: u64 = 16 << 20;
/// They come at once or not at all: who announces much and sends nothing is answered.
const DRAIN_PATIENCE: Duration = Duration::from_millis(500);
/// Calls that work at the same time; more wait. Each costs a thread while it works.
const WORKERS: usize = 8;
/// A worker that is idle for so long gives its memory back.
const IDLE: Duration = Duration::from_secs(2);
/// Out of file descriptors: wait for some to come back instead of spinning.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Said with every answer; the first two by a page in its own words. There is no header that lets another page read it, and there never is one.
const ALWAYS: [(HeaderName, &str); 5] = [
    (CACHE_CONTROL, "no-store"),
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];
/// How many of them a page says itself.
const OF_PAGES: usize = 2;

/// An open door.
#[derive(Debug)]
pub struct Door {
    closing: watch::Sender<bool>,
    thread: JoinHandle<()>,
    follower: Follower,
}

impl Bound {
    /// Serves on a thread of its own until the door is closed.
    pub fn open(self, token: Token, house: Arc<dyn House>) -> Result<Door, WebError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(WORKERS)
            .thread_keep_alive(IDLE)
            .thread_name("web-worker")
            .build()
            .map_err(WebError::Threads)?;
        let port = self.port();
        let cookies = Arc::new(Cookies::new(token.clone(), port));
        let guard = Guard::new(token, Arc::clone(&cookies), port).with_open_worker(worker::is_open(&*house));
        let protocol = Arc::new(Http::new(Arc::clone(&house) as Arc<dyn Keepers>));
        let document = Bytes::from(crate::openapi(house.version()).to_string());
        let stream = Arc::new(Hub::new(Arc::clone(&house)));
        let follower = Follower::start(&stream).map_err(WebError::Threads)?;
        let rooms = Rooms {
            house,
            document,
            protocol: Arc::clone(&protocol),
            cookies,
            links: Arc::new(Links::default()),
            stream: Arc::clone(&stream),
            port,
        };
        let hall =
            Hall { guard, cookies: Arc::clone(&rooms.cookies), routes: routes::all(rooms), protocol, stream };
        let (closing, closed) = watch::channel(false);
        let thread = Builder::new()
            .name("web".into())
            .spawn(move || serve(runtime, self.listeners, hall, &closed))
            .map_err(WebError::Threads)?;
        Ok(Door { closing, thread, follower })
    }
}

impl Door {
    /// Lets nobody in any more and waits a little for those who are inside.
    pub fn close(self) {
        let _ = self.closing.send(true);
        let _ = self.thread.join();
        self.follower.end();
    }
}

/// Those inside when we close get this long for their answer.
const CLOSING_PATIENCE: Duration = Duration::from_millis(500);

struct Hall {
    guard: Guard,
    cookies: Arc<Cookies>,
    routes: Router,
    protocol: Arc<Http>,
    stream: Arc<Hub>,
}

fn serve(runtime: Runtime, listeners: Vec<TcpListener>, hall: Hall, closed: &watch::Receiver<bool>) {
    let hall = Arc::new(hall);
    let places = Places::new();
    runtime.block_on(async {
        for listener in listeners {
            // One that cannot be watched is one address less.
            if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                tokio::spawn(accept(listener, Arc::clone(&hall), places.clone(), closed.clone()));
            }
        }
        end(&mut closed.clone()).await;
        hall.protocol.close();
        hall.stream.close();
        let _ = timeout(CLOSING_PATIENCE, places.are_empty()).await;
    });
    runtime.shutdown_timeout(CLOSING_PATIENCE);
}

async fn end(closed: &mut watch::Receiver<bool>) {
    // A sender that is gone has nothing more to say either.
    let _ = closed.wait_for(|is_closed| *is_closed).await;
}

async fn accept(
    listener: tokio::net::TcpListener,
    hall: Arc<Hall>,
    places: Places,
    mut closed: watch::Receiver<bool>,
) {
    loop {
        let Some(place) = places.take().await else { return };
        let accepted: io::Result<(TcpStream, SocketAddr)> = tokio::select! {
            accepted = listener.accept() => accepted,
            () = end(&mut closed) => return,
        };
        match accepted {
            Ok((stream, from)) => {
                tokio::spawn(converse(stream, Visitor(from), Arc::clone(&hall), place, closed.clone()));
            }
            Err(_) => sleep(ACCEPT_PAUSE).await,
        }
    }
}

async fn converse(
    stream: TcpStream,
    visitor: Visitor,
    hall: Arc<Hall>,
    place: Place,
    mut closed: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |mut request| {
        let hall = Arc::clone(&hall);
        // Whoever stays to listen gives it back.
        request.extensions_mut().insert(place.clone());
        request.extensions_mut().insert(visitor);
        async move { Ok::<_, Infallible>(hall.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .max_buf_size(MAX_HEADER_BYTES)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), answer);
    let mut connection = std::pin::pin!(connection);
    // However it ends, there is nobody to tell.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = end(&mut closed) => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

impl Hall {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let mut response = self.look(request).await;
        let own = usize::from(response.extensions().get::<OwnPolicy>().is_some()) * OF_PAGES;
        for (name, value) in &ALWAYS[own..] {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }

    async fn look(&self, request: Request<Incoming>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        // Who speaks to a worker is answered as one answers.
        let is_worker = worker::is_theirs(parts.uri.path());
        let refused =
            |problem: Problem| if is_worker { worker::refused(&problem) } else { problem.response() };
        let visit = match self.guard.admit(&parts) {
            Ok(visit) => visit,
            Err(problem) if problem == problem::NO_TOKEN && parts.uri.path() == pages::FRONT => {
                return pages::not_opened();
            }
            Err(problem) => {
                // Only who has the key is told this, so only they can make us read.
                // Who waits to be told to go on has sent nothing yet.
                if problem == problem::TOO_LARGE && !parts.headers.contains_key(EXPECT) {
                    drain(body).await;
                }
                return refused(problem);
            }
        };
        // While a page is looked at, its cookie holds; a page's files are looked at by whoever has the cookie alone.
        let renewed = visit
            .as_ref()
            .filter(|_| !pages::is_file(parts.uri.path()))
            .and_then(|visit| self.cookies.renewed(visit));
        let most = max_body(parts.uri.path());
        let body = match timeout(BODY_PATIENCE, Limited::new(body, most).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
                return refused(problem::TOO_LARGE);
            }
            Ok(Err(_)) => return refused(problem::MALFORMED),
            Err(_) => return refused(problem::SLOW_BODY),
        };
        let mut request = Request::from_parts(parts, Body::from(body));
        if let Some(visit) = visit {
            request.extensions_mut().insert(visit);
        }
        let Ok(mut response) = self.routes.clone().call(request).await;
        if let Some(renewed) = renewed {
            response.headers_mut().insert(SET_COOKIE, renewed);
        }
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED if is_worker => refused(problem::OTHER_METHOD),
            StatusCode::METHOD_NOT_ALLOWED => problem::OTHER_METHOD.instead_of(&response),
            _ => response,
        }
    }
}

/// Hears somebody out whose answer is known already, as far as that is worth it.
async fn drain(mut body: Incoming) {
    if body.size_hint().lower() > MAX_DRAINED {
        return;
    }
    let heard = async { while let Some(Ok(_)) = body.frame().await {} };
    let _ = timeout(DRAIN_PATIENCE, heard).await;
}
