//! The background process: starting, stopping, asking how it is.

mod checking;
mod glimpse;
mod home;
mod http_door;
mod known;

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command as Process;
use std::thread;
use std::time::{Duration, Instant};

use ::daemon::{DaemonLock, Ended, Options};
use clap::{Args, Subcommand};
use mcp::Keepers;
use serde_json::{Value, json};

use self::http_door::HttpDoor;
use super::mcp::Houses;
use super::reader;
use crate::report::{Failure, hint};
use crate::world::{VERSION, World};
use crate::{config, print};

/// A daemon answers what it has in hand and leaves; this is far more than it needs.
const LEAVE: Duration = Duration::from_secs(10);
/// It hears questions at once, unless it takes in a large spool before it opens; past this it hangs.
const HEED: Duration = Duration::from_secs(10);
/// A successor waits this long for its predecessor to leave.
const SUCCEED: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
pub(crate) struct Daemon {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve in the foreground (what `start` and service managers run)
    Run,
    /// Start it in the background; fine if it runs already
    Start,
    /// Stop it; the next hook starts it again
    Stop,
    /// Stop it and start it again
    Restart,
    /// Whether it runs, since when, and what it has done
    Status {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// The last lines of its log
    Logs {
        /// So many lines
        #[arg(long, short = 'n', default_value_t = 50)]
        lines: usize,
    },
    /// Print a service definition for this user: systemd or launchd
    Unit {
        #[arg(value_parser = ["systemd", "launchd"])]
        manager: String,
    },
    /// Print the OpenAPI document of the HTTP API, as the daemon serves it
    Openapi,
}

impl Daemon {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        match self.command {
            Command::Run => serve(world),
            Command::Start => {
                replace_older(world)?;
                let started = reader::start(world)?;
                print::line(if started { "started" } else { "running already" })
            }
            Command::Stop => {
                let stopped = stop(world)?;
                print::line(if stopped { "stopped" } else { "was not running" })
            }
            Command::Restart => {
                stop(world)?;
                reader::start(world)?;
                print::line("restarted")
            }
            Command::Status { json } => status(world, json),
            Command::Logs { lines } => logs(world, lines),
            Command::Unit { manager } => print::text(&unit(world, &manager)),
            Command::Openapi => print::line(&serde_json::to_string_pretty(&web::openapi(VERSION))?),
        }
    }
}

fn serve(world: &World) -> anyhow::Result<()> {
    // A session of its own: a closed terminal is not for us. Fails where we lead one already.
    let _ = rustix::process::setsid();
    let place = world.place.clone();
    let ended = ::daemon::run(Options {
        place: place.clone(),
        namespace: world.namespace.clone(),
        version: VERSION,
        patience: SUCCEED,
        load_config: Box::new(move || config::load(&place)),
        side_door: Some(Box::new(HttpDoor::new(world.clone()))),
        guests: Some(guests(world)),
    })
    .map_err(|error| hint(Failure::Person, error.to_string(), "run `throughline doctor`"))?;
    match ended {
        Ended::Stopped | Ended::AlreadyRunning => Ok(()),
        // The file we were started from is another release now: become it.
        Ended::Superseded => {
            Err(Process::new(installed_executable(world)).args(["daemon", "run"]).exec().into())
        }
    }
}

/// What a session's process is asked for, done here: `mcp` with the house of the folder it names.
fn guests(world: &World) -> ::daemon::Guests {
    let houses = Houses(world.clone());
    Box::new(move |question| {
        let folder = question["folder"].as_str().map(Path::new);
        mcp::answer(&*houses.keeper(folder), &question["call"])
    })
}

/// Linux marks the path of a replaced file; the new file stands under the name without the mark.
fn installed_executable(world: &World) -> std::path::PathBuf {
    let text = world.executable.to_string_lossy();
    text.strip_suffix(" (deleted)").unwrap_or(&text).into()
}

/// A daemon of an older release makes way; one of a newer release is right.
fn replace_older(world: &World) -> anyhow::Result<()> {
    let Some(status) = reader::status(world) else { return Ok(()) };
    let parts = |text: &str| text.split('.').map(|part| part.parse().unwrap_or(0)).collect::<Vec<u32>>();
    if status["version"].as_str().is_some_and(|theirs| parts(theirs) < parts(VERSION)) {
        stop(world)?;
    }
    Ok(())
}

