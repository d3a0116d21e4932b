//! Totals now, and series over time for charts.

mod series;

use schemars::JsonSchema;
use serde::Serialize;
use store::{Count, Totals};

use super::endpoint::{Asked, Endpoint, Given, get};
use super::reading::read;
use super::session::{at_work_since, now};
use crate::House;
use crate::problem::Problem;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/stats", "How much there is of everything", stats),
        get("/api/v1/stats/series", "Counts over time", series::series),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Stats {
    workspaces: u64,
    sessions: u64,
    /// Sessions at work now.
    live: u64,
    prompts: u64,
    events: u64,
    memories: u64,
    memories_by_kind: Vec<Named>,
    /// What reading all memories would cost, in tokens.
    memory_tokens: u64,
    /// What the work behind them had cost.
    raw_tokens: u64,
    injections: u64,
    tokens_injected: u64,
    /// What the work behind memories that were shown had cost, less what showing them did. May be negative.
    tokens_saved: i64,
    tokens_distilled: u64,
    verdicts: Vec<Named>,
    redactions: Vec<Named>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Named {
    name: String,
    count: u64,
}

fn stats(house: &dyn House, _: Asked) -> Result<Given<Stats>, Problem> {
    let (totals, agents) =
        read(house, |tables| Ok((tables.totals()?, tables.heard_agents(at_work_since(now()))?)))?;
    let Totals { workspaces, sessions, prompts, events, memories, .. } = totals;
    Ok(Stats {
        workspaces,
        sessions,
        live: agents.iter().map(|agent| agent.live).sum(),
        prompts,
        events,
        memories,
        memories_by_kind: named(totals.memories_by_kind),
        memory_tokens: totals.memory_tokens,
        raw_tokens: totals.raw_tokens,
        injections: totals.injections,
        tokens_injected: totals.injected_tokens,
        tokens_saved: less(totals.recalled_tokens, totals.injected_tokens),
        tokens_distilled: totals.distilled_tokens,
        verdicts: named(totals.verdicts),
        redactions: named(totals.redactions),
    }
    .into())
}

fn named(counts: Vec<Count>) -> Vec<Named> {
    counts.into_iter().map(|Count { name, count }| Named { name, count }).collect()
}

/// A difference of counts, below zero where that is the truth.
fn less(one: u64, other: u64) -> i64 {
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    signed(one).saturating_sub(signed(other))
}
