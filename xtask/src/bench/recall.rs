//! What it costs an agent to be reminded: the hooks that speak, with many memories behind them, beside a process that
//! does nothing. Every hook is the real one, every answer is journaled, every search is hybrid.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Options;
use super::material::Material;
use super::page::{Goal, Page};
use super::search::{Place, Runs};
use super::spawn::Program;
use crate::run::Executables;

const ROUNDS: usize = 400;
const QUICK_ROUNDS: usize = 60;
/// The first starts read files and fill caches.
const WARM_UP: usize = 10;
/// Answers that are read, to know that there is something to wait for.
const LOOKED_AT: usize = 20;
/// What each may take over starting `true`, p95, in milliseconds.
const SPEAKERS: [(&str, f64); 3] = [("SessionStart", 25.0), ("UserPromptSubmit", 15.0), ("PreToolUse", 5.0)];

pub(crate) fn measure(
    page: &mut Page,
    options: Options,
    sizes: &[usize],
    release: &Executables,
) -> Result<()> {
    let material = Material::gather()?;
    for size in sizes {
        one_size(page, options, *size, &material, release)?;
    }
    Ok(())
}

fn one_size(
    page: &mut Page,
    options: Options,
    size: usize,
    material: &Material,
    release: &Executables,
) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        &format!("Hooks that speak, with {size} memories"),
        "Start of `throughline-hook` to its end, the envelope in a pipe, the answer made: what a session is told when it \
         starts, what a prompt is told, what is said before a file is read. Beside `/bin/true`, one after the other; every \
         call is of a session of its own, so that nothing is left out as already said.",
    );
    let place = Place::start(release)?;
    place.fill(material, size)?;
    let project = place.home().join("project-3");
    fs::create_dir(&project)?;
    let envelope = |event: &str, number: usize| body(&project, material, event, number, size);
    page.head(&["event", "answers that say something"]);
    for (event, _) in SPEAKERS {
        let spoke = (0..LOOKED_AT)
            .map(|number| hook(&place, release, event, &envelope(event, 1_000_000 + number)).read())
            .filter(|answer| answer.as_ref().is_ok_and(|text| text.contains("additionalContext")))
            .count();
        page.row(&[event, &format!("{spoke} of {LOOKED_AT}")]);
    }
    page.line("");

    let rounds = if options.quick { QUICK_ROUNDS } else { ROUNDS };
    let nothing = Program::new(Path::new("/bin/true"), &[], b"");
    let mut floor = Runs::default();
    let mut speaking: Vec<Runs> = SPEAKERS.iter().map(|_| Runs::default()).collect();
    for number in 0..rounds + WARM_UP {
        if number == WARM_UP {
            floor = Runs::default();
            speaking = SPEAKERS.iter().map(|_| Runs::default()).collect();
        }
        floor.once(&nothing)?;
        for ((event, _), runs) in SPEAKERS.iter().zip(&mut speaking) {
            runs.once(&hook(&place, release, event, &envelope(event, number)))?;
        }
    }
    page.times_head();
    page.times("/bin/true", &floor.samples(), Some(floor.cpu()));
    for ((event, _), runs) in SPEAKERS.iter().zip(&speaking) {
        page.times(event, &runs.samples(), Some(runs.cpu()));
    }
    for ((event, most), runs) in SPEAKERS.iter().zip(&speaking) {
        page.goal(Goal {
            says: format!("{event} p95, {size} memories / (true p95 + {most} ms)"),
            ours: runs.samples().percentile(95.0),
            reference: floor.samples().percentile(95.0) + most,
            most: 1.0,
            unit: "ms",
            noise: floor.noise(),
        });
    }
    ensure_kept(&place)?;
    page.end(from);
    Ok(())
}

/// What was said is in the journal: nothing here was measured against a daemon that had given up.
fn ensure_kept(place: &Place<'_>) -> Result<()> {
    let said = place.program(&["context", "--said", "--json"]).read()?;
    let line = said.lines().next().context("nothing was said to anybody")?;
    ensure!(serde_json::from_str::<Value>(line)?["text"].is_string(), "what was said is not kept: {line}");
    Ok(())
}

fn hook(place: &Place<'_>, release: &Executables, event: &str, body: &[u8]) -> Program {
    Program::new(&release.hook, &[event], body).at_home(place.home())
}

fn body(project: &Path, material: &Material, event: &str, number: usize, size: usize) -> Vec<u8> {
    let mut envelope = json!({
        "session_id": format!("bench-{event}-{number}"),
        "transcript_path": project.join("none.jsonl"),
        "cwd": project,
        "hook_event_name": event,
    });
    match event {
        "SessionStart" => envelope["source"] = json!("startup"),
        "UserPromptSubmit" => envelope["prompt"] = json!(material.question(number, size)),
        _ => {
            envelope["tool_name"] = json!("Read");
            envelope["tool_use_id"] = json!(format!("toolu_{number}"));
            envelope["tool_input"] =
                json!({ "file_path": project.join(Material::file((number * 7 + 3) % size)) });
        }
    }
    envelope.to_string().into_bytes()
}
