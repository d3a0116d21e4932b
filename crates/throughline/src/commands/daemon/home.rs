//! The house as the HTTP door sees it: the daemon's own process for what is asked often, and the commands of the same
//! meaning for the rest, so that a page and a terminal can never disagree.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::daemon::Inside;
use engine::Fault;
use mcp::{Keeper, Keepers, Note, Refusal, Remembered};
use model::Entry;
use serde_json::Value;
use store::{Location, StoreError, Stored, Tables};
use web::{Glimpse, KnownAgent, Taken};

use super::super::config;
use super::super::mcp::Houses;
use super::super::remember::{self, Saying};
use super::checking::Checking;
use super::{glimpse, known};
use crate::report;
use crate::world::{VERSION, World};

pub(crate) struct Home {
    world: World,
    inside: Inside,
    houses: Houses,
    checking: Checking,
}

impl Home {
    pub(crate) fn new(world: World, inside: Inside) -> Self {
        Self { houses: Houses(world.clone()), world, inside, checking: Checking::default() }
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

    fn take(&self, agent: &str, event: &str, body: Vec<u8>) -> Taken {
        match self.inside.take(agent, event, body) {
            ::daemon::Taken::Kept => Taken::Kept,
            ::daemon::Taken::Left => Taken::Left,
            ::daemon::Taken::NotKept => Taken::NotKept,
        }
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
        done.map_err(|error| refusal(&error))
    }

    fn checks(&self) -> Value {
        self.checking.report(&self.world)
    }

    fn faults(&self) -> Vec<Fault> {
        self.inside.faults()
    }

    fn agents(&self) -> Vec<KnownAgent> {
        known::agents(&self.world)
    }

    fn remember(&self, folder: Option<&Path>, note: Note) -> Result<Remembered, Refusal> {
        let Note { text, title, kind, files, project, global, critical, pinned } = note;
        // What is said nowhere belongs to no project, unless one is named.
        let global = global || (folder.is_none() && project.is_none());
        let saying = Saying {
            by: "person",
            text,
            title,
            kind,
            files,
            project,
            global,
            critical,
            pin: pinned,
            private: false,
        };
        let world = World { cwd: folder.unwrap_or(Path::new("/")).to_owned(), ..self.world.clone() };
        saying.keep(&world).map(|(row, known)| Remembered { row, known }).map_err(|error| refusal(&error))
    }

    fn clean(&self, text: &str) -> Result<String, Refusal> {
        remember::clean(&self.world, text.trim()).map_err(|error| refusal(&error))
    }

    fn log(&self, lines: usize) -> Vec<String> {
        super::last_lines(&self.world, lines)
    }
}

fn refusal(error: &anyhow::Error) -> Refusal {
    let (what, next) = report::parts(error);
    Refusal { what, next }
}
