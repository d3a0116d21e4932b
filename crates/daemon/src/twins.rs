//! One event through two handlers of ours: who has the plugin and the hooks in the settings is called twice for
//! everything, with the same words and different ids. The first of the two is the event; the second is answered with
//! silence and leaves no trace. Nobody has to take one of them out for that.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, PoisonError};

use model::{Envelope, Millis};

/// The client sets it for the handlers of a plugin and for no other.
const PLUGIN: &str = "CLAUDE_PLUGIN_ROOT";
/// Events that may pass between the two of one: some sessions at work, a few handlers each.
const REMEMBERED: usize = 256;
/// The client starts all handlers of an event at once; on a busy machine the second may be late.
const TOGETHER: Millis = 30_000;
/// Enough of each end of an envelope: its ids are at the one and its contents reach to the other.
const ENDS: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct Twins {
    hash: RandomState,
    recent: Mutex<VecDeque<Seen>>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    words: u64,
    by_plugin: bool,
    at: Millis,
}

impl Twins {
    /// Whether this event came a moment ago through the other handler. From now on it has come.
    pub(crate) fn is_second(&self, envelope: &Envelope) -> bool {
        let this = Seen {
            words: self.words(envelope),
            by_plugin: envelope.context.contains_key(PLUGIN),
            at: envelope.at,
        };
        let is_twin = |seen: &Seen| {
            seen.words == this.words
                && seen.by_plugin != this.by_plugin
                && seen.at.abs_diff(this.at) <= TOGETHER
        };
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = recent.iter().position(is_twin) {
            // Two are a pair; a third is the next event of the same words.
            recent.remove(first);
            return true;
        }
        if recent.len() == REMEMBERED {
            recent.pop_front();
        }
        recent.push_back(this);
        false
    }

    fn words(&self, envelope: &Envelope) -> u64 {
        let body = &envelope.body;
        let mut hasher = self.hash.build_hasher();
        hasher.write(envelope.agent.as_bytes());
        hasher.write_usize(body.len());
        hasher.write(&body[..body.len().min(ENDS)]);
        hasher.write(&body[body.len().saturating_sub(ENDS)..]);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(body: &str, at: Millis, by_plugin: bool) -> Envelope {
        let mut context = model::Context::new();
        if by_plugin {
            context.insert(PLUGIN.to_owned(), "/p".to_owned());
        }
        let body = body.as_bytes().to_vec();
        Envelope { id: client::mint(), at, agent: "claude-code".into(), hint: None, context, body }
    }

    #[test]
    fn the_second_of_a_pair_is_known_whichever_comes_first() {
        let twins = Twins::default();
        assert!(!twins.is_second(&envelope("a", 1_000, true)));
        assert!(twins.is_second(&envelope("a", 1_001, false)));
        assert!(!twins.is_second(&envelope("b", 1_002, false)));
        assert!(twins.is_second(&envelope("b", 1_000, true)));
    }

    #[test]
    fn the_same_words_through_one_handler_are_two_events() {
        let twins = Twins::default();
        assert!(!twins.is_second(&envelope("a", 1_000, true)));
        assert!(!twins.is_second(&envelope("a", 1_001, true)));
        assert!(twins.is_second(&envelope("a", 1_002, false)));
        assert!(twins.is_second(&envelope("a", 1_003, false)), "each has its twin");
        assert!(!twins.is_second(&envelope("a", 1_004, false)), "a third is a new event");
    }

    #[test]
    fn what_is_long_ago_or_says_something_else_is_no_twin() {
        let twins = Twins::default();
        let (long, longer) = ("x".repeat(3 * ENDS), "x".repeat(3 * ENDS + 1));
        assert!(!twins.is_second(&envelope(&long, 1_000, true)));
        assert!(!twins.is_second(&envelope(&longer, 1_000, false)));
        assert!(!twins.is_second(&envelope(&long, 1_001 + TOGETHER, false)));
        for at in 0..2 * REMEMBERED {
            twins.is_second(&envelope(&at.to_string(), 1_000, true));
        }
        assert!(twins.recent.lock().unwrap().len() <= REMEMBERED);
    }
}
