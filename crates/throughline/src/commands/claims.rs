//! Who works on which file: listed, taken, given back.

use std::path::Path;

use clap::{Args, Subcommand};
use mcp::Claiming;
use model::{Deed, SessionId};
use serde_json::{Value, json};
use store::shared::{Author, SharedClaim};
use store::{ClaimFilter, ClaimRow, Tables};

use super::{at_work, live, reader, remember};
use crate::report::{Failure, hint, person};
use crate::world::World;
use crate::{print, when};

/// Files in one call; who claims more claims a folder, and that is what branches are for.
const MAX_FILES: usize = 200;
/// Of what somebody says they do.
const MAX_NOTE_CHARS: usize = 300;
/// Enough of a session's id to name it.
const SESSION_CHARS: usize = 8;

#[derive(Debug, Args)]
pub(crate) struct Claims {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Files that sessions at work hold, last used first
    #[command(
        after_help = "A session that edits a file holds it until its end, until it is given back, or for half an \
                            hour after its last edit."
    )]
    List {
        /// Of all folders, not only of this project
        #[arg(long)]
        all: bool,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// Hold files for a session before it edits them
    #[command(
        after_help = "Example: throughline claims take src/parser.rs --note \"porting it to the new grammar\""
    )]
    Take {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
        /// What the session does with them
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
        /// For this session [default: the one that runs this, else the only one at work here]
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
    /// Give files back, or all that a session holds
    #[command(after_help = "Example: throughline claims release src/parser.rs")]
    Release {
        /// Whoever holds them
        #[arg(required_unless_present = "session", value_name = "FILE")]
        files: Vec<String>,
        /// Only what this session holds
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
}

impl Claims {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        match &self.command {
            Command::List { all, json } => list(world, *all, *json),
            Command::Take { files, note, session } => {
                let taken = take(world, session.as_deref(), files, note.as_deref())?;
                print::line(&format!(
                    "session {} holds {}",
                    id(&taken.session),
                    files_of(taken.files.len())
                ))?;
                taken.others.iter().try_for_each(|row| {
                    let (path, goal) = (print::one_line(&row.path, 300), row.goal.as_deref().unwrap_or("-"));
                    let goal = print::one_line(goal, 60);
                    print::line(&format!(
                        "  {path} is held by session {}, too, for: {goal}",
                        id(&row.session)
                    ))
                })
            }
            Command::Release { files, session } => {
                let gone = release(world, session.as_deref(), files)?;
                match gone {
                    0 => print::line("nobody held that"),
                    gone => {
                        let claims = print::count(gone as u64, "claim", "claims");
                        print::line(&format!("{claims} given back"))
                    }
                }
            }
        }
    }
}

/// As much of a session's name as the commands that take one need.
fn id(session: &SessionId) -> String {
    print::one_line(&session.as_str().chars().take(SESSION_CHARS).collect::<String>(), SESSION_CHARS)
}

fn files_of(count: usize) -> String {
    print::count(count as u64, "file", "files")
}

fn list(world: &World, all: bool, json: bool) -> anyhow::Result<()> {
    let rows = held(world, all)?;
    let elsewhere = held_elsewhere(world, all)?;
    if json {
        rows.iter().try_for_each(|row| print::json(&json!(row)))?;
        return elsewhere.iter().try_for_each(|(by, claim)| print::json(&shared_json(by, claim)));
    }
    if rows.is_empty() && elsewhere.is_empty() {
        print::remark(if all {
            "no session at work holds a file"
        } else {
            "no session at work holds a file here; --all for other folders"
        });
        return Ok(());
    }
    let root = daemon::resolve_workspace(&world.cwd).root;
    let cells = |row: &ClaimRow| {
        let inside = Path::new(&row.path).strip_prefix(&root).ok().and_then(Path::to_str);
        vec![
            print::one_line(inside.filter(|_| !all).unwrap_or(&row.path), 60),
            id(&row.session),
            print::one_line(&row.agent, 16),
            print::one_line(row.branch.as_deref().unwrap_or("-"), 24),
            print::time(row.since_at),
            print::time(row.last_at),
            engine::line_words(&row.lines).unwrap_or_else(|| "-".to_owned()),
            print::one_line(row.goal.as_deref().unwrap_or("-"), 60),
        ]
    };
    let rows: Vec<_> = rows.iter().map(cells).collect();
    if !rows.is_empty() {
        print::table(
            &["FILE", "SESSION", "AGENT", "BRANCH", "SINCE", "LAST USED", "WHERE", "FOR"],
            &rows,
            world.color,
        )?;
    }
    if elsewhere.is_empty() {
        return Ok(());
    }
    print::line("on other machines of the team:")?;
    let rows: Vec<_> = elsewhere.iter().map(|(by, claim)| shared_cells(by, claim)).collect();
    print::table(
        &["FILE", "SESSION", "WHOSE", "BRANCH", "SINCE", "LAST USED", "WHERE", "FOR"],
        &rows,
        world.color,
    )
}

