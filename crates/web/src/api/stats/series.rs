//! Series by the hour or the day, in UTC. Steps in which nothing happened are there, with a zero, so that a chart need
//! not guess; latencies have a point only where something was measured.

use std::collections::{BTreeMap, HashSet};

use model::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Series, SeriesPoint, Span, Tables};

use super::super::endpoint::{Asked, Given, Nothing};
use super::super::reading::read;
use super::super::session::now;
use super::super::words::Name;
use super::less;
use crate::House;
use crate::problem::Problem;

/// Points of one series: two months of hours, four years of days.
const MAX_POINTS: u64 = 1500;
/// Names in one question.
const MAX_NAMES: usize = 64;
/// Series of one answer: two latencies of every behavior and every hook are a hundred.
const MAX_SERIES: usize = 256;
const HOUR: Millis = 60 * 60 * 1000;
const DAY: Millis = 24 * HOUR;
/// What a chart shows unless asked otherwise.
const USUAL_HOURS: u64 = 48;
const USUAL_DAYS: u64 = 30;

/// What there is, with its unit and what it says.
const KNOWN: &[Known] = &[
    Known { name: "tokens-injected", unit: Unit::Tokens, manual: "What was put in front of agents." },
    Known {
        name: "tokens-saved",
        unit: Unit::Tokens,
        manual: "What the work behind memories that were shown had cost when it was done, less what showing them cost. \
                 A memory counts once a session, when it was shown last. It is an estimate from above: nobody knows \
                 whether an agent would have done all of that work again. Below zero, showing cost more.",
    },
    Known {
        name: "memories",
        unit: Unit::Count,
        manual: "Memories by when they happened; also as memories.KIND.",
    },
    Known {
        name: "redactions",
        unit: Unit::Count,
        manual: "Secrets that were taken out, by the day alone; also as redactions.KIND.",
    },
    Known { name: "events", unit: Unit::Count, manual: "Events in the journal, by when they happened." },
    Known { name: "prompts", unit: Unit::Count, manual: "What agents were asked." },
    Known { name: "sessions", unit: Unit::Count, manual: "Sessions, by when they began." },
    Known {
        name: "distill.tokens",
        unit: Unit::Tokens,
        manual: "What a model was given and gave for distilling.",
    },
    Known {
        name: "latency",
        unit: Unit::Microseconds,
        manual: "latency.BEHAVIOR.p50 and .p99: how long a behavior took while its agent waited; latency.hook.EVENT.p50 \
                 and .p99: how long a hook did, all in all. Right to a factor of two.",
    },
];

