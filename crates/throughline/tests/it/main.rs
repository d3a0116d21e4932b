//! The binary as people and agents meet it: real processes, a real socket, a home of its own for every test.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod api_house;
mod api_sessions;
mod attacks;
mod checkpoints;
mod claims;
mod cli;
mod credit;
mod damage;
mod envelopes;
mod fail_open;
mod fast_hooks;
mod faults;
mod forgetting;
mod hand_off;
mod house;
mod http_door;
mod install;
mod mcp;
mod memory_files;
mod memory_life;
mod memory_reading;
mod memory_traffic;
mod models;
mod poisoning;
mod private_past;
mod recall_prompt;
mod recall_start;
mod replay;
mod rules;
mod spine;
mod stream;
mod view;
mod watching;
