//! The list of all that can be asked, room by room.

use super::endpoint::Endpoint;
use super::{
    agents, behaviors, checkpoints, claims, code, context, elsewhere, events, hand_offs, health, injections,
    logs, memories, patterns, prompts, search, sessions, settings, stats, status, summaries, timeline,
    workspaces,
};

const ROOMS: &[fn() -> Vec<Endpoint>] = &[
    status::endpoints,
    health::endpoints,
    sessions::endpoints,
    prompts::endpoints,
    events::endpoints,
    injections::endpoints,
    memories::endpoints,
    summaries::endpoints,
    search::endpoints,
    timeline::endpoints,
    context::endpoints,
    hand_offs::endpoints,
    checkpoints::endpoints,
    claims::endpoints,
    patterns::endpoints,
    agents::endpoints,
    workspaces::endpoints,
    code::endpoints,
    behaviors::endpoints,
    settings::endpoints,
    stats::endpoints,
    logs::endpoints,
    elsewhere::endpoints,
];

pub(crate) fn all() -> Vec<Endpoint> {
    ROOMS.iter().flat_map(|room| room()).collect()
}