fn shared_cells(by: &Author, claim: &SharedClaim) -> Vec<String> {
    vec![
        print::one_line(&claim.path, 60),
        id(&claim.session),
        print::one_line(&by.user, 24),
        print::one_line(claim.branch.as_deref().unwrap_or("-"), 24),
        print::time(claim.since_at),
        print::time(claim.last_at),
        engine::line_words(&claim.lines.into_iter().collect::<Vec<_>>()).unwrap_or_else(|| "-".to_owned()),
        print::one_line(claim.goal.as_deref().unwrap_or("-"), 60),
    ]
}

/// As a claim of this machine, but for its author and its path, which is the one within the repository.
fn shared_json(by: &Author, claim: &SharedClaim) -> Value {
    json!({
        "path": claim.path, "relative": claim.path, "session": claim.session, "author": by.user,
        "branch": claim.branch, "since_at": claim.since_at, "last_at": claim.last_at,
        "lines": claim.lines.into_iter().collect::<Vec<_>>(), "goal": claim.goal,
    })
}

/// What teammates hold on other machines, in this project or in all that are shared; last used first.
fn held_elsewhere(world: &World, all: bool) -> anyhow::Result<Vec<(Author, SharedClaim)>> {
    let tables = reader::tables(world)?;
    let here = daemon::resolve_workspace(&world.cwd);
    of_the_team(&tables, (!all).then_some(here.project_key.as_str()), when::now())
}

fn of_the_team(
    tables: &Tables,
    project_key: Option<&str>,
    now: u64,
) -> anyhow::Result<Vec<(Author, SharedClaim)>> {
    let projects = match project_key {
        Some(key) => tables.shared_project_of(key).map_err(person)?.into_iter().collect(),
        None => tables.shared_projects().map_err(person)?,
    };
    let mut found = Vec::new();
    for project in projects {
        let since = now.saturating_sub(engine::CLAIM_LEASE);
        found.extend(tables.team_claims(&project, None, since).map_err(person)?);
    }
    found.sort_by_key(|(_, claim)| std::cmp::Reverse(claim.last_at));
    Ok(found)
}

/// What is held now by sessions whose process lives, in this workspace or everywhere.
pub(crate) fn held(world: &World, all: bool) -> anyhow::Result<Vec<ClaimRow>> {
    let (here, now) = (daemon::resolve_workspace(&world.cwd), when::now());
    let filter = ClaimFilter {
        below: (!all).then_some(here.root.as_str()),
        since: now.saturating_sub(engine::CLAIM_LEASE),
        until: now.saturating_add(engine::CLAIM_LEASE),
        ..ClaimFilter::default()
    };
    let mut rows = reader::tables(world)?.claims(&filter).map_err(person)?;
    rows.retain(|row| live::holds(row, now));
    Ok(rows)
}

/// What came of taking files.
pub(crate) struct Taken {
    session: SessionId,
    /// As claims know them.
    files: Vec<String>,
    /// Who holds some of them as well. A claim forbids nothing, and who takes one wants to know.
    others: Vec<ClaimRow>,
}

pub(crate) fn take(
    world: &World,
    session: Option<&str>,
    files: &[String],
    note: Option<&str>,
) -> anyhow::Result<Taken> {
    let tables = reader::tables(world)?;
    let session = at_work::named_or_found(world, &tables, session)?;
    still_at_work(&tables, &session)?;
    let files = paths(world, files)?;
    if let Some(folder) = files.iter().find(|file| Path::new(file).is_dir()) {
        let what = format!("{} is a folder", print::one_line(folder, 300));
        return Err(hint(Failure::Person, what, "name the files in it that the session is going to edit"));
    }
    let note = note.map(|note| remember::clean(world, note.trim())).transpose()?;
    if note.as_ref().is_some_and(|note| note.chars().count() > MAX_NOTE_CHARS) {
        let what = format!("a note has at most {MAX_NOTE_CHARS} characters");
        return Err(hint(Failure::Person, what, "say it in a sentence"));
    }
    reader::send(world, &[Deed::Claim { session: session.clone(), files: files.clone(), note }])?;
    let mut others = held(world, true)?;
    others.retain(|row| row.session != session && files.contains(&row.path));
    Ok(Taken { session, files, others })
}

/// Only who can edit a file holds one.
fn still_at_work(tables: &Tables, session: &SessionId) -> anyhow::Result<()> {
    let row = reader::session(tables, session.as_str())?;
    if live::is_live(&row, when::now()) {
        return Ok(());
    }
    let why = match &row.end_reason {
        Some(reason) => format!("has ended ({})", print::one_line(reason, 30)),
        None => format!("is gone; it was last seen {}", print::time(row.last_seen_at)),
    };
    let what = format!("session {} {why} and holds nothing any more", id(session));
    Err(hint(Failure::Person, what, "`throughline sessions --live` lists who is at work"))
}

