//! The doctor's report for whoever looks at a page: the checks read the whole journal and every page of the database,
//! which takes seconds where there is much of both. They are made beside, and a report is given as it was last made.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::doctor;
use crate::when;
use crate::world::{VERSION, World};

/// A report this old is as good as a new one: a page that stays open asks every few seconds.
const FRESH: Duration = Duration::from_secs(15);
/// Whoever asks waits this long for new checks, and then takes the last ones.
const PATIENCE: Duration = Duration::from_millis(1500);

#[derive(Default)]
pub(super) struct Checking(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    report: Option<(Instant, Value)>,
    is_running: bool,
}

impl Checking {
    pub(super) fn report(&self, world: &World) -> Value {
        let (lock, done) = &*self.0;
        let mut state = lock.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, report)) = &state.report
            && made.elapsed() < FRESH
        {
            return report.clone();
        }
        if !state.is_running {
            state.is_running = self.start(world.clone());
        }
        let until = Instant::now() + PATIENCE;
        while state.is_running {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = done.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.report.as_ref().map_or_else(unfinished, |(_, report)| report.clone())
    }

    /// False: there is no thread to be had, and the last report has to do.
    fn start(&self, world: World) -> bool {
        let shared = Arc::clone(&self.0);
        let check = move || {
            let mut report = json!(doctor::Report::of(&world));
            report["checked_at"] = json!(when::now());
            let (lock, done) = &*shared;
            let mut state = lock.lock().unwrap_or_else(PoisonError::into_inner);
            *state = State { report: Some((Instant::now(), report)), is_running: false };
            done.notify_all();
        };
        thread::Builder::new().name("doctor".into()).spawn(check).is_ok()
    }
}

fn unfinished() -> Value {
    let what = "the checks are being made; ask again in a few seconds";
    let finding = json!({ "check": "doctor", "state": "ok", "what": what, "repair": null });
    json!({ "state": "ok", "version": VERSION, "findings": [finding], "checked_at": null })
}
