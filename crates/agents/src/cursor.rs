//! The dialect of Cursor, from the code of the vendor's own package (`@cursor/sdk` 1.0.32), which runs the same
//! hooks: their names, fields, answers and limits. Lenient in, strict out: before a tool call, an answer of the wrong
//! shape is a refusal to Cursor.

mod powers;
mod read;
mod settings;
pub(crate) mod tools;
mod write;

use model::{Advice, Event, EventKind, Reply};

use crate::read::Contents;
use crate::{Adapter, AgentHome, Incoming, Powers, SettingsFile};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor;

/// No variable moves it.
const HOME: AgentHome = AgentHome { variable: "", folder: ".cursor" };

impl Adapter for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn read(&self, incoming: &Incoming<'_>) -> Event {
        read::read(self.name(), incoming, Contents::Decoded)
    }

    fn glance(&self, incoming: &Incoming<'_>) -> Event {
        read::read(self.name(), incoming, Contents::LeftOut)
    }

    fn powers(&self, kind: EventKind) -> Powers {
        powers::powers(kind)
    }

    fn write(&self, event: &Event, advice: &Advice) -> Reply {
        write::write(event, advice)
    }

    fn events_to_register(&self) -> &'static [EventKind] {
        powers::REGISTERED
    }

    fn home(&self) -> &'static AgentHome {
        &HOME
    }

    fn files(&self) -> &'static [&'static dyn SettingsFile] {
        &[&settings::Hooks, &settings::SERVERS]
    }

    fn last_step(&self) -> Option<&'static str> {
        Some("Cursor asks before it starts a new MCP server: agree in its settings, under MCP")
    }
}