/// How many claims that were.
pub(crate) fn release(world: &World, session: Option<&str>, files: &[String]) -> anyhow::Result<usize> {
    let tables = reader::tables(world)?;
    let session = session.map(|id| reader::session(&tables, id)).transpose()?.map(|row| row.id);
    let by_name: Vec<String> =
        files.iter().filter_map(|file| engine::claimed_path(Some(&world.cwd), file)).collect();
    let mut files = paths(world, files)?;
    // What a link led to when it was claimed may be elsewhere by now.
    for by_name in by_name {
        if !files.contains(&by_name) {
            files.push(by_name);
        }
    }
    let filter = ClaimFilter { session: session.as_ref(), ..ClaimFilter::default() };
    let held = tables.claims(&filter).map_err(person)?;
    let gone = held.iter().filter(|row| files.is_empty() || files.contains(&row.path)).count();
    if gone > 0 {
        reader::send(world, &[Deed::Release { session, files }])?;
    }
    Ok(gone)
}

/// For tools: what the subcommand of the same meaning does.
pub(crate) fn to_json(world: &World, wish: Claiming) -> anyhow::Result<Value> {
    match wish {
        Claiming::List { all } => {
            let mut rows: Vec<Value> = held(world, all)?.iter().map(|row| json!(row)).collect();
            rows.extend(held_elsewhere(world, all)?.iter().map(|(by, claim)| shared_json(by, claim)));
            Ok(Value::Array(rows))
        }
        Claiming::Take { session, files, note } => {
            let Taken { session, files, others } = take(world, session.as_deref(), &files, note.as_deref())?;
            Ok(json!({ "session": session, "holds": files, "held_by_others": others }))
        }
        // A person may give back what anybody holds; an agent what its own session does, or one it names.
        Claiming::Release { session, files } => {
            let session = at_work::named_or_found(world, &reader::tables(world)?, session.as_deref())?;
            Ok(json!({ "released": release(world, Some(session.as_str()), &files)? }))
        }
    }
}

fn paths(world: &World, files: &[String]) -> anyhow::Result<Vec<String>> {
    if files.len() > MAX_FILES {
        let what = format!("{} files are too many at once", files.len());
        return Err(hint(Failure::Person, what, format!("name at most {MAX_FILES}")));
    }
    let path = |file: &String| {
        engine::real_path(Some(&world.cwd), file).ok_or_else(|| {
            let what = format!("\"{}\" is no path", print::one_line(file, 80));
            hint(Failure::Person, what, "name a file")
        })
    };
    files.iter().map(path).collect()
}

#[cfg(test)]
mod tests {
    use store::shared::{Change, SharedProject, SharedSession};

    use super::*;

    #[test]
    fn what_teammates_hold_is_listed_with_whose_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut tables = Tables::open(&folder.path().join("derived.db")).unwrap();
        let by = Author { user: "ana".into(), machine: "m".into() };
        let project = SharedProject("c0ffee".into());
        let session = SharedSession {
            project: project.clone(),
            id: SessionId::new("anas-session"),
            agent: "claude-code".into(),
            branch: Some("cart".into()),
            goal: None,
            started_at: 1,
            seen_at: 1,
            ended_at: None,
        };
        let claim = SharedClaim {
            project: project.clone(),
            session: SessionId::new("anas-session"),
            path: "src/cart.rs".into(),
            branch: Some("cart".into()),
            since_at: 1_000,
            last_at: 2_000,
            lines: Some((3, 9)),
            goal: Some("expire carts".into()),
        };
        let redactor = redact::Redactor::new(redact::Settings::default()).unwrap();
        tables
            .write(|batch| {
                batch.share_projects("me", std::slice::from_ref(&project))?;
                batch.upsert_project("here", "shop", Some("c0ffee"))?;
                [Change::Session(session), Change::Claim(claim)]
                    .iter()
                    .try_for_each(|told| engine::sharing::take_in(batch, &redactor, &by, told))
            })
            .unwrap();
        for key in [Some("here"), None] {
            let found = of_the_team(&tables, key, 3_000).unwrap();
            assert_eq!(found.len(), 1, "{key:?}");
            let (by, claim) = &found[0];
            let cells = shared_cells(by, claim);
            assert_eq!(cells[..4], ["src/cart.rs", "anas-ses", "ana", "cart"]);
            assert_eq!(cells[6..], ["lines 3-9", "expire carts"]);
            let json = shared_json(by, claim);
            assert_eq!((&json["author"], &json["lines"]), (&json!("ana"), &json!([[3, 9]])));
        }
        assert!(of_the_team(&tables, Some("elsewhere"), 3_000).unwrap().is_empty(), "another project");
        assert!(of_the_team(&tables, None, engine::CLAIM_LEASE * 2).unwrap().is_empty(), "long over");
    }
}
