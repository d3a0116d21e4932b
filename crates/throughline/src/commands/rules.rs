//! What the commands know of a person's rules: where they lie, which one is meant, and what is wrong with them.

use std::path::PathBuf;

use daemon::rules::{Loaded, folder_of, load};
use engine::rules::Kind;
use serde_json::{Value, json};

use super::reader;
use crate::report::{Failure, hint};
use crate::world::World;
use crate::{config, print};

pub(crate) fn folder(world: &World) -> PathBuf {
    folder_of(&world.place.data)
}

pub(crate) fn all(world: &World) -> anyhow::Result<Vec<Loaded>> {
    load(&folder(world)).map_err(|error| {
        hint(Failure::Person, error.to_string(), "rules lie in the data folder itself, and are yours")
    })
}

pub(crate) fn named(world: &World, name: &str) -> anyhow::Result<Loaded> {
    let all = all(world)?;
    let known: Vec<&str> = all.iter().map(|loaded| loaded.name.as_str()).collect();
    let next = match known.as_slice() {
        [] => "`throughline hook new NAME` begins one".to_owned(),
        known => format!("there are {}", known.join(", ")),
    };
    let what = format!("no rule is called \"{}\"", print::one_line(name, 60));
    all.into_iter().find(|loaded| loaded.name == name).ok_or_else(|| hint(Failure::Person, what, next))
}

/// How a rule is, in the words of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    On,
    Off,
    /// It is sound and does nothing, for this reason.
    Silent(String),
    /// It failed too often, the last time like this.
    Resting(String),
    Broken(String),
}

/// What only the daemon knows of the rules; nothing where none runs.
pub(crate) fn health(world: &World) -> Value {
    if reader::status(world).is_none() {
        return Value::Null;
    }
    let until = std::time::Instant::now() + std::time::Duration::from_secs(1);
    reader::control(world, &json!({ "ask": "rules" }), until).unwrap_or_default()
}

/// Of one rule, by what [`health`] said.
pub(crate) fn record<'a>(health: &'a Value, name: &str) -> Option<&'a Value> {
    health["rules"].as_array()?.iter().find(|rule| rule["name"] == name)
}

pub(crate) fn state(world: &World, loaded: &Loaded, health: &Value) -> State {
    let rule = match &loaded.rule {
        Ok(rule) => rule,
        Err(error) => return State::Broken(error.to_string()),
    };
    if !rule.enabled {
        return State::Off;
    }
    let record = record(health, &loaded.name);
    if record.is_some_and(|record| record["resting"] == true) {
        let trouble = record.and_then(|record| record["last_trouble"].as_str()).unwrap_or_default();
        return State::Resting(trouble.to_owned());
    }
    let (config, _) = config::load(&world.place);
    if !config.is_on("run-rules") {
        return State::Silent("the behavior run-rules is off".to_owned());
    }
    if matches!(rule.kind, Kind::Prompt(_)) && daemon::rules::provider(&config).is_none() {
        return State::Silent("no model is named in distill.provider".to_owned());
    }
    State::On
}

/// What is wrong, and the command that repairs it.
pub(crate) fn problems(world: &World) -> Vec<(String, String)> {
    let all = match load(&folder(world)) {
        Ok(all) => all,
        Err(error) => return vec![(error.to_string(), format!("look at {}", folder(world).display()))],
    };
    let health = health(world);
    let problem = |loaded: &Loaded| {
        let (name, path) = (&loaded.name, loaded.folder.display());
        match state(world, loaded, &health) {
            State::On | State::Off => None,
            State::Silent(why) => {
                let repair = if why.contains("run-rules") {
                    "throughline behaviors enable run-rules".to_owned()
                } else {
                    "throughline config set distill.provider NAME".to_owned()
                };
                Some((format!("rule {name} is silent: {why}"), repair))
            }
            State::Resting(why) => Some((
                format!("rule {name} is switched off until it is changed, after failures in a row: {why}"),
                format!("throughline hook test {name}, then correct it in {path}"),
            )),
            State::Broken(why) => {
                Some((format!("rule {name} cannot be used: {why}"), format!("correct it in {path}")))
            }
        }
    };
    all.iter().filter_map(problem).collect()
}
