//! Takes in what others have kept. What is here already is not taken in twice.

use std::collections::HashSet;
use std::path::Path;

use ::import::{Effect, Imported, Options, Problem, Record, Source};
use clap::Args;
use model::{Deed, Memory, MemoryId, SessionId};
use redact::Redactor;
use serde::Serialize;
use serde_json::{Value, json};
use store::{StoreError, Tables};

use super::exported::{self, Incoming};
use super::{lines, reader};
use crate::report::{Failure, hint, person};
use crate::world::World;
use crate::{config, print, progress};

/// Deeds in one question, and their bytes: the daemon takes no more of the one, and the other passes the socket.
const BATCH: usize = 1000;
const BATCH_BYTES: usize = 4 << 20;
/// Problems a person reads; `--json` has more.
const SHOWN: usize = 20;
/// A file in which every line is wrong says nothing new after so many.
const MAX_PROBLEMS: usize = 10_000;
/// Sessions of another tool that are taken in once; beyond them, one that is named again is sent again.
const MAX_SESSIONS: usize = 1_000_000;

const _: () =
    assert!(::import::MAX_TEXT_BYTES == engine::memory::MAX_TEXT, "what is cut is cut and told in one place");

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  throughline import --jsonl notes.jsonl        lines {id, text, ts, session, project, kind}; only text is needed
  throughline import --from claude-mem ~/.claude-mem/claude-mem.db
  throughline import --from memory-md ./notes --project website
  throughline import --jsonl wiki.jsonl --label wiki    a changed text under a known id replaces the earlier one")]
pub(crate) struct Import {
    /// JSON lines, plain or .gz; `-` is stdin
    #[arg(long, value_name = "FILE", required_unless_present = "from", conflicts_with_all = ["from", "path"])]
    jsonl: Option<String>,
    /// What another tool has kept
    #[arg(long, requires = "path", value_parser = ["claude-mem", "mindstone", "memory-md"])]
    from: Option<String>,
    /// Where it is: claude-mem's database, the folder of the others
    #[arg(requires = "from")]
    path: Option<String>,
    /// The project of what names none
    #[arg(long)]
    project: Option<String>,
    /// The collection's name: in it an id is one document, and a changed text replaces the earlier one
    #[arg(long, value_name = "NAME")]
    label: Option<String>,
    /// One JSON object with the counts and the problems
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Default, Serialize)]
struct Counts {
    read: u64,
    added: u64,
    /// Here already under the same id, and now saying something else.
    changed: u64,
    unchanged: u64,
    /// Another memory says the same, or a person wanted it gone.
    left_out: u64,
    /// Sessions another tool had seen, and how many of them were not known here.
    sessions: u64,
    sessions_added: u64,
    problems: u64,
}

impl Import {
    pub(crate) fn run(&self, world: &World) -> anyhow::Result<()> {
        let source = self.open()?;
        let mut taking = Taking::begin(world, source.estimate)?;
        for item in source.items {
            taking.take(item)?;
        }
        let (counts, problems) = taking.end()?;
        // Not one record, and the reason is the file itself: that is an error and not a count.
        if let [Problem { effect: Effect::Stopped, .. }] = &problems[..]
            && counts.read == 0
        {
            return Err(unreadable(&problems[0]));
        }
        if self.json {
            let mut answer = json!(counts);
            answer["problems"] = problems.iter().map(told).collect();
            return print::json(&answer);
        }
        print::line(&counts.sentence())?;
        for problem in problems.iter().take(SHOWN) {
            let effect = match problem.effect {
                Effect::Shortened => "shortened",
                Effect::Undated => "kept without a time",
                Effect::LeftOut => "left out",
                Effect::Lost => "not read",
                Effect::Stopped => "stopped here",
            };
            print::line(&format!("  {}: {effect}", print::one_line(&problem.to_string(), 300)))?;
        }
        if counts.problems > SHOWN as u64 {
            print::line(&format!("  and {} more; --json lists them", counts.problems - SHOWN as u64))?;
        }
        Ok(())
    }

    fn open(&self) -> anyhow::Result<Records> {
        let options = Options { label: self.label.clone(), project: self.project.clone() };
        let (source, path) = match (&self.from, &self.path, &self.jsonl) {
            (Some(from), Some(path), _) => {
                (Source::from_name(from).expect("clap lets only known names pass"), path)
            }
            (_, _, Some(file)) => return open_jsonl(file, &options),
            _ => {
                return Err(hint(
                    Failure::Usage,
                    "there is nothing to import",
                    "see `throughline import --help`",
                ));
            }
        };
        let reader = source.read(Path::new(path), &options);
        Ok(Records::of(reader.estimate(), reader))
    }
}

