//! Many sessions in one workspace: what a hook costs when sixty-four are at work at once, and how soon one sees what another
//! has claimed.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Options;
use super::envelopes::after_a_command;
use super::house::House;
use super::page::{Goal, Page};
use super::samples::Samples;
use super::spawn::Program;
use crate::run::{self, Executables};

const SESSIONS: usize = 64;
/// Events of all sessions together, in a second.
const RATE: usize = 200;
const SECONDS: usize = 20;
const QUICK_SECONDS: usize = 4;
const ALONE: usize = 500;
const QUICK_ALONE: usize = 100;
const CLAIMS: usize = 100;
const QUICK_CLAIMS: usize = 20;
/// Starters: more than hooks that are ever under way at once.
const STARTERS: usize = 32;
/// What another session may have to wait for a claim.
const VISIBLE_MS: f64 = 50.0;
/// A claim that takes longer is not seen at all.
const PATIENCE: Duration = Duration::from_secs(5);
/// Of the rate that was wanted; below it the starters were measured and not the daemon.
const LEAST_RATE: f64 = 0.95;

pub(crate) fn measure(page: &mut Page, options: Options, release: &Executables) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        "Many at work",
        &format!(
            "Start of `throughline-hook` to its end, the real daemon. Alone: one session, one hook after the other. Many: \
             {SESSIONS} live sessions of one workspace that hold a file each, {RATE} events a second on a fixed schedule. Both \
             send the same mix of prompts, reads, edits and commands. A claim is visible when another session's edit of the \
             same file is refused with the lines of an edit whose last hook has returned."
        ),
    );
    let project = TempDir::with_prefix("throughline-bench-")?;
    let root = project.path().canonicalize()?;
    let house = House::start(&release.throughline, &after_a_command("bench-first", 1_000))?.0;
    let hook = |event: &str, body: &Value| {
        Program::new(&release.hook, &[event], body.to_string().as_bytes()).at_home(house.home())
    };

    let (alone, seconds) = if options.quick { (QUICK_ALONE, QUICK_SECONDS) } else { (ALONE, SECONDS) };
    let mix = |session: usize, number: usize| {
        let (event, body) = event(&root, session, number);
        hook(event, &body)
    };
    let mut walls = Vec::new();
    for number in 0..alone {
        walls.push(mix(SESSIONS, number).wall()?);
    }
    let single = Samples::new(&walls);

    for session in 0..SESSIONS {
        hook("SessionStart", &envelope(&root, session, "SessionStart")).wall()?;
    }
    let total = RATE * seconds;
    let programs: Vec<Program> = (0..total).map(|at| mix(at % SESSIONS, at / SESSIONS)).collect();
    let (walls, took) = on_schedule(&programs)?;
    let many = Samples::new(&walls);
    let rate = total as f64 / took.as_secs_f64();

    let seen = visible(&root, &house, release, if options.quick { QUICK_CLAIMS } else { CLAIMS })?;
    page.times_head();
    page.times("one session", &single, None);
    page.times(&format!("{SESSIONS} sessions, {rate:.0} events/s"), &many, None);
    page.times("until a claim is visible", &seen, None);
    let kept_up = rate >= RATE as f64 * LEAST_RATE;
    page.goal(Goal {
        says: format!("throughline-hook p95, {SESSIONS} sessions at {RATE} events/s / one session"),
        ours: many.percentile(95.0),
        reference: single.percentile(95.0),
        most: 3.0,
        unit: "ms",
        noise: if kept_up { single.noise() } else { f64::INFINITY },
    });
    page.goal(Goal {
        says: format!("a claim is visible to another session, p95 / {VISIBLE_MS} ms"),
        ours: seen.percentile(95.0),
        reference: VISIBLE_MS,
        most: 1.0,
        unit: "ms",
        noise: 1.0,
    });
    page.end(from);
    Ok(())
}

