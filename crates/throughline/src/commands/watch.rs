//! Which agents' conversations are read as they are written. For agents without hooks: nothing is watched unless a
//! person says so here, and the daemon does the reading.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::conversations::Kept;
use super::{config as settings, reader};
use crate::report::{Failure, hint};
use crate::world::World;
use crate::{config, print};

const KEY: &str = "watch.agents";
/// How long the daemon may take to say how it goes.
const ANSWER: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
#[command(
    after_help = "For agents whose hooks are not installed; what hooks hear is never taken a second time.\nExample: throughline watch add codex"
)]
pub(crate) struct Watch {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read an agent's conversations as they are written
    Add {
        /// For example codex or gemini-cli
        agent: String,
        /// Where they lie, if not where the agent puts them by itself
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// What is watched, and how it goes
    List {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Stop reading an agent's conversations; what was kept stays
    Remove {
        agent: String,
        /// Only this folder
        #[arg(long, value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

impl Watch {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        match &self.command {
            Command::Add { agent, folder } => add(world, agent, folder.as_deref()),
            Command::List { json } => list(world, *json),
            Command::Remove { agent, folder } => remove(world, agent, folder.as_deref()),
        }
    }
}

fn add(world: &World, agent: &str, folder: Option<&Path>) -> anyhow::Result<()> {
    let kept = Kept::of(world, agent, folder)?;
    let entry = entry(&kept)?;
    let mut entries = entries(world);
    if entries.contains(&entry) {
        return print::line(&format!("{} is watched already", kept.folder.display()));
    }
    entries.push(entry);
    settings::set(world, KEY, &entries.join(","))?;
    reader::start(world)?;
    if !kept.folder.is_dir() {
        print::remark(&format!("{} is no folder yet; it is looked for", kept.folder.display()));
    }
    print::line(&format!("{} is watched in {}", kept.agent, kept.folder.display()))?;
    print::line(&format!(
        "conversations of the last day are taken in now; `throughline backfill --client {}` takes in older ones",
        kept.agent
    ))
}

fn remove(world: &World, agent: &str, folder: Option<&Path>) -> anyhow::Result<()> {
    let mut entries = entries(world);
    let before = entries.len();
    let folder = folder.map(|folder| world.cwd.join(folder));
    entries.retain(|entry| {
        let (name, path) = entry.split_once('=').unwrap_or((entry, ""));
        name != agent || folder.as_ref().is_some_and(|folder| folder != Path::new(path))
    });
    if entries.len() == before {
        let what = format!("\"{}\" is not watched", print::one_line(agent, 60));
        return Err(hint(Failure::Person, what, "`throughline watch list` shows what is"));
    }
    settings::set(world, KEY, &entries.join(","))?;
    print::line(&format!("{agent} is no longer watched; what was kept stays"))
}

fn list(world: &World, as_json: bool) -> anyhow::Result<()> {
    let entries = entries(world);
    let asked = reader::control(world, &json!({ "ask": "watching" }), Instant::now() + ANSWER);
    // Nothing is known of it: nobody looks.
    let watched = asked.map_or(Value::Null, |mut said| said["watched"].take());
    let rows: Vec<Value> = entries.iter().map(|entry| row(entry, &watched)).collect();
    if as_json {
        return rows.iter().try_for_each(print::json);
    }
    if rows.is_empty() {
        return print::line("nothing is watched; `throughline watch add AGENT` begins it");
    }
    let text = |row: &Value, name: &str| match &row[name] {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    };
    let cells = |row: &Value| {
        ["agent", "folder", "following", "events", "state"].map(|name| text(row, name)).to_vec()
    };
    let rows: Vec<_> = rows.iter().map(cells).collect();
    print::table(&["AGENT", "FOLDER", "FOLLOWING", "NEW EVENTS", "STATE"], &rows, world.color)
}

/// What the configuration says, and what the daemon makes of it.
fn row(entry: &str, watched: &Value) -> Value {
    let (agent, folder) = entry.split_once('=').unwrap_or((entry, ""));
    let real = std::fs::canonicalize(folder).unwrap_or_else(|_| PathBuf::from(folder));
    let found = watched.as_array().into_iter().flatten().find(|one| {
        one["agent"] == agent && one["folder"].as_str().is_some_and(|path| Path::new(path) == real)
    });
    let readable = agents::by_name(agent).is_some_and(|adapter| adapter.conversations().is_some());
    let state = match found {
        _ if !readable => "not read: no such agent".to_owned(),
        _ if !Path::new(folder).is_absolute() => "not read: no folder is named".to_owned(),
        None if watched.is_null() => "the daemon does not run".to_owned(),
        None => "not looked at yet".to_owned(),
        Some(one) => match one["trouble"].as_str() {
            Some(trouble) => print::one_line(trouble, 200),
            None if one["exists"] == false => "the folder is not there yet".to_owned(),
            None if one["behind"] == true => "reading".to_owned(),
            None => "ok".to_owned(),
        },
    };
    let said = |name: &str| found.map(|one| one[name].clone());
    json!({ "agent": agent, "folder": folder, "following": said("following"), "events": said("events"), "state": state })
}

/// What the configuration says.
pub(crate) fn entries(world: &World) -> Vec<String> {
    let (config, _) = config::load(&world.place);
    config.list(KEY).to_vec()
}

/// As it stands in the configuration.
fn entry(kept: &Kept) -> anyhow::Result<String> {
    let path = kept.folder.to_str().filter(|path| !path.contains([',', '\n']));
    let path = path.ok_or_else(|| {
        let what = format!("{} cannot be named in a list", kept.folder.display());
        hint(Failure::Person, what, "name a folder without commas, by a link for example")
    })?;
    Ok(format!("{}={path}", kept.agent))
}
