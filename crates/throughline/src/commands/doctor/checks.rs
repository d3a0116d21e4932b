//! The checks, in the order a person would ask: is it there, does it run, is it attached, is it well.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use client::{Trouble, ask, pause};
use serde_json::Value;
use store::{EventFilter, Tables};

use super::{Finding, disk, permissions, settings, tools};
use crate::commands::reader;
use crate::commands::{rules, team};
use crate::world::{VERSION, World};
use crate::{config, print};

pub(crate) type Check = fn(&World) -> Vec<Finding>;

pub(crate) const ALL: &[Check] = &[
    binary,
    folder,
    permissions::permissions,
    disk::disk,
    configuration,
    settings::settings,
    daemon,
    latency,
    journal,
    database,
    spooled,
    recording,
    memory_files,
    renewing,
    asked_model,
    sharing,
    own_rules,
    judge,
    scopes,
    tools::tools,
];

/// A question and its answer on one machine; more, and hooks are felt.
const SLOW: Duration = Duration::from_millis(10);
/// Of many the first ones tell.
pub(super) const MAX_LISTED: usize = 5;

fn binary(world: &World) -> Vec<Finding> {
    let tiny = world.executable.with_file_name("throughline-hook");
    let here = world.executable.display();
    if tiny.is_file() {
        vec![Finding::ok("binary", format!("version {VERSION} at {here}, with throughline-hook beside it"))]
    } else {
        let what = format!(
            "version {VERSION} at {here}; throughline-hook is not beside it, so hooks cost about 1 ms more"
        );
        vec![Finding::warn(
            "binary",
            what,
            "put throughline-hook beside throughline, then `throughline install`",
        )]
    }
}

fn folder(world: &World) -> Vec<Finding> {
    let data = &world.place.data;
    let shown = data.display();
    match fs::metadata(data) {
        // Whoever is attached fills it with the next event; who is not hears of it under settings.
        Err(_) => vec![Finding::ok("folder", format!("{shown} does not exist yet; nothing is recorded"))],
        Ok(meta) if !meta.is_dir() => {
            vec![Finding::fail(
                "folder",
                format!("{shown} is not a folder"),
                format!("mv '{shown}' '{shown}.aside'"),
            )]
        }
        Ok(meta) if meta.uid() != rustix::process::geteuid().as_raw() => {
            vec![Finding::fail(
                "folder",
                format!("{shown} belongs to another user"),
                format!("sudo chown -R $(id -u) '{shown}'"),
            )]
        }
        Ok(_) => match tempfile_in(data) {
            Ok(()) => vec![Finding::ok("folder", format!("{shown} is writable"))],
            Err(error) => vec![Finding::fail(
                "folder",
                format!("{shown}: {error}"),
                format!("chmod -R u+rwX '{shown}'"),
            )],
        },
    }
}

fn tempfile_in(folder: &Path) -> std::io::Result<()> {
    let path = folder.join(format!("doctor-{}.part", std::process::id()));
    fs::write(&path, b"")?;
    fs::remove_file(&path)
}

pub(super) fn entries(folder: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()))
}

fn configuration(world: &World) -> Vec<Finding> {
    let (config, errors) = config::load(&world.place);
    let (_, rules) = config.redaction([0; 32]);
    let errors: Vec<_> = errors.iter().map(ToString::to_string).chain(rules).collect();
    if errors.is_empty() {
        return vec![Finding::ok("config", format!("{} is fine", world.place.config_file().display()))];
    }
    errors
        .into_iter()
        .map(|error| Finding::fail("config", error, format!("edit {}", world.place.config_file().display())))
        .collect()
}

/// Where the viewer and the API are. Hooks never need it.
fn http(world: &World, status: &Value) -> Finding {
    let (config, _) = config::load(&world.place);
    let wished = config.number("http.port");
    match status["port"].as_u64() {
        None if !config.flag("http.enabled") => Finding::ok("http", "off (http.enabled)"),
        None => Finding::warn("http", "not there; the log says why", "throughline daemon logs"),
        Some(port) if port == wished => Finding::ok("http", format!("127.0.0.1:{port}; throughline view")),
        Some(port) => {
            let what = format!("127.0.0.1:{port}, because {wished} was taken; throughline view");
            Finding::ok("http", what)
        }
    }
}

