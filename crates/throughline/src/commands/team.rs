//! Sharing with a team: the database, who is in it, and which projects of this machine are told to it. The daemon does the
//! telling; here settings are changed, and what only a person may do is done.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use store::shared::{SharedError, SharedProject};
use team::{Options, Team as Line, admin};

use super::{config as settings, reader, remember};
use crate::report::{Failure, hint};
use crate::world::{self, World};
use crate::{config, print, when};

/// The daemon answers from memory.
const PATIENCE: Duration = Duration::from_secs(5);
/// Enough of a first commit to tell projects apart.
const COMMIT_CHARS: usize = 12;
/// In the place of names: who sees a project.
const EVERYBODY: &str = "everybody";
const WAITS: &str = "nothing is lost: what may be shared waits here and is told when the database answers";

#[derive(Debug, Args)]
#[command(
    after_help = "What is shared: observations, summaries, learnings and notes of the projects you share, redacted, \
                        without paths of this machine; which files you work on. Never: prompts, conversations, notes \
                        without a project, and what was kept with `remember --private`."
)]
pub(crate) struct Team {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a team in a PostgreSQL database, or bring its schema up to date
    #[command(after_help = "Example: throughline team init postgres://admin@db.example.com/throughline")]
    Init {
        /// As who may create roles and schemas; used once and not kept
        url: String,
        /// The team's name: small letters and digits
        #[arg(long, default_value = "team")]
        team: String,
        /// A project is seen by whoever tells of it first, until `team share --with` says who else does
        #[arg(long)]
        closed: bool,
    },
    /// Make an invitation for one person
    #[command(
        after_help = "Example: throughline team invite ana --url postgres://admin@db.example.com/throughline"
    )]
    Invite {
        /// Who: small letters and digits
        name: String,
        /// As who may create roles; used once and not kept
        #[arg(long)]
        url: String,
        #[arg(long, default_value = "team")]
        team: String,
        /// Where others reach the database, if that is another place than where you do
        #[arg(long, value_name = "HOST:PORT")]
        host: Option<String>,
    },
    /// Join with an invitation; inside a repository, share that one
    Join {
        /// What `team invite` printed
        invite: String,
        /// Memories and passwords may go without TLS, for example through a tunnel of your own
        #[arg(long)]
        allow_plain: bool,
    },
    /// How sharing goes
    Status {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Take a member out: they are let in no more, and what they have told stays under their name
    #[command(
        after_help = "Example: throughline team remove ana --url postgres://admin@db.example.com/throughline"
    )]
    Remove {
        name: String,
        /// As who may create roles; used once and not kept
        #[arg(long)]
        url: String,
        #[arg(long, default_value = "team")]
        team: String,
    },
    /// Share a project with the team [default: the one you are in]
    #[command(
        after_help = "Who sees it, where a team was made with --closed or not everybody should:\n  throughline team share \
                      --with ana,ben --url postgres://admin@db.example.com/throughline"
    )]
    Share {
        path: Option<PathBuf>,
        /// Whoever runs the database says who sees the project: these members and nobody else, or `everybody`
        #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "url")]
        with: Vec<String>,
        /// As who may create roles; used once and not kept
        #[arg(long, requires = "with")]
        url: Option<String>,
        #[arg(long, default_value = "team", requires = "with")]
        team: String,
    },
    /// Share a project no longer; what others told of it leaves this machine
    Unshare { path: Option<PathBuf> },
    /// Share nothing any more, and forget how the team is reached
    Leave,
}

impl Team {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        match self.command {
            Command::Init { url, team, closed } => init(&url, &team, closed),
            Command::Invite { name, url, team, host } => invite(&name, &url, &team, host.as_deref()),
            Command::Join { invite, allow_plain } => join(world, &invite, allow_plain),
            Command::Status { json } => status(world, json),
            Command::Remove { name, url, team } => remove(&name, &url, &team),
            Command::Share { path, with, url: Some(url), team } => {
                share_with(world, path.as_deref(), &with, &url, &team)
            }
            Command::Share { path, .. } => share(world, path.as_deref()),
            Command::Unshare { path } => unshare(world, path.as_deref()),
            Command::Leave => leave(world),
        }
    }
}

