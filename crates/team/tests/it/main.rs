//! What a team shares, from outside. `stories` says what both engines mean; the rest is PostgreSQL's own.
#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

mod cuts;
mod listening;
mod postgres;
mod rights;
mod sqlite;
mod stories;
mod tls;
mod world;
