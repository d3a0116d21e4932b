//! How a project is tested, linted, built, run and shipped, shown by the commands that worked: one memory of a project,
//! a line for each command. A later session's lines take the place of the earlier ones; nothing is added up.

use model::{EventId, Learning, LearningKind, Millis, Provenance};

use crate::command::{Command, Purpose};
use crate::state::{Check, State};
use crate::step::{Run, Step};
use crate::text::{clip, has_word};
use crate::work::{push_bounded, push_middle};

/// What the memory is called; there is one of a project.
pub const HOW_TO: &str = "How this project is checked, built and run";

/// The order of the lines, and how many commands each purpose may have.
const LABELS: &[(&str, usize)] =
    &[("test", 2), ("lint", 2), ("format", 1), ("build", 2), ("run", 1), ("migrate", 1), ("deploy", 1)];
/// A longer command is made for one occasion.
const MAX_COMMAND_BYTES: usize = 80;
const DAY: Millis = 24 * 60 * 60 * 1000;

/// Counts how a command ended, and the other checks of a chain that went well.
pub(crate) fn count(state: &mut State, step: &Step, run: &Run) {
    let command = &run.command;
    if run.ok && command.purpose.proves() {
        state.done_so_far.proved_in_turn = state.turns;
    }
    note(state, step, (command.purpose, &command.shown, &command.folder), run.ok);
    for (purpose, shown) in command.beside.iter().filter(|_| run.ok) {
        note(state, step, (*purpose, shown, &command.folder), true);
    }
}

fn note(state: &mut State, step: &Step, (purpose, shown, folder): (Purpose, &str, &str), ok: bool) {
    let shown = untimed(shown);
    let known = state.checks.iter_mut().find(|check| check.shown == shown && check.folder == folder);
    if let Some(check) = known {
        check.passed += u32::from(ok);
        check.failed += u32::from(!ok);
        check.ok = ok;
        push_middle(&mut check.events, step.event);
        check.at = step.at;
        return;
    }
    let check = Check {
        shown: shown.to_owned(),
        purpose: Some(purpose),
        folder: folder.to_owned(),
        passed: u32::from(ok),
        failed: u32::from(!ok),
        ok,
        events: vec![step.event],
        at: step.at,
    };
    push_bounded(&mut state.checks, check, State::MAX_CHECKS);
}

