//! What a hook costs, against what nothing costs. Every contestant runs once per round, round after round, so that
//! a busy moment of the machine falls on all of them.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tempfile::TempDir;

use super::Options;
use super::envelopes::after_a_command;
use super::exchange::{self, exchange};
use super::house::House;
use super::page::{Goal, Page};
use super::samples::Samples;
use super::server::Server;
use super::spawn::Program;
use crate::run::{self, Executables};

/// The reporting rule's least number of starts.
const ROUNDS: usize = 1_000;
const QUICK_ROUNDS: usize = 100;
const SIZES: [(usize, &str); 3] = [(1_000, "1 KB"), (10_000, "10 KB"), (100_000, "100 KB")];
/// The installed line names its event.
const EVENT: &str = "PostToolUse";
const AT_ONCE: usize = 64;
const BURSTS: usize = 10;
/// Interpreters take tens of milliseconds; this many say enough.
const INTERPRETER_ROUNDS: usize = 50;

enum What {
    Program(Program),
    Exchange(PathBuf, Vec<u8>),
    /// What durability costs whoever promises it: the same bytes appended and synced.
    Append(File, Vec<u8>),
    Server(Server),
}

struct Contestant {
    name: String,
    what: What,
    walls: Vec<Duration>,
    cpu: Duration,
}

impl Contestant {
    fn program(name: impl Into<String>, program: Program) -> Self {
        Self { name: name.into(), what: What::Program(program), walls: Vec::new(), cpu: Duration::ZERO }
    }

    fn exchange(name: impl Into<String>, home: &Path, body: Vec<u8>) -> Self {
        let what = What::Exchange(exchange::socket_in(home), body);
        Self { name: name.into(), what, walls: Vec::new(), cpu: Duration::ZERO }
    }

    fn append(name: impl Into<String>, home: &Path, body: Vec<u8>) -> Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(home.join("floor"))?;
        Ok(Self { name: name.into(), what: What::Append(file, body), walls: Vec::new(), cpu: Duration::ZERO })
    }

    fn server(name: impl Into<String>, server: Server) -> Self {
        Self { name: name.into(), what: What::Server(server), walls: Vec::new(), cpu: Duration::ZERO }
    }

    fn once(&mut self) -> Result<()> {
        match &mut self.what {
            What::Program(program) => {
                let cost = program.run()?;
                self.walls.push(cost.wall);
                self.cpu += cost.cpu;
            }
            What::Exchange(socket, body) => self.walls.push(exchange(socket, body)?),
            What::Append(file, body) => {
                let start = Instant::now();
                file.write_all(body)?;
                file.sync_data()?;
                self.walls.push(start.elapsed());
            }
            What::Server(server) => self.walls.push(server.once()?),
        }
        Ok(())
    }

    fn samples(&self) -> Samples {
        Samples::new(&self.walls)
    }

    /// How far the times can be trusted: p95 over p50, and for a program how much longer it took than it ran. A
    /// machine that makes everyone wait the same would look quiet by the first alone.
    fn noise(&self) -> f64 {
        let samples = self.samples();
        let waited = self.cpu().map_or(1.0, |cpu| samples.median() / cpu);
        samples.noise().max(waited)
    }

    /// Per start, in milliseconds; the exchange's CPU time is ours and means nothing.
    fn cpu(&self) -> Option<f64> {
        matches!(self.what, What::Program(_)).then(|| self.cpu.as_secs_f64() * 1e3 / self.walls.len() as f64)
    }
}

/// A silent partner and the real daemon, each in its own home.
struct Partners {
    null: TempDir,
    real: House,
}

pub(crate) fn measure(page: &mut Page, options: Options, release: &Executables) -> Result<()> {
    let rounds = if options.quick { QUICK_ROUNDS } else { ROUNDS };
    let scratch = TempDir::with_prefix("throughline-bench-")?;
    let empty = build_empty(scratch.path())?;
    let partners = Partners {
        null: TempDir::with_prefix("throughline-bench-")?,
        real: House::start(&release.throughline, &after_a_command("bench-first", 1_000))?.0,
    };
    exchange::serve_nothing(partners.null.path())?;

    let mut smallest = None;
    for (at, (size, label)) in SIZES.iter().enumerate() {
        let from = page.goals().len();
        page.begin(
            &format!("Hook, {label} envelope"),
            "Start of a process to its end; the envelope waits in a pipe. One after the other, round-robin. \"null\" is \
             a partner that answers at once and keeps nothing; \"daemon\" is the real one, durable before it answers.",
        );
        let mut field = contestants(release, &empty, &partners, *size, label)?;
        race(&mut field, rounds)?;
        page.times_head();
        for contestant in &field {
            page.times(&contestant.name, &contestant.samples(), contestant.cpu());
        }
        judge(page, &field, label);
        if at == 1 {
            interpreters(page, &field)?;
        }
        let tiny = (field[TINY_NULL].samples().median(), field[TINY_NULL].noise());
        let (reference, noise) = *smallest.get_or_insert(tiny);
        if at + 1 == SIZES.len() {
            let says = format!("throughline-hook p50, null, {label} / {}", SIZES[0].1);
            page.goal(Goal { says, ours: tiny.0, reference, most: 1.5, unit: "ms", noise });
        }
        page.end(from);
    }
    at_once(page, release, &partners)
}

