//! `/metrics`: what the daemon has counted, in the text format 0.0.4 that Prometheus and its kin read. Says numbers and
//! names of ours, never a word of anybody's work. Counts of this process begin with it; a scraper notices.

use std::fmt::Write;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response};
use model::{Costs, Spread};
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::problem;
use crate::routes::Rooms;

const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// The daemon answers in a millisecond.
const PATIENCE: Duration = Duration::from_secs(2);
/// Of the powers of two of a microsecond those that are told apart: 32 microseconds to 4 seconds. What takes longer
/// than an agent waits is all the same.
const BOUNDS: std::ops::RangeInclusive<usize> = 5..=22;

pub(crate) async fn say(State(rooms): State<Rooms>) -> Response<Body> {
    let streams = rooms.stream.listeners();
    let costs = spawn_blocking(move || {
        serde_json::from_value::<Costs>(rooms.house.ask(&json!({ "ask": "metrics" }), PATIENCE)).ok()
    });
    let Ok(Some(costs)) = costs.await else { return problem::OUT_OF_ORDER.response() };
    let mut response = Response::new(Body::from(text(&costs, streams as u64)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(TEXT));
    response
}

fn text(costs: &Costs, streams: u64) -> String {
    let mut page = Page::default();
    page.family("build_info", "gauge", "The release that runs.", [(&[("version", &*costs.version)][..], 1)]);
    page.gauge("uptime_seconds", "Since the daemon started.", Some(costs.uptime_ms / 1000));
    page.gauge("journal_bytes", "Size of the journal.", Some(costs.journal_bytes));
    page.gauge("journal_position", "The last acknowledged entry.", Some(costs.journal_head));
    page.gauge("learned_position", "The last entry that is in the tables.", Some(costs.learned));
    page.gauge("spooled_envelopes", "Envelopes that wait to be taken in.", Some(costs.spooled));
    page.family(
        "lost_events_total",
        "counter",
        "Events that could be kept nowhere.",
        [(&[][..], costs.lost)],
    );
    page.gauge("memories", "Memories kept.", costs.memories);
    page.gauge("sessions_live", "Sessions of agents at work.", costs.sessions_live);
    page.gauge("streams_open", "Listeners to the stream of events.", Some(streams));
    envelopes(&mut page, costs);
    let kinds =
        costs.redactions.iter().map(|(kind, count)| ([("kind", &**kind)], *count)).collect::<Vec<_>>();
    let kinds = kinds.iter().map(|(label, count)| (&label[..], *count));
    page.family("redactions_total", "counter", "Secrets taken out, by kind, as far back as is known.", kinds);
    behaviors(&mut page, costs);
    page.histogram(
        "hook_duration_seconds",
        "event",
        "From the frame of a hook to the reply.",
        costs.hooks.iter().map(|hook| (&*hook.event, &hook.took.all)),
    );
    page.histogram(
        "advice_duration_seconds",
        "behavior",
        "What a behavior's advice took while an agent waited.",
        costs.behaviors.iter().map(|behavior| (&*behavior.name, &behavior.advice.all)),
    );
    page.histogram(
        "learning_duration_seconds",
        "behavior",
        "What a behavior's learning took, after the agent was answered.",
        costs.behaviors.iter().map(|behavior| (&*behavior.name, &behavior.learning.all)),
    );
    page.0
}

/// Of the daemon's counters those that say what became of an envelope, and the others.
const OUTCOMES: &[(&str, &str)] = &[
    ("kept", "kept"),
    ("duplicates", "duplicate"),
    ("twins", "twin"),
    ("skipped", "skipped"),
    ("private", "private"),
    ("not_kept", "not-kept"),
    ("drained", "spooled"),
];
const OTHERS: &[(&str, &str, &str)] = &[
    ("unreadable", "unreadable_envelopes_total", "Envelopes that were no JSON."),
    ("refused_peers", "refused_peers_total", "Connections of other users."),
    ("malformed_frames", "malformed_frames_total", "Frames that were not ours."),
    ("connections", "connections_total", "Connections to the socket."),
    ("learn_failures", "learn_failures_total", "Times that learning failed."),
];

fn envelopes(page: &mut Page, costs: &Costs) {
    let of = |name: &str| costs.envelopes.get(name).copied().unwrap_or_default();
    let outcomes: Vec<_> = OUTCOMES.iter().map(|(name, label)| ([("outcome", *label)], of(name))).collect();
    let outcomes = outcomes.iter().map(|(label, count)| (&label[..], *count));
    page.family("envelopes_total", "counter", "Envelopes of hooks, by what became of them.", outcomes);
    for (name, family, help) in OTHERS {
        page.family(family, "counter", help, [(&[][..], of(name))]);
    }
}

fn behaviors(page: &mut Page, costs: &Costs) {
    let troubles: Vec<_> = costs
        .behaviors
        .iter()
        .flat_map(|one| {
            let all = [("failed", &one.failed), ("late", &one.late), ("panicked", &one.panicked)];
            all.map(|(trouble, count)| ([("behavior", &*one.name), ("trouble", trouble)], count.all))
        })
        .collect();
    let troubles = troubles.iter().map(|(labels, count)| (&labels[..], *count));
    page.family("behavior_troubles_total", "counter", "Times that a behavior's advice was lost.", troubles);
    let tokens: Vec<_> =
        costs.behaviors.iter().map(|one| ([("behavior", &*one.name)], one.tokens.all)).collect();
    let tokens = tokens.iter().map(|(label, count)| (&label[..], *count));
    page.family("tokens_injected_total", "counter", "Tokens put in front of agents.", tokens);
}

#[derive(Default)]
struct Page(String);

impl Page {
    /// Writing to a string cannot fail.
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        let _ = self.0.write_fmt(line);
        self.0.push('\n');
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP throughline_{name} {help}"));
        self.line(format_args!("# TYPE throughline_{name} {kind}"));
    }

    fn family<'a>(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        samples: impl IntoIterator<Item = (&'a [(&'a str, &'a str)], u64)>,
    ) {
        self.head(name, kind, help);
        for (labels, value) in samples {
            self.line(format_args!("throughline_{name}{} {value}", written(labels)));
        }
    }

    /// What is not known now is not said: a zero would be a lie.
    fn gauge(&mut self, name: &str, help: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.family(name, "gauge", help, [(&[][..], value)]);
        }
    }

    fn histogram<'a>(
        &mut self,
        name: &str,
        label: &str,
        help: &str,
        spreads: impl Iterator<Item = (&'a str, &'a Spread)>,
    ) {
        self.head(name, "histogram", help);
        for (value, spread) in spreads.filter(|(_, spread)| spread.count > 0) {
            for place in BOUNDS {
                let below: u64 = spread.places.iter().take(place + 1).sum();
                let bound = seconds(1 << place);
                let labels = written(&[(label, value), ("le", &bound)]);
                self.line(format_args!("throughline_{name}_bucket{labels} {below}"));
            }
            let all = written(&[(label, value), ("le", "+Inf")]);
            let labels = written(&[(label, value)]);
            self.line(format_args!("throughline_{name}_bucket{all} {}", spread.count));
            self.line(format_args!("throughline_{name}_sum{labels} {}", seconds(spread.micros)));
            self.line(format_args!("throughline_{name}_count{labels} {}", spread.count));
        }
    }
}

