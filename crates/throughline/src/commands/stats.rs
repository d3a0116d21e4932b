//! Counts over everything recorded, and how it grew.

use clap::Args;
use serde_json::json;
use store::{Count, DayCount, InjectionStats, Stats as Counted};

use super::reader;
use crate::chart;
use crate::print;
use crate::report::person;
use crate::when;
use crate::world::World;

/// Lines of each list a person reads; `--json` has them all.
const SHOWN: usize = 12;
/// Columns in the picture of growth; a narrow terminal has fewer.
const MAX_COLUMNS: usize = 92;
/// Days in it: one document of long ago must not press all others into a column.
const MAX_DAYS: u64 = 10 * 365;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

#[derive(Debug, Args)]
#[command(after_help = "Example: throughline stats --json")]
pub(crate) struct Stats {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Stats {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        let stats = tables.stats().map_err(person)?;
        let told = tables.injection_stats().map_err(person)?;
        if self.json {
            let mut answer = json!(stats);
            answer["memories_behind"] = json!(behind(&stats));
            answer["tokens_saved"] = json!(tokens_saved(&stats));
            answer["shown_to_agents"] = json!(told);
            answer["shown_to_agents"]["cited_share"] = json!(cited_share(&told));
            return print::json(&answer);
        }
        let mut text = format!(
            "{} events in {} sessions of {} workspaces, {} prompts, {} of envelopes\n",
            stats.events,
            stats.sessions,
            stats.workspaces,
            stats.prompts,
            print::bytes(stats.bytes)
        );
        if let (Some(first), Some(last)) = (stats.first_at, stats.last_at) {
            text.push_str(&format!("from {} to {}\n", print::time(first), print::time(last)));
        }
        text.push_str(&kept(&stats));
        text.push_str(&shown(&told));
        let today = when::now() / DAY_MS;
        text.push_str(&growth("events", &stats.by_day, today, world));
        text.push_str(&growth("memories", &stats.memories_by_day, today, world));
        for (title, counts) in [
            ("memories", &stats.memories_by_kind),
            ("events", &stats.by_kind),
            ("tools", &stats.by_tool),
            ("redacted", &stats.redactions),
        ] {
            text.push_str(&list(title, counts, world));
        }
        print::text(&text)
    }
}

/// What a model need not read again, because a memory says it.
fn tokens_saved(stats: &Counted) -> u64 {
    stats.raw_tokens.saturating_sub(stats.memory_tokens)
}

fn kept(stats: &Counted) -> String {
    if stats.memories == 0 {
        return String::new();
    }
    let behind = behind(stats);
    let mut text = format!(
        "{} of {} tokens",
        print::count(stats.memories - behind, "memory", "memories"),
        chart::short(stats.memory_tokens)
    );
    if behind > 0 {
        text.push_str(&format!(" with {behind} requests, summaries and pieces of talk behind them"));
    }
    let saved = tokens_saved(stats);
    if saved > 0 {
        let share = 100.0 * saved as f64 / stats.raw_tokens as f64;
        text.push_str(&format!(
            ", made from {}: {} saved ({share:.0} %)",
            chart::short(stats.raw_tokens),
            chart::short(saved)
        ));
    }
    text.push('\n');
    text
}

/// What a turn has beside what came of it: its request, its talk, its summary. One turn would count four times with them.
fn behind(stats: &Counted) -> u64 {
    let is_behind = |kind: &str| ["prompt", "chunk", "summary"].contains(&kind);
    let kinds = stats.memories_by_kind.iter().filter(|count| is_behind(&count.name));
    kinds.map(|count| count.count).sum::<u64>().min(stats.memories)
}

/// Of the memories that were shown, once per session, how many their agents named or fetched afterwards. `None`:
/// none was shown.
fn cited_share(told: &InjectionStats) -> Option<f64> {
    (told.memories > 0).then(|| told.cited as f64 / told.memories as f64)
}

fn shown(told: &InjectionStats) -> String {
    if told.notes == 0 {
        return String::new();
    }
    let notes = print::count(told.notes, "note", "notes");
    let memories = print::count(told.memories, "memory", "memories");
    let share = cited_share(told).map_or_else(String::new, |share| format!(" ({:.0} %)", 100.0 * share));
    let prevented = print::count(told.prevented, "mistake", "mistakes");
    format!(
        "shown to agents: {notes}, {memories}, {} cited{share}, {prevented} prevented, {} tokens\n",
        told.cited,
        chart::short(told.tokens)
    )
}

/// A row of columns from the first day to the last, as many days in each as it takes to fit.
/// Times that are not known, not yet or long past are counted beside it.
fn growth(what: &str, days: &[DayCount], today: u64, world: &World) -> String {
    // A day more: clocks differ.
    let charted = today.saturating_sub(MAX_DAYS).max(1)..=today + 1;
    let (days, beside): (Vec<&DayCount>, Vec<&DayCount>) =
        days.iter().partition(|day| charted.contains(&day.day));
    let numbers = || days.iter().map(|day| day.day);
    let (Some(first), Some(last)) = (numbers().min(), numbers().max()) else { return String::new() };
    let room = MAX_COLUMNS.min(world.width.saturating_sub(4)) as u64;
    let each = (last - first + 1).div_ceil(room);
    let mut columns = vec![0; ((last - first) / each + 1) as usize];
    for day in &days {
        columns[((day.day - first) / each) as usize] += day.count;
    }
    let most = columns.iter().copied().max().unwrap_or_default();
    let every = if each == 1 { "a day".to_owned() } else { format!("every {each} days") };
    let since = when::day(first * DAY_MS + DAY_MS / 2);
    let beside: u64 = beside.iter().map(|day| day.count).sum();
    let beside = if beside > 0 { format!(", {beside} of another or unknown time") } else { String::new() };
    let head = print::bold(&format!("{what} {every}, since {since}, at most {most}{beside}"), world.color);
    format!("\n{head}\n  {}\n", chart::columns(&columns))
}

fn list(title: &str, counts: &[Count], world: &World) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let most = counts.iter().map(|one| one.count).max().unwrap_or_default();
    let names = counts.iter().take(SHOWN).map(|one| print::one_line(&one.name, 40));
    let wide = names.clone().map(|name| name.chars().count()).max().unwrap_or_default();
    let room = world.width.saturating_sub(wide + 16).min(40);
    let rows = counts.iter().zip(names).map(|(one, name)| {
        let bar = print::dim(&chart::bar(one.count, most, room), world.color);
        format!("  {:>8}  {name:<wide$}  {bar}\n", one.count)
    });
    format!("\n{}\n{}", print::bold(title, world.color), rows.collect::<String>())
}
