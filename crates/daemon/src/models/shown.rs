//! How the asking of models stands, for people: `status` shows it. Decides nothing.

use providers::Spend;
use providers::budget::day_of;
use serde_json::{Value, json};

use crate::intake::now;

/// What `status` shows.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) provider: Option<&'static str>,
    pub(super) model: String,
    pub(super) state: State,
    pub(super) spend: Spend,
    pub(super) tokens_per_day: u64,
    pub(super) waiting: u64,
    pub(super) done: u64,
    pub(super) given_up: u64,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Off,
    Idle,
    Asking,
    /// Asks again later, for this reason.
    Waiting(String),
    BudgetSpent,
    /// Until the settings change; a person was told why.
    Stopped(String),
}

impl Shown {
    pub(super) fn to_json(&self) -> Value {
        let (state, reason) = match &self.state {
            State::Off => ("off", None),
            State::Idle => ("idle", None),
            State::Asking => ("asking", None),
            State::Waiting(why) => ("waiting", Some(why)),
            State::BudgetSpent => ("budget-spent", None),
            State::Stopped(why) => ("stopped", Some(why)),
        };
        json!({
            "provider": self.provider,
            "model": self.model,
            "state": state,
            "reason": reason,
            "turns_waiting": self.waiting,
            "turns_done": self.done,
            "turns_given_up": self.given_up,
            "tokens_today": self.spend.today(day_of(now())),
            "tokens_per_day": self.tokens_per_day,
            "input_tokens": self.spend.input_tokens,
            "output_tokens": self.spend.output_tokens,
            "calls": self.spend.calls,
            "failures": self.spend.failures,
        })
    }
}
