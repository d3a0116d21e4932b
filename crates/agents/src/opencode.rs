//! The dialect of OpenCode, as measured with release 1.18.33. OpenCode runs plugins, not programs, so a small one of
//! ours (`opencode/shim.js`) carries envelopes and answers; what they mean is said here. Lenient in, strict out.

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
pub struct OpenCode;

const HOME: AgentHome = AgentHome { variable: "OPENCODE_CONFIG_DIR", folder: ".config/opencode" };

impl Adapter for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
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
        Some(&transcript::OpenCodeSessions)
    }

    fn events_to_register(&self) -> &'static [EventKind] {
        powers::REGISTERED
    }

    fn home(&self) -> &'static AgentHome {
        &HOME
    }

    fn files(&self) -> &'static [&'static dyn SettingsFile] {
        &[&settings::Shim]
    }
}
