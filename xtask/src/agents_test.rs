//! Starts the test of the agents that are on npm (`tests-agents/`). What is asserted lives there; here is only which
//! executables it gets.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{ci, run};

/// What `tests-agents/run.py` exits with when a package cannot be fetched; it has said which.
const SKIPPED: i32 = 77;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// How many checks held.
    Passed(u64),
    /// Some package could not be fetched, and what could be tested held.
    Skipped,
}

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    match run(arguments)? {
        Outcome::Passed(held) => println!("{held} checks held"),
        Outcome::Skipped => println!("SKIPPED: npm cannot be reached for every package; see above"),
    }
    Ok(())
}

/// Further arguments go to the script (`--keep`, `--only NAME`, `--list`).
pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    if !run::answers(Command::new("python3").arg("--version")) {
        bail!("python3 is needed to drive the agents");
    }
    let release = run::release()?;
    let mut command = run::command("python3");
    command.arg("tests-agents/run.py").arg("--throughline").arg(&release.throughline);
    command.arg("--hook").arg(&release.hook).args(arguments);
    let mut held = None;
    let status = ci::tee(&mut command, |line| {
        if let Some(number) = line.strip_prefix("agents test: ").and_then(|rest| rest.split(' ').next()) {
            held = number.parse().ok();
        }
    })?;
    if status.code() == Some(SKIPPED) {
        return Ok(Outcome::Skipped);
    }
    ensure!(status.success(), "the agents' test failed");
    if arguments.iter().any(|argument| argument == "--list") {
        return Ok(Outcome::Passed(0));
    }
    held.map(Outcome::Passed).context("tests-agents/run.py did not say how many checks held")
}
