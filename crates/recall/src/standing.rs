//! What a memory is worth when nobody has asked yet: how often it helped, how long ago, whose project, whose
//! branch, which files. Every term is told apart, so that whoever asks why sees the arithmetic. Knows no clock and
//! no table; ages come in days.

use crate::weigh::Factor;

/// Days after which what is left of a weight is 1/e. People call it a half-life.
pub const HALF_LIFE_DAYS: f32 = 30.0;
/// What belonging to the project at hand is worth.
pub const MATCH_BOOST: f32 = 5.0;
/// A boost beyond this is a slip of the finger: nothing else would ever be said.
const MAX_BOOST: f32 = 100.0;
/// A mistake that was prevented is worth this much more than being named once.
const PREVENTED: f32 = 3.0;
/// Counters beyond this are damage; a logarithm does not mind, three times of it would.
const MAX_COUNT: u64 = 1_000_000;
/// The factor beside a prompt stays below 1 + this.
const PROMPT_SHARE: f32 = 0.8;
/// The use at which half of that is reached.
const PROMPT_HALF: f32 = 12.0;

const SAME_BRANCH: f32 = 1.25;
const URGENT: f32 = 1.2;
/// The first file in common says most; a memory of a whole refactoring must not win by its length.
const ONE_FILE: f32 = 0.6;
const MAX_FILES: f32 = 2.0;

/// What is known of a memory. The default knows nothing: it is young and was never used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that is or is not known of a memory")]
pub struct Standing {
    pub hits: u64,
    pub prevented: u64,
    /// Since it was last of use, else since it happened.
    pub age_days: f32,
    /// Not positive or not a number: [`HALF_LIFE_DAYS`].
    pub half_life_days: f32,
    pub critical: bool,
    /// Does not age, whatever its use.
    pub evergreen: bool,
    pub same_project: bool,
    /// Not a number: [`MATCH_BOOST`].
    pub match_boost: f32,
    pub same_branch: bool,
    /// How many of the files worked on last it speaks of.
    pub files_in_common: usize,
    pub urgent: bool,
    /// What its kind is worth, where the caller tells kinds apart; 0 is not told.
    pub kind: f32,
}

/// A weight and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// Infinite for what is always said.
    pub value: f32,
    /// What was added: `base`, `hits`, `prevented`.
    pub terms: Vec<Factor>,
    /// What it was multiplied with: `recency`, `project`, `branch`, `files`, `kind`, `urgency`; those that are 1 are
    /// left out.
    pub factors: Vec<Factor>,
}

/// `(ln(1 + hits) + 3 · prevented + 1) · e^(-age / half-life)`, times the boost where the project is the one at hand,
/// times what is known of branch, files, kind and urgency. Critical and evergreen memories are beyond comparison.
pub fn weigh(standing: &Standing) -> Weight {
    let terms = terms(standing.hits, standing.prevented);
    let factors = factors(standing);
    if standing.critical || standing.evergreen {
        return Weight { value: f32::INFINITY, terms, factors };
    }
    let use_of_it: f32 = terms.iter().map(|term| term.value).sum();
    let value = use_of_it * factors.iter().map(|factor| factor.value).product::<f32>();
    Weight { value: finite(value), terms, factors }
}

/// What its use adds to a hit beside a prompt: from 1 up to, and never, 1.8.
pub fn prompt_factor(hits: u64, prevented: u64, age_days: f32, half_life_days: f32) -> f32 {
    let raw = (log(hits) + PREVENTED * count(prevented)) * decay(age_days, half_life_days);
    1.0 + PROMPT_SHARE * finite(raw / (raw + PROMPT_HALF))
}

/// As people read it: `1.0 + hits 1.4 + prevented 3.0, × recency 0.8 × project 5.0`.
pub fn explain(weight: &Weight) -> String {
    if weight.value.is_infinite() {
        return "always said".to_owned();
    }
    let mut text = String::new();
    for term in &weight.terms {
        let sign = if text.is_empty() { "" } else { " + " };
        text.push_str(&format!("{sign}{} {:.1}", term.name, term.value));
    }
    for (at, factor) in weight.factors.iter().enumerate() {
        let sign = if at == 0 { ", × " } else { " × " };
        text.push_str(&format!("{sign}{} {:.2}", factor.name, factor.value));
    }
    format!("{text} = {:.2}", weight.value)
}

fn terms(hits: u64, prevented: u64) -> Vec<Factor> {
    let mut terms = vec![Factor { name: "base", value: 1.0 }];
    let used = [("hits", log(hits)), ("prevented", PREVENTED * count(prevented))];
    terms.extend(
        used.into_iter().filter(|(_, value)| *value > 0.0).map(|(name, value)| Factor { name, value }),
    );
    terms
}

fn factors(standing: &Standing) -> Vec<Factor> {
    let boost = if standing.match_boost.is_finite() && standing.match_boost > 0.0 {
        standing.match_boost.min(MAX_BOOST)
    } else {
        MATCH_BOOST
    };
    let kind = if standing.kind.is_finite() && standing.kind > 0.0 { standing.kind } else { 1.0 };
    let all = [
        ("recency", decay(standing.age_days, standing.half_life_days)),
        ("project", if standing.same_project { boost } else { 1.0 }),
        ("branch", if standing.same_branch { SAME_BRANCH } else { 1.0 }),
        ("files", files(standing.files_in_common)),
        ("kind", kind),
        ("urgency", if standing.urgent { URGENT } else { 1.0 }),
    ];
    let changes = |factor: &(&str, f32)| (factor.1 - 1.0).abs() > 1e-4;
    all.into_iter().filter(changes).map(|(name, value)| Factor { name, value }).collect()
}

