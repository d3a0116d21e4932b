//! Takes conversations in as a backfill does, into a store that is thrown away: events of the past are redacted,
//! learned by every behavior that is on by default, and their talk is cut into pieces. Nothing here judges.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use agents::transcript::{
    Conversations, Ending, Growth, Line, PastEvent, Replay, ToolOutcome, What, chunks, events_of,
};
use agents::{Adapter, Incoming};
use engine::config::Config;
use engine::{Keep, hearers, learners};
use indicatif::ProgressBar;
use model::{Author, Context, Detail, Entry, EventId, EventKind, SessionId};
use redact::{Redactor, Settings};
use serde_json::{Value, json};
use store::{EventRow, Location, MemoryRow, StoreError, Tables};

use super::words::Spoken;
use crate::report::{Failure, hint, person};

/// Folders in folders beyond this are a loop.
const MAX_DEPTH: usize = 16;
/// A larger file is no conversation, or one that nobody reads.
const MAX_BYTES: u64 = 512 << 20;
/// Events learned in one transaction.
const BATCH: usize = 512;
/// A session has fewer memories.
const MAX_MEMORIES: usize = 100_000;
/// Records cut into pieces at once, as many as the daemon cuts.
const LINES: usize = 4000;
/// A shorter paragraph says too little to be missed ("Done.").
const MIN_PARAGRAPH_WORDS: usize = 6;
/// Before what a person typed when they refused a call.
const REFUSED: &str = "the user said:";
/// Tools whose results are the person's answers.
const ASKING: &[&str] = &["AskUserQuestion", "ExitPlanMode", "request_user_input"];

/// Everything that was taken in.
#[derive(Debug)]
pub(super) struct TakenIn {
    pub(super) sessions: BTreeMap<String, Session>,
    pub(super) bytes: u64,
}

/// One session: what was kept of it, and what was said in it.
#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) memories: Vec<MemoryRow>,
    /// What the person typed: prompts, words at a refused call, answers.
    pub(super) person: Spoken,
    /// The same with what machines put in a person's place: what a turn was asked for.
    pub(super) requests: Spoken,
    /// What the agent wrote on the main thread.
    pub(super) paragraphs: Vec<String>,
}

pub(super) fn take_in(folder: &str, bar: &ProgressBar) -> anyhow::Result<TakenIn> {
    let files = conversation_files(folder)?;
    bar.set_length(files.len() as u64);
    let scratch = tempfile::tempdir()?;
    let mut taking = Taking {
        tables: Tables::open(&scratch.path().join("eval.db")).map_err(person)?,
        config: Config::default(),
        redactor: Redactor::new(Settings::default()).map_err(person)?,
        known: HashSet::new(),
        position: 0,
        sessions: BTreeMap::new(),
    };
    let mut bytes = 0;
    for file in files {
        bytes += taking.file(&file)?;
        bar.inc(1);
    }
    let Taking { tables, mut sessions, .. } = taking;
    for (id, session) in &mut sessions {
        session.memories = tables.memories_of_session(&SessionId::new(id), MAX_MEMORIES).map_err(person)?;
    }
    Ok(TakenIn { sessions, bytes })
}

/// A file that one of the adapters reads.
struct ConversationFile {
    path: PathBuf,
    adapter: &'static dyn Adapter,
    conversations: &'static dyn Conversations,
    growth: Growth,
    began: u64,
}

/// The conversations below a folder, the oldest first: what came later overtakes what came before.
fn conversation_files(folder: &str) -> anyhow::Result<Vec<ConversationFile>> {
    let mut paths = Vec::new();
    walk(Path::new(folder), 0, &mut paths);
    let mut files: Vec<ConversationFile> = paths.into_iter().filter_map(recognize).collect();
    if files.is_empty() {
        let what = format!("{folder} holds no conversation of Claude Code, Codex or Gemini CLI");
        return Err(hint(Failure::Person, what, "name a folder with their .jsonl files"));
    }
    files.sort_by(|a, b| (a.began, &a.path).cmp(&(b.began, &b.path)));
    Ok(files)
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, kind) = (entry.path(), entry.file_type());
        let is_json = path.extension().is_some_and(|end| end == "jsonl" || end == "json");
        match kind {
            Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => walk(&path, depth + 1, found),
            Ok(kind) if kind.is_file() && is_json => found.push(path),
            _ => {}
        }
    }
}

