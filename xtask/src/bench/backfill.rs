//! How fast past transcripts are taken in, beside redacting the same bytes, which nobody may leave out.

use std::fs;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Options;
use super::envelopes::after_a_command;
use super::house::House;
use super::material::Material;
use super::page::{Goal, Page};
use super::spawn::Program;
use crate::run::Executables;

const MEGABYTES: u64 = 100;
const QUICK_MEGABYTES: u64 = 10;
/// Megabytes a minute, at least.
const RATE: f64 = 100.0;
const MEGABYTE: f64 = 1_048_576.0;
/// Where the client keeps the transcripts of a project, in a home.
const FOLDER: &str = ".claude/projects/-project";
/// Redacted so often, in pieces that a pipe holds: its rate is that of a process that only redacts.
const REDACTIONS: usize = 9;
const PIECE: usize = 1 << 20;

pub(crate) fn measure(page: &mut Page, options: Options, release: &Executables) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        "Backfill",
        "`throughline backfill` of one generated transcript, from the start of the process to its end, beside \
         `throughline redact` of megabytes of the same file.",
    );
    let (house, _) = House::start(&release.throughline, &after_a_command("bench-first", 1_000))?;
    let folder = house.home().join(FOLDER);
    fs::create_dir_all(&folder)?;
    let file = folder.join("5c0de4f4-0000-4000-8000-000000000001.jsonl");
    let megabytes = if options.quick { QUICK_MEGABYTES } else { MEGABYTES };
    let bytes = Material::gather()?.transcript(&file, megabytes << 20)? as f64 / MEGABYTE;

    let redaction = redaction(&house, release, &fs::read(&file)?)?;
    let start = Instant::now();
    let told =
        Program::new(&release.throughline, &["backfill", "--json"], b"").at_home(house.home()).read()?;
    let took = start.elapsed().as_secs_f64();
    let told: Value = serde_json::from_str(&told).context("backfill printed no JSON")?;
    ensure!(told["complete"] == true, "backfill did not read everything: {told}");
    let read = told["seconds"].as_f64().context("backfill does not say how long it read")?;

    page.head(&["what", "MB", "seconds", "MB per minute"]);
    for (what, bytes, seconds) in [
        ("backfill, until read", bytes, read),
        ("backfill, until the process ends", bytes, took),
        ("redaction alone", 1.0, redaction.0),
    ] {
        let rate = bytes / seconds * 60.0;
        page.row(&[what, &format!("{bytes:.0}"), &format!("{seconds:.3}"), &format!("{rate:.0}")]);
    }
    page.line(&format!(
        "\n{} events became {} memories. Backfill took {:.1} times as long as redaction.",
        told["events"],
        told["memories"],
        took / (bytes * redaction.0)
    ));
    page.goal(Goal {
        says: format!("time of a backfill of {bytes:.0} MB / at {RATE} MB a minute"),
        ours: took,
        reference: bytes / RATE * 60.0,
        most: 1.0,
        unit: "s",
        noise: redaction.1,
    });
    page.end(from);
    Ok(())
}

/// Seconds for a megabyte, and how far they can be trusted.
fn redaction(house: &House, release: &Executables, bytes: &[u8]) -> Result<(f64, f64)> {
    let mut walls = Vec::new();
    for piece in bytes.chunks_exact(PIECE).take(REDACTIONS) {
        walls.push(Program::new(&release.throughline, &["redact"], piece).at_home(house.home()).run()?.wall);
    }
    let samples = super::samples::Samples::new(&walls);
    Ok((samples.median() / 1e3, samples.noise()))
}