const EMPTY: usize = 0;
const TRUE: usize = 1;
const EXCHANGE_NULL: usize = 2;
const EXCHANGE_DAEMON: usize = 3;
const APPEND: usize = 4;
const TINY_NULL: usize = 5;
const TINY_DAEMON: usize = 6;
const TWIN_DAEMON: usize = 7;

/// In the order of the constants above; the last is shown and not judged.
fn contestants(
    release: &Executables,
    empty: &Path,
    partners: &Partners,
    size: usize,
    label: &str,
) -> Result<Vec<Contestant>> {
    let body = after_a_command(&format!("bench-{}", label.replace(' ', "-")), size);
    let (null, real) = (partners.null.path(), partners.real.home());
    let tiny = |home: &Path| Program::new(&release.hook, &[EVENT], &body).at_home(home);
    let twin = Program::new(&release.throughline, &["hook", EVENT], &body).at_home(real);
    let server = Server::start(&release.throughline, real, EVENT, &body)?;
    Ok(vec![
        Contestant::program("an empty program without a library", Program::new(empty, &[], &body)),
        Contestant::program("/bin/true", Program::new(Path::new("/bin/true"), &[], &body)),
        Contestant::exchange("the exchange alone, null", null, body.clone()),
        Contestant::exchange("the exchange alone, daemon", real, body.clone()),
        Contestant::append("append + fdatasync alone", real, body.clone())?,
        Contestant::program("throughline-hook, null", tiny(null)),
        Contestant::program("throughline-hook, daemon", tiny(real)),
        Contestant::program("throughline hook, daemon", twin),
        Contestant::server("a call of the MCP server, daemon", server),
    ])
}

fn race(field: &mut [Contestant], rounds: usize) -> Result<()> {
    /// The first starts read files and fill caches.
    const WARM_UP: usize = 10;
    for round in 0..rounds + WARM_UP {
        for contestant in &mut *field {
            contestant.once()?;
            if round + 1 == WARM_UP {
                contestant.walls.clear();
                contestant.cpu = Duration::ZERO;
            }
        }
    }
    Ok(())
}

fn judge(page: &mut Page, field: &[Contestant], label: &str) {
    let samples: Vec<Samples> = field.iter().map(Contestant::samples).collect();
    let median = |at: usize| samples[at].median();
    let floor_noise = |at: usize| field[EMPTY].noise().max(field[at].noise());
    let mut goal = |says: &str, ours: f64, reference: f64, most: f64, noise: f64| {
        page.goal(Goal { says: says.to_owned(), ours, reference, most, unit: "ms", noise });
    };
    let true_noise = field[TRUE].noise();
    // The goal as it was set: with the daemon up, its sync included.
    goal(
        "throughline-hook p50 / `/bin/true` p50, daemon",
        median(TINY_DAEMON),
        median(TRUE),
        0.6,
        true_noise,
    );
    // Where it goes: the client's own part, and the daemon's against the disk. Neither replaces the row above.
    goal(
        "part: throughline-hook p50 / `/bin/true` p50, null",
        median(TINY_NULL),
        median(TRUE),
        0.6,
        true_noise,
    );
    goal(
        "part: what the daemon adds to the exchange / fdatasync",
        median(EXCHANGE_DAEMON) - median(EXCHANGE_NULL),
        median(APPEND),
        2.0,
        field[APPEND].noise(),
    );
    goal(
        "throughline-hook p50 / (empty program + exchange), null",
        median(TINY_NULL),
        median(EMPTY) + median(EXCHANGE_NULL),
        1.3,
        floor_noise(EXCHANGE_NULL),
    );
    goal(
        "throughline-hook p50 / (empty program + exchange), daemon",
        median(TINY_DAEMON),
        median(EMPTY) + median(EXCHANGE_DAEMON),
        1.3,
        floor_noise(EXCHANGE_DAEMON),
    );
    goal(
        "`throughline hook` p50 / (`/bin/true` p50 + 1 ms)",
        median(TWIN_DAEMON),
        median(TRUE) + 1.0,
        1.0,
        true_noise,
    );
    goal(
        "`throughline hook` p95 / (`/bin/true` p95 + 3 ms)",
        samples[TWIN_DAEMON].percentile(95.0),
        samples[TRUE].percentile(95.0) + 3.0,
        1.0,
        true_noise,
    );
    for at in [TINY_DAEMON, TWIN_DAEMON] {
        let cpu = field[at].cpu().unwrap_or(f64::NAN);
        goal(&format!("CPU of {}, {label} / 2 ms", field[at].name), cpu, 2.0, 1.0, 1.0);
    }
}

