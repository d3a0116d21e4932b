//! Things that one of several may have, for the moments until the tables say whose they are: a file that two sessions want
//! at once, a message that two events of one session could carry. In memory alone: what a restart forgets is asked of
//! the tables.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Things under way at once; what is over is let go of first, and then the whole is begun anew.
const MAX_HELD: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct Holding {
    of: Mutex<HashMap<String, (String, Instant)>>,
}

impl Holding {
    /// Takes something unless somebody else has it; then it says who. Whoever has it holds it anew.
    pub(crate) fn take(&self, what: &str, by: &str, hold: Duration) -> Option<String> {
        let now = Instant::now();
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((holder, until)) = of.get(what)
            && holder != by
            && *until > now
        {
            return Some(holder.clone());
        }
        if of.len() >= MAX_HELD {
            of.retain(|_, (_, until)| *until > now);
        }
        if of.len() >= MAX_HELD {
            of.clear();
        }
        of.insert(what.to_owned(), (by.to_owned(), now + hold));
        None
    }

    /// Lets go of it, if whoever had it still has it.
    pub(crate) fn give_back(&self, what: &str, by: &str) {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if of.get(what).is_some_and(|(holder, _)| holder == by) {
            of.remove(what);
        }
    }

    /// Who has it, if that is somebody else.
    pub(crate) fn look(&self, what: &str, by: &str) -> Option<String> {
        let of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        let (holder, until) = of.get(what)?;
        (holder != by && *until > Instant::now()).then(|| holder.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_that_want_it_one_has_it_until_its_moment_is_over() {
        let held = Holding::default();
        assert_eq!(held.take("a", "one", Duration::from_mins(1)), None);
        assert_eq!(held.take("a", "two", Duration::from_mins(1)).as_deref(), Some("one"));
        assert_eq!(held.look("a", "two").as_deref(), Some("one"));
        held.give_back("a", "two");
        assert_eq!(held.look("a", "two").as_deref(), Some("one"), "it is not theirs to give back");
        held.give_back("a", "one");
        assert_eq!(held.look("a", "two"), None);
        assert_eq!(held.take("a", "one", Duration::ZERO), None);
        assert_eq!(held.take("a", "two", Duration::from_mins(1)), None, "its moment is over");
        for n in 0..MAX_HELD * 2 {
            held.take(&n.to_string(), "one", Duration::from_mins(1));
        }
        assert!(held.of.lock().unwrap().len() <= MAX_HELD);
    }
}
