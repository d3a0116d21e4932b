//! The binary. The hook word is matched before anything else: no argument parser, no configuration and no
//! database behind it.

mod chart;
mod cli;
mod commands;
mod config;
mod print;
mod progress;
mod report;
mod when;
mod world;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args.next().is_some_and(|word| word == "hook") {
        // A few words behind it are commands about a person's own rules, or ask for help, and no event's name.
        if !args.peek().is_some_and(|word| commands::hook::WORDS.iter().any(|ours| word == ours)) {
            return ExitCode::from(client::hook::main(args, config::redaction, config::judge));
        }
    }
    report::end(cli::run())
}
