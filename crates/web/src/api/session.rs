//! A session as the API shows it, wherever it is shown: in lists, by itself, and as it changes.

use std::time::{SystemTime, UNIX_EPOCH};

use model::Millis;
use schemars::JsonSchema;
use serde::Serialize;
use store::SessionCard;

/// A session that was silent for longer is nobody's who is at work now, whether or not it said that it ended.
const AT_WORK_MS: Millis = 4 * 60 * 60 * 1000;

/// A conversation of an agent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) agent: String,
    pub(crate) workspace: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) cwd: Option<String>,
    /// How it began: `startup`, `resume`, …
    pub(crate) source: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) started_at: Millis,
    pub(crate) last_seen_at: Millis,
    pub(crate) ended_at: Option<Millis>,
    pub(crate) end_reason: Option<String>,
    pub(crate) prompts: u64,
    pub(crate) events: u64,
    /// Calls of tools that are over.
    pub(crate) tools: u64,
    /// Whether a person was at the terminal, where the agent says so.
    pub(crate) attended: Option<bool>,
    /// Not ended, and heard of in the last four hours.
    pub(crate) live: bool,
    /// The beginning of what it was asked first.
    pub(crate) first_prompt: Option<String>,
    /// `succeeded`, `partial+`, `partial-` or `failed`.
    pub(crate) outcome: Option<&'static str>,
    /// The beginning of its last summary: what was done, else what was asked.
    pub(crate) summary: Option<String>,
    /// What was put in front of it, in tokens.
    pub(crate) injected_tokens: u64,
}

impl Session {
    pub(crate) fn of(card: SessionCard, now: Millis) -> Self {
        let SessionCard { row, first_prompt, outcome, summary, injected_tokens } = card;
        Self {
            live: row.ended_at.is_none() && row.last_seen_at >= at_work_since(now),
            id: row.id.as_str().to_owned(),
            agent: row.agent,
            workspace: row.workspace.map(|key| key.as_str().to_owned()),
            project: row.project,
            branch: row.branch,
            cwd: row.cwd,
            source: row.source,
            model: row.model,
            started_at: row.started_at,
            last_seen_at: row.last_seen_at,
            ended_at: row.ended_at,
            end_reason: row.end_reason,
            prompts: row.prompts,
            events: row.events,
            tools: row.tools,
            attended: row.attended,
            first_prompt,
            outcome: outcome.map(model::SessionOutcome::name),
            summary,
            injected_tokens,
        }
    }
}

/// Whoever was heard of since then may be at work.
pub(crate) fn at_work_since(now: Millis) -> Millis {
    now.saturating_sub(AT_WORK_MS)
}

pub(crate) fn now() -> Millis {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
