//! Makes a checkpoint, and says of each part whether it was kept.

use std::path::Path;
use std::time::{Duration, Instant};

use checkpoint::{AUTOMATIC, KEEP, Limits, New, Repository, Snapshot};
use clap::Args;
use model::{Deed, HandOff, SessionId};
use serde_json::{Value, json};

use super::super::at_work::{self, AtWork};
use super::super::{reader, remember};
use crate::report::person;
use crate::world::World;
use crate::{print, when};

/// Paths in the record. The files themselves are all kept; a longer list tells nobody more.
const MAX_PATHS: usize = 500;
/// New memories are embedded within a second or two; after a long import it goes on without us.
const EMBEDDING: Duration = Duration::from_secs(20);
const ANSWER: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(50);
/// Names on one line; the rest is a number.
const NAMED: usize = 5;

#[derive(Debug, Args)]
#[command(after_help = "\
Keeps, in the repository under refs/throughline/checkpoints/, all files that git does not ignore, as they are: changed, \
staged and untracked ones. Your index, stash, branches and files are not touched. Files over 50 MB, submodules and \
repositories inside this one are left out and named. With it goes a record of the session and its hand-off; without a \
repository, the record alone. The newest 50 of a repository are kept, beside 50 automatic ones.

Example: throughline checkpoint create -m \"before the migration\"")]
pub(crate) struct Create {
    /// Why, or what comes next
    #[arg(long, short, value_name = "TEXT")]
    message: Option<String>,
    /// Of this session [default: the one that runs this, else the only one at work here]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

impl Create {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let made = make(world, self.message.as_deref(), self.session.as_deref())?;
        if self.json { print::json(&made.to_json()) } else { made.print() }
    }
}

pub(super) fn make(world: &World, message: Option<&str>, session: Option<&str>) -> anyhow::Result<Made> {
    let message = message.map(|text| remember::clean(world, text.trim())).transpose()?;
    let tables = reader::tables(world).ok();
    let place = daemon::resolve_workspace(&world.cwd);
    let session = match (session, &tables) {
        (Some(id), Some(tables)) => Some(reader::session_id(tables, id)?),
        (Some(id), None) => Some(SessionId::new(id)),
        (None, Some(tables)) => match at_work::find(tables, &place)? {
            AtWork::One(session) => Some(session),
            AtWork::Nobody | AtWork::Several(_) => None,
        },
        (None, None) => None,
    };
    let hand_off = match (&session, &tables) {
        (Some(session), Some(tables)) => tables.hand_off(session).map_err(person)?,
        _ => None,
    };
    let id = super::new_id();
    let at = when::now();
    let files = keep_files(
        &world.cwd,
        &New { id: &id, message: message.as_deref().unwrap_or_default(), at, limits: Limits::BY_HAND },
    )?;
    let record = model::Checkpoint {
        at,
        session,
        workspace: Some(place.key.clone()),
        project: Some(place.project.clone()),
        root: place.root.clone(),
        message,
        hand_off: hand_off
            .filter(|row| row.hand_off != HandOff::default())
            .map(|row| engine::hand_off_text(&row)),
        ..daemon::checkpoint_record(&id, files.snapshot())
    };
    let recorded = reader::send(world, &[Deed::Checkpoint { checkpoint: Box::new(record.clone()) }]);
    if let (Err(error), Files::None(_)) = (&recorded, &files) {
        // Neither the files nor the record: there is no checkpoint.
        return Err(person(format!("nothing was kept: {error}")));
    }
    let dropped = make_room(world, files.repository(), &record)?;
    let archived = recorded.is_ok().then(|| wait_for_archive(world, record.session.as_ref())).flatten();
    Ok(Made { record, files, recorded, dropped, archived, waiting: wait_for_embedding(world) })
}

/// What became of the files.
enum Files {
    Kept(Repository, Box<Snapshot>),
    None(&'static str),
}

impl Files {
    fn snapshot(&self) -> Option<&Snapshot> {
        match self {
            Self::Kept(_, snapshot) => Some(snapshot),
            Self::None(_) => None,
        }
    }

