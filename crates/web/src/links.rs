//! Links that open once. `throughline view` asks for one with the token and gives it to the person's browser, which
//! trades it for a cookie: a link lands in histories, a token must not.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use subtle::ConstantTimeEq;

use crate::token::{TokenError, random};

/// A browser opens it at once; a slow one, started for it, in seconds.
pub(crate) const LIFE: Duration = Duration::from_mins(1);
/// Nobody opens so many at the same time. One more, and the oldest makes way.
const MAX_LINKS: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct Links(Mutex<Vec<Link>>);

struct Link {
    code: String,
    made: Instant,
}

/// Never shown by accident.
impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Link")
    }
}

impl Links {
    /// What opens the door once, from now on for a while.
    pub(crate) fn make(&self, now: Instant) -> Result<String, TokenError> {
        let code = random()?;
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|link| link.holds(now));
        if links.len() >= MAX_LINKS {
            links.remove(0);
        }
        links.push(Link { code: code.clone(), made: now });
        Ok(code)
    }

    /// Whether it opens the door. It does so no more.
    pub(crate) fn spend(&self, code: &str, now: Instant) -> bool {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|link| link.holds(now));
        // All are compared, however early one fits: the time says nothing.
        let fits = |link: &Link| bool::from(link.code.as_bytes().ct_eq(code.as_bytes()));
        let found =
            links.iter().enumerate().fold(None, |found, (at, link)| fits(link).then_some(at).or(found));
        found.map(|at| links.remove(at)).is_some()
    }
}

impl Link {
    fn holds(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.made) < LIFE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_once_and_soon() {
        let (links, now) = (Links::default(), Instant::now());
        let (one, other) = (links.make(now).expect("a link"), links.make(now).expect("another"));
        assert_ne!(one, other);
        assert_eq!(one.len(), 64);
        assert!(!links.spend("", now) && !links.spend(&one[1..], now) && !links.spend(&"0".repeat(64), now));
        assert!(links.spend(&one, now + LIFE.checked_sub(Duration::from_secs(1)).expect("a while")));
        assert!(!links.spend(&one, now), "used");
        assert!(!links.spend(&other, now + LIFE), "late");
    }

    #[test]
    fn of_too_many_the_oldest_makes_way() {
        let (links, now) = (Links::default(), Instant::now());
        let made: Vec<String> = (0..=MAX_LINKS).map(|_| links.make(now).expect("a link")).collect();
        assert!(!links.spend(&made[0], now));
        assert!(made[1..].iter().all(|code| links.spend(code, now)));
    }
}
