//! Patterns of agents: declared, listed, shown, stopped. What they do with answers is decided elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use clap::{Args, Subcommand};
use engine::coordination::{Picture, is_kind, picture, row_elsewhere};
use engine::patterns::{ALL, MAX_OPTIONS, Pattern, Spec, name_of};
use model::Deed;
use serde_json::json;
use store::{PatternFilter, PatternRow, Tables};

use super::{at_work, reader};
use crate::report::{Failure, hint, person};
use crate::world::World;
use crate::{print, when};

/// In a list; more is asked for by session.
const LIMIT: usize = 50;
/// Enough of a session's id to name it.
const SESSION_CHARS: usize = 8;
/// Where one has to be told from another, all of it.
const MAX_SESSION_CHARS: usize = 64;
/// Patterns of one name that are listed.
const MAX_NAMED: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct PatternCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Declare a pattern; its session is told how to start the agents
    #[command(
        after_help = "Example: throughline pattern start jury --id review --agents 3 --option pass=2/3\n         throughline pattern start pipeline --id ship --names plan,build,check"
    )]
    Start {
        /// swarm, hierarchical, pipeline, jury, map-reduce, generator-critic, adversarial, circuit-breaker, blackboard, event-driven, chain-of-responsibility
        kind: String,
        /// Its name in this session [default: the kind]
        #[arg(long, value_name = "NAME")]
        id: Option<String>,
        /// How many agents there are to be
        #[arg(long, value_name = "N")]
        agents: Option<u32>,
        /// Stages, shards, handlers or fields, in their order
        #[arg(long, visible_alias = "stages", value_name = "A,B,C")]
        names: Option<String>,
        /// Rounds at most, where it goes in rounds
        #[arg(long, value_name = "N")]
        rounds: Option<u32>,
        /// Anything else the kind reads; `throughline pattern kinds` says what
        #[arg(long = "option", value_name = "KEY=VALUE")]
        options: Vec<String>,
        /// For this session [default: the one that runs this, else the only one at work here]
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// What was declared as one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Patterns, newest first
    List {
        /// Of this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Also those that are over
        #[arg(long)]
        all: bool,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// One pattern: its agents, what they said, what is due
    Show {
        /// Its name, or its id from `pattern list --json`
        id: String,
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// End a pattern: nobody is waited for any more
    Stop {
        /// Its name, or its id from `pattern list --json`
        id: String,
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Why, in a few words
        #[arg(long, value_name = "TEXT")]
        why: Option<String>,
    },
    /// The kinds there are, what they do and which options they read
    Kinds,
}

impl PatternCommand {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        match &self.command {
            Command::Start { kind, id, agents, names, rounds, options, session, json } => {
                let mut said = pairs(options)?;
                let number = |number: &Option<u32>| number.map(|number| number.to_string());
                for (key, value) in
                    [("of", number(agents)), ("names", names.clone()), ("rounds", number(rounds))]
                {
                    said.extend(value.map(|value| (key.to_owned(), value)));
                }
                start(world, kind, id.as_deref(), said, session.as_deref(), *json)
            }
            Command::List { session, all, json } => list(world, session.as_deref(), *all, *json),
            Command::Show { id, session, json } => {
                let tables = reader::tables(world)?;
                let here = named(&tables, id, session.as_deref())?;
                let seen = match here {
                    Some(row) => {
                        Seen { by: None, picture: picture(&row, when::now()).ok_or_else(|| nobody(id))? }
                    }
                    None => named_elsewhere(&tables, id, session.as_deref())?.ok_or_else(|| nobody(id))?,
                };
                if *json { print::json(&json!(seen)) } else { show(&seen) }
            }
            Command::Stop { id, session, why } => {
                let row =
                    named(&reader::tables(world)?, id, session.as_deref())?.ok_or_else(|| nobody(id))?;
                if is_over(&row) {
                    return print::line("it is over already");
                }
                let session = print::one_line(row.session.as_str(), MAX_SESSION_CHARS);
                let stopped = format!("{} \"{}\" of session {session} is stopped", row.kind, row.name);
                let deed = Deed::StopPattern { session: row.session, pattern: row.id, why: why.clone() };
                reader::send(world, &[deed])?;
                print::line(&stopped)
            }
            Command::Kinds => ALL.iter().try_for_each(|kind| {
                let roles: Vec<&str> = kind.roles().iter().map(|role| role.name).collect();
                print::line(&format!("{}\n  roles: {}\n  {}\n", kind.name(), roles.join(", "), kind.manual()))
            }),
        }
    }
}

fn pairs(options: &[String]) -> anyhow::Result<BTreeMap<String, String>> {
    let pair = |option: &String| {
        let (key, value) =
            option.split_once('=').filter(|(key, _)| !key.trim().is_empty()).ok_or_else(|| {
                hint(
                    Failure::Person,
                    format!("\"{}\" is no option", print::one_line(option, 60)),
                    "write KEY=VALUE",
                )
            })?;
        Ok((key.trim().to_ascii_lowercase(), value.trim().to_owned()))
    };
    options.iter().map(pair).collect()
}

fn start(
    world: &World,
    kind: &str,
    id: Option<&str>,
    options: BTreeMap<String, String>,
    session: Option<&str>,
    json: bool,
) -> anyhow::Result<()> {
    if !is_kind(kind) {
        let kinds: Vec<&str> = ALL.iter().map(|kind| kind.name()).collect();
        let what = format!("there is no pattern \"{}\"", print::one_line(kind, 40));
        return Err(hint(Failure::Person, what, format!("one of {}", kinds.join(", "))));
    }
    if id.is_some_and(|id| name_of(id).as_deref() != Some(id)) {
        return Err(hint(
            Failure::Person,
            "that is no name",
            "letters, digits, - _ . and at most 64 of them",
        ));
    }
    let mut spec = Spec::new(kind, id.unwrap_or_default()).expect("the kind is known");
    if options.len() > MAX_OPTIONS {
        return Err(hint(Failure::Person, "too many options", format!("at most {MAX_OPTIONS}")));
    }
    for (key, value) in &options {
        spec.declare(key, value);
    }
    if let Some(trouble) = options.iter().find_map(|(key, value)| spec.trouble(key, value)) {
        return Err(hint(Failure::Person, print::one_line(&trouble.what, 160), trouble.allowed));
    }
    let tables = reader::tables(world)?;
    let session = at_work::named_or_found(world, &tables, session)?;
    let filter = PatternFilter {
        session: Some(&session),
        kind: Some(&spec.kind),
        name: Some(&spec.id),
        ..PatternFilter::default()
    };
    if tables.patterns(&filter).map_err(person)?.iter().any(|row| !is_over(row)) {
        let what = format!("{} \"{}\" goes on in this session", spec.kind, spec.id);
        return Err(hint(Failure::Person, what, "give it another --id, or `throughline pattern stop` it"));
    }
    let deed = Deed::StartPattern {
        session: session.clone(),
        kind: spec.kind.clone(),
        id: spec.id.clone(),
        options,
    };
    reader::send(world, &[deed])?;
    let rows = reader::tables(world)?.patterns(&filter).map_err(person)?;
    let seen = rows.first().and_then(|row| picture(row, when::now())).ok_or_else(|| nobody(&spec.id))?;
    if json {
        return print::json(&json!(seen));
    }
    print::line(&format!("{} \"{}\" is declared for session {}", seen.kind, seen.name, short(&seen)))?;
    print::line("Start each agent with the Agent tool; its prompt begins with its tag:")?;
    seen.due.iter().try_for_each(|tag| print::line(&format!("  {tag}")))
}

fn list(world: &World, session: Option<&str>, all: bool, json: bool) -> anyhow::Result<()> {
    let tables = reader::tables(world)?;
    let session = session.map(|id| reader::session(&tables, id)).transpose()?.map(|row| row.id);
    let filter = PatternFilter { session: session.as_ref(), limit: LIMIT, ..PatternFilter::default() };
    let rows = tables.patterns(&filter).map_err(person)?;
    let now = when::now();
    let here = rows.iter().filter_map(|row| Some(Seen { by: None, picture: picture(row, now)? }));
    let there = if session.is_none() { elsewhere(&tables)? } else { Vec::new() };
    let mut seen: Vec<Seen> = here.chain(there).collect();
    seen.retain(|one| all || one.picture.ended_at.is_none());
    seen.sort_by_key(|one| std::cmp::Reverse(one.picture.at));
    if json {
        return seen.iter().try_for_each(|one| print::json(&json!(one)));
    }
    if seen.is_empty() {
        print::remark(if all {
            "no pattern of agents is known"
        } else {
            "no pattern goes on; --all for those that are over"
        });
        return Ok(());
    }
    let cells = |seen: &Seen| {
        let one = &seen.picture;
        vec![
            print::one_line(&one.name, 32),
            one.kind.clone(),
            seen.whose(),
            print::one_line(&one.state, 16),
            print::time(one.at),
            print::one_line(&one.headline, 80),
        ]
    };
    let rows: Vec<_> = seen.iter().map(cells).collect();
    print::table(&["NAME", "KIND", "SESSION", "STATE", "SINCE", "STANDING"], &rows, world.color)
}

/// A pattern as it stands, here or with somebody else of the team.
#[derive(Debug, serde::Serialize)]
struct Seen {
    /// Whose, if it is on another machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(flatten)]
    picture: Picture,
}

impl Seen {
    fn whose(&self) -> String {
        let by = self.by.as_deref().map(|by| format!("{} ", print::one_line(by, 40))).unwrap_or_default();
        format!("{by}{}", short(&self.picture))
    }
}

/// What others have told, newest first.
fn elsewhere(tables: &Tables) -> anyhow::Result<Vec<Seen>> {
    let told = tables.patterns_elsewhere(LIMIT).map_err(person)?;
    let seen = |(by, told): (store::shared::Author, store::shared::SharedPattern)| {
        let picture = picture(&row_elsewhere(&told)?, when::now())?;
        Some(Seen { by: Some(by.user), picture })
    };
    Ok(told.into_iter().filter_map(seen).collect())
}

/// By its id or its name, of one session or of any: the one that goes on, else the newest.
fn named_elsewhere(tables: &Tables, id: &str, session: Option<&str>) -> anyhow::Result<Option<Seen>> {
    let mut seen = elsewhere(tables)?;
    seen.retain(|one| {
        let of = session.is_none_or(|session| one.picture.session.as_str().starts_with(session));
        of && (one.picture.id == id || one.picture.name == id)
    });
    seen.sort_by_key(|one| one.picture.ended_at.is_some());
    Ok(seen.into_iter().next())
}

fn show(seen: &Seen) -> anyhow::Result<()> {
    let whose = seen.whose();
    let seen = &seen.picture;
    print::line(&format!("{} \"{}\" of session {whose}: {}", seen.kind, seen.name, seen.state))?;
    print::line(&format!("  {}", print::one_line(&seen.headline, 300)))?;
    for node in &seen.nodes {
        let says =
            node.says.as_deref().map(|says| format!(": {}", print::one_line(says, 160))).unwrap_or_default();
        print::line(&format!("  {:<10} {}{says}", node.state, print::one_line(&node.label, 60)))?;
    }
    seen.due.iter().try_for_each(|tag| print::line(&format!("  due: {tag}")))
}

fn short(seen: &Picture) -> String {
    print::one_line(&seen.session.as_str().chars().take(SESSION_CHARS).collect::<String>(), SESSION_CHARS)
}

/// By its whole id, or by its name: the one that goes on, else the newest. A name that several have is nobody's.
fn named(tables: &Tables, id: &str, session: Option<&str>) -> anyhow::Result<Option<PatternRow>> {
    if let Some(row) = tables.pattern(id).map_err(person)? {
        return Ok(Some(row));
    }
    let session = match session {
        // A session of somebody else's is not in our tables.
        Some(id) => match tables.session(reader::as_copied(id)).map_err(person)? {
            Some(row) => Some(row.id),
            None => return Ok(None),
        },
        None => None,
    };
    let filter = PatternFilter { session: session.as_ref(), name: Some(id), ..PatternFilter::default() };
    let mut rows = tables.patterns(&filter).map_err(person)?;
    if rows.iter().any(|row| !is_over(row)) {
        rows.retain(|row| !is_over(row));
    }
    // Of one session and kind they are one after the other.
    let mut seen = BTreeSet::new();
    rows.retain(|row| seen.insert((row.session.as_str().to_owned(), row.kind.clone())));
    if rows.len() > 1 {
        return Err(ambiguous(id, &rows));
    }
    Ok(rows.pop())
}

/// Also where nobody has answered in time and nothing happened since.
fn is_over(row: &PatternRow) -> bool {
    row.ended_at.is_some() || picture(row, when::now()).is_none_or(|seen| seen.ended_at.is_some())
}

fn ambiguous(id: &str, rows: &[PatternRow]) -> anyhow::Error {
    let one = |row: &PatternRow| {
        let state = if is_over(row) { "over" } else { "goes on" };
        let session = print::one_line(row.session.as_str(), MAX_SESSION_CHARS);
        format!("\n  {} of session {session}, since {}, {state}", row.kind, print::time(row.at))
    };
    let mut each: String = rows.iter().take(MAX_NAMED).map(one).collect();
    if rows.len() > MAX_NAMED {
        each.push_str(&format!("\n  and {} more", rows.len() - MAX_NAMED));
    }
    let what = format!("{} patterns are called \"{}\":{each}", rows.len(), print::one_line(id, 60));
    let sessions: BTreeSet<&str> = rows.iter().map(|row| row.session.as_str()).collect();
    let how = match sessions.len() {
        1 => "name it by its id, which `throughline pattern list --all --json` shows",
        _ => "say which with `--session ID`",
    };
    hint(Failure::Person, what, how)
}

fn nobody(id: &str) -> anyhow::Error {
    let what = format!("there is no pattern \"{}\"", print::one_line(id, 60));
    hint(Failure::Person, what, "`throughline pattern list --all` shows those there are")
}

/// What an agent's part is called, for a list of agents.
pub(super) fn part_of(pattern: &Pattern, agent: &str) -> Option<(String, String)> {
    let part = pattern.parts.iter().find(|part| part.agent.as_deref() == Some(agent))?;
    Some((pattern.title(), pattern.view(when::now()).label(&part.slot)))
}
