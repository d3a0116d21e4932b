//! What a change must pass, in one command. Every step is a command a person can run alone; a step that cannot run
//! here says so loudly and is counted as skipped, never as passed.

mod totals;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::agents_test;
use crate::client_test::{self, Outcome};
use crate::mcp_test;
use crate::run::{self, answers, cargo};
use crate::tidy;
use totals::Totals;

enum Verdict {
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
    Step { name: "lints", ground: false, run: lints },
    Step { name: "release build", ground: true, run: release_build },
    Step { name: "tests", ground: false, run: tests },
    Step { name: "tidy", ground: false, run: |_| tidy::main(&[]).map(|()| Verdict::Passed) },
    Step { name: "real client", ground: false, run: real_client },
    Step { name: "protocol clients", ground: false, run: protocol_clients },
    Step { name: "other agents", ground: false, run: other_agents },
];

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("ci takes no arguments");
    }
    let started = Instant::now();
    let mut totals = Totals::default();
    let mut lines = Vec::new();
    let mut failed = 0;
    for step in STEPS {
        println!("\n== {}", step.name);
        let begun = Instant::now();
        let verdict = (step.run)(&mut totals);
        let seconds = begun.elapsed().as_secs();
        match &verdict {
            Ok(Verdict::Passed) => lines.push(format!("passed   {} ({seconds} s)", step.name)),
            Ok(Verdict::Skipped(why)) => {
                println!("SKIPPED: {why}");
                lines.push(format!("SKIPPED  {}: {why}", step.name));
            }
            Err(trouble) => {
                eprintln!("error: {trouble:#}");
                failed += 1;
                lines.push(format!("FAILED   {}: {trouble:#}", step.name));
            }
        }
        if verdict.is_err() && step.ground {
            break;
        }
    }
    println!("\n== summary");
    for line in lines.iter().chain(totals.closing_lines()) {
        println!("{line}");
    }
    println!("ci: {totals}; {failed} of {} steps failed; {} s", STEPS.len(), started.elapsed().as_secs());
    ensure!(failed == 0, "{failed} steps failed");
    Ok(())
}

fn format(_: &mut Totals) -> Result<Verdict> {
    if !answers(&mut cargo(&["fmt", "--version"])) {
        return Ok(Verdict::Skipped("rustfmt is not installed (rustup component add rustfmt)"));
    }
    // The names of the files; whoever wants the difference runs `cargo fmt`.
    passed(&mut cargo(&["fmt", "--all", "--check", "--", "-l"]))
}

fn lints(_: &mut Totals) -> Result<Verdict> {
    if !answers(&mut cargo(&["clippy", "--version"])) {
        return Ok(Verdict::Skipped("clippy is not installed (rustup component add clippy)"));
    }
    passed(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn release_build(_: &mut Totals) -> Result<Verdict> {
    run::release()?;
    Ok(Verdict::Passed)
}

fn tests(totals: &mut Totals) -> Result<Verdict> {
    let nextest = answers(&mut cargo(&["nextest", "--version"]));
    let mut command = if nextest {
        cargo(&["nextest", "run", "--workspace", "--no-fail-fast"])
    } else {
        cargo(&["test", "--workspace", "--no-fail-fast"])
    };
    let status = tee(&mut command, |line| totals.read(line))?;
    ensure!(status.success(), "{} failed", run::line(&command));
    ensure!(totals.passed > 0, "{} ran no test", run::line(&command));
    Ok(Verdict::Passed)
}

fn real_client(totals: &mut Totals) -> Result<Verdict> {
    match client_test::run(&[])? {
        Outcome::Passed(scenarios) => {
            totals.passed += scenarios;
            Ok(Verdict::Passed)
        }
        Outcome::Skipped => Ok(Verdict::Skipped("the real client cannot be fetched: npm cannot be reached")),
    }
}

fn protocol_clients(totals: &mut Totals) -> Result<Verdict> {
    match mcp_test::run(&[])? {
        mcp_test::Outcome::Passed(checks) => {
            totals.passed += checks;
            Ok(Verdict::Passed)
        }
        mcp_test::Outcome::Skipped => {
            Ok(Verdict::Skipped("the protocol's own clients cannot be fetched: pip or npm cannot be reached"))
        }
    }
}

fn other_agents(totals: &mut Totals) -> Result<Verdict> {
    match agents_test::run(&[])? {
        agents_test::Outcome::Passed(checks) => {
            totals.passed += checks;
            Ok(Verdict::Passed)
        }
        agents_test::Outcome::Skipped => Ok(Verdict::Skipped(
            "not every agent can be fetched: npm cannot be reached for those named above",
        )),
    }
}

fn passed(command: &mut Command) -> Result<Verdict> {
    run::succeed(command)?;
    Ok(Verdict::Passed)
}

/// Runs a command, shows what it prints as it comes, and hands each line to `look`.
pub(crate) fn tee(command: &mut Command, mut look: impl FnMut(&str)) -> Result<ExitStatus> {
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
        std::thread::spawn(move || {
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
        std::io::stdout().write_all(&line)?;
        look(String::from_utf8_lossy(&line).trim_end());
    }
    Ok(child.wait()?)
}
