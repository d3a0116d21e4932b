//! Tests whose other side is not ours: real clients, real agents, a real browser. What is asserted lives in the folder of
//! each, in the language of the other side; here is only which executable it gets and how its closing line is read.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::ci::{self, Verdict};
use crate::run;

/// What a script exits with when the other side cannot be fetched. It has said which.
const SKIPPED: i32 = 77;

#[derive(Debug)]
pub(crate) struct Outside {
    /// The word after `cargo xtask`.
    pub(crate) command: &'static str,
    /// As a step of `cargo xtask ci`.
    pub(crate) name: &'static str,
    program: &'static str,
    script: &'static str,
    /// Its last line begins with this and the number of checks that held.
    says: &'static str,
    /// Why there is nothing to test with.
    unreachable: &'static str,
}

pub(crate) const ALL: &[Outside] = &[
    Outside {
        command: "client-test",
        name: "real client",
        program: "python3",
        script: "tests-client/run.py",
        says: "client test: ",
        unreachable: "the real client cannot be fetched: npm cannot be reached",
    },
    Outside {
        command: "mcp-test",
        name: "protocol clients",
        program: "python3",
        script: "tests-mcp/run.py",
        says: "mcp test: ",
        unreachable: "the protocol's own clients cannot be fetched: pip or npm cannot be reached",
    },
    Outside {
        command: "agents-test",
        name: "other agents",
        program: "python3",
        script: "tests-agents/run.py",
        says: "agents test: ",
        unreachable: "not every agent can be fetched: npm cannot be reached for those named above",
    },
    Outside {
        command: "api-test",
        name: "API questioned",
        program: "python3",
        script: "tests-api/run.py",
        says: "api test: ",
        unreachable: "schemathesis cannot be fetched: pip cannot be reached",
    },
    Outside {
        command: "code-test",
        name: "real packages",
        program: "python3",
        script: "tests-code/run.py",
        says: "code test: ",
        unreachable: "the packages, or the parsers they are compared with, cannot be fetched",
    },
    Outside {
        command: "team-test",
        name: "team in PostgreSQL",
        program: "python3",
        script: "tests-team/run.py",
        says: "team test: ",
        unreachable: "not every part named above could run: pip or apt cannot be reached, or two machines need root",
    },
    Outside {
        command: "view-test",
        name: "viewer in a browser",
        program: "node",
        script: "tests-viewer/run.mjs",
        says: "view test: ",
        unreachable: "there is no browser, or npm cannot be reached",
    },
];

pub(crate) fn named(command: &str) -> Option<&'static Outside> {
    ALL.iter().find(|outside| outside.command == command)
}

impl Outside {
    /// Alone, in our own terminal, with the release. Arguments go to the script (`--keep`, `--only NAME`).
    pub(crate) fn main(&self, arguments: &[String]) -> Result<()> {
        let release = run::release()?;
        match self.run(&release.throughline, arguments, ci::show)?.0 {
            Verdict::Passed => Ok(()),
            Verdict::Skipped(why) => {
                println!("SKIPPED: {why}");
                Ok(())
            }
        }
    }

    /// The verdict, and how many checks held.
    pub(crate) fn run(
        &self,
        throughline: &Path,
        arguments: &[String],
        mut show: impl FnMut(&[u8]),
    ) -> Result<(Verdict, u64)> {
        ensure!(
            run::answers(Command::new(self.program).arg("--version")),
            "{} is needed for {}",
            self.program,
            self.script
        );
        let mut held = None;
        let mut script = self.start();
        let status = ci::follow(script.arg("--throughline").arg(throughline).args(arguments), |line| {
            show(line);
            let line = String::from_utf8_lossy(line);
            if let Some(number) = line.strip_prefix(self.says).and_then(|rest| rest.split(' ').next()) {
                held = number.parse().ok();
            }
        })?;
        if status.code() == Some(SKIPPED) {
            return Ok((Verdict::Skipped(self.unreachable), 0));
        }
        ensure!(status.success(), "`cargo xtask {}` failed", self.command);
        if arguments.iter().any(|argument| argument == "--list") {
            return Ok((Verdict::Passed, 0));
        }
        let held = held.with_context(|| format!("{} did not say how many checks held", self.script))?;
        Ok((Verdict::Passed, held))
    }

    /// Fetches what the other side is made of, if it is not here. Whether that worked is seen when it is needed.
    pub(crate) fn fetch(&self) -> Result<()> {
        // What it is tested with is not built yet, and not needed.
        self.start().args(["--fetch", "--throughline", "none"]).output()?;
        Ok(())
    }

    fn start(&self) -> Command {
        let mut command = run::command(self.program);
        command.arg(self.script);
        command
    }
}