fn files(in_common: usize) -> f32 {
    (1.0 + ONE_FILE * (in_common as f32).sqrt()).min(MAX_FILES)
}

fn decay(age_days: f32, half_life_days: f32) -> f32 {
    let half_life =
        if half_life_days.is_finite() && half_life_days > 0.0 { half_life_days } else { HALF_LIFE_DAYS };
    let age = if age_days.is_finite() { age_days.max(0.0) } else { 0.0 };
    finite((-age / half_life).exp())
}

fn log(hits: u64) -> f32 {
    count(hits).ln_1p()
}

fn count(count: u64) -> f32 {
    count.min(MAX_COUNT) as f32
}

fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(one: f32, other: f32) -> bool {
        (one - other).abs() <= 1e-4 * one.abs().max(1.0)
    }

    #[test]
    fn the_weight_is_the_formula() {
        let used = Standing { hits: 7, prevented: 2, age_days: 15.0, ..Standing::default() };
        let plain = (8.0_f32.ln() + 6.0 + 1.0) * (-0.5_f32).exp();
        assert!(close(weigh(&used).value, plain));
        let ours = Standing { same_project: true, ..used };
        assert!(close(weigh(&ours).value, 5.0 * plain));
        let tuned = Standing { match_boost: 2.0, half_life_days: 15.0, ..ours };
        assert!(close(weigh(&tuned).value, 2.0 * (8.0_f32.ln() + 7.0) * (-1.0_f32).exp()));
        for always in [Standing { critical: true, ..used }, Standing { evergreen: true, ..used }] {
            assert!(weigh(&always).value.is_infinite());
        }
    }

    #[test]
    fn nothing_known_is_worth_one_and_nonsense_counts_as_not_known() {
        assert!(close(weigh(&Standing::default()).value, 1.0));
        let nonsense = Standing {
            age_days: f32::NAN,
            half_life_days: -3.0,
            match_boost: f32::INFINITY,
            kind: f32::NAN,
            same_project: true,
            ..Standing::default()
        };
        assert!(close(weigh(&nonsense).value, MATCH_BOOST));
        assert!(close(weigh(&Standing { age_days: -5.0, ..Standing::default() }).value, 1.0));
    }

    #[test]
    fn the_factor_beside_a_prompt_grows_with_use_and_stays_below_its_bound() {
        assert!(close(prompt_factor(0, 0, 0.0, 30.0), 1.0));
        let raw = 4.0_f32.ln() + 3.0;
        assert!(close(prompt_factor(3, 1, 0.0, 30.0), 1.0 + 0.8 * raw / (raw + 12.0)));
        assert!(prompt_factor(3, 1, 30.0, 30.0) < prompt_factor(3, 1, 0.0, 30.0));
    }

    #[test]
    fn every_term_is_told() {
        let weight = weigh(&Standing {
            hits: 1,
            same_project: true,
            same_branch: true,
            files_in_common: 4,
            age_days: 30.0,
            ..Standing::default()
        });
        let names: Vec<_> = weight.terms.iter().chain(&weight.factors).map(|factor| factor.name).collect();
        assert_eq!(names, ["base", "hits", "recency", "project", "branch", "files"]);
        let product: f32 = weight.factors.iter().map(|factor| factor.value).product();
        let sum: f32 = weight.terms.iter().map(|term| term.value).sum();
        assert!(close(weight.value, sum * product));
        let text = explain(&weight);
        assert!(text.starts_with("base 1.0 + hits 0.7, × recency 0.37 × project 5.00"), "{text}");
    }

    proptest! {
        #[test]
        fn a_weight_is_never_negative_and_never_no_number(
            hits: u64, prevented: u64, age_days: f32, half_life_days: f32, match_boost: f32, kind: f32,
            same_project: bool, same_branch: bool, urgent: bool, files_in_common: usize,
        ) {
            let standing = Standing {
                hits, prevented, age_days, half_life_days, same_project, match_boost, same_branch, files_in_common,
                urgent, kind, ..Standing::default()
            };
            let value = weigh(&standing).value;
            prop_assert!(value.is_finite() && value >= 0.0, "{value}");
            let factor = prompt_factor(hits, prevented, age_days, half_life_days);
            prop_assert!((1.0..1.8).contains(&factor), "{factor}");
        }

        #[test]
        fn more_use_or_less_age_is_never_worth_less(hits in 0_u64..1000, prevented in 0_u64..50, age in 0.0_f32..400.0) {
            let standing = Standing { hits, prevented, age_days: age, ..Standing::default() };
            let value = weigh(&standing).value;
            let better = [
                Standing { hits: hits + 1, ..standing },
                Standing { prevented: prevented + 1, ..standing },
                Standing { age_days: (age - 1.0).max(0.0), ..standing },
                Standing { same_project: true, ..standing },
            ];
            for other in better {
                prop_assert!(weigh(&other).value >= value, "{:?}", other);
            }
        }
    }
}
