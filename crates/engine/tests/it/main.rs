//! The engine on a real store. One binary; every file here is one of its stories.
#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

mod asking;
mod half_the_vectors;
mod house;
mod search;
