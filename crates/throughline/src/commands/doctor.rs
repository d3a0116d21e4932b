//! Looks at everything that can be wrong and ends each finding with the command that repairs it.

mod checks;
mod disk;
mod managed;
mod permissions;
mod settings;
mod tools;

use clap::Args;
use serde::Serialize;

use crate::print;
use crate::report::{Failure, hint};
use crate::world::World;

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Ok,
    Warn,
    Fail,
}

#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    pub(crate) check: &'static str,
    pub(crate) state: State,
    pub(crate) what: String,
    /// The command that repairs it; nothing where nothing needs repair.
    pub(crate) repair: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, what: impl Into<String>) -> Self {
        Self { check, state: State::Ok, what: what.into(), repair: None }
    }

    fn warn(check: &'static str, what: impl Into<String>, repair: impl Into<String>) -> Self {
        Self { check, state: State::Warn, what: what.into(), repair: Some(repair.into()) }
    }

    fn fail(check: &'static str, what: impl Into<String>, repair: impl Into<String>) -> Self {
        Self { check, state: State::Fail, what: what.into(), repair: Some(repair.into()) }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    state: State,
    version: &'static str,
    findings: Vec<Finding>,
}

impl Report {
    pub(crate) fn of(world: &World) -> Self {
        let findings: Vec<Finding> = checks::ALL.iter().flat_map(|check| check(world)).collect();
        let state = findings.iter().map(|finding| finding.state).max().unwrap_or(State::Ok);
        Self { state, version: crate::world::VERSION, findings }
    }
}

impl Doctor {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let report = Report::of(world);
        let Report { state, findings, .. } = &report;
        if self.json {
            print::json(&report)?;
        } else {
            findings.iter().try_for_each(|finding| print::text(&lines(finding, world.color)))?;
        }
        if *state == State::Fail {
            let failed = findings.iter().filter(|finding| finding.state == State::Fail).count();
            return Err(hint(
                Failure::Person,
                format!("{failed} of {} checks failed", findings.len()),
                "run the commands above",
            ));
        }
        Ok(())
    }
}

fn lines(finding: &Finding, color: bool) -> String {
    let (mark, paint) = match finding.state {
        State::Ok => ("ok  ", "32"),
        State::Warn => ("warn", "33"),
        State::Fail => ("FAIL", "31"),
    };
    let mark = if color { format!("\u{1b}[{paint}m{mark}\u{1b}[0m") } else { mark.to_owned() };
    let mut text = format!("{mark}  {:<12} {}\n", finding.check, finding.what);
    if let Some(repair) = &finding.repair {
        text.push_str(&format!("{:>18} repair: {repair}\n", ""));
    }
    text
}
