//! One run of a rule's program: the event on its standard input, its answer on the standard output, a clean
//! environment, the event's folder, and an end for all of its processes when its time is over.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use engine::rules::{PROGRAM, Rule, Said};
use engine::sanitize;
use model::Event;
use providers::process::{self, Bounds, Unfinished};

/// An answer is a few sentences.
const MAX_OUTPUT: usize = 64 << 10;
/// Of what it complains about, the first of it is shown to whoever writes the rule.
const MAX_COMPLAINT: usize = 2000;
/// Of the daemon's environment, which may be an agent's with its keys, a program gets these and nothing more.
const ENVIRONMENT: &[&str] =
    &["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE"];

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Ours, and without a word of the event.
    pub what: String,
    /// The program's own words.
    pub complaint: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.complaint.trim() {
            "" => f.write_str(&self.what),
            complaint => write!(f, "{}: {complaint}", self.what),
        }
    }
}

/// Runs the program of the rule in `folder` and reads what it says. Returns by `until`, with everything ended.
pub fn run(
    folder: &Path,
    rule: &Rule,
    event: &Event,
    envelope: &[u8],
    until: Instant,
) -> Result<Said, Failure> {
    let began = Instant::now();
    let failed = |what: String| Failure { what, complaint: String::new() };
    let bounds = Bounds { output: MAX_OUTPUT, complaint: MAX_COMPLAINT, until };
    let finished = process::run(command(folder, rule, event), envelope, bounds, || false);
    let finished = finished.map_err(|unfinished| {
        failed(match unfinished {
            Unfinished::NotStarted(error) => format!("{PROGRAM} cannot be started: {error}"),
            Unfinished::Late => format!("it was ended after {} ms", began.elapsed().as_millis()),
            Unfinished::TooMuch => format!("it printed more than {MAX_OUTPUT} bytes"),
            Unfinished::CalledOff => "it was called off".to_owned(),
            Unfinished::Broken(error) => format!("its pipes broke: {error}"),
        })
    })?;
    if finished.status.success() {
        return Said::read(rule, &finished.output).map_err(|error| failed(error.to_string()));
    }
    let what = match finished.status.code() {
        Some(code) => format!("it left with code {code}"),
        None => "it was ended by a signal".to_owned(),
    };
    let complaint = sanitize(&String::from_utf8_lossy(&finished.complaint)).trim().to_owned();
    Err(Failure { what, complaint })
}

fn command(folder: &Path, rule: &Rule, event: &Event) -> Command {
    let mut command = Command::new(folder.join(PROGRAM));
    let passed: Vec<(&str, OsString)> =
        ENVIRONMENT.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))).collect();
    command.env_clear().envs(passed);
    command.env("THROUGHLINE_RULE", &rule.name).env("THROUGHLINE_EVENT", event.kind.name());
    command.env("THROUGHLINE_RULE_FOLDER", folder);
    let cwd = event.cwd.as_deref().map(Path::new).filter(|cwd| cwd.is_absolute() && cwd.is_dir());
    command.current_dir(cwd.unwrap_or(folder));
    command
}
