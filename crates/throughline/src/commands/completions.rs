//! Completion scripts, made from the command line's own definition.

use clap::Args;
use clap_complete::Shell;

use crate::{cli, print};

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// bash, zsh, fish, elvish or powershell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut cli::definition(), "throughline", &mut script);
        print::text(&String::from_utf8_lossy(&script))
    }
}