fn daemon(world: &World) -> Vec<Finding> {
    let until = Instant::now() + Duration::from_secs(1);
    match ask(&world.place, br#"{"ask":"status"}"#, until) {
        Err(Trouble::Absent) => vec![Finding::ok("daemon", "not running; the next hook starts it")],
        Err(trouble) => {
            vec![Finding::fail(
                "daemon",
                format!("{}: {trouble}", world.place.socket().display()),
                "throughline daemon restart",
            )]
        }
        Ok(_) => {
            let status = reader::status(world).unwrap_or_default();
            let mut found = Vec::new();
            if status["envelopes"]["twins"].as_u64().is_some_and(|twins| twins > 0) {
                let what = "the plugin and the hooks in your settings both call us; each event is kept once";
                found.push(Finding::warn(
                    "settings",
                    what,
                    "throughline uninstall, to leave it to the plugin",
                ));
            }
            let version = status["version"].as_str().unwrap_or("?");
            found.push(if version == VERSION {
                Finding::ok("daemon", format!("version {version}, process {}", status["pid"]))
            } else {
                let what = format!("runs version {version}, this is {VERSION}");
                Finding::warn("daemon", what, "throughline daemon restart")
            });
            found.push(http(world, &status));
            found
        }
    }
}

/// What the daemon met in the folder of memory files. Without a daemon nobody looks at them.
fn memory_files(world: &World) -> Vec<Finding> {
    let status = reader::status(world).unwrap_or_default();
    let files = &status["memory_files"];
    let problems: Vec<&str> =
        files["problems"].as_array().into_iter().flatten().filter_map(|problem| problem.as_str()).collect();
    if !problems.is_empty() {
        let shown = problems.iter().enumerate().take(MAX_LISTED);
        let mut found: Vec<Finding> = shown
            .map(|(at, what)| {
                let repair = files["repairs"][at].as_str().unwrap_or("throughline daemon restart");
                Finding::warn("memory files", print::one_line(what, 300), repair)
            })
            .collect();
        if problems.len() > MAX_LISTED {
            let what = format!("and {} more", problems.len() - MAX_LISTED);
            found.push(Finding::warn("memory files", what, "throughline daemon status --json"));
        }
        return found;
    }
    match (files["folder"].as_str(), files["files"].as_u64()) {
        (Some(folder), Some(count)) => {
            let what = format!("{} in {folder}", print::count(count, "memory file", "memory files"));
            vec![Finding::ok("memory files", what)]
        }
        _ => Vec::new(),
    }
}

/// How far the daemon is with distilling old sessions again, after an upgrade with other rules.
fn renewing(world: &World) -> Vec<Finding> {
    let status = reader::status(world).unwrap_or_default();
    let number = |key: &str| status["renewing"][key].as_u64().unwrap_or(0);
    let (sessions, done) = (number("sessions"), number("done"));
    if sessions == 0 {
        return Vec::new();
    }
    let sessions = print::count(sessions, "old session", "old sessions");
    let what = format!("{done} of {sessions} distilled again by this version's rules, the newest first");
    vec![Finding::ok("distilling", what)]
}

/// What the model that a person named is sent: more than before only once they say so.
fn asked_model(world: &World) -> Vec<Finding> {
    let (config, _) = config::load(&world.place);
    let Some(provider) = daemon::rules::provider(&config) else { return Vec::new() };
    let what = if config.text("distill.send") == "words" {
        format!(
            "{provider} is sent what you and the agent said and the calls between, once a session is over"
        )
    } else {
        format!(
            "{provider} is sent what was asked for and the tool calls; what you and the agent said, where causes and decisions are, \
             only after `throughline config set distill.send words`"
        )
    };
    vec![Finding::ok("model", what)]
}

/// How it goes with the team, where there is one.
fn sharing(world: &World) -> Vec<Finding> {
    // Who finds no daemon is told so elsewhere.
    let Some(Ok((told, _))) = team::look(world) else { return Vec::new() };
    let text = |key: &str| print::one_line(told[key].as_str().unwrap_or_default(), 300);
    let number = |key: &str| told[key].as_u64().unwrap_or(0);
    let mut found = Vec::new();
    match told["state"].as_str() {
        None | Some("off") => return found,
        Some("refused") => {
            let what = format!("{}; {}", text("trouble"), text("next"));
            found.push(Finding::fail("sharing", what, "throughline team status"));
        }
        Some("waiting") => {
            let what = format!("{}; {} waiting to be told", text("trouble"), number("waiting"));
            found.push(Finding::warn(
                "sharing",
                what,
                "nothing is lost: it is told when the database answers",
            ));
        }
        Some(state) => {
            let what = format!(
                "{} with {}; {} waiting to be told",
                print::one_line(state, 20),
                text("url"),
                number("waiting")
            );
            found.push(Finding::ok("sharing", what));
        }
    }
    if number("aside") > 0 {
        let what = format!(
            "{} not taken by the team's database and set aside; the last one: {}",
            number("aside"),
            text("aside_why")
        );
        found.push(Finding::warn("sharing", what, "throughline daemon restart, to try them again"));
    }
    found
}

