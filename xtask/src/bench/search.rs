//! How soon an answer is there: search in the library beside its bare parts, and from the command line through the
//! daemon beside a process that does nothing. On the way to the latter: how fast documents are imported and read by
//! the model, and what the daemon keeps in memory before, with and after it.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Options;
use super::envelopes::after_a_command;
use super::house::House;
use super::machine;
use super::material::Material;
use super::measured::Measured;
use super::page::{Goal, Page};
use super::samples::Samples;
use super::spawn::Program;
use crate::run::Executables;

/// What a search may cost beside its bare parts.
const PARTS: f64 = 1.5;
const QUESTIONS: usize = 500;
const QUICK_QUESTIONS: usize = 60;
/// The first starts read files and fill caches.
const WARM_UP: usize = 10;
const MEGABYTE: f64 = 1_048_576.0;
/// Before the model was used, and with it.
const RESIDENT_MB: [f64; 2] = [40.0, 120.0];
/// A daemon that was busy needs a moment to be idle.
const SETTLE: Duration = Duration::from_secs(2);
/// The model is released after a minute without a question, and the daemon looks once a minute.
const RELEASE: Duration = Duration::from_secs(130);
/// Far more than the slowest kernel worth using takes for a memory.
const PATIENCE_EACH: Duration = Duration::from_millis(60);
const LOOK: Duration = Duration::from_millis(200);

/// From the command line to the answer, p95.
fn most_ms(size: usize) -> f64 {
    match size {
        0..=10_000 => 5.0,
        10_001..=100_000 => 15.0,
        _ => 60.0,
    }
}

pub(crate) fn measure(
    page: &mut Page,
    options: Options,
    sizes: &[usize],
    release: &Executables,
) -> Result<()> {
    let material = Material::gather()?;
    for size in sizes {
        library(page, *size)?;
        through_the_daemon(page, options, *size, &material, release)?;
    }
    Ok(())
}

fn library(page: &mut Page, size: usize) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        &format!("Search in {size} memories, in one process"),
        "Hybrid search for ten, warm, beside its bare parts: \"model\" makes the question's vector, \"full text\" is one \
         FTS5 query for the same words, \"scan\" goes over the same vectors. \"model aside\" searches with a vector that \
         is known already. From `cargo bench -p throughline-engine --bench search`.",
    );
    let measured = Measured::run("throughline-engine", "search", &[&size.to_string()])?;
    measured.show(page);
    let [model, text, scan] = ["model", "full text", "scan"].map(|name| measured.get(name));
    let (model, text, scan) = (model?, text?, scan?);
    let noise = text.noise().max(scan.noise());
    for (says, ours, model) in [
        ("search / (full text + scan)", "search", None),
        ("part: search, model aside / (full text + scan)", "search, model aside", None),
        ("part: search / (model + full text + scan)", "search", Some(model)),
    ] {
        let ours = measured.get(ours)?;
        for percent in [50.0, 95.0] {
            let parts: f64 =
                [Some(text), Some(scan), model].iter().flatten().map(|row| row.percentile(percent)).sum();
            page.goal(Goal {
                says: format!("{says}, p{percent}"),
                ours: ours.percentile(percent),
                reference: parts,
                most: PARTS,
                unit: "ms",
                noise: model.map_or(noise, |model| noise.max(model.noise())),
            });
        }
    }
    page.end(from);
    Ok(())
}

/// A home with a daemon, and how it is asked.
pub(super) struct Place<'a> {
    house: House,
    release: &'a Executables,
}

impl<'a> Place<'a> {
    pub(super) fn start(release: &'a Executables) -> Result<Self> {
        let (house, _) = House::start(&release.throughline, &after_a_command("bench-first", 1_000))?;
        Ok(Self { house, release })
    }

    pub(super) fn home(&self) -> &Path {
        self.house.home()
    }

    /// Documents, imported while the model pauses, then read by it. What the two took.
    pub(super) fn fill(&self, material: &Material, size: usize) -> Result<(Duration, Duration)> {
        let import = self.import(material, size)?;
        Ok((import, self.embed(size)?))
    }

    fn import(&self, material: &Material, size: usize) -> Result<Duration> {
        self.program(&["model", "pause"]).run()?;
        let file = self.home().join("documents.jsonl");
        material.documents(&file, size)?;
        let path = file.to_str().context("a temporary folder has a plain name")?;
        Ok(self.program(&["import", "--jsonl", path, "--json"]).run()?.wall)
    }

    pub(super) fn program(&self, arguments: &[&str]) -> Program {
        Program::new(&self.release.throughline, arguments, b"").at_home(self.house.home())
    }

    fn json(&self, arguments: &[&str]) -> Result<Value> {
        serde_json::from_str(&self.program(arguments).read()?)
            .with_context(|| format!("no JSON from {arguments:?}"))
    }

    /// Resident, and what of it is no page of a file.
    pub(super) fn memory(&self) -> Result<[f64; 2]> {
        let read = |key| machine::status_bytes(self.house.pid(), key).context("the daemon is gone");
        Ok([read("VmRSS")? as f64 / MEGABYTE, read("RssAnon")? as f64 / MEGABYTE])
    }

