//! Hearing that something was told, without asking again and again. What was told is asked for afterwards: a notice is a
//! knock, not a letter, and anybody may knock.

use std::fmt;
use std::time::Duration;

use postgres::Client;
use postgres::fallible_iterator::FallibleIterator;
use store::shared::SharedError;

use crate::error::sort;

/// A connection that only listens.
pub struct Listener {
    pub(crate) client: Client,
    /// What this machine itself tells is no news to it.
    pub(crate) own: Option<i32>,
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// Somebody else told something: ask for news.
    Told,
    /// Nothing was heard in that time.
    Quiet,
}

impl Listener {
    /// Blocks until another machine of the team tells something, or the time is over. An error means that the connection
    /// is gone, and with it what was told meanwhile: connect again, and ask for news first.
    pub fn wait(&mut self, most: Duration) -> Result<Woken, SharedError> {
        let own = self.own;
        let mut notices = self.client.notifications();
        let mut heard = notices.timeout_iter(most);
        while let Some(notice) = heard.next().map_err(|error| sort(&error))? {
            // `project author`: numbers that say nothing to whoever listens uninvited.
            let author = notice.payload().split(' ').nth(1).and_then(|author| author.parse().ok());
            if own.is_none() || author != own {
                return Ok(Woken::Told);
            }
        }
        drop(heard);
        drop(notices);
        if self.client.is_closed() {
            return Err(SharedError::Unreachable("the connection is closed".to_owned()));
        }
        Ok(Woken::Quiet)
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").finish_non_exhaustive()
    }
}
