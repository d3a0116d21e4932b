//! Lists checkpoints: the records, and the refs that have none.

use std::collections::HashSet;

use checkpoint::{AUTOMATIC, Entry, Repository};
use clap::Args;
use serde_json::{Value, json};

use super::super::reader;
use crate::print;
use crate::report::person;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Of all folders
    #[arg(long)]
    all: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let rows = rows(world, self.all)?;
        if self.json {
            return rows.iter().try_for_each(|row| print::json(&row.to_json()));
        }
        if rows.is_empty() {
            print::remark("no checkpoint yet: `throughline checkpoint create` makes one");
            return Ok(());
        }
        let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
        print::table(
            &["CHECKPOINT", "AT", "BRANCH", "CHANGES", "FILES", "SESSION", "MESSAGE"],
            &cells,
            world.color,
        )
    }
}

/// Newest first.
pub(super) fn rows(world: &World, all: bool) -> anyhow::Result<Vec<Row>> {
    let repository = super::look(&world.cwd)?.ok();
    let entries = repository.as_ref().map_or_else(|| Ok(Vec::new()), Repository::list);
    let entries = entries.map_err(super::explain)?;
    let refs: HashSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    let here = daemon::resolve_workspace(&world.cwd).root;
    let tables = reader::tables(world).ok();
    let records = tables.map(|tables| tables.checkpoints(None, 0)).transpose().map_err(person)?;
    let records = records.unwrap_or_default();
    let known: HashSet<&str> = records.iter().map(|record| record.id.as_str()).collect();
    let mut rows: Vec<Row> = Vec::new();
    for record in records.iter().filter(|record| all || record.root == here) {
        // What lies in another repository cannot be seen from here.
        let files = match &record.reference {
            None => Some(false),
            Some(_) if refs.contains(record.id.as_str()) => Some(true),
            Some(_) => (record.root == here).then_some(false),
        };
        rows.push(Row { at: record.at, files, value: json!(record) });
    }
    let strays = entries.iter().filter(|entry| !known.contains(entry.id.as_str()));
    rows.extend(strays.map(|entry| Row { at: entry.at * 1000, files: Some(true), value: stray(entry) }));
    rows.sort_by_key(|row| std::cmp::Reverse(row.at));
    Ok(rows)
}

pub(super) struct Row {
    at: u64,
    /// Whether the files are still there. `None`: not to be seen from here.
    files: Option<bool>,
    value: Value,
}

impl Row {
    pub(super) fn to_json(&self) -> Value {
        let mut value = self.value.clone();
        value["files_kept"] = json!(self.files);
        value["automatic"] = json!(self.value["id"].as_str().is_some_and(|id| id.starts_with(AUTOMATIC)));
        value
    }

    fn cells(&self) -> Vec<String> {
        let text = |name: &str, most: usize| {
            let text = self.value[name].as_str().unwrap_or("-");
            print::one_line(text, most)
        };
        let files = match (self.files, self.value["reference"].is_string()) {
            (Some(true), _) => "kept",
            (Some(false), true) => "gone",
            (Some(false), false) => "none",
            (None, _) => "elsewhere",
        };
        let changes = self.value["dirty"].as_array().map_or(0, Vec::len);
        vec![
            text("id", 20),
            print::time(self.at),
            text("branch", 24),
            changes.to_string(),
            files.to_owned(),
            text("session", 9),
            text("message", 60),
        ]
    }
}

/// Kept by git, while our own record of it is gone.
fn stray(entry: &Entry) -> Value {
    json!({ "id": entry.id, "at": entry.at * 1000, "reference": entry.reference, "message": entry.title })
}
