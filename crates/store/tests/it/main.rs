//! The store from outside. One binary; every file here is one of its stories.
#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

mod archive_damage;
mod archive_stories;
mod journal_ahead;
mod journal_concurrent;
mod journal_damage;
mod journal_erase;
mod journal_faults;
mod journal_power;
mod journal_retention;
mod journal_stories;
mod outbox_stories;
mod tables_claims;
mod tables_forget;
mod tables_latency;
mod tables_pages;
mod tables_stories;
mod world;
