//! The kill test at full length. `cargo xtask ci` runs the same test with fewer rounds; what it asserts lives with
//! the binary's tests.

use anyhow::{Context, Result, bail};

use crate::run;

const ROUNDS: u32 = 200;
pub(crate) const TEST: &str = "no_kill_at_any_moment_loses_or_doubles_an_event";

pub(crate) fn main(arguments: &[String]) -> Result<()> {
    let rounds = match arguments {
        [] => ROUNDS,
        [rounds] => rounds.parse().with_context(|| format!("\"{rounds}\" is no number of rounds"))?,
        more => bail!("faults takes one number, not {more:?}"),
    };
    let mut command =
        run::cargo(&["test", "--release", "-p", "throughline", "--test", "it", TEST, "--", "--nocapture"]);
    run::succeed(command.env("THROUGHLINE_KILL_ROUNDS", rounds.to_string()))
}
