//! What the daemon says of itself: `throughline daemon status --json`, and by what it compares meanings:
//! `throughline model status`.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::endpoint::{Asked, Endpoint, Given, get};
use crate::House;
use crate::problem::{self, Problem};

/// The daemon answers in a millisecond.
const STATUS: Duration = Duration::from_secs(2);

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![get("/api/v1/status", "What the daemon says of itself", status)]
}

fn status(house: &dyn House, _: Asked) -> Result<Given<Map<String, Value>>, Problem> {
    match house.ask(&json!({ "ask": "status" }), STATUS) {
        Value::Object(mut status) => {
            status.insert("embedding".to_owned(), house.ask(&json!({ "ask": "model" }), STATUS));
            Ok(status.into())
        }
        _ => Err(problem::OUT_OF_ORDER),
    }
}
