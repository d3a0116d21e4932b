//! Snapshots and restores with the real git, in repositories of their own. One binary; every file here is one of its
//! stories.
#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

mod keeping;
mod places;
mod restoring;
mod shapes;
mod world;
