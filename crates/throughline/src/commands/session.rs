//! One session as a story: what was asked, what came of it, which files were touched, how it ended.

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use model::{MemoryKind, Millis, SessionId};
use serde_json::json;
use store::{EventFilter, EventRow, MemoryRow, Order, OutcomeRow, PromptRow, SessionRow, SummaryRow, Tables};

use super::{outcome, reader, show as page, transcript};
use crate::print;
use crate::report::person;
use crate::world::World;

/// Memories of one session that are told; a session has some dozens beside its pieces of conversation.
const MAX_MEMORIES: usize = 10_000;
/// Lines of a prompt in the story; all of it is in `--json`.
const PROMPT_CHARS: usize = 400;
/// Files listed at the end.
const SHOWN_FILES: usize = 40;

#[derive(Debug, Args)]
pub(crate) struct Session {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Tell the story of one: prompts, what came of them, files, outcome
    #[command(after_help = "Example: throughline session show 8dcc5c1e")]
    Show {
        /// The session's id, or a unique beginning of it
        id: String,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print the archived transcript of one, redacted
    #[command(after_help = "Example: throughline session transcript 8dcc5c1e | less")]
    Transcript {
        /// The session's id, or a unique beginning of it
        id: String,
    },
}

impl Session {
    pub(crate) fn run(self, world: &World) -> anyhow::Result<()> {
        let tables = reader::tables(world)?;
        match self.command {
            Command::Show { id, json } => match reader::session(&tables, &id) {
                Ok(session) => show(world, &tables, session, json),
                Err(unknown) => brought_in(&tables, &id)?.ok_or(unknown)?.show(world, json),
            },
            Command::Transcript { id } => transcript::print(world, reader::session(&tables, &id)?),
        }
    }
}

pub(super) fn show(world: &World, tables: &Tables, session: SessionRow, as_json: bool) -> anyhow::Result<()> {
    let filter = EventFilter {
        session: Some(session.id.clone()),
        order: Order::OldestFirst,
        ..EventFilter::default()
    };
    let mut summaries = tables.summaries(Some(&session.id), 0).map_err(person)?;
    summaries.reverse();
    let prompts = tables.prompts(&session.id).map_err(person)?;
    let events = tables.events(&filter).map_err(person)?;
    let memories = tables.memories_of_session(&session.id, MAX_MEMORIES).map_err(person)?;
    let outcome = tables.outcome(&session.id).map_err(person)?;
    if events.is_empty() && prompts.is_empty() {
        return BroughtIn { id: session.id.clone(), session: Some(session), memories }.show(world, as_json);
    }
    let (color, width) = (world.color, world.width);
    let story = Story { session, prompts, events, memories, summaries, outcome, color, width };
    if as_json {
        return print::json(&json!({
            "session": story.session,
            "prompts": story.prompts,
            "events": story.events,
            "memories": story.memories.iter().filter(|row| is_told(row)).collect::<Vec<_>>(),
            "summaries": story.summaries,
            "outcome": story.outcome,
        }));
    }
    print::text(&story.head())?;
    print::text(&story.turns())?;
    print::text(&story.files())?;
    print::text(&story.counts())
}

/// A session of another tool: nobody here saw it, and all that is known of it are the memories that name it.
pub(super) struct BroughtIn {
    id: SessionId,
    /// Unless the tool it is of keeps no list of them.
    session: Option<SessionRow>,
    memories: Vec<MemoryRow>,
}

/// By the whole id.
pub(super) fn brought_in(tables: &Tables, id: &str) -> anyhow::Result<Option<BroughtIn>> {
    if id.is_empty() {
        return Ok(None);
    }
    let id = SessionId::new(id);
    let memories = tables.memories_of_session(&id, MAX_MEMORIES).map_err(person)?;
    Ok((!memories.is_empty()).then_some(BroughtIn { id, session: None, memories }))
}

impl BroughtIn {
    pub(super) fn show(&self, world: &World, as_json: bool) -> anyhow::Result<()> {
        let of_memories = || self.memories.iter().find_map(|row| row.memory.project.as_deref());
        let project = self.session.as_ref().and_then(|row| row.project.as_deref()).or_else(of_memories);
        if as_json {
            let mut session = self.session.as_ref().map_or_else(|| json!({}), |row| json!(row));
            session["id"] = json!(self.id);
            session["project"] = json!(project);
            session["brought_in"] = json!(true);
            return print::json(&json!({ "session": session, "memories": self.memories }));
        }
        let mut out = format!("session   {}\n", print::one_line(self.id.as_str(), 200));
        if let Some(project) = project {
            out.push_str(&format!("project   {}\n", print::one_line(project, 100)));
        }
        if let Some(row) = &self.session {
            let [started, ended] = [Some(row.started_at), row.ended_at].map(|at| page::time(at.unwrap_or(0)));
            out.push_str(&format!("started   {started}\nended     {ended}\n"));
        }
        let known = print::count(self.memories.len() as u64, "memory", "memories");
        out.push_str(&format!("known by  {known} brought in from elsewhere\n\n"));
        for row in &self.memories {
            let (memory, when) = (&row.memory, page::time(row.memory.at));
            let head = format!("{when:<19}  {}  {:<9}  ", memory.id, memory.kind.name());
            let room = world.width.saturating_sub(head.len()).max(20);
            out.push_str(&format!("{head}{}\n", print::one_line(&memory.title, room)));
        }
        print::text(&out)
    }
}

/// Prompts are told as such, and pieces of the conversation repeat it.
fn is_told(row: &MemoryRow) -> bool {
    !matches!(row.memory.kind, MemoryKind::Prompt | MemoryKind::Chunk)
}

struct Story {
    session: SessionRow,
    prompts: Vec<PromptRow>,
    events: Vec<EventRow>,
    memories: Vec<MemoryRow>,
    summaries: Vec<SummaryRow>,
    /// How it ended, if anything shows it or somebody said it.
    outcome: Option<OutcomeRow>,
    color: bool,
    width: usize,
}

impl Story {
    fn head(&self) -> String {
        let session = &self.session;
        let known = |label: &str, value: &Option<String>| {
            value
                .as_ref()
                .map(|value| format!("{label:<10}{}\n", print::one_line(value, 100)))
                .unwrap_or_default()
        };
        let mut head = format!(
            "session   {}\nagent     {}\n",
            print::one_line(session.id.as_str(), 200),
            print::one_line(&session.agent, 40)
        );
        head.push_str(&known("project", &session.project));
        head.push_str(&known("branch", &session.branch));
        head.push_str(&known("folder", &session.cwd));
        head.push_str(&known("model", &session.model));
        head.push_str(&format!("started   {}\n", print::time(session.started_at)));
        match session.ended_at {
            Some(at) => {
                let reason = print::one_line(session.end_reason.as_deref().unwrap_or("other"), 40);
                head.push_str(&format!("ended     {} ({reason})\n", print::time(at)));
            }
            None => head.push_str(&format!("last seen {}\n", print::time(session.last_seen_at))),
        }
        if let Some(row) = &self.outcome {
            head.push_str(&format!("outcome   {}\n", outcome::in_words(row)));
        }
        head
    }