fn init(url: &str, team: &str, closed: bool) -> anyhow::Result<()> {
    let options = as_admin(url);
    let wanted = admin::Init { open: !closed, ..admin::Init::new(team) };
    let ready = admin::init(&options, &wanted).map_err(|error| explain(&error))?;
    let made = if ready.was == ready.is { "is up to date" } else { "is ready" };
    print::line(&format!("the team {} {made} on PostgreSQL {}", ready.team, ready.server))?;
    match &ready.vectors {
        Some(version) => print::line(&format!("search goes by words and by nearness (pgvector {version})"))?,
        None => print::line(
            "search goes by words; install the extension pgvector and run this again for nearness",
        )?,
    }
    let url = team::masked(url);
    print::remark(&format!(
        "next: throughline team invite NAME --url '{url}' --team {team}, for yourself, too; with the password as here"
    ));
    Ok(())
}

fn invite(name: &str, url: &str, team: &str, host: Option<&str>) -> anyhow::Result<()> {
    let invited = admin::invite(&as_admin(url), team, name).map_err(|error| explain(&error))?;
    let place = match (host, invited.url.split_once('@')) {
        (Some(host), Some((who, place))) => {
            let path = place.find(['/', '?']).map_or("", |at| &place[at..]);
            format!("{who}@{host}{path}")
        }
        _ => invited.url.clone(),
    };
    let whole = place.replacen('@', &format!(":{}@", invited.password), 1);
    print::line(&format!("throughline team join '{whole}'"))?;
    print::remark(&format!(
        "for {name} alone, on a safe way: it holds their password. Inviting again gives a new one"
    ));
    Ok(())
}

fn join(world: &World, invite: &str, allow_plain: bool) -> anyhow::Result<()> {
    let (url, password) = team::take_password(invite);
    let password = password.or_else(|| said("PGPASSWORD"));
    let options =
        Options { url: url.clone(), password: password.clone(), pgpass: pgpass(world), allow_plain };
    let line = Line::connect(&options).map_err(|error| explain(&error))?;
    let (user, team) = (line.me().user.clone(), line.me().team.clone());
    drop(line);
    if let Some(password) = password {
        world.place.ensure()?;
        let path = password_file(world);
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        file.write_all(password.as_bytes())?;
        settings::set(world, "storage.password-file", &path.display().to_string())?;
    }
    if allow_plain {
        settings::set(world, "storage.allow-plain", "true")?;
    }
    settings::set(world, "storage.url", &url)?;
    print::line(&format!("you are {user} in the team {team}"))?;
    if daemon::project_of(&world.cwd).first_commit.is_some() {
        return share(world, None);
    }
    print::remark("nothing is shared yet; run `throughline team share` in a repository");
    Ok(())
}

fn share(world: &World, path: Option<&Path>) -> anyhow::Result<()> {
    if configured(world).is_none() {
        let what = "there is no team yet";
        return Err(hint(Failure::Person, what, "`throughline team join` takes the invitation you got"));
    }
    let (commit, name) = project(world, path)?;
    let mut projects = shared(world);
    if !projects.contains(&commit) {
        projects.push(commit.clone());
        settings::set(world, "storage.projects", &projects.join(","))?;
    }
    // What was kept of it before, and no session has said where, waits from now on as well.
    reader::send(world, &[remember::place(&folder(world, path))])?;
    print::line(&format!("{name} is shared with the team"))?;
    print::remark("its observations, summaries, learnings and notes are told, and which files you work on");
    Ok(())
}

