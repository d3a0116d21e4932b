//! What the daemon costs when nothing happens, and how soon it answers when it was not there.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::Options;
use super::envelopes::after_a_command;
use super::exchange::{exchange, socket_in};
use super::house::House;
use super::machine;
use super::page::{Goal, Page};
use super::samples::Samples;
use super::spawn::Program;
use crate::run::Executables;

const STARTS: usize = 30;
const QUICK_STARTS: usize = 5;
/// Long enough that one tick more or less does not decide.
const IDLE: Duration = Duration::from_secs(10);
const MEGABYTE: f64 = 1_048_576.0;

pub(crate) fn measure(page: &mut Page, options: Options, release: &Executables) -> Result<()> {
    let from = page.goals().len();
    page.begin(
        "Daemon",
        "Cold start: from the start of the process in an empty home to the first envelope made durable.",
    );
    page.times_head();
    let first = after_a_command("bench-first", 1_000);
    let starts = if options.quick { QUICK_STARTS } else { STARTS };
    let (mut cold, mut nothing) = (Vec::new(), Vec::new());
    for _ in 0..starts {
        cold.push(House::start(&release.throughline, &first)?.1);
        nothing.push(Program::new(Path::new("/bin/true"), &[], b"").run()?.wall);
    }
    let (cold, nothing) = (Samples::new(&cold), Samples::new(&nothing));
    page.times("cold start to the first acknowledgement", &cold, None);
    page.times("/bin/true, in between", &nothing, None);

    let (house, _) = House::start(&release.throughline, &first)?;
    // A daemon that has worked, not one that was just born.
    for _ in 0..200 {
        exchange(&socket_in(house.home()), &after_a_command("bench-idle", 10_000))?;
    }
    thread::sleep(Duration::from_secs(2));
    let pid = house.pid();
    let before = machine::effort(pid).context("the daemon is gone")?;
    thread::sleep(IDLE);
    let after = machine::effort(pid).context("the daemon is gone")?;
    let (ticks, waits) = (after.0 - before.0, after.1 - before.1);
    let resident = machine::status_bytes(pid, "VmRSS").context("the daemon is gone")? as f64 / MEGABYTE;
    let size = |path: &Path| fs::metadata(path).map(|data| data.len() as f64 / MEGABYTE);
    let (binary, hook) = (size(&release.throughline)?, size(&release.hook)?);

    page.line("");
    page.head(&["what", "value"]);
    page.row(&["resident memory after 200 events, idle", &format!("{resident:.1} MB")]);
    page.row(&["CPU ticks in 10 idle seconds", &ticks.to_string()]);
    page.row(&["wake-ups in 10 idle seconds, all threads", &waits.to_string()]);
    page.row(&["throughline", &format!("{binary:.1} MB")]);
    page.row(&["throughline-hook", &format!("{:.1} KB", hook * 1024.0)]);

    let mut goal = |says: &str, ours: f64, reference: f64, unit: &'static str, noise: f64| {
        page.goal(Goal { says: says.to_owned(), ours, reference, most: 1.0, unit, noise });
    };
    goal("cold start p50 / 50 ms", cold.median(), 50.0, "ms", nothing.noise());
    goal("idle resident memory / 25 MB", resident, 25.0, "MB", 1.0);
    // One tick is what reading the counters may cost; a hundredth of a second in ten is 0.1 %.
    goal("idle CPU in 10 s / 1 tick", ticks as f64, 1.0, "ticks", 1.0);
    goal("throughline / 15 MB", binary, 15.0, "MB", 1.0);
    page.end(from);
    Ok(())
}