/// By what is in it: a copied file rarely has the name its agent gave it.
fn recognize(path: PathBuf) -> Option<ConversationFile> {
    if std::fs::metadata(&path).ok()?.len() > MAX_BYTES {
        return None;
    }
    let bytes = std::fs::read(&path).ok()?;
    let first = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty())?;
    let (name, growth) = match serde_json::from_slice::<Value>(first) {
        Ok(record) if record["type"] == "session_meta" => ("codex", Growth::Lines),
        Ok(record) if is_gemini(&record) => ("gemini-cli", Growth::Lines),
        Ok(record) if record.is_object() => ("claude-code", Growth::Lines),
        _ => {
            let document: Value = serde_json::from_slice(&bytes).ok()?;
            is_gemini(&document).then_some(("gemini-cli", Growth::Whole))?
        }
    };
    let adapter = agents::by_name(name)?;
    let conversations = adapter.conversations()?;
    let mut reader = conversations.reader(&path.to_string_lossy());
    let mut lines = records(&bytes, growth).flat_map(|(number, record)| reader.push(number, record));
    let began = lines.find_map(|line| line.at)?;
    drop(lines);
    Some(ConversationFile { path, adapter, conversations, growth, began })
}

fn is_gemini(record: &Value) -> bool {
    record["sessionId"].is_string() && record["startTime"].is_string() && record["type"].is_null()
}

fn records(bytes: &[u8], growth: Growth) -> impl Iterator<Item = (u64, &[u8])> {
    let whole = (growth == Growth::Whole).then_some((0, bytes));
    let lines = bytes.split(|byte| *byte == b'\n').filter(move |_| growth == Growth::Lines);
    whole.into_iter().chain(lines.enumerate().map(|(number, line)| (number as u64, line)))
}

struct Taking {
    tables: Tables,
    config: Config,
    redactor: Redactor,
    /// A session that was resumed is in two files, with the same records at the beginning.
    known: HashSet<EventId>,
    position: u64,
    sessions: BTreeMap<String, Session>,
}

impl Taking {
    /// How many bytes it has.
    fn file(&mut self, file: &ConversationFile) -> anyhow::Result<u64> {
        let bytes = std::fs::read(&file.path)?;
        let name = file.path.to_string_lossy();
        let mut reader = file.conversations.reader(&name);
        let mut lines: Vec<Line> = Vec::new();
        let mut ends = Vec::new();
        for (number, record) in records(&bytes, file.growth) {
            let clean = self.redactor.envelope(record).json;
            lines.extend(reader.push(number, &clean));
            if (number as usize + 1).is_multiple_of(LINES) {
                ends.push(lines.len());
            }
        }
        ends.push(lines.len());
        self.hear(&lines);
        let place = Place::of(&lines);
        let events = events_of(lines.iter().cloned(), Replay::new(file.conversations, &name), Ending::Over);
        self.learn(file.adapter, &place, events).map_err(person)?;
        self.cut(file, &place, &lines, &ends).map_err(person)?;
        Ok(bytes.len() as u64)
    }

    /// Who said what.
    fn hear(&mut self, lines: &[Line]) {
        let mut tools: HashMap<&str, &str> = HashMap::new();
        for line in lines.iter().filter(|line| line.subagent.is_none()) {
            let session = self.sessions.entry(line.session.as_str().to_owned()).or_default();
            let mut typed = |text: &str| {
                session.person.add(text);
                session.requests.add(text);
            };
            match &line.what {
                What::Person { text } | What::Command { arguments: text, .. } => typed(text),
                What::ToolUse { id, name, .. } => {
                    tools.insert(id, name);
                }
                What::ToolResult { id, outcome, text, .. } => {
                    let refusal =
                        (*outcome == ToolOutcome::Refused).then(|| text.split_once(REFUSED)).flatten();
                    if let Some((_, words)) = refusal {
                        typed(words);
                    } else if tools.get(id.as_str()).is_some_and(|name| ASKING.contains(name)) {
                        typed(text);
                    }
                }
                What::Machine { text } => session.requests.add(text),
                What::Agent { text, .. } => session.paragraphs.extend(paragraphs(text)),
                _ => {}
            }
        }
    }

    fn learn(
        &mut self,
        adapter: &'static dyn Adapter,
        place: &Place,
        events: impl Iterator<Item = PastEvent>,
    ) -> Result<(), StoreError> {
        let mut private = false;
        let mut batch = Vec::new();
        for event in events {
            if !self.known.insert(event.id) {
                continue;
            }
            batch.extend(self.entry(adapter, place, event, &mut private));
            if batch.len() >= BATCH {
                self.write(std::mem::take(&mut batch))?;
            }
        }
        self.write(batch)
    }

