//! The dialect of Claude Code, as measured: reading its 33 events, answering them, and its settings files.
//! Lenient in, strict out: one field of the wrong type in an answer voids the whole answer.

mod hooks;
mod powers;
mod read;
pub(crate) mod transcript;
mod write;

use model::{Advice, Event, EventKind, Reply};
use read::Contents;

use crate::transcript::Conversations;
use crate::{Adapter, Edit, HookCommand, Incoming, Installed, Powers, SettingsError, SettingsPaths};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaudeCode;

/// `~/.claude/settings.json` (the folder is moved by `CLAUDE_CONFIG_DIR`), and in a project's root
/// `.claude/settings.json` for everyone and `.claude/settings.local.json` for this person alone.
const PATHS: SettingsPaths = SettingsPaths {
    home_variable: "CLAUDE_CONFIG_DIR",
    home_folder: ".claude",
    user: "settings.json",
    project: ".claude/settings.json",
    local: ".claude/settings.local.json",
};

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

    fn settings_paths(&self) -> &'static SettingsPaths {
        &PATHS
    }

    fn plan_install(&self, text: Option<&str>, hook: &HookCommand) -> Result<Edit, SettingsError> {
        hooks::add(text, hook)
    }

    fn plan_uninstall(&self, text: &str) -> Result<Edit, SettingsError> {
        hooks::remove(text)
    }

    fn installed(&self, text: &str) -> Result<Installed, SettingsError> {
        hooks::installed(text)
    }
}
