//! What a change must pass, in one command. Every step is a command a person can run alone; a step that cannot run
//! here says so loudly and is counted as skipped, never as passed. What takes a processor runs alone; what mostly waits
//! for another program runs beside others that do, and shows its lines when it is done. Everything is built once, as
//! `cargo test` builds it: a release beside it would take as long as all the rest.

mod full;
mod totals;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::outside::{self, Outside};
use crate::run::{self, answers, cargo};
use crate::{tidy, viewer};
use totals::Totals;

#[derive(Debug)]
pub(crate) enum Verdict {
    Passed,
    Skipped(&'static str),
}

/// A named part of the run. A step that others stand on ends the run when it fails.
struct Step {
    name: &'static str,
    ground: bool,
    run: fn(&mut Totals) -> Result<Verdict>,
}

const STEPS: &[Step] = &[
    Step { name: "format", ground: false, run: format },
    Step { name: "build", ground: true, run: build },
    Step { name: "tests", ground: false, run: tests },
    Step { name: "tidy", ground: false, run: house_rules },
    Step { name: "viewer", ground: false, run: viewer_as_committed },
];

/// With programs that are not ours, after the steps. The ranks follow each other; within one, each lane goes its own
/// pace. The real client is alone: it counts what came too late, and a busy machine makes things late. The other agents
/// play such a story twice, and nothing else here has a deadline: beside them goes what only needs a processor, the lints.
/// The team's stories ask cargo, and wait for the lints to be through with it: they are last.
const RANKS: &[&[&[&str]]] = &[
    &[&["client-test"]],
    &[&["agents-test", "code-test"], &["mcp-test", "api-test", "view-test", "team-test"]],
];

/// How a step went.
struct Report {
    name: &'static str,
    seconds: u64,
    verdict: Result<Verdict>,
}

impl Report {
    fn of(name: &'static str, run: impl FnOnce() -> Result<Verdict>) -> Self {
        let begun = Instant::now();
        let verdict = run();
        Self { name, seconds: begun.elapsed().as_secs(), verdict }
    }

    /// Says at once what is not as it should be.
    fn speak(&self) {
        match &self.verdict {
            Ok(Verdict::Passed) => {}
            Ok(Verdict::Skipped(why)) => println!("SKIPPED: {why}"),
            Err(trouble) => eprintln!("error: {trouble:#}"),
        }
    }

    fn line(&self) -> String {
        let Self { name, seconds, .. } = self;
        match &self.verdict {
            Ok(Verdict::Passed) => format!("passed   {name} ({seconds} s)"),
            Ok(Verdict::Skipped(why)) => format!("SKIPPED  {name}: {why}"),
            Err(trouble) => format!("FAILED   {name}: {trouble:#}"),
        }
    }
}

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    let full = match arguments {
        [] => false,
        [word] if word == "--full" => true,
        other => bail!("ci takes no argument but --full, not {other:?}"),
    };
    let started = Instant::now();
    // Downloads wait for a network, compilers for a processor: both at once.
    let fetching = thread::spawn(|| outside::ALL.iter().try_for_each(Outside::fetch));
    let mut totals = Totals::default();
    let mut reports = Vec::new();
    let mut stands = true;
    for step in STEPS {
        let report = take(step, &mut totals);
        stands = report.verdict.is_ok() || !step.ground;
        reports.push(report);
        if !stands {
            break;
        }
    }
    if stands {
        // What could not be fetched is missed, and named, where it is needed.
        let _ = fetching.join();
        for (at, rank) in RANKS.iter().enumerate() {
            let beside = (at + 1 == RANKS.len()).then(|| thread::spawn(lints));
            reports.extend(side_by_side(rank, &mut totals)?);
            if let Some((report, lines)) = beside.and_then(|beside| beside.join().ok()) {
                show(&lines);
                report.speak();
                reports.push(report);
            }
        }
    }
    if stands && full {
        reports.extend(full::STEPS.iter().map(|step| take(step, &mut totals)));
    }
    let seconds = started.elapsed().as_secs();
    println!("\n== slowest tests");
    for line in totals.slowest_lines() {
        println!("{line}");
    }
    println!("\n== summary");
    for line in reports.iter().map(Report::line).chain(totals.closing_lines().iter().cloned()) {
        println!("{line}");
    }
    let failed = reports.iter().filter(|report| report.verdict.is_err()).count();
    let long = if full { full::STEPS.len() } else { 0 };
    let steps = STEPS.len() + outside::ALL.len() + usize::from(stands) + long;
    println!("ci: {totals}; {failed} of {steps} steps failed; {seconds} s");
    if full {
        full::keep(&reports, &totals, seconds)?;
    }
    ensure!(failed == 0, "{failed} steps failed");
    Ok(())
}

/// Runs one step under its headline, and says at once what is not as it should be.
fn take(step: &Step, totals: &mut Totals) -> Report {
    println!("\n== {}", step.name);
    let report = Report::of(step.name, || (step.run)(totals));
    report.speak();
    report
}

