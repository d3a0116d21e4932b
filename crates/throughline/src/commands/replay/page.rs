//! A replay as people read it: a line an event, below it who said what, and at the end who took how long.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::print;
use crate::world::World;

/// What stands below an event is set in.
const INDENT: &str = "    ";
/// Of what was said, as much as fits on a line.
const SAID: usize = 100;

pub(super) fn event(answer: &Value, world: &World, verbose: bool) -> String {
    let text = |key: &str| answer[key].as_str().unwrap_or_default();
    let what = match answer["tool"].as_str() {
        Some(tool) => format!("{} {tool}", text("event")),
        None => text("event").to_owned(),
    };
    let fate = match answer["left"].as_str() {
        Some(why) => format!("left ({why})"),
        None => "kept".to_owned(),
    };
    let head = format!(
        "{:<28} {:<9} {fate:<12} {:>9}",
        print::one_line(&what, 60),
        print::one_line(&text("session").chars().take(8).collect::<String>(), 8),
        time(answer["micros"]["all"].as_u64().unwrap_or_default()),
    );
    let mut out = format!("{}  {}\n", print::bold(&head, world.color), print::one_line(text("file"), 300));
    let mut remark = |text: String| out.push_str(&format!("{INDENT}{}\n", print::dim(&text, world.color)));
    if answer["readable"] == false {
        remark("no JSON, or deeper than anybody reads: it is kept as it is".to_owned());
    } else if answer["known"] == false {
        remark("nobody hears it: kept under its name, answered with silence".to_owned());
    }
    if answer["paused"] == true {
        remark("recording is paused: a hook would be answered with silence".to_owned());
    }
    let redactions = answer["redactions"].as_object().into_iter().flatten();
    let redactions: Vec<String> = redactions.map(|(kind, count)| format!("{kind} {count}")).collect();
    if !redactions.is_empty() {
        remark(format!("redacted: {}", redactions.join(", ")));
    }
    for behavior in list(&answer["behaviors"]) {
        let speaks = behavior["silent"] == false || behavior["trouble"].is_string();
        let has_rules = behavior["name"] == "run-rules" && !list(&answer["rules"]).is_empty();
        if speaks || verbose || has_rules {
            out.push_str(&line(behavior));
        }
        if has_rules {
            for rule in list(&answer["rules"]) {
                out.push_str(&rule_line(rule));
            }
        }
        if verbose {
            for said in list(&behavior["says"]) {
                out.push_str(&print::block(said.as_str().unwrap_or_default(), 2 * INDENT.len()));
            }
        }
    }
    let reply = answer["reply"]["stdout"].as_str().unwrap_or_default();
    if verbose && !reply.is_empty() {
        out.push_str(&format!("{INDENT}reply {}\n", print::one_line(reply, usize::MAX)));
    }
    out
}

fn line(behavior: &Value) -> String {
    let name = behavior["name"].as_str().unwrap_or_default();
    let late = if behavior["late"] == true { "  too late for a hook" } else { "" };
    let took = behavior["micros"].as_u64().unwrap_or_default();
    let took = if behavior["speaks"] == true { time(took) } else { String::new() };
    let line = format!("{INDENT}{name:<20} {:<44} {took:>9}{late}", decision(behavior));
    format!("{}\n", line.trim_end())
}

fn rule_line(rule: &Value) -> String {
    let what = match rule["what"].as_str() {
        Some(what) => {
            format!("{}: {}", rule["outcome"].as_str().unwrap_or_default(), print::one_line(what, SAID))
        }
        None => rule["outcome"].as_str().unwrap_or_default().to_owned(),
    };
    let name = rule["rule"].as_str().unwrap_or_default();
    format!("{INDENT}  {name:<18} {what:<44} {:>9}\n", time(rule["micros"].as_u64().unwrap_or_default()))
}

