//! The readers from outside. One binary; every file here is one of its stories.
#![allow(clippy::unwrap_used, reason = "a story that cannot go on has failed")]

mod claude_mem;
mod jsonl;
mod memory_md;
mod mindstone;
mod world;
