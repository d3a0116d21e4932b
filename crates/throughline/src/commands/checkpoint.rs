//! Checkpoints: the files as they are, the hand-off as it is, and a record of both to come back to. The files stay in
//! the repository; what lies in our tables is the record.

mod create;
mod diff;
mod list;
mod restore;
mod show;

use std::path::Path;

use checkpoint::{CheckpointError, Place, Repository, Scope};
use clap::{Args, Subcommand};
use mcp::Checkpointing as Wish;
use serde_json::Value;
use store::{StoreError, Tables};

use super::reader;
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

/// Random digits of an id: a thousand checkpoints share none, and a few of them are enough to type.
const ID_DIGITS: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct Checkpoint {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Keep the files and the hand-off as they are now
    Create(create::Create),
    /// List checkpoints of this folder, newest first
    List(list::List),
    /// What a checkpoint holds
    Show(show::Show),
    /// What has changed since a checkpoint
    Diff(diff::Diff),
    /// Bring the files back to a checkpoint, after showing what changes
    Restore(restore::Restore),
}

impl Checkpoint {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        match self.command {
            Command::Create(command) => command.run(world),
            Command::List(command) => command.run(world),
            Command::Show(command) => command.run(world),
            Command::Diff(command) => command.run(world),
            Command::Restore(command) => command.run(world),
        }
    }
}

/// What the commands print with `--json`; a list is an array.
pub(crate) fn to_json(world: &World, wish: Wish) -> anyhow::Result<Value> {
    match wish {
        Wish::Create { message } => Ok(create::make(world, message.as_deref(), None)?.to_json()),
        Wish::List { all } => {
            list::rows(world, all).map(|rows| rows.iter().map(list::Row::to_json).collect())
        }
        Wish::Show { id } => show::look_at(world, &id).map(|shown| shown.to_json()),
        Wish::Restore { id, only_changed, confirm } => {
            let scope = if only_changed { Scope::Dirty } else { Scope::Everything };
            restore::to_json(world, &id, scope, confirm)
        }
    }
}

fn new_id() -> String {
    let minted = client::mint().to_string();
    // The end is random; the beginning, the time, is the same for all of a day.
    minted[minted.len() - ID_DIGITS..].to_owned()
}

/// The repository here, or why there is none to keep files in.
fn look(folder: &Path) -> anyhow::Result<Result<Repository, &'static str>> {
    match checkpoint::find(folder) {
        Ok(Place::WorkTree(repository)) => Ok(Ok(repository)),
        Ok(Place::NoWorkTree) => Ok(Err("nothing is checked out here")),
        Ok(Place::NoRepository) => Ok(Err("this folder is in no git repository")),
        Err(CheckpointError::NoGit) => Ok(Err("the program `git` was not found")),
        Err(error) => Err(explain(error)),
    }
}

/// A record, and the files that belong to it. Either may be gone.
struct Found {
    id: String,
    record: Option<model::Checkpoint>,
}

/// By its id or a beginning of it, in the tables, else among the refs of the repository here.
fn find(tables: Option<&Tables>, repository: Option<&Repository>, id: &str) -> anyhow::Result<Found> {
    let id = reader::as_copied(id);
    let ambiguous = || {
        let what = format!("more than one checkpoint begins with \"{}\"", print::one_line(id, 40));
        hint(Failure::Person, what, "give more of the id")
    };
    let record = match tables.map(|tables| tables.checkpoint(id)) {
        Some(Err(StoreError::Ambiguous(_))) => return Err(ambiguous()),
        Some(found) => found.map_err(person)?,
        None => None,
    };
    if let Some(record) = record {
        return Ok(Found { id: record.id.clone(), record: Some(record) });
    }
    let entries = repository.map_or_else(|| Ok(Vec::new()), Repository::list).map_err(explain)?;
    let fitting: Vec<String> = entries
        .into_iter()
        .map(|entry| entry.id)
        .filter(|name| !id.is_empty() && name.starts_with(id))
        .collect();
    match fitting.as_slice() {
        [one] => Ok(Found { id: one.clone(), record: None }),
        [] => {
            let what = format!("no checkpoint is called \"{}\"", print::one_line(id, 40));
            Err(hint(Failure::Person, what, "`throughline checkpoint list --all` lists them"))
        }
        _ => Err(ambiguous()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it ends here, and is given to `map_err`")]
fn explain(error: CheckpointError) -> anyhow::Error {
    let next = match &error {
        CheckpointError::NoGit => "install git",
        CheckpointError::Late(_) | CheckpointError::TooMuch(_) | CheckpointError::TooMany(_) => {
            "look at `git status`: a folder with very many files may want to be ignored"
        }
        CheckpointError::Refused(_) => "see that `git status` works here",
        CheckpointError::Unknown(_) => "`throughline checkpoint list` says which have files",
        CheckpointError::Outside(_) => "name a file of this work tree",
        CheckpointError::BadId(_) => "`throughline checkpoint list` lists them",
        CheckpointError::InProgress(_) => "finish or abort it, or add --force",
        CheckpointError::Busy(_) => "try again when it has ended; if none runs, remove that file",
        CheckpointError::HalfWay { safety, .. } => {
            let next = format!("`throughline checkpoint restore {safety}` goes back to how it was");
            let cause =
                std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            return hint(Failure::Person, format!("{error}{cause}"), next);
        }
        CheckpointError::Io { source, .. } => {
            return hint(Failure::Person, format!("{error}: {source}"), "run `throughline doctor`");
        }
    };
    hint(Failure::Person, error.to_string(), next)
}
