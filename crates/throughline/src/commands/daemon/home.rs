//! The house as the HTTP door sees it: the daemon's own process for what is asked often, and the commands of the same
//! meaning for the rest, so that a page and a terminal can never disagree.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::daemon::Inside;
use mcp::{Keeper, Keepers, Refusal};
use model::Entry;
use serde_json::{Value, json};
use store::{Location, StoreError, Stored, Tables};
use web::Glimpse;

use super::super::mcp::Houses;
use super::super::{config, doctor};
use super::glimpse;
use crate::report;
use crate::world::{VERSION, World};

pub(crate) struct Home {
    world: World,
    inside: Inside,
    houses: Houses,
}

impl Home {
    pub(crate) fn new(world: World, inside: Inside) -> Self {
        Self { houses: Houses(world.clone()), world, inside }
    }
}

impl Keepers for Home {
    fn version(&self) -> &str {
        VERSION
    }

    fn keeper(&self, folder: Option<&Path>) -> Arc<dyn Keeper> {
        self.houses.keeper(folder)
    }
}

impl web::House for Home {
    fn ask(&self, question: &Value, patience: Duration) -> Value {
        self.inside.ask(question, patience)
    }

    fn read(&self, with: &mut dyn FnMut(&Tables) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.inside.read(with)
    }

    fn hear(&self, agent: &str, event: &str, body: Vec<u8>) -> Vec<u8> {
        self.inside.hear(agent, event, body)
    }

    fn entry(&self, at: Location) -> Result<Stored, StoreError> {
        self.inside.entry(at)
    }

    fn entries(&self, from: u64, most: usize) -> Vec<Stored> {
        self.inside.entries(from, most)
    }

    fn glimpse(&self, entry: &Entry) -> Glimpse {
        glimpse::of(entry)
    }

    fn head(&self) -> u64 {
        self.inside.head()
    }

    fn wait_beyond(&self, position: u64, patience: Duration) -> u64 {
        self.inside.wait_beyond(position, patience)
    }

    fn wait_learned(&self, position: u64, patience: Duration) -> u64 {
        self.inside.wait_learned(position, patience)
    }

    fn settings(&self) -> Vec<Value> {
        config::to_json(&self.world)
    }

    fn set(&self, key: &str, value: Option<&str>) -> Result<(), Refusal> {
        let done = match value {
            Some(value) => config::set(&self.world, key, value),
            None => config::unset(&self.world, key),
        };
        done.map_err(|error| {
            let (what, next) = report::parts(&error);
            Refusal { what, next }
        })
    }

    fn checks(&self) -> Value {
        json!(doctor::Report::of(&self.world))
    }

    fn log(&self, lines: usize) -> Vec<String> {
        super::last_lines(&self.world, lines)
    }
}