/// What a behavior decided, in a few words.
fn decision(behavior: &Value) -> String {
    let text = |key: &str| behavior[key].as_str().map(|text| print::one_line(text, SAID));
    let mut parts = Vec::new();
    if let Some(trouble) = text("trouble") {
        parts.push(format!("trouble: {trouble}"));
    }
    if let (Some(verdict), Some(reason)) = (text("verdict"), text("reason")) {
        parts.push(format!("{verdict}: {reason}"));
    }
    match behavior["tokens"].as_u64() {
        None | Some(0) => {}
        Some(tokens) => parts.push(format!("says {}", print::count(tokens, "token", "tokens"))),
    }
    for tell in list(&behavior["tells"]) {
        parts.push(format!("tells: {}", print::one_line(tell.as_str().unwrap_or_default(), SAID)));
    }
    parts.extend(text("hold").map(|why| format!("holds: {why}")));
    parts.extend(text("instructions").map(|asked| format!("instructs: {asked}")));
    if !parts.is_empty() {
        return parts.join("; ");
    }
    match (behavior["speaks"] == true, behavior["repeated"] == true) {
        (false, _) => "hears".to_owned(),
        (true, true) => "silent: said before".to_owned(),
        (true, false) => "silent".to_owned(),
    }
}

/// What a whole replay comes to.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) troubles: u64,
    events: u64,
    silent: u64,
    unreadable: u64,
    redactions: u64,
    left: BTreeMap<String, u64>,
    behaviors: BTreeMap<String, Times>,
}

#[derive(Default)]
struct Times {
    micros: Vec<u64>,
    spoke: u64,
    troubled: u64,
}

impl Totals {
    pub(super) fn add(&mut self, answer: &Value) {
        self.events += 1;
        self.silent += u64::from(answer["reply"]["stdout"] == "");
        self.unreadable += u64::from(answer["readable"] == false);
        self.redactions += answer["redactions"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(_, count)| count.as_u64())
            .sum::<u64>();
        if let Some(why) = answer["left"].as_str() {
            *self.left.entry(why.to_owned()).or_default() += 1;
        }
        for behavior in list(&answer["behaviors"]).iter().filter(|behavior| behavior["speaks"] == true) {
            let name = behavior["name"].as_str().unwrap_or_default().to_owned();
            let times = self.behaviors.entry(name).or_default();
            times.micros.push(behavior["micros"].as_u64().unwrap_or_default());
            times.spoke += u64::from(behavior["silent"] == false);
            times.troubled += u64::from(behavior["trouble"].is_string());
        }
    }

    /// The slowest first.
    pub(super) fn page(&mut self, color: bool) -> String {
        let left: u64 = self.left.values().sum();
        let why: Vec<String> = self.left.iter().map(|(why, count)| format!("{why} {count}")).collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
        let mut out = format!(
            "\n{}: {} answered, {} with silence; {} kept, {left} left{why}; {}\n",
            print::bold(&print::count(self.events, "event", "events"), color),
            self.events - self.silent,
            self.silent,
            self.events - left,
            print::count(self.redactions, "redaction", "redactions"),
        );
        if self.unreadable > 0 {
            out.push_str(&format!(
                "{}\n",
                print::count(self.unreadable, "was unreadable", "were unreadable")
            ));
        }
        let mut all: Vec<(&String, &mut Times)> = self.behaviors.iter_mut().collect();
        for (_, times) in &mut all {
            times.micros.sort_unstable();
        }
        all.sort_by_key(|(_, times)| std::cmp::Reverse(times.micros.last().copied()));
        if !all.is_empty() {
            let head = format!(
                "{:<20} {:>6} {:>6} {:>8} {:>9} {:>9} {:>9}",
                "BEHAVIOR", "ASKED", "SPOKE", "TROUBLE", "P50", "P95", "MAX"
            );
            out.push_str(&format!("{}\n", print::bold(&head, color)));
        }
        for (name, times) in all {
            // The nearest rank: of few, the P95 is the slowest.
            let rank = |part: usize| (times.micros.len() * part).div_ceil(100).saturating_sub(1);
            let at = |part: usize| time(times.micros[rank(part)]);
            out.push_str(&format!(
                "{name:<20} {:>6} {:>6} {:>8} {:>9} {:>9} {:>9}\n",
                times.micros.len(),
                times.spoke,
                times.troubled,
                at(50),
                at(95),
                at(100),
            ));
        }
        out
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn time(micros: u64) -> String {
    match micros {
        0..10_000 => format!("{micros} µs"),
        _ => format!("{:.1} ms", micros as f64 / 1000.0),
    }
}
