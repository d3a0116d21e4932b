//! Which workspaces may have their own compilers and linters run. Only a person says so: no agent's tool and no page does.

use std::path::{Path, PathBuf};

use anyhow::Context;
use checks::{By, Trusted};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::report::{Failure, hint};
use crate::world::{World, variable};
use crate::{print, when};

#[derive(Debug, Args)]
pub(crate) struct Checks {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Let the compilers and linters of a workspace run after edits
    #[command(
        after_help = "Example: throughline checks trust\n\nTrust is of one repository: not of the folder around it, \
                            and not of a repository inside of it. What runs when: docs/guide/checks.md"
    )]
    Trust {
        /// The workspace [default: the one of this folder]
        #[arg(value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
    /// Run nothing of a workspace any more
    Untrust {
        /// The workspace [default: the one of this folder]
        #[arg(value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
    /// Workspaces you trust, and whether the one here is
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
}

impl Checks {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        match &self.command {
            Command::Trust { folder } => trust(world, folder.as_deref()),
            Command::Untrust { folder } => untrust(world, folder.as_deref()),
            Command::List { json } => list(world, *json),
        }
    }
}

fn trust(world: &World, folder: Option<&Path>) -> anyhow::Result<()> {
    let folder = world.cwd.join(folder.unwrap_or(Path::new("")));
    if !folder.is_dir() {
        let what = format!("{} is not a folder", folder.display());
        return Err(hint(Failure::Person, what, "name the folder of a workspace"));
    }
    let root = root_of(&folder);
    if root.parent().is_none()
        || world.home.as_ref().and_then(|home| home.canonicalize().ok()) == Some(root.clone())
    {
        let what = format!("{} is no workspace: everything you have is in it", root.display());
        return Err(hint(Failure::Person, what, "name the folder of one project"));
    }
    world.place.ensure().with_context(|| world.place.data.display().to_string())?;
    let shown = root.display();
    if Trusted::of(&world.place.data).add(&root, when::now())? {
        print::line(&format!("{shown} is trusted: its own compilers and linters run after edits"))
    } else {
        print::line(&format!("{shown} was trusted already"))
    }
}

fn untrust(world: &World, folder: Option<&Path>) -> anyhow::Result<()> {
    let folder = world.cwd.join(folder.unwrap_or(Path::new("")));
    let trusted = Trusted::of(&world.place.data);
    // A folder that is gone is on the list under the name it had.
    let root = if folder.is_dir() { root_of(&folder) } else { folder };
    let is_gone = trusted.remove(&root)?;
    let shown = root.display();
    match trusted.by(&root, &claude()) {
        Some(By::Claude) => print::line(&format!(
            "{shown} is trusted in Claude Code, and that counts; `throughline behaviors disable check-code` runs nothing \
             anywhere"
        )),
        Some(By::Person) => print::line(&format!("{shown} is a work tree of a repository that is trusted")),
        None if is_gone => print::line(&format!("{shown} is not trusted any more: nothing of it is run")),
        None => print::line(&format!("{shown} was not trusted")),
    }
}

fn list(world: &World, json: bool) -> anyhow::Result<()> {
    let trusted = Trusted::of(&world.place.data);
    let entries = trusted.entries().with_context(|| "the list of trusted workspaces cannot be read")?;
    let here = root_of(&world.cwd);
    let by = trusted.by(&here, &claude());
    if json {
        entries
            .iter()
            .try_for_each(|entry| print::json(&json!({ "root": entry.root, "at": entry.at, "by": "you" })))?;
        if by == Some(By::Claude) {
            print::json(&json!({ "root": here, "at": null, "by": "Claude Code" }))?;
        }
        return Ok(());
    }
    for entry in &entries {
        print::line(&format!(
            "{}  {}",
            print::time(entry.at),
            print::one_line(&entry.root.display().to_string(), 300)
        ))?;
    }
    let shown = here.display();
    print::line(&match by {
        Some(By::Person) => format!("{shown}, here, is trusted"),
        Some(By::Claude) => format!("{shown}, here, is trusted, as you told Claude Code"),
        None => format!(
            "{shown}, here, is not trusted: nothing of it is run; `throughline checks trust` changes that"
        ),
    })
}

fn claude() -> Vec<PathBuf> {
    checks::claude_files(variable("HOME"), variable("CLAUDE_CONFIG_DIR"))
}

/// The repository a folder lies in, else the folder itself.
fn root_of(folder: &Path) -> PathBuf {
    PathBuf::from(daemon::resolve_workspace(folder).root)
}