fn share_with(
    world: &World,
    path: Option<&Path>,
    with: &[String],
    url: &str,
    team: &str,
) -> anyhow::Result<()> {
    let (commit, name) = project(world, path)?;
    let everybody = with == [EVERYBODY];
    let project = SharedProject(commit);
    let members = (!everybody).then_some(with);
    admin::share(&as_admin(url), team, &project, members).map_err(|error| explain(&error))?;
    let who = if everybody { "everybody".to_owned() } else { with.join(", ") };
    print::line(&format!("{name} is seen by {who} in the team {team}"))?;
    print::remark("each of them shares it with `throughline team share` in their own clone");
    Ok(())
}

fn remove(name: &str, url: &str, team: &str) -> anyhow::Result<()> {
    admin::remove(&as_admin(url), team, name).map_err(|error| explain(&error))?;
    print::line(&format!("{name} is no member of {team} any more"))?;
    print::remark("what they have told stays, under their name; `team invite` lets them in again");
    Ok(())
}

fn unshare(world: &World, path: Option<&Path>) -> anyhow::Result<()> {
    let (commit, name) = project(world, path)?;
    let mut projects = shared(world);
    if !projects.contains(&commit) {
        return print::line(&format!("{name} was not shared"));
    }
    projects.retain(|project| *project != commit);
    if projects.is_empty() {
        settings::unset(world, "storage.projects")?;
    } else {
        settings::set(world, "storage.projects", &projects.join(","))?;
    }
    print::line(&format!("{name} is shared no longer"))?;
    print::remark(
        "what was told before stays with the team; `throughline forget` while it is shared takes it back",
    );
    Ok(())
}

