//! How we are, as their clients ask for it. They restart a worker of another version than their own, and kill it if it
//! stays; so we say no version where they compare it.
#![expect(clippy::unnecessary_wraps, reason = "every answer of theirs stands in one list")]

use std::time::Duration;

use serde_json::{Value, json};

use super::called::{Called, Said, Trouble};

/// The daemon answers in a millisecond.
const STATUS: Duration = Duration::from_secs(2);
/// Names for a menu.
const MAX_PROJECTS: usize = 500;

pub(super) fn health(called: &Called<'_>) -> Result<Said, Trouble> {
    let status = called.house.ask(&json!({ "ask": "status" }), STATUS);
    Ok(Said::Json(json!({
        "status": "ok",
        "runtime": "throughline",
        "throughline": called.house.version(),
        "pid": status["pid"],
        "uptime": status["uptime_ms"].as_u64().unwrap_or_default() / 1000,
        "platform": std::env::consts::OS,
        "managed": false,
        "hasIpc": false,
        "initialized": true,
        "mcpReady": true,
        "timestamp": null,
    })))
}

pub(super) fn readiness(_: &Called<'_>) -> Result<Said, Trouble> {
    Ok(Said::Json(json!({ "status": "ready", "mcpReady": true })))
}

pub(super) fn version(called: &Called<'_>) -> Result<Said, Trouble> {
    Ok(Said::Json(json!({ "version": null, "throughline": called.house.version() })))
}

/// Nothing waits for a model here: what is acknowledged is learned a moment later. The wish to stop a spinner is
/// answered with how things are.
pub(super) fn processing(called: &Called<'_>) -> Result<Said, Trouble> {
    let depth = queue(&**called.house);
    Ok(Said::Json(
        json!({ "status": "ok", "isProcessing": depth > 0, "queueDepth": depth, "activeSessions": 0 }),
    ))
}

/// Entries of the journal that are not in the tables yet.
pub(super) fn queue(house: &dyn crate::House) -> u64 {
    house.head().saturating_sub(house.wait_learned(0, Duration::ZERO))
}

pub(super) fn stats(called: &Called<'_>) -> Result<Said, Trouble> {
    let status = called.house.ask(&json!({ "ask": "status" }), STATUS);
    let counts = called.tables(store::Tables::worker_counts)?;
    Ok(Said::Json(json!({
        "worker": {
            "version": null,
            "throughline": called.house.version(),
            "uptime": status["uptime_ms"].as_u64().unwrap_or_default() / 1000,
            "activeSessions": 0,
            "sseClients": 0,
            "port": called.port,
        },
        "database": {
            "path": null,
            "size": null,
            "observations": counts.memories.saturating_sub(counts.summaries),
            "sessions": counts.sessions,
            "summaries": counts.summaries,
            "firstObservationAt": Some(counts.first_at).filter(|at| *at > 0).map(super::dates::iso),
        },
    })))
}

pub(super) fn projects(called: &Called<'_>) -> Result<Said, Trouble> {
    Ok(Said::Json(catalog(&called.tables(|tables| tables.project_names(MAX_PROJECTS))?)))
}

pub(super) fn catalog(projects: &[String]) -> Value {
    json!({ "projects": projects, "sources": ["claude"], "projectsBySource": { "claude": projects } })
}
