//! The word `hook` for the help text only: `main` has taken the real call before the parser ran.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The event's name; without it the envelope's own is used
    event: Option<String>,
}

impl Hook {
    #[expect(clippy::unused_self, reason = "every command has the same shape")]
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        unreachable!("main delivers hooks before the command line is parsed")
    }
}