fn leave(world: &World) -> anyhow::Result<()> {
    for key in ["storage.url", "storage.projects", "storage.password-file", "storage.allow-plain"] {
        settings::unset(world, key)?;
    }
    match fs::remove_file(password_file(world)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    print::line("nothing is shared any more")?;
    print::remark("what was told stays with the team, under your name");
    Ok(())
}

/// How sharing goes, as the daemon says it and as a connection of our own finds it; `None`: there is no team.
pub(crate) fn look(world: &World) -> Option<anyhow::Result<(Value, Option<admin::Status>)>> {
    let options = configured(world)?;
    let mut told = match reader::answer(world, &json!({ "ask": "sharing" }), PATIENCE) {
        Ok(told) => told,
        Err(error) => return Some(Err(error)),
    };
    let seen = options.and_then(|options| {
        let mut line = Line::connect(&options)?;
        admin::status(&mut line)
    });
    match &seen {
        Ok(seen) => {
            told["server"] = json!(seen.server);
            told["vectors"] = json!(seen.vectors);
            told["members"] = json!(seen.members.iter().map(|(name, _)| name).collect::<Vec<_>>());
            told["memories"] = json!(seen.projects.iter().map(|project| project.memories).sum::<u64>());
        }
        Err(error) => {
            // The daemon's own connection may stand while a new one is refused: what is true now is said.
            told["state"] = json!(if is_refusal(error) { "refused" } else { "waiting" });
            told["trouble"] = json!(error.to_string());
            told["next"] = json!(next_step(error));
        }
    }
    Some(Ok((told, seen.ok())))
}

fn status(world: &World, as_json: bool) -> anyhow::Result<()> {
    let Some(looked) = look(world) else {
        if as_json {
            return print::json(&json!({ "state": "off" }));
        }
        return print::line("there is no team: everything stays on this machine");
    };
    let (told, seen) = looked?;
    if as_json {
        return print::json(&told);
    }
    let text = |key: &str| print::one_line(told[key].as_str().unwrap_or("-"), 200);
    print::line(&format!("{}: {}", text("state"), text("url")))?;
    if told["user"].is_string() {
        print::line(&format!("you are {} in the team {}", text("user"), text("team")))?;
    }
    let number = |key: &str| told[key].as_u64().unwrap_or(0);
    let ago = |key: &str| told[key].as_u64().map_or("not yet".to_owned(), |at| when::ago(at, when::now()));
    print::line(&format!(
        "{} shared; {} waiting to be told; told {} ({}), taken in {} (looked {})",
        print::count(number("projects"), "project", "projects"),
        number("waiting"),
        number("told"),
        ago("told_at"),
        number("taken"),
        ago("heard_at"),
    ))?;
    if number("aside") > 0 {
        print::line(&format!(
            "{} not taken by the database and set aside (the last one: {}); tried again when the daemon starts",
            number("aside"),
            text("aside_why")
        ))?;
    }
    if let Some(seen) = &seen {
        let names: Vec<String> = seen.members.iter().map(|(name, _)| print::one_line(name, 40)).collect();
        print::line(&format!("members: {}", names.join(", ")))?;
        for project in &seen.projects {
            let commit: String = project.project.0.chars().take(COMMIT_CHARS).collect();
            let memories = print::count(project.memories, "memory", "memories");
            print::line(&format!("  {} {memories}", print::one_line(&commit, COMMIT_CHARS)))?;
        }
    }
    let next = match told["next"].as_str() {
        Some(next) => next.to_owned(),
        None if told["state"] == "refused" => {
            "ask for a new invitation, or correct `storage.url`; nothing is lost meanwhile".to_owned()
        }
        None => WAITS.to_owned(),
    };
    match told["trouble"].as_str() {
        Some(trouble) => Err(hint(Failure::Person, print::one_line(trouble, 300), next)),
        None => Ok(()),
    }
}

/// The member's way there; `None`: there is no team.
pub(crate) fn configured(world: &World) -> Option<Result<Options, SharedError>> {
    let (config, _) = config::load(&world.place);
    daemon::team_options(&config)
}

fn shared(world: &World) -> Vec<String> {
    let (config, _) = config::load(&world.place);
    config.list("storage.projects").to_vec()
}

fn folder(world: &World, path: Option<&Path>) -> PathBuf {
    path.map_or_else(|| world.cwd.clone(), |path| world.cwd.join(path))
}

/// The first commit and the name of a folder's project.
fn project(world: &World, path: Option<&Path>) -> anyhow::Result<(String, String)> {
    let folder = folder(world, path);
    let found = daemon::project_of(&folder);
    match found.first_commit {
        Some(commit) => Ok((commit, found.name)),
        None => Err(hint(
            Failure::Person,
            format!("{} is in no git repository with a commit", folder.display()),
            "a project is shared by its first commit; in a shallow clone run `git fetch --unshallow`",
        )),
    }
}

fn as_admin(url: &str) -> Options {
    let home = world::variable("HOME").map(PathBuf::from);
    Options {
        url: url.to_owned(),
        password: said("PGPASSWORD"),
        pgpass: home.map(|home| home.join(".pgpass")),
        allow_plain: said("THROUGHLINE_STORAGE_ALLOW_PLAIN").as_deref() == Some("true"),
    }
}

fn said(name: &str) -> Option<String> {
    world::variable(name)?.into_string().ok().filter(|value| !value.is_empty())
}

fn pgpass(world: &World) -> Option<PathBuf> {
    world.home.as_ref().map(|home| home.join(".pgpass"))
}

fn password_file(world: &World) -> PathBuf {
    world.place.data.join("team-password")
}

pub(crate) fn explain(error: &SharedError) -> anyhow::Error {
    hint(Failure::Person, error.to_string(), next_step(error))
}

/// Only a person changes it.
fn is_refusal(error: &SharedError) -> bool {
    matches!(error, SharedError::Refused { .. } | SharedError::Version { .. } | SharedError::Unfit(_))
}

fn next_step(error: &SharedError) -> &'static str {
    match error {
        SharedError::Unreachable(_) => "is the address right, and the network there?",
        SharedError::Refused { next, .. } => next,
        SharedError::Unfit(_) => "`throughline team status` says what is not taken",
        SharedError::Version { .. } => {
            "one side is older; `throughline team init` brings the database up to date"
        }
        SharedError::Store(_) => "`throughline doctor` looks closer",
    }
}
