//! The hook from outside: real executables, real sockets, real files.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod artifact;
mod crowd;
mod daemon;
mod deliver;
mod fail_open;
mod house;
