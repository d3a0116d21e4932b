//! Shows one checkpoint: its record, its hand-off, and how its files differ from the commit it stands on.

use checkpoint::{CheckpointError, Shown};
use clap::Args;
use serde_json::{Value, json};

use super::super::reader;
use super::Found;
use crate::print;
use crate::world::World;

/// Files a person reads through; all of them are in the JSON.
const SHOWN: usize = 40;

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Its id, or the beginning of it
    id: String,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let LookedAt { found, files } = look_at(world, &self.id)?;
        if self.json {
            return print::json(&to_json(&found, files.as_ref()));
        }
        print::text(&to_text(&found, files.as_ref(), world.color))
    }
}

/// A record, and its files where they still are.
pub(super) struct LookedAt {
    found: Found,
    files: Option<Shown>,
}

impl LookedAt {
    pub(super) fn to_json(&self) -> Value {
        to_json(&self.found, self.files.as_ref())
    }
}

pub(super) fn look_at(world: &World, id: &str) -> anyhow::Result<LookedAt> {
    let tables = reader::tables(world).ok();
    let here = super::look(&world.cwd)?.ok();
    let found = super::find(tables.as_ref(), here.as_ref(), id)?;
    // The files lie where it was made, which may be elsewhere.
    let root = found.record.as_ref().map(|record| record.root.clone());
    let there = root.and_then(|root| super::look(root.as_ref()).ok()?.ok()).or(here);
    let files = match there.map(|repository| repository.show(&found.id)) {
        None | Some(Err(CheckpointError::Unknown(_))) => None,
        Some(shown) => Some(shown.map_err(super::explain)?),
    };
    Ok(LookedAt { found, files })
}

fn to_json(found: &Found, files: Option<&Shown>) -> Value {
    let mut value = found.record.as_ref().map_or_else(|| json!({ "id": found.id }), |record| json!(record));
    value["files_kept"] = json!(files.is_some());
    if let Some(shown) = files {
        value["reference"] = json!(shown.reference);
        value["commit"] = json!(shown.commit);
        value["head"] = json!(shown.head);
        let file = |file: &checkpoint::FileStat| {
            let (added, deleted) = file.lines.unzip();
            json!({ "path": file.path.to_string_lossy(), "added": added, "deleted": deleted })
        };
        value["files"] = shown.files.iter().map(file).collect();
    }
    value
}

fn to_text(found: &Found, files: Option<&Shown>, color: bool) -> String {
    let mut out = format!("{}\n", print::bold(&format!("checkpoint {}", found.id), color));
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            out.push_str(&format!("{name:<10}{}\n", print::one_line(value, 300)));
        }
    };
    if let Some(record) = &found.record {
        line("at", &print::time(record.at));
        line("message", record.message.as_deref().unwrap_or_default());
        line("folder", &record.root);
        line("session", record.session.as_ref().map_or("", |session| session.as_str()));
    }
    let head = files.and_then(|shown| shown.head.as_deref()).unwrap_or_default();
    line("commit", head);
    line("branch", files.and_then(|shown| shown.branch.as_deref()).unwrap_or_default());
    match files {
        Some(shown) => line("files", &shown.reference),
        None if found.record.as_ref().is_some_and(|record| record.reference.is_some()) => {
            line("files", "gone from the repository");
        }
        None => line("files", "none: it was made outside of a repository"),
    }
    if let Some(shown) = files {
        out.push_str(&stat(shown));
    }
    if let Some(text) = found.record.as_ref().and_then(|record| record.hand_off.as_deref()) {
        out.push_str(&format!("\n{}\n{}", print::bold("Hand-off", color), print::block(text, 2)));
    }
    out
}

fn stat(shown: &Shown) -> String {
    let mut out = String::new();
    for file in shown.files.iter().take(SHOWN) {
        let lines =
            file.lines.map_or_else(|| "binary".to_owned(), |(added, deleted)| format!("+{added} -{deleted}"));
        out.push_str(&format!("  {lines:<12}{}\n", print::one_line(&file.path.to_string_lossy(), 160)));
    }
    if shown.files.len() > SHOWN {
        out.push_str(&format!("  and {} more\n", shown.files.len() - SHOWN));
    }
    for path in shown.skipped.iter().take(SHOWN) {
        out.push_str(&format!("  {:<12}{}\n", "not kept", print::one_line(&path.to_string_lossy(), 160)));
    }
    out
}