/// What the same would cost in a scripting language, before its first line.
fn interpreters(page: &mut Page, field: &[Contestant]) -> Result<()> {
    let candidates = [("node", ["-e", "0"]), ("bun", ["-e", "0"]), ("python3", ["-c", "pass"])];
    let mut present = Vec::new();
    for (name, arguments) in candidates {
        if let Some(path) = interpreter(name) {
            let program = Program::new(&path, &arguments, b"").at_home(Path::new("/nonexistent"));
            present.push(Contestant::program(format!("{name} {}", arguments.join(" ")), program));
        }
    }
    race(&mut present, INTERPRETER_ROUNDS)?;
    for contestant in &present {
        page.times(&contestant.name, &contestant.samples(), contestant.cpu());
    }
    if let Some(node) = present.iter().find(|contestant| contestant.name.starts_with("node")) {
        let ours = field[TINY_DAEMON].samples();
        page.goal(Goal {
            says: "throughline-hook p50 / `node -e 0` p50".to_owned(),
            ours: ours.median(),
            reference: node.samples().median(),
            most: 0.01,
            unit: "ms",
            noise: node.noise(),
        });
    }
    Ok(())
}

/// The program itself, not a version manager's shell script in front of it.
fn interpreter(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| run::answers(Command::new(path).arg("--version")))
}

fn at_once(page: &mut Page, release: &Executables, partners: &Partners) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        &format!("{AT_ONCE} hooks at once"),
        &format!(
            "{AT_ONCE} processes started at one moment, {BURSTS} times; 10 KB envelopes, the real daemon."
        ),
    );
    page.times_head();
    let body = after_a_command("bench-at-once", SIZES[1].0);
    let home = partners.real.home();
    let programs = [
        ("/bin/true", Program::new(Path::new("/bin/true"), &[], &body)),
        ("throughline-hook", Program::new(&release.hook, &[EVENT], &body).at_home(home)),
        ("throughline hook", Program::new(&release.throughline, &["hook", EVENT], &body).at_home(home)),
    ];
    let mut single = Vec::new();
    for (name, program) in &programs {
        let mut alone = Contestant::program(format!("{name}, alone"), program.clone());
        race(std::slice::from_mut(&mut alone), QUICK_ROUNDS)?;
        let mut walls = Vec::new();
        for _ in 0..BURSTS {
            walls.extend(program.run_at_once(AT_ONCE)?);
        }
        let many = Samples::new(&walls);
        page.times(&alone.name, &alone.samples(), alone.cpu());
        page.times(&format!("{name}, {AT_ONCE} at once"), &many, None);
        single.push((name, alone, many));
    }
    let mut sent = 0;
    for (name, alone, many) in single.iter().skip(1) {
        page.goal(Goal {
            says: format!("{name}: p99 of {AT_ONCE} at once / p50 alone"),
            ours: many.percentile(99.0),
            reference: alone.samples().median(),
            most: 20.0,
            unit: "ms",
            noise: alone.noise(),
        });
        // The warm-up's starts were counted out of the times, not out of the journal.
        sent += many.len() + alone.walls.len() + 10;
    }
    let kept = partners.real.kept(&release.throughline, "bench-at-once", sent)?;
    page.line(&format!("\n{sent} envelopes sent, {kept} kept."));
    page.end(from);
    ensure!(kept == sent, "{sent} envelopes were sent and {kept} were kept");
    Ok(())
}

fn build_empty(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("empty");
    let mut compiler = run::command("cc");
    compiler.args(["-O2", "-nostdlib", "-static", "-s", "-o"]).arg(&program).arg("xtask/bench/empty.c");
    run::succeed(&mut compiler)?;
    Ok(program)
}
