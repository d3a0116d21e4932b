//! The dialect of GitHub Copilot CLI, as measured with release 1.0.102: hooks registered under the names of the
//! house get envelopes with the house's field names. Lenient in, strict out.
//!
//! Two of its ways differ from everybody's. A hook that fails before a tool call denies the call, so our command
//! line cannot fail. And where several hooks answer a prompt, only the last one's context reaches the model.

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
pub struct Copilot;

const HOME: AgentHome = AgentHome { variable: "COPILOT_HOME", folder: ".copilot" };

impl Adapter for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
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
        Some(&transcript::SessionStates)
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
}