/// Asks it to leave and waits until it has. False if none ran.
pub(crate) fn stop(world: &World) -> anyhow::Result<bool> {
    if !reader::is_served(world)? {
        return Ok(false);
    }
    let heard_by = Instant::now() + HEED;
    let leaving = loop {
        match reader::control(world, &json!({ "ask": "stop" }), heard_by) {
            Ok(answer) => break answer["pid"].as_u64(),
            // It may have the lock and not yet the socket, or be about to leave.
            Err(_) if Instant::now() < heard_by && reader::is_served(world)? => thread::sleep(reader::PAUSE),
            Err(_) => break None,
        }
    };
    let until = if leaving.is_some() { Instant::now() + LEAVE } else { heard_by };
    loop {
        let free = DaemonLock::take(&world.place.lock(), reader::PAUSE)?.is_some();
        // A hook may have called the next one already, which has waited for the lock as we do.
        let succeeded =
            || leaving.is_some() && reader::status(world).is_some_and(|now| now["pid"].as_u64() != leaving);
        if free || succeeded() {
            // Whoever starts the next one need not wait because of this one.
            let _ = fs::remove_file(world.place.starting());
            return Ok(true);
        }
        if Instant::now() >= until {
            break;
        }
    }
    let pid = fs::read_to_string(world.place.pid_file()).unwrap_or_default();
    let next = format!("end process {} yourself if it hangs", pid.trim());
    Err(hint(Failure::Person, "the daemon was asked to stop and has not left", next))
}

fn status(world: &World, as_json: bool) -> anyhow::Result<()> {
    let status = reader::status(world);
    if as_json {
        let absent = json!({
            "running": false,
            "pid": null,
            "version": VERSION,
            "socket": world.place.socket(),
            "port": null,
            "namespace": world.namespace,
            "started_at": null,
            "lost": ::daemon::losses_json(&client::losses::read(&world.place)),
        });
        return print::json(&status.unwrap_or(absent));
    }
    let Some(status) = status else {
        let lost = ::daemon::losses_json(&client::losses::read(&world.place));
        let line = "not running; the next hook starts it, or `throughline daemon start`";
        return print::line(&format!("{line}{}", lost_line(&lost)));
    };
    print::line(&format!(
        "running: version {}, process {}, since {}\nsocket   {}\nHTTP     {}\nevents   {} journaled, {} derived\nsince start  {} kept, {} skipped, {} drained from the spool, {} redactions{}",
        status["version"].as_str().unwrap_or("?"),
        status["pid"],
        print::time(status["started_at"].as_u64().unwrap_or_default()),
        status["socket"].as_str().unwrap_or("?"),
        status["port"].as_u64().map_or_else(|| "off".to_owned(), |port| format!("127.0.0.1:{port}")),
        status["journal_head"],
        status["learned"],
        status["envelopes"]["kept"],
        status["envelopes"]["skipped"],
        status["envelopes"]["drained"],
        status["envelopes"]["redactions"],
        lost_line(&status["lost"]),
    ))
}

/// What could be kept nowhere, if anything.
fn lost_line(lost: &Value) -> String {
    let number = |name: &str| lost[name].as_u64().unwrap_or_default();
    match (number("events"), number("ever")) {
        (0, 0) => String::new(),
        (0, ever) => format!("\nlost     {} ever, all told", print::count(ever, "event", "events")),
        (events, _) => format!(
            "\nlost     {} could not be kept, {} to {}; `throughline doctor` says why",
            print::count(events, "event", "events"),
            print::time(number("since")),
            print::time(number("until")),
        ),
    }
}

fn logs(world: &World, lines: usize) -> anyhow::Result<()> {
    let last = last_lines(world, lines);
    if last.is_empty() {
        return print::line("the log is empty");
    }
    last.iter().try_for_each(|line| print::line(line))
}

/// Of the log, oldest first.
fn last_lines(world: &World, lines: usize) -> Vec<String> {
    let mut last = std::collections::VecDeque::with_capacity(lines.min(10_000));
    for name in ["daemon.log.1", "daemon.log"] {
        let Ok(file) = fs::File::open(world.place.logs().join(name)) else { continue };
        for line in BufReader::new(file).lines().map_while(Result::ok) {
            if last.len() == lines {
                last.pop_front();
            }
            last.push_back(line);
        }
    }
    last.into()
}

fn unit(world: &World, manager: &str) -> String {
    let executable = world.executable.display().to_string();
    let home = world.place.data.parent().map(|home| home.display().to_string()).unwrap_or_default();
    let template = match manager {
        "systemd" => include_str!("../../templates/throughline.service"),
        _ => include_str!("../../templates/throughline.plist"),
    };
    template
        .replace("{{executable}}", &executable)
        .replace("{{home}}", &home)
        .replace("{{namespace}}", &world.namespace)
}
