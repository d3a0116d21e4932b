//! The ids that were acknowledged last, so that the same envelope sent twice is kept once.

use std::collections::{HashMap, VecDeque};

use model::EventId;

/// A client sends an id again within its deadline, or from the spool at the next start. This many
/// events are hours of the busiest machine, in about 5 MB.
pub(super) const WINDOW: usize = 65_536;

#[derive(Debug, Default)]
pub(super) struct Recent {
    seqs: HashMap<EventId, u64>,
    order: VecDeque<EventId>,
}

impl Recent {
    pub(super) fn find(&self, id: &EventId) -> Option<u64> {
        self.seqs.get(id).copied()
    }

    /// The first number an id had is the one it keeps.
    pub(super) fn insert(&mut self, id: EventId, seq: u64) {
        if self.seqs.contains_key(&id) {
            return;
        }
        if self.order.len() == WINDOW
            && let Some(oldest) = self.order.pop_front()
        {
            self.seqs.remove(&oldest);
        }
        self.seqs.insert(id, seq);
        self.order.push_back(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_id_leaves_when_the_window_is_full() {
        let mut recent = Recent::default();
        let id = |n: u64| EventId::mint(n, [0; 10]);
        for n in 0..=WINDOW as u64 {
            recent.insert(id(n), n + 1);
        }
        assert_eq!(recent.find(&id(0)), None);
        assert_eq!(recent.find(&id(1)), Some(2));
        assert_eq!(recent.order.len(), recent.seqs.len());
    }
}
