//! Who may be here at the same time. There are two kinds of places, so that neither kind of visitor can take those of
//! the other: requests, which come and go, and streams, which stay for hours and cost next to nothing.

use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections at once; further ones wait in the kernel's backlog. A session of an agent holds one for news and uses
/// one or two for its calls; a browser opens up to six. 64 would do for one person with a few agents; these are as many
/// again for the day on which there are more.
pub(crate) const MAX_CONNECTIONS: usize = 128;
/// Listeners to the stream at once. Every open page is one and each costs about twenty kilobytes: pages that nobody
/// closed, and programs that watch many machines' work, must not push out the person who looks.
const MAX_STREAMS: usize = 1024;
/// However few descriptors there are, somebody may listen.
const LEAST_STREAMS: usize = 16;
/// File descriptors of the rest of the daemon: hooks' connections, readers of the database, the journal's segments.
const HOUSE: usize = 512;

#[derive(Debug, Clone)]
pub(crate) struct Places {
    requests: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

/// A connection's place. It can be given back before the connection ends.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    taken: Arc<Mutex<Option<OwnedSemaphorePermit>>>,
    streams: Arc<Semaphore>,
}

impl Places {
    pub(crate) fn new() -> Self {
        Self {
            requests: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
            streams: Arc::new(Semaphore::new(streams())),
        }
    }

    /// Waits for one. `None`: there will be none any more.
    pub(crate) async fn take(&self) -> Option<Place> {
        let taken = Arc::clone(&self.requests).acquire_owned().await.ok()?;
        Some(Place { taken: Arc::new(Mutex::new(Some(taken))), streams: Arc::clone(&self.streams) })
    }

    /// Waits until nobody who asked for something is here.
    pub(crate) async fn are_empty(&self) {
        let _ = self.requests.acquire_many(MAX_CONNECTIONS as u32).await;
    }
}

impl Place {
    /// A listener's place instead of this one, to be held as long as somebody listens. `None`: all are taken.
    pub(crate) fn to_listen(&self) -> Option<OwnedSemaphorePermit> {
        let place = Arc::clone(&self.streams).try_acquire_owned().ok()?;
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).take();
        Some(place)
    }
}

/// As many as there are descriptors for. The usual limit (1,024) is for programs that wait with `select`; the hard one
/// is meant for us.
fn streams() -> usize {
    let needed = (MAX_CONNECTIONS + MAX_STREAMS + HOUSE) as u64;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < needed) {
        let raised = limit.maximum.map_or(needed, |most| most.min(needed));
        // Where it is refused there are fewer places, which is asked below.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum });
    }
    fitting(getrlimit(Resource::Nofile).current)
}

fn fitting(descriptors: Option<u64>) -> usize {
    let left = descriptors.map_or(usize::MAX, |all| all as usize).saturating_sub(MAX_CONNECTIONS + HOUSE);
    left.clamp(LEAST_STREAMS, MAX_STREAMS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_streams_as_descriptors_allow() {
        assert_eq!(fitting(None), MAX_STREAMS);
        assert_eq!(fitting(Some(65_536)), MAX_STREAMS);
        assert_eq!(fitting(Some(1024)), 1024 - MAX_CONNECTIONS - HOUSE);
        assert_eq!(fitting(Some(256)), LEAST_STREAMS);
        assert!(streams() >= LEAST_STREAMS);
    }
}