    /// What the journal would keep of an event; none for what a person keeps private or wants skipped.
    fn entry(
        &self,
        adapter: &'static dyn Adapter,
        place: &Place,
        past: PastEvent,
        private: &mut bool,
    ) -> Option<Entry> {
        let redacted = self.redactor.envelope(&past.body);
        let mut context = past.context;
        context.insert("past".to_owned(), "1".to_owned());
        place.note(&mut context);
        let incoming =
            Incoming { id: past.id, at: past.at, hint: None, context: &context, json: &redacted.json };
        let event = adapter.glance(&incoming);
        match (event.kind, &event.detail) {
            (EventKind::UserPromptSubmit, Detail::Prompt { author: Author::Person, .. }) => {
                *private = redacted.private_prompt;
            }
            (EventKind::SessionStart | EventKind::SessionEnd, _) => *private = false,
            _ => {}
        }
        let config = &self.config;
        let is_skipped =
            hearers(config, event.kind).any(|one| matches!(one.keep(config, &event), Keep::No(_)));
        if *private || is_skipped {
            return None;
        }
        let tool = match &event.detail {
            Detail::Tool(call) => Some(call.name.clone()),
            _ => None,
        };
        Some(Entry {
            id: past.id,
            at: past.at,
            agent: adapter.name().to_owned(),
            session: event.session.clone(),
            event: event.name.clone(),
            tool,
            context,
            envelope: redacted.json,
        })
    }

    fn write(&mut self, entries: Vec<Entry>) -> Result<(), StoreError> {
        let Self { tables, config, position, .. } = self;
        tables.write(|batch| {
            for entry in entries {
                *position += 1;
                batch.set_position(*position);
                let event = agents::event_of(&entry);
                for behavior in learners(config, event.kind) {
                    if let Err(error) = behavior.learn(batch, &event) {
                        error.into_store().map_or(Ok(()), Err)?;
                    }
                }
                batch.insert_event(&EventRow {
                    seq: *position,
                    id: entry.id,
                    at: entry.at,
                    agent: entry.agent,
                    session: entry.session,
                    kind: entry.event,
                    tool: entry.tool,
                    subagent: event.subagent.map(|agent| agent.id),
                    bytes: entry.envelope.len() as u64,
                    location: Location { segment: 0, offset: *position },
                })?;
            }
            batch.set_cursor(*position)
        })
    }

    /// Pieces of the talk, as they are kept after a turn; `ends` are where the daemon would begin anew.
    fn cut(
        &mut self,
        file: &ConversationFile,
        place: &Place,
        lines: &[Line],
        ends: &[usize],
    ) -> Result<(), StoreError> {
        let wish = place.wish(file.adapter.name());
        let by_line = file.growth == Growth::Lines;
        // A forked session's file begins with the records of its origin: each of the two has the whole of it.
        let sessions: BTreeSet<&str> = lines.iter().map(|line| line.session.as_str()).collect();
        self.tables.write(|batch| {
            let mut from = 0;
            for &end in ends {
                for chunk in chunks(&lines[from..end]) {
                    for session in &sessions {
                        let memory =
                            daemon::memory_of_chunk(&SessionId::new(session), &wish, &chunk, by_line);
                        engine::memory::keep(batch, &memory)?;
                    }
                }
                from = end;
            }
            Ok(())
        })
    }
}

/// Where a conversation was held. Nothing of it is looked for on this machine: the folder may be another's.
struct Place {
    root: Option<String>,
}

impl Place {
    fn of(lines: &[Line]) -> Self {
        Self { root: lines.iter().find_map(|line| line.cwd.clone()) }
    }

    fn project(&self) -> Option<&str> {
        self.root.as_deref().map(|root| root.rsplit(['/', '\\']).next().unwrap_or(root))
    }

    fn note(&self, context: &mut Context) {
        let (Some(root), Some(project)) = (&self.root, self.project()) else { return };
        let key = daemon::workspace_key(Path::new(root));
        context.insert("workspace".to_owned(), key.as_str().to_owned());
        context.insert("root".to_owned(), root.clone());
        context.insert("project".to_owned(), project.to_owned());
        context.insert("project-key".to_owned(), key.as_str().to_owned());
    }

    fn wish(&self, agent: &str) -> Value {
        let key = self.root.as_deref().map(|root| daemon::workspace_key(Path::new(root)).as_str().to_owned());
        json!({ "agent": agent, "workspace": key, "project": self.project(), "project-key": key })
    }
}

fn paragraphs(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split("\n\n")
        .filter(|paragraph| super::words::words(paragraph).len() >= MIN_PARAGRAPH_WORDS)
        .map(str::to_owned)
}
