//! The agents whose language is spoken here, and whether their settings name us.

use agents::{Adapter, Scope};
use web::KnownAgent;

use crate::commands::settings_file;
use crate::config;
use crate::world::World;

pub(super) fn agents(world: &World) -> Vec<KnownAgent> {
    let (config, _) = config::load(&world.place);
    let watched = config.list("watch.agents");
    let is_watched = |name: &str| {
        watched.iter().any(|entry| entry.split_once('=').is_some_and(|(agent, _)| agent == name))
    };
    let one = |adapter: &&'static dyn Adapter| KnownAgent {
        name: adapter.name().to_owned(),
        label: label(adapter.name()).to_owned(),
        installed: is_installed(world, *adapter),
        watched: is_watched(adapter.name()),
    };
    agents::ALL.iter().map(one).collect()
}

/// For a person's own settings; the daemon stands in no project. `None`: a file cannot be read.
fn is_installed(world: &World, adapter: &dyn Adapter) -> Option<bool> {
    let mut found = Some(false);
    for file in adapter.files() {
        let Ok(Some(path)) = world.settings_path(adapter.home(), *file, Scope::User) else { continue };
        let text = settings_file::read(&path);
        match text.map(|text| text.map(|text| file.installed(&text)).transpose()) {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(ours))) if ours.present.is_empty() && !ours.plugin => {}
            Ok(Ok(Some(_))) => return Some(true),
            Ok(Err(_)) | Err(_) => found = None,
        }
    }
    found
}

fn label(name: &str) -> &str {
    match name {
        "claude-code" => "Claude Code",
        "codex" => "Codex",
        "gemini-cli" => "Gemini CLI",
        "opencode" => "OpenCode",
        "copilot" => "GitHub Copilot CLI",
        "cursor" => "Cursor",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_a_name_people_know() {
        for adapter in agents::ALL {
            assert_ne!(label(adapter.name()), adapter.name());
        }
    }
}
