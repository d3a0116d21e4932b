//! The client with real files and real sockets.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod call;
mod house;
mod place;
mod private;
mod run;
mod spool;
mod start;
