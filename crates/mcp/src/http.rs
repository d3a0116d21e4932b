//! The protocol over HTTP, for whoever the door has let in: sessions for clients that begin with a handshake, single
//! requests for those that need none. No socket, no token and no check of where a request comes from: that is the
//! door's.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::keeper::Keepers;
use crate::lending::Lending;
use crate::server::Server;

/// Sessions at the same time; one more, and the one that was silent longest ends. A person has a few agents at work,
/// and a client whose session has ended begins another.
const MAX_SESSIONS: usize = 64;
/// A client that slept over a night goes on in the morning; one that is gone is forgotten a day later.
const IDLE: Duration = Duration::from_hours(24);
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
        let config = StreamableHttpServerConfig::default()
            .with_sse_keep_alive(Some(ALIVE))
            .with_max_request_body_bytes(MAX_MESSAGE);
        let service = StreamableHttpService::new(make, Arc::clone(&sessions), config);
        Self { service, sessions, heard: Mutex::default() }
    }

    /// Needs a runtime with time and blocking threads around it.
    pub async fn answer(&self, request: Request<Full<Bytes>>) -> Response<Body> {
        match session(request.headers()) {
            Some(id) => self.hear(id),
            None if request.method() == Method::POST => self.make_room().await,
            None => {}
        }
        let answer = self.service.handle(request).await;
        if let Some(id) = session(answer.headers()) {
            self.hear(id);
        }
        answer
    }

    /// Ends every stream; what is under way is not answered any more.
    pub fn close(&self) {
        self.service.config.cancellation_token.cancel();
    }

    fn hear(&self, id: SessionId) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        // A stranger's id is noted until the next session begins; a client that invents them makes no more than this.
        if heard.len() < MAX_SESSIONS * 2 || heard.contains_key(&id) {
            heard.insert(id, Instant::now());
        }
    }

    /// The request may begin a session: those that were silent longest make way.
    async fn make_room(&self) {
        let open: Vec<SessionId> = self.sessions.sessions.read().await.keys().cloned().collect();
        let mut by_silence = {
            let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.retain(|id, _| open.contains(id));
            let mut open: Vec<(Option<Instant>, SessionId)> =
                open.into_iter().map(|id| (heard.get(&id).copied(), id)).collect();
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
