//! What `cargo xtask ci --full` does beyond `cargo xtask ci`: the steps that are too long for every change, and the page
//! that keeps when they last ran and what came of it.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};

use super::{Report, Step, Totals, Verdict};
use crate::run;

/// Where the last full run stands. Written by the run itself, committed by whoever ran it.
const PAGE: &str = "docs/reference/full-run.md";

/// How often the daemon is killed under load here; a run for every change does a tenth of it.
const KILL_ROUNDS: &str = "200";

pub(super) const STEPS: &[Step] = &[
    Step { name: "200 kills under load", ground: false, run: kills },
    Step { name: "redaction corpora", ground: false, run: redaction },
];

fn kills(_: &mut Totals) -> Result<Verdict> {
    let mut command = run::cargo(&["test", "-p", "throughline", "--test", "it", crate::faults::TEST]);
    super::passed(command.args(["--", "--nocapture"]).env("THROUGHLINE_KILL_ROUNDS", KILL_ROUNDS))
}

fn redaction(_: &mut Totals) -> Result<Verdict> {
    crate::redaction::main(&[])?;
    Ok(Verdict::Passed)
}

/// Replaces the page with this run.
pub(super) fn keep(reports: &[Report], totals: &Totals, seconds: u64) -> Result<()> {
    let commit = run::read(&mut run::git(&["describe", "--always", "--dirty"]))?;
    let day = run::read(run::command("date").args(["-u", "+%Y-%m-%d"]))?;
    let mut page = format!(
        "# The last full run\n\nWritten by `cargo xtask ci --full`; do not edit. {}, commit {}: {totals}; {seconds} s.\n\n\
         | step | |\n|---|---|\n",
        day.trim(),
        commit.trim(),
    );
    for report in reports {
        let outcome = match &report.verdict {
            Ok(Verdict::Passed) => format!("passed in {} s", report.seconds),
            Ok(Verdict::Skipped(why)) => format!("skipped: {why}"),
            // The error names files of the machine it ran on; the terminal has it.
            Err(_) => format!("**failed** after {} s", report.seconds),
        };
        let _ = writeln!(page, "| {} | {outcome} |", report.name);
    }
    page.push_str("\nThe slowest tests:\n\n```text\n");
    for line in totals.slowest_lines() {
        let _ = writeln!(page, "{line}");
    }
    page.push_str("```\n");
    fs::write(run::root().join(PAGE), page).with_context(|| format!("cannot write {PAGE}"))?;
    println!("wrote {PAGE}");
    Ok(())
}
