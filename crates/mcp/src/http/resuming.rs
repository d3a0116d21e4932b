//! Sessions that outlive the process they began in. A session holds nothing but its name: whoever comes back with one
//! that has ended here (the daemon was restarted, others needed the place, a night went by) goes on as if nothing had
//! been. Only what a client has ended itself stays ended.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use rmcp::model::{
    ClientCapabilities, Implementation, InitializeRequestParams, ProtocolVersion, RootsCapabilities,
};
use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError};

/// Endings that are remembered; a client that has said goodbye does not come back so late.
const MAX_ENDED: usize = 256;
/// What the library calls a session: a UUID.
const NAME_CHARS: usize = 36;

#[derive(Debug, Default)]
pub(super) struct Resuming {
    ended: Mutex<VecDeque<String>>,
}

#[async_trait::async_trait]
impl SessionStore for Resuming {
    async fn load(&self, session: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = is_name(session) && !ended.iter().any(|ended| ended == session);
        Ok(is_known.then(|| SessionState::new(assumed())))
    }

    async fn store(&self, _: &str, _: &SessionState) -> Result<(), SessionStoreError> {
        Ok(())
    }

    async fn delete(&self, session: &str) -> Result<(), SessionStoreError> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if is_name(session) && !ended.iter().any(|ended| ended == session) {
            if ended.len() == MAX_ENDED {
                ended.pop_front();
            }
            ended.push_back(session.to_owned());
        }
        Ok(())
    }
}

/// What a client may have said at its beginning. That it has roots is asked of it, and may be denied.
fn assumed() -> InitializeRequestParams {
    let mut capabilities = ClientCapabilities::default();
    capabilities.roots = Some(RootsCapabilities::default());
    let mut params = InitializeRequestParams::new(capabilities, Implementation::new("resumed", "0"));
    params.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
    params
}

fn is_name(session: &str) -> bool {
    session.len() == NAME_CHARS && session.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}
