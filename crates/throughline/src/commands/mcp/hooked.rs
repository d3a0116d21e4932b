//! An event that the agent's hook gave to our MCP server, delivered as the hook's own process would have: to the daemon,
//! within the event's time, else redacted and into the spool. Cannot fail; a fault of ours is silence.

use std::panic::catch_unwind;
use std::time::Instant;

use client::context;
use client::hook::{Budget, Fallback, run};
use model::Envelope;

use crate::config;
use crate::world::{World, variable};

/// Whose hooks can call a server.
const AGENT: &str = "claude-code";

pub(super) fn deliver(world: &World, event: &str, body: Vec<u8>) -> Vec<u8> {
    let started = Instant::now();
    let (place, executable) = (world.place.clone(), world.executable.clone());
    let event = event.to_owned();
    catch_unwind(move || {
        let id = client::mint();
        let budget = Budget::new(started, &event, &body);
        let context = context::from_env(&variable);
        let envelope =
            Envelope { id, at: id.minted_at(), agent: AGENT.to_owned(), hint: Some(event), context, body };
        let fallback = Fallback {
            settings: config::redaction,
            judge: config::judge,
            confess: config::confess,
            executable: Some(executable),
        };
        run(place, envelope, budget, fallback).stdout
    })
    .unwrap_or_default()
}
