//! The dialect of Gemini CLI, measured with 0.61: names of its own for events and tools, times in milliseconds, and
//! answers at the top level.

mod powers;
mod read;
mod settings;
pub(crate) mod tools;
pub(crate) mod transcript;
mod write;

use model::{Advice, Event, EventKind, Reply};

use crate::read::Contents;
use crate::transcript::Conversations;
use crate::{Adapter, AgentHome, Incoming, Powers, SettingsFile};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeminiCli;

/// The variable names what is a home to Gemini CLI: its folder is inside.
const HOME: AgentHome = AgentHome { variable: "GEMINI_CLI_HOME", folder: ".gemini" };

impl Adapter for GeminiCli {
    fn name(&self) -> &'static str {
        "gemini-cli"
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

    fn conversations(&self) -> Option<&'static dyn Conversations> {
        Some(&transcript::Chats)
    }

    fn events_to_register(&self) -> &'static [EventKind] {
        powers::REGISTERED
    }

    fn home(&self) -> &'static AgentHome {
        &HOME
    }

    fn files(&self) -> &'static [&'static dyn SettingsFile] {
        &[&settings::Settings]
    }

    fn last_step(&self) -> Option<&'static str> {
        Some("Gemini CLI runs hooks only in folders you trust: it asks when it is first started in one.")
    }
}