fn written(labels: &[(&str, &str)]) -> String {
    if labels.is_empty() {
        return String::new();
    }
    let escape = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value))).collect();
    format!("{{{}}}", labels.join(","))
}

/// Without a rounding on the way.
fn seconds(micros: u64) -> String {
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use model::{BehaviorCost, HookCost, SPREAD, Windows, place_of};

    use super::*;

    fn costs() -> Costs {
        let mut spread = Spread { places: vec![0; SPREAD], ..Spread::default() };
        for micros in [20, 33, 900, 60_000_000] {
            spread.places[place_of(micros)] += 1;
            spread.count += 1;
            spread.micros += micros;
        }
        let took = Windows { all: spread.clone(), ..Windows::default() };
        Costs {
            version: "1.2.3".to_owned(),
            uptime_ms: 61_500,
            hooks: vec![HookCost { event: "PreToolUse".to_owned(), took: took.clone() }],
            behaviors: vec![
                BehaviorCost { name: "capture".to_owned(), learning: took, ..BehaviorCost::default() },
                BehaviorCost { name: "quiet".to_owned(), ..BehaviorCost::default() },
            ],
            envelopes: [("kept".to_owned(), 7), ("drained".to_owned(), 2)].into(),
            redactions: [("a\"b\\c\nd".to_owned(), 3)].into(),
            memories: Some(5),
            ..Costs::default()
        }
    }

    #[test]
    fn a_histogram_is_cumulative_and_its_bounds_are_seconds() {
        let text = text(&costs(), 4);
        let of = |le: &str| {
            format!("throughline_hook_duration_seconds_bucket{{event=\"PreToolUse\",le=\"{le}\"}} ")
        };
        for (bound, count) in
            [("0.000032", 1), ("0.000064", 2), ("0.000512", 2), ("0.001024", 3), ("4.194304", 3), ("+Inf", 4)]
        {
            assert!(text.contains(&format!("{}{count}\n", of(bound))), "{bound}: {text}");
        }
        assert!(text.contains("throughline_hook_duration_seconds_sum{event=\"PreToolUse\"} 60.000953\n"));
        assert!(text.contains("throughline_hook_duration_seconds_count{event=\"PreToolUse\"} 4\n"));
        assert!(text.contains("throughline_learning_duration_seconds_count{behavior=\"capture\"} 4\n"));
        assert!(!text.contains("advice_duration_seconds_count"), "nobody advised");
        assert!(!text.contains("duration_seconds_count{behavior=\"quiet\"}"));
    }

    #[test]
    fn what_is_not_known_is_not_said_and_labels_are_escaped() {
        let text = text(&costs(), 4);
        assert!(text.contains("throughline_memories 5\n"));
        assert!(!text.contains("throughline_sessions_live"), "{text}");
        assert!(text.contains("throughline_streams_open 4\n"));
        assert!(text.contains("throughline_uptime_seconds 61\n"));
        assert!(text.contains("throughline_build_info{version=\"1.2.3\"} 1\n"));
        assert!(text.contains("throughline_envelopes_total{outcome=\"spooled\"} 2\n"));
        assert!(text.contains("throughline_redactions_total{kind=\"a\\\"b\\\\c\\nd\"} 3\n"));
    }

    #[test]
    fn every_sample_stands_behind_the_help_and_type_of_its_family_once() {
        let (mut family, mut seen) = (String::new(), std::collections::HashSet::new());
        for line in text(&costs(), 0).lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                family = help.split(' ').next().unwrap_or_default().to_owned();
                assert!(seen.insert(family.clone()), "{family} twice");
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                assert!(kind.starts_with(&format!("{family} ")), "{line}");
                let is_counter = kind.ends_with(" counter");
                assert_eq!(is_counter, family.ends_with("_total"), "{line}");
            } else {
                let name = line.split(['{', ' ']).next().unwrap_or_default();
                let bare = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
                assert!(name == family || bare == Some(&*family), "{line} in {family}");
                assert!(line.rsplit(' ').next().is_some_and(|value| value.parse::<f64>().is_ok()), "{line}");
            }
        }
        assert!(seen.len() > 15, "{seen:?}");
    }
}