    /// Until the model has read everything; what it took.
    fn embed(&self, size: usize) -> Result<Duration> {
        let start = Instant::now();
        self.program(&["model", "resume"]).run()?;
        loop {
            let status = self.json(&["model", "status", "--json"])?;
            ensure!(status["trouble"].is_null(), "the model does not work: {}", status["trouble"]);
            if status["waiting"] == 0 {
                return Ok(start.elapsed());
            }
            let patience = SETTLE + PATIENCE_EACH * size as u32;
            ensure!(start.elapsed() < patience, "{} memories still have no vector", status["waiting"]);
            thread::sleep(LOOK);
        }
    }

    /// Until nobody has asked for so long that the model is let go; what it took.
    fn released(&self) -> Result<Duration> {
        let start = Instant::now();
        while self.json(&["model", "status", "--json"])?["loaded"] != false {
            ensure!(start.elapsed() < RELEASE, "the model is still loaded after {RELEASE:?}");
            thread::sleep(LOOK);
        }
        // It is let go right after it is said to be.
        thread::sleep(SETTLE);
        Ok(start.elapsed())
    }
}

fn through_the_daemon(
    page: &mut Page,
    options: Options,
    size: usize,
    material: &Material,
    release: &Executables,
) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        &format!("Search in {size} memories, from the command line"),
        "Start of `throughline search QUESTION --json` to its end, through the daemon, beside `throughline --version`, \
         which asks nobody; one after the other, every question once. The documents are imported while the model pauses, \
         then it reads them. Resident memory counts the pages of the executable too.",
    );
    let place = Place::start(release)?;
    let import = place.import(material, size)?;
    thread::sleep(SETTLE);
    let before = place.memory()?;
    let embedding = place.embed(size)?;

    let questions = if options.quick { QUICK_QUESTIONS } else { QUESTIONS };
    let (search, floor) = race(&place, material, size, questions)?;
    let with = place.memory()?;
    page.times_head();
    page.times("throughline search", &search.samples(), Some(search.cpu()));
    page.times("throughline --version", &floor.samples(), Some(floor.cpu()));
    page.line("");
    page.head(&["what", "value"]);
    let rate = |took: Duration| format!("{:.0}", size as f64 / took.as_secs_f64());
    page.row(&["documents imported per second", &rate(import)]);
    page.row(&["memories read by the model per second", &rate(embedding)]);
    let memory = |[resident, own]: [f64; 2]| format!("{resident:.1} MB, {own:.1} MB of it no file");
    page.row(&["resident before the model is used", &memory(before)]);
    page.row(&["resident with the model, after the questions", &memory(with)]);
    if !options.quick {
        let waited = place.released()?;
        let what =
            format!("resident after {:.0} s without a question, the model released", waited.as_secs_f64());
        page.row(&[&what, &memory(place.memory()?)]);
    }
    let (ours, noise) = (search.samples(), floor.noise());
    let mut goal = |says: String, ours: f64, reference: f64, unit: &'static str, noise: f64| {
        page.goal(Goal { says, ours, reference, most: 1.0, unit, noise });
    };
    let most = most_ms(size);
    goal(
        format!("throughline search p95, {size} memories / {most} ms"),
        ours.percentile(95.0),
        most,
        "ms",
        noise,
    );
    for (when, [resident, _], most) in
        [("before the model is used", before, RESIDENT_MB[0]), ("with the model", with, RESIDENT_MB[1])]
    {
        goal(format!("resident {when}, {size} memories / {most} MB"), resident, most, "MB", 1.0);
    }
    page.end(from);
    Ok(())
}

/// What a program took, run after run.
#[derive(Default)]
pub(super) struct Runs {
    walls: Vec<Duration>,
    cpu: Duration,
}

impl Runs {
    pub(super) fn once(&mut self, program: &Program) -> Result<()> {
        let cost = program.run()?;
        self.walls.push(cost.wall);
        self.cpu += cost.cpu;
        Ok(())
    }

    pub(super) fn samples(&self) -> Samples {
        Samples::new(&self.walls)
    }

    /// Per start, in milliseconds.
    pub(super) fn cpu(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e3 / self.walls.len() as f64
    }

    /// p95 over p50, or how much longer it took than it ran.
    pub(super) fn noise(&self) -> f64 {
        let samples = self.samples();
        samples.noise().max(samples.median() / self.cpu())
    }
}

fn race(place: &Place<'_>, material: &Material, size: usize, questions: usize) -> Result<(Runs, Runs)> {
    let first = place.json(&["search", "--json", &material.question(0, size)])?;
    ensure!(first.as_array().is_some_and(|hits| !hits.is_empty()), "the first question finds nothing");
    let version = place.program(&["--version"]);
    let (mut search, mut floor) = (Runs::default(), Runs::default());
    for number in 0..questions + WARM_UP {
        if number == WARM_UP {
            (search, floor) = (Runs::default(), Runs::default());
        }
        search.once(&place.program(&["search", "--json", &material.question(number, size)]))?;
        floor.once(&version)?;
    }
    Ok((search, floor))
}
