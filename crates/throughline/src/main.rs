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
    let mut args = std::env::args_os();
    args.next();
    if std::env::args_os().nth(1).is_some_and(|word| word == "hook") {
        args.next();
        return ExitCode::from(client::hook::main(args, config::redaction));
    }
    report::end(cli::run())
}