/// Without what only bounds or measures a run: `timeout 60`, `time`.
fn untimed(shown: &str) -> &str {
    let rest = shown.strip_prefix("time ").unwrap_or(shown).trim_start();
    let Some(bounded) = rest.strip_prefix("timeout ") else { return rest };
    let mut rest = bounded.trim_start();
    while let Some((word, after)) = rest.split_once(' ') {
        if !(word.starts_with('-') || word.starts_with(|first: char| first.is_ascii_digit())) {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

/// What the session shows of how the project is worked on. `None`: nothing of the whole project was run.
pub(crate) fn learning(state: &State) -> Option<Learning> {
    let mut told: Vec<(usize, &Check)> = Vec::new();
    for (place, (label, most)) in LABELS.iter().enumerate() {
        let mut checks: Vec<&Check> = state
            .checks
            .iter()
            .filter(|check| check.passed > 0 && label_of(check) == Some(label) && is_whole(check))
            .collect();
        checks.sort_by_key(|check| (std::cmp::Reverse(check.passed), check.shown.len()));
        told.extend(checks.into_iter().take(*most).map(|check| (place, check)));
    }
    let mut events: Vec<EventId> = Vec::new();
    for event in told.iter().flat_map(|(_, check)| check.events.iter().rev().take(2)) {
        if events.len() < Provenance::MAX_EVENTS && !events.contains(event) {
            events.push(*event);
        }
    }
    let lines: Vec<String> = told.iter().map(|(place, check)| line(LABELS[*place].0, check)).collect();
    Some(Learning {
        kind: LearningKind::Pattern,
        at: told.iter().map(|(_, check)| check.at).max()?,
        title: HOW_TO.to_owned(),
        text: lines.join("\n"),
        files: Vec::new(),
        events,
    })
}

/// Two texts of [`HOW_TO`] as one. Of each command the younger line stays, of each purpose the youngest commands.
pub fn merge_how_to(one: &str, other: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in one.lines().chain(other.lines()) {
        let known = lines.iter_mut().find(|known| command_of(known) == command_of(line));
        match known {
            Some(known) if last_of(line) >= last_of(known) => *known = line,
            Some(_) => {}
            None => lines.push(line),
        }
    }
    let mut kept: Vec<&str> = Vec::new();
    for (label, most) in LABELS {
        let mut of: Vec<&str> =
            lines.iter().copied().filter(|line| line.split(": ").next() == Some(label)).collect();
        of.sort_by_key(|line| std::cmp::Reverse(last_of(line)));
        kept.extend(of.into_iter().take(*most));
    }
    kept.join("\n")
}

/// `test: `npm test` from `web` (passed 3 of 4, last 2026-01-05)`.
fn line(label: &str, check: &Check) -> String {
    let all = check.passed + check.failed;
    let last = if check.ok { "last" } else { "failed last" };
    let folder = if check.folder.is_empty() { String::new() } else { format!(" from `{}`", check.folder) };
    format!("{label}: `{}`{folder} (passed {} of {all}, {last} {})", check.shown, check.passed, day(check.at))
}

fn command_of(line: &str) -> &str {
    line.rsplit_once(" (").map_or(line, |(command, _)| command)
}

fn last_of(line: &str) -> &str {
    line.trim_end_matches(')').rsplit(' ').next().unwrap_or("")
}

fn label_of(check: &Check) -> Option<&'static str> {
    const FORMATS: &[&str] = &["fmt", "format", "gofmt", "rustfmt", "black", "prettier"];
    let command = Command::read(&check.shown);
    // A tag, an image or a tunnel is of the moment; how the project runs is said by its own tasks.
    const OUTWARD: &[&str] = &["gh", "glab", "git", "docker", "podman", "kubectl", "oc", "helm"];
    let outward = OUTWARD.contains(&command.family.split(' ').next().unwrap_or(""));
    match check.purpose? {
        Purpose::Test => Some("test"),
        Purpose::Lint if FORMATS.iter().any(|word| has_word(&check.shown, word)) => Some("format"),
        Purpose::Lint => Some("lint"),
        Purpose::Build if command.family == "cargo run" => Some("run"),
        Purpose::Build => Some("build"),
        Purpose::Serve if !outward => Some("run"),
        Purpose::Migrate => Some("migrate"),
        Purpose::Release if !outward => Some("deploy"),
        _ => None,
    }
}

/// Of the whole project, not of one test or package of it.
fn is_whole(check: &Check) -> bool {
    const NARROW: &[&str] = &[
        "-run",
        "-k",
        "-t",
        "-p",
        "-m",
        "--filter",
        "--grep",
        "--package",
        "--test",
        "--bin",
        "--testNamePattern",
        "--tests",
        "--example",
        "-g",
        "--only",
        "-c",
    ];
    const EVERYTHING: &[&str] = &["./...", "...", ".", "--", "all", "src", "src/", "tests", "tests/"];
    let command = Command::read(&check.shown);
    let narrow =
        check.shown.split_whitespace().any(|word| NARROW.contains(&word.split('=').next().unwrap_or(word)));
    // What is built into a file is named, and so is what is run.
    let named = matches!(check.purpose, Some(Purpose::Serve | Purpose::Release | Purpose::Migrate))
        || check.purpose == Some(Purpose::Build) && check.shown.contains(" -o ");
    let whole = named || command.targets.iter().all(|target| EVERYTHING.contains(&target.as_str()));
    let odd = check.shown.contains(['$', '*', '<', '>', '\n', '`', '…']) || check.shown.contains("/tmp/");
    whole && !narrow && !odd && clip(&check.shown, MAX_COMMAND_BYTES) == check.shown
}

/// The day of a time, as `2026-01-05`.
fn day(at: Millis) -> String {
    // The civil calendar from days since 1970, in years that begin in March (H. Hinnant).
    let days = (at / DAY).min(3_000_000) + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{date:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_written_as_people_write_it() {
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(1_709_164_800_000), "2024-02-29");
        assert_eq!(day(1_767_225_599_000), "2025-12-31");
    }

    #[test]
    fn the_younger_line_of_a_command_stays_whichever_comes_first() {
        let old = "test: `just test` (last 2026-01-02)\nbuild: `just build` (last 2026-01-02)";
        let new = "test: `just test` (passed 2 of 3, last 2026-02-01)\nlint: `just lint` (last 2026-02-01)";
        let both = "test: `just test` (passed 2 of 3, last 2026-02-01)\nlint: `just lint` (last 2026-02-01)\nbuild: `just build` (last 2026-01-02)";
        assert_eq!(merge_how_to(old, new), both);
        assert_eq!(merge_how_to(new, old), both);
        assert_eq!(merge_how_to(both, new), both);
    }
}
