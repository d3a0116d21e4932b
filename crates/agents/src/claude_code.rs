//! The dialect of Claude Code, as measured: reading its 33 events, answering them, and its settings files.
//! Lenient in, strict out: one field of the wrong type in an answer voids the whole answer.

mod powers;
mod read;
mod settings;
pub(crate) mod transcript;
mod write;

use model::{Advice, Event, EventKind, Reply};

use crate::read::Contents;
use crate::transcript::Conversations;
use crate::{Adapter, AgentHome, FastHooks, Incoming, Powers, SettingsFile};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaudeCode;

const HOME: AgentHome = AgentHome { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" };

impl Adapter for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn read(&self, incoming: &Incoming<'_>) -> Event {
        read::read(self.name(), incoming, Contents::Decoded)
    }

    fn glance(&self, incoming: &Incoming<'_>) -> Event {
        read::read(self.name(), incoming, Contents::LeftOut)
    }

    fn subagent_file(&self, incoming: &Incoming<'_>) -> Option<String> {
        read::subagent_file(incoming)
    }

    fn powers(&self, kind: EventKind) -> Powers {
        powers::powers(kind)
    }

    fn write(&self, event: &Event, advice: &Advice) -> Reply {
        write::write(event, advice)
    }

    fn conversations(&self) -> Option<&'static dyn Conversations> {
        Some(&ClaudeCode)
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
    fn fast_hooks(&self) -> Option<&'static FastHooks> {
        Some(&settings::FAST)
    }
}
