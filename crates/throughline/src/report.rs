//! How a command ends, in words and as an exit code. Errors say what happened and what to do next.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// Whose turn it is. The numbers are what scripts may rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The person can fix it.
    Person = 1,
    /// The command was not understood.
    Usage = 2,
}

/// Ours to fix: everything that carries no `Hinted`.
const OURS: u8 = 70;

#[derive(Debug)]
pub(crate) struct Hinted {
    failure: Failure,
    what: String,
    next: String,
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Hinted {}

/// An error that ends with the next step.
pub(crate) fn hint(failure: Failure, what: impl Into<String>, next: impl Into<String>) -> anyhow::Error {
    Hinted { failure, what: what.into(), next: next.into() }.into()
}

/// An error of the store or the file system: the message carries its own next step.
pub(crate) fn person(error: impl fmt::Display) -> anyhow::Error {
    hint(Failure::Person, error.to_string(), "")
}

/// What happened with all its causes, and the next step, for whoever is no terminal.
pub(crate) fn parts(error: &anyhow::Error) -> (String, String) {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let next =
        error.downcast_ref::<Hinted>().map_or("run `throughline doctor`", |hinted| hinted.next.as_str());
    (causes.join(": "), next.to_owned())
}

pub(crate) fn end(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    // A reader that has seen enough (`| head`) is no error.
    if error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }) {
        return ExitCode::SUCCESS;
    }
    let mut text = format!("error: {error}\n");
    for cause in error.chain().skip(1) {
        text.push_str(&format!("caused by: {cause}\n"));
    }
    let hinted = error.downcast_ref::<Hinted>();
    if let Some(hinted) = hinted.filter(|hinted| !hinted.next.is_empty()) {
        text.push_str(&format!("hint: {}\n", hinted.next));
    }
    // Nobody is left to tell when even this cannot be written.
    let _ = io::stderr().write_all(text.as_bytes());
    ExitCode::from(hinted.map_or(OURS, |hinted| hinted.failure as u8))
}