struct Records {
    estimate: u64,
    items: Box<dyn Iterator<Item = Result<Incoming, Problem>>>,
}

impl Records {
    fn of(estimate: u64, records: impl Iterator<Item = Result<Record, Problem>> + 'static) -> Self {
        Self { estimate, items: Box::new(records.map(|item| item.map(Incoming::from))) }
    }
}

fn open_jsonl(file: &str, options: &Options) -> anyhow::Result<Records> {
    let mut lines = lines::open(file)?;
    let buffered = lines.fill_buf().map_err(|error| lines::unreadable(file, &error))?;
    let first = buffered.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if exported::is_ours(first) {
        return Ok(Records { estimate: 0, items: Box::new(exported::read(lines, file.to_owned())) });
    }
    let path = Path::new(file);
    if file == "-" {
        return Ok(Records::of(0, ::import::read_jsonl(lines, options)));
    }
    if path.extension().is_none_or(|ending| ending != "gz") {
        let reader = Source::Jsonl.read(path, options);
        return Ok(Records::of(reader.estimate(), reader));
    }
    let place = file.to_owned();
    let reader = ::import::read_jsonl(lines, options);
    let items = reader.map(move |item| match item {
        Ok(record) => Ok(in_file(record, &place)),
        Err(problem) => Err(Problem { place: renamed(&problem.place, &place), ..problem }),
    });
    Ok(Records::of(0, items))
}

/// A file of which nothing can be read. Most reasons end with their own next step.
fn unreadable(problem: &Problem) -> anyhow::Error {
    // Some reasons name the file themselves.
    let what =
        if problem.what.starts_with(&problem.place) { problem.what.clone() } else { problem.to_string() };
    match what.split_once("; ") {
        Some((what, next)) => hint(Failure::Person, what, next),
        None => hint(Failure::Person, what, "name a file that `throughline import --help` knows"),
    }
}

/// What is unpacked comes through a pipe; the reader does not know the file behind it.
fn renamed(place: &str, file: &str) -> String {
    place.replacen("standard input", file, 1)
}

fn in_file(mut record: Record, file: &str) -> Record {
    let memory = match &mut record {
        Record::Session(_) => return record,
        Record::Prompt(prompt) => &mut prompt.memory,
        Record::Memory(imported) => &mut imported.memory,
    };
    let place = memory.provenance.place.take();
    memory.provenance.place = place.map(|place| renamed(&place, file));
    record
}

fn told(problem: &Problem) -> Value {
    let effect = match problem.effect {
        Effect::Shortened => "shortened",
        Effect::Undated => "undated",
        Effect::LeftOut => "left-out",
        Effect::Lost => "lost",
        Effect::Stopped => "stopped",
    };
    json!({ "place": problem.place, "what": problem.what, "effect": effect })
}

/// An import under way: records on their way to the daemon.
struct Taking<'a> {
    world: &'a World,
    tables: Tables,
    redactor: Redactor,
    waiting: Vec<Deed>,
    /// Said when all of them are here.
    superseded: Vec<Deed>,
    bytes: usize,
    /// Of another tool.
    sessions: HashSet<SessionId>,
    counts: Counts,
    problems: Vec<Problem>,
    bar: indicatif::ProgressBar,
}

impl<'a> Taking<'a> {
    fn begin(world: &'a World, estimate: u64) -> anyhow::Result<Self> {
        reader::start(world)?;
        let redactor = Redactor::new(config::redaction(&world.place)).map_err(person)?;
        Ok(Self {
            world,
            tables: reader::tables(world)?,
            redactor,
            waiting: Vec::new(),
            superseded: Vec::new(),
            bytes: 0,
            sessions: HashSet::new(),
            counts: Counts::default(),
            problems: Vec::new(),
            bar: progress::items("importing", estimate),
        })
    }

    fn take(&mut self, item: Result<Incoming, Problem>) -> anyhow::Result<()> {
        self.bar.inc(1);
        let Incoming { record, superseded_by } = match item {
            Ok(incoming) => incoming,
            Err(problem) => {
                self.tell(problem);
                return Ok(());
            }
        };
        let imported = match record {
            Record::Session(session) => return self.take_session(session),
            Record::Prompt(prompt) => {
                Imported { memory: prompt.memory, hits: 0, prevented: 0, last_applied_at: None }
            }
            Record::Memory(imported) => *imported,
        };
        self.counts.read += 1;
        let Imported { mut memory, hits, prevented, last_applied_at } = imported;
        if memory.at > ::import::LATEST {
            memory.at = 0;
            let what = "has no time between 1970 and 2200".to_owned();
            self.tell(Problem { place: memory.id.to_string(), what, effect: Effect::Undated });
        }
        match self.tables.memory(&memory.id.to_string()).map_err(person)? {
            Some(row) if self.says_the_same(&row.memory, &memory) => {
                self.counts.unchanged += 1;
                return Ok(());
            }
            Some(_) => self.counts.changed += 1,
            None => {}
        }
        self.superseded.extend(superseded_by.map(|newer| Deed::Supersede { older: memory.id, newer }));
        self.bytes += memory.text.len() + memory.title.len();
        let memory = Box::new(memory);
        self.wait(Deed::Import { memory, hits, prevented, last_applied_at })
    }