struct Known {
    name: &'static str,
    unit: Unit,
    manual: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Step {
    Hour,
    #[default]
    Day,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Count,
    Tokens,
    Microseconds,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// Which series, separated by commas or repeated; without any, all that count. A name that has kinds gives one
    /// series a kind with `.*`: `memories.*`, `redactions.*`, `latency.*`.
    #[serde(default)]
    #[schemars(length(max = 64))]
    names: Vec<Name>,
    /// From this time on, in Unix milliseconds.
    since: Option<Millis>,
    /// Until this time, not included.
    until: Option<Millis>,
    #[serde(default)]
    step: Step,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    step: Step,
    series: Vec<One>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct One {
    name: String,
    unit: Unit,
    /// What it says.
    manual: &'static str,
    /// When a step begins, and its value.
    points: Vec<(Millis, i64)>,
}

pub(super) fn series(house: &dyn House, asked: Asked<Nothing, Wanted>) -> Result<Given<Answer>, Problem> {
    let Wanted { names, since, until, step } = asked.query;
    let (length, usual) = match step {
        Step::Hour => (HOUR, USUAL_HOURS),
        Step::Day => (DAY, USUAL_DAYS),
    };
    let until = until.unwrap_or_else(|| now() + 1);
    if since.is_some_and(|since| since >= until) {
        return Err(Problem::refused("this span is none", "say a `since` that is before `until`"));
    }
    // Whole steps, so that no point is of half a day.
    let until = until.div_ceil(length).saturating_mul(length);
    let since = since.unwrap_or(until.saturating_sub(usual * length)) / length * length;
    if since >= until || (until - since) / length > MAX_POINTS {
        return Err(Problem::refused(
            "this span is none, or too long",
            format!("ask for 1 to {MAX_POINTS} steps; days where hours are too many"),
        ));
    }
    let span = Span { since, until, step: length };
    let names = wanted(&names);
    if names.len() > MAX_NAMES {
        return Err(Problem::refused("too many series at once", format!("name at most {MAX_NAMES}")));
    }
    let mut series = Vec::new();
    for name in &names {
        series.extend(one(house, name, span, step)?);
    }
    series.truncate(MAX_SERIES);
    Ok(Answer { step, series }.into())
}

fn wanted(names: &[Name]) -> Vec<String> {
    let split = names.iter().flat_map(|names| names.as_str().split(',')).map(str::trim);
    let mut names: Vec<String> = split.filter(|name| !name.is_empty()).map(str::to_owned).collect();
    if names.is_empty() {
        names.extend(
            KNOWN.iter().filter(|known| known.unit != Unit::Microseconds).map(|known| known.name.to_owned()),
        );
    }
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

fn one(house: &dyn House, name: &str, span: Span, step: Step) -> Result<Vec<One>, Problem> {
    let (family, kind) = match name.split_once('.') {
        Some(("distill", "tokens")) => ("distill.tokens", None),
        Some((family, kind)) => (family, Some(kind)),
        None => (name, None),
    };
    let known = KNOWN.iter().find(|known| known.name == family).ok_or_else(unknown)?;
    if family == "redactions" && step == Step::Hour {
        return Err(Problem::refused("redactions are counted by the day", "send step=day"));
    }
    let made = |name: String, points| One { name, unit: known.unit, manual: known.manual, points };
    let count = |of: Series| read(house, |tables| tables.series(of, span));
    let single = |of: Series| Ok(vec![made(name.to_owned(), filled(&sums(&count(of)?), span))]);
    match (family, kind) {
        ("events", None) => single(Series::Events),
        ("prompts", None) => single(Series::Prompts),
        ("sessions", None) => single(Series::Sessions),
        ("tokens-injected", None) => single(Series::TokensInjected),
        ("distill.tokens", None) => single(Series::TokensDistilled),
        ("tokens-saved", None) => {
            let recalled = filled(&sums(&count(Series::TokensRecalled)?), span);
            let spent = filled(&sums(&count(Series::TokensInjected)?), span);
            let saved = recalled.into_iter().zip(spent);
            Ok(vec![made(
                name.to_owned(),
                saved.map(|((at, recalled), (_, spent))| (at, recalled.saturating_sub(spent))).collect(),
            )])
        }
        ("memories", kind) => by_kind(&count(Series::Memories)?, family, kind, span, made),
        ("redactions", kind) => by_kind(&count(Series::Redactions)?, family, kind, span, made),
        ("latency", Some(which)) => {
            let found = read(house, |tables| latencies(tables, which, span))?;
            Ok(found.into_iter().map(|(name, points)| made(name, points)).collect())
        }
        _ => Err(unknown()),
    }
}

fn unknown() -> Problem {
    let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
    Problem::refused("no series has this name", format!("there are {}", names.join(", ")))
}

/// The sum of all kinds, one kind, or every kind.
fn by_kind(
    points: &[SeriesPoint],
    family: &str,
    kind: Option<&str>,
    span: Span,
    made: impl Fn(String, Vec<(Millis, i64)>) -> One,
) -> Result<Vec<One>, Problem> {
    let of = |kind: &str| {
        let points: Vec<SeriesPoint> = points.iter().filter(|point| point.name == kind).cloned().collect();
        made(format!("{family}.{kind}"), filled(&sums(&points), span))
    };
    Ok(match kind {
        None => vec![made(family.to_owned(), filled(&sums(points), span))],
        Some("*") => {
            let mut kinds: Vec<&str> = points.iter().map(|point| point.name.as_str()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds.into_iter().take(MAX_SERIES).map(of).collect()
        }
        Some(kind) => vec![of(kind)],
    })
}

fn sums(points: &[SeriesPoint]) -> BTreeMap<Millis, i64> {
    let mut sums = BTreeMap::new();
    for point in points {
        let sum = sums.entry(point.at).or_insert(0_i64);
        *sum = sum.saturating_add(less(point.value, 0));
    }
    sums
}

/// Every step of the span, those without anything with a zero.
fn filled(sums: &BTreeMap<Millis, i64>, span: Span) -> Vec<(Millis, i64)> {
    let steps = (span.until - span.since) / span.step;
    (0..steps)
        .map(|step| span.since + step * span.step)
        .map(|at| (at, sums.get(&at).copied().unwrap_or(0)))
        .collect()
}

type Named = (String, Vec<(Millis, i64)>);

/// `BEHAVIOR.p50`, `hook.EVENT.p99`, or `*` for all of them.
fn latencies(tables: &Tables, which: &str, span: Span) -> Result<Vec<Named>, store::StoreError> {
    let (name, share) = match which.rsplit_once('.') {
        Some((name, "p50")) => (name, Some(("p50", 0.50))),
        Some((name, "p99")) => (name, Some(("p99", 0.99))),
        _ => (which, None),
    };
    let prefix = match name {
        "*" => String::new(),
        hook if hook.starts_with("hook.") => hook.to_owned(),
        behavior => format!("advise.{behavior}"),
    };
    let rows = tables.latencies(span.since / HOUR, (span.until - 1) / HOUR, &prefix)?;
    let mut counted: BTreeMap<String, BTreeMap<Millis, Vec<u64>>> = BTreeMap::new();
    for row in rows {
        let shown = match row.name.split_once('.') {
            Some(("advise", behavior)) => behavior.to_owned(),
            Some(("hook", _)) => row.name.clone(),
            // What is learned nobody waits for.
            _ => continue,
        };
        if name != "*" && shown != name {
            continue;
        }
        let at = (row.hour * HOUR).max(span.since) / span.step * span.step;
        let buckets = counted.entry(shown).or_default().entry(at).or_default();
        if buckets.len() < row.buckets.len() {
            buckets.resize(row.buckets.len(), 0);
        }
        buckets.iter_mut().zip(&row.buckets).for_each(|(sum, count)| *sum += count);
    }
    let shares = share.map_or_else(|| vec![("p50", 0.50), ("p99", 0.99)], |share| vec![share]);
    let mut series = Vec::new();
    for (name, steps) in &counted {
        for (suffix, share) in &shares {
            let points = steps.iter().map(|(at, buckets)| (*at, less(model::quantile(buckets, *share), 0)));
            series.push((format!("latency.{name}.{suffix}"), points.collect()));
        }
    }
    Ok(series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_with_zeros_and_only_within_the_span() {
        let span = Span { since: 10 * DAY, until: 13 * DAY, step: DAY };
        let sums = BTreeMap::from([(11 * DAY, 5), (99 * DAY, 7)]);
        assert_eq!(filled(&sums, span), [(10 * DAY, 0), (11 * DAY, 5), (12 * DAY, 0)]);
    }

    #[test]
    fn names_come_with_commas_or_repeated() {
        let name = |text: &str| Name::try_from(text.to_owned()).unwrap();
        assert_eq!(wanted(&[name("events, prompts"), name("sessions")]), ["events", "prompts", "sessions"]);
        assert!(wanted(&[]).iter().all(|name| name != "latency"));
    }
}