/// The person's own rules, where there are any.
fn own_rules(world: &World) -> Vec<Finding> {
    let problems = rules::problems(world);
    if !problems.is_empty() {
        let finding = |(what, repair): (String, String)| {
            Finding::warn("rules", print::one_line(&what, 300), print::one_line(&repair, 300))
        };
        return problems.into_iter().map(finding).collect();
    }
    match rules::all(world).map_or(0, |all| all.len() as u64) {
        0 => Vec::new(),
        count => vec![Finding::ok("rules", print::count(count, "rule of yours", "rules of yours"))],
    }
}

/// A behavior that asks a model, and no model to be asked.
fn judge(world: &World) -> Vec<Finding> {
    let (config, _) = config::load(&world.place);
    if !config.is_on("judge-stop") {
        return Vec::new();
    }
    match daemon::rules::provider(&config) {
        Some(provider) => vec![Finding::ok("judge", format!("judge-stop asks {provider}"))],
        None => vec![Finding::warn(
            "judge",
            "judge-stop is on, and `distill.provider` names no model: nobody is asked",
            "throughline config set distill.provider ollama, or throughline behaviors disable judge-stop",
        )],
    }
}

fn latency(world: &World) -> Vec<Finding> {
    let mut took: Vec<Duration> = (0..20)
        .map_while(|_| {
            let began = Instant::now();
            ask(&world.place, br#"{"ask":"status"}"#, began + Duration::from_secs(1))
                .ok()
                .map(|_| began.elapsed())
        })
        .collect();
    took.sort_unstable();
    let Some(median) = took.get(took.len() / 2) else { return Vec::new() };
    let what = format!("the daemon answers in {:.2} ms", median.as_secs_f64() * 1000.0);
    if *median > SLOW {
        return vec![Finding::warn("latency", what, "throughline daemon logs")];
    }
    vec![Finding::ok("latency", what)]
}

fn journal(world: &World) -> Vec<Finding> {
    let folder = world.place.journal();
    if !folder.exists() {
        return Vec::new();
    }
    match store::journal::verify(&folder) {
        Ok(report) if report.damaged.is_empty() => {
            vec![Finding::ok("journal", format!("{} events, {}", report.entries, print::bytes(report.bytes)))]
        }
        Ok(report) => {
            let what = format!(
                "{} damaged places; all {} other events are readable",
                report.damaged.len(),
                report.entries
            );
            vec![Finding::warn("journal", what, "throughline rebuild")]
        }
        Err(error) => vec![Finding::fail("journal", error.to_string(), "throughline daemon logs")],
    }
}

fn database(world: &World) -> Vec<Finding> {
    let path = world.place.database();
    if !path.exists() {
        return Vec::new();
    }
    let checked = Tables::open_read_only(&path).and_then(|tables| tables.check().map(|()| tables));
    match checked {
        Ok(tables) => vec![Finding::ok("database", "sound"), newest(&tables)],
        Err(error) => vec![Finding::fail("database", error.to_string(), "throughline rebuild")],
    }
}

fn newest(tables: &Tables) -> Finding {
    let newest = tables
        .events(&EventFilter { limit: 1, ..EventFilter::default() })
        .ok()
        .and_then(|mut rows| rows.pop());
    match newest {
        None => Finding::warn("last event", "nothing is recorded yet", "start an agent's session"),
        Some(row) => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis() as u64);
            let ago = now.saturating_sub(row.at) / 60_000;
            let what =
                format!("{} {ago} min ago, at {}", print::one_line(&row.kind, 30), print::time(row.at));
            Finding::ok("last event", what)
        }
    }
}

fn spooled(world: &World) -> Vec<Finding> {
    let waiting =
        entries(&world.place.spool()).filter(|path| path.extension().is_some_and(|end| end == "env")).count();
    if waiting > 0 {
        return vec![Finding::warn(
            "spool",
            format!("{waiting} events wait to be taken in"),
            "throughline daemon restart",
        )];
    }
    vec![Finding::ok("spool", "empty")]
}

fn recording(world: &World) -> Vec<Finding> {
    if pause::is_paused(&world.place) {
        return vec![Finding::warn("recording", "paused", "throughline resume")];
    }
    vec![Finding::ok("recording", "on")]
}

/// A scope file that cannot be understood makes every write a question: better said here than in the middle of work.
fn scopes(world: &World) -> Vec<Finding> {
    let broken = |scope: &guard::scope::Scope| {
        let what = format!("{} {}", scope.file.display(), scope.lists.as_ref().as_ref().err()?);
        Some(Finding::fail("scope", what, format!("edit {}", scope.file.display())))
    };
    let scopes = super::super::scope::in_force(world);
    let dead = scopes.iter().flat_map(|scope| {
        let edit = format!("edit {}", scope.file.display());
        let file = scope.file.display().to_string();
        scope.warnings().into_iter().map(move |(line, what)| {
            Finding::warn("scope", format!("{file}, line {line}: {what}"), edit.clone())
        })
    });
    scopes.iter().filter_map(broken).chain(dead).collect()
}
