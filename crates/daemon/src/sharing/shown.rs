//! What people see of sharing: `throughline team status` and `daemon status`.

use model::Millis;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    /// There is no team.
    #[default]
    Off,
    NothingShared,
    Connecting,
    Connected,
    /// The database cannot be reached; it is tried again.
    Waiting,
    /// A person must change something.
    Refused,
}

#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) state: State,
    pub(super) url: String,
    pub(super) team: Option<String>,
    pub(super) user: Option<String>,
    pub(super) machine: Option<String>,
    pub(super) projects: usize,
    /// In the outbox.
    pub(super) waiting: u64,
    /// What the database does not take, and what it says of the last one.
    pub(super) aside: u64,
    pub(super) aside_why: Option<String>,
    /// Since the daemon started.
    pub(super) told: u64,
    pub(super) taken: u64,
    pub(super) told_at: Option<Millis>,
    pub(super) heard_at: Option<Millis>,
    pub(super) trouble: Option<String>,
    /// What a person does about it.
    pub(super) next: Option<&'static str>,
    pub(super) next_try_at: Option<Millis>,
}

impl Shown {
    pub(super) fn to_json(&self, now: Millis) -> Value {
        let state = match self.state {
            State::Off => return json!({ "state": "off" }),
            State::NothingShared => "nothing-shared",
            State::Connecting => "connecting",
            State::Connected => "connected",
            State::Waiting => "waiting",
            State::Refused => "refused",
        };
        let is_waiting = matches!(self.state, State::Waiting | State::Refused);
        json!({
            "state": state,
            "url": self.url,
            "team": self.team,
            "user": self.user,
            "machine": self.machine,
            "projects": self.projects,
            "waiting": self.waiting,
            "aside": self.aside,
            "aside_why": self.aside_why,
            "told": self.told,
            "taken": self.taken,
            "told_at": self.told_at,
            "heard_at": self.heard_at,
            "trouble": self.trouble,
            "next": self.next,
            "next_try_in_ms": self.next_try_at.filter(|_| is_waiting).map(|at| at.saturating_sub(now)),
        })
    }
}