    fn repository(&self) -> Option<&Repository> {
        match self {
            Self::Kept(repository, _) => Some(repository),
            Self::None(_) => None,
        }
    }
}

fn keep_files(cwd: &Path, new: &New<'_>) -> anyhow::Result<Files> {
    match super::look(cwd)? {
        Err(why) => Ok(Files::None(why)),
        Ok(repository) => {
            let snapshot = repository.create(new).map_err(super::explain)?;
            Ok(Files::Kept(repository, Box::new(snapshot)))
        }
    }
}

/// The newest stay, of the refs and of the records. The ids of those that went.
fn make_room(
    world: &World,
    repository: Option<&Repository>,
    record: &model::Checkpoint,
) -> anyhow::Result<Vec<String>> {
    let mut dropped = match repository {
        Some(repository) => repository.retain(KEEP, &record.id).map_err(super::explain)?,
        None => Vec::new(),
    };
    let tables = reader::tables(world).ok();
    let here = tables.map(|tables| tables.checkpoints(Some(&record.root), 0)).transpose().map_err(person)?;
    let by_hand = here.into_iter().flatten().filter(|record| !record.id.starts_with(AUTOMATIC));
    dropped.extend(by_hand.skip(KEEP).map(|record| record.id));
    dropped.sort();
    dropped.dedup();
    if !dropped.is_empty()
        && let Err(error) = reader::send(world, &[Deed::DropCheckpoints { ids: dropped.clone() }])
    {
        // They are offered again the next time.
        print::remark(&format!("records of dropped checkpoints stay: {error}"));
    }
    Ok(dropped)
}

/// Whether the conversation so far is archived, after a while. `None`: there is none, or nobody could say.
fn wait_for_archive(world: &World, session: Option<&SessionId>) -> Option<bool> {
    let session = session?;
    let tables = reader::tables(world).ok()?;
    tables.session(session.as_str()).ok()??.transcript?;
    let until = Instant::now() + EMBEDDING;
    loop {
        let is_due = tables.state(session, store::ARCHIVE_DUE).ok()?.is_some();
        if !is_due || Instant::now() >= until {
            return Some(!is_due);
        }
        std::thread::sleep(LOOK);
    }
}

/// Memories that have no vector yet, after a while. `None`: nobody could say.
fn wait_for_embedding(world: &World) -> Option<u64> {
    let until = Instant::now() + EMBEDDING;
    loop {
        let state = reader::control(world, &json!({ "ask": "model" }), Instant::now() + ANSWER).ok()?;
        let waiting = state["waiting"].as_u64()?;
        let goes_on = state["paused"] != true && state["trouble"].is_null();
        if waiting == 0 || !goes_on || Instant::now() >= until {
            return Some(waiting);
        }
        std::thread::sleep(LOOK);
    }
}

pub(super) struct Made {
    record: model::Checkpoint,
    files: Files,
    recorded: anyhow::Result<Value>,
    dropped: Vec<String>,
    archived: Option<bool>,
    waiting: Option<u64>,
}

impl Made {
    pub(super) fn to_json(&self) -> Value {
        let mut value = json!(self.record);
        value["recorded"] = json!(self.recorded.is_ok());
        value["dropped"] = json!(self.dropped);
        value["transcript_archived"] = json!(self.archived);
        value["unembedded"] = json!(self.waiting);
        match &self.files {
            Files::None(why) => value["no_files"] = json!(why),
            Files::Kept(_, snapshot) => {
                let state = |file: &checkpoint::DirtyFile| json!({ "path": file.path.to_string_lossy(), "state": file.state.name(), "staged": file.staged });
                value["changed"] = snapshot.dirty.iter().take(MAX_PATHS).map(state).collect();
                value["commit"] = json!(snapshot.commit);
                let left = snapshot.repositories.iter();
                value["left_alone"] = left.map(|path| path.to_string_lossy().into_owned()).collect();
            }
        }
        value
    }

    fn print(&self) -> anyhow::Result<()> {
        print::line(&self.record.id)?;
        for (name, said) in self.parts() {
            print::line(&format!("{name:<11}{said}"))?;
        }
        Ok(())
    }

    fn parts(&self) -> Vec<(&'static str, String)> {
        let mut parts = Vec::new();
        match &self.files {
            Files::None(why) => parts.push(("files", format!("not kept: {why}"))),
            Files::Kept(_, snapshot) => {
                let changed = print::count(snapshot.dirty.len() as u64, "change", "changes");
                let reference = &snapshot.reference;
                parts.push(("files", format!("kept, with {changed} since the last commit: {reference}")));
                let skipped = snapshot.skipped.iter();
                let skipped: Vec<String> =
                    skipped.map(|file| format!("{} ({})", file.path.display(), file.why.name())).collect();
                let left: Vec<String> =
                    snapshot.repositories.iter().map(|path| path.display().to_string()).collect();
                if !skipped.is_empty() {
                    parts.push(("not kept", named(&skipped)));
                }
                if !left.is_empty() {
                    parts.push(("left alone", format!("{} (repositories of their own)", named(&left))));
                }
            }
        }
        parts.push(match &self.recorded {
            Ok(_) => ("record", "kept".to_owned()),
            Err(error) => ("record", format!("not kept: {error}")),
        });
        parts.push(match (&self.record.session, &self.record.hand_off, &self.recorded) {
            (_, Some(_), Ok(_)) => ("hand-off", "kept with it".to_owned()),
            (_, Some(_), Err(_)) => ("hand-off", "not kept".to_owned()),
            (Some(_), None, _) => ("hand-off", "none yet: `throughline handoff write` leaves one".to_owned()),
            (None, ..) => {
                ("hand-off", "none: no single session is at work here, `--session` names one".to_owned())
            }
        });
        match self.archived {
            Some(true) => parts.push(("transcript", "archived up to here".to_owned())),
            Some(false) => parts.push(("transcript", "is still being archived".to_owned())),
            None => {}
        }
        parts.push(match self.waiting {
            Some(0) => ("memories", "all findable by meaning".to_owned()),
            Some(waiting) => ("memories", format!("{waiting} are not yet findable by meaning")),
            None => ("memories", "no daemon says whether all are findable by meaning".to_owned()),
        });
        if !self.dropped.is_empty() {
            parts.push(("dropped", format!("{} (the newest {KEEP} are kept)", named(&self.dropped))));
        }
        parts
    }
}

/// Strangers' names, and not too many of them.
fn named(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| print::one_line(name, 80)).collect();
    let more = names.len().saturating_sub(NAMED);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
