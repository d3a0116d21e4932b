//! The rules, and how they do.

use clap::Args;
use daemon::rules::Loaded;
use engine::rules::{Kind, Rule};
use serde_json::{Value, json};

use crate::commands::rules::{self, State};
use crate::print;
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct List {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let all = rules::all(world)?;
        let health = rules::health(world);
        if self.json {
            return all.iter().try_for_each(|loaded| print::json(&as_json(world, loaded, &health)));
        }
        if all.is_empty() {
            return print::line("You have no rules; `throughline hook new NAME` begins one.");
        }
        let row = |loaded: &Loaded| {
            let rule = loaded.rule.as_ref().ok();
            let counted = |key: &str| {
                let record = rules::record(&health, &loaded.name);
                record
                    .and_then(|record| record[key].as_u64())
                    .map_or_else(|| "-".to_owned(), |n| n.to_string())
            };
            vec![
                print::one_line(&loaded.name, 60),
                rule.map_or("-", kind).to_owned(),
                rule.map_or_else(|| "-".to_owned(), |rule| events(rule).join(", ")),
                counted("runs"),
                counted("failures"),
                print::one_line(&words(&rules::state(world, loaded, &health)), 200),
            ]
        };
        let rows: Vec<_> = all.iter().map(row).collect();
        print::table(&["RULE", "KIND", "ON", "RUNS", "FAILED", "STATE"], &rows, world.color)
    }
}

fn as_json(world: &World, loaded: &Loaded, health: &Value) -> Value {
    let rule = loaded.rule.as_ref().ok();
    let record = rules::record(health, &loaded.name).cloned().unwrap_or_default();
    let state = rules::state(world, loaded, health);
    let (word, why) = parts(&state);
    json!({
        "name": loaded.name,
        "folder": loaded.folder,
        "kind": rule.map(kind),
        "on": rule.map(events),
        "state": word,
        "why": why,
        "runs": record["runs"],
        "failures": record["failures"],
        "last_micros": record["last_micros"],
    })
}

fn kind(rule: &Rule) -> &'static str {
    match rule.kind {
        Kind::Command => "command",
        Kind::Prompt(_) => "prompt",
    }
}

fn events(rule: &Rule) -> Vec<&'static str> {
    rule.on.iter().map(|kind| kind.name()).collect()
}

fn parts(state: &State) -> (&'static str, Option<&str>) {
    match state {
        State::On => ("on", None),
        State::Off => ("off", None),
        State::Silent(why) => ("silent", Some(why)),
        State::Resting(why) => ("resting", Some(why)),
        State::Broken(why) => ("broken", Some(why)),
    }
}

fn words(state: &State) -> String {
    match parts(state) {
        (word, None) => word.to_owned(),
        (word, Some(why)) => format!("{word}: {why}"),
    }
}
