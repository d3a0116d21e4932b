//! Whether memory works, and how much there is of it.

use std::time::Duration;

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::json;

use super::{Call, stored};
use crate::answer::{Answer, line};
use crate::keeper::{Keeper, Refusal};

const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Status {}

impl Call for Status {
    const NAME: &'static str = "mem_status";
    const TITLE: &'static str = "Memory status";
    const DESCRIPTION: &'static str = "Whether memory works and how much is kept.";

    fn call(self, keeper: &dyn Keeper) -> Result<Answer, Refusal> {
        let daemon = keeper.ask(&json!({ "ask": "status" }), PATIENCE)?;
        let model = keeper.ask(&json!({ "ask": "model" }), PATIENCE)?;
        let stats = keeper.tables()?.stats().map_err(stored)?;
        let here = keeper.workspace();
        let project = line(&here.project, 60);
        let waiting = model["waiting"].as_u64().unwrap_or_default();
        let version = daemon["version"].as_str().unwrap_or("?");
        let text = format!(
            "memory works: {} memories of {} sessions, {} events; project here: {project}; {waiting} memories are not \
             yet findable by meaning; daemon {version}, up {} s",
            stats.memories,
            stats.sessions,
            stats.events,
            daemon["uptime_ms"].as_u64().unwrap_or_default() / 1000,
        );
        let data = json!({
            "running": true,
            "version": line(version, 40),
            "client_version": keeper.version(),
            "uptime_s": daemon["uptime_ms"].as_u64().unwrap_or_default() / 1000,
            "memories": stats.memories,
            "sessions": stats.sessions,
            "events": stats.events,
            "prompts": stats.prompts,
            "memory_tokens": stats.memory_tokens,
            "tokens_saved": stats.raw_tokens.saturating_sub(stats.memory_tokens),
            "not_yet_embedded": waiting,
            "project": project,
        });
        Ok(Answer { text, data })
    }
}
