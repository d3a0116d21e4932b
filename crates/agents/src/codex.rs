//! The dialect of Codex, measured with Codex CLI 0.166: Claude Code's words on the wire, fewer events, stricter
//! answers. One field it does not take voids the whole answer, so less is said than it could read.

pub(crate) mod patch;
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
pub struct Codex;

const HOME: AgentHome = AgentHome { variable: "CODEX_HOME", folder: ".codex" };

impl Adapter for Codex {
    fn name(&self) -> &'static str {
        "codex"
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
        Some(&transcript::Rollouts)
    }

    fn events_to_register(&self) -> &'static [EventKind] {
        powers::REGISTERED
    }

    fn home(&self) -> &'static AgentHome {
        &HOME
    }

    fn files(&self) -> &'static [&'static dyn SettingsFile] {
        &[&settings::Hooks, &settings::Servers]
    }

    /// A hook runs once a person has looked at it, and again after every change of its line. That decision is theirs:
    /// the hash that records it is never written by us.
    fn last_step(&self) -> Option<&'static str> {
        Some(
            "Codex runs a hook only after you have trusted it: start `codex` and choose \"Trust all and continue\" \
             (later: `/hooks`).",
        )
    }
}
