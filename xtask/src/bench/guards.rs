//! What guards cost: a write and a command, judged, beside the same hook where nothing is to be judged.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::Options;
use super::page::{Goal, Page};
use super::search::{Place, Runs};
use super::spawn::Program;
use crate::run::Executables;

const ROUNDS: usize = 400;
const QUICK_ROUNDS: usize = 60;
const WARM_UP: usize = 10;
/// What a guard may take over the bare hook, p95, in milliseconds; and with a list as long as nobody keeps by hand.
const GUARD_MS: f64 = 2.0;
const LONG_MS: f64 = 5.0;
const LONG: usize = 10_000;
/// A scope file this old is read once.
const SETTLED: Duration = Duration::from_secs(4);
/// The bare hook: a call that no guard hears.
const BARE: &str = "bare hook";

pub(crate) fn measure(page: &mut Page, options: Options, release: &Executables) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        "Guards",
        "Start of `throughline-hook` to its end with a daemon up. The bare hook is a PreToolUse of a tool no guard judges; \
         beside it a Write under a scope of 20 patterns, the same under 10,000, and a command of six programs.",
    );
    let place = Place::start(release)?;
    let projects: Vec<_> = [("small", 20), ("long", LONG)]
        .into_iter()
        .map(|(name, patterns)| project(place.home(), name, patterns))
        .collect::<Result<_>>()?;
    let command = "cd src && git status --short | head -5; FOO=1 env BAR=2 make -j4 2>&1 | tee build.log && rm -rf ./target/tmp";
    let calls: [(&str, Value, f64); 4] = [
        (BARE, call(&projects[0], "TodoWrite", &json!({ "todos": [] })), 0.0),
        ("write, 20 patterns", write(&projects[0]), GUARD_MS),
        ("write, 10,000 patterns", write(&projects[1]), LONG_MS),
        ("command", call(&projects[0], "Bash", &json!({ "command": command })), GUARD_MS),
    ];
    let hook = |body: &Value| {
        Program::new(&release.hook, &["PreToolUse"], body.to_string().as_bytes()).at_home(place.home())
    };
    // A scope file that has just changed is read for every call.
    thread::sleep(SETTLED);
    // A guard that says nothing was not measured.
    let mut denied = write(&projects[1]);
    denied["tool_input"]["file_path"] = json!(projects[1].join("no/such.txt"));
    ensure!(hook(&denied).read()?.contains("\"deny\""), "the long scope does not deny");
    let rounds = if options.quick { QUICK_ROUNDS } else { ROUNDS };
    let mut runs: Vec<Runs> = calls.iter().map(|_| Runs::default()).collect();
    for round in 0..rounds + WARM_UP {
        if round == WARM_UP {
            runs = calls.iter().map(|_| Runs::default()).collect();
        }
        for ((_, body, _), runs) in calls.iter().zip(&mut runs) {
            runs.once(&hook(body))?;
        }
    }
    page.times_head();
    for ((name, ..), runs) in calls.iter().zip(&runs) {
        page.times(name, &runs.samples(), Some(runs.cpu()));
    }
    for ((name, _, most), ours) in calls.iter().zip(&runs).skip(1) {
        page.goal(Goal {
            says: format!("{name} p95 / ({BARE} p95 + {most} ms)"),
            ours: ours.samples().percentile(95.0),
            reference: runs[0].samples().percentile(95.0) + most,
            most: 1.0,
            unit: "ms",
            noise: runs[0].noise(),
        });
    }
    page.end(from);
    Ok(())
}

/// A folder with so many patterns, of which the last allows `src`.
fn project(home: &Path, name: &str, patterns: usize) -> Result<std::path::PathBuf> {
    let project = home.join(name);
    fs::create_dir_all(project.join(".throughline"))?;
    fs::create_dir_all(project.join("src"))?;
    let half = patterns / 2;
    let deny: Vec<String> = (0..half).map(|at| format!("packages/p{at}/{{gen,out}}/**/*.snap")).collect();
    let mut allow: Vec<String> = (0..half).map(|at| format!("packages/p{at}/src/**")).collect();
    allow.push("src/**".to_owned());
    let scope = json!({ "allow": allow, "deny": deny });
    fs::write(project.join(".throughline/scope.json"), serde_json::to_string_pretty(&scope)?)?;
    Ok(project)
}

fn write(project: &Path) -> Value {
    call(
        project,
        "Write",
        &json!({ "file_path": project.join("src/new/file.rs"), "content": "fn main() {}\n" }),
    )
}

fn call(project: &Path, tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "bench-guards", "transcript_path": project.join("none.jsonl"), "cwd": project,
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "toolu_1", "tool_input": input,
    })
}
