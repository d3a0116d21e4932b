//! Whether our own hooks tell what somebody tells us here as well. Who has both installed is heard through our hooks:
//! they say more, they are there first, and what is said twice must not be counted twice.

use model::{Millis, SessionId};
use serde_json::Value;
use store::{EventFilter, Order, Stored};

use super::called::tables;
use crate::House;

/// Stands in every event that was delivered here.
pub(super) const DELIVERED_BY: &str = "delivered_by";
pub(super) const WORKER: &str = "worker-api";
/// The agent starts all handlers of an event at once. Ours takes a millisecond, theirs half a second; on a busy machine
/// it may be late.
const TOGETHER: Millis = 30_000;
/// Entries of the journal that are looked at before they are in the tables.
const NOT_LEARNED: usize = 64;

/// Whether the last that was heard of a session came a moment ago, and not from here. Tables that cannot be read, because
/// the daemon is starting, must not lose what somebody tells: then it was not.
pub(super) fn is_heard_otherwise(house: &dyn House, session: &SessionId, now: Millis) -> bool {
    let learned = house.wait_learned(0, std::time::Duration::ZERO);
    let is_of_session =
        |stored: &Stored| stored.entry.session == *session && stored.entry.agent != model::OURSELVES;
    let unlearned = house.entries(learned + 1, NOT_LEARNED).into_iter().rev().find(is_of_session);
    let last = unlearned.or_else(|| {
        let filter = EventFilter {
            session: Some(session.clone()),
            order: Order::NewestFirst,
            limit: 1,
            ..EventFilter::default()
        };
        let row = tables(house, |tables| tables.events(&filter)).ok()?.pop()?;
        // What retention has dropped was not a moment ago.
        house.entry(row.location).ok()
    });
    last.is_some_and(|stored| stored.entry.at.abs_diff(now) <= TOGETHER && !came_from_here(&stored))
}

fn came_from_here(stored: &Stored) -> bool {
    let envelope: Value = serde_json::from_slice(&stored.entry.envelope).unwrap_or_default();
    envelope[DELIVERED_BY] == WORKER
}
