//! The protocol over HTTP, for whoever the door has let in: sessions for clients that begin with a handshake, single
//! requests for those that need none. No socket, no token and no check of where a request comes from: that is the
//! door's.

mod resuming;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use self::resuming::Resuming;
use crate::keeper::Keepers;
use crate::lending::Lending;
use crate::server::Server;

/// Sessions in memory at the same time; one more, and the one that was silent longest makes way. It can be resumed, so
/// this costs its client nothing, unless it waits for an answer: there are twice as many places as the door has
/// connections, so that those who wait are not those who were silent longest. Each takes about 60 KB.
const MAX_SESSIONS: usize = 256;
/// One that is silent for so long makes way, too.
const IDLE: Duration = Duration::from_hours(1);
/// Who is let in sends the handshake with the request that makes the session.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Where nothing happens a stream says so often that it is alive; a client whose end is gone is noticed by it.
const ALIVE: Duration = Duration::from_secs(30);
/// What is asked and what was answered last in one session.
const WAITING: usize = 16;
/// Of one message, as over a pipe.
const MAX_MESSAGE: usize = 1 << 20;
/// The header that names a session.
const SESSION: &str = "mcp-session-id";

pub type Body = BoxBody<Bytes, Infallible>;

/// Every session of one process.
pub struct Http {
    service: StreamableHttpService<Server, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    /// When each was last heard.
    heard: Mutex<HashMap<SessionId, Instant>>,
}

impl std::fmt::Debug for Http {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http").finish_non_exhaustive()
    }
}

impl Http {
    pub fn new(keepers: Arc<dyn Keepers>) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config = session_config();
        let sessions = Arc::new(sessions);
        let calls = Server::all_calls();
        let make =
            move || Ok(Server::among_others(Lending::to_each(Arc::clone(&keepers)), Arc::clone(&calls)));
        // The door has looked at Host and Origin; the library looks at Host once more.
        let mut config = StreamableHttpServerConfig::default()
            .with_sse_keep_alive(Some(ALIVE))
            .with_max_request_body_bytes(MAX_MESSAGE);
        config.session_store = Some(Arc::new(Resuming::default()));
        let service = StreamableHttpService::new(make, Arc::clone(&sessions), config);
        Self { service, sessions, heard: Mutex::default() }
    }

    /// Needs a runtime with time and blocking threads around it.
    pub async fn answer(&self, request: Request<Full<Bytes>>) -> Response<Body> {
        let (ends, asked) = (request.method() == Method::DELETE, session(request.headers()));
        match &asked {
            Some(id) if self.sessions.sessions.read().await.contains_key(id) => self.hear(id.clone()),
            // It may begin a session, or resume one.
            _ if !ends => {
                self.make_room().await;
                if let Some(id) = &asked {
                    self.hear(id.clone());
                }
            }
            _ => {}
        }
        let mut answer = self.service.handle(request).await;
        if let Some(id) = session(answer.headers()).or(asked).filter(|_| !ends) {
            self.hear(id);
        }
        if ends && answer.status() == StatusCode::ACCEPTED {
            // Nothing is left to be done, and the official client in Python takes "accepted" for a failure.
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        answer
    }

    /// Ends every stream; what is under way is not answered any more.
    pub fn close(&self) {
        self.service.config.cancellation_token.cancel();
    }

    fn hear(&self, id: SessionId) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        // A name that is none is noted until the next session begins; who invents them makes no more than this.
        if heard.len() < MAX_SESSIONS * 2 || heard.contains_key(&id) {
            heard.insert(id, Instant::now());
        }
    }

    /// Those that were silent longest make way.
    async fn make_room(&self) {
        let open: Vec<SessionId> = self.sessions.sessions.read().await.keys().cloned().collect();
        let now = Instant::now();
        let mut by_silence = {
            let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.retain(|id, _| open.contains(id));
            // One that nobody has heard of is being made or resumed this very moment.
            let mut open: Vec<(Instant, SessionId)> =
                open.into_iter().map(|id| (heard.get(&id).copied().unwrap_or(now), id)).collect();
            open.sort();
            open
        };
        let surplus = (by_silence.len() + 1).saturating_sub(MAX_SESSIONS);
        for (_, id) in by_silence.drain(..surplus) {
            // One that has ended by itself is gone as well.
            let _ = self.sessions.close_session(&id).await;
        }
    }
}

fn session_config() -> SessionConfig {
    let mut config = SessionConfig::default();
    config.channel_capacity = WAITING;
    config.keep_alive = Some(IDLE);
    config.init_timeout = Some(HANDSHAKE);
    config
}

fn session(headers: &HeaderMap) -> Option<SessionId> {
    headers.get(SESSION)?.to_str().ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;
    use crate::keeper::Keeper;

    struct Empty;

    impl Keepers for Empty {
        fn version(&self) -> &'static str {
            "1"
        }

        fn keeper(&self, _: Option<&Path>) -> Arc<dyn Keeper> {
            unreachable!("no tool is called")
        }
    }

    fn request(session: Option<&str>, method: &str) -> Request<Full<Bytes>> {
        let client = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": client }).to_string();
        let mut request = Request::post("http://127.0.0.1/mcp")
            .header("host", "127.0.0.1")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        request.body(Full::new(Bytes::from(body))).expect("a request")
    }

    #[tokio::test(flavor = "current_thread")]
    async fn however_many_begin_or_come_back_so_many_are_kept() {
        let http = Http::new(Arc::new(Empty));
        for _ in 0..MAX_SESSIONS * 2 {
            assert_eq!(http.answer(request(None, "initialize")).await.status(), StatusCode::OK);
            assert!(http.sessions.sessions.read().await.len() <= MAX_SESSIONS);
        }
        for number in 0..MAX_SESSIONS * 2 {
            let name = format!("00000000-0000-0000-0000-{number:012}");
            assert_eq!(http.answer(request(Some(&name), "ping")).await.status(), StatusCode::OK);
            assert!(http.sessions.sessions.read().await.len() <= MAX_SESSIONS);
            assert!(http.heard.lock().expect("no panic").len() <= MAX_SESSIONS * 2);
        }
    }

    #[tokio::test(flavor = "current_thread")]
    async fn one_that_is_being_made_is_not_the_first_to_make_way() {
        let http = Http::new(Arc::new(Empty));
        for _ in 0..MAX_SESSIONS {
            http.answer(request(None, "initialize")).await;
        }
        let made = http.sessions.sessions.read().await.keys().next().expect("a session").clone();
        http.heard.lock().expect("no panic").remove(&made);
        http.make_room().await;
        let open = http.sessions.sessions.read().await;
        assert!(open.len() < MAX_SESSIONS && open.contains_key(&made));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn what_is_no_name_of_a_session_is_not_resumed() {
        let http = Http::new(Arc::new(Empty));
        for name in ["x", "", "../../etc/passwd", &"0".repeat(37)] {
            assert_eq!(
                http.answer(request(Some(name), "ping")).await.status(),
                StatusCode::NOT_FOUND,
                "{name}"
            );
        }
    }
}
