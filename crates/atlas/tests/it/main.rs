//! Stories of a map, each with a workspace of its own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that does not get what it asks for ends there")]

mod asking;
mod c;
mod go;
mod packages;
mod remembering;
mod rust;
mod searching;
mod staying_fresh;
mod typescript;
mod what_is_mapped;
mod who_calls;
mod workspace;
