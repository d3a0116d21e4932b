//! What throughline does by itself: each with its manual, its switch and what it costs. The switch is a setting.

use std::time::Duration;

use model::EventKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::endpoint::{Asked, Endpoint, Given, Nothing, get, put};
use super::settings::by_hand;
use super::words::Name;
use crate::House;
use crate::problem::Problem;

/// The daemon answers in a millisecond.
const STATUS: Duration = Duration::from_secs(2);

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        get("/api/v1/behaviors", "Behaviors, whether they are on and what they cost", list),
        put("/api/v1/behaviors/{name}", "Switch a behavior on or off", switch),
    ]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Behaviors {
    items: Vec<Behavior>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Behavior {
    name: &'static str,
    manual: &'static str,
    on: bool,
    /// Which layer says so: `default`, `user`, `environment`, …
    origin: String,
    /// The file or variable that says so; empty for a default.
    place: String,
    /// Empty: every event.
    events: Vec<&'static str>,
    /// While an agent waits, since the daemon started.
    latency: Latency,
    failed: u64,
    late: u64,
    panicked: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Latency {
    count: u64,
    p50_us: u64,
    p99_us: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    name: Name,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Switch {
    on: bool,
}

fn list(house: &dyn House, _: Asked) -> Result<Given<Behaviors>, Problem> {
    let status = house.ask(&json!({ "ask": "status" }), STATUS);
    let settings = house.settings();
    let items = engine::ALL.iter().map(|behavior| describe(*behavior, &status, &settings)).collect();
    Ok(Behaviors { items }.into())
}

fn switch(house: &dyn House, asked: Asked<Which, Nothing, Switch>) -> Result<Given<Behavior>, Problem> {
    let behavior = engine::by_name(asked.path.name.as_str())
        .ok_or(Problem::not_found("no behavior has this name", "GET /api/v1/behaviors lists them"))?;
    let key = format!("behaviors.{}", behavior.name());
    // A switch is a setting, and one that only a person turns is none of this door's.
    if let Some(problem) = engine::config::key(&key).as_ref().and_then(by_hand) {
        return Err(problem);
    }
    let value = if asked.body.on { "on" } else { "off" };
    house
        .set(&key, Some(value))
        .map_err(|refusal| Problem::refusal("the switch was not turned", &refusal))?;
    let status = house.ask(&json!({ "ask": "status" }), STATUS);
    Ok(describe(behavior, &status, &house.settings()).into())
}

fn describe(behavior: &'static dyn engine::Behavior, status: &Value, settings: &[Value]) -> Behavior {
    let name = behavior.name();
    let key = format!("behaviors.{name}");
    let setting = settings.iter().find(|setting| setting["key"] == key.as_str()).unwrap_or(&Value::Null);
    let counted = status["behaviors"].as_array().into_iter().flatten().find(|one| one["name"] == name);
    let number = |path: &str| counted.and_then(|one| one.pointer(path)).and_then(Value::as_u64).unwrap_or(0);
    let text = |field: &str| setting[field].as_str().unwrap_or_default().to_owned();
    let is_every = behavior.on().len() == EventKind::ALL.len();
    Behavior {
        name,
        manual: behavior.manual(),
        on: setting["value"] != "off",
        origin: text("origin"),
        place: text("place"),
        events: if is_every { Vec::new() } else { behavior.on().iter().map(|kind| kind.name()).collect() },
        latency: Latency {
            count: number("/advice/count"),
            p50_us: number("/advice/p50_us_below"),
            p99_us: number("/advice/p99_us_below"),
        },
        failed: number("/failed"),
        late: number("/late"),
        panicked: number("/panicked"),
    }
}
