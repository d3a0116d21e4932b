//! Changing what is kept: a deed is journaled, and in the tables before the answer says so. A GET that follows sees it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Deed;
use serde_json::{Value, json};

use crate::House;
use crate::problem::{self, Problem};

/// A deed is learned in milliseconds; a long backlog may be before it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Journals deeds and waits until they are learned. What the daemon says of them.
pub(crate) fn done(house: &dyn House, deeds: &[Deed]) -> Result<Value, Problem> {
    let said = house.ask(&json!({ "ask": "deeds", "deeds": deeds }), PATIENCE);
    match &said["learned"] {
        Value::Bool(true) => Ok(said),
        Value::Bool(false) => Err(problem::NOT_YET),
        _ => Err(problem::OUT_OF_ORDER),
    }
}

/// Whoever looks before they change holds this meanwhile: of two who mean the same version, one is told.
pub(crate) fn one_at_a_time() -> MutexGuard<'static, ()> {
    static CHANGING: Mutex<()> = Mutex::new(());
    CHANGING.lock().unwrap_or_else(PoisonError::into_inner)
}
