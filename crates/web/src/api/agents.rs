//! The agents whose language is spoken here, and what was heard of each.

use model::Millis;
use schemars::JsonSchema;
use serde::Serialize;

use super::endpoint::{Asked, Endpoint, Given, get};
use super::reading::read;
use super::session::{at_work_since, now};
use crate::House;
use crate::problem::Problem;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![get("/api/v1/agents", "Agents, and what was heard of each", list)]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Agents {
    items: Vec<Agent>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Agent {
    /// The name in lists and settings.
    name: String,
    /// The name people know.
    label: String,
    /// Whether its settings name our hooks; null where that is not known.
    installed: Option<bool>,
    /// Whether its conversations are read as they are written.
    watched: bool,
    sessions: u64,
    /// Sessions at work now.
    live: u64,
    events: u64,
    last_seen_at: Option<Millis>,
}

fn list(house: &dyn House, _: Asked) -> Result<Given<Agents>, Problem> {
    let heard = read(house, |tables| tables.heard_agents(at_work_since(now())))?;
    let known = house.agents();
    let mut items = Vec::new();
    for agent in &known {
        let heard = heard.iter().find(|heard| heard.name == agent.name);
        items.push(Agent {
            name: agent.name.clone(),
            label: agent.label.clone(),
            installed: agent.installed,
            watched: agent.watched,
            sessions: heard.map_or(0, |heard| heard.sessions),
            live: heard.map_or(0, |heard| heard.live),
            events: heard.map_or(0, |heard| heard.events),
            last_seen_at: heard.map(|heard| heard.last_seen_at),
        });
    }
    // Of agents that were heard of elsewhere and brought in.
    for heard in heard.into_iter().filter(|heard| known.iter().all(|agent| agent.name != heard.name)) {
        items.push(Agent {
            label: heard.name.clone(),
            name: heard.name,
            installed: None,
            watched: false,
            sessions: heard.sessions,
            live: heard.live,
            events: heard.events,
            last_seen_at: Some(heard.last_seen_at),
        });
    }
    Ok(Agents { items }.into())
}
