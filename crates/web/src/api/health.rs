//! What `throughline doctor` finds, with the command that repairs it, and what is wrong just now.

use model::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::endpoint::{Asked, Endpoint, Given, get};
use crate::House;
use crate::problem::{self, Problem};

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![get("/api/v1/health", "What is in order, what is not, and what repairs it", health)]
}

#[derive(Debug, Serialize, JsonSchema)]
struct Health {
    #[serde(flatten)]
    report: Report,
    faults: Vec<Fault>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Report {
    state: State,
    version: String,
    findings: Vec<Finding>,
    /// When the checks were made; null while they are made for the first time.
    #[serde(default)]
    checked_at: Option<Millis>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Warn,
    Fail,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Finding {
    check: String,
    state: State,
    what: String,
    /// The command that repairs it.
    repair: Option<String>,
}

/// Something that is wrong just now.
#[derive(Debug, Serialize, JsonSchema)]
struct Fault {
    what: String,
    /// The command that repairs it.
    repair: String,
    /// Since when, where that is known.
    since: Option<Millis>,
}

fn health(house: &dyn House, _: Asked) -> Result<Given<Health>, Problem> {
    let report = serde_json::from_value(house.checks()).map_err(|_| problem::OUT_OF_ORDER)?;
    let faults = house.faults().into_iter().map(|fault| Fault {
        // `journal:1794825000000`; what stands in the settings has no moment.
        since: fault.name.rsplit_once(':').and_then(|(_, since)| since.parse().ok()),
        what: fault.what,
        repair: fault.repair,
    });
    Ok(Health { report, faults: faults.collect() }.into())
}