/// Starts every program at its moment, whether the ones before it are done or not; the wall time of each, and of all.
fn on_schedule(programs: &[Program]) -> Result<(Vec<Duration>, Duration)> {
    let (next, begin) = (AtomicUsize::new(0), Instant::now());
    let starter = || -> Result<Vec<Duration>> {
        let mut walls = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(program) = programs.get(at) else { return Ok(walls) };
            let due = begin + Duration::from_micros(1_000_000 * at as u64 / RATE as u64);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            walls.push(program.wall()?);
        }
    };
    let all: Vec<Result<Vec<Duration>>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..STARTERS).map(|_| scope.spawn(starter)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a starter does not panic")).collect()
    });
    let walls = all.into_iter().collect::<Result<Vec<_>>>()?.concat();
    Ok((walls, begin.elapsed()))
}

/// From the return of an edit's last hook to an answer that names its lines to another session.
fn visible(root: &Path, house: &House, release: &Executables, claims: usize) -> Result<Samples> {
    let mut set = Command::new(&release.throughline);
    set.args(["config", "set", "behaviors.claim-files", "deny"]).env_clear().env("HOME", house.home());
    set.env("THROUGHLINE_HOME", house.home()).env("PATH", "/usr/bin:/bin");
    run::read(&mut set)?;
    let hook = |event: &str, session: usize, file: &str| {
        let mut body = envelope(root, session, event);
        body["tool_name"] = json!("Edit");
        body["tool_use_id"] = json!(format!("toolu_{file}_{session}"));
        body["tool_input"] = json!({ "file_path": root.join(file), "old_string": "a", "new_string": "b" });
        if event == "PostToolUse" {
            let patch = json!([{ "oldStart": 7, "newStart": 7, "lines": ["-a", "+b"] }]);
            body["tool_response"] = json!({ "structuredPatch": patch });
        }
        Program::new(&release.hook, &[event], body.to_string().as_bytes()).at_home(house.home())
    };
    let mut walls = Vec::new();
    for number in 0..claims {
        let file = format!("claimed-{number}.rs");
        hook("PreToolUse", 0, &file).wall()?;
        hook("PostToolUse", 0, &file).wall()?;
        let (returned, asked) = (Instant::now(), hook("PreToolUse", 1, &file));
        while !asked.read()?.contains("on line 7") {
            ensure!(returned.elapsed() < PATIENCE, "{file} is never seen to be held");
        }
        walls.push(returned.elapsed());
    }
    Ok(Samples::new(&walls))
}

/// What a session does, over and over: it is asked, reads, edits its own file, runs a command.
fn event(root: &Path, session: usize, number: usize) -> (&'static str, Value) {
    let file = root.join(format!("src/file-{session}.rs"));
    let (event, tool, input) = match number % 6 {
        0 => ("UserPromptSubmit", "", json!({})),
        1 => ("PreToolUse", "Read", json!({ "file_path": file })),
        2 => ("PostToolUse", "Read", json!({ "file_path": file })),
        3 => ("PreToolUse", "Edit", json!({ "file_path": file, "old_string": "a", "new_string": "b" })),
        4 => ("PostToolUse", "Edit", json!({ "file_path": file, "old_string": "a", "new_string": "b" })),
        _ => ("PostToolUse", "Bash", json!({ "command": "cargo test -q" })),
    };
    let mut body = envelope(root, session, event);
    if tool.is_empty() {
        body["prompt"] = json!(format!("Go on with part {number} of the parser."));
    } else {
        body["tool_name"] = json!(tool);
        body["tool_use_id"] = json!(format!("toolu_{session}_{number}"));
        body["tool_input"] = input;
    }
    if event == "PostToolUse" {
        body["tool_response"] = match tool {
            "Edit" => json!({ "structuredPatch": [{ "oldStart": 7, "newStart": 7, "lines": ["-a", "+b"] }] }),
            _ => json!({ "stdout": "test result: ok. 12 passed; 0 failed", "stderr": "" }),
        };
    }
    (event, body)
}

fn envelope(root: &Path, session: usize, event: &str) -> Value {
    json!({
        "session_id": format!("bench-many-{session:02}"), "transcript_path": root.join("none.jsonl"), "cwd": root,
        "hook_event_name": event,
    })
}
