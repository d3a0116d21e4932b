//! Takes memories away for good, after showing which: from the tables, the journal and the archive.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use clap::Args;
use model::{Deed, MemoryId, SessionId};
use serde_json::{Value, json};
use store::{MemoryFilter, MemoryRow, SessionRow, Tables};

use super::{reader, show};
use crate::print;
use crate::report::{Failure, hint, person};
use crate::world::World;

/// Lines of the list a person reads before they say yes.
const SHOWN: usize = 20;
/// Ids in one deed: a line of the journal stays readable.
const PER_DEED: usize = 500;
/// Every entry of a long session is overwritten meanwhile.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  throughline forget 0k3v7m2n 9qrs --session 8dcc5c1e
  throughline forget --missing-files      after many memory files were deleted on purpose")]
pub(crate) struct Forget {
    /// Memories: their ids, or unique beginnings of them
    #[arg(required_unless_present_any = ["sessions", "missing_files"], value_name = "ID")]
    ids: Vec<String>,
    /// Everything that was kept of this session; may be given several times
    #[arg(long = "session", value_name = "SESSION")]
    sessions: Vec<String>,
    /// The memories whose files are gone from the folder of memory files
    #[arg(long)]
    missing_files: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// One JSON object with the ids that are gone
    #[arg(long)]
    json: bool,
}

impl Forget {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let mut ids = self.ids.clone();
        if self.missing_files {
            ids.extend(missing_files(world)?);
        }
        let doomed = Doomed::find(&reader::tables(world)?, &ids, &self.sessions)?;
        if doomed.is_nothing() {
            if self.json {
                return print::json(&json!({ "forgotten": [], "sessions": [], "gone": true }));
            }
            let nothing =
                if self.missing_files { "no memory file is missing" } else { "nothing is kept of it" };
            return print::line(nothing);
        }
        if !self.yes && !doomed.is_confirmed(world.color)? {
            return print::line("nothing was forgotten");
        }
        let is_gone = doomed.forget(world)?;
        if self.json {
            let sessions: Vec<&SessionId> = doomed.sessions.iter().map(|session| &session.id).collect();
            return print::json(&json!({ "forgotten": doomed.ids(), "sessions": sessions, "gone": is_gone }));
        }
        print::line(&doomed.sentence())?;
        if !is_gone {
            print::remark("the last of its words leave the files in the background");
        }
        Ok(())
    }
}

/// Memories that are still here while their files are gone. Which those are the daemon knows alone.
fn missing_files(world: &World) -> anyhow::Result<Vec<String>> {
    let tables = reader::tables(world)?;
    let answer = reader::answer(world, &json!({ "ask": "missing-files" }), PATIENCE)?;
    let mut ids = Vec::new();
    for id in answer["missing"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if reader::find_memory(&tables, id)?.is_some() {
            ids.push(id.to_owned());
        }
    }
    Ok(ids)
}

/// Memories by their ids, without being asked. True when nothing in our files says them any more.
pub(crate) fn memories(world: &World, ids: &[String]) -> anyhow::Result<bool> {
    Doomed::find(&reader::tables(world)?, ids, &[])?.forget(world)
}

/// What is to go.
struct Doomed {
    memories: Vec<MemoryRow>,
    /// With their events, prompts and archives.
    sessions: Vec<SessionRow>,
}

impl Doomed {
    /// All or none: an id that names nothing is a mistake the person wants to hear of first.
    fn find(tables: &Tables, ids: &[String], named: &[String]) -> anyhow::Result<Self> {
        let mut memories = Vec::new();
        for id in ids {
            memories.push(reader::memory(tables, id)?);
        }
        let mut sessions: Vec<SessionRow> = Vec::new();
        for name in named {
            let id = reader::session_id(tables, name)?;
            let filter = MemoryFilter { session: Some(id.clone()), ..MemoryFilter::default() };
            memories.extend(tables.memories(&filter).map_err(person)?);
            sessions.extend(tables.session(id.as_str()).map_err(person)?);
        }
        memories.sort_by_key(|row| (row.memory.at, row.n));
        memories.dedup_by_key(|row| row.n);
        sessions.sort_by(|one, other| one.id.cmp(&other.id));
        sessions.dedup_by(|one, other| one.id == other.id);
        Ok(Self { memories, sessions })
    }

    fn is_nothing(&self) -> bool {
        self.memories.is_empty() && self.sessions.is_empty()
    }

    fn ids(&self) -> Vec<MemoryId> {
        self.memories.iter().map(|row| row.memory.id).collect()
    }

    /// True when nothing in our files says it any more; false when that is finished in the background.
    fn forget(&self, world: &World) -> anyhow::Result<bool> {
        let is_gone = |answer: &Value| answer["gone"] != false;
        let mut all_gone = true;
        for session in &self.sessions {
            let question = json!({ "ask": "forget-session", "session": session.id });
            all_gone &= is_gone(&reader::answer(world, &question, PATIENCE)?);
        }
        let of_sessions: Vec<&SessionId> = self.sessions.iter().map(|session| &session.id).collect();
        let rest = self
            .memories
            .iter()
            .filter(|row| row.memory.session.as_ref().is_none_or(|session| !of_sessions.contains(&session)));
        let ids: Vec<MemoryId> = rest.map(|row| row.memory.id).collect();
        if !ids.is_empty() {
            let deeds: Vec<Deed> =
                ids.chunks(PER_DEED).map(|some| Deed::Forget { ids: some.to_vec() }).collect();
            all_gone &= is_gone(&reader::send(world, &deeds)?);
        }
        Ok(all_gone)
    }

    fn sentence(&self) -> String {
        let memories = print::count(self.memories.len() as u64, "memory", "memories");
        match self.sessions.len() as u64 {
            0 => format!("{memories} forgotten"),
            sessions => format!(
                "{memories} forgotten, and all else that was kept of {}",
                print::count(sessions, "session", "sessions")
            ),
        }
    }

    fn is_confirmed(&self, color: bool) -> anyhow::Result<bool> {
        for row in self.memories.iter().take(SHOWN) {
            let memory = &row.memory;
            let title = print::bold(&print::one_line(&memory.title, 80), color);
            let when = show::time(memory.at);
            print::line(&format!("{}  {when:<19}  {:<9}  {title}", memory.id, memory.kind.name()))?;
        }
        if self.memories.len() > SHOWN {
            print::line(&format!("and {} more", self.memories.len() - SHOWN))?;
        }
        for session in &self.sessions {
            print::line(&format!(
                "session {}: {}, {}, its transcript",
                print::one_line(session.id.as_str(), 60),
                print::count(session.events, "event", "events"),
                print::count(session.prompts, "prompt", "prompts"),
            ))?;
        }
        if !io::stdin().is_terminal() {
            let next = "add --yes to forget without being asked";
            return Err(hint(Failure::Person, "there is no terminal to ask on", next));
        }
        let mut out = io::stdout().lock();
        out.write_all(b"Forget this for good? [y/N] ")?;
        out.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }
}