    /// A turn begins with its prompt; what happened before the first has none.
    fn turns(&self) -> String {
        let mut out = String::new();
        let starts: Vec<Millis> = self.prompts.iter().map(|prompt| prompt.at).collect();
        let first = starts.first().copied().unwrap_or(Millis::MAX);
        out.push_str(&self.turn(0, first));
        for (at, prompt) in self.prompts.iter().enumerate() {
            let number = format!("#{}", prompt.number);
            let asked = print::one_line(&prompt.text, PROMPT_CHARS);
            out.push_str(&format!(
                "\n{}  {} {asked}\n",
                print::time(prompt.at),
                print::bold(&number, self.color)
            ));
            let end = starts.get(at + 1).copied().unwrap_or(Millis::MAX);
            out.push_str(&self.turn(prompt.at, end));
        }
        out
    }

    fn turn(&self, from: Millis, to: Millis) -> String {
        let within = |at: Millis| (from..to).contains(&at);
        let mut out = String::new();
        let told = self.memories.iter().filter(|row| is_told(row) && within(row.memory.at));
        for row in told.filter(|row| row.memory.kind != MemoryKind::Summary) {
            let head = format!("    {:<9}  {}  ", row.memory.kind.name(), row.memory.id);
            let room = self.width.saturating_sub(head.len()).max(20);
            out.push_str(&format!("{head}{}\n", print::one_line(&row.memory.title, room)));
        }
        for summary in self.summaries.iter().filter(|row| within(row.at)) {
            for (label, items) in [
                ("learned", &summary.summary.learned),
                ("completed", &summary.summary.completed),
                ("next", &summary.summary.next_steps),
            ] {
                for item in items {
                    let room = self.width.saturating_sub(15).max(20);
                    out.push_str(&format!("    {label:<9}  {}\n", print::one_line(item, room)));
                }
            }
        }
        let calls = self.calls(within);
        if !calls.is_empty() {
            out.push_str(&format!("    {}\n", print::dim(&calls, self.color)));
        }
        out
    }

    /// `7 calls: Bash 3, Edit 2, Read 2`.
    fn calls(&self, within: impl Fn(Millis) -> bool) -> String {
        let mut by_tool: BTreeMap<&str, u64> = BTreeMap::new();
        let (mut calls, mut failed) = (0, 0);
        for event in self.events.iter().filter(|event| within(event.at)) {
            let is_failure = event.kind == "PostToolUseFailure";
            if let Some(tool) = event.tool.as_deref().filter(|_| is_failure || event.kind == "PostToolUse") {
                *by_tool.entry(tool).or_default() += 1;
                calls += 1;
                failed += u64::from(is_failure);
            }
        }
        if calls == 0 {
            return String::new();
        }
        let mut tools: Vec<_> = by_tool.into_iter().collect();
        tools.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let tools: Vec<String> =
            tools.iter().map(|(tool, count)| format!("{} {count}", print::one_line(tool, 40))).collect();
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        format!("{}: {}{failed}", print::count(calls, "call", "calls"), tools.join(", "))
    }

    fn files(&self) -> String {
        let mut files: Vec<&str> =
            self.memories.iter().flat_map(|row| &row.memory.files_modified).map(String::as_str).collect();
        files.sort_unstable();
        files.dedup();
        if files.is_empty() {
            return String::new();
        }
        let mut out = format!("\n{}\n", print::bold("files changed", self.color));
        for file in files.iter().take(SHOWN_FILES) {
            out.push_str(&format!("    {}\n", print::one_line(file, 200)));
        }
        if files.len() > SHOWN_FILES {
            out.push_str(&format!("    and {} more\n", files.len() - SHOWN_FILES));
        }
        out
    }

    fn counts(&self) -> String {
        let session = &self.session;
        let kept = self.memories.iter().filter(|row| is_told(row)).count() as u64;
        let state = if session.ended_at.is_some() { "ended" } else { "open" };
        format!(
            "\n{state}: {}, {}, {} kept\n",
            print::count(session.prompts, "prompt", "prompts"),
            print::count(session.tools, "tool call", "tool calls"),
            print::count(kept, "memory", "memories"),
        )
    }
}
