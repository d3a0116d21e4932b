//! Where an agent keeps its conversations on this machine, by the agent's name.

use std::path::{Path, PathBuf};

use agents::Adapter;
use agents::transcript::{Conversations, Folder};

use crate::report::{Failure, hint};
use crate::world::{self, World};

pub(super) struct Kept {
    pub(super) agent: &'static str,
    pub(super) conversations: &'static dyn Conversations,
    pub(super) folder: PathBuf,
}

impl Kept {
    /// In `folder`, or where the agent puts them by itself.
    pub(super) fn of(world: &World, agent: &str, folder: Option<&Path>) -> anyhow::Result<Self> {
        let found = agents::by_name(agent).and_then(|adapter| Some((adapter, adapter.conversations()?)));
        let Some((adapter, conversations)) = found else {
            let readable = agents::ALL.iter().filter(|adapter| adapter.conversations().is_some());
            let known: Vec<_> = readable.map(|adapter| Adapter::name(*adapter)).collect();
            let what = format!("the conversations of \"{agent}\" cannot be read");
            return Err(hint(Failure::Person, what, format!("known: {}", known.join(", "))));
        };
        let folder = match folder {
            Some(folder) => world.cwd.join(folder),
            None => default_folder(world, conversations.folder())?,
        };
        Ok(Self { agent: adapter.name(), conversations, folder })
    }
}

fn default_folder(world: &World, kept: &Folder) -> anyhow::Result<PathBuf> {
    let named = world::variable(kept.variable).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    if let Some(folder) = named {
        return Ok(world.cwd.join(folder).join(kept.below_variable));
    }
    let home = world.home.as_deref().ok_or_else(|| {
        hint(Failure::Person, "HOME is not set", "set HOME, or name the folder with --folder")
    })?;
    Ok(home.join(kept.below_home))
}
