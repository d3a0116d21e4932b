//! What a hit is worth beside its words: how young, how often it helped, whose project. Factors multiply and each
//! is bounded, so that an old exact answer stays ahead of a young vague one. A signal that is not known is 1.

/// One reason for a score, as `--explain` names it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    pub name: &'static str,
    pub value: f32,
}

/// What is known of a hit. The default knows nothing, and changes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that is or is not known of a hit")]
pub struct Signals {
    /// Milliseconds since it happened. `None`: not known when.
    pub age: Option<u64>,
    pub hits: u64,
    pub prevented: u64,
    pub critical: bool,
    pub pinned: bool,
    pub urgent: bool,
    /// Whether it belongs to the project the question comes from. `None`: one of the two has no project.
    pub same_project: Option<bool>,
    pub same_branch: Option<bool>,
    /// How much it belongs to the time the question speaks of, up to 1. `None`: the question speaks of none.
    pub in_window: Option<f32>,
    pub superseded: bool,
    /// Raw material, of which distilled memories may say the same.
    pub raw: bool,
}

/// What happened today is worth this much more than what happened long ago.
const RECENT: f32 = 0.06;
/// After so long half of that is left.
const HALF_LIFE_MS: f32 = 21.0 * 24.0 * 60.0 * 60.0 * 1000.0;
/// Help counts by its logarithm and up to here: what is shown often is cited often.
const MAX_HELP: f32 = 0.15;
const PROJECT: f32 = 1.2;
const BRANCH: f32 = 1.03;
/// A question that names a time is answered from that time, if anything there fits: more than a project or anything
/// else alone is worth.
const WINDOW: f32 = 1.6;
const CRITICAL: f32 = 1.1;
const PINNED: f32 = 1.1;
const URGENT: f32 = 1.05;
const RAW: f32 = 0.95;
/// Behind its successor, and behind what else fits as well.
const SUPERSEDED: f32 = 0.6;

/// The factors that are not 1.
pub fn factors(signals: &Signals) -> Vec<Factor> {
    let mut factors = Vec::new();
    let mut add = |name, value: f32| {
        if (value - 1.0).abs() > 1e-4 {
            factors.push(Factor { name, value });
        }
    };
    // A question about last month is not better answered by what happened today.
    if let (Some(age), None) = (signals.age, signals.in_window) {
        add("recency", 1.0 + RECENT * (-(age as f32) / HALF_LIFE_MS).exp2());
    }
    add("hits", 1.0 + help(signals.hits, 0.03));
    add("prevented", 1.0 + help(signals.prevented, 0.06));
    add("critical", if signals.critical { CRITICAL } else { 1.0 });
    add("pinned", if signals.pinned { PINNED } else { 1.0 });
    add("urgency", if signals.urgent { URGENT } else { 1.0 });
    add("project", if signals.same_project == Some(true) { PROJECT } else { 1.0 });
    add("branch", if signals.same_branch == Some(true) { BRANCH } else { 1.0 });
    add("time", time(signals.in_window.unwrap_or(0.0)));
    add("kind", if signals.raw { RAW } else { 1.0 });
    add("superseded", if signals.superseded { SUPERSEDED } else { 1.0 });
    factors
}

pub fn product(factors: &[Factor]) -> f32 {
    factors.iter().map(|factor| factor.value).product()
}

/// What the share of the time asked for is worth.
pub fn time(share: f32) -> f32 {
    1.0 + (WINDOW - 1.0) * share.clamp(0.0, 1.0)
}

fn help(count: u64, each: f32) -> f32 {
    (each * (count as f32).ln_1p()).min(MAX_HELP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_changes_nothing() {
        assert!(factors(&Signals::default()).is_empty());
        let elsewhere = Signals {
            same_project: Some(false),
            in_window: Some(0.0),
            age: Some(u64::MAX),
            ..Signals::default()
        };
        assert!((product(&factors(&elsewhere)) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn an_old_exact_answer_stays_ahead_of_a_young_vague_one() {
        let praised = Signals {
            age: Some(0),
            hits: u64::MAX,
            prevented: u64::MAX,
            critical: true,
            pinned: true,
            urgent: true,
            same_branch: Some(true),
            ..Signals::default()
        };
        assert!(product(&factors(&praised)) < 2.0);
    }

    #[test]
    fn the_time_asked_for_is_worth_more_than_being_young_here() {
        let then = Signals { age: Some(u64::MAX), in_window: Some(1.0), ..Signals::default() };
        let today =
            Signals { age: Some(0), in_window: Some(0.0), same_project: Some(true), ..Signals::default() };
        assert!(product(&factors(&then)) > 1.2 * product(&factors(&today)));
        assert!(factors(&today).iter().all(|factor| factor.name != "recency"));
        assert!(time(0.5) > 1.0 && time(0.5) < time(1.0));
    }

    #[test]
    fn younger_is_worth_more_and_never_much() {
        let at = |age| product(&factors(&Signals { age: Some(age), ..Signals::default() }));
        assert!(at(0) > at(1_000_000_000) && at(1_000_000_000) > at(10_000_000_000));
        assert!(at(0) <= 1.0 + RECENT);
    }
}
