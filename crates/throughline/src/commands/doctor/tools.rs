//! Which compilers and linters `check-code` runs for the project here, and what keeps it from the others. Runs none of them.

use std::path::Path;

use checks::{By, Folders, Ground, State, Trust, Trusted, survey};

use super::Finding;
use crate::config;
use crate::print;
use crate::world::{World, variable};

/// Folders of a path that are named; the rest is counted.
const MAX_FOLDERS: usize = 12;

pub(super) fn tools(world: &World) -> Vec<Finding> {
    let (config, _) = config::load(&world.place);
    if !config.is_on("check-code") {
        return Vec::new();
    }
    let root = world.project_root();
    let root = root.canonicalize().unwrap_or(root);
    let trusted = Trusted::of(&world.place.data);
    let claude = checks::claude_files(variable("HOME"), variable("CLAUDE_CONFIG_DIR"));
    let is_trusted = |root: &Path| trusted.by(root, &claude).is_some();
    let path = variable("PATH").unwrap_or_default();
    let code = Trust::of(config.text("checks.project-code"));
    let ground =
        Ground { root: &root, path: &path, home: world.home.as_deref(), code, is_trusted: &is_trusted };
    let seen = survey(&ground);
    if seen.is_empty() {
        return Vec::new();
    }
    let Some(by) = trusted.by(&root, &claude) else {
        let names: Vec<_> = seen.iter().map(|seen| seen.tool.name).collect();
        let what = format!(
            "check-code runs nothing here, because you have not said that you trust {}; it would look for {}",
            root.display(),
            names.join(", ")
        );
        return vec![Finding::warn("checks", what, "throughline checks trust")];
    };
    let (mut found, mut findings) = (Vec::new(), Vec::new());
    let mut is_missing = false;
    for seen in seen {
        let name = seen.tool.name;
        let inside = seen.folder.strip_prefix(&root).unwrap_or(&seen.folder).display().to_string();
        let inside = if inside.is_empty() { String::new() } else { format!(" in {inside}") };
        match seen.state {
            State::Found(_) => found.push(name),
            // There is nothing for a person to do yet.
            State::Lacks(_) | State::Untrusted => {}
            State::Missing => {
                is_missing = true;
                let what = format!("check-code would use {name}{inside}, and it is not installed");
                findings.push(Finding::warn("checks", what, seen.tool.get));
            }
            State::RunsCode => findings.push(Finding::warn(
                "checks",
                format!(
                    "check-code does not use {name}{inside}: it runs code of the project, and nothing shows that this was \
                     installed or built here"
                ),
                "install or build the project, or `throughline config set checks.project-code always`",
            )),
            State::Foreign => findings.push(Finding::warn(
                "checks",
                format!(
                    "check-code does not use {name}{inside}: it runs code of a package that does not belong to this workspace"
                ),
                "name it as a member of the workspace, or open it as its own",
            )),
        }
    }
    let whose = match by {
        By::Person => "as you trust it",
        By::Claude => "as you trust it in Claude Code",
    };
    if !found.is_empty() {
        let what = format!("check-code uses {}, {whose}", found.join(", "));
        findings.insert(0, Finding::ok("checks", what));
    }
    if is_missing || !found.is_empty() {
        findings.push(Finding::ok("checks", looked_at(&ground.folders())));
    }
    findings
}

/// The path that was looked at. A session has its own, and that is the one that counts for it.
fn looked_at(folders: &Folders) -> String {
    let mut shown: Vec<String> =
        folders.persons.iter().take(MAX_FOLDERS).map(|folder| folder.display().to_string()).collect();
    if folders.persons.len() > MAX_FOLDERS {
        shown.push(format!("and {} more", folders.persons.len() - MAX_FOLDERS));
    }
    let shown = if shown.is_empty() { "nothing".to_owned() } else { shown.join(":") };
    let mut text = format!("looked at the PATH of this command: {}", print::one_line(&shown, 1000));
    for (folder, why) in folders.left.iter().take(MAX_FOLDERS) {
        let folder = folder.display().to_string();
        let folder = if folder.is_empty() { "an empty entry" } else { &folder };
        text.push_str(&format!("; not at {}, because {why}", print::one_line(folder, 200)));
    }
    text.push_str("; a session's tools are looked for on the PATH its own hooks have");
    text
}