/// Runs lanes at the same time. A lane that is alone shows its lines as they come.
fn side_by_side(lanes: &[&[&str]], totals: &mut Totals) -> Result<Vec<Report>> {
    let alone = lanes.len() == 1;
    let lanes = lanes
        .iter()
        .map(|lane| {
            lane.iter().map(|command| outside::named(command).context("a lane names a test")).collect()
        })
        .collect::<Result<Vec<Vec<&Outside>>>>()?;
    let (send, done) = mpsc::channel();
    thread::scope(|scope| {
        for lane in lanes {
            let send = send.clone();
            scope.spawn(move || {
                for outside in lane {
                    // The other end stays until every lane is through.
                    let _ = send.send(one(outside, alone));
                }
            });
        }
        drop(send);
        let reports = done.iter().map(|(report, held)| {
            totals.passed += held;
            report
        });
        Ok(reports.collect())
    })
}

fn one(outside: &Outside, alone: bool) -> (Report, u64) {
    let mut held = 0;
    let mut lines = Vec::new();
    let headline = format!("\n== {}\n", outside.name);
    if alone {
        show(headline.as_bytes());
    } else {
        lines.extend(headline.into_bytes());
    }
    let report = Report::of(outside.name, || {
        let tested = run::tested()?;
        let ran = outside.run(&tested.throughline, &[], |line| {
            if alone { show(line) } else { lines.extend_from_slice(line) }
        })?;
        held = ran.1;
        Ok(ran.0)
    });
    show(&lines);
    report.speak();
    (report, held)
}

fn format(_: &mut Totals) -> Result<Verdict> {
    if !answers(&mut cargo(&["fmt", "--version"])) {
        return Ok(Verdict::Skipped("rustfmt is not installed (rustup component add rustfmt)"));
    }
    // The names of the files; whoever wants the difference runs `cargo fmt`.
    passed(&mut cargo(&["fmt", "--all", "--check", "--", "-l"]))
}

/// With what it printed.
fn lints() -> (Report, Vec<u8>) {
    let mut lines = b"\n== lints\n".to_vec();
    let report = Report::of("lints", || {
        if !answers(&mut cargo(&["clippy", "--version"])) {
            return Ok(Verdict::Skipped("clippy is not installed (rustup component add clippy)"));
        }
        let mut command =
            cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]);
        let status = follow(&mut command, |line| lines.extend_from_slice(line))?;
        ensure!(status.success(), "{} failed ({status})", run::line(&command));
        Ok(Verdict::Passed)
    });
    (report, lines)
}

fn build(_: &mut Totals) -> Result<Verdict> {
    run::succeed(test_command().arg("--no-run"))?;
    run::keep_tested()?;
    Ok(Verdict::Passed)
}

fn test_command() -> Command {
    let nextest = answers(&mut cargo(&["nextest", "--version"]));
    let runner: &[&str] = if nextest { &["nextest", "run"] } else { &["test"] };
    let mut command = cargo(runner);
    command.arg("--workspace");
    command
}

fn tests(totals: &mut Totals) -> Result<Verdict> {
    let mut command = test_command();
    command.arg("--no-fail-fast");
    if command.get_args().any(|word| word == "nextest") {
        // A third of the time goes by while tests wait: for a deadline, a daemon, a patience that runs out.
        let threads = thread::available_parallelism().map_or(1, usize::from) + 1;
        command.args(["--test-threads", &threads.to_string()]);
    }
    let status = tee(&mut command, |line| totals.read(line))?;
    ensure!(status.success(), "{} failed", run::line(&command));
    ensure!(totals.passed > 0, "{} ran no test", run::line(&command));
    Ok(Verdict::Passed)
}

fn house_rules(_: &mut Totals) -> Result<Verdict> {
    tidy::check(Some(&run::tested()?.throughline))?;
    Ok(Verdict::Passed)
}

fn viewer_as_committed(_: &mut Totals) -> Result<Verdict> {
    if !viewer::can_build() {
        return Ok(Verdict::Skipped(
            "node and npm are not installed: the committed viewer is taken as it is",
        ));
    }
    viewer::check()?;
    Ok(Verdict::Passed)
}

fn passed(command: &mut Command) -> Result<Verdict> {
    run::succeed(command)?;
    Ok(Verdict::Passed)
}

/// A line of somebody's, to our own terminal.
pub(crate) fn show(line: &[u8]) {
    // A terminal that is gone has nobody to tell.
    let _ = std::io::stdout().write_all(line);
}

/// Runs a command, shows what it prints as it comes, and hands each line to `look`.
fn tee(command: &mut Command, mut look: impl FnMut(&str)) -> Result<ExitStatus> {
    follow(command, |line| {
        show(line);
        look(String::from_utf8_lossy(line).trim_end());
    })
}

/// Runs a command and hands over each line it prints, with its end.
pub(crate) fn follow(command: &mut Command, mut take: impl FnMut(&[u8])) -> Result<ExitStatus> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", run::line(command)))?;
    let (send, lines) = mpsc::channel();
    let pipes: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>),
        child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>),
    ];
    for pipe in pipes.into_iter().flatten() {
        let send = send.clone();
        thread::spawn(move || {
            let mut pipe = BufReader::new(pipe);
            let mut line = Vec::new();
            while pipe.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                if send.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        });
    }
    drop(send);
    for line in lines {
        take(&line);
    }
    Ok(child.wait()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_with_programs_of_others_has_its_place_in_one_lane() {
        let mut placed: Vec<&str> = RANKS.iter().flat_map(|rank| rank.concat()).collect();
        let mut known: Vec<&str> = outside::ALL.iter().map(|outside| outside.command).collect();
        placed.sort_unstable();
        known.sort_unstable();
        assert_eq!(placed, known);
    }
}
