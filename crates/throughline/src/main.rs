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
    outlive_file_limits();
    let mut args = std::env::args_os().skip(1).peekable();
    if args.next().is_some_and(|word| word == "hook") {
        // A few words behind it are commands about a person's own rules, or ask for help, and no event's name.
        if !args.peek().is_some_and(|word| commands::hook::WORDS.iter().any(|ours| word == ours)) {
            return ExitCode::from(client::hook::main(
                args,
                config::redaction,
                config::judge,
                config::confess,
            ));
        }
    }
    report::end(cli::run())
}

/// Past a limit on the size of files (`ulimit -f`) the system ends a process that writes. With a handler the write fails
/// instead, as on a full disk; and unlike a signal that is ignored, a handler is not handed on to the programs we run.
fn outlive_file_limits() {
    // Where that fails we are as we would be without it.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}
