//! Whether agents are attached, with which release of ours, and whether their hooks have somebody to talk to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agents::{Adapter, Holds, Scope, SettingsFile};
use model::EventKind;

use super::{Finding, managed};
use crate::commands::settings_file;
use crate::world::World;

/// Of many events the first ones tell.
const MAX_NAMED: usize = 5;

pub(super) fn settings(world: &World) -> Vec<Finding> {
    let (mut found, mut others) = (Vec::new(), Vec::new());
    for adapter in agents::ALL {
        let mut seen = BTreeSet::new();
        let mut attached = Vec::new();
        let mut words = Words::default();
        for (file, scope) in adapter.files().iter().flat_map(|file| Scope::ALL.map(|scope| (*file, scope))) {
            let Ok(Some(path)) = world.settings_path(adapter.home(), file, scope) else { continue };
            // In the home folder itself the project's settings are the person's own.
            if seen.insert(path.clone()) {
                attached.extend(attachment(world, *adapter, file, &path, &mut words));
            }
        }
        if attached.is_empty() && world.agent_home(adapter.home()).is_ok_and(|home| home.is_dir()) {
            others.push(*adapter);
        }
        found.extend(attached);
        found.extend(words.missing(*adapter));
    }
    if found.is_empty() {
        let repair = others.first().map_or_else(|| "throughline install".to_owned(), |agent| install(*agent));
        return vec![Finding::warn("settings", "no agent is attached", repair)];
    }
    found.extend(managed::managed());
    // Whom a person attaches is theirs to decide: that there are others is worth a word and no warning.
    found.extend(others.into_iter().map(|agent| {
        Finding::ok("settings", format!("{} is not attached; `{}` does it", agent.name(), install(agent)))
    }));
    found
}

/// The command that attaches an agent.
fn install(adapter: &dyn Adapter) -> String {
    if adapter.name() == agents::ALL[0].name() {
        "throughline install".to_owned()
    } else {
        format!("throughline install --client {}", adapter.name())
    }
}

/// What hooks say to our MCP server, and what the servers of the same agent expect.
#[derive(Default)]
struct Words {
    said: BTreeSet<String>,
    expected: BTreeSet<String>,
}

impl Words {
    fn note(&mut self, holds: Holds, word: Option<String>) {
        match holds {
            Holds::Hooks => self.said.extend(word),
            Holds::Server => self.expected.extend(word),
            Holds::Both => {}
        }
    }

    /// Hooks that nobody answers: what they would have told us is lost.
    fn missing(&self, adapter: &dyn Adapter) -> Option<Finding> {
        let what = "hooks call an MCP server of ours that is not registered, or waits for others";
        let repair = format!("{} --fast", install(adapter));
        (!self.said.is_subset(&self.expected)).then(|| Finding::fail("settings", what, repair))
    }
}

/// A few names, and how many more.
fn names(kinds: &[EventKind]) -> String {
    let mut names: Vec<String> = kinds.iter().take(MAX_NAMED).map(|kind| kind.name().to_owned()).collect();
    if kinds.len() > MAX_NAMED {
        names.push(format!("and {} more", kinds.len() - MAX_NAMED));
    }
    names.join(", ")
}

/// `None`: the file does not name us.
fn attachment(
    world: &World,
    adapter: &dyn Adapter,
    file: &dyn SettingsFile,
    path: &Path,
    words: &mut Words,
) -> Option<Finding> {
    let shown = path.display();
    let text = match settings_file::read(path) {
        Ok(text) => text?,
        Err(error) => {
            return Some(Finding::fail("settings", error.to_string(), format!("chmod u+r '{shown}'")));
        }
    };
    let installed = match file.installed(&text) {
        Ok(installed) => installed,
        Err(error) => {
            return Some(Finding::fail("settings", format!("{shown}: {error}"), format!("correct {shown}")));
        }
    };
    if installed.programs.is_empty() {
        let what = format!("{shown} enables our plugin, which brings its own hooks");
        return installed.plugin.then(|| Finding::ok("settings", what));
    }
    let is_fast = installed.word.is_some();
    words.note(file.holds(), installed.word);
    let repair = if is_fast { format!("{} --fast", install(adapter)) } else { install(adapter) };
    let (hook, _) = world.hook_program();
    let is_ours = |name: &&String| [&hook, &world.executable].contains(&&PathBuf::from(name));
    let others: Vec<_> = installed.programs.iter().filter(|name| !is_ours(name)).cloned().collect();
    let is_gone = |name: &&String| Path::new(name).is_absolute() && !Path::new(name).is_file();
    Some(if installed.hooks_disabled {
        Finding::fail(
            "settings",
            format!("{shown} switches all hooks off"),
            format!("remove disableAllHooks from {shown}"),
        )
    } else if let Some(gone) = installed.programs.iter().find(is_gone) {
        Finding::fail("settings", format!("{shown} names {gone}, which does not exist"), repair)
    } else if !installed.doubled.is_empty() {
        let what =
            format!("{shown} calls us twice on {}; each event is kept once", names(&installed.doubled));
        Finding::warn("settings", what, repair)
    } else if installed.outdated {
        Finding::warn("settings", format!("{shown} was written by another release"), repair)
    } else if !installed.missing.is_empty() && !installed.present.is_empty() {
        let what = format!(
            "hooks of ours were deleted from {shown}, or narrowed in it: {}",
            names(&installed.missing)
        );
        Finding::warn("settings", what, repair)
    } else if installed.stale || !installed.missing.is_empty() {
        let what = format!("{shown} is not as this release writes it: by another one, or by hand");
        Finding::warn("settings", what, repair)
    } else if !others.is_empty() {
        let what = format!("{shown} runs {}, not this one", others.join(", "));
        Finding::warn("settings", what, repair)
    } else if installed.present.is_empty() {
        Finding::ok("settings", format!("{shown} names our MCP server"))
    } else {
        let fast = adapter.fast_hooks().filter(|_| is_fast).map_or(0, |fast| fast.events.len());
        let how = if is_fast { format!(", {fast} of them through the MCP server") } else { String::new() };
        Finding::ok("settings", format!("{shown} calls us on {} events{how}", installed.present.len()))
    })
}
