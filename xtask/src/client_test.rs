//! Starts the scenario test of the real Claude Code client (`tests-client/`). What is asserted lives there; here is
//! only which executables it gets.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{ci, run};

/// What `tests-client/run.py` exits with when the client cannot be fetched.
const SKIPPED: i32 = 77;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// How many checks held.
    Passed(u64),
    Skipped,
}

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    match run(arguments)? {
        Outcome::Passed(_) => Ok(()),
        Outcome::Skipped => {
            println!("SKIPPED: npm cannot be reached");
            Ok(())
        }
    }
}

/// Further arguments go to the script (`--keep`, `--only NAME`, `--client PATH`).
pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    if !run::answers(Command::new("python3").arg("--version")) {
        bail!("python3 is needed to drive the real client");
    }
    let release = run::release()?;
    let mut command = run::command("python3");
    command.arg("tests-client/run.py").arg("--throughline").arg(&release.throughline);
    command.arg("--hook").arg(&release.hook).args(arguments);
    let mut held = None;
    let status = ci::tee(&mut command, |line| {
        if let Some(number) = line.strip_prefix("client test: ").and_then(|rest| rest.split(' ').next()) {
            held = number.parse().ok();
        }
    })?;
    if status.code() == Some(SKIPPED) {
        return Ok(Outcome::Skipped);
    }
    ensure!(status.success(), "the real client's test failed");
    held.map(Outcome::Passed).context("tests-client/run.py did not say how many checks held")
}
