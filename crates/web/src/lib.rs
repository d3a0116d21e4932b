//! The daemon's HTTP door: a few paths on the loopback interface, and who may walk them. Knows nothing of hooks, which
//! have a door of their own and must never wait for this one; and nothing of memory, which it is lent as a [`House`].
//!
//! Here and in `mcp` is an async runtime and nowhere else (decision 10). It has one thread, made by [`Bound::open`] and
//! gone after [`Door::close`]; nothing async leaves the crate.

mod api;
mod cookie;
mod door;
mod guard;
mod house;
mod links;
mod metrics;
mod pages;
mod places;
mod ports;
mod problem;
mod routes;
mod stream;
mod token;
mod visitor;
mod worker;

pub use door::Door;
pub use house::{Glimpse, House, KnownAgent, Taken};
pub use ports::Bound;
pub use token::{Token, TokenError};

use std::io;

use serde_json::Value;

#[derive(Debug, thiserror::Error)]
pub enum WebError {
    #[error("no port could be had: {0}")]
    Port(#[source] io::Error),
    #[error("no thread could be started: {0}")]
    Threads(#[source] io::Error),
}

/// The document that describes `/api/v1`, as the door serves it.
pub fn openapi(version: &str) -> Value {
    api::document(&api::all(), version)
}
