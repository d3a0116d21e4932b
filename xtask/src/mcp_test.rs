//! Starts the test with the official clients of the Model Context Protocol (`tests-mcp/`). What is asserted lives there;
//! here is only which executable it gets.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{ci, run};

/// What `tests-mcp/run.py` exits with when the clients cannot be fetched.
const SKIPPED: i32 = 77;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// How many checks held.
    Passed(u64),
    Skipped,
}

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    match run(arguments)? {
        Outcome::Passed(held) => println!("{held} checks held"),
        Outcome::Skipped => println!("SKIPPED: pip or npm cannot reach its index"),
    }
    Ok(())
}

/// Further arguments go to the script (`--keep`).
pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    if !run::answers(Command::new("python3").arg("--version")) {
        bail!("python3 is needed to drive the clients");
    }
    let release = run::release()?;
    let mut command = run::command("python3");
    command.arg("tests-mcp/run.py").arg("--throughline").arg(&release.throughline).args(arguments);
    let mut held = None;
    let status = ci::tee(&mut command, |line| {
        if let Some(number) = line.strip_prefix("mcp test: ").and_then(|rest| rest.split(' ').next()) {
            held = number.parse().ok();
        }
    })?;
    if status.code() == Some(SKIPPED) {
        return Ok(Outcome::Skipped);
    }
    ensure!(status.success(), "the test with the protocol's own clients failed");
    held.map(Outcome::Passed).context("tests-mcp/run.py did not say how many checks held")
}
