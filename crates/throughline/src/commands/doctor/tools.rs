//! Which compilers and linters `check-code` runs for the project here, and what keeps it from the others. Runs none of them.

use checks::{State, Trust, survey};

use super::Finding;
use crate::config;
use crate::world::{World, variable};

pub(super) fn tools(world: &World) -> Vec<Finding> {
    let (config, _) = config::load(&world.place);
    if !config.is_on("check-code") {
        return Vec::new();
    }
    let root = world.project_root();
    let root = root.canonicalize().unwrap_or(root);
    let trust = Trust::of(config.text("checks.project-code"));
    let path = variable("PATH").unwrap_or_default();
    let (mut found, mut findings) = (Vec::new(), Vec::new());
    for seen in survey(&root, &path, trust) {
        let name = seen.tool.name;
        let inside = seen.folder.strip_prefix(&root).unwrap_or(&seen.folder).display().to_string();
        let inside = if inside.is_empty() { String::new() } else { format!(" in {inside}") };
        match seen.state {
            State::Found(_) => found.push(name),
            // There is nothing for a person to do yet.
            State::Lacks(_) => {}
            State::Missing => findings.push(Finding::warn(
                "checks",
                format!("check-code would use {name}{inside}, and it is not installed"),
                seen.tool.get,
            )),
            State::RunsCode => findings.push(Finding::warn(
                "checks",
                format!(
                    "check-code does not use {name}{inside}: it runs code of the project, and nothing shows that this was \
                     installed or built here"
                ),
                "install or build the project, or `throughline config set checks.project-code always`",
            )),
        }
    }
    if !found.is_empty() {
        findings.insert(0, Finding::ok("checks", format!("check-code uses {}", found.join(", "))));
    }
    findings
}
