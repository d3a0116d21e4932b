//! The clients against scripted servers on loopback and a scripted executable.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod claude_cli;
mod dialects;
mod distill;
mod embedder;
mod real_client;
mod server;
mod troubles;