    /// One that our own hooks have heard, or that is here from an earlier import, stays as it is known.
    fn take_session(&mut self, session: ::import::Session) -> anyhow::Result<()> {
        let ::import::Session { id, agent, project, title: _, started_at, ended_at } = session;
        if id.as_str().is_empty() || self.sessions.contains(&id) {
            return Ok(());
        }
        self.counts.sessions += 1;
        if self.sessions.len() < MAX_SESSIONS {
            self.sessions.insert(id.clone());
        }
        let known = self.tables.session(id.as_str()).or_else(|error| match error {
            StoreError::Ambiguous(_) => Ok(None),
            other => Err(person(other)),
        })?;
        if known.is_some_and(|row| row.id == id) {
            return Ok(());
        }
        self.counts.sessions_added += 1;
        let started_at = started_at.or(ended_at).unwrap_or_default();
        // The other tool may have missed its end; here it is over either way.
        let ended_at = ended_at.unwrap_or(started_at);
        self.wait(Deed::Session { id, agent, project, started_at, ended_at })
    }

    fn wait(&mut self, deed: Deed) -> anyhow::Result<()> {
        self.waiting.push(deed);
        if self.waiting.len() == BATCH || self.bytes >= BATCH_BYTES {
            self.send()?;
        }
        Ok(())
    }

    fn tell(&mut self, problem: Problem) {
        self.counts.problems += 1;
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// As it was kept: redacted and bounded.
    fn says_the_same(&self, kept: &Memory, given: &Memory) -> bool {
        let same = |kept: &str, given: &str| {
            let clean = self.redactor.bytes(given.as_bytes()).bytes;
            let clean = String::from_utf8_lossy(&clean);
            let kept = kept.strip_suffix('…').unwrap_or(kept);
            clean.trim() == kept.trim() || (clean.len() > kept.len() && clean.trim_start().starts_with(kept))
        };
        kept.kind == given.kind && same(&kept.title, &given.title) && same(&kept.text, &given.text)
    }

    fn send(&mut self) -> anyhow::Result<()> {
        let deeds = std::mem::take(&mut self.waiting);
        self.bytes = 0;
        let before = self.known(&deeds)?;
        reader::send(self.world, &deeds)?;
        let after = self.known(&deeds)?;
        self.counts.added += after - before;
        let memories = deeds.iter().filter(|deed| matches!(deed, Deed::Import { .. })).count();
        self.counts.left_out += memories as u64 - after;
        Ok(())
    }

    fn known(&self, deeds: &[Deed]) -> anyhow::Result<u64> {
        let mut ids: Vec<MemoryId> = deeds
            .iter()
            .filter_map(|deed| match deed {
                Deed::Import { memory, .. } => Some(memory.id),
                _ => None,
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let mut known = 0;
        for id in ids {
            known += u64::from(self.tables.memory(&id.to_string()).map_err(person)?.is_some());
        }
        Ok(known)
    }

    fn end(mut self) -> anyhow::Result<(Counts, Vec<Problem>)> {
        if !self.waiting.is_empty() {
            self.send()?;
        }
        for some in self.superseded.chunks(BATCH) {
            reader::send(self.world, some)?;
        }
        self.bar.finish_and_clear();
        Ok((self.counts, self.problems))
    }
}

impl Counts {
    fn sentence(&self) -> String {
        let mut parts = vec![format!("{} added", print::count(self.added, "memory", "memories"))];
        for (number, what) in [
            (self.changed, "changed"),
            (self.unchanged, "here already"),
            (self.left_out, "left out, said by another or forgotten"),
        ] {
            if number > 0 {
                parts.push(format!("{number} {what}"));
            }
        }
        if self.problems > 0 {
            parts.push(print::count(self.problems, "problem", "problems"));
        }
        let mut sentence = parts.join(", ");
        if self.sessions > 0 {
            let added = print::count(self.sessions_added, "session", "sessions");
            let known = self.sessions - self.sessions_added;
            let known = if known > 0 { format!(", {known} here already") } else { String::new() };
            sentence.push_str(&format!("\n{added} added{known}"));
        }
        sentence
    }
}
